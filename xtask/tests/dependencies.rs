//! What the packages depend on is written down with a reason, and all of them forbid `unsafe`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use xtask::repository;

/// All manifests of packages.
fn manifests() -> Vec<PathBuf> {
    fn find(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            let name = entry.file_name();
            // A package below `tests` is input of a test.
            if path.is_dir()
                && name != "target"
                && name != "tests"
                && !name.to_string_lossy().starts_with('.')
            {
                find(&path, found);
            } else if name == "Cargo.toml" {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    find(&repository(), &mut found);
    found.retain(|path| *path != repository().join("Cargo.toml"));
    assert!(found.len() >= 9, "{found:?}");
    found
}

/// The crates that a manifest names in its tables of dependencies, but for our own.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut inside = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(table) = line.strip_prefix('[') {
            inside = table.trim_end_matches(']').ends_with("dependencies");
        } else if inside
            && let Some(name) = line.split([' ', '.', '=']).next().filter(|name| !name.is_empty())
        {
            names.insert(name.to_owned());
        }
    }
    let is_ours = |name: &str| name.starts_with("interlingua") || name.starts_with("xtask");
    names.retain(|name| !is_ours(name) && !name.starts_with('#'));
    names
}

#[test]
fn every_dependency_has_a_reason() {
    let named: BTreeSet<String> = manifests()
        .iter()
        .flat_map(|path| dependencies(&fs::read_to_string(path).expect("a manifest")))
        .collect();
    let page = fs::read_to_string(repository().join("docs/dependencies.md")).expect("the page");
    let rows: Vec<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| line.split_once('`'))
        .map(|(name, rest)| {
            let reason = rest.rsplit('|').nth(1).unwrap_or_default().trim();
            assert!(reason.len() > 10, "`{name}` has no reason");
            name.to_owned()
        })
        .collect();
    let listed: BTreeSet<String> = rows.iter().cloned().collect();
    assert_eq!(rows.len(), listed.len(), "a crate has two rows in docs/dependencies.md");
    assert_eq!(
        named.difference(&listed).collect::<Vec<_>>(),
        [""; 0],
        "without a row in docs/dependencies.md"
    );
    assert_eq!(
        listed.difference(&named).collect::<Vec<_>>(),
        [""; 0],
        "in docs/dependencies.md, and not used"
    );
}

/// The packages that deny `unsafe` code instead, since the macros of others allow it in them.
const DENY: [&str; 1] = ["runtime/node/src/lib.rs"];

#[test]
fn every_package_forbids_unsafe() {
    for manifest in manifests() {
        let source = manifest.with_file_name("src");
        let roots = ["lib.rs", "main.rs"].map(|name| source.join(name));
        let roots: Vec<&PathBuf> = roots.iter().filter(|root| root.is_file()).collect();
        assert!(!roots.is_empty(), "{}", manifest.display());
        for root in roots {
            let text = fs::read_to_string(root).expect("a root");
            let level = if DENY.iter().any(|deny| root.ends_with(deny)) { "deny" } else { "forbid" };
            assert!(
                text.contains(&format!("\n#![{level}(unsafe_code)]\n")),
                "{} does not forbid unsafe",
                root.display()
            );
        }
    }
}
