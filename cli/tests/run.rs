//! `interlingua run`, with small programs in the place of agents: `agents/NAME.sh` says what each of them does.
#![cfg(unix)]

mod support;

use std::io::{BufRead, Read};
use std::path::Path;

use serde_json::{Value, json};
use support::driven::{Driven, agents, arguments, keeps_the_laws, program, texts};
use support::{door, run, run_with_stdin};

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
        assert!(ran.stderr.contains("nobody can answer: rejected"), "{}", ran.stderr);
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
        ran.stderr.contains("line 1: the command was not sent: unknown command `no.such`"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("line 2: the command was not sent: there is no request `p`"),
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
fn a_program_is_a_command_with_arguments_too() {
    let command = format!("sh '{}'", program("plain"));
    let ran = run(&arguments(&command, &["Hello"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = run(&arguments("'sh", &["Hello"]));
    assert!(ran.code == 2 && ran.stderr.contains("--program is no command"), "{}", ran.stderr);
}

#[test]
fn a_missing_program_is_told_with_how_to_install_it() {
    let ran = run(&arguments("no-such-program", &["Go"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.contains("the program `no-such-program` was not found"), "{}", ran.stderr);
    assert!(ran.stderr.contains("npm install -g "), "{}", ran.stderr);
    let ran = run(&arguments(&program("plain"), &["--cwd", "no/such/folder", "Go"]));
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("does not exist"), "{}", ran.stderr);
}

#[test]
fn another_version_is_a_warning() {
    let ran = run(&arguments(&program("older"), &["Go"]));
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("9.9.9 is not one of the versions"), "{}", ran.stderr);
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

#[cfg(target_os = "linux")]
#[test]
fn whoever_stops_reading_ends_a_silent_agent() {
    let program = program("interrupted");
    let mut driven = Driven::of(&arguments(&program, &["Go"]), &[]);
    driven.until("item.completed");
    let Driven { mut child, stdin, stdout, .. } = driven;
    drop(stdout);
    assert_eq!(child.wait().expect("it ends though nothing is written").code(), Some(0));
    drop(stdin);
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_killed_leaves_nothing_behind() {
    let (mut driven, processes) = stubborn();
    driven.child.kill().expect("it can be killed");
    driven.child.wait().expect("it is over");
    let begin = std::time::Instant::now();
    while processes.iter().any(|process| lives(process)) {
        assert!(begin.elapsed().as_secs() < 30, "still there: {processes:?}");
        std::thread::sleep(std::time::Duration::from_millis(20));
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
    assert!(ran.stderr.contains("the agent refused it: POST /session: 503"), "{}", ran.stderr);
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
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let text = ["run.rs", "refusals.rs", "hostile.rs", "speak.rs"].map(|name| {
        std::fs::read_to_string(tests.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    });
    let text = text.concat();
    for entry in std::fs::read_dir(agents()).expect("the folder") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        if let Some(name) = name.strip_suffix(".sh").filter(|name| *name != "lines") {
            assert!(text.contains(&format!("\"{name}\"")), "{name}.sh is used by no test");
        }
    }
}
