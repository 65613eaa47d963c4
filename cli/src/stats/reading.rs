//! What the events of one file say about its sessions.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use interlingua::table::Table;
use interlingua::transcript::Fold;
use interlingua::vocabulary::{
    Billing, Event, EventBody, ItemKind, ItemRole, MessageSource, NativeSessionId, SessionId, Timestamp,
    TranscriptCalls, TranscriptModelUsage, TranscriptSession, UsageBasis, UsageReported, UsageScope,
};
use serde::Deserialize;

use super::tokens::Tokens;

/// How many of the turns that have ended the fold keeps.
const TURNS: usize = 8;

/// How many characters of a prompt are kept.
const PROMPT: usize = 200;

/// What a file says.
#[derive(Clone)]
pub struct Found {
    /// Who wrote it; not known of a stored stream.
    pub table: Option<&'static Table>,
    /// Its sessions.
    pub sessions: Vec<Summary>,
    /// The calls of models, each once.
    pub calls: Vec<Call>,
    /// The models that the calls name.
    pub models: Vec<String>,
    /// How many messages could not be parsed.
    pub unparsed: u64,
}

/// One call of a model.
#[derive(Clone)]
pub struct Call {
    /// A hash of the agent's name of it.
    pub key: u64,
    /// The place of its session among the file's.
    pub session: u32,
    /// The place of its model among the file's.
    pub model: Option<u32>,
    /// When it was reported, in milliseconds since 1970.
    pub at: Option<i64>,
    /// What it used.
    pub tokens: Tokens,
    /// What else decides its price.
    pub billing: Option<Box<Billing>>,
}

impl Call {
    /// Whether this report of a call counts rather than an earlier one: the one with more output does, since the first
    /// may be a placeholder.
    pub fn outdoes(&self, other: &Self) -> bool {
        self.tokens.written() >= other.tokens.written()
    }
}

/// A session as a file has it.
#[derive(Clone, Default)]
pub struct Summary {
    /// Our name of it.
    pub id: String,
    /// The agent's name of it.
    pub native: Option<String>,
    /// Our name of the session that started it.
    pub parent: Option<String>,
    /// The agent's name of the session that it continues.
    pub resumed_from: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The beginning of the user's first message.
    pub prompt: Option<String>,
    /// The folder in which the agent works.
    pub cwd: Option<String>,
    /// The model in use at the end.
    pub model: Option<String>,
    /// What the map says besides.
    pub more: Metadata,
    /// The first time.
    pub started: Option<Timestamp>,
    /// The last time.
    pub ended: Option<Timestamp>,
    /// How many turns it has.
    pub turns: u64,
    /// How many errors it has.
    pub errors: u64,
    /// How many messages could not be parsed.
    pub unparsed: u64,
    /// The tool calls by kind.
    pub tools: Vec<TranscriptCalls>,
    /// The paths of changed files.
    pub changed: Vec<String>,
    /// What it used by the counts that are no calls.
    pub whole: Option<Tokens>,
    /// The same by model.
    pub by_model: Vec<TranscriptModelUsage>,
}

/// What a map says of a session beside the vocabulary's own fields.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// The branch of the repository.
    pub branch: Option<String>,
    /// The agent's name of the session that started this one.
    pub parent: Option<String>,
    /// The agent's name of the session that this one is a part of: a sub-agent without a session of its own.
    pub part_of: Option<String>,
}

/// Reads the events of a file.
pub struct Reading {
    /// Tells the calls of this file from those of others, where the agent has no name for them.
    file: u64,
    fold: Fold,
    calls: Vec<Call>,
    places: HashMap<u64, usize>,
    sessions: Vec<(SessionId, Option<String>)>,
    models: Vec<String>,
}

impl Reading {
    /// Begins with a file.
    pub fn new(path: &Path) -> Self {
        let mut hasher = DefaultHasher::new();
        path.hash(&mut hasher);
        Self {
            file: hasher.finish(),
            fold: Fold::new().totals_only().keep_turns(TURNS),
            calls: Vec::new(),
            places: HashMap::new(),
            sessions: Vec::new(),
            models: Vec::new(),
        }
    }

    /// Takes the next event. Calls are kept apart, since copies of them may stand in other files.
    pub fn take(&mut self, event: Event) {
        match &event.body {
            EventBody::ItemDelta(_) => {}
            EventBody::UsageReported(report)
                if report.scope == UsageScope::Call && report.basis == UsageBasis::Delta =>
            {
                self.call(&event, report);
            }
            _ => {
                let number = self.session(&event.session_id);
                if let (EventBody::ItemCompleted(state), true, None) =
                    (&event.body, event.agent_path.is_empty(), &self.sessions[number].1)
                {
                    let item = &state.item;
                    let is_users = item.source.as_ref().is_none_or(|source| *source == MessageSource::User);
                    if item.kind == ItemKind::Message && item.role == Some(ItemRole::User) && is_users {
                        self.sessions[number].1 = beginning(&item.text());
                    }
                }
                self.fold.push(event);
            }
        }
    }

    /// The place of a session, which is new the first time.
    fn session(&mut self, id: &SessionId) -> usize {
        self.sessions.iter().rposition(|(known, _)| known == id).unwrap_or_else(|| {
            self.sessions.push((id.clone(), None));
            self.sessions.len() - 1
        })
    }

    fn call(&mut self, event: &Event, report: &UsageReported) {
        let mut hasher = DefaultHasher::new();
        report.key.hash(&mut hasher);
        // A key of our own, such as `usage-1`, means nothing in another file or session.
        if !report.has_native_key() {
            (self.file, event.session_id.as_str()).hash(&mut hasher);
        }
        let key = hasher.finish();
        let call = Call {
            key,
            session: u32::try_from(self.session(&event.session_id)).unwrap_or_default(),
            model: report.model.as_deref().map(|model| self.model(model)),
            at: event.time.or(event.received_at).map(Timestamp::unix_millis),
            tokens: Tokens::of(&report.usage),
            billing: report.billing.clone().map(Box::new),
        };
        match self.places.get(&key) {
            Some(place) => {
                let known = &mut self.calls[*place];
                if call.outdoes(known) {
                    let session = known.session;
                    *known = Call { session, ..call };
                }
            }
            None => {
                self.places.insert(key, self.calls.len());
                self.calls.push(call);
            }
        }
    }

    fn model(&mut self, name: &str) -> u32 {
        let place = self.models.iter().position(|known| known == name).unwrap_or_else(|| {
            self.models.push(name.to_owned());
            self.models.len() - 1
        });
        u32::try_from(place).unwrap_or_default()
    }

    /// What the file says so far.
    pub fn found(&self, table: Option<&'static Table>, unparsed: u64) -> Found {
        let sessions = self.fold.transcript().sessions.iter().map(|session| self.summary(session)).collect();
        Found { table, sessions, calls: self.in_order(), models: self.models.clone(), unparsed }
    }

    /// The calls, with the places that their sessions have in the transcript.
    fn in_order(&self) -> Vec<Call> {
        let sessions = &self.fold.transcript().sessions;
        let places: Vec<usize> = self
            .sessions
            .iter()
            .map(|(id, _)| {
                sessions.iter().position(|session| session.session_id == *id).unwrap_or(usize::MAX)
            })
            .collect();
        let placed = |call: &Call| {
            let place = places.get(call.session as usize).copied().unwrap_or(usize::MAX);
            Some(Call { session: u32::try_from(place).ok()?, ..call.clone() })
        };
        self.calls.iter().filter_map(placed).collect()
    }

    fn summary(&self, session: &TranscriptSession) -> Summary {
        let native = |id: &Option<NativeSessionId>| id.as_ref().map(|id| id.as_str().to_owned());
        let prompt = self.sessions.iter().find(|(id, _)| *id == session.session_id);
        Summary {
            id: session.session_id.as_str().to_owned(),
            native: native(&session.native_session_id),
            parent: session.parent.as_ref().map(|parent| parent.session_id.as_str().to_owned()),
            resumed_from: native(&session.resumed_from),
            title: session.title.clone(),
            prompt: prompt.and_then(|(_, prompt)| prompt.clone()),
            cwd: session.cwd.clone(),
            model: session.model.clone(),
            more: session.metadata.as_ref().and_then(|metadata| metadata.to().ok()).unwrap_or_default(),
            started: session.started_at,
            ended: session.updated_at,
            turns: session.counts.turns,
            errors: session.counts.errors,
            unparsed: session.counts.unparsed,
            tools: session.counts.tool_calls.clone(),
            changed: session.files.iter().map(|file| file.path.clone()).collect(),
            whole: session.usage.total.as_ref().map(Tokens::of),
            by_model: session.usage.models.clone(),
        }
    }
}

/// The beginning of a prompt on one line; none of what a program wrote in a person's name, which is tagged.
fn beginning(text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || text.starts_with('<') {
        return None;
    }
    let words = text.split_whitespace().take(PROMPT).collect::<Vec<_>>().join(" ");
    Some(match words.char_indices().nth(PROMPT) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_one_line_and_short() {
        assert_eq!(beginning(" Fix\n  the tests "), Some("Fix the tests".to_owned()));
        assert_eq!(beginning("<command-name>/clear</command-name>"), None);
        assert_eq!(beginning(&"é".repeat(500)).map(|text| text.chars().count()), Some(PROMPT + 1));
    }
}
