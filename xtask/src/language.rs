//! The reference of all terms and fields, at the end of `docs/map-language.md`.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use interlingua_codegen::describe;

use crate::generator::{COMMAND, Generated};
use crate::markdown::{between, code, escape};

/// The page, below the repository's root.
const FILE: &str = "docs/map-language.md";
const BEGIN: &str = "<!-- generated: terms -->";
const END: &str = "<!-- end of generated: terms -->";

/// Writes the reference between its two markers and leaves the rest of the page alone.
///
/// # Errors
///
/// When the page cannot be read or has lost its markers.
pub fn generate(root: &Path) -> Result<Vec<Generated>, String> {
    let page = fs::read_to_string(root.join(FILE)).map_err(|error| format!("{FILE}: {error}"))?;
    let page = page.replace("\r\n", "\n");
    Ok(vec![(PathBuf::from(FILE), between(&page, FILE, [BEGIN, END], &reference())?)])
}

fn reference() -> String {
    let mut text = format!(
        "<!-- Written by `{COMMAND}`; do not edit by hand. -->\n\n\
         ## Reference\n\n\
         A field in **bold** must be given.\n\n\
         | term | meaning | fields | holds |\n|---|---|---|---|\n"
    );
    for term in describe::terms() {
        let fields: Vec<String> = term
            .fields
            .iter()
            .map(|(name, required)| if *required { format!("**{}**", code(name)) } else { code(name) })
            .collect();
        let body: Vec<String> = term.body.iter().map(|name| code(name)).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            code(term.name),
            escape(term.doc),
            fields.join(", "),
            body.join(", ")
        );
    }
    text.push_str("\n| field | takes | meaning | of |\n|---|---|---|---|\n");
    for field in describe::fields() {
        let of: Vec<String> = field.of.iter().map(|name| code(name)).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            code(field.name),
            escape(&field.takes),
            escape(field.doc),
            of.join(", ")
        );
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_markers_is_replaced() {
        let page = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        assert_eq!(
            between(&page, FILE, [BEGIN, END], "new\n").unwrap(),
            format!("before\n{BEGIN}\nnew\n{END}\nafter\n")
        );
        assert!(between("no markers", FILE, [BEGIN, END], "new\n").unwrap_err().contains(FILE));
    }

    #[test]
    fn the_reference_names_every_term() {
        let text = reference();
        for term in describe::terms() {
            assert!(text.contains(&format!("| `{}` |", term.name)), "{} is missing", term.name);
        }
    }
}
