//! The table for people.

use std::collections::BTreeMap;
use std::io::{self, Write};

use interlingua::vocabulary::TranscriptCalls;

use super::record::Record;
use super::tokens::Tokens;
use crate::output;

const HEADING: anstyle::Style = anstyle::Style::new().bold();

const COLUMNS: [&str; 10] =
    ["session", "turns", "errors", "input", "cached", "output", "cost", "time", "files", "tools"];

/// How many characters of a session's name are shown.
const NAME: usize = 40;

/// What is not known.
const UNKNOWN: &str = "?";

/// Prints the sessions and their sum.
pub fn print(records: &[Record]) -> io::Result<()> {
    let mut rows: Vec<[String; 10]> = records.iter().map(row).collect();
    rows.push(total(records));
    let widths: Vec<usize> = (0..COLUMNS.len())
        .map(|column| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.chain([COLUMNS[column].len()]).max().unwrap_or_default()
        })
        .collect();
    let mut to = output::people();
    writeln!(to, "{HEADING}{}{HEADING:#}", line(&COLUMNS.map(str::to_owned), &widths))?;
    let last = rows.len() - 1;
    for (number, row) in rows.iter().enumerate() {
        let line = line(row, &widths);
        match number == last {
            true => writeln!(to, "{HEADING}{line}{HEADING:#}")?,
            false => writeln!(to, "{line}")?,
        }
    }
    to.flush()
}

/// Names to the left, numbers to the right.
fn line(cells: &[String; 10], widths: &[usize]) -> String {
    let mut line = String::new();
    for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
        match column {
            0 => line.push_str(&format!("{cell:width$}")),
            9 => line.push_str(&format!("  {cell}")),
            _ => line.push_str(&format!("  {cell:>width$}")),
        }
    }
    line.trim_end().to_owned()
}

fn row(record: &Record) -> [String; 10] {
    let counts = &record.session.counts;
    let usage = record.tokens.as_ref();
    let indent = if record.session.parent.is_some() { "  " } else { "" };
    let cost = usage.and_then(|usage| usage.cost.as_deref());
    [
        format!("{indent}{}", output::line(&record.name(), NAME)),
        counts.turns.to_string(),
        counts.errors.to_string(),
        number(usage.and_then(Tokens::read)),
        number(usage.and_then(|usage| usage.cache_read)),
        number(usage.and_then(Tokens::written)),
        cost.map_or(UNKNOWN.to_owned(), |cost| money(cost.amount, &cost.currency)),
        record.took().map_or(UNKNOWN.to_owned(), duration),
        record.session.files.len().to_string(),
        tools(record.calls_by_kind().iter()),
    ]
}

fn total(records: &[Record]) -> [String; 10] {
    let sum = |of: &dyn Fn(&Record) -> u64| records.iter().map(of).fold(0, u64::saturating_add).to_string();
    let usages = || records.iter().filter_map(|record| record.tokens.as_ref());
    let known =
        |of: &dyn Fn(&Tokens) -> Option<u64>| number(usages().filter_map(of).reduce(u64::saturating_add));
    let took = records.iter().filter_map(Record::took).reduce(u64::saturating_add);
    [
        format!("total of {} sessions", records.len()),
        sum(&|record| record.session.counts.turns),
        sum(&|record| record.session.counts.errors),
        known(&Tokens::read),
        known(&|usage| usage.cache_read),
        known(&Tokens::written),
        total_cost(records),
        took.map_or(UNKNOWN.to_owned(), duration),
        sum(&|record| record.session.files.len() as u64),
        tools(records.iter().flat_map(|record| record.calls_by_kind())),
    ]
}

/// The known costs by currency, and whether there is a session whose cost is not known.
fn total_cost(records: &[Record]) -> String {
    let mut costs: BTreeMap<&str, f64> = BTreeMap::new();
    let mut is_whole = true;
    for record in records {
        match record.tokens.as_ref().map(|tokens| tokens.cost.as_deref()) {
            Some(Some(cost)) => *costs.entry(&cost.currency).or_default() += cost.amount,
            Some(None) => is_whole = false,
            // A session without any usage may not have called a model at all.
            None => {}
        }
    }
    let mut parts: Vec<String> = costs.iter().map(|(currency, amount)| money(*amount, currency)).collect();
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

fn number(count: Option<u64>) -> String {
    count.map_or(UNKNOWN.to_owned(), |count| count.to_string())
}

fn money(amount: f64, currency: &str) -> String {
    match currency {
        "USD" => format!("${amount:.4}"),
        other => format!("{amount:.4} {}", output::name(other)),
    }
}

fn duration(millis: u64) -> String {
    let seconds = millis / 1000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, _) => format!("{:.1} s", millis as f64 / 1000.0),
        (0, minutes, seconds) => format!("{minutes} m {seconds:02} s"),
        (hours, minutes, _) => format!("{hours} h {minutes:02} m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_money_are_short() {
        assert_eq!(duration(1_250), "1.2 s");
        assert_eq!(duration(61_000), "1 m 01 s");
        assert_eq!(duration(3_660_000), "1 h 01 m");
        assert_eq!(money(0.5, "USD"), "$0.5000");
        assert_eq!(number(None), "?");
    }
}
