//! The same run twice: what the program streamed, and what it wrote to its session file. Both transcripts are compared,
//! and what is different has a name of its own, so that it can be declared with its reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use interlingua::table::Table;
use interlingua::transcript::Fold;
use interlingua::vocabulary::{Transcript, TranscriptItem, TranscriptSession};
use interlingua::{Options, Replay, Translator};
use serde_json::Value;

/// What the program streamed, with what the host sent where that was recorded.
///
/// # Errors
///
/// When a file cannot be read.
pub fn streamed(table: &'static Table, folder: &Path) -> io::Result<Transcript> {
    let existing =
        |names: [&str; 2]| names.map(|name| folder.join(name)).into_iter().find(|path| path.is_file());
    let stream = existing(["stdout.jsonl", "events.sse"]).ok_or(io::ErrorKind::NotFound)?;
    let Some(host) = existing(["stdin.jsonl", "http.jsonl"]) else {
        return written(table, &stream);
    };
    let mut fold = Fold::new();
    for moment in Replay::new(table, Options::default(), &fs::read(stream)?, &fs::read(host)?) {
        fold.extend(moment.into_events());
    }
    Ok(fold.into_transcript())
}

/// What stands in a file.
///
/// # Errors
///
/// When it cannot be read.
pub fn written(table: &'static Table, file: &Path) -> io::Result<Transcript> {
    let mut translator = Translator::new(table, Options::default());
    let mut fold = Fold::new();
    fold.extend(translator.push(&fs::read(file)?));
    fold.extend(translator.finish());
    Ok(fold.into_transcript())
}

/// What is different between a stream and a session file of the same run. The file tells one session; of the stream it is
/// compared with the same one.
///
/// ```
/// use interlingua::vocabulary::Transcript;
/// use interlingua_snapshots::pairs::differences;
/// assert!(differences(&Transcript::default(), &Transcript::default()).is_empty());
/// ```
#[must_use]
pub fn differences(stream: &Transcript, file: &Transcript) -> BTreeSet<String> {
    let Some(written) = file.sessions.first() else {
        return stream
            .sessions
            .first()
            .map(|_| "only in the stream: the session".to_owned())
            .into_iter()
            .collect();
    };
    let same = |session: &&TranscriptSession| session.native_session_id == written.native_session_id;
    let Some(streamed) = stream.sessions.iter().find(same).or(stream.sessions.first()) else {
        return BTreeSet::from(["only in the file: the session".to_owned()]);
    };
    let mut found = BTreeSet::new();
    let mut compare = |what: &str, one: &dyn PartialEqText, other: &dyn PartialEqText| {
        if one.text() != other.text() {
            found.insert(what.to_owned());
        }
    };
    compare("session: model", &streamed.model, &written.model);
    compare("session: cwd", &streamed.cwd, &written.cwd);
    compare("session: title", &streamed.title, &written.title);
    compare("turns: number", &streamed.turns.len(), &written.turns.len());
    if streamed.turns.len() == written.turns.len() {
        for (one, other) in streamed.turns.iter().zip(&written.turns) {
            compare("turn: reason", &json(&one.reason), &json(&other.reason));
            let message = |turn: &interlingua::vocabulary::TranscriptTurn| {
                turn.error.as_ref().map(|error| error.message.clone())
            };
            compare("turn: error", &message(one), &message(other));
        }
    }
    let usage = |session: &TranscriptSession| json(&session.usage.total);
    let (one, other) = (usage(streamed), usage(written));
    for count in ["input", "cache_read", "cache_write", "output", "reasoning"] {
        // What was not counted and a count of zero are the same here: no token.
        let of = |usage: &Value| usage[count].as_u64().unwrap_or(0);
        compare(&format!("usage: {count}"), &of(&one), &of(&other));
    }
    compare_items(&flat(streamed), &flat(written), &mut found);
    found
}

/// Values that are compared by their text.
trait PartialEqText {
    fn text(&self) -> String;
}

impl<T: serde::Serialize> PartialEqText for T {
    fn text(&self) -> String {
        json(self).to_string()
    }
}

fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// An item as it is compared.
struct Flat {
    /// What it is, for people: `message assistant`, `tool-call shell`.
    what: String,
    /// Its native name.
    id: Option<String>,
    /// What it says in all.
    text: String,
    /// What is compared.
    fields: BTreeMap<String, Value>,
}

fn flat(session: &TranscriptSession) -> Vec<Flat> {
    let mut all = Vec::new();
    session.items.iter().for_each(|item| flatten(item, &mut all));
    all
}

fn flatten(entry: &TranscriptItem, all: &mut Vec<Flat>) {
    let item = json(&entry.item);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut fields: BTreeMap<String, Value> = BTreeMap::new();
    fields.insert("status".to_owned(), item["status"].clone());
    fields.insert("source".to_owned(), item["source"]["kind"].clone());
    let mut what = item["kind"].as_str().unwrap_or("item").to_owned();
    let mut texts = String::new();
    for block in item["content"].as_array().into_iter().flatten() {
        take(block, &mut fields, &mut texts);
        match block["type"].as_str() {
            Some("tool-call") => what = format!("tool-call {}", block["name"].as_str().unwrap_or_default()),
            Some("status") if what == "status" => {
                what = format!("status {}", block["label"].as_str().unwrap_or_default());
            }
            _ => {}
        }
    }
    if what == "message" {
        what = format!("message {}", item["role"].as_str().unwrap_or("unknown"));
    }
    // A call and its result have one name, and so may a status that tells of the call.
    let id = text(&item["call_id"]).or_else(|| text(&item["native_item_id"]));
    let id = id.map(|id| format!("{} {id}", item["kind"].as_str().unwrap_or_default()));
    all.push(Flat { what, id, text: texts, fields });
    entry.items.iter().for_each(|inner| flatten(inner, all));
    if let Some(result) = &entry.result {
        flatten(result, all);
    }
}

/// Takes a block apart into the fields that are compared.
fn take(block: &Value, fields: &mut BTreeMap<String, Value>, texts: &mut String) {
    let kind = block["type"].as_str().unwrap_or_default();
    let mut append = |field: &str, text: &str| {
        let joined = fields.get(field).and_then(Value::as_str).unwrap_or_default().to_owned() + text;
        fields.insert(field.to_owned(), Value::String(joined));
    };
    match kind {
        "text" | "reasoning" => {
            let text = block["text"].as_str().unwrap_or_default();
            append(kind, text);
            texts.push_str(text);
            if !block["signature"].is_null() {
                append("signature", &block["signature"].to_string());
            }
        }
        "tool-call" => {
            let arguments = block["arguments"].as_str().unwrap_or_default();
            let parsed =
                serde_json::from_str(arguments).unwrap_or_else(|_| Value::String(arguments.to_owned()));
            fields.insert("arguments".to_owned(), parsed);
            fields.insert("name".to_owned(), block["name"].clone());
            fields.insert("kind".to_owned(), block["tool_kind"].clone());
        }
        "tool-result" => {
            for field in ["is_error", "exit_code", "duration_ms"] {
                fields.insert(field.to_owned(), block[field].clone());
            }
            for inner in block["content"].as_array().into_iter().flatten() {
                take(inner, fields, texts);
            }
        }
        // The files of a patch come in any order.
        "file-change" => {
            let files = fields.entry("files".to_owned()).or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(files) = files {
                files.push(block.clone());
                files.sort_by_key(Value::to_string);
            }
        }
        "status" => {
            append("label", block["label"].as_str().unwrap_or_default());
            append("detail", block["detail"].as_str().unwrap_or_default());
            texts.push_str(block["label"].as_str().unwrap_or_default());
        }
        kind => {
            append(kind, &block.to_string());
            texts.push_str(&block.to_string());
        }
    }
}

fn compare_items(streamed: &[Flat], written: &[Flat], found: &mut BTreeSet<String>) {
    let mut partner: Vec<Option<usize>> = vec![None; streamed.len()];
    let mut taken = vec![false; written.len()];
    // By their names, by what they say, and at last by their order.
    let rules: [fn(&Flat, &Flat) -> bool; 3] = [
        |one, other| one.id.is_some() && one.id == other.id,
        |one, other| one.what == other.what && one.text == other.text,
        |one, other| one.what == other.what && one.what.starts_with("message"),
    ];
    for rule in rules {
        for (place, one) in
            streamed.iter().enumerate().filter(|(place, _)| partner[*place].is_none()).collect::<Vec<_>>()
        {
            let free = written.iter().enumerate().find(|(at, other)| !taken[*at] && rule(one, other));
            if let Some((at, _)) = free {
                partner[place] = Some(at);
                taken[at] = true;
            }
        }
    }
    for (one, at) in streamed.iter().zip(&partner) {
        let Some(other) = at.map(|at| &written[at]) else {
            found.insert(format!("only in the stream: {}", one.what));
            continue;
        };
        let names: BTreeSet<&String> = one.fields.keys().chain(other.fields.keys()).collect();
        for name in names {
            let value = |item: &Flat| item.fields.get(name).cloned().unwrap_or(Value::Null);
            let empty = |value: &Value| value.is_null() || value.as_str() == Some("");
            let (left, right) = (value(one), value(other));
            if left != right && !(empty(&left) && empty(&right)) {
                found.insert(format!("{}: {name}", one.what));
            }
        }
    }
    for (other, _) in written.iter().zip(&taken).filter(|(_, taken)| !**taken) {
        found.insert(format!("only in the file: {}", other.what));
    }
    let order: Vec<usize> = partner.into_iter().flatten().collect();
    if order.is_sorted() {
        return;
    }
    found.insert("items: order".to_owned());
}
