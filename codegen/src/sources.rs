//! The files of a map: itself, and those that it includes.
//!
//! The tokens of an included file have no place of their own in what rustc knows. So each such file is read with as many
//! empty lines before it that the lines of all files together are distinct: the line of a token tells its file.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use interlingua_table::Place;
use proc_macro2::Span;

use crate::ast::{Map, Word};
use crate::diagnostic::Fault;
use crate::load::Load;
use crate::parse;

/// How many lines a file may have.
const LINES: usize = 1 << 16;

/// Where a token stands: the number of its file, and the line there.
pub(crate) fn place(span: Span) -> Place {
    let start = span.start();
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    Place {
        file: u16::try_from(start.line / LINES).unwrap_or(u16::MAX),
        line: number(start.line % LINES),
        column: number(start.column + 1),
    }
}

/// The line of a token, for a sentence about another token.
pub(crate) fn line_from(span: Span, other: Span) -> String {
    let (place, other) = (place(span), place(other));
    let line = format!("line {}", place.line);
    match (place.file == other.file, place.file) {
        (true, _) => line,
        (false, 0) => format!("{line} of the map itself"),
        (false, _) => format!("{line} of an included file"),
    }
}

/// The files of a map.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// The files that are included, as they are named from where the map is, and where the map includes them.
    included: Vec<(String, Span)>,
}

impl Sources {
    /// The files that the map in `file` includes, named as that is.
    pub(crate) fn names(&self, file: &str) -> impl Iterator<Item = String> {
        self.included.iter().map(move |(name, _)| beside(file, name))
    }

    /// The faults with what is known of their place.
    pub(crate) fn located(&self, faults: Vec<Fault>, file: &str) -> Vec<Fault> {
        let locate = |mut fault: Fault| {
            fault.place = place(fault.span);
            fault.file = file.to_owned();
            if let Some(number) = fault.place.file.checked_sub(1)
                && let Some((name, from)) = self.included.get(usize::from(number))
            {
                fault.file = beside(file, name);
                fault.span = *from;
            }
            fault
        };
        faults.into_iter().map(locate).collect()
    }

    /// Reads the files that a map includes while the map is read.
    pub(crate) fn reader<'r>(&'r mut self, load: &'r mut dyn Load) -> Reader<'r> {
        Reader { sources: self, load, open: Vec::new(), seen: HashSet::new() }
    }
}

/// Reads the files that a map includes.
pub(crate) struct Reader<'r> {
    sources: &'r mut Sources,
    load: &'r mut dyn Load,
    /// The files that are being read, from the outside in, and where the map itself includes the first one.
    open: Vec<String>,
    seen: HashSet<String>,
}

impl Reader<'_> {
    pub(crate) fn include(&mut self, file: &Word) -> Result<Map, Vec<Fault>> {
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
        let number = self.sources.included.len() + 1;
        if text.lines().count() >= LINES || number >= usize::from(u16::MAX) {
            return Err(fault(format!("`{name}` has more lines than the {LINES} that a file may have")));
        }
        // Only the map's own tokens have a place that rustc can show.
        let from = match place(file.span).file.checked_sub(1) {
            Some(outer) => self.sources.included[usize::from(outer)].1,
            None => file.span,
        };
        self.sources.included.push((name.clone(), from));
        self.open.push(name);
        let read = parse::included(&text, number * LINES, from, &mut |word| self.include(word));
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
    use super::{beside, plain};
    use std::path::Path;

    #[test]
    fn files_are_named_from_where_the_map_is() {
        assert_eq!(beside("shared/a.map", "b.map"), "shared/b.map");
        assert_eq!(beside("shared/a.map", "../b.map"), "b.map");
        assert_eq!(plain(Path::new("./x/../../b.map")), "../b.map");
    }
}
