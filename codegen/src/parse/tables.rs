//! `values NAME { … }` and `tools NAME { … }`: native names and what they mean.

use super::cursor::Cursor;
use super::lexer::Bracket;
use super::steps::value;
use crate::ast::{Tool, ToolName, ValueMap, Word};
use crate::diagnostic::Fault;

pub(super) fn value_map(cursor: &mut Cursor) -> Result<ValueMap, Fault> {
    let name = cursor.word("the name of the value map")?;
    let mut map = ValueMap { name, pairs: Vec::new(), otherwise: None };
    rows(cursor, |inner| row(inner, &mut map))?;
    Ok(map)
}

/// Rows with `,` between them.
fn rows(cursor: &mut Cursor, mut row: impl FnMut(&mut Cursor) -> Result<(), Fault>) -> Result<(), Fault> {
    cursor.inside(Bracket::Brace, |inner| {
        while !inner.is_empty() {
            let read = row(inner).and_then(|()| if inner.is_empty() { Ok(()) } else { inner.marks(",") });
            if let Err(fault) = read {
                inner.faults.push(fault);
                inner.recover_in_list();
            }
        }
        Ok(())
    })
}

/// `a | b => "x"`, or `a` alone for a value that stays as it is; `_` stands for the values that the schema does not know.
fn row(cursor: &mut Cursor, map: &mut ValueMap) -> Result<(), Fault> {
    let span = cursor.span();
    let mut natives = Vec::new();
    let mut has_unknown = false;
    loop {
        if cursor.eat_word("_") {
            has_unknown = true;
        } else {
            natives.push(value(cursor)?);
        }
        if !cursor.eat_marks("|") {
            break;
        }
    }
    if !cursor.at_marks("=>") && !has_unknown && (cursor.is_empty() || cursor.at_marks(",")) {
        map.pairs.extend(natives.into_iter().map(|native| (native.clone(), Some(native))));
        return Ok(());
    }
    let universal = result(cursor)?;
    if has_unknown && map.otherwise.replace(universal.clone()).is_some() {
        return Err(Fault::new(span, "`_` is given twice"));
    }
    map.pairs.extend(natives.into_iter().map(|native| (native, universal.clone())));
    Ok(())
}

/// `=> "x"` or `=> absent`.
fn result(cursor: &mut Cursor) -> Result<Option<Word>, Fault> {
    cursor.marks("=>")?;
    if cursor.eat_word("absent") { Ok(None) } else { cursor.text("a text or `absent`").map(Some) }
}

/// The tools of a table, and the same as a value map from native names to kinds.
pub(super) fn tools(cursor: &mut Cursor) -> Result<(Vec<Tool>, ValueMap), Fault> {
    let name = cursor.word("the name of the table")?;
    let mut tools = Vec::new();
    let mut map = ValueMap { name, pairs: Vec::new(), otherwise: None };
    rows(cursor, |inner| tool(inner, &mut tools, &mut map))?;
    Ok((tools, map))
}

/// `agent: Agent | Task until "2.0" => "delegate"`, or `_ => …`.
fn tool(cursor: &mut Cursor, tools: &mut Vec<Tool>, map: &mut ValueMap) -> Result<(), Fault> {
    let span = cursor.span();
    if cursor.eat_word("_") {
        if map.otherwise.replace(result(cursor)?).is_some() {
            return Err(Fault::new(span, "`_` is given twice"));
        }
        return Ok(());
    }
    let name = cursor.word("what the tool is called across providers, or `_`")?;
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
    let kind = result(cursor)?;
    map.pairs.extend(names.iter().map(|native| (native.name.clone(), kind.clone())));
    tools.push(Tool { table: map.name.text.clone(), name, names, kind });
    Ok(())
}

fn version(cursor: &mut Cursor, keyword: &str) -> Result<Option<Word>, Fault> {
    if cursor.eat_word(keyword) {
        return cursor.text("a version of the agent, as a text").map(Some);
    }
    Ok(None)
}
