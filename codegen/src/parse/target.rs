//! The settings of a target: a protocol that is spoken to its consumers.

use interlingua_table::Target;

use super::cursor::Cursor;
use super::settings::{empty_provider, listed};
use crate::ast::{Provider, Word};
use crate::diagnostic::Fault;

const KNOWN: [&str; 7] = ["title", "schema", "accepts", "receives", "end", "runs", "streams"];

/// Reads the settings of a target.
pub(super) fn target_settings(cursor: &mut Cursor, name: Word) -> Provider {
    let mut provider = empty_provider(name);
    provider.target = Some(Target { runs_required: false, streams_apart: false });
    let mut given: Vec<String> = Vec::new();
    while !cursor.is_empty() {
        let read = setting(cursor, &mut provider, &mut given).and_then(|()| cursor.marks(";"));
        if let Err(fault) = read {
            cursor.faults.push(fault);
            cursor.recover();
        }
    }
    for (setting, there) in [("title", provider.title.is_some()), ("schema", provider.schema.is_some())] {
        if !there && !given.iter().any(|known| known == setting) {
            let message = format!("the setting `{setting}` of target `{}` is missing", provider.name.text);
            cursor.faults.push(Fault::new(provider.name.span, message));
        }
    }
    provider
}

fn setting(cursor: &mut Cursor, provider: &mut Provider, given: &mut Vec<String>) -> Result<(), Fault> {
    let name = cursor.word("the name of a setting")?;
    if !KNOWN.contains(&name.text.as_str()) {
        let message = format!("unknown setting `{}` of a target", name.text);
        return Err(Fault::new(name.span, message).suggest(&name.text, KNOWN));
    }
    if given.contains(&name.text) {
        return Err(Fault::new(name.span, format!("the setting `{}` is given twice", name.text)));
    }
    given.push(name.text.clone());
    cursor.marks(":")?;
    let mut target = provider.target.unwrap_or(Target { runs_required: false, streams_apart: false });
    match name.text.as_str() {
        "title" => provider.title = Some(cursor.text("a text")?),
        "schema" => provider.schema = Some(cursor.text("the path of the schema file, as a text")?),
        "accepts" => provider.accepts = listed(cursor, |cursor| cursor.word("the name of a definition"))?,
        "receives" => provider.receives = listed(cursor, |cursor| cursor.word("the name of a definition"))?,
        "end" => provider.end = listed(cursor, |cursor| cursor.text("a text that ends the stream"))?,
        "runs" => target.runs_required = choice(cursor, ["optional", "required"])?,
        _ => target.streams_apart = choice(cursor, ["together", "apart"])?,
    }
    provider.target = Some(target);
    Ok(())
}

/// One of two words; whether it is the second.
fn choice(cursor: &mut Cursor, words: [&str; 2]) -> Result<bool, Fault> {
    let word = cursor.name(&format!("`{}` or `{}`", words[0], words[1]))?;
    if words.contains(&word.text.as_str()) {
        return Ok(word.text == words[1]);
    }
    let message = format!("unknown value `{}`: there are `{}` and `{}`", word.text, words[0], words[1]);
    Err(Fault::new(word.span, message).suggest(&word.text, words))
}
