//! The tables for people.

use std::collections::BTreeMap;
use std::io::{self, Write};

use interlingua::vocabulary::{Cost, TranscriptCalls};
use jiff::civil::Date;

use super::record::Record;
use super::sum::Sum;
use super::tokens::Tokens;
use crate::output;
use crate::output::table::{BAD, Cell, Column, FAINT, PLAIN, UNKNOWN, duration, money, number, short, write};

/// How many characters of a session's name are shown.
const NAME: usize = 40;

/// Writes the sessions and their sum.
pub fn print(records: &[Record]) -> io::Result<()> {
    let tells_costs = records.iter().any(|record| record.sum.agent_cost().is_some());
    let mut columns = vec![
        Column::Words("session"),
        Column::Words("agent"),
        Column::Numbers("turns"),
        Column::Numbers("errors"),
        Column::Numbers("input"),
        Column::Numbers("cached"),
        Column::Numbers("output"),
        Column::Numbers("cost"),
        Column::Numbers("time"),
        Column::Numbers("files"),
        Column::Words("tools"),
    ];
    if tells_costs {
        columns.insert(8, Column::Numbers("agent's cost"));
    }
    let mut rows: Vec<Vec<Cell>> = records.iter().map(|record| row(record, tells_costs)).collect();
    rows.push(total(records, tells_costs));
    let mut to = output::people();
    write(&mut to, &columns, &rows, true)?;
    to.flush()
}

fn row(record: &Record, tells_costs: bool) -> Vec<Cell> {
    let summary = &record.summary;
    let usage = record.usage();
    let indent = if summary.parent.is_some() { "  " } else { "" };
    let errors = summary.errors;
    let mut cells = vec![
        Cell::new(format!("{indent}{}", output::line(&short(&record.name(), NAME), NAME + 1)), PLAIN),
        Cell::new(record.agent().unwrap_or(UNKNOWN), FAINT),
        summary.turns.to_string().into(),
        Cell::new(errors.to_string(), if errors > 0 { BAD } else { PLAIN }),
        number(usage.and_then(Tokens::read)).into(),
        number(usage.and_then(|usage| usage.cache_read)).into(),
        number(usage.and_then(Tokens::written)).into(),
        costs([&record.sum], Sum::cost, Sum::least_cost).into(),
        record.took().map_or(UNKNOWN.to_owned(), duration).into(),
        summary.changed.len().to_string().into(),
        tools(summary.tools.iter()).into(),
    ];
    if tells_costs {
        cells.insert(8, costs([&record.sum], Sum::agent_cost, |_| None).into());
    }
    cells
}

fn total(records: &[Record], tells_costs: bool) -> Vec<Cell> {
    let sum = |of: &dyn Fn(&Record) -> u64| records.iter().map(of).fold(0, u64::saturating_add).to_string();
    let usages = || records.iter().filter_map(Record::usage);
    let known =
        |of: &dyn Fn(&Tokens) -> Option<u64>| number(usages().filter_map(of).reduce(u64::saturating_add));
    let took = records.iter().filter_map(Record::took).reduce(u64::saturating_add);
    // A session without any usage may not have called a model at all.
    let sums = || records.iter().filter(|record| record.usage().is_some()).map(|record| &record.sum);
    let mut cells: Vec<Cell> = vec![
        format!("total of {} sessions", records.len()).into(),
        String::new().into(),
        sum(&|record| record.summary.turns).into(),
        sum(&|record| record.summary.errors).into(),
        known(&Tokens::read).into(),
        known(&|usage| usage.cache_read).into(),
        known(&Tokens::written).into(),
        costs(sums(), Sum::cost, Sum::least_cost).into(),
        took.map_or(UNKNOWN.to_owned(), duration).into(),
        sum(&|record| record.summary.changed.len() as u64).into(),
        tools(records.iter().flat_map(|record| &record.summary.tools)).into(),
    ];
    if tells_costs {
        cells.insert(8, costs(sums(), Sum::agent_cost, |_| None).into());
    }
    cells
}

/// The known costs by currency, and `?` where there is one that is not known.
pub fn costs<'s>(
    sums: impl IntoIterator<Item = &'s Sum>,
    whole: impl Fn(&Sum) -> Option<Cost>,
    least: impl Fn(&Sum) -> Option<Cost>,
) -> String {
    let mut known: BTreeMap<String, f64> = BTreeMap::new();
    let mut is_whole = true;
    for sum in sums {
        let cost = whole(sum);
        is_whole &= cost.is_some();
        if let Some(cost) = cost.or_else(|| least(sum)) {
            *known.entry(cost.currency).or_default() += cost.amount;
        }
    }
    let mut parts: Vec<String> = known.iter().map(|(currency, amount)| money(*amount, currency)).collect();
    if !is_whole || parts.is_empty() {
        parts.push(UNKNOWN.to_owned());
    }
    parts.join(" + ")
}

fn tools<'c>(all: impl Iterator<Item = &'c TranscriptCalls>) -> String {
    let mut kinds: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for calls in all {
        let kind = calls.tool_kind.as_ref().map_or("unknown", |kind| kind.as_str());
        let (count, failed) = kinds.entry(kind).or_default();
        *count += calls.calls;
        *failed += calls.failed;
    }
    let kinds = kinds.into_iter().map(|(kind, (count, failed))| match failed {
        0 => format!("{} {count}", output::name(kind)),
        _ => format!("{} {count} ({failed} failed)", output::name(kind)),
    });
    kinds.collect::<Vec<_>>().join(", ")
}

/// What was used on each day, by how many sessions.
pub fn by_day(records: &[Record]) -> BTreeMap<Date, (u64, Sum)> {
    let mut days: BTreeMap<Date, (u64, Sum)> = BTreeMap::new();
    for (day, sum) in records.iter().flat_map(|record| &record.days) {
        let (sessions, all) = days.entry(*day).or_default();
        *sessions += 1;
        all.add(sum);
    }
    days
}

/// Writes the days and their sum.
pub fn print_days(records: &[Record]) -> io::Result<()> {
    let columns = [
        Column::Words("day"),
        Column::Numbers("sessions"),
        Column::Numbers("calls"),
        Column::Numbers("input"),
        Column::Numbers("cached"),
        Column::Numbers("output"),
        Column::Numbers("cost"),
    ];
    let cells = |name: String, sessions: usize, sum: &Sum| -> Vec<Cell> {
        vec![
            name.into(),
            sessions.to_string().into(),
            sum.calls.to_string().into(),
            number(sum.tokens.read()).into(),
            number(sum.tokens.cache_read).into(),
            number(sum.tokens.written()).into(),
            costs([sum], Sum::cost, Sum::least_cost).into(),
        ]
    };
    let days = by_day(records);
    let mut all = Sum::default();
    let mut rows = Vec::new();
    for (day, (sessions, sum)) in &days {
        all.add(sum);
        rows.push(cells(day.to_string(), usize::try_from(*sessions).unwrap_or_default(), sum));
    }
    let sessions = records.iter().filter(|record| !record.days.is_empty()).count();
    rows.push(cells(format!("total of {} days", days.len()), sessions, &all));
    let mut to = output::people();
    write(&mut to, &columns, &rows, true)?;
    to.flush()
}
