//! One scenario: `interlingua run` drives the agent.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use interlingua::vocabulary::Event;
use serde_json::{Value, json};

use super::script::{MARK, STEER, Script};
use super::setup::Setup;

/// How long an agent may say nothing.
const TIME: Duration = Duration::from_secs(90);

/// How often we look whether the model was asked.
const PAUSE: Duration = Duration::from_millis(100);

/// The scenarios, in the order in which they are run.
pub const SCENARIOS: [&str; 9] =
    ["plain", "allow", "deny", "forbid", "question", "steer", "interrupt", "end", "resume"];

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
    /// Whether it asks its host for leave.
    pub asks: bool,
    /// How it is set up.
    pub setup: &'s Setup,
    /// The model.
    pub script: &'s Script,
}

/// What came of a scenario.
#[derive(Default)]
pub struct Seen {
    /// The events.
    pub events: Vec<Event>,
    /// The events as they were printed.
    pub lines: Vec<String>,
    /// The exit code.
    pub code: Option<i32>,
    /// What was printed for people.
    pub errors: String,
    /// What was asked while it ran.
    pub requests: Vec<(String, String)>,
    /// How often the model was asked.
    pub asked: u64,
    /// The session of an earlier run with which it went on, by the agent's id of it.
    pub resumed: Option<String>,
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

    /// The agent's own id of its first session.
    #[must_use]
    pub fn session(&self) -> Option<String> {
        let events = self.lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut sessions = events.filter_map(|event| Some(event["native_session_id"].as_str()?.to_owned()));
        sessions.next()
    }
}

/// Runs a scenario.
///
/// # Errors
///
/// When the command cannot be run, or does not come to its end.
pub fn play(stage: &Stage<'_>, scenario: &str) -> Result<Seen, String> {
    if scenario != "resume" {
        return run(stage, scenario, None);
    }
    let session = run(stage, "plain", None)?.session().ok_or("the first run named no session")?;
    let seen = run(stage, scenario, Some(&session))?;
    Ok(Seen { resumed: Some(session), ..seen })
}

fn run(stage: &Stage<'_>, scenario: &str, resume: Option<&str>) -> Result<Seen, String> {
    let mut child = start(stage, scenario, resume)?;
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
    let mut seen = Seen::default();
    let mut host = Host::default();
    let mut last = Instant::now();
    let mut is_to_end = scenario == "end";
    loop {
        if stage.setup.ends_with_input && (scenario != "steer" || host.has_steered) {
            stdin = None;
        }
        // It is ended when the model speaks, and the host has heard that something is going on.
        if is_to_end && host.is_in_turn && stage.script.asked() > 0 {
            is_to_end = false;
            ask_to_end(&child)?;
        }
        let line = match arriving.recv_timeout(PAUSE) {
            Ok(line) => line,
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) if last.elapsed() < TIME => continue,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                ask_to_end(&child)?;
                child.wait().map_err(|error| error.to_string())?;
                let errors = errors.join().unwrap_or_default();
                return Err(format!(
                    "nothing came for {} s; the events so far:\n{}\n{errors}",
                    TIME.as_secs(),
                    seen.lines.join("\n")
                ));
            }
        };
        last = Instant::now();
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
    seen.requests = stage.script.heard();
    seen.asked = stage.script.asked();
    Ok(seen)
}

fn start(stage: &Stage<'_>, scenario: &str, resume: Option<&str>) -> Result<Child, String> {
    let mut command = Command::new(&stage.interlingua);
    command.args(["run", "--agent", stage.agent, "--cwd"]).arg(&stage.work);
    if let Some(program) = stage.program {
        command.arg("--program").arg(program);
    }
    if let Some(session) = resume {
        command.args(["--resume", session]);
    }
    if let Some(mode) = stage.setup.permission_mode.as_ref().filter(|_| scenario != "forbid") {
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
    is_in_turn: bool,
    has_interrupted: bool,
    has_steered: bool,
}

impl Host {
    /// What the host says when this has happened.
    fn reply(&mut self, event: &Value, scenario: &str) -> Option<Value> {
        let data = &event["data"];
        self.is_in_turn |= event["type"] == "turn.started";
        match (event["type"].as_str()?, scenario) {
            ("permission.requested", "deny") => Some(json!({"type": "permission.reply",
                "permission_id": data["permission_id"], "outcome": "reject"})),
            ("permission.requested", _) => Some(json!({"type": "permission.reply",
                "permission_id": data["permission_id"], "outcome": "allow-once"})),
            ("question.requested", _) => Some(json!({"type": "question.reply",
                "question_id": data["question_id"], "answers": [["Blue"]]})),
            ("item.started", "steer") if data["item"]["kind"] == "tool-call" && !self.has_steered => {
                self.has_steered = true;
                Some(json!({"type": "message.send", "delivery": "steer",
                    "content": [{"type": "text", "text": STEER}]}))
            }
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
fn ask_to_end(child: &Child) -> Result<(), String> {
    let asked = Command::new("kill").arg(child.id().to_string()).status();
    asked.map(|_| ()).map_err(|error| error.to_string())
}
