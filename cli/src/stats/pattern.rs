//! Patterns of files, as maps have them: `${VARIABLE:-~/folder}/**/*.jsonl`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Puts the variables and the home folder in. `None` where a variable without a default is not set.
pub fn expanded(pattern: &str, variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let (begin, below) = if let Some(inside) = pattern.strip_prefix("${") {
        let (inside, below) = inside.split_at_checked(closing(inside)?)?;
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        let begin = match variable(name).filter(|value| !value.is_empty()) {
            Some(value) => PathBuf::from(value),
            None => expanded(default?, variable)?,
        };
        (begin, &below[1..])
    } else if let Some(below) = pattern.strip_prefix('~') {
        (PathBuf::from(variable("HOME").filter(|home| !home.is_empty())?), below)
    } else {
        return Some(PathBuf::from(pattern));
    };
    let below = below.trim_start_matches('/');
    Some(if below.is_empty() { begin } else { begin.join(below) })
}

/// The place of the brace that ends the one before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.bytes().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return true,
            b'}' => depth -= 1,
            _ => {}
        }
        false
    })
}

/// The files that a pattern matches, unsorted. `*` is any part of a name, `**` any folders. Links to folders are not
/// followed by `**`. A folder that does not exist has no files; one that cannot be read is given to `fail`.
pub fn files(pattern: &Path, fail: &mut impl FnMut(&Path, io::Error)) -> Vec<PathBuf> {
    let mut fixed = PathBuf::new();
    let mut parts: Vec<&OsStr> = Vec::new();
    for component in pattern.components() {
        match component {
            Component::Normal(part) if !parts.is_empty() || has_wildcard(part) => parts.push(part),
            _ => fixed.push(component),
        }
    }
    let mut found = Vec::new();
    if parts.is_empty() {
        found.extend(fixed.is_file().then_some(fixed));
    } else {
        walk(&fixed, &parts, &mut found, fail);
    }
    found
}

fn has_wildcard(part: &OsStr) -> bool {
    part.as_encoded_bytes().contains(&b'*')
}

fn walk(folder: &Path, parts: &[&OsStr], found: &mut Vec<PathBuf>, fail: &mut impl FnMut(&Path, io::Error)) {
    let Some((first, rest)) = parts.split_first() else { return };
    let any_depth = *first == "**";
    let (name, rest) = match (any_depth, rest.split_first()) {
        (true, Some((name, rest))) => (*name, rest),
        (true, None) => (OsStr::new("*"), rest),
        (false, _) => (*first, rest),
    };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return;
        }
        Err(error) => return fail(folder, error),
    };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let matches = is_match(name.as_encoded_bytes(), entry.file_name().as_encoded_bytes());
        if kind.is_dir() && any_depth {
            walk(&entry.path(), parts, found, fail);
        }
        if matches && rest.is_empty() && !kind.is_dir() {
            found.push(entry.path());
        } else if matches && !rest.is_empty() && !kind.is_file() {
            walk(&entry.path(), rest, found, fail);
        }
    }
}

/// Whether a name matches a pattern in which `*` is any text.
fn is_match(pattern: &[u8], name: &[u8]) -> bool {
    let Some(star) = pattern.iter().position(|byte| *byte == b'*') else { return pattern == name };
    let (begin, rest) = (&pattern[..star], &pattern[star + 1..]);
    let Some(name) = name.strip_prefix(begin) else { return false };
    (0..=name.len()).any(|place| is_match(rest, &name[place..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &'static [(&str, &str)]) -> impl Fn(&str) -> Option<OsString> {
        move |name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
    }

    #[test]
    fn a_pattern_begins_at_a_variable_or_at_the_home() {
        let pattern = "${DEMO_HOME:-~/.demo}/sessions/*.json";
        let found = |pairs| expanded(pattern, &variables(pairs));
        assert_eq!(found(&[("HOME", "/h")]), Some("/h/.demo/sessions/*.json".into()));
        assert_eq!(found(&[("HOME", "/h"), ("DEMO_HOME", "/d")]), Some("/d/sessions/*.json".into()));
        assert_eq!(found(&[("HOME", "/h"), ("DEMO_HOME", "")]), Some("/h/.demo/sessions/*.json".into()));
        assert_eq!(found(&[]), None);
    }

    #[test]
    fn a_default_may_have_a_variable_too() {
        let pattern = "${A:-${B:-~}/.demo}/x";
        assert_eq!(expanded(pattern, &variables(&[("HOME", "/h")])), Some("/h/.demo/x".into()));
        assert_eq!(expanded(pattern, &variables(&[("B", "/b")])), Some("/b/.demo/x".into()));
        assert_eq!(expanded(pattern, &variables(&[("A", "/a")])), Some("/a/x".into()));
    }

    #[test]
    fn a_star_is_any_part_of_a_name() {
        for (pattern, name) in
            [("*.jsonl", "a.jsonl"), ("a-*.json", "a-.json"), ("*", ""), ("x*y*z", "xAyBz")]
        {
            assert!(is_match(pattern.as_bytes(), name.as_bytes()), "{pattern} {name}");
        }
        for (pattern, name) in [("*.jsonl", "a.json"), ("a-*.json", "b-1.json"), ("x*y*z", "xyA")] {
            assert!(!is_match(pattern.as_bytes(), name.as_bytes()), "{pattern} {name}");
        }
    }
}
