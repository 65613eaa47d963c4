//! typify's types as calls of the macros in `runtime/types`.
//!
//! typify knows how a schema becomes structs, enums and names. What it derives
//! for each of them makes a module of this size take a minute to check, so
//! only the shape is taken over, and a macro gives each type what it needs.

use std::collections::BTreeSet;
use std::fmt::Write;

use interlingua_codegen::schema::normalise::CONSTANT;
use quote::ToTokens;
use serde_json::Value;
use syn::{Attribute, Field, File, GenericArgument, Item, ItemEnum, ItemStruct, PathArguments, Type};

use super::names::ORIGINAL;

/// The text of all types that typify made.
///
/// # Errors
///
/// When typify made two types of the same name, or one of a shape that no
/// macro has.
pub fn render(file: &File, document: &Value) -> Result<String, String> {
    let definitions = &document["definitions"];
    let constants: BTreeSet<&str> = names_with(definitions, CONSTANT);
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut text = String::new();
    for item in &file.items {
        let name = match item {
            Item::Struct(found) => found.ident.to_string(),
            Item::Enum(found) => found.ident.to_string(),
            _ => continue,
        };
        if !seen.insert(name.clone()) {
            return Err(format!("typify made two types called `{name}`"));
        }
        let original = definitions[&name][ORIGINAL].as_str();
        let comment =
            original.map(|original| format!("/// `{original}` of the schema.\n")).unwrap_or_default();
        match item {
            Item::Struct(found) if matches!(found.fields, syn::Fields::Named(_)) => {
                object(found, &comment, &constants, &mut text)?;
            }
            Item::Struct(found) => wrapper(found, &comment, &mut text)?,
            Item::Enum(found) if found.variants.iter().all(|variant| variant.fields.is_empty()) => {
                choice(found, &comment, &mut text)?;
            }
            Item::Enum(found) => kinds(found, &comment, &mut text)?,
            _ => {}
        }
    }
    if seen.is_empty() {
        return Err("typify made no types".to_owned());
    }
    Ok(text)
}

fn names_with<'a>(definitions: &'a Value, key: &str) -> BTreeSet<&'a str> {
    let all = definitions.as_object().into_iter().flatten();
    all.filter(|(_, node)| node.get(key).is_some()).map(|(name, _)| name.as_str()).collect()
}

/// A struct with named fields. What is neither optional nor a map of all
/// other fields is required; constants alone leave room for a default.
fn object(
    found: &ItemStruct,
    comment: &str,
    constants: &BTreeSet<&str>,
    text: &mut String,
) -> Result<(), String> {
    let mut sections: [Vec<String>; 3] = Default::default();
    let mut easy = true;
    for field in &found.fields {
        let name = field.ident.as_ref().map(|ident| ident.to_token_stream().to_string()).unwrap_or_default();
        let key =
            serde_text(&field.attrs, "rename").unwrap_or_else(|| name.trim_start_matches("r#").to_owned());
        if has_serde_word(field, "flatten") {
            let value =
                argument(&field.ty, 1).ok_or_else(|| format!("`{}.{name}` is no map", found.ident))?;
            sections[2].push(format!("{name}: {}", type_text(value)));
            continue;
        }
        let optional = match last_segment(&field.ty).as_str() {
            "Option" => argument(&field.ty, 0),
            "Value" => Some(&field.ty),
            _ => None,
        };
        match optional {
            Some(inner) => sections[1].push(format!("{name}: {} = {key:?}", type_text(inner))),
            None => {
                easy &= constants.contains(last_segment(&field.ty).as_str());
                sections[0].push(format!("{name}: {} = {key:?}", type_text(&field.ty)));
            }
        }
    }
    write!(text, "\ncrate::object! {{\n{}", indented(comment)).ok();
    if easy {
        writeln!(text, "    #[derive(Default)]").ok();
    }
    writeln!(text, "    {} {{", found.ident).ok();
    for (word, fields) in ["required", "optional", "rest"].into_iter().zip(&sections) {
        if fields.is_empty() {
            writeln!(text, "        {word} {{}}").ok();
        } else {
            writeln!(text, "        {word} {{\n            {},\n        }}", fields.join(",\n            "))
                .ok();
        }
    }
    writeln!(text, "    }}\n}}").ok();
    Ok(())
}

/// A type that is another one under a name of its own.
fn wrapper(found: &ItemStruct, comment: &str, text: &mut String) -> Result<(), String> {
    let mut fields = found.fields.iter();
    let (Some(field), None) = (fields.next(), fields.next()) else {
        return Err(format!("typify made `{}` with no single field", found.ident));
    };
    write!(
        text,
        "\ncrate::wrapper! {{\n{}    {}({})\n}}\n",
        indented(comment),
        found.ident,
        type_text(&field.ty)
    )
    .ok();
    Ok(())
}

/// An enum of strings.
fn choice(found: &ItemEnum, comment: &str, text: &mut String) -> Result<(), String> {
    writeln!(text, "\ncrate::choice! {{\n{}    {} {{", indented(comment), found.ident).ok();
    for variant in &found.variants {
        let value = serde_text(&variant.attrs, "rename").unwrap_or_else(|| variant.ident.to_string());
        writeln!(text, "        {} = {value:?},", variant.ident).ok();
    }
    writeln!(text, "    }}\n}}").ok();
    Ok(())
}

/// A union of different kinds of value, of which serde takes the one that fits.
fn kinds(found: &ItemEnum, comment: &str, text: &mut String) -> Result<(), String> {
    writeln!(text, "\ncrate::kinds! {{\n{}    {} {{", indented(comment), found.ident).ok();
    for variant in &found.variants {
        let mut fields = variant.fields.iter();
        let (Some(field), None) = (fields.next(), fields.next()) else {
            return Err(format!(
                "typify made the variant `{}::{}` without a single field",
                found.ident, variant.ident
            ));
        };
        writeln!(text, "        {}({}),", variant.ident, type_text(&field.ty)).ok();
    }
    writeln!(text, "    }}\n}}").ok();
    Ok(())
}

fn indented(comment: &str) -> String {
    if comment.is_empty() { String::new() } else { format!("    {comment}") }
}

/// A type as a person would write it.
fn type_text(ty: &Type) -> String {
    let mut text = ty.to_token_stream().to_string().replace(' ', "").replace(',', ", ");
    for (long, short) in [
        ("::std::option::Option", "Option"),
        ("::std::vec::Vec", "Vec"),
        ("::std::boxed::Box", "Box"),
        ("::std::string::String", "String"),
        ("::std::collections::BTreeMap", "BTreeMap"),
        ("::serde_json::", "serde_json::"),
    ] {
        text = text.replace(long, short);
    }
    text
}

fn last_segment(ty: &Type) -> String {
    match ty {
        Type::Path(path) => {
            path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The n-th type argument of a generic type.
fn argument(ty: &Type, index: usize) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    match arguments.args.iter().nth(index)? {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}

fn has_serde_word(field: &Field, word: &str) -> bool {
    let mut found = false;
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        let text = attribute.meta.to_token_stream().to_string();
        found |= text.contains(word);
    }
    found
}

/// The text of `#[serde(key = "text")]`.
fn serde_text(attributes: &[Attribute], key: &str) -> Option<String> {
    let mut found = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        // A list with other words in it is read as far as it goes.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.input.peek(syn::Token![=]) {
                let value: syn::LitStr = meta.value()?.parse()?;
                if meta.path.is_ident(key) {
                    found = Some(value.value());
                }
            }
            Ok(())
        });
    }
    found
}
