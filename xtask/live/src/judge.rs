//! What is wrong with what a scenario gave.

use std::fs;

use interlingua::laws::Checker;
use serde_json::{Value, json};

use super::drive::{Seen, Stage};
use super::script::{MARK, STEER};

/// What is wrong with what a scenario gave; nothing when all is as it should be.
#[must_use]
pub fn judge(stage: &Stage<'_>, scenario: &str, seen: &Seen) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut expect = |holds: bool, what: String| {
        if !holds {
            wrong.push(what);
        }
    };
    let mut checker = Checker::default();
    for event in &seen.events {
        for violation in checker.feed(event) {
            expect(false, format!("{} ({})", violation, event.event_id()));
        }
    }
    for violation in checker.finish() {
        expect(false, violation.to_string());
    }
    let of = |wanted: &str| -> Vec<Value> {
        seen.lines
            .iter()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter(|event| event["type"] == wanted)
            .map(|event| event["data"].clone())
            .collect()
    };
    for unparsed in of("agent.unparsed") {
        expect(false, format!("unparsed: {unparsed}"));
    }
    let completed = of("item.completed");
    let said = |text: &str| {
        completed.iter().any(|data| {
            data["item"]["role"] == "assistant" && data["item"]["content"].to_string().contains(text)
        })
    };
    // A session that goes on may be told with what it had before.
    let before: Vec<Value> = of("turn.started")
        .iter()
        .filter(|data| data["trigger"]["kind"] == "resume")
        .map(|data| data["turn_id"].clone())
        .collect();
    let ended = of("turn.ended").into_iter().filter(|data| !before.contains(&data["turn_id"]));
    let reasons: Vec<Value> = ended.map(|data| data["reason"]["kind"].clone()).collect();
    let results =
        || completed.iter().filter(|data| data["item"]["kind"] == "tool-result").map(|data| data.to_string());
    let call = || -> String {
        let call = completed.iter().find(|data| data["item"]["kind"] == "tool-call");
        let status = call.and_then(|data| data["item"]["status"].as_str());
        status.unwrap_or("nothing").to_owned()
    };
    expect(seen.asked > 0, "the model was not asked".to_owned());
    let written = fs::read_to_string(stage.work.join(format!("{scenario}.txt")));
    match scenario {
        "plain" => expect(said("Plain reply."), "the reply is missing".to_owned()),
        "allow" => {
            expect(
                !stage.asks || !of("permission.requested").is_empty(),
                "it did not ask for leave".to_owned(),
            );
            expect(
                results().any(|result| stage.setup.hides_output || result.contains("live-allow")),
                "the tool's result is missing".to_owned(),
            );
            expect(written.is_ok(), "the command did not run".to_owned());
            expect(said("After the tool."), "the reply is missing".to_owned());
        }
        "deny" => {
            expect(!of("permission.requested").is_empty(), "it did not ask for leave".to_owned());
            let resolved = of("permission.resolved").first().map(|data| data["outcome"].clone());
            expect(resolved == Some(json!("reject")), format!("the refusal was told as {resolved:?}"));
            expect(written.is_err(), "the command did run".to_owned());
            let status = call();
            expect(
                matches!(status.as_str(), "failed" | "declined" | "interrupted"),
                format!("the call ended as {status}"),
            );
        }
        "forbid" => {
            expect(of("permission.requested").is_empty(), "it asked for leave".to_owned());
            expect(written.is_err(), "the command did run".to_owned());
            let status = call();
            expect(matches!(status.as_str(), "failed" | "declined"), format!("the call ended as {status}"));
            expect(said("After the tool."), "the reply is missing".to_owned());
        }
        "steer" => {
            expect(written.is_ok(), "the command did not run".to_owned());
            let is_told = completed.iter().any(|data| {
                data["item"]["role"] == "user" && data["item"]["content"].to_string().contains(STEER)
            });
            let calls = completed.iter().filter(|data| data["item"]["kind"] == "tool-call").count();
            expect(calls == 1, format!("{calls} calls: what was said in between came too late"));
            expect(is_told, "what was said in between is not told".to_owned());
            expect(said("So be it."), "the model did not hear what was said in between".to_owned());
        }
        "end" => {
            let place = stage.home.display().to_string();
            expect(!is_alive(&place), "something of it is still running".to_owned());
            if let Some(cancel) = &stage.setup.cancels {
                let heard = seen.requests.iter().any(|(place, _)| place.ends_with(cancel));
                expect(heard, format!("its server did not hear `{cancel}`"));
            }
        }
        "resume" => {
            expect(
                seen.session() == seen.resumed,
                format!("it went on with {:?} instead of {:?}", seen.session(), seen.resumed),
            );
            let knows = |(_, body): &(String, String)| {
                ["plain", "resume"].iter().all(|name| body.contains(&format!("{MARK}{name}")))
            };
            let heard = stage.script.remembers() || seen.requests.iter().any(knows);
            expect(heard, "the model did not hear what was said before".to_owned());
            expect(said("Plain reply."), "the reply is missing".to_owned());
        }
        "question" => {
            let resolved = of("question.resolved").first().map(|data| data["answers"].clone());
            expect(resolved == Some(json!([["Blue"]])), format!("the answer was told as {resolved:?}"));
            let heard =
                seen.requests.iter().any(|(_, body)| body.contains("call_live_1") && body.contains("Blue"));
            expect(heard, "the model did not hear the answer".to_owned());
            expect(said("After the tool."), "the reply is missing".to_owned());
        }
        _ => {}
    }
    let (reason, code) = match scenario {
        "interrupt" => (json!("interrupted"), 1),
        // By signal 15.
        "end" => (json!("interrupted"), 128 + 15),
        _ => (json!("completed"), 0),
    };
    // A refusal without a word may end the turn: that is the agent's affair.
    let is_open = scenario == "deny";
    expect(is_open || reasons == [reason], format!("the turns ended as {}", Value::from(reasons.clone())));
    expect(!reasons.is_empty(), "no turn ended".to_owned());
    expect(is_open || seen.code == Some(code), format!("exit code {:?}", seen.code));
    expect(!is_open || seen.code.is_some_and(|code| code < 2), format!("exit code {:?}", seen.code));
    expect(!seen.errors.contains("not among the versions"), seen.errors.trim().to_owned());
    wrong
}

/// Whether a program runs whose environment names this place.
fn is_alive(place: &str) -> bool {
    let Ok(programs) = fs::read_dir("/proc") else { return false };
    programs.flatten().any(|program| {
        let environment = fs::read(program.path().join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(place)
    })
}
