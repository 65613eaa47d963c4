//! `interlingua run`, with small programs in the place of agents: `agents/NAME.sh` says what each of them does.
#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};
use support::{Ran, command, events, run, run_with_stdin};

fn agents() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/agents")
}

/// `run` with one of the programs and these further arguments.
fn arguments<'a>(program: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["run", "--agent", "claude", "--program", program], more].concat()
}

fn program(name: &str) -> String {
    agents().join(format!("{name}.sh")).display().to_string()
}

/// A run whose commands are given while it goes on.
struct Driven {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    seen: Vec<Value>,
}

impl Driven {
    fn start(name: &str, more: &[&str]) -> Self {
        Self::of(&arguments(&program(name), more), &[])
    }

    fn of(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut child = command(arguments)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("its output"));
        Self { child, stdin, stdout, seen: Vec::new() }
    }

    fn give(&mut self, command: &Value) {
        let stdin = self.stdin.as_mut().expect("its input is open");
        writeln!(stdin, "{command}").expect("it reads");
    }

    /// Reads events until one of this type has come.
    fn until(&mut self, event_type: &str) -> Value {
        loop {
            let mut line = String::new();
            let count = self.stdout.read_line(&mut line).expect("it writes");
            assert!(count > 0, "no {event_type} came: {:#?}", self.seen);
            let event: Value = serde_json::from_str(&line).expect("one JSON object a line");
            self.seen.push(event.clone());
            if event["type"] == event_type {
                return event["data"].clone();
            }
        }
    }

    /// The text of the next message that is whole.
    fn text(&mut self) -> String {
        loop {
            let item = &self.until("item.completed")["item"];
            let text = item["content"][0]["text"].as_str();
            if let Some(text) = text.filter(|_| item["kind"] == "message" && item["role"] == "assistant") {
                return text.to_owned();
            }
        }
    }

    /// Gives no more commands, and waits for the end.
    fn end(mut self) -> Ran {
        drop(self.stdin.take());
        let mut stdout: String = self.seen.iter().map(|event| format!("{event}\n")).collect();
        self.stdout.read_to_string(&mut stdout).expect("UTF-8");
        let mut stderr = String::new();
        self.child.stderr.take().expect("its errors").read_to_string(&mut stderr).expect("UTF-8");
        let status = self.child.wait().expect("it ends");
        Ran { code: status.code().expect("an exit code"), stdout, stderr }
    }
}

/// All texts of the agent, in order.
fn texts(ran: &Ran) -> Vec<String> {
    let is_said = |event: &&Value| {
        let item = &event["data"]["item"];
        event["type"] == "item.completed" && item["kind"] == "message" && item["role"] == "assistant"
    };
    let text = |event: &Value| event["data"]["item"]["content"][0]["text"].as_str().unwrap_or("").to_owned();
    events(ran).iter().filter(is_said).map(text).collect()
}

fn keeps_the_laws(ran: &Ran) {
    let checked = run_with_stdin(&["check"], ran.stdout.as_bytes());
    assert_eq!((checked.code, checked.stdout.as_str()), (0, ""), "{}", ran.stdout);
}

/// Whether a process is there and is no corpse.
fn lives(process: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    status.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

#[test]
fn a_prompt_is_answered_and_the_run_ends() {
    let program = program("plain");
    let ran = run(&arguments(&program, &["--model", "m-1", "Hello", "--", "--max-turns", "3"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let said = texts(&ran);
    assert_eq!(said.len(), 1);
    assert!(said[0].starts_with("1: -p ") && said[0].ends_with("--model m-1 --max-turns 3"), "{said:?}");
    // What the person said is told as well, since this agent does not repeat it.
    assert!(ran.stdout.contains(r#""text":"Hello""#), "{}", ran.stdout);
    keeps_the_laws(&ran);
}

#[test]
fn commands_go_on_with_the_session_until_they_end_it() {
    let mut driven = Driven::start("plain", &["Hello"]);
    assert!(driven.text().starts_with("1: "));
    driven.until("turn.ended");
    driven.give(&json!({"type": "message.send", "content": [{"type": "text", "text": "Again"}]}));
    assert!(driven.text().starts_with("2: "));
    driven.until("turn.ended");
    driven.give(&json!({"type": "session.end"}));
    let mut rest = String::new();
    driven.stdout.read_to_string(&mut rest).expect("its output comes to an end though its input is open");
    let ran = driven.end();
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn a_run_goes_on_until_every_message_is_answered() {
    let program = program("twice");
    let second = json!({"type": "message.send", "content": [{"type": "text", "text": "Again"}]});
    let ran = run_with_stdin(&arguments(&program, &["Hello"]), format!("{second}\n").as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // The message with the call has no text.
    assert_eq!(texts(&ran), ["One.", "", "Two."]);
    keeps_the_laws(&ran);
}

#[test]
fn leave_is_given_or_refused_as_the_command_says() {
    for (reply, expected, code) in [
        (json!({"outcome": "allow-once"}), "\"done\"", 0),
        (json!({"outcome": "reject", "message": "not here"}), "refused: not here", 0),
        (json!({"option_id": "deny"}), "\"refused\"", 0),
    ] {
        let mut driven = Driven::start("leave", &["Touch it"]);
        let asked = driven.until("permission.requested");
        assert_eq!(asked["action"]["arguments"], r#"{"command":"touch demo.txt"}"#);
        let mut command = json!({"type": "permission.reply", "permission_id": asked["permission_id"]});
        command.as_object_mut().expect("an object").extend(reply.as_object().expect("an object").clone());
        driven.give(&command);
        assert_eq!(driven.until("permission.resolved")["decided_by"], "host");
        let ran = driven.end();
        assert_eq!((ran.code, ran.stderr.as_str()), (code, ""));
        assert!(ran.stdout.contains(expected), "{expected} is missing: {}", ran.stdout);
        keeps_the_laws(&ran);
    }
}

#[test]
fn what_nobody_can_answer_is_refused() {
    for name in ["leave", "asks"] {
        let ran = run(&arguments(&program(name), &["Go"]));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stderr.contains("nobody is there: refused"), "{}", ran.stderr);
        keeps_the_laws(&ran);
    }
}

#[test]
fn a_question_is_answered() {
    let mut driven = Driven::start("asks", &["Choose"]);
    let asked = driven.until("question.requested");
    assert_eq!(asked["questions"][0]["options"][1]["label"], "Blue");
    let id = &asked["question_id"];
    driven.give(&json!({"type": "question.reply", "question_id": id, "answers": [["Blue"]]}));
    assert_eq!(driven.text(), "Blue it is.");
    let ran = driven.end();
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    keeps_the_laws(&ran);
}

#[test]
fn a_turn_that_is_interrupted_is_not_completed() {
    let mut driven = Driven::start("interrupted", &["Go"]);
    driven.until("item.delta");
    driven.give(&json!({"type": "turn.interrupt"}));
    driven.until("turn.ended");
    let ran = driven.end();
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("the turn was not completed"), "{}", ran.stderr);
    keeps_the_laws(&ran);
}

#[test]
fn a_command_that_cannot_be_given_is_told_and_the_rest_goes_on() {
    let mut driven = Driven::start("plain", &["Hello"]);
    driven.until("turn.ended");
    driven.give(&json!({"type": "no.such"}));
    driven.give(&json!({"type": "permission.reply", "permission_id": "p", "outcome": "allow-once"}));
    driven.give(&json!({"type": "message.send", "content": [{"type": "text", "text": "Again"}]}));
    assert!(driven.text().starts_with("2: "));
    let ran = driven.end();
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("line 1: the command was not given: unknown command `no.such`"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("line 2: the command was not given: there is no request `p`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_crash_tells_the_exit_code_and_the_last_words() {
    let ran = run(&arguments(&program("crash"), &["Go"]));
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("ended with exit code 7 before its turn was over"), "{}", ran.stderr);
    assert!(ran.stderr.contains("out of memory"), "{}", ran.stderr);
    // What was said until then is whole.
    assert!(ran.stdout.contains("turn.ended"), "{}", ran.stdout);
    keeps_the_laws(&ran);
}

#[test]
fn a_turn_that_fails_is_no_crash() {
    let ran = run(&arguments(&program("failing"), &["Go"]));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("the turn was not completed: failed"), "{}", ran.stderr);
}

#[test]
fn a_missing_program_is_told_with_how_to_install_it() {
    let ran = run(&arguments("no-such-program", &["Go"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.contains("there is no program `no-such-program`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("npm install -g "), "{}", ran.stderr);
    let ran = run(&arguments(&program("plain"), &["--cwd", "no/such/folder", "Go"]));
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("there is no folder"), "{}", ran.stderr);
}

#[test]
fn another_version_is_a_warning() {
    let ran = run(&arguments(&program("older"), &["Go"]));
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("9.9.9 is not among the versions"), "{}", ran.stderr);
}

#[test]
fn what_the_agent_does_not_have_is_wrong_usage() {
    let map = agents().join("door.map").display().to_string();
    let ran = run(&["run", "--map", &map, "--model", "big", "Knock"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("a door has no such thing"), "{}", ran.stderr);
    assert_eq!(run(&["run", "Knock"]).code, 2);
    assert_eq!(run(&["run", "--agent", "nobody", "Knock"]).code, 2);
}

#[cfg(target_os = "linux")]
#[test]
fn what_waits_for_a_slow_reader_is_bounded() {
    let mut driven = Driven::start("flood", &["Go"]);
    // 50 MB; the agent has to wait for us, since nobody else keeps them.
    let mut all = 0;
    let peak = loop {
        let mut line = String::new();
        let count = driven.stdout.read_line(&mut line).expect("it writes");
        assert!(count > 0, "no peak was told");
        all += count;
        if let Some((_, rest)) = line.split_once("peak: ") {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            break digits.parse::<usize>().expect("a number");
        }
    };
    assert!(all > 50_000_000, "{all} bytes were written");
    assert!(peak < 40_000, "{peak} kB were needed");
    assert_eq!(driven.end().code, 0);
}

/// The processes of an agent that will not end.
fn stubborn() -> (Driven, Vec<String>) {
    let mut driven = Driven::start("stubborn", &["Go"]);
    let text = driven.text();
    let processes: Vec<String> = text.split(' ').skip(1).map(str::to_owned).collect();
    assert_eq!(processes.len(), 3, "{text}");
    assert!(processes.iter().all(|process| lives(process)), "{text}");
    (driven, processes)
}

#[cfg(target_os = "linux")]
#[test]
fn whoever_stops_reading_ends_the_agent_and_all_that_it_has_started() {
    let (driven, processes) = stubborn();
    let Driven { mut child, stdin, stdout, .. } = driven;
    drop(stdout);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    drop(stdin);
    assert_eq!(processes.iter().filter(|process| lives(process)).count(), 0, "{processes:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_the_agent_and_all_that_it_has_started() {
    for (signal, code) in [("TERM", 143), ("INT", 130)] {
        let (mut driven, processes) = stubborn();
        let process = driven.child.id().to_string();
        let sent = std::process::Command::new("kill").args([&format!("-{signal}"), &process]).status();
        assert!(sent.expect("kill runs").success());
        // Its input stays open: that it ends is due to the signal.
        let mut rest = String::new();
        driven.stdout.read_to_string(&mut rest).expect("UTF-8");
        assert_eq!(driven.child.wait().expect("it ends").code(), Some(code));
        assert_eq!(processes.iter().filter(|process| lives(process)).count(), 0, "{processes:?}");
        assert!(rest.contains("turn.ended"), "the stream is whole");
    }
}

mod door {
    //! The server of `agents/door.sh`.

    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc::{Receiver, channel};
    use std::thread;

    use serde_json::Value;

    /// A server that says, for each request, what its agent would; its address, and the requests as they come.
    pub fn open(
        answer: impl Fn(&str, &Value) -> (u16, Vec<Value>) + Send + 'static,
    ) -> (String, Receiver<(String, Value)>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let (seen, requests) = channel();
        thread::spawn(move || {
            let mut stream: Option<TcpStream> = None;
            for connection in listener.incoming() {
                let mut connection = connection.expect("a connection");
                while let Some((place, body)) = read(&mut connection) {
                    if place == "GET /events" {
                        write!(
                            connection,
                            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: hello\n\n"
                        )
                        .expect("it reads");
                        stream = Some(connection);
                        break;
                    }
                    let (status, events) = answer(&place, &body);
                    write!(connection, "HTTP/1.1 {status} so\r\ncontent-length: 2\r\n\r\n{{}}")
                        .expect("it reads");
                    let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
                    let stream = stream.as_mut().expect("the events are read first");
                    stream.write_all(events.as_bytes()).expect("it reads");
                    let _ = seen.send((place, body));
                }
            }
        });
        (address, requests)
    }

    fn read(connection: &mut TcpStream) -> Option<(String, Value)> {
        let mut reader = BufReader::new(connection);
        let mut first = String::new();
        reader.read_line(&mut first).ok().filter(|count| *count > 0)?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let place = first.rsplit_once(' ').map(|(place, _)| place.to_owned())?;
        Some((place, serde_json::from_slice(&body).unwrap_or_default()))
    }
}

fn door(address: &str, more: &[&str]) -> Driven {
    let map = agents().join("door.map").display().to_string();
    let program = program("door");
    Driven::of(&[&["run", "--map", &map, "--program", &program], more].concat(), &[("DOOR", address)])
}

#[test]
fn an_agent_with_a_server_is_driven_by_requests() {
    let (address, requests) = door::open(|place, body| match place {
        "POST /session" => (200, vec![json!({"type": "opened", "session": "d1"})]),
        "POST /session/d1/say" => (
            200,
            vec![
                json!({"type": "begun", "session": "d1"}),
                json!({"type": "asked", "session": "d1", "id": "p1", "what": "open"}),
            ],
        ),
        "POST /permission/p1" => (
            200,
            vec![
                json!({"type": "said", "session": "d1", "id": "a1", "text": body.to_string()}),
                json!({"type": "rested", "session": "d1"}),
            ],
        ),
        _ => (404, Vec::new()),
    });
    let mut driven = door(&address, &["Knock"]);
    driven.until("permission.requested");
    driven.give(&json!({"type": "permission.reply", "permission_id": "p1", "outcome": "allow-once"}));
    assert_eq!(driven.text(), r#"{"open":true}"#);
    let ran = driven.end();
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    keeps_the_laws(&ran);
    let requests: Vec<(String, Value)> = requests.try_iter().collect();
    // The prompt has waited for the session's id.
    let places: Vec<&str> = requests.iter().map(|(place, _)| place.as_str()).collect();
    assert_eq!(places, ["POST /session", "POST /session/d1/say", "POST /permission/p1"]);
    assert_eq!(requests[1].1, json!({"text": "Knock"}));
}

#[test]
fn leave_for_which_nothing_is_offered_is_given_by_its_meaning() {
    let (address, _requests) = door::open(|place, body| match place {
        "POST /session" => (200, vec![json!({"type": "opened", "session": "d1"})]),
        "POST /session/d1/say" => (
            200,
            vec![
                json!({"type": "begun", "session": "d1"}),
                json!({"type": "pushed", "session": "d1", "id": "p 1/2"}),
            ],
        ),
        // The id is one segment of the path, whatever is in it.
        "POST /permission/p%201%2F2" => (
            200,
            vec![
                json!({"type": "said", "session": "d1", "id": "a1", "text": body.to_string()}),
                json!({"type": "rested", "session": "d1"}),
            ],
        ),
        _ => (404, Vec::new()),
    });
    let mut driven = door(&address, &["Knock"]);
    assert_eq!(driven.until("permission.requested")["options"], json!([]));
    driven.give(&json!({"type": "permission.reply", "permission_id": "p 1/2", "option_id": "yes"}));
    driven.give(&json!({"type": "permission.reply", "permission_id": "p 1/2", "outcome": "reject"}));
    assert_eq!(driven.text(), r#"{"open":false}"#);
    let ran = driven.end();
    assert!(ran.stderr.contains("does not offer `yes`; it offers no options"), "{}", ran.stderr);
    keeps_the_laws(&ran);
}

#[test]
fn a_server_that_refuses_is_told() {
    let (address, _requests) = door::open(|_, _| (503, Vec::new()));
    let ran = door(&address, &["Knock"]).end();
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("Door has refused POST /session: 503"), "{}", ran.stderr);
}

#[test]
fn a_server_that_is_not_there_is_told() {
    // Nobody listens on a port that was given back.
    let free =
        std::net::TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("an address");
    let ran = door(&format!("http://{free}"), &["Knock"]).end();
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("cannot reach Door"), "{}", ran.stderr);
}

#[test]
fn replies_go_back_by_the_ids_of_the_requests() {
    let program = program("rpc");
    let mut driven = Driven::of(&["run", "--agent", "codex", "--program", &program, "Go"], &[]);
    let asked = driven.until("permission.requested");
    let id = &asked["permission_id"];
    driven.give(&json!({"type": "permission.reply", "permission_id": id, "outcome": "allow-once"}));
    assert_eq!(driven.text(), r#"{"id":0,"result":{"decision":"accept"}}"#);
    let ran = driven.end();
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    keeps_the_laws(&ran);
}

#[test]
fn turns_of_before_do_not_end_a_run_that_goes_on_with_their_session() {
    let program = program("rpc");
    // Nobody is there to give leave, so that it is refused.
    let ran = run(&["run", "--agent", "codex", "--program", &program, "--resume", "t1", "Go"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(texts(&ran), ["Said before", r#"{"id":0,"result":{"decision":"decline"}}"#]);
    keeps_the_laws(&ran);
}

#[test]
fn a_turn_that_lasts_until_no_more_is_said_comes_to_its_end() {
    let program = program("echo");
    let ran = run(&["run", "--agent", "amp", "--program", &program, "Hello"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(texts(&ran), ["You said: Hello"]);
    keeps_the_laws(&ran);
}

#[test]
fn the_programs_of_the_tests_are_all_used() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run.rs"))
        .expect("this file");
    for entry in std::fs::read_dir(agents()).expect("the folder") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        if let Some(name) = name.strip_suffix(".sh").filter(|name| *name != "lines") {
            assert!(text.contains(&format!("\"{name}\"")), "{name}.sh is used by no test");
        }
    }
}
