//! The mapping table with the universal terms on the left: all providers side by side.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use interlingua::table::Table;
use interlingua_codegen::describe::{self, Cell, Native, Need, Source};

const HEADING: Style = Style::new().bold();
const NATIVE: Style = AnsiColor::Cyan.on_default();
const UNIVERSAL: Style = AnsiColor::Green.on_default();
const QUIET: Style = Style::new().dimmed();

/// How wide a line's text is at most.
const WIDTH: usize = 110;

/// Prints the table.
pub fn print(output: &mut impl Write, tables: &[&'static Table]) -> io::Result<()> {
    writeln!(
        output,
        "{QUIET}Numbers are lines of the provider's map. Synthetic: added by Interlingua.{QUIET:#}"
    )?;
    let sections = describe::universal(tables);
    let terms = sections.iter().flat_map(|section| &section.rows).map(|row| row.term.len());
    let columns = Columns {
        term: terms.max().unwrap_or_default() + 2,
        provider: tables.iter().map(|table| table.provider.len()).max().unwrap_or_default() + 2,
    };
    for section in sections {
        writeln!(output, "\n{HEADING}{}{HEADING:#}", section.title)?;
        for row in section.rows {
            let cells = tables.iter().zip(&row.cells).map(|(table, cell)| (*table, of_cell(cell)));
            columns.row(output, row.term, cells)?;
        }
    }
    writeln!(output, "\n{HEADING}Synthetics{HEADING:#}")?;
    for synthetic in describe::synthetics(tables) {
        writeln!(output, "  {UNIVERSAL}{}{UNIVERSAL:#}: {}", synthetic.element, synthetic.when)?;
        writeln!(output, "  {QUIET}{}{QUIET:#}", synthetic.stored_as.replace('`', ""))?;
        let needs = tables.iter().zip(&synthetic.needs).map(|(table, need)| (*table, of_need(need)));
        columns.row(output, "", needs)?;
    }
    Ok(())
}

/// A piece of a cell: its text, and how it is shown.
struct Piece {
    text: String,
    shown: String,
}

fn of_cell(cell: &Cell) -> Vec<Piece> {
    let otherwise = match (cell.natives.is_empty(), cell.also) {
        (true, _) => Some(cell.otherwise.to_string()),
        (false, true) => Some(format!("else {}", cell.otherwise)),
        (false, false) => None,
    };
    of_natives(&cell.natives).into_iter().chain(otherwise.map(quiet)).collect()
}

fn of_need(need: &Need) -> Vec<Piece> {
    match need {
        Need::Always => vec![quiet("always".to_string())],
        Need::Sometimes => vec![quiet("if missing".to_string())],
        Need::Never => vec![quiet("never".to_string())],
        Need::For(natives) => of_natives(natives),
    }
}

fn of_natives(natives: &[Native]) -> Vec<Piece> {
    natives
        .iter()
        .map(|native| match native.source {
            Source::Term(place) => Piece {
                text: format!("{} {}", native.text, place.line),
                shown: format!("{NATIVE}{}{NATIVE:#} {QUIET}{}{QUIET:#}", native.text, place.line),
            },
            Source::Setting(_) => {
                Piece { text: native.text.clone(), shown: format!("{NATIVE}{}{NATIVE:#}", native.text) }
            }
        })
        .collect()
}

fn quiet(text: String) -> Piece {
    Piece { shown: format!("{QUIET}{text}{QUIET:#}"), text }
}

/// The widths of the columns before the native terms.
struct Columns {
    term: usize,
    provider: usize,
}

impl Columns {
    /// A term with a line or more for each provider.
    fn row<'t>(
        &self,
        output: &mut impl Write,
        term: &str,
        cells: impl Iterator<Item = (&'t Table, Vec<Piece>)>,
    ) -> io::Result<()> {
        let mut term = term;
        for (table, pieces) in cells {
            let mut provider = table.provider;
            for line in filled(pieces, WIDTH.saturating_sub(self.term + self.provider)) {
                let (terms, providers) = (self.term, self.provider);
                writeln!(output, "  {UNIVERSAL}{term:terms$}{UNIVERSAL:#}{provider:providers$}{line}")?;
                (term, provider) = ("", "");
            }
        }
        Ok(())
    }
}

/// Pieces on as few lines as fit; a longer piece has a line for itself.
fn filled(pieces: Vec<Piece>, width: usize) -> Vec<String> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for piece in pieces {
        let long = piece.text.chars().count();
        match lines.last_mut() {
            Some((used, line)) if *used + long + 2 <= width => {
                *used += long + 2;
                line.push_str(&format!(", {}", piece.shown));
            }
            _ => lines.push((long, piece.shown)),
        }
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_fill_lines_by_what_is_seen_of_them() {
        let piece = |text: &str| Piece { text: text.to_string(), shown: format!("<{text}>") };
        let lines = filled(vec![piece("one"), piece("two"), piece("a longer one"), piece("x")], 8);
        assert_eq!(lines, ["<one>, <two>", "<a longer one>", "<x>"]);
    }
}
