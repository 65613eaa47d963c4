//! The answer as text.

use super::compare::{Change, What};
use super::touched::Touched;

/// How many names a line lists before it only counts.
const NAMES: usize = 6;

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

    /// The changes, each with the rules that it touches.
    pub fn changes(&mut self, changes: &[Change], touched: impl Fn(&Change) -> Vec<String>) {
        if changes.is_empty() {
            return;
        }
        self.section("changed in the schema");
        for change in changes {
            self.note(&format!("  {}", words(change)));
            let rules = touched(change);
            if !rules.is_empty() {
                self.note(&format!("      read by {}", list(&rules)));
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
    pub fn tasks(&mut self, refused: &[String], faults: &[String]) {
        if !refused.is_empty() {
            self.section("additions that no longer apply");
            refused.iter().for_each(|error| self.note(&format!("  {error}")));
        }
        if !faults.is_empty() {
            self.section("what does not compile");
            for line in faults.iter().flat_map(|fault| fault.lines()) {
                self.note(&format!("  {line}"));
            }
        }
    }
}

fn words(change: &Change) -> String {
    let place = match change.path.as_str() {
        "" => format!("`{}`", change.definition),
        path if path.starts_with('(') => format!("`{}{path}`", change.definition),
        path => format!("`{}.{path}`", change.definition),
    };
    let values =
        |values: &[String]| values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
    match &change.what {
        What::Added(ty) => format!("added    {place}: {ty}"),
        What::Removed(ty) => format!("removed  {place}: {ty}"),
        What::Renamed(name) => format!("renamed  {place} is now `{name}`"),
        What::Retyped(gained, lost) if lost.is_empty() => {
            format!("retyped  {place} may also be {}", gained.join(" or "))
        }
        What::Retyped(gained, lost) if gained.is_empty() => {
            format!("retyped  {place} is no longer {}", lost.join(" or "))
        }
        What::Retyped(gained, lost) => {
            format!("retyped  {place} was {}, is now {}", lost.join(" or "), gained.join(" or "))
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

/// Names in a line; of many, the first ones and how many more there are.
fn list(names: &[String]) -> String {
    let shown = names.iter().take(NAMES).cloned().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(NAMES) {
        Some(more) if more > 0 => format!("{shown}, and {more} more"),
        _ => shown,
    }
}
