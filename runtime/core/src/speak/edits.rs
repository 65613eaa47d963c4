//! What changes of files say in both texts: protocols that show changes want the old text and the new one, and agents tell
//! most changes as unified diffs.

use crate::vocabulary::{ChangeKind, ContentBlock, FileChange, FileEdit};

/// The edits among blocks: one for each hunk of a change. A change in another form than a unified diff gives none, unless
/// it is the whole text of a new or a deleted file.
pub(super) fn edits(content: &[ContentBlock]) -> Vec<FileEdit> {
    let changes = content.iter().filter_map(|block| match block {
        ContentBlock::FileChange(change) => Some(change),
        _ => None,
    });
    changes.flat_map(edits_of).collect()
}

fn edits_of(change: &FileChange) -> Vec<FileEdit> {
    let Some(diff) = change.diff.as_deref() else { return Vec::new() };
    let hunks = hunks(diff);
    let edit = |old: Option<String>, new: String, line| FileEdit {
        path: change.path.clone(),
        from: change.from.clone(),
        change: change.change,
        old_text: old,
        new_text: new,
        line,
    };
    match (hunks.is_empty(), change.change) {
        (false, kind) => {
            let is_new = kind == ChangeKind::Create;
            let edits = hunks.into_iter();
            edits.map(|hunk| edit(Some(hunk.old).filter(|_| !is_new), hunk.new, Some(hunk.line))).collect()
        }
        (true, ChangeKind::Create) => vec![edit(None, diff.to_owned(), None)],
        (true, ChangeKind::Delete) => vec![edit(Some(diff.to_owned()), String::new(), None)],
        (true, _) => Vec::new(),
    }
}

/// A hunk of a unified diff: its lines before and after, and where it stands after.
struct Hunk {
    old: String,
    new: String,
    line: u64,
}

fn hunks(diff: &str) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let mut lines = diff.lines();
    while let Some(line) = lines.next() {
        let Some((mut old_left, start, mut new_left)) = header(line) else { continue };
        let (mut old, mut new) = (Vec::new(), Vec::new());
        // What stands behind the counted lines is no part of the hunk.
        while old_left > 0 || new_left > 0 {
            let Some(line) = lines.next() else { break };
            let rest = line.get(1..).unwrap_or_default();
            match line.as_bytes().first() {
                Some(b'-') => {
                    old.push(rest);
                    old_left = old_left.saturating_sub(1);
                }
                Some(b'+') => {
                    new.push(rest);
                    new_left = new_left.saturating_sub(1);
                }
                // That the file has no line break at its end.
                Some(b'\\') => {}
                // Some agents cut the blank of an empty line.
                Some(b' ') | None => {
                    old.push(rest);
                    new.push(rest);
                    old_left = old_left.saturating_sub(1);
                    new_left = new_left.saturating_sub(1);
                }
                // It is no unified diff.
                Some(_) => return Vec::new(),
            }
        }
        hunks.push(Hunk { old: old.join("\n"), new: new.join("\n"), line: start });
    }
    hunks
}

/// The count of old lines, and the start and the count of the new ones, of `@@ -1,2 +3,4 @@`.
fn header(line: &str) -> Option<(u64, u64, u64)> {
    let (old, new) = line.strip_prefix("@@ -")?.split_once(" @@")?.0.split_once(" +")?;
    let range = |text: &str| match text.split_once(',') {
        Some((start, count)) => Some((start.parse::<u64>().ok()?, count.parse::<u64>().ok()?)),
        None => Some((text.parse::<u64>().ok()?, 1)),
    };
    let ((_, old), (start, new)) = (range(old)?, range(new)?);
    Some((old, start, new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: ChangeKind, diff: &str) -> Vec<(Option<String>, String, Option<u64>)> {
        let change = FileChange::new("a.txt", kind).with_diff(diff);
        edits(&[ContentBlock::FileChange(change)])
            .into_iter()
            .map(|edit| (edit.old_text, edit.new_text, edit.line))
            .collect()
    }

    #[test]
    fn each_hunk_is_an_edit_with_both_texts() {
        let diff = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n\\ No newline at end of file\n@@ -9 +9 @@ f()\n-nine\n+NINE\n\nMoved to: b";
        let expected = [
            (Some("one\ntwo".to_owned()), "one\nTWO".to_owned(), Some(1)),
            (Some("nine".to_owned()), "NINE".to_owned(), Some(9)),
        ];
        assert_eq!(of(ChangeKind::Update, diff), expected);
    }

    #[test]
    fn a_new_and_a_deleted_file_may_be_told_whole() {
        assert_eq!(of(ChangeKind::Create, "one\n"), [(None, "one\n".to_owned(), None)]);
        assert_eq!(of(ChangeKind::Delete, "one\n"), [(Some("one\n".to_owned()), String::new(), None)]);
        assert_eq!(of(ChangeKind::Create, "@@ -0,0 +1 @@\n+one"), [(None, "one".to_owned(), Some(1))]);
    }

    #[test]
    fn another_form_of_a_diff_gives_nothing() {
        assert_eq!(of(ChangeKind::Update, "-1 one\n+1 two"), []);
        assert_eq!(of(ChangeKind::Update, "@@ -1,2 +1,2 @@\nwhat?"), []);
    }
}
