//! Tables for people.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

/// Headings and sums.
pub const STRONG: Style = Style::new().bold();
/// What is not known or less important.
pub const FAINT: Style = Style::new().dimmed();
/// What went wrong.
pub const BAD: Style = AnsiColor::Red.on_default();
/// Anything else.
pub const PLAIN: Style = Style::new();

/// What is not known.
pub const UNKNOWN: &str = "?";

/// A cell: its text, which has only plain characters, and how it looks.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A cell that looks like this.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }

    fn width(&self) -> usize {
        self.text.width()
    }
}

impl From<String> for Cell {
    /// A plain cell; faint where nothing is known.
    fn from(text: String) -> Self {
        let style = if text == UNKNOWN { FAINT } else { PLAIN };
        Self { text, style }
    }
}

/// A column: its heading, and the side on which its cells stand.
#[derive(Clone, Copy, Debug)]
pub enum Column {
    /// Words, from the left.
    Words(&'static str),
    /// Numbers, from the right.
    Numbers(&'static str),
}

impl Column {
    fn heading(self) -> &'static str {
        match self {
            Self::Words(heading) | Self::Numbers(heading) => heading,
        }
    }
}

/// Writes a table. The last row is a sum if `has_sum`.
pub fn write(to: &mut impl Write, columns: &[Column], rows: &[Vec<Cell>], has_sum: bool) -> io::Result<()> {
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(place, column)| {
            let cells = rows.iter().filter_map(|row| row.get(place)).map(Cell::width);
            cells.chain([column.heading().width()]).max().unwrap_or_default()
        })
        .collect();
    let headings: Vec<Cell> = columns.iter().map(|column| Cell::new(column.heading(), STRONG)).collect();
    line(to, columns, &headings, &widths, None)?;
    let sum = has_sum.then(|| rows.len().saturating_sub(1));
    for (number, row) in rows.iter().enumerate() {
        line(to, columns, row, &widths, (sum == Some(number)).then_some(STRONG))?;
    }
    Ok(())
}

fn line(
    to: &mut impl Write,
    columns: &[Column],
    row: &[Cell],
    widths: &[usize],
    style: Option<Style>,
) -> io::Result<()> {
    let last = row.iter().rposition(|cell| !cell.text.is_empty());
    for (place, ((column, cell), width)) in columns.iter().zip(row).zip(widths).enumerate() {
        let style = style.unwrap_or(cell.style);
        let space = width.saturating_sub(cell.width());
        let gap = if place == 0 { 0 } else { 2 };
        match column {
            Column::Numbers(_) => {
                write!(to, "{:1$}{style}{2}{style:#}", "", gap + space, cell.text)?;
            }
            Column::Words(_) => {
                write!(to, "{:gap$}{style}{1}{style:#}", "", cell.text)?;
                // No blanks at the end of a line.
                if last.is_some_and(|last| place < last) {
                    write!(to, "{:space$}", "")?;
                }
            }
        }
        if last.is_none_or(|last| place >= last) {
            break;
        }
    }
    writeln!(to)
}

/// The beginning of a text.
pub fn short(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// A number: exact when it is short, else in thousands or millions.
pub fn number(count: Option<u64>) -> String {
    let Some(count) = count else { return UNKNOWN.to_owned() };
    let short = |unit: f64, letter: char| {
        let number = count as f64 / unit;
        if number < 99.95 { format!("{number:.1}{letter}") } else { format!("{number:.0}{letter}") }
    };
    match count {
        0..10_000 => count.to_string(),
        10_000..999_500 => short(1e3, 'k'),
        999_500..999_500_000 => short(1e6, 'M'),
        _ => short(1e9, 'G'),
    }
}

/// An amount of money.
pub fn money(amount: f64, currency: &str) -> String {
    let amount = if amount.abs() < 10.0 { format!("{amount:.4}") } else { format!("{amount:.2}") };
    match currency {
        "USD" => format!("${amount}"),
        other => format!("{amount} {}", super::name(other)),
    }
}

/// How long something took.
pub fn duration(millis: u64) -> String {
    let seconds = millis / 1000;
    match (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0, _) => format!("{:.1} s", millis as f64 / 1000.0),
        (0, 0, minutes, seconds) => format!("{minutes} m {seconds:02} s"),
        (0, hours, minutes, _) => format!("{hours} h {minutes:02} m"),
        (days, hours, ..) => format!("{days} d {hours:02} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_money_and_times_are_short() {
        let numbers = [Some(9_999), Some(12_345), Some(999_499), Some(1_234_567), Some(250_000_000), None];
        assert_eq!(numbers.map(number), ["9999", "12.3k", "999k", "1.2M", "250M", "?"]);
        assert_eq!((money(0.5, "USD"), money(12.345, "EUR")), ("$0.5000".into(), "12.35 EUR".into()));
        let times = [1_250, 61_000, 3_660_000, 90_000_000].map(duration);
        assert_eq!(times, ["1.2 s", "1 m 01 s", "1 h 01 m", "1 d 01 h"]);
    }

    #[test]
    fn columns_line_up_by_what_is_seen() {
        let row = |name: &str, count: &str| vec![Cell::from(name.to_owned()), Cell::from(count.to_owned())];
        let columns = [Column::Words("name"), Column::Numbers("n")];
        let mut written = Vec::new();
        write(&mut written, &columns, &[row("表a", "1"), row("abcdef", "22")], false)
            .expect("a vector takes it");
        let plain = anstream::adapter::strip_bytes(&written).into_vec();
        assert_eq!(String::from_utf8(plain).expect("UTF-8"), "name     n\n表a      1\nabcdef  22\n");
    }
}
