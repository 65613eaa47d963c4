//! The answer as text.

use interlingua_codegen::Diagnostic;

use super::compare::{Change, What};
use super::touched::Touched;

/// How many names a line lists before it only counts.
const NAMES: usize = 6;

/// How many additions are listed one by one before they are only counted.
const ADDITIONS: usize = 10;

/// What is printed, section by section.
#[derive(Debug, Default)]
pub struct Page {
    text: String,
}

impl Page {
    /// The whole text.
    pub fn text(&self) -> String {
        if self.text.is_empty() { "no difference".to_owned() } else { self.text.trim_end().to_owned() }
    }

    /// A line.
    pub fn note(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn section(&mut self, title: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.note(title);
    }

    /// The changes: first those of what the map reads, with the rules that read it, then the others, then additions,
    /// of which many are only counted unless `all` is wanted.
    pub fn changes(&mut self, changes: &[Change], all: bool, touched: impl Fn(&Change) -> Vec<String>) {
        let touched: Vec<(&Change, Vec<String>)> =
            changes.iter().map(|change| (change, touched(change))).collect();
        let (read, unread): (Vec<_>, Vec<_>) = touched.into_iter().partition(|(_, rules)| !rules.is_empty());
        let (added, other): (Vec<&Change>, Vec<&Change>) =
            unread.into_iter().map(|(change, _)| change).partition(|change| change.what.is_only_more());
        if !read.is_empty() {
            self.section("changes of what the map reads");
        }
        for (change, rules) in read {
            self.note(&format!("  {}", words(change)));
            self.note(&format!("      read by {}", list(&rules)));
        }
        if !other.is_empty() {
            self.section("other changes");
            other.iter().for_each(|change| self.note(&format!("  {}", words(change))));
        }
        self.additions(&added, all);
    }

    fn additions(&mut self, added: &[&Change], all: bool) {
        if added.is_empty() {
            return;
        }
        self.section("additions");
        if all || added.len() <= ADDITIONS {
            added.iter().for_each(|change| self.note(&format!("  {}", words(change))));
            return;
        }
        for kind in ["definitions", "variants", "members", "values", "types"] {
            let names: Vec<String> =
                added.iter().filter(|change| kind_of(change) == kind).map(|change| short(change)).collect();
            if !names.is_empty() {
                self.note(&format!("  {:<4} {kind:<12}{}", names.len(), list(&names)));
            }
        }
    }

    /// Message types that came and went.
    pub fn messages(&mut self, (came, went): &(Vec<String>, Vec<String>)) {
        if came.is_empty() && went.is_empty() {
            return;
        }
        self.section("message types");
        came.iter().for_each(|name| self.note(&format!("  added    {name}")));
        went.iter().for_each(|name| self.note(&format!("  removed  {name}")));
    }

    /// What the changes touch.
    pub fn touched(&mut self, touched: &Touched) {
        let rules: Vec<String> = touched.rules.iter().cloned().collect();
        let documents: Vec<String> = touched.documents.iter().cloned().collect();
        let lines = [
            ("rules", &rules),
            ("recordings", &touched.recordings),
            ("documents", &documents),
            ("generated", &touched.generated),
        ];
        if lines.iter().all(|(_, names)| names.is_empty()) {
            return;
        }
        self.section("touched");
        for (what, names) in lines.into_iter().filter(|(_, names)| !names.is_empty()) {
            self.note(&format!("  {what:<11}{}", list(names)));
        }
    }

    /// What must be done before the map compiles again.
    pub fn tasks(&mut self, refused: &[String], faults: &[Diagnostic]) {
        if !refused.is_empty() {
            self.section("additions that no longer apply");
            refused.iter().for_each(|error| self.note(&format!("  {error}")));
        }
        if !faults.is_empty() {
            self.section("what does not compile");
        }
        // What is gone is often read in many places, and is told once.
        let mut told: Vec<&Diagnostic> = Vec::new();
        for fault in faults {
            let same = |other: &Diagnostic| {
                (&other.file, &other.message, &other.help) == (&fault.file, &fault.message, &fault.help)
            };
            if told.iter().any(|known| same(known)) {
                continue;
            }
            told.push(fault);
            let places = faults.iter().filter(|other| same(other));
            let places: Vec<String> =
                places.map(|place| format!("{}:{}", place.line, place.column)).collect();
            self.note(&format!("  {}:{}: {}", fault.file, list(&places), fault.message));
            if let Some(help) = &fault.help {
                self.note(&format!("    help: {help}"));
            }
        }
    }
}

/// The place of a change.
fn place(change: &Change) -> String {
    match change.path.as_str() {
        "" => format!("`{}`", change.definition),
        path if path.starts_with('(') => format!("`{}{path}`", change.definition),
        path => format!("`{}.{path}`", change.definition),
    }
}

/// What is added, in one word.
fn kind_of(change: &Change) -> &'static str {
    match &change.what {
        What::Values(..) => "values",
        What::Retyped(..) => "types",
        _ if change.path.is_empty() => "definitions",
        _ if change.path.ends_with(')') => "variants",
        _ => "members",
    }
}

/// An addition in a line with others of its kind.
fn short(change: &Change) -> String {
    match &change.what {
        What::Values(gained, _) => format!("{} ({})", place(change), list(&in_backticks(gained))),
        What::Retyped(gained, _) => format!("{} ({})", place(change), list(gained)),
        _ => place(change),
    }
}

fn in_backticks(values: &[String]) -> Vec<String> {
    values.iter().map(|value| format!("`{value}`")).collect()
}

fn words(change: &Change) -> String {
    let place = place(change);
    let values = |values: &[String]| list(&in_backticks(values));
    match &change.what {
        What::Added(ty) => format!("added    {place}: {ty}"),
        What::Removed(ty) => format!("removed  {place}: {ty}"),
        What::Renamed(name) => format!("renamed  {place} is now `{name}`"),
        What::Retyped(gained, lost) if lost.is_empty() => {
            format!("retyped  {place} may also be {}", any_of(gained))
        }
        What::Retyped(gained, lost) if gained.is_empty() => {
            format!("retyped  {place} is no longer {}", any_of(lost))
        }
        What::Retyped(gained, lost) => {
            format!("retyped  {place} was {}, is now {}", any_of(lost), any_of(gained))
        }
        What::Values(gained, lost) if lost.is_empty() => {
            format!("values   {place} gained {}", values(gained))
        }
        What::Values(gained, lost) if gained.is_empty() => format!("values   {place} lost {}", values(lost)),
        What::Values(gained, lost) => {
            format!("values   {place} gained {} and lost {}", values(gained), values(lost))
        }
    }
}

/// Types, any of which it may be; of many, the first ones and how many more there are.
fn any_of(types: &[String]) -> String {
    if types.len() > NAMES { list(types) } else { types.join(" or ") }
}

/// Names in a line; of many, the first ones and how many more there are.
fn list(names: &[String]) -> String {
    let shown = names.iter().take(NAMES).cloned().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(NAMES) {
        Some(more) if more > 0 => format!("{shown}, and {more} more"),
        _ => shown,
    }
}
