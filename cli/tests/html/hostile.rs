//! Streams in which every text tries to run something.
#![allow(dead_code)]

use serde_json::{Value, json};

/// What is tried.
pub const PAYLOADS: &[&str] = &[
    "<script>window.PWN=1</script><img src=x onerror=\"window.PWN=1\">",
    "\"><img src=x onerror=window.PWN=1><svg onload=window.PWN=1>",
    "'\"--></style></script></textarea></title></pre></noscript></template><script>window.PWN=1</script>",
    "[a](javascript:window.PWN=1) ![i](http://pictures.example/p.png) <a href=\"javascript:window.PWN=1\">x</a> \
     <iframe src=\"//frames.example\"></iframe>",
    "]]><base href=//base.example><meta http-equiv=refresh content=\"0;url=//refresh.example\"><form action=//form.example>\
     <input autofocus onfocus=window.PWN=1></form><style>body{display:none}</style>",
    "\n```html\"><img src=x onerror=window.PWN=1>\n<script>window.PWN=1</script>\n```\n\n|a|\n|-|\n|<b onclick=window.PWN=1>x</b>|\n",
    "\n[x][y] <javascript:window.PWN=1> [z]( data:text/html;base64,PHNjcmlwdD4= \"t\" onclick=x)\n\n[y]: javascript:window.PWN=1\n",
    "\u{202e}\u{1e}\u{1f}\u{0}\u{1b}]0;title\u{7}\u{2028}</script\n><script\n>window.PWN=1</script\t>",
    "\n+<img src=x onerror=window.PWN=1>\n-<svg/onload=window.PWN=1>\n@@ <script>window.PWN=1</script>\n",
    "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+",
];

/// Members whose values are words that the vocabulary fixes; another value is not read.
const FIXED: &[&str] = &[
    "event_id",
    "time",
    "received_at",
    "origin",
    "type",
    "kind",
    "role",
    "status",
    "channel",
    "visibility",
    "outcome",
    "change",
    "class",
    "reason",
    "scope",
    "basis",
    "decided_by",
    "arguments",
    "base64",
];

/// Puts a payload behind every text of an event, and behind every name of a native value.
pub fn infect(value: &mut Value, payload: &str) {
    match value {
        Value::Object(members) => {
            for (key, value) in members.iter_mut() {
                match value {
                    Value::String(text) if key == "arguments" => *text = arguments(text, payload),
                    Value::String(text) if !FIXED.contains(&key.as_str()) => text.push_str(payload),
                    Value::String(_) => {}
                    other => infect(other, payload),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| match value {
            Value::String(text) => text.push_str(payload),
            other => infect(other, payload),
        }),
        _ => {}
    }
}

/// Arguments are JSON in a text: an object with a hostile name and a hostile value.
fn arguments(text: &str, payload: &str) -> String {
    match serde_json::from_str(text) {
        Ok(Value::Object(mut members)) => {
            members.insert(payload.to_owned(), json!({ payload: [payload] }));
            members.insert("text".to_owned(), payload.into());
            Value::Object(members).to_string()
        }
        _ => format!("{text}{payload}"),
    }
}

/// The events of a recording, infected.
pub fn events(stream: &str, payload: &str) -> String {
    let mut all = String::new();
    for line in stream.lines() {
        let mut event: Value = serde_json::from_str(line).expect("an event");
        infect(&mut event, payload);
        name(&mut event);
        all.push_str(&format!("{event}\n"));
    }
    all
}

/// Gives an event its name, which is made of the session and the number.
fn name(event: &mut Value) {
    event["event_id"] =
        format!("{}:{}", event["session_id"].as_str().expect("a session"), event["sequence"]).into();
}

/// A stream with a block, a request or an error of every kind.
pub fn every_kind(payload: &str) -> String {
    let mut lines = Vec::new();
    let mut tell = |kind: &str, data: Value| {
        let sequence = lines.len() + 1;
        let mut event = json!({"sequence": sequence, "session_id": "s1", "turn_id": "t1", "agent_path": [], "origin": "agent",
            "type": kind, "data": data, "native": {"line": sequence, "offset": 0, "length": 1, "rule": payload, "raw": payload}});
        name(&mut event);
        lines.push(event);
    };
    tell(
        "session.started",
        json!({"model": payload, "cwd": payload, "agent_version": payload, "permission_mode": payload,
        "tools": [payload], "metadata": {payload: payload}}),
    );
    tell("session.updated", json!({"title": payload, "model": format!("{payload}2"), "state": payload}));
    tell("turn.started", json!({"turn_id": "t1"}));
    let blocks = [
        json!({"type": "text", "text": payload, "annotations": [{payload: payload}]}),
        json!({"type": "reasoning", "text": payload, "signature": payload}),
        json!({"type": "image", "mime": payload, "data": payload}),
        json!({"type": "image", "mime": "image/png", "data": payload}),
        json!({"type": "image", "uri": payload}),
        json!({"type": "image", "uri": format!("data:image/png;base64,{payload}")}),
        json!({"type": "image", "uri": "data:image/svg+xml;base64,PHN2Zz4="}),
        json!({"type": "file-change", "path": payload, "change": "update", "from": payload, "diff": format!("@@ {payload}\n-{payload}\n+{payload}x\n {payload}\n")}),
        json!({"type": "plan", "entries": [{"text": payload, "status": payload, "priority": payload}]}),
        json!({"type": "json", "value": {payload: [payload]}}),
        json!({"type": "status", "label": payload, "detail": payload, "data": {payload: payload}}),
        json!({"type": payload, payload: payload}),
    ];
    for (number, block) in blocks.iter().enumerate() {
        for (kind, role) in
            [("message", "user"), ("message", "assistant"), ("status", "system"), (payload, "assistant")]
        {
            tell(
                "item.completed",
                json!({"item": {"item_id": format!("i{number}{kind}{role}"), "kind": kind, "role": role,
                "status": "completed", "superseded_by": payload, "content": [block]}}),
            );
        }
    }
    for (number, arguments) in
        [json!({payload: payload, "x": {payload: [payload]}}).to_string(), payload.to_owned()]
            .iter()
            .enumerate()
    {
        let (call, result) = (format!("c{number}{payload}"), format!("r{number}{payload}"));
        tell(
            "item.completed",
            json!({"item": {"item_id": call, "call_id": call, "kind": "tool-call", "status": "failed", "content": [
            {"type": "tool-call", "call_id": call, "name": payload, "arguments": arguments, "title": payload, "tool_kind": payload}]}}),
        );
        tell(
            "permission.requested",
            json!({"permission_id": call, "call_id": call, "action": {"name": payload, "arguments": payload,
            "paths": [payload], "reason": payload}, "options": [{"id": payload, "label": payload, "outcome": "reject", "native": payload}]}),
        );
        tell(
            "permission.resolved",
            json!({"permission_id": call, "outcome": "reject", "message": payload, "decided_by": "host", "updated_input": {payload: payload}}),
        );
        tell(
            "item.completed",
            json!({"item": {"item_id": result, "call_id": call, "parent_id": call, "kind": "tool-result", "status": "completed",
            "content": [{"type": "tool-result", "call_id": call, "is_error": true, "exit_code": 1, "content": blocks}]}}),
        );
    }
    tell(
        "question.requested",
        json!({"question_id": "q", "questions": [{"text": payload, "header": payload, "url": payload,
        "options": [{"label": payload, "description": payload}]}]}),
    );
    tell(
        "question.resolved",
        json!({"question_id": "q", "outcome": "answered", "answers": [[payload]], "message": payload}),
    );
    tell("host-call.requested", json!({"request_id": "h", "kind": "tool", "payload": {payload: payload}}));
    tell("host-call.resolved", json!({"request_id": "h", "outcome": "done", "payload": payload}));
    tell(
        "error",
        json!({"class": "network", "message": payload, "code": payload, "details": {payload: payload}}),
    );
    tell(
        "usage.reported",
        json!({"key": payload, "scope": "call", "basis": "delta", "model": payload,
        "usage": {"input": 10, "output": 5, "cost": {"amount": 1.0, "currency": payload, "source": payload}}}),
    );
    tell(
        "agent.unparsed",
        json!({"error": payload, "location": payload, "excerpt": payload, "sha256": payload, "value": {payload: payload}}),
    );
    tell(
        "turn.ended",
        json!({"turn_id": "t1", "reason": {"kind": "failed"}, "error": {"class": "unknown", "message": payload},
        "usage": {"input": 10, "output": 5, "cost": {"amount": 1.0, "currency": payload, "source": payload}}}),
    );
    tell("session.ended", json!({"reason": "failed", "error": {"class": "crash", "message": payload}}));
    lines.iter().map(|line| format!("{line}\n")).collect()
}
