//! Reading many files at once: what each of them says about its sessions.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use interlingua::table::Table;
use interlingua::transcript::Fold;
use interlingua::vocabulary::{
    Event, EventBody, NativeSessionId, SessionId, TranscriptSession, UsageBasis, UsageReported, UsageScope,
};

use super::tokens::Tokens;
use crate::args::Source;
use crate::events;
use crate::failure::Failure;

/// A file to read.
pub struct File {
    /// Where it is.
    pub path: PathBuf,
    /// Whose it is, where the place says so.
    pub table: Option<&'static Table>,
}

/// What a file says.
pub struct Found {
    /// Who wrote it; not known of a stored stream.
    pub table: Option<&'static Table>,
    /// Its sessions, without items and usage by call.
    pub sessions: Vec<TranscriptSession>,
    /// The calls of models, each once.
    pub calls: Vec<Call>,
    /// How many messages could not be parsed.
    pub unparsed: u64,
}

/// One call of a model.
pub struct Call {
    /// A hash of the provider's name of it.
    pub key: u64,
    /// The place of its session among the file's.
    pub session: u32,
    /// What it used.
    pub tokens: Tokens,
}

/// Reads files on all processors, and gives what each says in the order of the files.
pub fn all(source: &Source, files: &[File]) -> Vec<Result<Found, Failure>> {
    let results: Vec<Mutex<Option<Result<Found, Failure>>>> =
        files.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((place, file)) = {
            let place = next.fetch_add(1, Ordering::Relaxed);
            files.get(place).map(|file| (place, file))
        } {
            let found = read(source, file);
            if let Ok(mut result) = results[place].lock() {
                *result = Some(found);
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(files.len());
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    results.into_iter().filter_map(|result| result.into_inner().ok().flatten()).collect()
}

fn read(source: &Source, file: &File) -> Result<Found, Failure> {
    let mut reading = Reading { fold: Fold::new().totals_only(), ..Reading::default() };
    let take = |event| reading.take(event);
    let read = match file.table {
        Some(table) => events::read_as(table, &file.path, "s1", take)?,
        None => events::read(source, &file.path, "s1", take)?,
    };
    let table = read.table;
    let Reading { fold, calls, .. } = reading;
    Ok(Found { table, sessions: fold.into_transcript().sessions, calls, unparsed: read.unparsed })
}

#[derive(Default)]
struct Reading {
    fold: Fold,
    calls: Vec<Call>,
    places: HashMap<u64, usize>,
    sessions: Vec<SessionId>,
}

impl Reading {
    /// Calls are kept apart, since copies of them may stand in other files; texts are not needed at all.
    fn take(&mut self, event: Event) {
        match &event.body {
            EventBody::ItemDelta(_) => {}
            EventBody::UsageReported(report)
                if report.scope == UsageScope::Call && report.basis == UsageBasis::Delta =>
            {
                self.call(&event.session_id, event.native_session_id.as_ref(), report);
            }
            _ => {
                if let EventBody::SessionStarted(_) = event.body {
                    self.sessions.push(event.session_id.clone());
                }
                self.fold.push(event);
            }
        }
    }

    /// Of several reports of a call the one with the most output counts, as a whole: the first may be a placeholder.
    fn call(&mut self, session: &SessionId, native: Option<&NativeSessionId>, report: &UsageReported) {
        // A key of our own, such as `usage-1`, means nothing in another session.
        let mut hasher = DefaultHasher::new();
        report.key.hash(&mut hasher);
        if report.key.starts_with("usage-") {
            native.hash(&mut hasher);
        }
        let key = hasher.finish();
        let tokens = Tokens::of(&report.usage);
        match self.places.get(&key) {
            Some(place) => self.calls[*place].tokens.keep_larger(tokens),
            None => {
                let session = self.sessions.iter().rposition(|known| known == session).unwrap_or_default();
                self.places.insert(key, self.calls.len());
                self.calls.push(Call { key, session: u32::try_from(session).unwrap_or_default(), tokens });
            }
        }
    }
}
