//! The files of a map: itself, and those that it includes; and where in them something stands.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use interlingua_table::Place;

use crate::ast::{Map, Word};
use crate::diagnostic::{Diagnostic, Excerpt, Fault};
use crate::load::Load;
use crate::parse;

/// A piece of one of a map's files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Span {
    /// The number of the file: 0 for the map itself.
    pub file: u16,
    /// Where it starts, in bytes.
    pub start: u32,
    /// Where it ends, in bytes.
    pub end: u32,
}

/// A file of a map.
#[derive(Debug)]
struct File {
    /// Its path, from the folder of the map; empty for the map itself.
    name: String,
    text: String,
    /// Where each line starts, in bytes.
    lines: Vec<u32>,
    /// The `include` of the map itself through which the file was included.
    from: Span,
}

/// The files of a map. A copy shares them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sources {
    files: Vec<Rc<File>>,
}

impl Sources {
    /// Adds a file, and gives its number.
    fn add(&mut self, name: String, text: String, from: Span) -> Option<u16> {
        let number = u16::try_from(self.files.len()).ok()?;
        u32::try_from(text.len()).ok()?;
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = ends.map(|(end, _)| u32::try_from(end + 1).unwrap_or(u32::MAX));
        let lines = std::iter::once(0).chain(starts).collect();
        self.files.push(Rc::new(File { name, text, lines, from }));
        Some(number)
    }

    /// The file's line with this place in it, and the column, both from 0; the column is counted in characters.
    fn line(&self, span: Span) -> (&str, usize, usize) {
        let Some(file) = self.files.get(usize::from(span.file)) else { return ("", 0, 0) };
        let number = file.lines.partition_point(|start| *start <= span.start).saturating_sub(1);
        let start = file.lines.get(number).map_or(0, |start| *start as usize);
        let rest = file.text.get(start..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default().trim_end_matches('\r');
        let before = line.get(..span.start as usize - start).unwrap_or(line);
        (line, number, before.chars().count())
    }

    /// The number of the file, the line and the column.
    pub(crate) fn place(&self, span: Span) -> Place {
        let (_, line, column) = self.line(span);
        let number = |number: usize| u32::try_from(number + 1).unwrap_or(u32::MAX);
        Place { file: span.file, line: number(line), column: number(column) }
    }

    /// The line of something, for a sentence about something else.
    pub(crate) fn line_from(&self, span: Span, other: Span) -> String {
        let line = format!("line {}", self.place(span).line);
        match self.files.get(usize::from(span.file)) {
            _ if span.file == other.file => line,
            Some(file) if span.file > 0 => format!("{line} of `{}`", file.name),
            _ => format!("{line} of the map itself"),
        }
    }

    /// The files that the map in `file` includes, named as that is.
    pub(crate) fn names(&self, file: &str) -> impl Iterator<Item = String> {
        self.files.iter().skip(1).map(move |included| beside(file, &included.name))
    }

    /// The faults of the map in `file`, each once and in the order of their places, as plain data. Steps of a block are
    /// checked wherever the block is used.
    pub(crate) fn diagnostics(&self, mut faults: Vec<Fault>, file: &str) -> Vec<Diagnostic> {
        faults.sort_by_key(|fault| (fault.span.file, fault.span.start));
        let mut seen = HashSet::new();
        faults.retain(|fault| seen.insert((fault.span.file, fault.span.start, fault.message.clone())));
        faults.into_iter().map(|fault| self.diagnostic(fault, file)).collect()
    }

    fn diagnostic(&self, fault: Fault, file: &str) -> Diagnostic {
        let (line, number, column) = self.line(fault.span);
        let source = self.files.get(usize::from(fault.span.file));
        let of_span =
            source.and_then(|source| source.text.get(fault.span.start as usize..fault.span.end as usize));
        let on_line = of_span.unwrap_or_default().lines().next().unwrap_or_default();
        let included = source.filter(|_| fault.span.file > 0);
        let in_map = included.map_or(fault.span, |included| included.from);
        let (_, map_line, map_column) = self.line(in_map);
        Diagnostic {
            file: included.map_or_else(|| file.to_owned(), |included| beside(file, &included.name)),
            line: number + 1,
            column: column + 1,
            message: fault.message,
            help: fault.help,
            excerpt: Excerpt { line: line.to_owned(), width: on_line.chars().count().max(1) },
            in_map: (map_line + 1, map_column + 1),
            is_included: included.is_some(),
        }
    }
}

/// Reads a map and the files that it includes.
pub(crate) struct Reader<'r> {
    pub(crate) sources: Sources,
    load: &'r mut dyn Load,
    /// The files that are being read, from the outside in.
    open: Vec<String>,
    seen: HashSet<String>,
}

impl<'r> Reader<'r> {
    pub(crate) fn new(load: &'r mut dyn Load) -> Self {
        Self { sources: Sources::default(), load, open: Vec::new(), seen: HashSet::new() }
    }

    /// Reads the map itself.
    pub(crate) fn map(&mut self, text: &str) -> Result<Map, Vec<Fault>> {
        let Some(number) = self.sources.add(String::new(), text.to_owned(), Span::default()) else {
            return Err(vec![Fault::new(Span::default(), "the map has more than four gigabytes")]);
        };
        let mut map = parse::file(text, number, false, &mut |word| self.include(word))?;
        map.sources = self.sources.clone();
        Ok(map)
    }

    fn include(&mut self, file: &Word) -> Result<Map, Vec<Fault>> {
        let fault = |message: String| vec![Fault::new(file.span, message)];
        let name = match self.open.last() {
            Some(outer) => beside(outer, &file.text),
            None => plain(Path::new(&file.text)),
        };
        if !self.seen.insert(name.clone()) {
            return Err(fault(format!("`{name}` is included already")));
        }
        let text =
            self.load.include(&name).map_err(|error| fault(format!("cannot include `{name}`: {error}")))?;
        let from = match self.sources.files.get(usize::from(file.span.file)) {
            Some(outer) if file.span.file > 0 => outer.from,
            _ => file.span,
        };
        let Some(number) = self.sources.add(name.clone(), text.clone(), from) else {
            return Err(fault(format!("`{name}` is one file too many, or too long")));
        };
        self.open.push(name);
        let read = parse::file(&text, number, true, &mut |word| self.include(word));
        self.open.pop();
        read
    }
}

/// A file that another one names.
fn beside(file: &str, named: &str) -> String {
    plain(&Path::new(file).parent().unwrap_or(Path::new("")).join(named))
}

/// A path without the `.` and `..` that it can do without, with `/` between its parts.
fn plain(path: &Path) -> String {
    slashed(&shortened(path))
}

/// A path as text, with `/` between its parts.
pub(crate) fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// A path without the `.` and `..` that it can do without.
pub(crate) fn shortened(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            _ => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{Sources, Span, beside, plain};
    use std::path::Path;

    #[test]
    fn files_are_named_from_where_the_map_is() {
        assert_eq!(beside("shared/a.map", "b.map"), "shared/b.map");
        assert_eq!(beside("shared/a.map", "../b.map"), "b.map");
        assert_eq!(plain(Path::new("./x/../../b.map")), "../b.map");
    }

    #[test]
    fn columns_count_characters_and_not_bytes() {
        let mut sources = Sources::default();
        sources.add(String::new(), "a\nüö x\r\n".to_owned(), Span::default());
        let place = sources.place(Span { file: 0, start: 7, end: 8 });
        assert_eq!((place.line, place.column), (2, 4));
        assert_eq!(sources.line(Span { file: 0, start: 7, end: 8 }).0, "üö x");
    }
}
