//! Reads a map: from tokens to what is written, with the place of every name.
//!
//! Only the form is judged here. A fault does not end the reading: it goes on behind the statement
//! or the step that holds the fault, so that all faults are found at once.

mod brackets;
mod cursor;
mod expr;
mod statements;
mod steps;
mod tools;

use proc_macro2::{Delimiter, Span, TokenStream};

use self::cursor::Cursor;
use self::statements::Include;
use crate::ast::{Map, Reason};
use crate::diagnostic::Fault;

/// Reads a map file: one call `term_map! { … }`.
pub(crate) fn file(text: &str, include: &mut Include<'_>) -> Result<Map, Vec<Fault>> {
    let (tokens, end) = call(text, 0)?;
    map(tokens, end, include)
}

/// Reads a file that a map includes, which is written as a map is, but says nothing of the provider. Its lines are counted
/// from `line`. `from` is where the map includes it.
pub(crate) fn included(
    text: &str,
    line: usize,
    from: Span,
    include: &mut Include<'_>,
) -> Result<Map, Vec<Fault>> {
    // Inside a macro, the compiler's lexer gives tokens of a text no places of their own, so that the one that works outside
    // of macros is asked for. Its switch is public, but left out of the crate's documents. Without it, every span of the
    // compiler's passes would have to carry a place beside rustc's span, found by a lexer of our own.
    proc_macro2::fallback::force();
    let read = call(&format!("{}{text}", "\n".repeat(line)), line);
    proc_macro2::fallback::unforce();
    let (tokens, end) = read.map_err(|mut faults| {
        // The end of the file has no place of its own.
        for fault in faults.iter_mut().filter(|fault| fault.span.start().line < line) {
            fault.span = from;
        }
        faults
    })?;
    statements::map(&mut Cursor::new(tokens, end, "`}`"), true, include)
}

/// What stands inside the one call `term_map! { … }` of a file, and where that ends.
fn call(text: &str, line: usize) -> Result<(TokenStream, Span), Vec<Fault>> {
    let tokens: TokenStream = text.parse().map_err(|error: proc_macro2::LexError| {
        let fault =
            Fault::new(error.span(), "a bracket has no partner, or a quote or a comment is not closed");
        vec![if text.contains("/*") {
            fault
                .help("`/*` begins a comment; the pattern for unknown values is written with a space: `a/ *`")
        } else if let Some(astray) = brackets::astray(text) {
            fault.help(format!("look at line {}: its indentation does not fit its brackets", astray - line))
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
    inside.map_err(|fault| vec![fault])
}

/// Reads what stands inside `term_map! { … }`.
pub(crate) fn map(tokens: TokenStream, end: Span, include: &mut Include<'_>) -> Result<Map, Vec<Fault>> {
    statements::map(&mut Cursor::new(tokens, end, "`}`"), false, include)
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
