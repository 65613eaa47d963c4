//! `interlingua translate`, as users run it.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;
use support::{Ran, capture, claude, codex, command, events, run, run_with_stdin, scratch};

#[test]
fn a_recording_becomes_events_whoever_wrote_it() {
    for file in [claude(), codex(), capture("codex/0.171.0/exec-03-command")] {
        let ran = run(&["translate", &file]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{file}");
        let events = events(&ran);
        assert_eq!(events[0]["type"], "session.started", "{file}");
        assert_eq!(events[events.len() - 1]["type"], "session.ended", "{file}");
    }
}

#[test]
fn standard_input_gives_what_the_file_gives() {
    let whole = run(&["translate", &claude()]);
    let bytes = fs::read(claude()).expect("the recording");
    for arguments in [vec!["translate"], vec!["translate", "-"], vec!["translate", "--from", "claude", "-"]] {
        assert_eq!(run_with_stdin(&arguments, &bytes).stdout, whole.stdout, "{arguments:?}");
    }
}

#[test]
fn live_input_is_translated_message_by_message() {
    let text = fs::read_to_string(claude()).expect("the recording");
    let mut child = command(&["translate"]).stdin(Stdio::piped()).spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("its standard input");
    let mut stdout = BufReader::new(child.stdout.take().expect("its standard output"));
    let first = text.lines().next().expect("a first line");
    writeln!(stdin, "{first}").expect("it reads");
    // Blocks for ever when the events wait for more input.
    let mut event = String::new();
    stdout.read_line(&mut event).expect("an event");
    assert!(event.contains("\"type\":\"session.started\""), "{event}");
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("the other events");
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    // Larger than what a pipe holds, so that the command is still writing when its reader goes.
    let big = fs::read(claude()).expect("the recording").repeat(200);
    let file = scratch("big.jsonl", &big);
    let mut child = command(&["translate", &file]).spawn().expect("the command starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("its standard output"));
    stdout.read_line(&mut String::new()).expect("an event");
    drop(stdout);
    let ran = Ran::from(child.wait_with_output().expect("it ends"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn statistics_account_for_every_message() {
    let stats_file = scratch("stats.json", b"");
    let ran = run(&["translate", "--stats", &stats_file, &claude(), &codex()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let stats: Value = serde_json::from_slice(&fs::read(&stats_file).expect("a file")).expect("JSON");
    let count = |name: &str| stats[name].as_u64().unwrap_or_else(|| panic!("{name} in {stats}"));
    let sum = |name: &str| -> u64 {
        stats[name].as_object().expect(name).values().map(|count| count.as_u64().expect("a number")).sum()
    };
    let lines: usize = [claude(), codex()]
        .iter()
        .map(|file| fs::read_to_string(file).expect("a file").lines().count())
        .sum();
    assert_eq!(count("messages"), lines as u64);
    assert_eq!(count("messages"), count("translated") + sum("ignored") + count("unparsed"));
    assert!(count("silent") <= count("translated"));
    let size: u64 = [claude(), codex()].iter().map(|file| fs::metadata(file).expect("a file").len()).sum();
    assert_eq!(count("bytes"), size);
    assert_eq!(sum("events"), events(&ran).len() as u64);
}

#[test]
fn several_files_are_several_sessions() {
    let ran = run(&["translate", &claude(), &claude()]);
    let sessions: BTreeSet<String> =
        events(&ran).iter().map(|event| event["session_id"].as_str().expect("an id").to_string()).collect();
    assert_eq!(sessions.into_iter().collect::<Vec<_>>(), ["s1", "s2"]);
    let named = run(&["translate", "--session-id", "mine", &claude()]);
    assert_eq!(events(&named)[0]["event_id"], "mine:1");
    let wrong = run(&["translate", "--session-id", "mine", &claude(), &claude()]);
    assert_eq!((wrong.code, wrong.stdout.as_str()), (2, ""));
    assert!(wrong.stderr.contains("--session-id") && wrong.stderr.contains("s1, s2"), "{}", wrong.stderr);
}

#[test]
fn raw_puts_the_native_bytes_beside_each_event() {
    let text = fs::read_to_string(claude()).expect("the recording");
    let ran = run(&["translate", "--raw", &claude()]);
    let mut seen = 0;
    for event in events(&ran).iter().filter(|event| event["native"].is_object()) {
        let line = event["native"]["line"].as_u64().expect("a line") as usize;
        assert_eq!(event["native"]["raw"].as_str(), text.lines().nth(line - 1));
        seen += 1;
    }
    assert!(seen > 5, "{seen} events name their native message");
    assert!(!run(&["translate", &claude()]).stdout.contains("\"raw\""));
}

#[test]
fn pretty_is_the_same_events_with_indents() {
    let plain = events(&run(&["translate", &claude()]));
    let pretty = run(&["translate", "--pretty", &claude()]);
    let values: Vec<Value> = serde_json::Deserializer::from_str(&pretty.stdout)
        .into_iter()
        .map(|value| value.expect("JSON"))
        .collect();
    assert_eq!(values, plain);
    assert!(pretty.stdout.starts_with("{\n  \""));
}

#[test]
fn strict_fails_on_what_cannot_be_parsed_and_only_then() {
    assert_eq!(run(&["translate", "--strict", &claude()]).code, 0);
    let mut broken = fs::read(claude()).expect("the recording");
    broken.extend_from_slice(b"{\"type\":\"assistant\",\n");
    // A last line that was cut off, with and without its end. It is told either way.
    for length in [broken.len(), broken.len() - 1] {
        for (arguments, code) in [(vec!["translate"], 0), (vec!["translate", "--strict"], 1)] {
            let ran = run_with_stdin(&arguments, &broken[..length]);
            assert_eq!(ran.code, code);
            let warning = "warning: standard input: 1 of 7 messages could not be parsed\n  help: ";
            assert!(ran.stderr.starts_with(warning), "{}", ran.stderr);
            assert!(ran.stdout.contains("agent.unparsed"));
        }
    }
}

#[test]
fn a_file_that_cannot_be_used_does_not_stop_the_others() {
    let unknown = scratch("translate-unknown.jsonl", b"{\"hello\":1}\n");
    for bad in ["no/such/file.jsonl", &unknown] {
        let ran = run(&["translate", bad, &claude()]);
        assert_eq!(ran.code, 3);
        assert_eq!(ran.stderr.matches("error:").count(), 1, "{}", ran.stderr);
        assert!(ran.stderr.contains(bad), "{}", ran.stderr);
        assert_eq!(events(&ran)[0]["session_id"], "s2");
        assert_eq!(events(&ran).last().expect("an event")["type"], "session.ended");
    }
}

#[test]
fn a_stream_cut_anywhere_still_ends_well() {
    let bytes = fs::read(claude()).expect("the recording");
    for length in [1, bytes.len() / 3, bytes.len() / 2, bytes.len() - 5] {
        let ran = run_with_stdin(&["translate", "--from", "claude"], &bytes[..length]);
        assert_eq!(ran.code, 0, "{length} bytes: {}", ran.stderr);
        assert_eq!(events(&ran).last().expect("an event")["type"], "session.ended", "{length} bytes");
        assert_eq!(run_with_stdin(&["check"], ran.stdout.as_bytes()).code, 0, "{length} bytes");
    }
}

#[test]
fn nothing_in_gives_nothing_out() {
    for arguments in [vec!["translate"], vec!["translate", "--from", "codex"]] {
        for input in ["", "\n\n  \n"] {
            let ran = run_with_stdin(&arguments, input.as_bytes());
            assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""), "{arguments:?}");
        }
    }
}

#[test]
fn what_no_agent_wrote_is_said_to_be_unknown() {
    let binary: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    for input in [binary.as_slice(), b"good morning\n", b"{\"hello\":1}\n"] {
        let ran = run_with_stdin(&["translate"], input);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
        for word in ["standard input", "--from", "claude", "codex", "--map"] {
            assert!(ran.stderr.contains(word), "{word} is missing: {}", ran.stderr);
        }
    }
    // Whoever insists gets the bytes accounted for.
    let ran = run_with_stdin(&["translate", "--from", "claude"], &binary);
    assert_eq!(ran.code, 0);
    assert!(events(&ran).iter().any(|event| event["type"] == "agent.unparsed"));
}

#[test]
fn the_wrong_provider_is_suspected() {
    let ran = run(&["translate", "--from", "codex", &claude()]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("6 of 6 messages are not from Codex"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--from claude"), "{}", ran.stderr);
    // A part of it that fits by chance says nothing.
    let mut mixed = fs::read(claude()).expect("the recording");
    mixed.extend_from_slice(b"{\"method\":\"turn/started\",\"params\":{\"threadId\":\"t\",\"turn\":{\"id\":\"u\",\"items\":[]}}}\n");
    let ran = run_with_stdin(&["translate", "--from", "codex"], &mixed);
    assert!(ran.stderr.contains("6 of 7 messages are not from Codex"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--from claude"), "{}", ran.stderr);
    // Also of a recording with its host.
    let ran = run(&["translate", "--from", "codex", &claude(), "--host", &claude()]);
    assert!(ran.stderr.contains("6 of 6 messages are not from Codex"), "{}", ran.stderr);
}

#[test]
fn the_host_of_another_agent_is_suspected() {
    let host = scratch("other-host.jsonl", br#"{"method":"initialize","id":0,"params":{}}"#);
    let ran = run(&["translate", &claude(), "--host", &host]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("none of its 1 messages is a command to Claude Code"), "{}", ran.stderr);
    assert!(ran.stderr.contains("help: --host"), "{}", ran.stderr);
}

#[test]
fn errors_say_what_where_and_what_to_do() {
    let missing = run(&["translate", "no/such/file.jsonl"]);
    assert_eq!(missing.code, 3);
    assert!(missing.stderr.contains("no/such/file.jsonl") && missing.stderr.contains("help:"));
    let folder = run(&["translate", env!("CARGO_MANIFEST_DIR")]);
    assert_eq!(folder.code, 3);
    let provider = run(&["translate", "--from", "claud", &claude()]);
    assert_eq!(provider.code, 2);
    assert!(provider.stderr.contains("'claude'") && provider.stderr.contains("auto"), "{}", provider.stderr);
    let unwritable = run(&["translate", "--stats", "no/such/folder/stats.json", &claude()]);
    assert_eq!(unwritable.code, 3);
    assert!(unwritable.stderr.contains("no/such/folder/stats.json"), "{}", unwritable.stderr);
    assert_eq!(run(&["translate", "--schema", "x.json", &claude()]).code, 2);
    assert_eq!(run(&["translate", "--no-such-option"]).code, 2);
    assert_eq!(run(&[]).code, 2);
}

#[test]
fn with_its_host_a_recording_says_who_decided() {
    let folder = capture("codex/0.171.0/12-user-input");
    let host = folder.replace("stdout.jsonl", "stdin.jsonl");
    let ran = run(&["translate", &folder, "--host", &host]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let resolved: Vec<Value> =
        events(&ran).into_iter().filter(|event| event["type"] == "question.resolved").collect();
    assert_eq!(resolved.len(), 1);
    assert_eq!(resolved[0]["data"]["decided_by"], "host");
    assert_eq!(resolved[0]["data"]["answers"][0][0], "Blue");
}

#[test]
fn broken_lines_of_a_host_are_told_and_counted() {
    let folder = capture("claude/2.1.332/33-bad-stdin");
    let host = folder.replace("stdout.jsonl", "stdin.jsonl");
    let stats = scratch("host-stats.json", b"");
    let ran = run(&["translate", &folder, "--host", &host, "--stats", &stats]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.ends_with("stdin.jsonl:3: no JSON object\n"), "{}", ran.stderr);
    let stats: Value = serde_json::from_slice(&fs::read(stats).expect("statistics")).expect("JSON");
    assert_eq!(stats["host"]["broken"], 1);
    assert_eq!(stats["host"]["commands"], 1);
}

#[test]
fn a_host_belongs_to_one_stream() {
    let ran = run(&["translate", &claude(), &codex(), "--host", &claude()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--host belongs to one stream"), "{}", ran.stderr);
}

#[test]
fn a_target_gets_its_own_messages() {
    let native = run(&["translate", "--to", "ag-ui", &claude()]);
    assert_eq!((native.code, native.stderr.as_str()), (0, ""));
    let types: Vec<Value> = events(&native).iter().map(|message| message["type"].clone()).collect();
    assert_eq!((&types[0], &types[types.len() - 1]), (&"RUN_STARTED".into(), &"RUN_FINISHED".into()));
    // Stored universal events give the same.
    let stored = scratch("stored.jsonl", run(&["translate", &claude()]).stdout.as_bytes());
    assert_eq!(run(&["translate", "--to", "ag-ui", &stored]).stdout, native.stdout);
}

#[test]
fn server_sent_events_end_as_the_target_wants() {
    let ran = run(&["translate", "--to", "ai-sdk-ui", "--sse", &codex()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("data: {\"type\":\"start\""), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("}\n\ndata: [DONE]\n\n"), "{}", ran.stdout);
}

#[test]
fn a_target_may_be_a_map_of_ones_own() {
    let schema = r#"{"$defs": {"Word": {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]}}}"#;
    scratch("own-target.json", schema.as_bytes());
    let map = "term_map! { target own { title: \"Own\"; schema: \"own-target.json\"; accepts: Word; }
        emit event { send { said: event_type }; } cannot event: event because \"names are enough\"; }";
    let map = scratch("own-target.map", map.as_bytes());
    let ran = run(&["translate", "--to", &map, &claude()]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.starts_with("{\"said\":\"session.started\"}\n"), "{}", ran.stdout);
}

#[test]
fn an_unknown_target_is_answered_with_those_that_are_known() {
    let ran = run(&["translate", "--to", "ag-iu", &claude()]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("there is no target `ag-iu`") && ran.stderr.contains("acp, ag-ui, ai-sdk-ui"),
        "{}",
        ran.stderr
    );
}

#[test]
fn many_files_are_translated_at_once_and_written_in_their_order() {
    let answer = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../resources/captures/anthropic-messages/authored/text/events.sse")
        .display()
        .to_string();
    let cut = scratch(
        "cut.jsonl",
        b"{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"n1\"}\n{\"type\":\"assi",
    );
    let (claude, codex) = (claude(), codex());
    let mut files: Vec<&str> = Vec::new();
    for _ in 0..8 {
        files.extend([claude.as_str(), &codex, &answer, &cut, "no/such/file"]);
    }
    let with = |jobs: &str| {
        let stats = scratch(&format!("stats-{jobs}.json"), b"");
        let ran = run(&[&["translate", "-j", jobs, "--stats", &stats][..], &files].concat());
        (ran.code, ran.stdout, ran.stderr, fs::read_to_string(stats).expect("the statistics"))
    };
    let (one, many) = (with("1"), with("4"));
    assert_eq!(one.0, 3, "a file is missing");
    assert_eq!(one, many);
    assert!(one.1.contains("\"stream\":8"), "answers are numbered through all files");

    let events = scratch("events-in-order.jsonl", run(&["translate", &claude]).stdout.as_bytes());
    let broken = scratch("broken-in-order.jsonl", b"{\"not\":\"an event\"}\n");
    let check = |jobs: &str| {
        let ran = run(&["check", "-j", jobs, &events, &broken, "no/such/file", &events, &broken]);
        (ran.code, ran.stdout, ran.stderr)
    };
    assert_eq!(check("1"), check("3"));
    assert_eq!(check("3").1.lines().count(), 2, "{}", check("3").1);
}
