//! What is told of a session.

use std::path::{Path, PathBuf};

use interlingua::vocabulary::{
    NativeSessionId, SessionId, Timestamp, TranscriptCalls, TranscriptSession, Usage,
};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// A session with its counts.
pub struct Record {
    /// Who wrote it; not known of a stored stream.
    pub provider: Option<&'static str>,
    /// The files that it was read from.
    pub files: Vec<PathBuf>,
    /// The session, without its items.
    pub session: TranscriptSession,
}

impl Record {
    /// The record of a session.
    pub fn new(provider: Option<&'static str>, file: &Path, session: TranscriptSession) -> Self {
        Self { provider, files: vec![file.to_path_buf()], session }
    }

    /// The session's name for people: its title, the provider's name of it, or the file.
    pub fn name(&self) -> String {
        let native = || self.session.native_session_id.as_ref().map(|id| id.as_str().to_owned());
        let file = || self.files.first().map_or(String::new(), |file| file.display().to_string());
        self.session.title.clone().or_else(native).unwrap_or_else(file)
    }

    /// How long the session took in milliseconds, from its first event to its last one, where they have times.
    pub fn took(&self) -> Option<u64> {
        let (start, end) = (self.session.started_at?, self.session.updated_at?);
        u64::try_from(end.unix_millis() - start.unix_millis()).ok()
    }

    /// The number of tool calls.
    pub fn calls(&self) -> u64 {
        self.session.counts.tool_calls.iter().map(|calls| calls.calls).sum()
    }

    /// The tool calls by kind.
    pub fn calls_by_kind(&self) -> &[TranscriptCalls] {
        &self.session.counts.tool_calls
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let TranscriptSession { session_id, native_session_id, title, cwd, model, counts, .. } =
            &self.session;
        let native: Option<&NativeSessionId> = native_session_id.as_ref();
        let usage = self.session.usage.total.as_ref();
        let times: [Option<Timestamp>; 2] = [self.session.started_at, self.session.updated_at];
        let parent: Option<&SessionId> = self.session.parent.as_ref().map(|parent| &parent.session_id);
        let files: Vec<String> = self.files.iter().map(|file| file.display().to_string()).collect();
        let mut record = serializer.serialize_struct("Record", 16)?;
        record.serialize_field("provider", &self.provider)?;
        record.serialize_field("session_id", session_id)?;
        record.serialize_field("native_session_id", &native)?;
        record.serialize_field("parent", &parent)?;
        record.serialize_field("files", &files)?;
        record.serialize_field("title", title)?;
        record.serialize_field("cwd", cwd)?;
        record.serialize_field("model", model)?;
        record.serialize_field("started", &times[0])?;
        record.serialize_field("ended", &times[1])?;
        record.serialize_field("turns", &counts.turns)?;
        record.serialize_field("calls", &self.calls())?;
        record.serialize_field("errors", &counts.errors)?;
        record.serialize_field("changed_files", &self.session.files.len())?;
        record.serialize_field("usage", &usage.map(Tokens))?;
        record.serialize_field("cost", &usage.and_then(|usage| usage.cost.as_ref()))?;
        record.end()
    }
}

/// The tokens of a usage, each of them named, also where it is not known.
struct Tokens<'u>(&'u Usage);

impl Serialize for Tokens<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tokens = serializer.serialize_struct("Tokens", 5)?;
        tokens.serialize_field("input", &self.0.input)?;
        tokens.serialize_field("cache_read", &self.0.cache_read)?;
        tokens.serialize_field("cache_write", &self.0.cache_write)?;
        tokens.serialize_field("output", &self.0.output)?;
        tokens.serialize_field("reasoning", &self.0.reasoning)?;
        tokens.end()
    }
}
