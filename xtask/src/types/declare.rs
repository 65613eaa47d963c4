//! Tagged unions, fixed strings and tables: one macro call each.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use heck::ToPascalCase;
use interlingua_codegen::schema::normalise::{CONSTANT, TAGGED};
use serde_json::Value;

use super::names::{ORIGINAL, rust_name};

/// The macro calls for all definitions that typify does not make.
///
/// # Errors
///
/// When a table's entry is no type that can be named.
pub fn declarations(document: &Value, tables: &[String]) -> Result<String, String> {
    let mut constants = String::new();
    let mut unions = String::new();
    let mut keyed = String::new();
    let tables: BTreeSet<String> = tables.iter().map(|name| rust_name(name)).collect();
    for (name, node) in document["definitions"].as_object().into_iter().flatten() {
        if let Some(text) = node[CONSTANT].as_str() {
            writeln!(constants, "crate::tag!({name} = {text:?});").ok();
        } else if node.get(TAGGED).is_some() {
            union(name, node, &mut unions);
        } else if tables.contains(name) {
            table(name, node, &mut keyed)?;
        }
    }
    let parts: Vec<String> = [constants, unions, keyed].into_iter().filter(|part| !part.is_empty()).collect();
    Ok(parts.join("\n"))
}

/// Rows of tag values.
type Rows<'a> = Vec<Vec<Option<&'a str>>>;

fn union(name: &str, node: &Value, text: &mut String) {
    let union = &node[TAGGED];
    let by: Vec<String> = texts(&union["by"]).into_iter().flatten().map(|tag| format!("{tag:?}")).collect();
    // The rows of one member are one variant.
    let mut members: BTreeMap<&str, Rows<'_>> = BTreeMap::new();
    for row in union["rows"].as_array().into_iter().flatten() {
        members.entry(row["member"].as_str().unwrap_or_default()).or_default().push(texts(&row["tags"]));
    }
    let mut variants: BTreeMap<String, (&str, Rows<'_>)> = BTreeMap::new();
    for (member, rows) in members {
        variants.insert(
            free(variant_name(name, member, &rows), |name| variants.contains_key(name)),
            (member, rows),
        );
    }
    writeln!(text, "crate::tagged! {{").ok();
    writeln!(text, "    /// `{}` of the schema.", node[ORIGINAL].as_str().unwrap_or(name)).ok();
    writeln!(text, "    {name} by [{}] {{", by.join(", ")).ok();
    for (variant, (member, rows)) in variants {
        let rows: Vec<String> = rows
            .iter()
            .map(|row| {
                format!("[{}]", row.iter().map(|tag| format!("{tag:?}")).collect::<Vec<_>>().join(", "))
            })
            .collect();
        writeln!(text, "        {variant}({member}) {};", rows.join(" ")).ok();
    }
    writeln!(text, "    }}\n}}").ok();
}

/// The name, with a number where it is taken.
fn free(name: String, taken: impl Fn(&str) -> bool) -> String {
    let mut numbered = name.clone();
    let mut number = 2;
    while taken(&numbered) {
        numbered = format!("{name}{number}");
        number += 1;
    }
    numbered
}

/// A variant is named after its tags; where a member has several values of a
/// tag, after what they share, or after the member when that is nothing.
fn variant_name(union: &str, member: &str, rows: &[Vec<Option<&str>>]) -> String {
    let member = || {
        let own = member.strip_prefix(union).unwrap_or_default();
        if own.is_empty() { member.to_owned() } else { own.to_owned() }
    };
    let mut words = Vec::new();
    // A row without tags has no columns.
    for column in 0..rows[0].len() {
        let values: BTreeSet<&str> =
            rows.iter().filter(|row| !row.is_empty()).filter_map(|row| row[column]).collect();
        let shared = values.iter().copied().reduce(shared_words).unwrap_or_default();
        if shared.is_empty() && !values.is_empty() {
            return member();
        }
        words.push(shared);
    }
    let name = words.join(" ").to_pascal_case();
    match name.chars().next() {
        None => member(),
        Some(first) if first.is_ascii_digit() => format!("V{name}"),
        Some(_) => name,
    }
}

/// The words that both texts begin with.
fn shared_words<'a>(one: &'a str, two: &str) -> &'a str {
    let mut end = 0;
    for (index, (a, b)) in one.bytes().zip(two.bytes()).enumerate() {
        if a != b {
            break;
        }
        if !a.is_ascii_alphanumeric() {
            end = index;
        }
        if index + 1 == one.len() {
            end = one.len();
        }
    }
    &one[..end]
}

fn table(name: &str, node: &Value, text: &mut String) -> Result<(), String> {
    writeln!(text, "crate::table! {{").ok();
    writeln!(text, "    /// `{}` of the schema.", node[ORIGINAL].as_str().unwrap_or(name)).ok();
    writeln!(text, "    {name} {{").ok();
    let mut variants: BTreeSet<String> = BTreeSet::new();
    for (key, entry) in node["properties"].as_object().into_iter().flatten() {
        let target = match (entry["$ref"].as_str(), entry["type"].as_str()) {
            (Some(reference), _) => reference.trim_start_matches("#/definitions/").to_owned(),
            (None, Some("boolean")) => "bool".to_owned(),
            (None, Some("string")) => "String".to_owned(),
            _ => return Err(format!("`{key}` of the table `{name}` is no reference to a definition")),
        };
        let variant = free(key.to_pascal_case(), |name| variants.contains(name));
        writeln!(text, "        {variant}({target}) {key:?};").ok();
        variants.insert(variant);
    }
    writeln!(text, "    }}\n}}").ok();
    Ok(())
}

fn texts(list: &Value) -> Vec<Option<&str>> {
    list.as_array().into_iter().flatten().map(Value::as_str).collect()
}
