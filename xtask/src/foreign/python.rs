//! Types for Python: `TypedDict`.

use std::fmt::Write;

use super::head;
use super::model::{Definition, Form, Model, Type};

/// How long a line may be.
const WIDTH: usize = 118;

/// Words of Python that are members of the vocabulary: a class cannot declare them, but a dict can have them.
const KEYWORDS: [&str; 4] = ["class", "from", "async", "global"];

/// The file.
pub fn render(model: &Model) -> String {
    let mut text = String::new();
    let [first, second, rest @ ..] = head();
    let _ = writeln!(text, "# {first}\n\"\"\"{second}\n\n{}\n\"\"\"\n", rest.join("\n"));
    text.push_str("from __future__ import annotations\n\nimport sys\nfrom typing import Any, Literal, TypedDict, Union\n\n");
    text.push_str("if sys.version_info >= (3, 11):\n    from typing import NotRequired\nelse:\n    from typing_extensions import NotRequired\n");
    let (aliases, objects): (Vec<_>, Vec<_>) =
        model.definitions.iter().partition(|definition| matches!(definition.form, Form::Alias(_)));
    // Objects may name aliases before they are defined, since annotations are not evaluated; aliases name objects.
    for definition in objects {
        object(&mut text, definition);
    }
    for definition in plain_first(aliases) {
        let Form::Alias(shape) = &definition.form else { continue };
        text.push('\n');
        comment(&mut text, "", &definition.doc);
        let _ = writeln!(text, "{} = {}", definition.name, shown(shape, false));
    }
    text
}

/// Aliases are evaluated, so that those that name other aliases come after them.
fn plain_first(mut aliases: Vec<&Definition>) -> Vec<&Definition> {
    let names: Vec<String> = aliases.iter().map(|definition| definition.name.clone()).collect();
    aliases.sort_by_key(|definition| match &definition.form {
        Form::Alias(shape) => names.iter().filter(|name| mentions(shape, name)).count(),
        Form::Object { .. } => 0,
    });
    aliases
}

fn mentions(shape: &Type, name: &str) -> bool {
    match shape {
        Type::Named(other) => other == name,
        Type::List(inner) | Type::Map(inner) => mentions(inner, name),
        Type::Union(shapes) => shapes.iter().any(|shape| mentions(shape, name)),
        _ => false,
    }
}

fn object(text: &mut String, definition: &Definition) {
    let Form::Object { bases, members } = &definition.form else { return };
    let mut bases = bases.clone();
    let (keywords, members): (Vec<_>, Vec<_>) =
        members.iter().partition(|member| KEYWORDS.contains(&member.name.as_str()));
    if !keywords.is_empty() {
        let own = format!("_{}Keywords", definition.name);
        let members: Vec<String> = keywords
            .iter()
            .map(|member| {
                let shape = shown(&member.shape, true);
                let shape = if member.required { shape } else { format!("NotRequired[{shape}]") };
                format!("\"{}\": \"{}\"", member.name, shape.replace('"', "'"))
            })
            .collect();
        let _ = write!(text, "\n\n{own} = TypedDict(\"{own}\", {{{}}})", members.join(", "));
        bases.push(own);
    }
    let bases = if bases.is_empty() { "TypedDict".to_owned() } else { bases.join(", ") };
    let doc = wrapped(&definition.doc, WIDTH - 10).join("\n    ").replace('\\', "\\\\");
    let _ = writeln!(text, "\n\nclass {}({bases}):\n    \"\"\"{doc}\"\"\"", definition.name);
    for member in members {
        text.push('\n');
        comment(text, "    ", &member.doc);
        let shape = shown(&member.shape, true);
        let shape = if member.required { shape } else { format!("NotRequired[{shape}]") };
        let _ = writeln!(text, "    {}: {shape}", member.name);
    }
}

fn comment(text: &mut String, indent: &str, doc: &str) {
    if doc.is_empty() {
        return;
    }
    for line in wrapped(doc, WIDTH - indent.len() - 3) {
        let _ = writeln!(text, "{indent}#: {line}");
    }
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("never empty");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// A type. In annotations it is not evaluated, so that `|` works in all versions.
fn shown(shape: &Type, is_annotation: bool) -> String {
    match shape {
        Type::Any => "Any".to_owned(),
        Type::Text => "str".to_owned(),
        Type::Integer => "int".to_owned(),
        Type::Number => "float".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Null => "None".to_owned(),
        Type::Literal(word) => format!("Literal[\"{word}\"]"),
        Type::List(inner) => format!("list[{}]", shown(inner, is_annotation)),
        Type::Map(inner) => format!("dict[str, {}]", shown(inner, is_annotation)),
        Type::Named(name) => name.clone(),
        Type::Union(shapes) => {
            let words: Option<Vec<String>> = shapes
                .iter()
                .map(|shape| match shape {
                    Type::Literal(word) => Some(format!("\"{word}\"")),
                    _ => None,
                })
                .collect();
            match words {
                Some(words) => format!("Literal[{}]", words.join(", ")),
                None if is_annotation => {
                    shapes.iter().map(|shape| shown(shape, true)).collect::<Vec<_>>().join(" | ")
                }
                None => {
                    let shapes: Vec<String> = shapes.iter().map(|shape| shown(shape, false)).collect();
                    format!("Union[\n    {},\n]", shapes.join(",\n    "))
                }
            }
        }
    }
}
