//! Numbers, times and names for people.

use interlingua::vocabulary::Timestamp;
use maud::{Markup, html};

use crate::output;
pub use crate::terminal::{cost, duration, short, tokens};

/// How many characters of a name are shown.
const NAME: usize = 120;

/// A count with separators: `12,345`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
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
