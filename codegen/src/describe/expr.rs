//! Paths, conditions and expressions, written as the map language writes them.

use crate::ast::kind_word;
use interlingua_table::{Cond, Expr, Path, Scope, Step, Table, TimeUnit};

/// The text of a path: `message.id`, `$.session_id`, `^`, `this`.
pub fn path(table: &Table, path: &Path) -> String {
    let mut text = match path.scope {
        Scope::Root => "$".to_string(),
        Scope::Here => String::new(),
        Scope::Outer(levels) => "^".repeat(usize::from(levels)),
    };
    steps(table, path.steps, &mut text);
    if text.is_empty() { "this".to_string() } else { text }
}

fn steps(table: &Table, steps: &[Step], text: &mut String) {
    for step in steps {
        match step {
            Step::Key(number) => {
                let key = table.keys.get(usize::from(*number)).copied().unwrap_or("?");
                let word = is_word(key);
                if !text.is_empty() || !word {
                    text.push('.');
                }
                text.push_str(&if word { key.to_string() } else { quoted(key) });
            }
            Step::Index(place) => text.push_str(&format!("[{place}]")),
            Step::Lookup(key) => text.push_str(&format!("[{}]", expression(table, key))),
            Step::Find(inner, value) => {
                let mut inner_text = String::new();
                self::steps(table, inner, &mut inner_text);
                text.push_str(&format!("[{inner_text} == {}]", expression(table, value)));
            }
        }
    }
}

/// Whether a key can stand in a path without quotes.
fn is_word(key: &str) -> bool {
    let mut characters = key.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|other| other.is_ascii_alphanumeric() || other == '_')
}

/// A text in double quotes, with what Rust escapes escaped.
fn quoted(text: &str) -> String {
    format!("{text:?}")
}

fn list(table: &Table, parts: &[Expr], separator: &str) -> String {
    parts.iter().map(|part| expression(table, part)).collect::<Vec<_>>().join(separator)
}

/// The text of an expression.
pub fn expression(table: &Table, value: &Expr) -> String {
    match value {
        Expr::Path(place) => path(table, place),
        Expr::Text(text) => quoted(text),
        Expr::Number(number) => number.to_string(),
        Expr::Bool(truth) => truth.to_string(),
        Expr::First(parts) => list(table, parts, " | "),
        Expr::Concat(parts) => format!("concat({})", list(table, parts, ", ")),
        Expr::Join(over, separator, each) => {
            format!("join({}, {}, {})", path(table, over), quoted(separator), expression(table, each))
        }
        Expr::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| named(name, &expression(table, value))).collect();
            format!("object {{ {} }}", members.join(", "))
        }
        Expr::List(parts) => format!("list({})", list(table, parts, ", ")),
        Expr::Via(inner, map) => {
            let name = table.values.get(usize::from(*map)).map_or("?", |map| map.name);
            format!("{} via {name}", expression(table, inner))
        }
        Expr::Register(number) => {
            format!("@{}", table.registers.get(usize::from(*number)).map_or("?", |register| register.name))
        }
        Expr::Position => "position".to_string(),
        Expr::EachKey => "each_key".to_string(),
        Expr::Time(place, unit) => format!("{} as {}", path(table, place), time_unit(*unit)),
        Expr::Minus(parts) => format!("minus({})", list(table, parts, ", ")),
        Expr::Plus(parts) => format!("plus({})", list(table, parts, ", ")),
        Expr::If(test, then, otherwise) => {
            let mut text = format!("if {} {{ {} }}", condition(table, test), expression(table, then));
            match otherwise {
                Expr::Absent => {}
                Expr::If(..) => text.push_str(&format!(" else {}", expression(table, otherwise))),
                _ => text.push_str(&format!(" else {{ {} }}", expression(table, otherwise))),
            }
            text
        }
        Expr::Split(inner, separator, whole) => {
            let whole = whole.map_or_else(String::new, |(over, each)| {
                format!(", {}, {}", path(table, over), expression(table, each))
            });
            format!("split({}, {}{whole})", expression(table, inner), quoted(separator))
        }
        Expr::Json(place) => format!("json({})", path(table, place)),
        Expr::Parse(place, inside) => {
            let mut text = format!("parse({})", path(table, place));
            steps(table, inside, &mut text);
            text
        }
        Expr::Recall(number, key) => {
            let name = table.registers.get(usize::from(*number)).map_or("?", |register| register.name);
            format!("@{name}[{}]", expression(table, key))
        }
        Expr::Build(_) => "list { … }".to_string(),
        Expr::Needed(value) => format!("some {}", expression(table, value)),
        Expr::Without(object, keys) => {
            let keys: Vec<String> = keys.iter().map(|key| quoted(key)).collect();
            format!("without({}, {})", path(table, object), keys.join(", "))
        }
        Expr::Merge(one, other) => {
            format!("merge({}, {})", expression(table, one), expression(table, other))
        }
        Expr::BuildMap(_) => "map { … }".to_string(),
        Expr::Null => "null".to_string(),
        Expr::Absent => "absent".to_string(),
    }
}

/// `name: value`, or `name` alone where the value is the path of that name.
pub(super) fn named(name: &str, value: &str) -> String {
    if name == value { name.to_string() } else { format!("{name}: {value}") }
}

fn time_unit(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Seconds => "seconds",
        TimeUnit::Milliseconds => "milliseconds",
        TimeUnit::Rfc3339 => "rfc3339",
    }
}

/// The text of a condition.
pub fn condition(table: &Table, test: &Cond) -> String {
    match test {
        Cond::Present(value) => expression(table, value),
        Cond::In(value, [one]) => format!("{} == {}", expression(table, value), quoted(one)),
        Cond::In(value, many) => {
            let many: Vec<String> = many.iter().map(|text| quoted(text)).collect();
            format!("{} in [{}]", expression(table, value), many.join(", "))
        }
        Cond::IsBool(place, truth) => format!("{} == {truth}", path(table, place)),
        Cond::Starts(value, start) => format!("{} starts {}", expression(table, value), quoted(start)),
        Cond::Same(left, right) => format!("{} == {}", expression(table, left), expression(table, right)),
        Cond::Is(place, kind) => format!("{} is {}", path(table, place), kind_word(*kind)),
        Cond::Not(Cond::In(value, [one])) => format!("{} != {}", expression(table, value), quoted(one)),
        Cond::Not(Cond::Present(inner @ Expr::Via(..))) => format!("!({})", expression(table, inner)),
        Cond::Not(inner) => format!("!{}", grouped(table, inner)),
        Cond::All(parts) => joined(table, parts, " && ", "true"),
        Cond::Any(parts) => joined(table, parts, " || ", "false"),
    }
}

fn joined(table: &Table, parts: &[Cond], separator: &str, empty: &str) -> String {
    match parts {
        [] => empty.to_string(),
        [one] => condition(table, one),
        many => many.iter().map(|part| grouped(table, part)).collect::<Vec<_>>().join(separator),
    }
}

/// The condition in parentheses where it has an operator that could be read otherwise.
fn grouped(table: &Table, test: &Cond) -> String {
    let text = condition(table, test);
    match test {
        Cond::All(parts) | Cond::Any(parts) if parts.len() > 1 => format!("({text})"),
        Cond::Present(Expr::First(parts)) if parts.len() > 1 => format!("({text})"),
        _ => text,
    }
}
