//! `tools NAME { … }`: what a provider calls its tools, and of what kind they are.

use proc_macro2::Delimiter;

use super::cursor::Cursor;
use super::steps::value;
use crate::ast::{Tool, ToolName, ValueMap, Word};
use crate::diagnostic::Fault;

/// The tools of a table, and the same as a value map from native names to kinds.
pub(super) fn tools(cursor: &mut Cursor) -> Result<(Vec<Tool>, ValueMap), Fault> {
    let name = cursor.word("the name of the table")?;
    cursor.inside(Delimiter::Brace, |inner| {
        let mut rows = Vec::new();
        let mut map = ValueMap { name, pairs: Vec::new(), otherwise: None };
        while !inner.is_empty() {
            if let Err(fault) = line(inner, &mut rows, &mut map) {
                inner.faults.push(fault);
                inner.recover();
            }
        }
        Ok((rows, map))
    })
}

/// `agent: Agent | Task until "2.0" => "delegate";`, or `else => …;`.
fn line(cursor: &mut Cursor, rows: &mut Vec<Tool>, map: &mut ValueMap) -> Result<(), Fault> {
    let span = cursor.span();
    if cursor.eat_word("else") {
        if map.otherwise.replace(kind(cursor)?).is_some() {
            return Err(Fault::new(span, "`else` is given twice"));
        }
        return Ok(());
    }
    let name = cursor.word("what the tool is called across providers, or `else`")?;
    cursor.marks(":")?;
    let mut names = Vec::new();
    loop {
        let name = value(cursor)?;
        let since = version(cursor, "since")?;
        let until = version(cursor, "until")?;
        names.push(ToolName { name, since, until });
        if !cursor.eat_marks("|") {
            break;
        }
    }
    let kind = kind(cursor)?;
    map.pairs.extend(names.iter().map(|native| (native.name.clone(), kind.clone())));
    rows.push(Tool { table: map.name.text.clone(), name, names, kind });
    Ok(())
}

fn kind(cursor: &mut Cursor) -> Result<Option<Word>, Fault> {
    cursor.marks("=>")?;
    let kind = if cursor.eat_word("absent") { None } else { Some(cursor.text("a text or `absent`")?) };
    cursor.marks(";")?;
    Ok(kind)
}

fn version(cursor: &mut Cursor, keyword: &str) -> Result<Option<Word>, Fault> {
    if cursor.eat_word(keyword) {
        return cursor.text("a version of the agent, as a text").map(Some);
    }
    Ok(None)
}
