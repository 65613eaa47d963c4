//! `cargo xtask drift`, on the agent that CONTRIBUTING.md makes up: what the page shows is what the command prints.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use xtask::drift::{Drift, command};
use xtask::repository;

/// The blocks of the page that a comment like `<!-- file: NAME -->` names.
fn blocks(what: &str) -> BTreeMap<String, String> {
    let text =
        fs::read_to_string(repository().join("CONTRIBUTING.md")).expect("the page").replace("\r\n", "\n");
    let mut blocks = BTreeMap::new();
    for part in text.split(&format!("<!-- {what}: ")).skip(1) {
        let (name, rest) = part.split_once(" -->\n```").expect("a block after the name");
        let (_, rest) = rest.split_once('\n').expect("a line after the fence");
        let (block, _) = rest.split_once("\n```").expect("the end of the block");
        blocks.insert(name.to_owned(), format!("{block}\n"));
    }
    blocks
}

/// The new version's schema, and the map that takes it.
fn fixture(name: &str) -> PathBuf {
    repository().join("xtask/tests/drift").join(name)
}

/// A folder that holds the agent as the page made it.
fn acme(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    for (file, text) in blocks("file") {
        let path = root.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    root
}

fn drift(root: &Path, new: &Path) -> Drift {
    command(root, &root.join("resources/agent-schemas/acme.json"), new, &[]).expect("two schemas")
}

#[test]
fn the_page_shows_what_the_command_prints() {
    let root = acme("drift");
    let before = drift(&root, &fixture("acme.json"));
    assert!(!before.fits);
    let shown = blocks("output");
    assert_eq!(shown["cargo xtask drift"], before.text + "\n");

    // With the lines that the page changes, the map fits.
    let map = fs::read_to_string(fixture("acme.map")).expect("the map");
    let change = blocks("change");
    let change = &change["resources/term-maps/acme.map"];
    let old = blocks("file")["resources/term-maps/acme.map"].clone();
    assert_eq!(lines_only_in(&map, &old), lines_with(change, '+'), "the lines that the page adds");
    assert_eq!(lines_only_in(&old, &map), lines_with(change, '-'), "the lines that the page removes");
    fs::write(root.join("resources/term-maps/acme.map"), map).expect("a file");
    let after = command(&root, &fixture("acme.json"), &fixture("acme.json"), &[]).expect("two schemas");
    assert!(after.fits, "{}", after.text);
    assert_eq!(after.text, "no difference");
}

fn lines_only_in<'t>(text: &'t str, other: &str) -> Vec<&'t str> {
    text.lines().filter(|line| !line.is_empty() && !other.lines().any(|known| known == *line)).collect()
}

fn lines_with(change: &str, sign: char) -> Vec<&str> {
    change.lines().filter_map(|line| line.strip_prefix(sign)).filter(|line| !line.is_empty()).collect()
}

/// The answer about a change of the new schema's text.
fn after(name: &str, change: impl Fn(String) -> String) -> Drift {
    let root = acme(name);
    let old = fs::read_to_string(root.join("resources/agent-schemas/acme.json")).expect("the schema");
    let new = root.join("new.json");
    fs::write(&new, change(old)).expect("a file");
    drift(&root, &new)
}

#[test]
fn a_member_of_the_same_shape_is_renamed_and_one_of_another_type_retyped() {
    let renamed = after("renamed", |text| text.replace("\"message_id\"", "\"id_of_message\""));
    assert!(
        renamed.text.contains("  renamed  `AcmeEvent(text).message_id` is now `(text).id_of_message`\n"),
        "{}",
        renamed.text
    );
    assert!(renamed.text.contains("read by text (resources/term-maps/acme.map:17)"), "{}", renamed.text);

    let retyped = after("retyped", |text| {
        text.replacen(
            "\"input\": { \"type\": \"object\" }",
            "\"input\": { \"type\": [\"object\", \"null\"] }",
            1,
        )
    });
    assert!(
        retyped.text.ends_with("  retyped  `AcmeBlock(tool).input` may also be null"),
        "{}",
        retyped.text
    );
    assert!(retyped.fits, "{}", retyped.text);
}

#[test]
fn what_only_one_message_has_touches_only_its_rule() {
    let gone = after("gone", |text| text.replacen("\"call_id\": { \"type\": \"string\" },", "", 1));
    assert!(gone.text.contains("  removed  `AcmeEvent(tool_result).call_id`: string\n"), "{}", gone.text);
    let touched = gone.text.lines().find(|line| line.starts_with("  rules")).expect("a rule is touched");
    assert!(touched.contains("tool_result (") && !touched.contains("done ("), "{touched}");
    assert!(
        gone.text.contains("acme.map:27:37: unknown path `call_id`"),
        "the compiler's answer is there: {}",
        gone.text
    );
}

#[test]
fn a_file_that_is_no_schema_and_a_schema_of_no_map_are_errors() {
    let root = acme("strange");
    let schema = root.join("resources/agent-schemas/acme.json");
    let strange = root.join("strange.json");
    fs::write(&strange, "{}").expect("a file");
    let error = command(&root, &schema, &strange, &[]).expect_err("no definitions");
    assert!(error.contains("strange.json: ") && error.contains("no `definitions`"), "{error}");
    let error = command(&root, &strange, &strange, &[]).expect_err("no map");
    assert!(error.starts_with("neither file is called like a schema of a bundled map (acme)"), "{error}");
}
