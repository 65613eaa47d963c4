//! Types for TypeScript.

use std::fmt::Write;

use super::head;
use super::model::{Form, Model, Type};

/// The file.
pub fn render(model: &Model) -> String {
    let mut text = String::new();
    for line in head() {
        let _ = writeln!(text, "// {line}");
    }
    for definition in &model.definitions {
        text.push('\n');
        comment(&mut text, "", &definition.doc);
        match &definition.form {
            Form::Alias(shape) => {
                let _ = writeln!(text, "export type {} = {};", definition.name, shown(shape));
            }
            Form::Object { bases, members } => {
                let bases =
                    if bases.is_empty() { String::new() } else { format!(" extends {}", bases.join(", ")) };
                let _ = writeln!(text, "export interface {}{bases} {{", definition.name);
                for member in members {
                    comment(&mut text, "  ", &member.doc);
                    let mark = if member.required { "" } else { "?" };
                    let _ = writeln!(text, "  {}{mark}: {};", member.name, shown(&member.shape));
                }
                text.push_str("}\n");
            }
        }
    }
    text
}

fn comment(text: &mut String, indent: &str, doc: &str) {
    if !doc.is_empty() {
        let _ = writeln!(text, "{indent}/** {} */", doc.replace("*/", "* /"));
    }
}

fn shown(shape: &Type) -> String {
    match shape {
        Type::Any => "unknown".to_owned(),
        Type::Text => "string".to_owned(),
        Type::Integer | Type::Number => "number".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Null => "null".to_owned(),
        Type::Literal(word) => format!("\"{word}\""),
        Type::List(inner) => match &**inner {
            Type::Union(_) => format!("({})[]", shown(inner)),
            inner => format!("{}[]", shown(inner)),
        },
        Type::Map(inner) => format!("Record<string, {}>", shown(inner)),
        Type::Named(name) => name.clone(),
        Type::Union(shapes) => shapes.iter().map(shown).collect::<Vec<_>>().join(" | "),
    }
}
