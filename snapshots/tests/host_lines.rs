//! What a host has sent, read as a command, and that command written again, gives what was sent: for each recording that
//! has both sides. Ids that a host chooses for its own requests may differ, and what stands in `host_lines.txt`.
//!
//! `INTERLINGUA_CAPTURES=FOLDER cargo test -p interlingua-snapshots --test host_lines` goes over other recordings, which lie
//! in folders as the bundled ones do.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use interlingua::laws::Checker;
use interlingua::{HostCommand, HostMessage, Moment, NativeMessage, Options, Replay};
use serde_json::Value;

/// What need not come out the same: `PROVIDER COMMAND HOW SENT: reason`.
const EXCEPTIONS: &str = include_str!("host_lines.txt");

struct Exception {
    provider: &'static str,
    how: How,
    /// What the message looks like: a method, a path, or a piece of its text.
    sent: &'static str,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum How {
    /// It is no command.
    Unread,
    /// It goes to another path with the same body.
    Elsewhere,
    /// It cannot be written again.
    Unwritten,
}

fn exceptions() -> Vec<Exception> {
    let lines = EXCEPTIONS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (what, reason) = line.split_once(": ").expect("an exception has a reason");
            assert!(!reason.trim().is_empty(), "{line}");
            let mut words = what.splitn(3, ' ');
            let mut next = || words.next().expect("PROVIDER HOW SENT: reason");
            let provider = next();
            let how = match next() {
                "unread" => How::Unread,
                "elsewhere" => How::Elsewhere,
                "unwritten" => How::Unwritten,
                other => panic!("`{other}`: an exception is `unread`, `elsewhere` or `unwritten`"),
            };
            Exception { provider, how, sent: next() }
        })
        .collect()
}

#[test]
fn what_a_host_has_sent_is_read_and_written_again() {
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources/captures");
    let root = std::env::var_os("INTERLINGUA_CAPTURES").map_or(bundled.clone(), PathBuf::from);
    let mut faults = Vec::new();
    let mut commands: BTreeMap<String, usize> = BTreeMap::new();
    let exceptions = exceptions();
    let mut used = vec![false; exceptions.len()];
    for folder in folders(&root) {
        let provider = folder.ancestors().nth(2).and_then(Path::file_name).expect("a provider");
        let provider = provider.to_string_lossy().into_owned();
        let there = |name: &str| Some(folder.join(name)).filter(|path| path.is_file());
        let (Some(host), Some(agent)) = (
            there("stdin.jsonl").or_else(|| there("http.jsonl")),
            there("events.sse").or_else(|| there("stdout.jsonl")),
        ) else {
            continue;
        };
        let Some(table) = interlingua::provider(&provider) else { continue };
        let (agent, host) = (fs::read(agent).expect("a recording"), fs::read(host).expect("a host's file"));
        let mut checker = Checker::new();
        for moment in Replay::new(table, Options::default(), &agent, &host) {
            for event in moment.events() {
                faults
                    .extend(checker.feed(event).iter().map(|fault| format!("{}: {fault}", folder.display())));
            }
            let Moment::Host(found) = moment else { continue };
            let HostMessage { line, message, http, refused, command, written, .. } = *found;
            if refused {
                continue;
            }
            if let Some(command) = &command {
                *commands.entry(format!("{provider} {}", command.command.command_type())).or_default() += 1;
            }
            let Err((how, fault)) = again(&message, http.as_ref(), command.as_ref(), written) else {
                continue;
            };
            let sent = sent(&message, http.as_ref());
            let excuse = exceptions.iter().position(|known| {
                known.provider == provider && known.how == how && sent.contains(known.sent)
            });
            match excuse {
                Some(place) => used[place] = true,
                None => {
                    faults.push(format!("{}:{line}: {how:?}: {fault}\n    sent: {sent}", folder.display()))
                }
            }
        }
        faults.extend(checker.finish().iter().map(|fault| format!("{}: {fault}", folder.display())));
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(!commands.is_empty(), "no host's file was found below {}", root.display());
    if root == bundled {
        let unused: Vec<&str> =
            exceptions.iter().zip(used).filter(|(_, used)| !used).map(|(one, _)| one.sent).collect();
        assert!(unused.is_empty(), "exceptions that no recording needs: {unused:?}");
        insta::assert_snapshot!(
            commands.iter().map(|(name, count)| format!("{name}: {count}\n")).collect::<String>()
        );
    }
}

/// The folders of recordings: `PROVIDER/VERSION/SCENARIO`.
fn folders(root: &Path) -> Vec<PathBuf> {
    let mut folders = vec![root.to_owned()];
    for _ in 0..3 {
        let inside = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder"));
        folders = inside.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()).collect();
    }
    folders.sort();
    folders
}

/// The message for people, and for exceptions.
fn sent(message: &[u8], http: Option<&(String, String)>) -> String {
    let text = String::from_utf8_lossy(message);
    let text: String = text.chars().take(600).collect();
    let text = text.replace("\": ", "\":").replace(", \"", ",\"");
    http.map_or(text.clone(), |(method, path)| format!("{method} {path} {text}"))
}

/// Whether the command that the message is gives the message again.
fn again(
    message: &[u8],
    http: Option<&(String, String)>,
    command: Option<&HostCommand>,
    written: Option<Result<Vec<NativeMessage>, interlingua::CommandError>>,
) -> Result<(), (How, String)> {
    let (Some(command), Some(written)) = (command, written) else {
        return Err((How::Unread, "no rule reads it as a command".to_owned()));
    };
    let command = serde_json::to_string(&command.command).expect("a command is JSON");
    let written = written.map_err(|error| (How::Unwritten, format!("{command}: {error}")))?;
    let value = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap_or(Value::Null);
    let wanted = value(message);
    let mut elsewhere = None;
    for native in &written {
        match (native, http) {
            (NativeMessage::Text(text), None) if same(&wanted, &value(text.get().as_bytes())) => {
                return Ok(());
            }
            (NativeMessage::Http { method, path, body }, Some((sent_method, sent_path))) => {
                let body = body.as_ref().map_or(Value::Null, |body| value(body.get().as_bytes()));
                if body == wanted && method == sent_method {
                    if path == sent_path {
                        return Ok(());
                    }
                    elsewhere = Some(path.clone());
                }
            }
            _ => {}
        }
    }
    match elsewhere {
        Some(path) => Err((How::Elsewhere, format!("{command}\n    goes to {path}"))),
        None => Err((How::Unwritten, format!("{command}\n    became {written:?}"))),
    }
}

/// Whether two messages are the same, but for the ids of the host's own requests.
fn same(one: &Value, other: &Value) -> bool {
    let without_id = |value: &Value| {
        let mut value = value.clone();
        if let Some(object) = value.as_object_mut() {
            if object.contains_key("method") {
                object.remove("id");
            }
            if object.get("type").is_some_and(|kind| kind == "control_request") {
                object.remove("request_id");
            }
        }
        value
    };
    without_id(one) == without_id(other)
}
