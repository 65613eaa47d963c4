//! Reads a map: from tokens to what is written, with the place of every name.
//!
//! Only the form is judged here. A fault does not end the reading: it goes on behind the statement
//! or the step that holds the fault, so that all faults are found at once.

mod brackets;
mod cursor;
mod expr;
mod statements;
mod steps;

use proc_macro2::{Delimiter, Span, TokenStream};

use self::cursor::Cursor;
use crate::ast::{Map, Reason};
use crate::diagnostic::Fault;

/// Reads a map file: one call `term_map! { … }`.
pub(crate) fn file(text: &str) -> Result<Map, Vec<Fault>> {
    let tokens: TokenStream = text.parse().map_err(|error: proc_macro2::LexError| {
        let fault =
            Fault::new(error.span(), "a bracket has no partner, or a quote or a comment is not closed");
        vec![if text.contains("/*") {
            fault
                .help("`/*` begins a comment; the pattern for unknown values is written with a space: `a/ *`")
        } else if let Some(line) = brackets::astray(text) {
            fault.help(format!("look at line {line}: its indentation does not fit its brackets"))
        } else {
            fault
        }]
    })?;
    let mut cursor = Cursor::new(tokens, Span::call_site(), "the end of the file");
    let inside = (|| {
        cursor.keyword("term_map")?;
        cursor.marks("!")?;
        let Some(proc_macro2::TokenTree::Group(group)) = cursor.token(0) else {
            return Err(cursor.expected("`{`"));
        };
        if group.delimiter() != Delimiter::Brace {
            return Err(cursor.expected("`{`"));
        }
        let inside = (group.stream(), group.span_close());
        cursor.advance();
        if !cursor.is_empty() {
            return Err(cursor.expected("nothing more after `term_map! { … }`"));
        }
        Ok(inside)
    })();
    let (tokens, end) = inside.map_err(|fault| vec![fault])?;
    map(tokens, end)
}

/// Reads what stands inside `term_map! { … }`.
pub(crate) fn map(tokens: TokenStream, end: Span) -> Result<Map, Vec<Fault>> {
    statements::map(&mut Cursor::new(tokens, end, "`}`"))
}

/// `because "…";`. Whether there is a reason is for the checker.
fn reason(cursor: &mut Cursor) -> Result<Reason, Fault> {
    let reason = if cursor.eat_word("because") {
        Some(cursor.text("the reason, as a text")?)
    } else if cursor.at_marks(";") {
        None
    } else {
        return Err(cursor.expected("`because \"…\"`"));
    };
    cursor.marks(";")?;
    Ok(Reason(reason))
}
