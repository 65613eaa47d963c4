//! Paths, conditions and expressions, written as the map language writes them.

use crate::ast::kind_word;
use interlingua_table::{Cond, Expr, Path, PathStart, Step, Table, TimeUnit};

/// The text of a path: `message.id`, `$.session_id`, `this`. A value further out, which has a name in the map, is `$` too.
pub fn path(table: &Table, path: &Path) -> String {
    let mut text = match path.scope {
        PathStart::Root => "$".to_string(),
        PathStart::Here => String::new(),
        PathStart::Outer(_) => "$".to_string(),
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
        Expr::Text(text) => quoted(&text.replace('{', "{{").replace('}', "}}")),
        Expr::Number(number) => number.to_string(),
        Expr::Bool(truth) => truth.to_string(),
        // A list that is put together, which is there even when it is empty.
        Expr::First([built @ (Expr::Build(_) | Expr::BuildMap(_)), Expr::List([]) | Expr::Object([])]) => {
            expression(table, built)
        }
        Expr::First(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| in_parentheses(table, part)).collect();
            parts.join(" ?? ")
        }
        Expr::Concat(parts) => template(table, parts),
        Expr::Join(over, separator, Expr::Path(Path { scope: PathStart::Here, steps: [] })) => {
            format!("join({}, {})", path(table, over), quoted(separator))
        }
        Expr::Join(over, separator, each) => {
            format!(
                "join([each {} => {}], {})",
                path(table, over),
                expression(table, each),
                quoted(separator)
            )
        }
        Expr::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| named(name, &expression(table, value))).collect();
            if members.is_empty() { "{}".to_string() } else { format!("{{ {} }}", members.join(", ")) }
        }
        Expr::List(parts) => format!("[{}]", list(table, parts, ", ")),
        Expr::Via(inner, map) => {
            let name = table.values.get(usize::from(*map)).map_or("?", |map| map.name);
            format!("{name}({})", expression(table, inner))
        }
        Expr::Register(number) => {
            format!("@{}", table.registers.get(usize::from(*number)).map_or("?", |register| register.name))
        }
        Expr::Position => "$index".to_string(),
        Expr::EachKey => "$key".to_string(),
        Expr::Time(place, unit) => format!("{}({})", time_unit(*unit), path(table, place)),
        Expr::Minus(parts) => format!("minus({})", list(table, parts, ", ")),
        Expr::Plus(parts) => format!("plus({})", list(table, parts, ", ")),
        Expr::If(test, then, otherwise) => {
            let mut text = format!("if {} then {}", condition(table, test), in_parentheses(table, then));
            if !matches!(otherwise, Expr::Absent) {
                text.push_str(&format!(" else {}", expression(table, otherwise)));
            }
            text
        }
        Expr::Piece(inner, piece, separator) => {
            format!("{}({}, {})", piece.name(), expression(table, inner), quoted(separator))
        }
        Expr::Between(inner, form, number) => {
            let mut text = String::new();
            for (place, constant) in form.iter().enumerate() {
                if place > 0 {
                    text.push_str(&format!("{{{}}}", place - 1));
                }
                text.push_str(constant);
            }
            format!("pieces({}, {}).{number}", expression(table, inner), quoted(&text))
        }
        Expr::Diff(old, new) => format!("diff({}, {})", expression(table, old), expression(table, new)),
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
        Expr::Build(_) => "[ … ]".to_string(),
        Expr::Needed(value) => format!("required {}", expression(table, value)),
        Expr::Without(object, keys) => {
            format!("{} without ({})", path(table, object), keys.join(", "))
        }
        Expr::Merge(one, other) => merged(table, one, other),
        Expr::BuildMap(_) => "{ … }".to_string(),
        Expr::Null => "null".to_string(),
        Expr::Absent => "absent".to_string(),
    }
}

/// The same, in parentheses where it has an `if` or `??` of its own.
fn in_parentheses(table: &Table, value: &Expr) -> String {
    let text = expression(table, value);
    let bare = matches!(value, Expr::If(..) | Expr::First(_)) && !text.starts_with(['[', '{']);
    if bare { format!("({text})") } else { text }
}

/// Texts with holes.
fn template(table: &Table, parts: &[Expr]) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            Expr::Text(constant) => text.push_str(&constant.replace('{', "{{").replace('}', "}}")),
            part => {
                let hole = expression(table, part);
                if hole.contains(['{', '}', '"']) {
                    return format!("concat({})", list(table, parts, ", "));
                }
                text.push_str(&format!("{{{hole}}}"));
            }
        }
    }
    quoted(&text)
}

/// An object with what it takes over from another.
fn merged(table: &Table, one: &Expr, other: &Expr) -> String {
    let mut spreads = Vec::new();
    let mut rest = other;
    while let Expr::Merge(next, after) = rest {
        spreads.push(*next);
        rest = after;
    }
    spreads.push(rest);
    let mut members: Vec<String> = match one {
        Expr::Object(members) => {
            members.iter().map(|(name, value)| named(name, &expression(table, value))).collect()
        }
        one => vec![format!("..{}", expression(table, one))],
    };
    members.extend(spreads.into_iter().map(|spread| format!("..{}", expression(table, spread))));
    format!("{{ {} }}", members.join(", "))
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
        Cond::Holds(value) => expression(table, value),
        Cond::Present(value) => format!("{} is present", in_parentheses(table, value)),
        Cond::In(value, [one]) => format!("{} == {}", expression(table, value), quoted(one)),
        Cond::In(value, many) => {
            let many: Vec<String> = many.iter().map(|text| quoted(text)).collect();
            format!("{} in [{}]", expression(table, value), many.join(", "))
        }
        Cond::IsBool(place, truth) => format!("{} == {truth}", path(table, place)),
        Cond::IsNumber(value, number) => format!("{} == {number}", expression(table, value)),
        Cond::Ends(value, end) => format!("{} ends {}", expression(table, value), quoted(end)),
        Cond::Contains(value, inner) => format!("{} contains {}", expression(table, value), quoted(inner)),
        Cond::Starts(value, start) => format!("{} starts {}", expression(table, value), quoted(start)),
        Cond::Same(left, right) => format!("{} == {}", expression(table, left), expression(table, right)),
        Cond::Less(left, right) => format!("{} < {}", expression(table, left), expression(table, right)),
        Cond::Is(place, kind) => format!("{} is {}", path(table, place), kind_word(*kind)),
        Cond::Not(Cond::In(value, [one])) => format!("{} != {}", expression(table, value), quoted(one)),
        Cond::Not(Cond::IsNumber(value, number)) => format!("{} != {number}", expression(table, value)),
        Cond::Not(Cond::Same(left, right)) => {
            format!("{} != {}", expression(table, left), expression(table, right))
        }
        Cond::Not(inner @ Cond::Holds(_)) => format!("!{}", grouped(table, inner)),
        Cond::Not(inner @ (Cond::All(_) | Cond::Any(_))) => format!("!{}", grouped(table, inner)),
        Cond::Not(inner) => format!("!({})", condition(table, inner)),
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
        Cond::Holds(Expr::First(_) | Expr::If(..)) => format!("({text})"),
        _ => text,
    }
}
