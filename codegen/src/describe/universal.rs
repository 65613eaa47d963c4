//! The mapping table with the universal terms on the left and a column for each provider.

use interlingua_table::{BlockKind, Expr, Field, ItemKind, Path, Place, Table, TimeUnit, Verb};

use super::expr::{expression, path};
use super::said::{Said, said};

/// A part of the mapping table.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Its title.
    pub title: &'static str,
    /// Its rows.
    pub rows: Vec<UniversalRow>,
}

/// What one universal term is in each provider's language.
#[derive(Debug, Clone, PartialEq)]
pub struct UniversalRow {
    /// The universal term.
    pub term: &'static str,
    /// One cell for each table, in their order.
    pub cells: Vec<Cell>,
}

/// What a universal term is in a provider's language.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The native terms.
    pub natives: Vec<Native>,
    /// What holds where there is no native term.
    pub otherwise: &'static str,
    /// Whether that can hold beside the native terms, for messages without them.
    pub also: bool,
}

/// A native term, and where the map says so.
#[derive(Debug, Clone, PartialEq)]
pub struct Native {
    /// The message and the element in it, or a path.
    pub text: String,
    /// Where the map says so.
    pub source: Source,
}

/// The place of a native term in its map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Source {
    /// A term of a rule.
    Term(Place),
    /// A setting of the provider: its name.
    Setting(&'static str),
}

/// Something that we add where a provider does not say it.
#[derive(Debug, Clone, PartialEq)]
pub struct Synthetic {
    /// What is added.
    pub element: &'static str,
    /// When it is added.
    pub when: &'static str,
    /// The events that tell it.
    pub stored_as: &'static str,
    /// For each table, whether the provider needs it.
    pub needs: Vec<Need>,
}

/// Whether a provider needs something added.
#[derive(Debug, Clone, PartialEq)]
pub enum Need {
    /// Its map has no term for it.
    Always,
    /// Only where a stream lacks what the map has terms for.
    Sometimes,
    /// For these native terms.
    For(Vec<Native>),
    /// Never.
    Never,
}

type Test = fn(&Table, &Said) -> bool;

/// What each universal event is in each provider's messages.
const EVENTS: &[(&str, &str, Test)] = &[
    ("session.started", "synthetic", |_, said| said.verb == Verb::SessionStarted),
    ("session.updated", "none", |_, said| said.verb == Verb::SessionUpdated),
    ("session.ended", "synthetic", |_, said| said.verb == Verb::SessionEnded),
    ("turn.started", "synthetic", |_, said| said.verb == Verb::TurnStarted),
    ("turn.ended", "synthetic", |_, said| said.verb == Verb::TurnEnded),
    ("message (user)", "none", |table, said| is_message(table, said, "user")),
    ("message (assistant)", "none", |table, said| is_message(table, said, "assistant")),
    ("message.delta", "synthetic", |_, said| is_piece(said, BlockKind::Text)),
    ("reasoning", "none", |_, said| is_part(said, BlockKind::Reasoning)),
    ("tool call", "none", |_, said| said.is_item(ItemKind::ToolCall)),
    ("tool result", "none", |_, said| said.verb == Verb::Result),
    ("plan", "none", |_, said| said.is_item(ItemKind::Plan) || is_part(said, BlockKind::Plan)),
    ("permission.requested", "none", |_, said| said.verb == Verb::PermissionRequested),
    ("permission.resolved", "by the result, or synthetic", |_, said| said.verb == Verb::PermissionResolved),
    ("question.requested", "none", |_, said| said.verb == Verb::QuestionRequested),
    ("question.resolved", "none", |_, said| said.verb == Verb::QuestionResolved),
    ("host-call.requested", "none", |_, said| said.verb == Verb::HostCallRequested),
    ("host-call.resolved", "none", |_, said| said.verb == Verb::HostCallResolved),
    ("usage", "none", |_, said| matches!(said.verb, Verb::UsageReported | Verb::Usage)),
    ("error", "none", |_, said| said.verb == Verb::Error),
    ("status", "none", |_, said| said.verb == Verb::Note || said.is_item(ItemKind::Status)),
];

/// How texts arrive.
const DELTAS: &[(&str, &str, Test)] = &[
    ("text: deltas", "one synthetic delta", |_, said| has(said, BlockKind::Text, Field::Delta)),
    ("text: so far", "none", |_, said| has(said, BlockKind::Text, Field::Snapshot)),
    ("text: whole", "none", |_, said| has(said, BlockKind::Text, Field::Whole) && !in_result(said)),
    ("reasoning: deltas", "one synthetic delta", |_, said| has(said, BlockKind::Reasoning, Field::Delta)),
    ("reasoning: so far", "none", |_, said| has(said, BlockKind::Reasoning, Field::Snapshot)),
    ("reasoning: whole", "none", |_, said| has(said, BlockKind::Reasoning, Field::Whole)),
    ("arguments: deltas", "whole in item.started", |_, said| {
        said.verb == Verb::Arguments && (said.has(Field::Delta) || said.has(Field::Snapshot))
    }),
    ("output: deltas", "whole in the result", |_, said| said.verb == Verb::Output),
];

/// Who speaks, and what belongs where.
const MESSAGES: &[(&str, &str, Test)] = &[
    ("role: user", "none", |table, said| is_message(table, said, "user")),
    ("role: assistant", "none", |table, said| is_message(table, said, "assistant")),
    ("role: system", "none", |table, said| is_message(table, said, "system")),
    ("source: plugin", "none", |table, said| said.can_be(table, Field::Source, "plugin")),
    ("source: tool", "none", |table, said| said.can_be(table, Field::Source, "tool")),
    ("source: agent", "none", |table, said| said.can_be(table, Field::Source, "agent")),
    ("tool call with a parent message", "none", |_, said| {
        let in_message = matches!(said.within, Some((_, ItemKind::Message)));
        said.is_item(ItemKind::ToolCall) && (in_message || said.has(Field::Parent))
    }),
    ("part that may come before its message", "none", |_, said| {
        said.verb == Verb::Part && said.has(Field::Item)
    }),
    ("sub-agent with a session of its own", "none", |_, said| said.has(Field::ParentSession)),
];

fn is_message(table: &Table, said: &Said, role: &str) -> bool {
    said.is_item(ItemKind::Message) && said.can_be(table, Field::Role, role)
}

fn is_part(said: &Said, block: BlockKind) -> bool {
    matches!(said.verb, Verb::Part | Verb::Attach) && said.block == block
}

fn has(said: &Said, block: BlockKind, field: Field) -> bool {
    is_part(said, block) && said.has(field)
}

/// Whether a part comes piece by piece.
fn is_piece(said: &Said, block: BlockKind) -> bool {
    has(said, block, Field::Delta) || has(said, block, Field::Snapshot)
}

fn in_result(said: &Said) -> bool {
    matches!(said.within, Some((Verb::Result, _)))
}

/// The mapping table: identifiers, events and message flow, delta handling, message normalisation.
#[must_use]
pub fn universal(tables: &[&'static Table]) -> Vec<Section> {
    let all: Vec<(&'static Table, Vec<Said>)> = tables.iter().map(|table| (*table, said(table))).collect();
    let section = |title, rows: &[(&'static str, &'static str, Test)]| Section {
        title,
        rows: rows.iter().map(|(term, otherwise, test)| row(&all, term, otherwise, *test)).collect(),
    };
    vec![
        Section { title: "Identifiers", rows: identifiers(&all) },
        section("Events and message flow", EVENTS),
        section("Delta handling", DELTAS),
        section("Message normalisation", MESSAGES),
    ]
}

fn row(
    all: &[(&'static Table, Vec<Said>)],
    term: &'static str,
    otherwise: &'static str,
    test: Test,
) -> UniversalRow {
    let cell = |(table, said): &(&'static Table, Vec<Said>)| cell(natives(table, said, test), otherwise);
    UniversalRow { term, cells: all.iter().map(cell).collect() }
}

fn cell(natives: Vec<Native>, otherwise: &'static str) -> Cell {
    // What we make ourselves, we also make for a message that lacks its native term.
    Cell { natives, otherwise, also: otherwise == "synthetic" }
}

/// The native terms of what passes a test, each once. A block of the map that several rules use is told for
/// those that take whole message types, if there are any.
fn natives(table: &Table, said: &[Said], test: Test) -> Vec<Native> {
    let passing: Vec<&Said> = said.iter().filter(|said| test(table, said)).collect();
    let mut natives: Vec<Native> = Vec::new();
    for said in &passing {
        let covered = |other: &&Said| other.place == said.place && !other.partial;
        if !(said.partial && passing.iter().any(covered)) {
            add(&mut natives, said.native.clone(), Source::Term(said.place));
        }
    }
    natives
}

fn add(natives: &mut Vec<Native>, text: String, source: Source) {
    if natives.iter().all(|known| known.text != text) {
        natives.push(Native { text, source });
    }
}

fn identifiers(all: &[(&'static Table, Vec<Said>)]) -> Vec<UniversalRow> {
    let settings = |term, otherwise, name, paths: fn(&Table) -> Vec<String>| UniversalRow {
        term,
        cells: all
            .iter()
            .map(|(table, _)| {
                let natives =
                    paths(table).into_iter().map(|text| Native { text, source: Source::Setting(name) });
                cell(natives.collect(), otherwise)
            })
            .collect(),
    };
    let fields = |term, otherwise, test: Test, wanted: &'static [Field]| UniversalRow {
        term,
        cells: all.iter().map(|(table, said)| cell(values(table, said, test, wanted), otherwise)).collect(),
    };
    let ours =
        UniversalRow { term: "session_id", cells: all.iter().map(|_| cell(Vec::new(), "ours")).collect() };
    let mut turns = settings("turn_id", "synthetic", "turn", |table| paths(table, table.context.turn));
    for ((table, said), cell) in all.iter().zip(&mut turns.cells) {
        for native in values(table, said, |_, said| said.verb == Verb::TurnStarted, &[Field::Turn]) {
            add(&mut cell.natives, native.text, native.source);
        }
    }
    vec![
        ours,
        settings("native_session_id", "none", "session", |table| paths(table, table.context.session)),
        turns,
        fields("item_id of a message", "synthetic", |_, said| said.is_item(ItemKind::Message), &[Field::Id]),
        fields(
            "item_id, call_id of a tool call",
            "synthetic",
            |_, said| said.is_item(ItemKind::ToolCall),
            &[Field::Id, Field::Call],
        ),
        fields("call_id of a tool result", "none", |_, said| said.verb == Verb::Result, &[Field::Call]),
        fields("permission_id", "none", |_, said| said.verb == Verb::PermissionRequested, &[Field::Id]),
        fields("question_id", "none", |_, said| said.verb == Verb::QuestionRequested, &[Field::Id]),
        settings("agent_path", "none", "agent", |table| paths(table, table.context.agent)),
        settings("time", "none", "time", |table| {
            let unit = |unit| match unit {
                TimeUnit::Seconds => "seconds",
                TimeUnit::Milliseconds => "milliseconds",
                TimeUnit::Rfc3339 => "rfc3339",
            };
            table
                .context
                .time
                .iter()
                .map(|time| format!("{} as {}", path(table, &time.path), unit(time.unit)))
                .collect()
        }),
    ]
}

fn paths(table: &Table, all: &[Path]) -> Vec<String> {
    all.iter().map(|one| path(table, one)).collect()
}

/// The values of fields, each once with the first term that has it.
fn values(table: &Table, said: &[Said], test: Test, wanted: &[Field]) -> Vec<Native> {
    let mut natives = Vec::new();
    for said in said.iter().filter(|said| test(table, said)) {
        for value in wanted.iter().filter_map(|field| said.field(*field)) {
            // A register holds what another message said, which stands in the list by itself.
            if !matches!(value, Expr::Register(_)) {
                add(&mut natives, expression(table, value), Source::Term(said.place));
            }
        }
    }
    natives
}

/// What we add where a provider does not say it.
#[must_use]
pub fn synthetics(tables: &[&'static Table]) -> Vec<Synthetic> {
    let all: Vec<(&'static Table, Vec<Said>)> = tables.iter().map(|table| (*table, said(table))).collect();
    let unless_said = |test: Test| -> Vec<Need> {
        let need = |(table, said): &(&'static Table, Vec<Said>)| {
            if said.iter().any(|said| test(table, said)) { Need::Sometimes } else { Need::Always }
        };
        all.iter().map(need).collect()
    };
    let wherever = |test: Test| -> Vec<Need> {
        let need = |(table, said): &(&'static Table, Vec<Said>)| match natives(table, said, test) {
            natives if natives.is_empty() => Need::Never,
            natives => Need::For(natives),
        };
        all.iter().map(need).collect()
    };
    let synthetic = |element, when, stored_as, needs| Synthetic { element, when, stored_as, needs };
    vec![
        synthetic(
            "session.started",
            "the first item, turn, request or usage of a session that did not start",
            "`session.started`, origin daemon",
            unless_said(|_, said| said.verb == Verb::SessionStarted),
        ),
        synthetic(
            "session.ended",
            "the input ends; the reason is inferred from the last turn",
            "`session.ended`, origin daemon",
            unless_said(|_, said| said.verb == Verb::SessionEnded),
        ),
        synthetic(
            "turn.started",
            "the first thing that lies in a turn",
            "`turn.started`, origin daemon; turn ids `turn-1`, `turn-2` …",
            unless_said(|_, said| said.verb == Verb::TurnStarted),
        ),
        synthetic(
            "turn.ended",
            "the session ends while a turn is open",
            "`turn.ended` (interrupted), origin daemon",
            unless_said(|_, said| said.verb == Verb::TurnEnded),
        ),
        synthetic(
            "item_id",
            "a message without an id",
            "`item_id` (`message-1` …), no `native_item_id`",
            wherever(|_, said| said.is_item(ItemKind::Message) && !said.has(Field::Id)),
        ),
        synthetic(
            "message.delta",
            "a text that comes whole, and that no deltas told before",
            "one `item.delta` with the whole text, origin daemon, before `item.completed`",
            unless_said(|_, said| is_piece(said, BlockKind::Text)),
        ),
        synthetic(
            "stub of a message",
            "a part comes before its message",
            "`item.started`, origin daemon; its role by a later `item.updated`",
            wherever(|_, said| said.verb == Verb::Part && said.has(Field::Item) && said.within.is_none()),
        ),
        synthetic(
            "stub of a tool call",
            "a result of a call that was never told",
            "`item.started` and `item.completed` of the call, origin daemon",
            wherever(|_, said| said.verb == Verb::Result),
        ),
        synthetic(
            "question events",
            "a tool call that is a question, such as a plan's approval",
            "`question.requested`, and `question.resolved` at the call's result",
            wherever(|_, said| said.verb == Verb::QuestionRequested && said.has(Field::Held)),
        ),
        synthetic(
            "ends of items and requests",
            "a turn ends, and what is open in it was not ended",
            "`item.completed` (completed or interrupted), `….resolved` (expired or cancelled), origin daemon",
            all.iter().map(|_| Need::Sometimes).collect(),
        ),
    ]
}
