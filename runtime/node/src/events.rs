//! Bytes in, events out; and what is made of events.

use interlingua::laws::{self, Violation};
use interlingua::transcript::Fold;
use interlingua::vocabulary::Event;
use interlingua::{Detection, Options, Speaker, Translator};
use napi_derive::napi;
use serde_json::json;

use crate::error::{Code, Result, error, unwritable};
use crate::map::NativeMap;

/// The options of a translation.
pub fn options(session_id: Option<String>, raw: Option<bool>) -> Options {
    let options = Options::default().raw(raw.unwrap_or_default());
    match session_id {
        Some(id) => options.session_id(id),
        None => options,
    }
}

/// Events as a list of JSON.
pub fn list(events: impl IntoIterator<Item = Event>) -> Result<String> {
    let mut text = vec![b'['];
    for event in events {
        if text.len() > 1 {
            text.push(b',');
        }
        serde_json::to_writer(&mut text, &event).map_err(unwritable)?;
    }
    text.push(b']');
    String::from_utf8(text).map_err(|failure| error(Code::Failed, failure))
}

/// Reads an event.
fn event(json: &str) -> Result<Event> {
    serde_json::from_str(json)
        .map_err(|failure| error(Code::Unreadable, format!("this is no universal event: {failure}")))
}

/// Translates the native bytes of one stream.
#[napi]
pub struct NativeTranslator(Translator);

#[napi]
impl NativeTranslator {
    #[napi(constructor)]
    pub fn new(map: &NativeMap, session_id: Option<String>, raw: Option<bool>) -> Result<Self> {
        Ok(Self(Translator::new(map.agent()?, options(session_id, raw))))
    }

    /// The events that the next bytes complete.
    #[napi]
    pub fn push(&mut self, bytes: &[u8]) -> Result<String> {
        list(self.0.push(bytes))
    }

    /// The events of one whole message.
    #[napi]
    pub fn push_message(&mut self, message: &[u8]) -> Result<String> {
        list(self.0.push_message(message))
    }

    /// The agent has been silent for a while.
    #[napi]
    pub fn idle(&mut self) -> Result<String> {
        list(self.0.idle())
    }

    /// The end of the stream.
    #[napi]
    pub fn finish(&mut self) -> Result<String> {
        list(self.0.finish())
    }

    /// What was translated so far, as JSON.
    #[napi(getter)]
    pub fn stats(&self) -> String {
        let stats = self.0.stats();
        json!({
            "messages": stats.messages,
            "translated": stats.translated,
            "ignored": stats.ignored_total(),
            "unparsed": stats.unparsed,
            "events": stats.events,
        })
        .to_string()
    }
}

/// Finds out who wrote a stream.
#[napi]
pub struct NativeDetector(interlingua::Detector);

#[napi]
impl NativeDetector {
    #[napi(constructor)]
    pub fn new() -> Self {
        Self(interlingua::Detector::new())
    }

    /// Nothing while it is undecided; else the provider's name, `universal`, or `unknown`.
    #[napi]
    pub fn push(&mut self, bytes: &[u8]) -> Option<&'static str> {
        name(self.0.push(bytes))
    }

    /// Decides, since nothing more comes.
    #[napi]
    pub fn finish(&mut self) -> Option<&'static str> {
        name(self.0.finish())
    }

    /// The providers that fit the stream so far, the best first.
    #[napi]
    pub fn candidates(&self) -> Vec<&'static str> {
        self.0.scores().iter().map(|score| score.table.provider).collect()
    }
}

fn name(detection: Detection) -> Option<&'static str> {
    match detection {
        Detection::NeedMore => None,
        Detection::Known(table) => Some(table.provider),
        Detection::Universal => Some("universal"),
        _ => Some("unknown"),
    }
}

/// The current state of the sessions of a stream.
#[napi]
pub struct NativeTranscript(Fold);

#[napi]
impl NativeTranscript {
    #[napi(constructor)]
    pub fn new(keep_turns: Option<u32>) -> Self {
        let fold = Fold::new();
        Self(match keep_turns {
            Some(count) => fold.keep_turns(count as usize),
            None => fold,
        })
    }

    /// Takes the next event.
    #[napi]
    pub fn push(&mut self, json: String) -> Result<()> {
        self.0.push(event(&json)?);
        Ok(())
    }

    /// The transcript as JSON.
    #[napi]
    pub fn json(&self) -> Result<String> {
        serde_json::to_string(self.0.transcript()).map_err(unwritable)
    }

    /// What all sessions used together, as JSON.
    #[napi]
    pub fn usage(&self) -> Result<Option<String>> {
        let usage = self.0.transcript().usage();
        usage.map(|usage| serde_json::to_string(&usage).map_err(unwritable)).transpose()
    }
}

/// Writes events as the messages of a target.
#[napi]
pub struct NativeSpeaker(Speaker);

#[napi]
impl NativeSpeaker {
    #[napi(constructor)]
    pub fn new(target: &NativeMap) -> Result<Self> {
        if target.table.target.is_none() {
            let name = target.table.provider;
            let reason =
                format!("`{name}` is a provider, and no target\n  help: `targets()` lists the targets");
            return Err(error(Code::UnknownProvider, reason));
        }
        Ok(Self(Speaker::new(target.table)))
    }

    /// The messages that an event leads to, as a list of JSON.
    #[napi]
    pub fn push(&mut self, json: String) -> Result<String> {
        Ok(messages(self.0.push(&event(&json)?)))
    }

    /// The messages that end what is open.
    #[napi]
    pub fn finish(&mut self) -> String {
        messages(self.0.finish())
    }
}

fn messages(spoken: Vec<interlingua::Spoken>) -> String {
    let messages: Vec<&str> = spoken.iter().map(|spoken| spoken.message.get()).collect();
    format!("[{}]", messages.join(","))
}

/// Checks a stream of events against the laws.
#[napi]
pub struct NativeChecker(laws::Checker);

#[napi]
impl NativeChecker {
    #[napi(constructor)]
    pub fn new() -> Self {
        Self(laws::Checker::new())
    }

    /// The laws that the next event breaks, as a list of JSON.
    #[napi]
    pub fn push(&mut self, json: String) -> Result<String> {
        Ok(found(&self.0.feed(&event(&json)?)))
    }

    /// What the stream left open.
    #[napi]
    pub fn finish(&mut self) -> String {
        found(&self.0.finish())
    }
}

fn found(violations: &[Violation]) -> String {
    let told = violations.iter().map(|violation| {
        json!({ "law": violation.law.to_string(), "event": violation.event, "message": violation.message })
    });
    serde_json::Value::Array(told.collect()).to_string()
}
