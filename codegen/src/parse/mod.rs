//! Reads a map: from text to what is written, with the place of every name.
//!
//! Only the form is judged here. A fault does not end the reading: it goes on behind the statement
//! or the step that holds the fault, so that all faults are found at once.

mod brackets;
mod cond;
mod cursor;
mod expr;
mod lexer;
mod list;
mod names;
mod object;
mod path;
mod pattern;
mod settings;
mod statements;
mod steps;
mod tables;
mod target;
mod template;

use self::cursor::Cursor;
use self::lexer::Bracket;
use self::statements::Include;
use crate::ast::Map;
use crate::diagnostic::Fault;
use crate::sources::Span;

/// Reads a map file: one call `term_map! { … }`. A file that a map includes says nothing of the provider.
pub(crate) fn file(
    text: &str,
    number: u16,
    is_included: bool,
    include: &mut Include<'_>,
) -> Result<Map, Vec<Fault>> {
    let tokens = lexer::tokens(text, number).map_err(|fault| vec![fault])?;
    let length = u32::try_from(text.trim_end().len()).unwrap_or(u32::MAX);
    let end = Span { file: number, start: length, end: length };
    let mut cursor = Cursor::new(tokens, end, "the end of the file");
    let inside = (|| {
        cursor.keyword("term_map")?;
        cursor.marks("!")?;
        if !cursor.at_group(Bracket::Brace) {
            return Err(cursor.expected("`{`"));
        }
        let inside =
            cursor.inside(Bracket::Brace, |inner| Ok(statements::map(inner, is_included, include)))?;
        if !cursor.is_empty() {
            return Err(cursor.expected("nothing more after `term_map! { … }`"));
        }
        Ok(inside)
    })();
    inside.unwrap_or_else(|fault| Err(vec![fault]))
}
