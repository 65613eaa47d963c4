//! Both directions of one agent: which replies are taken, what waits, and what is known from the events alone.
#![cfg(feature = "providers")]

use interlingua::vocabulary::{
    Command, Event, EventBody, HostCallReply, MessageSend, ModelSet, PermissionOutcome, PermissionReply,
    QuestionReply, SessionStart, TurnInterrupt,
};
use interlingua::{
    CommandError, Moment, NativeMessage, Options, PendingRequests, Replay, Session, WriteError,
};

fn session(provider: &str) -> Session {
    Session::new(interlingua::provider(provider).expect("a bundled provider"), Options::default())
}

/// A thread of Codex with a running turn, in which the agent requests permission.
fn asking() -> Session {
    let mut session = session("codex");
    for line in [
        r#"{"method":"thread/started","params":{"thread":{"id":"t1","cwd":"/w","cliVersion":"0.171.0"}}}"#,
        r#"{"method":"turn/started","params":{"threadId":"t1","turn":{"id":"u1","items":[],"status":"inProgress"}}}"#,
        r#"{"method":"item/commandExecution/requestApproval","id":0,"params":{"threadId":"t1","turnId":"u1",
            "itemId":"c1","command":"ls","availableDecisions":["accept","cancel"]}}"#,
    ] {
        session.push_message(line.as_bytes());
    }
    session
}

fn only_text(messages: &[NativeMessage]) -> serde_json::Value {
    let [NativeMessage::Text(text)] = messages else { panic!("not one text: {messages:?}") };
    serde_json::from_str(text.get()).expect("JSON")
}

#[test]
fn a_reply_is_taken_once_and_repeats_the_id_as_it_was() {
    let mut session = asking();
    let allow = Command::from(PermissionReply::new("0", PermissionOutcome::AllowOnce));
    let step = session.command(&allow).expect("the request is open");
    assert_eq!(only_text(&step.messages), serde_json::json!({"id": 0, "result": {"decision": "accept"}}));
    assert!(matches!(&step.events[..], [Event { body: EventBody::PermissionResolved(_), .. }]));
    let again = session.command(&allow).unwrap_err();
    assert_eq!(again, CommandError::AlreadySettled { id: "0".into(), outcome: "allow-once" });
}

#[test]
fn a_reply_to_what_was_never_asked_names_what_is_open() {
    let mut session = asking();
    let unknown = session.command(&PermissionReply::option("7", "accept").into()).unwrap_err();
    assert_eq!(unknown.to_string(), "there is no request `7`; open are `0`");
}

#[test]
fn a_reply_of_the_wrong_kind_says_which_is_right() {
    let mut session = asking();
    let wrong = session.command(&QuestionReply::new("0", vec![vec!["yes".into()]]).into()).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "the request `0` is a permission request: answer it with `permission.reply`"
    );
}

#[test]
fn an_option_that_is_not_offered_is_no_answer() {
    let mut session = asking();
    let wrong = session.command(&PermissionReply::option("0", "acceptForSession").into()).unwrap_err();
    let text = "the request `0` does not offer `acceptForSession`; it offers `accept` (allow-once), `cancel` \
                (cancelled), `decline` (reject)";
    assert_eq!(wrong.to_string(), text);
    // Nothing has happened.
    assert!(session.pending().get("0").is_some());
}

#[test]
fn what_expires_with_its_turn_cannot_be_answered() {
    let mut session = asking();
    session.push_message(
        br#"{"method":"turn/completed","params":{"threadId":"t1","turn":{"id":"u1","items":[],"status":"completed"}}}"#,
    );
    let late = session.command(&PermissionReply::option("0", "accept").into()).unwrap_err();
    assert_eq!(late, CommandError::AlreadySettled { id: "0".into(), outcome: "expired" });
}

#[test]
fn the_prompt_of_a_start_waits_for_the_thread() {
    let mut session = session("codex");
    let start = SessionStart::default().with_prompt("Hello").with_cwd("/w");
    let step = session.command(&start.into()).expect("it can start");
    let methods: Vec<String> = step.messages.iter().map(method).collect();
    assert_eq!(methods, ["codex app-server", "initialize", "initialized", "thread/start"]);
    let step =
        session.push_message(br#"{"method":"thread/started","params":{"thread":{"id":"t1","cwd":"/w"}}}"#);
    let message = only_text(&step.messages);
    assert_eq!(message["method"], "turn/start");
    assert_eq!(message["params"]["threadId"], "t1");
    assert_eq!(message["params"]["input"][0]["text"], "Hello");
}

#[test]
fn what_waited_in_vain_is_handed_back() {
    let mut session = session("codex");
    let said = Command::from(MessageSend::text("Hello"));
    let step = session.command(&said).expect("it waits for its thread");
    assert_eq!((step.messages.len(), step.refused.len()), (0, 0));
    assert_eq!(session.finish().refused, [(said, CommandError::Ended)]);
}

fn method(message: &NativeMessage) -> String {
    match message {
        NativeMessage::Spawn { args, .. } => args.join(" "),
        NativeMessage::Text(text) => {
            let value: serde_json::Value = serde_json::from_str(text.get()).expect("JSON");
            value["method"].as_str().unwrap_or_default().to_owned()
        }
        NativeMessage::Http { method, path, .. } => format!("{method} {path}"),
        NativeMessage::HangUp => "hang up".to_owned(),
    }
}

#[test]
fn a_resumed_session_is_known_before_it_says_anything() {
    let mut session = session("opencode");
    let start = SessionStart::default().with_prompt("Go on").with_resume("ses_1");
    let step = session.command(&start.into()).expect("it can start");
    let methods: Vec<String> = step.messages.iter().map(method).collect();
    assert_eq!(methods, ["opencode serve --port 0", "POST /session/ses_1/prompt_async"]);
}

#[test]
fn an_impossible_command_says_why_and_what_is_possible() {
    let mut amp = session("amp");
    let error = amp.command(&TurnInterrupt::default().into()).unwrap_err();
    let CommandError::Write(WriteError::Impossible { field: "", possible, .. }) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(possible, &["message.send", "session.end", "session.start"]);
    let error =
        asking().command(&PermissionReply::option("0", "accept").with_message("Fine.").into()).unwrap_err();
    assert!(
        error.to_string().starts_with("`codex` cannot express `message` of `permission.reply`"),
        "{error}"
    );
}

#[test]
fn every_id_of_the_hosts_requests_is_another() {
    let mut session = asking();
    let mut ids = Vec::new();
    for command in [
        Command::from(MessageSend::text("one")),
        ModelSet::new("m").into(),
        MessageSend::text("two").into(),
        TurnInterrupt::default().into(),
    ] {
        let step = session.command(&command).expect("possible");
        ids.push(
            only_text(&step.messages)["id"].as_str().expect("a text, as the agent's are numbers").to_owned(),
        );
    }
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn an_answer_is_read_by_what_it_answers() {
    let answer = br#"{"id":"q","result":{"thread":{"id":"t1"},"model":"m"}}"#;
    let ignored = |asked: &str| {
        let mut session = session("codex");
        session.note_host_message(asked.as_bytes());
        session.push_message(answer);
        session.stats().ignored_total()
    };
    // The same result opens a thread, or is a look at one.
    assert_eq!(ignored(r#"{"id":"q","method":"thread/resume","params":{"threadId":"t1"}}"#), 0);
    assert_eq!(ignored(r#"{"id":"q","method":"thread/read","params":{"threadId":"t1"}}"#), 1);
}

#[test]
fn null_is_an_answer_unless_another_member_has_a_value() {
    let ignored = |answer: &str| {
        let mut session = session("codex");
        session.note_host_message(
            br#"{"id":"q","method":"turn/interrupt","params":{"threadId":"t1","turnId":"u1"}}"#,
        );
        session.push_message(answer.as_bytes());
        (session.stats().ignored_total(), session.stats().unparsed)
    };
    assert_eq!(ignored(r#"{"id":"q","result":null}"#), (1, 0));
    assert_eq!(ignored(r#"{"id":"q","result":{},"error":null}"#), (1, 0));
    // The error has the value, though the result is looked for first.
    assert_eq!(ignored(r#"{"id":"q","result":null,"error":{"code":-1,"message":"no turn"}}"#), (0, 0));
}

#[test]
fn a_call_that_failed_is_told_to_the_tool() {
    let mut session = asking();
    session.push_message(
        br#"{"method":"item/tool/call","id":1,"params":{"threadId":"t1","turnId":"u1","callId":"c2","tool":"x","arguments":{}}}"#,
    );
    let step = session.command(&HostCallReply::failed("1", "no such file").into()).expect("it is open");
    let wanted = serde_json::json!({"id": 1, "result": {
        "contentItems": [{"type": "inputText", "text": "no such file"}], "success": false}});
    assert_eq!(only_text(&step.messages), wanted);
}

#[test]
fn the_open_requests_are_known_from_the_events_alone() {
    let agent = concat!(
        r#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","#,
        r#""input":{"command":"ls"},"tool_use_id":"t1"}}"#,
        "\n",
        r#"{"type":"control_request","request_id":"r2","request":{"subtype":"can_use_tool","tool_name":"Read","#,
        r#""input":{"file_path":"/w/a"},"tool_use_id":"t2"}}"#,
        "\n",
    );
    let host = concat!(
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1","#,
        r#""response":{"behavior":"allow","updatedInput":{"command":"ls"}}}}"#,
        "\nnot JSON\n",
    );
    let claude = interlingua::provider("claude").expect("a bundled provider");
    let mut replay = Replay::new(claude, Options::default(), agent.as_bytes(), host.as_bytes());
    let mut rebuilt = PendingRequests::default();
    let mut most = 0;
    while let Some(moment) = replay.next() {
        for event in moment.events() {
            let json = serde_json::to_string(event).expect("JSON");
            rebuilt.observe(&serde_json::from_str(&json).expect("an event"));
        }
        let open = |pending: &PendingRequests| -> Vec<_> {
            pending.iter().map(|(session, request)| (session.clone(), request.clone())).collect()
        };
        assert_eq!(open(&rebuilt), open(replay.session().pending()));
        most = most.max(open(&rebuilt).len());
        if let Moment::Host(message) = &moment {
            assert_eq!(message.command.as_ref().map(|host| host.command.answers()), Some(Some("r1")));
        }
    }
    assert_eq!(most, 1, "the first is answered before the second is asked");
    assert_eq!(rebuilt.settled("r1"), Some("allow-once"));
    assert_eq!(replay.host_counts().broken_lines, [(2, "no JSON object".to_owned())]);
}

#[test]
fn a_reply_by_its_meaning_takes_the_shortest_that_is_offered() {
    let asked = |suggestion: &str| {
        let mut session = session("claude");
        let line = format!(
            r#"{{"type":"control_request","request_id":"r1","request":{{"subtype":"can_use_tool","tool_name":"Bash",
            "input":{{"command":"ls"}},"tool_use_id":"t1","permission_suggestions":[{suggestion}]}}}}"#
        )
        .replace('\n', "");
        session.push_message(line.as_bytes());
        session
    };
    let deny =
        r#"{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"deny","destination":"userSettings"}"#;
    let mut refused = asked(deny);
    let (_, interlingua::vocabulary::PendingRequest::Permission(request)) =
        refused.pending().get("r1").expect("it is open")
    else {
        panic!("it requests permission")
    };
    let offered: Vec<&str> = request.options.iter().map(|option| option.outcome.as_str()).collect();
    assert_eq!(offered, ["allow-once", "reject-always", "reject"]);
    let no = PermissionReply::new("r1", PermissionOutcome::Reject).into();
    let message = only_text(&refused.command(&no).expect("it is open").messages);
    assert_eq!(message["response"]["response"]["updatedPermissions"], serde_json::Value::Null);
    assert_eq!(message["response"]["response"]["behavior"], "deny");

    let mut for_good = asked(deny);
    let never = PermissionReply::new("r1", PermissionOutcome::RejectAlways).into();
    let step = for_good.command(&never).expect("it is offered");
    assert!(matches!(&step.events[0].body, EventBody::PermissionResolved(done)
        if done.outcome == PermissionOutcome::RejectAlways));

    let allow = deny.replace("deny", "allow");
    let yes = PermissionReply::new("r1", PermissionOutcome::Allowed).into();
    let step = asked(&allow).command(&yes).expect("it is open");
    assert!(matches!(&step.events[0].body, EventBody::PermissionResolved(done)
        if done.outcome == PermissionOutcome::AllowOnce));
}

#[test]
fn what_stands_in_a_path_is_decoded_and_not_empty() {
    let session = session("opencode");
    let reply = |path: &str| {
        let read = session.read_http("POST", path, br#"{"reply":"once"}"#)?;
        read.command.answers().map(str::to_owned)
    };
    assert_eq!(reply("/permission/per_1/reply").as_deref(), Some("per_1"));
    assert_eq!(reply("/permission/a%2Fb%20c/reply?directory=%2Fw").as_deref(), Some("a/b c"));
    for wrong in ["/permission//reply", "/permission/per_1/reply/", "/permission/%zz/reply"] {
        assert_eq!(reply(wrong), None, "{wrong}");
    }
}

#[test]
fn a_picture_is_said_with_the_type_that_its_bytes_tell() {
    let mut session = session("claude");
    let picture = interlingua::vocabulary::Image::from_base64("R0lGODlhAQABAAAAACw=");
    let said = MessageSend::new(vec![picture.into()]);
    let message = only_text(&session.command(&said.into()).expect("it is said").messages);
    assert_eq!(message["message"]["content"][0]["source"]["media_type"], "image/gif");
}

#[test]
fn an_id_stays_within_its_segment_of_a_path() {
    let reply = |id: &str| {
        let mut session = session("opencode");
        let asked = serde_json::json!({"type": "permission.asked", "properties": {"id": id, "sessionID": "s",
            "permission": "bash", "patterns": [], "metadata": {}, "always": []}});
        session.push_message(asked.to_string().as_bytes());
        session.command(&PermissionReply::option(id, "once").into()).map(|step| match &step.messages[..] {
            [NativeMessage::Http { path, .. }] => path.clone(),
            other => panic!("not one request: {other:?}"),
        })
    };
    assert_eq!(reply("per_1").as_deref(), Ok("/permission/per_1/reply"));
    assert_eq!(reply("a/../b ?#%ü").as_deref(), Ok("/permission/a%2F..%2Fb%20%3F%23%25%C3%BC/reply"));
    // No encoding keeps these from being resolved on the way.
    for wrong in ["..", "."] {
        assert!(matches!(reply(wrong), Err(CommandError::Write(WriteError::Nothing { .. }))), "{wrong}");
    }
}

/// Starts a thread of Codex with a prompt, and gives the ids of the requests.
fn starting(prompt: &str) -> Session {
    let mut session = session("codex");
    let start = SessionStart::default().with_prompt(prompt);
    session.command(&start.into()).expect("a session can be started");
    session
}

#[test]
fn a_session_that_the_agent_refuses_is_refused_with_all_that_waits_for_it() {
    let mut session = starting("Hello");
    let step =
        session.push_message(br#"{"id":"thread/start-1","error":{"code":-32603,"message":"not logged in"}}"#);
    let refused: Vec<(&str, String)> =
        step.refused.iter().map(|(command, why)| (command.command_type(), why.to_string())).collect();
    assert_eq!(
        refused,
        [
            ("session.start", "the agent refused it: not logged in".to_owned()),
            ("message.send", "the agent refused to start the session".to_owned()),
        ]
    );
    assert!(session.finish().refused.is_empty(), "nothing waits any more");
}

#[test]
fn a_message_that_the_agent_refuses_is_refused_and_the_next_can_be_given() {
    let mut session = starting("Hello");
    let started =
        r#"{"method":"thread/started","params":{"thread":{"id":"t1","cwd":"/w","cliVersion":"0.171.0"}}}"#;
    let sent = only_text(&session.push_message(started.as_bytes()).messages);
    assert_eq!(sent["method"], "turn/start");
    let answer = serde_json::json!({"id": sent["id"], "error": {"code": -32600, "message": "no such model"}});
    let step = session.push_message(answer.to_string().as_bytes());
    let [(Command::MessageSend(_), CommandError::Refused(why))] = &step.refused[..] else {
        panic!("{:?}", step.refused)
    };
    assert_eq!(why, "no such model");
    let again = only_text(&session.command(&MessageSend::text("Again").into()).expect("it goes on").messages);
    // What it accepts is refused by nobody.
    let accepted = serde_json::json!({"id": again["id"], "result": {"turn": {"id": "u1"}}});
    assert!(session.push_message(accepted.to_string().as_bytes()).refused.is_empty());
}

#[test]
fn a_request_of_the_agent_that_nobody_knows_is_answered() {
    let mut session = session("codex");
    for id in ["77", "\"x\""] {
        let asked = format!(r#"{{"id":{id},"method":"item/brandNew/request","params":{{}}}}"#);
        let answer = session.push_message(asked.as_bytes()).messages;
        let [NativeMessage::Text(answer)] = &answer[..] else { panic!("one answer: {answer:?}") };
        let expected = format!(r#"{{"id":{id},"error":{{"code":-32601,"message":"method not found"}}}}"#);
        assert_eq!(answer.get(), expected);
    }
    let versioned = br#"{"jsonrpc":"2.0","id":1,"method":"brandNew"}"#;
    assert_eq!(only_text(&session.push_message(versioned).messages)["jsonrpc"], "2.0");
    // A notification has no answer, and neither has a message in another framing.
    assert!(session.push_message(br#"{"method":"brandNew","params":{}}"#).messages.is_empty());
    let mut claude = self::session("claude");
    assert!(claude.push_message(br#"{"type":"brandNew","id":1,"method":"m"}"#).messages.is_empty());
}
