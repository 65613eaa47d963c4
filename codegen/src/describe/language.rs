//! The reference of the map language: every universal term and every field, from the one list that the
//! compiler checks maps against.

use interlingua_table::{FieldKind, VerbSpec, verbs};

/// A term, for the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermEntry {
    /// Its name in maps.
    pub name: &'static str,
    /// One sentence about it.
    pub doc: &'static str,
    /// The names of its fields and whether they must be given.
    pub fields: Vec<(&'static str, bool)>,
    /// The names of the terms that may stand in its body.
    pub body: Vec<&'static str>,
}

/// A field, for the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldEntry {
    /// Its name in maps.
    pub name: &'static str,
    /// One sentence about it.
    pub doc: &'static str,
    /// What it takes, in words.
    pub takes: String,
    /// The terms that have it.
    pub of: Vec<&'static str>,
}

/// Every term, in the order of the language.
pub fn terms() -> Vec<TermEntry> {
    verbs().iter().map(term).collect()
}

fn term(spec: &VerbSpec) -> TermEntry {
    // A body names verbs, which for `part` and the like stand for a group of terms.
    let mut body: Vec<&'static str> = Vec::new();
    for inner in verbs().iter().filter(|inner| spec.body.contains(&inner.verb)) {
        let name = inner.name.split(' ').next().unwrap_or(inner.name);
        if !body.contains(&name) {
            body.push(name);
        }
    }
    TermEntry {
        name: spec.name,
        doc: spec.doc,
        fields: spec.fields.iter().map(|field| (field.name, field.required)).collect(),
        body,
    }
}

/// Every field, sorted by name. A name that means different things in different terms stands several
/// times.
pub fn fields() -> Vec<FieldEntry> {
    let mut entries: Vec<FieldEntry> = Vec::new();
    for spec in verbs() {
        for field in spec.fields {
            let (doc, takes) = (field.field.doc(), takes(field.kind));
            let known = entries
                .iter_mut()
                .find(|entry| entry.name == field.name && entry.doc == doc && entry.takes == takes);
            match known {
                Some(entry) => entry.of.push(spec.name),
                None => entries.push(FieldEntry { name: field.name, doc, takes, of: vec![spec.name] }),
            }
        }
    }
    entries.sort_by_key(|entry| entry.name);
    entries
}

/// What a field takes, in words.
fn takes(kind: FieldKind) -> String {
    match kind {
        FieldKind::Text => "text".to_string(),
        FieldKind::Json => "any JSON, kept byte for byte".to_string(),
        FieldKind::Integer => "an integer".to_string(),
        FieldKind::Number => "a number".to_string(),
        FieldKind::Bool => "a boolean".to_string(),
        FieldKind::Key => "an id: text or number".to_string(),
        FieldKind::Flag => "flag".to_string(),
        FieldKind::List => "a text or a list of texts".to_string(),
        FieldKind::OneOf(words) => format!("one of {}", words.join(", ")),
    }
}
