//! Texts of agents for a terminal: Markdown, diffs, and lines of a fixed width. What comes out may hold colours and nothing
//! else that a terminal obeys, since every text goes through [`crate::output`] first.

pub mod diff;
pub mod facts;
pub mod markdown;
pub mod style;

use std::io::IsTerminal;

use interlingua::vocabulary::{Cost, PlanEntry, Usage};

use crate::output;

/// How wide lines become at most: longer ones are hard to read.
const WIDEST: usize = 110;

/// How many columns lines may have: those of the terminal, or any number where nobody sees them.
pub fn columns() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let width = terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
    Some(width.clamp(30, WIDEST))
}

/// The tokens of a usage, in a line; empty when nothing is known.
pub fn tokens(usage: &Usage) -> String {
    let counts = [
        ("input", usage.input),
        ("cache read", usage.cache_read),
        ("cache write", usage.cache_write),
        ("output", usage.output),
        ("reasoning", usage.reasoning),
    ];
    let told = counts.into_iter().filter_map(|(name, number)| Some(format!("{} {name}", short(number?))));
    told.collect::<Vec<_>>().join(" · ")
}

/// A count in few characters: `12.3k`.
pub fn short(number: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "one digit after the point is shown")]
    let value = number as f64;
    match number {
        0..1000 => number.to_string(),
        1000..1_000_000 => format!("{:.1}k", value / 1e3),
        _ => format!("{:.2}M", value / 1e6),
    }
}

/// A duration: `0.4 s`, `3 min 20 s`, `2 h 5 min`.
pub fn duration(millis: u64) -> String {
    let seconds = millis / 1000;
    match seconds {
        0..60 => format!("{}.{} s", seconds, millis % 1000 / 100),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// An amount of money.
pub fn cost(cost: &Cost) -> String {
    let digits = if cost.amount.abs() < 0.1 { 4 } else { 2 };
    let amount = format!("{:.digits$}", cost.amount);
    match cost.currency.as_str() {
        "USD" => format!("${amount}"),
        other => format!("{amount} {}", output::name(other)),
    }
}

/// An entry of a plan, on one line.
pub fn plan_entry(entry: &PlanEntry) -> String {
    let mark = match entry.status.as_str() {
        "completed" => "☑".to_owned(),
        "in-progress" => "▶".to_owned(),
        "cancelled" => "☒".to_owned(),
        "pending" => "☐".to_owned(),
        other => output::name(other),
    };
    format!("{mark} {}", output::line(&entry.text, 160))
}
