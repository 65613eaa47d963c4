//! How a message and its answer find each other, and what an answer of the agent then holds: the request that its host
//! has made, so that the rules can tell by that what the answer means.

use std::collections::{BTreeMap, HashMap};

use interlingua_table::{Expr, Table};

use super::dispatch::unwrapped;
use super::eval::{Reading, Val};
use super::program::{Program, ReadProgram};
use super::scope::Scope;
use crate::engine::json_text::quoted;
use crate::engine::memory::registers::Stored;
use crate::json::{Index, Value};

/// How many requests of a host may wait for their answers; beyond that, the oldest are forgotten.
const WAITING: usize = 4096;

/// The ids of a message that pair it with another one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ids {
    /// Its own, if it wants an answer.
    pub(crate) asks: Option<String>,
    /// The id of the message that it answers.
    pub(crate) answers: Option<String>,
}

/// The agent has answered a request of its host.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    /// The id of the request.
    pub(crate) id: String,
    /// The agent's reason, if it refuses the request.
    pub(crate) refusal: Option<String>,
}

/// Finds the ids of messages, of either side.
#[derive(Debug)]
pub(crate) struct IdReader {
    program: ReadProgram,
    index: Index,
}

impl IdReader {
    pub(crate) fn new(table: &'static Table) -> Self {
        Self { program: ReadProgram::of(table), index: Index::new() }
    }

    /// The ids of a message; none where it is not JSON.
    pub(crate) fn ids(&mut self, message: &[u8]) -> Ids {
        let Ok(document) = self.index.parse(message, &self.program.keys) else { return Ids::default() };
        ids(&self.program, document.root())
    }
}

fn ids(program: &Program, root: Value<'_>) -> Ids {
    let scope = Scope::message(unwrapped(program, root));
    let text = |expr: &'static Expr| {
        Outside(program).eval(expr, &scope).and_then(Val::text).map(|text| text.into_owned())
    };
    let pairing = &program.table.pairing;
    Ids { asks: text(&pairing.asks), answers: text(&pairing.answers) }
}

/// Reading a message outside of its rule.
struct Outside<'p>(&'p Program);

impl Reading for Outside<'_> {
    fn program(&self) -> &Program {
        self.0
    }

    fn register(&self, _number: u16) -> Option<Stored> {
        None
    }
}

/// The requests of the host that wait for their answers.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// By id, each with its place in the order of asking.
    requests: HashMap<String, (u64, String)>,
    order: BTreeMap<u64, String>,
    next: u64,
}

impl Asked {
    pub(crate) fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.requests.len()
    }

    /// Notes a request of the host, where the map wants to see it in its answer.
    pub(crate) fn note(&mut self, program: &Program, index: &mut Index, message: &[u8]) {
        if program.table.pairing.member.is_empty() {
            return;
        }
        let Ok(text) = std::str::from_utf8(message) else { return };
        let Ok(document) = index.parse(message, &program.keys) else { return };
        let Some(id) = ids(program, document.root()).asks else { return };
        let request = (self.next, text.trim().to_owned());
        if let Some((before, _)) = self.requests.insert(id.clone(), request) {
            self.order.remove(&before);
        }
        self.order.insert(self.next, id);
        self.next += 1;
        if self.order.len() > WAITING
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.requests.remove(&oldest);
        }
    }

    /// The id of the request that the agent's message answers, and the message with that request as a further member.
    pub(crate) fn answered(
        &mut self,
        program: &Program,
        index: &mut Index,
        message: &[u8],
    ) -> Option<(String, String)> {
        let document = index.parse(message, &program.keys).ok()?;
        let id = ids(program, document.root()).answers?;
        let (place, request) = self.requests.remove(&id)?;
        self.order.remove(&place);
        let rest = std::str::from_utf8(message).ok()?.trim_start().strip_prefix('{')?;
        let joined = format!("{{{}:{request},{rest}", quoted(program.table.pairing.member));
        Some((id, joined))
    }
}
