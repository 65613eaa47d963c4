//! The difference between two texts.

use similar::TextDiff;

/// How many lines two texts may have together after what they share at both ends: of longer ones, the whole text is
/// replaced, since looking for what else they share takes the square of that.
const MOST_LINES: usize = 4096;

/// A unified diff in which the rest of the texts is context, so that both can be put together again: the event has
/// nothing else of them. Empty when the texts are equal.
pub(crate) fn unified_diff(old: &str, new: &str) -> String {
    let (old_lines, new_lines) = (lines(old), lines(new));
    let same = |(one, other): &(&&str, &&str)| one == other;
    let before = old_lines.iter().zip(&new_lines).take_while(same).count();
    let (old_rest, new_rest) = (&old_lines[before..], &new_lines[before..]);
    let after = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
    let (old_len, new_len) = (old_rest.len() - after, new_rest.len() - after);
    if old_len + new_len <= MOST_LINES {
        let diff = TextDiff::configure().newline_terminated(true).diff_slices(&old_lines, &new_lines);
        return diff.unified_diff().context_radius(old_lines.len() + new_lines.len()).to_string();
    }
    let mut diff = format!("@@ -{} +{} @@\n", range(before, old_len), range(before, new_len));
    let sides = [('-', &old_rest[..old_len]), ('+', &new_rest[..new_len])];
    for (sign, line) in sides.iter().flat_map(|(sign, lines)| lines.iter().map(move |line| (sign, line))) {
        diff.push(*sign);
        diff.push_str(line);
        if !line.ends_with('\n') {
            diff.push_str("\n\\ No newline at end of file\n");
        }
    }
    diff
}

/// Lines with their ends.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// A range of lines as a hunk names it.
fn range(before: usize, count: usize) -> String {
    format!("{},{count}", if count == 0 { before } else { before + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_its_context() {
        let old = "a\nb\nc\nd\ne\nf\n";
        let new = "a\nb\nc\nD\ne\nf\n";
        assert_eq!(unified_diff(old, new), "@@ -1,6 +1,6 @@\n a\n b\n c\n-d\n+D\n e\n f\n");
        assert_eq!(unified_diff(old, old), "");
    }

    #[test]
    fn a_new_file_is_added_and_a_missing_line_end_is_told() {
        assert_eq!(unified_diff("", "a\nb"), "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n");
    }

    #[test]
    fn very_different_long_texts_replace_each_other() {
        let text = |sign: &str| (0..3000).map(|line| format!("{sign}{line}\n")).collect::<String>();
        let diff = unified_diff(&format!("same\n{}", text("a")), &format!("same\n{}", text("b")));
        assert!(diff.starts_with("@@ -2,3000 +2,3000 @@\n-a0\n"), "{}", &diff[..40]);
        assert_eq!(diff.lines().count(), 6001);
    }
}
