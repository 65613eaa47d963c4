//! `docs/term-mapping.md`: the universal terms, and what each provider calls them.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use interlingua_codegen::describe::{self, Cell, Native, Need, Section, Source, Synthetic};
use interlingua_table::{Layer, Table};
use serde::Deserialize;

use crate::maps::{self, Map};
use crate::markdown::{code, escape};
use crate::regen::{COMMAND, Generated};

/// How many native terms a cell shows; the provider's own page has all of them.
const SHOWN: usize = 8;

const INTRODUCTION: &str = "\
What each universal term is in each provider's language, as the [term maps](../resources/term-maps) say; \
every native term links to its rule. A native term is a message by its type (`assistant`), with the element \
in it (`message.content[]/tool_use`), or a path. *Italics* say what holds where the provider has no such \
term; *synthetic* is what we conclude ourselves and mark with `origin: daemon`. \
The same table in a terminal: `interlingua terms`.

Each message and each field of a provider, with what becomes of it:
";

const IDENTIFIERS: &str = "
- `session_id` is always ours; `native_session_id` is the provider's only session identifier, whether it is \
called a session, a thread or a run.
- `native_item_id` is the native id of a message or an item, where there is one. `item_id` is the same where \
that is unique in the session, and otherwise made by us: synthetic ids have no `native_item_id`.
- A call and its result share their native id: `item_id` of the result is that of the call with `/result`.
";

const SYNTHETICS: &str = "
What a provider does not say is concluded from what it does, and marked with `origin: daemon`. *always* means \
that the provider has no term for it, *if missing* that it is added only to a stream that lacks the term.
";

const DELTAS: &str = "
- There is an `item.delta` for every text, on every provider.
- Native deltas are forwarded as they come; `item.completed` follows when the content is final, and says the \
same text.
- A text that comes whole, where no deltas told it before, is one synthetic delta with the whole content before \
`item.completed`.
- A text so far (a snapshot) gives its new end as a delta; a text that is said again gives nothing, or an \
`item.updated` where it differs.
";

const MESSAGES: &str = "
- Who speaks is the item's `role`, whether the provider tells it by a role, a message type or an item type; \
injected texts keep the role of the message that they come in, and `source` tells who wrote them.
- Tool calls and their results are items of their own on every provider, with `item.started` and \
`item.completed`; `parent_id` of a call points to its message, that of a result to its call.
- A part that comes before its message starts a stub of it (origin daemon), so that its deltas have a parent; \
the message's own line gives the role later.
";

const DIFFERENCES: &str = "
The first edition of this table was written by hand. Every statement of it holds and is tested, but for these: \
the programs do something else, as a recording shows.

| provider | term | it said | the program | recording |
|---|---|---|---|---|
";

/// Where the differences from the first edition stand, below the repository's root.
const DIFFERENCES_FILE: &str = "runtime/tests/seed_table/differences.json";

/// A difference from the first edition.
#[derive(Deserialize)]
struct Difference {
    provider: String,
    row: String,
    seed: String,
    instead: String,
    capture: String,
}

/// Makes the page.
///
/// # Errors
///
/// When a map does not compile.
pub fn generate(root: &Path) -> Result<Vec<Generated>, String> {
    let mut maps = maps::compile(root)?;
    // The streams of models are told in other terms, which their own pages show.
    maps.retain(|map| map.table.layer == Layer::Agent);
    let mut text = page(&maps);
    let file = root.join(DIFFERENCES_FILE);
    // A repository with other providers has no first edition to differ from.
    if file.is_file() {
        let failed = |error: String| format!("{DIFFERENCES_FILE}: {error}");
        let json = fs::read_to_string(&file).map_err(|error| failed(error.to_string()))?;
        let differences: Vec<Difference> =
            serde_json::from_str(&json).map_err(|error| failed(error.to_string()))?;
        differences_from_the_first(&mut text, &maps, &differences);
    }
    Ok(vec![(PathBuf::from("docs/term-mapping.md"), text)])
}

fn differences_from_the_first(text: &mut String, maps: &[Map], differences: &[Difference]) {
    let _ = write!(text, "\n## Differences from the first edition\n{DIFFERENCES}");
    for map in maps {
        for difference in differences.iter().filter(|difference| difference.provider == map.table.provider) {
            let Difference { row, seed, instead, capture, .. } = difference;
            let _ = writeln!(
                text,
                "| {} | {} | {} | {instead} | [{}](../resources/captures/{capture}) |",
                escape(map.table.title),
                escape(row),
                escape(seed),
                escape(capture),
            );
        }
    }
}

fn page(maps: &[Map]) -> String {
    let tables: Vec<&'static Table> = maps.iter().map(|map| map.table).collect();
    let mut text = format!(
        "<!-- Generated by `{COMMAND}` from {}; do not edit by hand. -->\n\n\
         # Universal ↔ agent term mapping\n\n{INTRODUCTION}\n",
        maps::FOLDER
    );
    for table in &tables {
        let _ = writeln!(text, "- [{}](providers/{}.md)", escape(table.title), table.provider);
    }
    for part in describe::universal(&tables) {
        if part.title == "Delta handling" {
            synthetics(&mut text, maps, &describe::synthetics(&tables));
        }
        section(&mut text, maps, &part);
        text.push_str(match part.title {
            "Identifiers" => IDENTIFIERS,
            "Delta handling" => DELTAS,
            "Message normalisation" => MESSAGES,
            _ => "",
        });
    }
    text
}

/// The first lines of a table: these columns, then one for each provider.
fn head(text: &mut String, maps: &[Map], title: &str, columns: &[&str]) {
    let titles = maps.iter().map(|map| escape(map.table.title));
    let names: Vec<String> = columns.iter().map(ToString::to_string).chain(titles).collect();
    let _ = writeln!(text, "\n## {title}\n\n| {} |\n|{}", names.join(" | "), "---|".repeat(names.len()));
}

fn section(text: &mut String, maps: &[Map], section: &Section) {
    head(text, maps, section.title, &["universal term"]);
    for row in &section.rows {
        let cells: Vec<String> = maps.iter().zip(&row.cells).map(|(map, cell)| filled(map, cell)).collect();
        let _ = writeln!(text, "| **{}** | {} |", escape(row.term), cells.join(" | "));
    }
}

fn filled(map: &Map, cell: &Cell) -> String {
    match (cell.natives.as_slice(), cell.also) {
        ([], _) => format!("*{}*", cell.otherwise),
        (found, false) => natives(map, found),
        (found, true) => format!("{}<br>*else {}*", natives(map, found), cell.otherwise),
    }
}

fn natives(map: &Map, natives: &[Native]) -> String {
    let mut lines: Vec<String> = natives.iter().map(|native| linked(map, native)).collect();
    if lines.len() > SHOWN + 1 {
        let more = lines.len() - SHOWN;
        lines.truncate(SHOWN);
        lines.push(format!("[… {more} more](providers/{}.md)", map.table.provider));
    }
    lines.join("<br>")
}

fn linked(map: &Map, native: &Native) -> String {
    let (file, line) = match native.source {
        Source::Term(place) => (map.file_of(place), place.line as usize),
        Source::Setting(name) => (map.file(), map.line_of_setting(name)),
    };
    format!("[{}]({}#L{line})", code(&native.text), Path::new("..").join(file).display())
}

fn synthetics(text: &mut String, maps: &[Map], synthetics: &[Synthetic]) {
    head(text, maps, "Synthetics", &["synthetic element", "when it appears", "stored as"]);
    for synthetic in synthetics {
        let needs: Vec<String> = maps
            .iter()
            .zip(&synthetic.needs)
            .map(|(map, need)| match need {
                Need::Always => "*always*".to_string(),
                Need::Sometimes => "*if missing*".to_string(),
                Need::Never => "*never*".to_string(),
                Need::For(found) => natives(map, found),
            })
            .collect();
        let _ = writeln!(
            text,
            "| **{}** | {} | {} | {} |",
            escape(synthetic.element),
            synthetic.when,
            synthetic.stored_as,
            needs.join(" | ")
        );
    }
    text.push_str(SYNTHETICS);
}
