//! Tables of tools: that each tool stands in one row, and that versions are versions.

use super::Checker;
use crate::ast::{ToolName, Word};
use crate::diagnostic::Fault;

impl Checker<'_, '_> {
    pub(super) fn tools(&mut self) {
        let map = self.map;
        self.declared_once("tool", map.tools.iter().map(|tool| &tool.name));
        for native in map.tools.iter().flat_map(|tool| &tool.names) {
            self.versions(native);
        }
    }

    fn versions(&mut self, native: &ToolName) {
        let since = native.since.as_ref().and_then(|word| Some((self.version(word)?, word)));
        let until = native.until.as_ref().and_then(|word| Some((self.version(word)?, word)));
        if let (Some((since, first)), Some((until, last))) = (since, until)
            && since > until
        {
            let message = format!(
                "`{}` ends with version `{}` before it begins with `{}`",
                native.name.text, last.text, first.text
            );
            self.fault(Fault::new(last.span, message));
        }
    }

    fn version(&mut self, word: &Word) -> Option<Vec<u64>> {
        let numbers = numbers(&word.text);
        if numbers.is_none() {
            let message =
                format!("`{}` is no version: numbers with dots between them, like `2.1.0`", word.text);
            self.fault(Fault::new(word.span, message));
        }
        numbers
    }
}

/// The numbers of a version; what stands behind a `-` or `+` only marks a build.
fn numbers(version: &str) -> Option<Vec<u64>> {
    let plain = version.split(['-', '+']).next().unwrap_or_default();
    plain.split('.').map(|number| number.parse().ok()).collect()
}
