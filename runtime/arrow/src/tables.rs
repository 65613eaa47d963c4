//! From the events of sources to the rows of tables.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::ArrowError;
use interlingua::Event;
use interlingua::transcript::Fold;
use interlingua::vocabulary::{
    Billing, Cost, EventBody, ItemId, Timestamp, TurnId, Usage, UsageBasis, UsageReported, UsageScope,
};

use crate::column::Rows;
use crate::rows;
use crate::schema::Table;

/// Works out the cost of a call: of a model, what was used, what else decides the price, and when.
pub type Pricing =
    Arc<dyn Fn(&str, &Usage, Option<&Billing>, Option<Timestamp>) -> Option<Cost> + Send + Sync>;

/// Which tables are wanted. What is not wanted costs nothing.
///
/// ```
/// use interlingua_arrow::{Choice, Table};
/// let choice = Choice::none().with(Table::Usage);
/// assert!(choice.has(Table::Usage) && !choice.has(Table::Events));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice([bool; Table::ALL.len()]);

impl Choice {
    /// All tables.
    #[must_use]
    pub const fn all() -> Self {
        Self([true; Table::ALL.len()])
    }

    /// No table.
    #[must_use]
    pub const fn none() -> Self {
        Self([false; Table::ALL.len()])
    }

    /// The same and this table.
    #[must_use]
    pub const fn with(mut self, table: Table) -> Self {
        self.0[table as usize] = true;
        self
    }

    /// Whether the table is wanted.
    #[must_use]
    pub const fn has(&self, table: Table) -> bool {
        self.0[table as usize]
    }
}

/// What is known of a source before its events are read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Source {
    /// Its name: usually the path of a file.
    pub name: String,
    /// The provider whose map reads it.
    pub provider: Option<String>,
    /// The agent that wrote it.
    pub agent: Option<String>,
    /// Its length in bytes.
    pub bytes: Option<u64>,
    /// When the file was last changed.
    pub modified: Option<Timestamp>,
}

impl Source {
    /// A source of which only the name is known.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The same with a provider.
    #[must_use]
    pub fn provider(mut self, provider: impl Into<String>) -> Self {
        self.provider = Some(provider.into());
        self
    }

    /// The id of the source's first session, made from its name, so that the ids of all sources differ: give it to
    /// [`interlingua::Options::session_id`].
    ///
    /// ```
    /// use interlingua_arrow::Source;
    /// assert_eq!(Source::new("a.jsonl").session_id(), Source::new("a.jsonl").session_id());
    /// assert_ne!(Source::new("a.jsonl").session_id(), Source::new("b.jsonl").session_id());
    /// ```
    #[must_use]
    pub fn session_id(&self) -> String {
        let hash = hmac_sha256::Hash::hash(self.name.as_bytes());
        hash.iter().take(8).fold(String::from("s"), |id, byte| format!("{id}{byte:02x}"))
    }
}

/// What became of a source.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// How many native messages it has.
    pub messages: Option<u64>,
    /// How many of them could not be parsed.
    pub unparsed: Option<u64>,
    /// Why it could not be read, or not to its end.
    pub error: Option<String>,
}

/// Collects the rows of the tables.
pub struct Tables {
    choice: Choice,
    pricing: Option<Pricing>,
    rows: [Rows; Table::ALL.len()],
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tables").field("choice", &self.choice).finish_non_exhaustive()
    }
}

impl Tables {
    /// Tables without rows.
    #[must_use]
    pub fn new(choice: Choice) -> Self {
        let rows = Table::ALL.map(|table| Rows::new(table.schema(), table.columns()));
        Self { choice, pricing: None, rows }
    }

    /// The same with a price list. Without one, costs are those that the agents say.
    #[must_use]
    pub fn with_pricing(mut self, pricing: Pricing) -> Self {
        self.pricing = Some(pricing);
        self
    }

    /// Adds the row of a source that cannot be read, with the reason.
    pub fn failed(&mut self, source: &Source, error: impl Into<String>) {
        let outcome = Outcome { error: Some(error.into()), ..Outcome::default() };
        self.source(source, None, 0, &outcome);
    }

    /// About how many bytes the rows take.
    #[must_use]
    pub fn size(&self) -> usize {
        self.rows.iter().map(Rows::size).sum()
    }

    /// Takes the rows, each wanted table with rows as one batch, in the order of [`Table::ALL`].
    ///
    /// # Errors
    /// When Arrow cannot make a batch, such as of texts of more than 2 GB. Take the rows before they are that many.
    pub fn take(&mut self) -> Result<Vec<(Table, RecordBatch)>, ArrowError> {
        let batches = Table::ALL.into_iter().zip(&mut self.rows);
        batches
            .filter_map(|(table, rows)| Some((table, rows.take().transpose()?)))
            .map(|(table, batch)| Ok((table, batch?)))
            .collect()
    }

    pub(crate) fn rows(&mut self, table: Table) -> Option<&mut Rows> {
        self.choice.has(table).then(|| &mut self.rows[table as usize])
    }

    pub(crate) fn price(
        &self,
        model: &str,
        usage: &Usage,
        billing: Option<&Billing>,
        at: Option<Timestamp>,
    ) -> Option<Cost> {
        self.pricing.as_ref().and_then(|pricing| pricing(model, usage, billing, at))
    }

    fn source(
        &mut self,
        source: &Source,
        first: Option<(&str, Option<&str>)>,
        events: u64,
        outcome: &Outcome,
    ) {
        if let Some(rows) = self.rows(Table::Sources) {
            rows::source(rows, source, first, events, outcome);
        }
    }
}

/// A call of a model, by the report about it that counts.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) report: UsageReported,
    pub(crate) turn: Option<TurnId>,
    pub(crate) path: Vec<ItemId>,
    pub(crate) at: Option<Timestamp>,
}

/// Reads the events of one source.
#[derive(Debug)]
pub struct Reading {
    source: Source,
    fold: Fold,
    events: u64,
    /// The calls of models by session and key. Of several reports about a call the one with the most output counts: the
    /// first may be a placeholder.
    calls: HashMap<String, Vec<Call>>,
    places: HashMap<(String, String), usize>,
}

impl Reading {
    /// Begins with a source.
    #[must_use]
    pub fn new(source: Source) -> Self {
        Self { source, fold: Fold::new(), events: 0, calls: HashMap::new(), places: HashMap::new() }
    }

    /// Says what was found out about the source meanwhile, such as its provider.
    pub fn source(&mut self) -> &mut Source {
        &mut self.source
    }

    /// Takes the next event. The rows of the table `events` are added at once, all others at the end.
    pub fn push(&mut self, tables: &mut Tables, event: Event) {
        self.events += 1;
        if let Some(rows) = tables.rows(Table::Events) {
            rows::event(rows, &self.source, &event);
        }
        if let EventBody::UsageReported(report) = &event.body
            && report.scope == UsageScope::Call
            && report.basis == UsageBasis::Delta
        {
            self.call(&event, report);
        }
        self.fold.push(event);
    }

    fn call(&mut self, event: &Event, report: &UsageReported) {
        let calls = self.calls.entry(event.session_id.as_str().to_owned()).or_default();
        let call = Call {
            report: report.clone(),
            turn: event.turn_id.clone(),
            path: event.agent_path.clone(),
            at: event.time.or(event.received_at),
        };
        match self.places.get(&(event.session_id.as_str().to_owned(), report.key.clone())) {
            Some(place) if written(&report.usage) >= written(&calls[*place].report.usage) => {
                calls[*place] = call
            }
            Some(_) => {}
            None => {
                self.places.insert((event.session_id.as_str().to_owned(), report.key.clone()), calls.len());
                calls.push(call);
            }
        }
    }

    /// Adds the rows of all tables.
    pub fn finish(self, tables: &mut Tables, outcome: &Outcome) {
        let transcript = self.fold.into_transcript();
        let first = transcript.sessions.first();
        let first = first.map(|session| {
            (session.session_id.as_str(), session.native_session_id.as_ref().map(|id| id.as_str()))
        });
        tables.source(&self.source, first, self.events, outcome);
        for session in &transcript.sessions {
            let calls = self.calls.get(session.session_id.as_str()).map_or(&[][..], Vec::as_slice);
            rows::session(tables, &self.source, session, calls);
        }
    }
}

/// How many tokens were written.
fn written(usage: &Usage) -> u64 {
    usage.output.unwrap_or_default().saturating_add(usage.reasoning.unwrap_or_default())
}

/// Finds the copies of calls among several sources: forked and resumed sessions repeat the calls of their origin.
#[derive(Debug, Default)]
pub struct Copies {
    /// Hashes of the keys.
    seen: HashSet<u64>,
}

impl Copies {
    /// Has seen no calls.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A batch of the table `usage` with its column `is_copy`. Batches come in the order of their sources: the first
    /// source with a call owns it.
    ///
    /// # Errors
    /// When the batch is of another table.
    pub fn mark(&mut self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let column = |name: &str| batch.schema_ref().index_of(name);
        let (key, place) = (column("key")?, column("is_copy")?);
        let keys = batch.column(key).as_string_opt::<i32>();
        let keys = keys.ok_or_else(|| ArrowError::SchemaError("`key` is no text".to_owned()))?;
        let marks: BooleanArray = keys
            .iter()
            .map(|key| {
                Some(key.is_some_and(|key| {
                    let mut hasher = DefaultHasher::new();
                    key.hash(&mut hasher);
                    !self.seen.insert(hasher.finish())
                }))
            })
            .collect();
        let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
        columns[place] = Arc::new(marks);
        RecordBatch::try_new(batch.schema(), columns)
    }
}
