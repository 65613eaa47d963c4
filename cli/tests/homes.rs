//! Each folder `homes/CASE` has a home of a user with session files, and what `stats --json` says about it. The
//! sessions were written for these tests. `UPDATE=1 cargo test -p interlingua-cli --test homes` writes the answers anew.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{Ran, command};

/// Members whose values say nothing in these cases, since they are null, empty or zero, are left out of the answers.
fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Number(number) => number.as_f64() != Some(0.0),
        _ => true,
    }
}

fn shortened(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(key, value)| (key, shortened(value)))
                .filter(|(_, value)| says_something(value))
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(shortened).collect()),
        other => other,
    }
}

/// What the command says about a home. The home itself is `HOME` in it.
fn answer(home: &Path, arguments: &[&str]) -> String {
    let mut command = command(&[&["stats", "--json", "--timezone", "Europe/Berlin"], arguments].concat());
    command.env("HOME", home).env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME");
    let ran = Ran::from(command.output().expect("the command runs"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines = ran.stdout.lines().map(|line| {
        let record = shortened(serde_json::from_str(line).expect("an object a line"));
        serde_json::to_string_pretty(&record).expect("JSON") + "\n"
    });
    let text = lines.collect::<String>() + &ran.stderr;
    text.replace(&home.display().to_string(), "HOME")
}

#[test]
fn the_sessions_of_each_home_are_counted_as_written_beside_it() {
    let cases = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/homes");
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in fs::read_dir(cases).expect("the cases") {
        let case = case.expect("a case").path();
        count += 1;
        let said = answer(&case.join("home"), &[]);
        let expected = case.join("stats.txt");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&expected, &said).expect("a writable answer");
        } else if fs::read_to_string(&expected).unwrap_or_default() != said {
            wrong.push(format!("{}:\n{said}", case.display()));
        }
    }
    assert!(count >= 8, "only {count} cases were found");
    assert!(wrong.is_empty(), "other answers than expected:\n{}", wrong.join("\n"));
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let home = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/homes/forks/home");
    assert_eq!(answer(&home, &["-j", "1"]), answer(&home, &["-j", "7"]));
}

#[test]
fn a_price_list_of_ones_own_replaces_the_models_that_it_has() {
    let home = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/homes/prices/home");
    let list = support::scratch(
        "own-prices.json",
        br#"{"currency":"EUR","tokens":1000,"prices":[{"models":["a-model-of-tomorrow"],"source":"https://example.com",
            "date":"2026-11-30","input":1,"output":2}]}"#,
    );
    let said = answer(&home, &["--prices", &list]);
    // A session with calls in two currencies has no cost, but each of its models has.
    assert!(said.contains("\"currency\": \"EUR\""), "{said}");
    assert!(said.contains("\"currency\": \"USD\""), "{said}");
    let broken = support::scratch("broken-prices.json", b"{\"currency\":\"USD\"}");
    let ran = support::run(&["stats", "--prices", &broken]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("broken-prices.json has an error: missing field"), "{}", ran.stderr);
}

/// Runs the command in the home of a case.
fn in_home(case: &str, arguments: &[&str]) -> Ran {
    let home = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/homes").join(case).join("home");
    let mut command = command(arguments);
    command.env("HOME", home).env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME");
    Ran::from(command.output().expect("the command runs"))
}

fn titles(ran: &Ran) -> Vec<String> {
    let title = |line: &str| {
        let record: Value = serde_json::from_str(line).expect("an object a line");
        record["title"].as_str().expect("a title").to_owned()
    };
    ran.stdout.lines().map(title).collect()
}

#[test]
fn sessions_lists_the_newest_first_and_filters() {
    let all = in_home("titles", &["sessions", "--json"]);
    assert_eq!((all.code, all.stderr.as_str()), (0, ""));
    assert_eq!(titles(&all), ["Fix the broken tests", "My own title"]);
    for (filter, expected) in [
        (["--since", "2026-10-05T09:30:00Z"], &["Fix the broken tests"][..]),
        (["--since", "2026-10-06"], &[]),
        (["--cwd", "/demo"], &["Fix the broken tests", "My own title"]),
        (["--cwd", "/dem"], &[]),
        (["--agent", "claude"], &["Fix the broken tests", "My own title"]),
        (["--agent", "codex"], &[]),
    ] {
        let ran = in_home("titles", &["sessions", "--json", "--timezone", "UTC", filter[0], filter[1]]);
        assert_eq!(
            (ran.code, titles(&ran)),
            (0, expected.iter().map(|&title| title.into()).collect()),
            "{filter:?}"
        );
    }
    let table = in_home("titles", &["sessions", "--timezone", "UTC"]);
    let first = table.stdout.lines().nth(1).expect("a row");
    assert!(first.starts_with("2026-10-05 10:02  claude  Fix the broken tests"), "{}", table.stdout);
    let wrong = in_home("titles", &["sessions", "--since", "soon"]);
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
}

#[test]
fn an_id_stands_for_the_file_of_its_session() {
    let by_id = in_home("ids", &["transcript", "11111111-aaaa-4000-8000-000000000001"]);
    assert_eq!(by_id.code, 0, "{}", by_id.stderr);
    assert!(by_id.stdout.contains("The first one"), "{}", by_id.stdout);
    let by_beginning = in_home("ids", &["translate", "11111111-b"]);
    assert!(by_beginning.stdout.contains("The second one"), "{}", by_beginning.stderr);
    let several = in_home("ids", &["transcript", "11111111"]);
    assert_eq!(several.code, 2);
    assert!(several.stderr.contains("2 sessions have the id `11111111`"), "{}", several.stderr);
    let none = in_home("ids", &["transcript", "22222222"]);
    assert_eq!(none.code, 3);
    assert!(none.stderr.contains("`interlingua sessions` lists them"), "{}", none.stderr);
    let stats = in_home("ids", &["stats", "--json", "11111111-b"]);
    assert!(stats.stdout.contains("The second one"), "{}", stats.stderr);
}

#[test]
fn a_session_that_grows_is_told_again_and_a_half_line_is_waited_for() {
    use std::io::{BufRead, BufReader, Write};
    let case = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/homes/midnight/home");
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("homes/follow");
    let file = home.join(".claude/projects/-demo-app/s.jsonl");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    let text = fs::read_to_string(case.join(".claude/projects/-demo-app/s.jsonl")).expect("the session");
    let last = text.trim_end().rfind('\n').expect("a line before the last one") + 1;
    fs::write(&file, &text[..last]).expect("a file");

    let mut command = command(&["stats", "--json", "--follow"]);
    command.env("HOME", &home).env_remove("CLAUDE_CONFIG_DIR");
    let mut child = command.spawn().expect("the command runs");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut next = || -> Value {
        let line = lines.next().expect("a line").expect("UTF-8");
        serde_json::from_str(&line).expect("an object")
    };
    assert_eq!((next()["usage"]["output"].as_u64(), text.lines().count()), (Some(7), 3));
    let append = |piece: &str| {
        let mut to = fs::OpenOptions::new().append(true).open(&file).expect("the file");
        to.write_all(piece.as_bytes()).expect("room");
    };
    let (half, rest) = text[last..].split_at(40);
    append(half);
    assert_eq!(next()["usage"]["output"], 7, "half a line is not counted");
    append(rest);
    let followed = next();
    let _ = child.kill();
    let _ = child.wait();
    assert_eq!(followed["usage"]["output"], 15);
    let fresh = {
        let mut command = support::command(&["stats", "--json"]);
        command.env("HOME", &home).env_remove("CLAUDE_CONFIG_DIR");
        Ran::from(command.output().expect("the command runs"))
    };
    assert_eq!(followed, serde_json::from_str::<Value>(&fresh.stdout).expect("an object"));
}
