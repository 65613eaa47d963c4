//! `docs/coverage/`: what becomes of every field that a provider's messages can have, and how often the bundled
//! recordings hold it. A page for people, and the same as JSON.

mod conserve;
mod count;
mod data;
mod page;
mod route;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};

use interlingua::framing::{DEFAULT_LIMIT, Framer};
use interlingua_codegen::{FieldUse, Handling};
use interlingua_table::Table;
use serde_json::Value;

use crate::captures;
use crate::generator::Generated;
use crate::maps;
use crate::markdown::between;

pub use conserve::{Conservation, LONG};
pub use count::{Counts, Seen};
pub use route::message_type;
pub use tree::{Found, Tree};

/// Where the pages go, below the repository's root.
pub const FOLDER: &str = "docs/coverage";

/// The page with a line for each provider, and the marks between which the lines stand.
const SUMMARY: &str = "docs/reliability.md";
const MARKS: [&str; 2] = ["<!-- generated: coverage -->", "<!-- end of generated: coverage -->"];
const HEAD: &str = "\
| provider | recordings | fields read | left out | unread (seen) | strings | in events | left out | lost |
|---|---|---|---|---|---|---|---|---|
";

/// What there is to say about a provider.
pub(crate) struct Ledger {
    pub table: &'static Table,
    pub fields: Vec<FieldUse>,
    pub counts: Counts,
    pub conservation: Conservation,
    /// How many recordings were counted.
    pub recordings: usize,
}

impl Ledger {
    /// The entries with what was seen of them.
    fn entries(&self) -> impl Iterator<Item = (&FieldUse, &Seen)> {
        self.fields.iter().zip(&self.counts.fields)
    }

    /// The provider's line in the summary.
    fn row(&self) -> String {
        let (read, _) = self.total(|handling| matches!(handling, Handling::Read(_)));
        let (left, _) = self.total(|handling| matches!(handling, Handling::Left(_)));
        let (unread, seen) = self.total(|handling| *handling == Handling::Unmapped);
        let Conservation { reached, left: dropped, .. } = &self.conservation;
        let (strings, lost) = (self.conservation.seen(), self.conservation.lost());
        format!(
            "| {} | {} | {read} | {left} | {unread} ({seen}) | {strings} | {reached} | {dropped} | {lost} |\n",
            self.table.provider, self.recordings
        )
    }

    /// How many fields there are of one kind, and how many of them were seen.
    fn total(&self, kind: fn(&Handling) -> bool) -> (usize, usize) {
        let of_kind: Vec<_> = self.entries().filter(|(field, _)| kind(&field.handling)).collect();
        (of_kind.len(), of_kind.iter().filter(|(_, seen)| seen.times > 0).count())
    }
}

/// Makes a page and its data for each provider.
///
/// # Errors
///
/// When a map does not compile or a recording cannot be read.
pub fn generate(root: &Path) -> Result<Vec<Generated>, String> {
    let mut files = Vec::new();
    let mut rows = String::from(HEAD);
    for map in maps::compile(root)? {
        let ledger = ledger(root, &map)?;
        rows.push_str(&ledger.row());
        let file = |extension: &str| PathBuf::from(format!("{FOLDER}/{}.{extension}", ledger.table.provider));
        files.push((file("md"), page::page(&ledger)));
        files.push((file("json"), data::data(&ledger)));
    }
    let page = fs::read_to_string(root.join(SUMMARY)).map_err(|error| format!("{SUMMARY}: {error}"))?;
    let page = between(&page.replace("\r\n", "\n"), SUMMARY, MARKS, &rows)?;
    files.push((PathBuf::from(SUMMARY), page));
    Ok(files)
}

/// What becomes of the longer strings of recordings that lie in `captures` as the bundled ones do, for each provider.
///
/// # Errors
///
/// As [`generate`].
pub fn conservation(root: &Path, captures: &Path) -> Result<Vec<(&'static str, Conservation)>, String> {
    let mut all = Vec::new();
    // What the stream of a model says is compared with what its provider's own library says instead.
    for map in maps::compile(root)? {
        let fields = map.coverage(root)?;
        let tree = Tree::new(&fields);
        let mut conservation = Conservation::default();
        for recording in captures::of(captures, map.table.provider)? {
            conservation.add(map.table, &fields, &tree, &recording.read()?);
        }
        all.push((map.table.provider, conservation));
    }
    Ok(all)
}

/// The fields that a bundled recording holds and that no rule reads and no `drop` explains: the provider, the message
/// and the field of each.
///
/// # Errors
///
/// As [`generate`].
pub fn unread(root: &Path) -> Result<Vec<(&'static str, String, String)>, String> {
    let mut unread = Vec::new();
    for map in maps::compile(root)? {
        let ledger = ledger(root, &map)?;
        let seen =
            ledger.entries().filter(|(field, seen)| field.handling == Handling::Unmapped && seen.times > 0);
        unread.extend(
            seen.map(|(field, _)| (ledger.table.provider, field.message.clone(), field.path.clone())),
        );
    }
    Ok(unread)
}

/// What gets lost of the recordings in a folder, as a text.
///
/// # Errors
///
/// When something gets lost, and as [`generate`].
pub fn report(root: &Path, captures: &Path) -> Result<String, String> {
    let mut text = String::new();
    let mut lost = 0;
    for (provider, conservation) in conservation(root, captures)? {
        text.push_str(&format!(
            "{provider}: {} strings of {LONG} or more characters: {} in events, {} left out with the reason, {} lost\n{}",
            conservation.seen(),
            conservation.reached,
            conservation.left,
            conservation.lost(),
            conservation.report()
        ));
        lost += conservation.lost();
    }
    let text = text.trim_end().to_owned();
    if lost == 0 { Ok(text) } else { Err(text) }
}

fn ledger(root: &Path, map: &maps::Map) -> Result<Ledger, String> {
    let (table, fields) = (map.table, map.coverage(root)?);
    let tree = Tree::new(&fields);
    let mut counts = Counts::new(fields.len());
    let mut conservation = Conservation::default();
    let recordings = captures::of(&root.join(captures::FOLDER), table.provider)?;
    for recording in &recordings {
        let stream = recording.read()?;
        count(table, &tree, &stream, &mut counts);
        conservation.add(table, &fields, &tree, &stream);
    }
    Ok(Ledger { table, fields, counts, conservation, recordings: recordings.len() })
}

/// Counts the messages of a stream.
fn count(table: &Table, tree: &Tree, stream: &[u8], counts: &mut Counts) {
    each_message(table, stream, |name, message| counts.add(tree, name, message));
}

/// Calls `each` for every message of a stream, with its type. What is no JSON has no type.
pub fn each_message(table: &Table, stream: &[u8], mut each: impl FnMut(&str, &Value)) {
    let mut framer = Framer::for_table(table, DEFAULT_LIMIT);
    let mut parse = |frame: interlingua::framing::Frame<'_>| {
        if let Ok(message) = serde_json::from_slice(frame.bytes) {
            let message = route::unwrapped(table, &message);
            each(&message_type(table, message), message);
        }
    };
    framer.push(stream, &mut parse);
    framer.finish(&mut parse);
}
