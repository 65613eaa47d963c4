//! One scenario: `interlingua run` drives the agent, and what comes out is judged.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use interlingua::laws::Checker;
use interlingua::vocabulary::Event;
use serde_json::{Value, json};

use super::script::{MARK, Script};
use super::setup::Setup;

/// How long a scenario may take.
const TIME: Duration = Duration::from_secs(90);

/// The scenarios, in the order in which they are run.
pub const SCENARIOS: [&str; 5] = ["plain", "allow", "deny", "question", "interrupt"];

/// Where everything lies that a scenario needs.
pub struct Stage<'s> {
    /// The agent's name.
    pub agent: &'s str,
    /// The command `interlingua`.
    pub interlingua: PathBuf,
    /// The agent's program.
    pub program: Option<&'s Path>,
    /// A home of its own.
    pub home: PathBuf,
    /// The folder in which it works.
    pub work: PathBuf,
    /// How it is set up.
    pub setup: &'s Setup,
    /// The model.
    pub script: &'s Script,
}

/// What came of a scenario.
pub struct Seen {
    events: Vec<Event>,
    /// The events as they were printed.
    pub lines: Vec<String>,
    code: Option<i32>,
    /// What was printed for people.
    pub errors: String,
    /// What was asked of the model while it ran.
    requests: Vec<(String, String)>,
}

impl Seen {
    /// The version that the agent says it is of; empty when it does not say so.
    #[must_use]
    pub fn version(&self) -> String {
        let events = self.lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut versions =
            events.filter_map(|event| Some(event["data"]["agent_version"].as_str()?.to_owned()));
        versions.next().unwrap_or_default()
    }
}

/// Whether an agent can play a scenario at all.
#[must_use]
pub fn can_play(setup: &Setup, scenario: &str) -> bool {
    match scenario {
        "deny" => setup.asks,
        "question" => setup.question.is_some(),
        "interrupt" => setup.interrupt,
        _ => true,
    }
}

/// Runs a scenario.
///
/// # Errors
///
/// When the command cannot be run, or does not come to its end.
pub fn play(stage: &Stage<'_>, scenario: &str) -> Result<Seen, String> {
    let asked_before = stage.script.heard().len();
    let mut child = start(stage)?;
    let mut stdin = child.stdin.take().ok_or("no input")?;
    let (lines, arriving) = mpsc::channel();
    let stdout = child.stdout.take().ok_or("no output")?;
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let _ = lines.send(line);
        }
    });
    let stderr = child.stderr.take().ok_or("no errors")?;
    let errors = thread::spawn(move || {
        let mut text = String::new();
        let _ = BufReader::new(stderr).read_to_string(&mut text);
        text
    });
    let native = (scenario == "question").then(|| stage.setup.question.as_ref()?.native.clone()).flatten();
    let mut prompt = json!({"type": "message.send",
        "content": [{"type": "text", "text": format!("Please play {MARK}{scenario} now.")}]});
    if let Some(native) = native {
        prompt["native"] = native;
    }
    give(&mut stdin, &prompt)?;
    let mut stdin = Some(stdin);
    let mut seen = Seen {
        events: Vec::new(),
        lines: Vec::new(),
        code: None,
        errors: String::new(),
        requests: Vec::new(),
    };
    let mut host = Host::default();
    loop {
        let line = match arriving.recv_timeout(TIME) {
            Ok(line) => line,
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let _ = end(&mut child);
                let errors = errors.join().unwrap_or_default();
                return Err(format!(
                    "nothing came for {} s; the events so far:\n{}\n{errors}",
                    TIME.as_secs(),
                    seen.lines.join("\n")
                ));
            }
        };
        let event: Value = serde_json::from_str(&line).map_err(|error| format!("{error}: {line}"))?;
        seen.lines.push(line);
        if let (Some(reply), Some(stdin)) = (host.reply(&event, scenario), &mut stdin) {
            give(stdin, &reply)?;
        }
        // The turn is over: no more commands.
        if event["type"] == "turn.ended" && event["session_id"] == "s1" {
            stdin = None;
        }
    }
    drop(stdin);
    seen.code = child.wait().map_err(|error| error.to_string())?.code();
    seen.errors = errors.join().unwrap_or_default();
    seen.events = seen
        .lines
        .iter()
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{error}: {line}")))
        .collect::<Result<_, _>>()?;
    seen.requests = stage.script.heard().split_off(asked_before);
    Ok(seen)
}

fn start(stage: &Stage<'_>) -> Result<Child, String> {
    let mut command = Command::new(&stage.interlingua);
    command.args(["run", "--agent", stage.agent, "--cwd"]).arg(&stage.work);
    if let Some(program) = stage.program {
        command.arg("--program").arg(program);
    }
    if let Some(mode) = &stage.setup.permission_mode {
        command.args(["--permission-mode", mode]);
    }
    if !stage.setup.native.is_empty() {
        command.arg("--native").arg(Value::Object(stage.setup.native.clone()).to_string());
    }
    if !stage.setup.arguments.is_empty() {
        command.arg("--").args(&stage.setup.arguments);
    }
    // Nothing of our own environment: no keys, no settings, no proxies.
    command.env_clear().envs(&stage.setup.environment).env("HOME", &stage.home).env("LANG", "C.UTF-8");
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", stage.interlingua.display()))
}

fn give(stdin: &mut ChildStdin, command: &Value) -> Result<(), String> {
    writeln!(stdin, "{command}").map_err(|error| format!("`interlingua run` does not read: {error}"))
}

/// What a host remembers to play its part.
#[derive(Default)]
struct Host {
    /// The agent's own messages.
    said: Vec<Value>,
    has_interrupted: bool,
}

impl Host {
    /// What the host says when this has happened.
    fn reply(&mut self, event: &Value, scenario: &str) -> Option<Value> {
        let data = &event["data"];
        match (event["type"].as_str()?, scenario) {
            ("permission.requested", "deny") => Some(json!({"type": "permission.reply",
                "permission_id": data["permission_id"], "outcome": "reject"})),
            ("permission.requested", _) => Some(json!({"type": "permission.reply",
                "permission_id": data["permission_id"], "outcome": "allow-once"})),
            ("question.requested", _) => Some(json!({"type": "question.reply",
                "question_id": data["question_id"], "answers": [["Blue"]]})),
            ("item.started" | "item.updated", _) if data["item"]["role"] == "assistant" => {
                self.said.push(data["item"]["item_id"].clone());
                None
            }
            ("item.delta", "interrupt") if self.said.contains(&data["item_id"]) && !self.has_interrupted => {
                self.has_interrupted = true;
                Some(json!({"type": "turn.interrupt"}))
            }
            _ => None,
        }
    }
}

/// Asks the run to end, which ends its agent, too.
fn end(child: &mut Child) -> Result<(), String> {
    let asked = Command::new("kill").arg(child.id().to_string()).status();
    asked.map_err(|error| error.to_string())?;
    child.wait().map(|_| ()).map_err(|error| error.to_string())
}

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
    let reasons: Vec<Value> = of("turn.ended").iter().map(|data| data["reason"]["kind"].clone()).collect();
    let results =
        || completed.iter().filter(|data| data["item"]["kind"] == "tool-result").map(|data| data.to_string());
    let asked = seen.requests.iter().any(|(place, _)| place.starts_with("POST"));
    expect(asked, "the model was not asked".to_owned());
    let written = fs::read_to_string(stage.work.join(format!("{scenario}.txt")));
    match scenario {
        "plain" => expect(said("Plain reply."), "the reply is missing".to_owned()),
        "allow" => {
            expect(
                !stage.setup.asks || !of("permission.requested").is_empty(),
                "it did not ask for leave".to_owned(),
            );
            expect(
                results().any(|result| result.contains("live-allow")),
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
            let call = completed.iter().find(|data| data["item"]["kind"] == "tool-call");
            let status = call.map(|data| data["item"]["status"].clone());
            expect(
                matches!(
                    status.as_ref().and_then(Value::as_str),
                    Some("failed" | "declined" | "interrupted")
                ),
                format!("the call ended as {status:?}"),
            );
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
        _ => (json!("completed"), 0),
    };
    // A refusal without a word may end the turn: that is the agent's affair.
    let is_open = scenario == "deny";
    expect(is_open || reasons == [reason], format!("the turns ended as {}", Value::from(reasons.clone())));
    expect(!reasons.is_empty(), "no turn ended".to_owned());
    expect(is_open || seen.code == Some(code), format!("exit code {:?}", seen.code));
    expect(seen.code.is_some_and(|code| code < 2), format!("exit code {:?}", seen.code));
    expect(!seen.errors.contains("not among the versions"), seen.errors.trim().to_owned());
    wrong
}
