//! Where a bracket most likely lacks its partner.

/// The first line whose indentation does not fit its brackets: one that opens what only a line further left
/// closes, or that closes what a line further left opened, or nothing.
///
/// It trusts that the text was indented before the bracket was lost, so it is only a hint.
pub(super) fn astray(text: &str) -> Option<usize> {
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let indentation = line.len() - line.trim_start().len();
        let mut first = true;
        for bracket in brackets(line) {
            match bracket {
                '{' | '[' | '(' => open.push((number, indentation)),
                _ => match open.pop() {
                    None => return Some(number),
                    // Only a bracket that begins its line tells where its partner's line begins.
                    Some((opened, wanted)) if first && starts_with_closing(line) && wanted != indentation => {
                        return Some(if indentation < wanted { opened } else { number });
                    }
                    Some(_) => {}
                },
            }
            first = false;
        }
    }
    // The innermost bracket that is still open.
    open.last().map(|(number, _)| *number)
}

fn starts_with_closing(line: &str) -> bool {
    line.trim_start().starts_with(['}', ']', ')'])
}

/// The brackets of a line, without those in texts and in a comment at its end.
fn brackets(line: &str) -> impl Iterator<Item = char> {
    let code = line.split("//").next().unwrap_or_default();
    // Every second piece between quotes is a text.
    code.split('"').step_by(2).flat_map(str::chars).filter(|char| "{}[]()".contains(*char))
}

#[cfg(test)]
mod tests {
    use super::astray;

    #[test]
    fn the_line_that_lacks_a_partner_is_found() {
        assert_eq!(astray("a {\n    on b {\n        c { d }\n    on e { }\n}\n"), Some(2));
        assert_eq!(astray("a {\n    on b\n        c { d }\n    }\n}\n"), Some(4));
        assert_eq!(astray("a {\n    b \"{\" // {\n"), Some(1));
        assert_eq!(astray("a {\n    b [c] (d)\n}\n"), None);
    }
}
