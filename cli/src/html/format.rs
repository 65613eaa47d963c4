//! Numbers, times and names for people.

use interlingua::vocabulary::{Cost, Timestamp, Usage};
use maud::{Markup, html};

use crate::output;

/// How many characters of a name are shown.
const NAME: usize = 120;

/// A count with separators: `12,345`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
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

/// A size: `1.2 MB`.
pub fn bytes(number: usize) -> String {
    #[expect(clippy::cast_precision_loss, reason = "one digit after the point is shown")]
    let value = number as f64;
    match number {
        0..1000 => format!("{number} B"),
        1000..1_000_000 => format!("{:.1} kB", value / 1e3),
        _ => format!("{:.1} MB", value / 1e6),
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

/// The time between two moments, when both are known and in order.
pub fn between(from: Option<Timestamp>, to: Option<Timestamp>) -> Option<u64> {
    u64::try_from(to?.unix_millis() - from?.unix_millis()).ok()
}

/// A moment, to the second.
pub fn time(at: Timestamp) -> Markup {
    let text = at.to_string();
    let plain = match text.split_once('.') {
        Some((whole, _)) => whole.replace('T', " "),
        None => text.trim_end_matches('Z').replace('T', " "),
    };
    html! { time datetime=(text) { (plain) " UTC" } }
}

/// An amount of money.
pub fn cost(cost: &Cost) -> String {
    let digits = if cost.amount.abs() < 0.1 { 4 } else { 2 };
    let amount = format!("{:.digits$}", cost.amount);
    match cost.currency.as_str() {
        "USD" => format!("${amount}"),
        other => format!("{amount} {}", name(other)),
    }
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

/// A name on one line, in which nothing is hidden.
pub fn name(text: &str) -> String {
    output::line(text, NAME)
}

/// The beginning of a text, on one line.
pub fn excerpt(text: &str, width: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut letters = line.chars();
    let begin: String = letters.by_ref().take(width).collect();
    let more = letters.next().is_some();
    let begin = output::line(&begin, width);
    if more { format!("{begin}…") } else { begin }
}

/// A whole text as a page shows it: without colours of a terminal, and with everything hidden made visible.
pub fn clean(text: &str) -> String {
    if text.contains('\x1b') {
        return output::text(&anstream::adapter::strip_str(text).to_string());
    }
    output::text(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_say_their_unit() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(12), "12");
        assert_eq!((short(999), short(1500), short(2_500_000)).1, "1.5k");
        assert_eq!(duration(350), "0.3 s");
        assert_eq!(duration(200_000), "3 min 20 s");
        assert_eq!(bytes(1_500_000), "1.5 MB");
    }

    #[test]
    fn an_excerpt_is_the_first_line_that_says_something() {
        assert_eq!(excerpt("\n\n  do it\nnow", 80), "do it");
        assert_eq!(excerpt("abcdef", 3), "abc…");
    }
}
