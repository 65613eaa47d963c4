//! `interlingua request`: a conversation as the request body of a model's provider.

use std::io::{self, Write};

use anstyle::AnsiColor;
use interlingua::vocabulary::{Degradation, ModelRequest};
use interlingua::{WriteError, Writer};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::args::{Request, request_takers};
use crate::failure::{FINDINGS, FINE, Failure, IO, USAGE, shown};
use crate::input::Input;
use crate::output::{self, StdoutJson};
use crate::provider;

/// Body and degradations as one object, for programs.
#[derive(Serialize)]
struct Both<'r> {
    path: &'r str,
    body: &'r RawValue,
    degradations: &'r [Degradation],
}

/// Runs the command.
pub fn run(options: &Request) -> Result<u8, Failure> {
    let text = Input::open(&options.file)?.read_whole()?;
    let mut request = conversation(&text).map_err(|error| {
        let message = format!(
            "{} is no conversation: {}",
            shown(&options.file),
            output::line(&error.to_string(), 1000)
        );
        Failure::new(IO, message).help("`interlingua request --help` shows one")
    })?;
    if let Some(model) = &options.model {
        request.model = Some(model.clone());
    }
    let table = match (&options.map, &options.to) {
        (Some(map), _) => provider::load(map, options.schema.as_deref())?,
        (None, Some(name)) => provider::named(name)?,
        (None, None) => {
            return Err(Failure::new(USAGE, "name the provider with --to, or its map with --map"));
        }
    };
    let written = Writer::new(table).request(&request).map_err(|error| failure(&error))?;
    let mut out = io::stdout().lock();
    let body: Box<RawValue> = serde_json::from_str(written.body.get())
        .map_err(|error| Failure::new(IO, format!("the map gave no JSON: {error}")))?;
    let line = if options.json {
        print(&Both { path: &written.path, body: &body, degradations: &written.degradations }, options.pretty)
    } else {
        tell(&written.degradations);
        print(&body, options.pretty)
    }
    .map_err(|error| Failure::new(IO, format!("the map gave no JSON: {error}")))?;
    let mut line = line.into_bytes();
    StdoutJson::new().prepare(&mut line);
    line.push(b'\n');
    out.write_all(&line).and_then(|()| out.flush()).map_err(|error| Failure::output(&error))?;
    Ok(if options.strict && !written.degradations.is_empty() { FINDINGS } else { FINE })
}

/// A whole request, or only its messages.
pub fn conversation(text: &[u8]) -> Result<ModelRequest, serde_json::Error> {
    if text.trim_ascii_start().starts_with(b"[") {
        // Messages of a request may be shorter than others.
        return not_empty(serde_json::from_slice(&[br#"{"messages":"#, text, b"}"].concat())?);
    }
    let members: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(text)?;
    if members.contains_key("role") && members.contains_key("content") {
        return Err(serde::de::Error::custom("it is one message; put it into a list, `[MESSAGE]`"));
    }
    let schema = interlingua::vocabulary::json_schema();
    let known = schema["$defs"]["ModelRequest"]["properties"].as_object();
    let unknown: Vec<&String> =
        members.keys().filter(|key| known.is_some_and(|known| !known.contains_key(*key))).collect();
    if let (Some(key), Some(known)) = (unknown.first(), known) {
        let known: Vec<String> = known.keys().map(|key| format!("`{key}`")).collect();
        return Err(serde::de::Error::custom(format!(
            "it has no place for `{key}`; it takes {}",
            known.join(", ")
        )));
    }
    not_empty(serde_json::from_slice(text)?)
}

fn not_empty(request: ModelRequest) -> Result<ModelRequest, serde_json::Error> {
    if request.messages.is_empty() {
        return Err(serde::de::Error::custom("it has no messages"));
    }
    Ok(request)
}

fn print<T: Serialize>(value: &T, pretty: bool) -> Result<String, serde_json::Error> {
    if !pretty {
        return serde_json::to_string(value);
    }
    // Pretty printing needs the values, since raw JSON stays as it is written.
    let value: serde_json::Value = serde_json::from_str(&serde_json::to_string(value)?)?;
    serde_json::to_string_pretty(&value)
}

fn tell(degradations: &[Degradation]) {
    let warning = AnsiColor::Yellow.on_default().bold();
    for Degradation { what, at, reason, .. } in degradations {
        let place = if at.is_empty() { String::new() } else { format!(" at {at}") };
        let text = output::text(&format!("{what}{place}: {reason}"));
        output::tell(format_args!("{warning}degraded:{warning:#} {text}"));
    }
}

fn failure(error: &WriteError) -> Failure {
    match error {
        WriteError::Unknown { .. } => {
            let takers = request_takers().join(", ");
            Failure::new(USAGE, error.to_string()).help(format!("requests can be written for {takers}"))
        }
        WriteError::Needs { .. } => Failure::new(USAGE, error.to_string())
            .help("name the model with --model, or as `model` beside the messages"),
        _ => Failure::new(IO, error.to_string()),
    }
}
