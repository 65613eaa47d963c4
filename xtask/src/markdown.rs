//! The little of Markdown that the generated pages need.

/// Text that means itself in a table's cell.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' => escaped.extend(['\\', character]),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\n' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Code in a table's cell. A table splits at `|` even inside code, so that it is escaped there too.
pub fn code(text: &str) -> String {
    let text = text.replace('|', "\\|").replace('\n', " ");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// A page with the text between two marks replaced; the rest of it is left alone.
///
/// # Errors
///
/// When the page has lost its marks.
pub fn between(page: &str, file: &str, [begin, end]: [&str; 2], text: &str) -> Result<String, String> {
    let parts = page.split_once(begin).and_then(|(before, rest)| {
        rest.split_once(end).map(|(_, after)| format!("{before}{begin}\n{text}{end}{after}"))
    });
    parts.ok_or_else(|| format!("{file}: needs a line `{begin}` and, after it, a line `{end}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_table_would_misread_is_escaped() {
        assert_eq!(escape("a|b_c <d>"), "a\\|b\\_c &lt;d&gt;");
        assert_eq!(code("a | \"b\""), "`a \\| \"b\"`");
        assert_eq!(code("a`b"), "`` a`b ``");
    }
}
