//! `interlingua html`: sessions as pages that people send to each other.
//!
//! Whatever a session holds, a page runs only its own script and loads nothing: all texts are escaped by `maud`, Markdown
//! loses its HTML, and a Content-Security-Policy forbids everything else.

mod charts;
mod diff;
pub mod entries;
mod format;
mod highlight;
mod index;
mod markdown;
pub mod members;
mod page;
mod pieces;
mod redact;
mod session;
mod store;
pub mod trace;

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use self::index::Row;
use self::redact::Redactor;
use self::session::Session;
use crate::args::Source;
use crate::failure::{FINE, Failure, USAGE, warn_unparsed};
use crate::output;
use crate::stats::places::files_below;

/// The end of the command's help.
pub const HELP: &str = "\
A page is one file without anything outside: no network, no fonts, no scripts of others.
It has the conversation with its tool calls, diffs, pictures, sub-agents, plans,
permissions, errors and retries, a list of what failed, charts, and for each entry the
native lines and rules that it comes from. It works without JavaScript; with it, it has
search, keys (press ?), and diffs side by side. A long session keeps its parts compressed
until they come into view.

Where the agent does not say what a session cost, the page has the cost by the price list,
if all its calls have a price.

With several FILEs or a DIR, OUT is a folder, which also gets an index.html with totals
and charts. Of a DIR all files below it are read that end in .jsonl, .json or .sse; those
that no agent wrote are left out.

--redact replaces keys, tokens, passwords and the paths of home folders, leaves out the
native lines, and reports on stderr what it replaced. It recognizes secrets by their form:
look at the page before you publish it.

Examples:
  interlingua html session.jsonl -o session.html
  interlingua html --redact session.jsonl -o session.html
  interlingua html ~/.claude/projects -o pages/
  claude -p hi --output-format stream-json --verbose | interlingua html - -o - > page.html";

/// Options of `html`.
#[derive(Debug, Args)]
pub struct Html {
    #[command(flatten)]
    source: Source,
    /// The page to write, or a folder for the pages of several sessions; `-` is standard output
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    /// Remove secrets and the paths of home folders, and report what was removed
    #[arg(long)]
    redact: bool,
    /// What agents printed, universal streams, ids of sessions, or folders; `-` is standard input
    #[arg(value_name = "FILE|ID|DIR", required = true)]
    files: Vec<PathBuf>,
}

/// A file to read, and the name of its page.
struct Wanted {
    path: PathBuf,
    page: String,
    by_name: bool,
}

/// Runs the command.
pub fn run(options: &Html) -> Result<u8, Failure> {
    let mut redactor = options.redact.then(Redactor::default);
    let single = match options.files.as_slice() {
        [file] if !file.is_dir() && !is_folder(&options.output) => Some(file),
        _ => None,
    };
    let code = match single {
        Some(file) => one(options, file, redactor.as_mut())?,
        None => several(options, &mut redactor)?,
    };
    if let Some(redactor) = redactor {
        output::tell(format_args!("redacted: {}", redactor.report()));
    }
    Ok(code)
}

fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

fn one(options: &Html, file: &Path, redactor: Option<&mut Redactor>) -> Result<u8, Failure> {
    let session = read(&options.source, file, page_name(last(file)), redactor)?;
    let page = page::rendered(&session);
    if options.output == Path::new("-") {
        let mut to = io::stdout().lock();
        to.write_all(page.as_bytes()).and_then(|()| to.flush()).map_err(|error| Failure::output(&error))?;
    } else {
        write(&options.output, &page)?;
    }
    Ok(FINE)
}

fn several(options: &Html, redactor: &mut Option<Redactor>) -> Result<u8, Failure> {
    if options.output == Path::new("-") || options.output.is_file() {
        return Err(Failure::new(USAGE, "several sessions need a folder").help("name a folder with -o"));
    }
    let folder = &options.output;
    fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
    let mut code = FINE;
    let mut rows = Vec::new();
    for Wanted { path, page, by_name } in wanted(&options.files, &mut code) {
        match read(&options.source, &path, page.clone(), redactor.as_mut()) {
            // No agent wrote it.
            Ok(session) if session.transcript.sessions.is_empty() && !by_name => {}
            Ok(session) => {
                let page = format!("{page}.html");
                write(&folder.join(&page), &page::rendered(&session))?;
                rows.push(Row::new(&session, page));
            }
            Err(failure) if by_name => {
                failure.tell();
                code = code.max(failure.code());
            }
            Err(_) => {}
        }
    }
    let report = redactor.as_ref().map(Redactor::report);
    write(&folder.join("index.html"), &index::rendered(&rows, report.as_deref()))?;
    Ok(code)
}

fn read(
    source: &Source,
    path: &Path,
    name: String,
    redactor: Option<&mut Redactor>,
) -> Result<Session, Failure> {
    let session = Session::read(source, path, name, redactor)?;
    warn_unparsed(path, session.unparsed);
    Ok(session)
}

fn write(path: &Path, page: &str) -> Result<(), Failure> {
    fs::write(path, page).map_err(|error| Failure::writing(path, &error))
}

/// The files to read, each with a name of its own for its page.
fn wanted(files: &[PathBuf], code: &mut u8) -> Vec<Wanted> {
    let mut names = HashSet::from(["index".to_owned()]);
    let mut unique = |name: String| {
        let mut found = name.clone();
        let mut number = 2;
        while !names.insert(found.clone()) {
            found = format!("{name}-{number}");
            number += 1;
        }
        found
    };
    let mut wanted = Vec::new();
    for path in files {
        if !path.is_dir() {
            wanted.push(Wanted { path: path.clone(), page: unique(page_name(last(path))), by_name: true });
            continue;
        }
        let below = files_below(path, &["jsonl", "json", "sse"], |folder, error| {
            let failure = Failure::reading(folder, &error);
            failure.tell();
            *code = (*code).max(failure.code());
        });
        wanted.extend(below.into_iter().map(|file| {
            let page = unique(page_name(file.strip_prefix(path).unwrap_or(&file)));
            Wanted { path: file, page, by_name: false }
        }));
    }
    wanted
}

/// The name of a file without its folders, which nobody needs to know.
fn last(path: &Path) -> &Path {
    path.file_name().map_or(path, Path::new)
}

/// A name for a page that every file system takes: the path without its ending, with `-` between the folders.
fn page_name(path: &Path) -> String {
    let path = path.with_extension("");
    let parts = path.components().filter_map(|part| match part {
        std::path::Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    let joined = parts.collect::<Vec<_>>().join("-");
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let name: String = joined.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    let count = name.chars().count();
    let name: String = name.chars().skip(count.saturating_sub(120)).collect();
    let name = name.trim_start_matches(['.', '-']);
    if name.is_empty() { "session".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_named_after_their_files() {
        assert_eq!(page_name(Path::new("a/b c/1.jsonl")), "a-b_c-1");
        assert_eq!(page_name(Path::new("../x.jsonl")), "x");
        assert_eq!(page_name(Path::new("-")), "session");
    }
}
