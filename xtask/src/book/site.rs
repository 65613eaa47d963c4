//! Builds the site with mdbook.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// The version of mdbook that the site is built with.
const VERSION: &str = "0.5.4";

/// The site, below the repository's root.
const SITE: &str = "target/book";

/// The settings of mdbook.
const SETTINGS: &str = r#"[book]
title = "Interlingua"
language = "en"
src = "src"

[build]
build-dir = "site"
create-missing = false

[output.html]
no-section-label = true
additional-css = ["wide.css"]

[output.html.fold]
enable = true

[output.html.search]
limit-results = 40
heading-split-level = 3
"#;

/// The tables of rules are wide, and their cells are long.
const STYLE: &str = ":root { --content-max-width: 1100px; }\ntd { vertical-align: top; }\n";

/// Builds the site, and says where it is.
///
/// # Errors
///
/// When a link does not resolve, or mdbook is missing or fails.
pub fn build(root: &Path) -> Result<String, String> {
    let book = root.join(SITE);
    let src = book.join("src");
    let _ = fs::remove_dir_all(&src);
    let files = files(&root.join("docs"))?;
    let dead: Vec<String> = files.iter().flat_map(|file| dead_links(root, file)).collect();
    if !dead.is_empty() {
        return Err(format!("dead links in docs:\n{}", dead.join("\n")));
    }
    for file in &files {
        let inside = file.strip_prefix(root.join("docs")).unwrap_or(file);
        let to = src.join(inside);
        let failed = |error: std::io::Error| format!("{}: {error}", to.display());
        fs::create_dir_all(to.parent().unwrap_or(&src)).map_err(failed)?;
        if file.extension() == Some(OsStr::new("md")) {
            let text = fs::read_to_string(file).map_err(failed)?;
            fs::write(&to, within_the_site(&text, inside)).map_err(failed)?;
        } else {
            fs::copy(file, &to).map_err(failed)?;
        }
    }
    for (name, text) in [("book.toml", SETTINGS), ("wide.css", STYLE)] {
        fs::write(book.join(name), text).map_err(|error| format!("{SITE}: {error}"))?;
    }
    let built = Command::new("mdbook").arg("build").arg(&book).output();
    match built {
        Ok(output) if output.status.success() => {
            Ok(format!("{} pages: open {}", files.len(), book.join("site/index.html").display()))
        }
        Ok(output) => Err(format!("mdbook failed:\n{}", String::from_utf8_lossy(&output.stderr))),
        Err(error) => Err(format!(
            "cannot run mdbook: {error}\n  help: `cargo install mdbook --version {VERSION} --locked` installs it"
        )),
    }
}

/// All files below a folder, sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The links of a page that lead nowhere: to a file that is not there, or to a heading that a page does not have.
pub fn dead_links(root: &Path, page: &Path) -> Vec<String> {
    if page.extension() != Some(OsStr::new("md")) {
        return Vec::new();
    }
    let text = fs::read_to_string(page).unwrap_or_default();
    let mut dead = Vec::new();
    for link in links(&text) {
        if link.contains("://") || link.starts_with("mailto:") {
            continue;
        }
        let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
        let target = match file {
            "" => page.to_path_buf(),
            file => page.parent().unwrap_or(root).join(file),
        };
        let is_page = target.extension() == Some(OsStr::new("md"));
        let has_anchor = |anchor: &str| {
            let text = fs::read_to_string(&target).unwrap_or_default();
            anchors(&text).iter().any(|known| known == anchor) || text.contains(&format!("id=\"{anchor}\""))
        };
        if !target.exists() || (is_page && anchor.is_some_and(|anchor| !has_anchor(anchor))) {
            let page = page.strip_prefix(root).unwrap_or(page).display();
            dead.push(format!("{page}: {link}"));
        }
    }
    dead.dedup();
    dead
}

/// The targets of the links of a page, outside of code.
fn links(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        for (place, _) in line.match_indices("](") {
            // Code between backticks is no link.
            if line[..place].matches('`').count() % 2 == 1 {
                continue;
            }
            found.extend(line[place + 2..].split_once(')').map(|(link, _)| link));
        }
    }
    found
}

/// The anchors of a page's headings, as mdbook and code hosts make them.
fn anchors(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        let heading = line.trim_start_matches('#');
        if in_code || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let anchor: String = heading
            .trim()
            .to_lowercase()
            .chars()
            .filter_map(|character| match character {
                ' ' | '-' => Some('-'),
                '_' => Some('_'),
                character if character.is_alphanumeric() => Some(character),
                _ => None,
            })
            .collect();
        let repeated = found.iter().filter(|known| **known == anchor).count();
        found.push(if repeated == 0 { anchor } else { format!("{anchor}-{repeated}") });
    }
    found
}

/// A page whose links out of the documents are plain text: the site does not have what they lead to.
fn within_the_site(text: &str, page: &Path) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find("](") {
        let (before, after) = rest.split_at(open);
        let Some((link, behind)) = after[2..].split_once(')') else { break };
        let start = before.rfind('[').filter(|_| leaves(page, link));
        match start {
            // The words stay, with the path where they do not say it.
            Some(start) => {
                shown.push_str(&before[..start]);
                shown.push_str(&before[start + 1..]);
            }
            None => {
                shown.push_str(before);
                shown.push_str("](");
                shown.push_str(link);
                shown.push(')');
            }
        }
        rest = behind;
    }
    shown.push_str(rest);
    shown
}

/// Whether a link of a page leads out of the documents.
fn leaves(page: &Path, link: &str) -> bool {
    if link.contains("://") || link.starts_with('#') {
        return false;
    }
    let mut depth = page.components().count() as isize - 1;
    for part in Path::new(link.split('#').next().unwrap_or(link)).components() {
        match part {
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            _ => {}
        }
        if depth < 0 {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_documents_become_text() {
        let page = Path::new("providers/amp.md");
        let text = "See [rules](#rules), [laws](../laws.md#l1) and [`amp.map`](../../resources/term-maps/amp.map#L3).";
        assert_eq!(within_the_site(text, page), "See [rules](#rules), [laws](../laws.md#l1) and `amp.map`.");
    }

    #[test]
    fn headings_have_anchors_as_hosts_make_them() {
        let text = "# The `map` language\n```\n# no heading\n```\n## item.delta\n## A_b c\n## A_b c\n";
        assert_eq!(anchors(text), ["the-map-language", "itemdelta", "a_b-c", "a_b-c-1"]);
        assert_eq!(links("[a](b.md) `[c](d)`\n```\n[e](f)\n```\n![g](h.png)"), ["b.md", "h.png"]);
    }

    #[test]
    fn every_link_of_the_documents_resolves() {
        let root = crate::repository();
        let mut pages = files(&root.join("docs")).expect("the documents");
        pages.extend(
            ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|page| root.join(page)),
        );
        pages.extend(["runtime/python/README.md", "runtime/node/README.md"].map(|page| root.join(page)));
        let dead: Vec<String> = pages.iter().flat_map(|page| dead_links(&root, page)).collect();
        assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
    }
}
