//! Diffs in colours.

use anstyle::Style;

use super::style::{ADDED, QUIET, REMOVED};
use crate::output;

/// The lines of a unified diff, each with its colour.
pub fn lines(diff: &str) -> Vec<String> {
    diff.lines()
        .map(|line| {
            let style = match line.as_bytes().first() {
                Some(b'+') => ADDED,
                Some(b'-') => REMOVED,
                Some(b'@') => QUIET,
                _ => Style::new(),
            };
            format!("{style}{}{style:#}", output::text(line))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_colours_and_nothing_else_passes() {
        let lines = lines("@@ -1 +1 @@\n-a\n+b\x1b[2J\n c");
        assert_eq!(lines[1], "\x1b[31m-a\x1b[0m");
        assert_eq!(lines[2], "\x1b[32m+b\\u{1b}[2J\x1b[0m");
        assert_eq!(lines[3], " c");
    }
}
