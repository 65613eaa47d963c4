//! One row per rule: native pattern on the left, universal terms with their fields on the right.

use interlingua_table::{
    Action, ArmShape, BlockKind, Cond, Expr, Field, FieldKind, ItemKind, Rule, Table, ValueMap, Verb, spec,
};

use super::expr::{condition, expression, named, path};
use crate::ast::kind_word;

/// What one rule says.
#[derive(Debug, Clone, PartialEq)]
pub struct Row<'t> {
    /// The rule itself.
    pub rule: &'t Rule,
    /// The message types that it takes, as the map writes them.
    pub patterns: Vec<&'static str>,
    /// Its condition, if it has one.
    pub condition: Option<String>,
    /// What it gives.
    pub content: Content,
}

/// What a rule gives.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Universal terms, in order.
    Terms(Vec<Line>),
    /// Nothing, for this reason.
    Ignored(&'static str),
}

/// One line of a rule's right side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// How deep it stands inside other lines, from 0.
    pub depth: usize,
    /// The universal term, or the step (`each content`, `when failed`, `text where …`).
    pub head: String,
    /// The fields of the term, as the map writes them.
    pub fields: Vec<String>,
    /// The reason, when the line is an ignored variant.
    pub ignored: Option<&'static str>,
}

/// All rules of a table, in the order of the map.
pub fn rows(table: &Table) -> Vec<Row<'_>> {
    table.rules.iter().map(|rule| row(table, rule)).collect()
}

fn row<'t>(table: &'t Table, rule: &'t Rule) -> Row<'t> {
    let content = match rule.ignore {
        Some(reason) => Content::Ignored(reason),
        None => {
            let mut lines = Vec::new();
            if !rule.context.is_empty() {
                let fields =
                    rule.context.iter().map(|(field, value)| assigned(table, *field, None, value)).collect();
                lines.push(Line { fields, ..step(0, "settings".to_string()) });
            }
            actions(table, rule.actions, 0, &mut lines);
            Content::Terms(lines)
        }
    };
    let condition = rule.condition.as_ref().map(|test| condition(table, test));
    Row { rule, patterns: rule.patterns.to_vec(), condition, content }
}

/// A line without fields.
fn step(depth: usize, head: String) -> Line {
    Line { depth, head, fields: Vec::new(), ignored: None }
}

fn actions(table: &Table, steps: &[Action], depth: usize, lines: &mut Vec<Line>) {
    for action in steps {
        match action {
            Action::Emit { verb, item, block, fields, body, .. } => {
                let term = term(table, *verb, *item, *block, fields);
                lines.push(Line { depth, ..term });
                actions(table, body, depth + 1, lines);
            }
            Action::Each { over, arms } => each(table, "each", over, arms, depth, lines),
            Action::One { over, arms } => each(table, "with", over, arms, depth, lines),
            Action::In { item, body } => {
                lines.push(step(depth, format!("under {}", expression(table, item))));
                actions(table, body, depth + 1, lines);
            }
            Action::When { arms } => {
                for (place, (test, then)) in arms.iter().enumerate() {
                    let head = match (place, test) {
                        (0, _) => format!("if {}", condition(table, test)),
                        (_, Cond::All([])) => "else".to_string(),
                        _ => format!("else if {}", condition(table, test)),
                    };
                    lines.push(step(depth, head));
                    actions(table, then, depth + 1, lines);
                }
            }
            Action::Set { register, key, value } => {
                let name = table.registers.get(usize::from(*register)).map_or("?", |register| register.name);
                let key =
                    key.as_ref().map_or_else(String::new, |key| format!("[{}]", expression(table, key)));
                lines.push(step(depth, format!("@{name}{key} = {}", expression(table, value))));
            }
            Action::Add { value, merge } => {
                let merge = merge.map_or_else(String::new, |(by, list)| format!(" merge {list} by {by}"));
                lines.push(step(depth, format!("{}{merge}", expression(table, value))));
            }
            Action::Send { value, http: None } => {
                lines.push(step(depth, format!("send {}", expression(table, value))));
            }
            Action::Send { value, http: Some((method, path)) } => {
                let body = match value {
                    Expr::Absent => String::new(),
                    value => format!(" {}", expression(table, value)),
                };
                lines.push(step(depth, format!("http {method} {}{body}", expression(table, path))));
            }
            Action::Spawn { args, cwd } => {
                let cwd = match cwd {
                    Expr::Absent => String::new(),
                    cwd => format!(", cwd: {}", expression(table, cwd)),
                };
                lines.push(step(depth, format!("spawn {{ args: {}{cwd} }}", expression(table, args))));
            }
            Action::Tell { id } => {
                let id = match id {
                    Expr::Absent => String::new(),
                    id => format!(" {{ id: {} }}", expression(table, id)),
                };
                lines.push(step(depth, format!("tell{id}")));
            }
            Action::Put { key, value } => {
                lines
                    .push(step(depth, format!("({}): {}", expression(table, key), expression(table, value))));
            }
            Action::HangUp => lines.push(step(depth, "hang_up".to_string())),
            Action::Await => lines.push(step(depth, "await".to_string())),
            Action::Degrade { what, reason } => {
                lines.push(step(depth, format!("degrade {what:?} because {reason:?}")));
            }
            Action::Once { key } => lines.push(step(depth, format!("once {}", expression(table, key)))),
            Action::Candidate { number } => {
                lines.push(step(depth, format!("candidate {}", expression(table, number))));
            }
        }
    }
}

fn term(table: &Table, verb: Verb, item: ItemKind, block: BlockKind, fields: &[(Field, Expr)]) -> Line {
    let spec = spec(verb, item, block);
    let kind_of = |field: Field| {
        spec.and_then(|term| term.fields.iter().find(|known| known.field == field)).map(|known| known.kind)
    };
    let head = spec.map_or_else(|| format!("{verb:?}"), |term| term.name.to_string());
    let mut written: Vec<String> =
        fields.iter().map(|(field, value)| assigned(table, *field, kind_of(*field), value)).collect();
    let state: &[&str] = match verb {
        Verb::Open if item != ItemKind::ToolCall => &["open"],
        Verb::Close if !fields.iter().any(|(field, _)| *field == Field::Status) => &["done"],
        Verb::Whole => &["done", "unless_empty"],
        _ => &[],
    };
    let place = usize::from(fields.first().is_some_and(|(field, _)| *field == Field::Id));
    written.splice(place..place, state.iter().map(|flag| (*flag).to_string()));
    Line { fields: written, ..step(0, head) }
}

fn assigned(table: &Table, field: Field, kind: Option<FieldKind>, value: &Expr) -> String {
    match (kind, value) {
        (Some(FieldKind::Flag), Expr::Bool(true)) => field.name().to_string(),
        _ => named(field.name(), &expression(table, value)),
    }
}

fn each(
    table: &Table,
    verb: &str,
    over: &interlingua_table::Path,
    arms: &[interlingua_table::Arm],
    depth: usize,
    lines: &mut Vec<Line>,
) {
    let tag = arms.iter().find_map(|arm| match &arm.shape {
        ArmShape::Tag(tag, _) => Some(format!(" by {}", path(table, tag))),
        _ => None,
    });
    lines.push(step(depth, format!("{verb} {}{}", path(table, over), tag.as_deref().unwrap_or_default())));
    if let [only] = arms
        && only.shape == ArmShape::Any
        && only.condition.is_none()
    {
        return actions(table, only.actions, depth + 1, lines);
    }
    for arm in arms {
        let mut head = match &arm.shape {
            ArmShape::Tag(_, values) => values.join(" | "),
            ArmShape::Kind(kind) => kind_word(*kind).to_string(),
            ArmShape::Any => "_".to_string(),
        };
        if let Some(test) = &arm.condition {
            head.push_str(&format!(" if {}", condition(table, test)));
        }
        lines.push(Line { ignored: arm.ignore, ..step(depth + 1, head) });
        actions(table, arm.actions, depth + 2, lines);
    }
}

/// The lines of a value map: native values, then what they become, in the order of the map, with
/// values of the same outcome together.
pub fn value_map(map: &ValueMap) -> Vec<(String, String)> {
    let written =
        |value: Option<&str>| value.map_or_else(|| "absent".to_string(), |text| format!("{text:?}"));
    let mut lines: Vec<(String, String)> = Vec::new();
    for (native, universal) in map.pairs {
        let universal = written(*universal);
        match lines.last_mut() {
            Some((natives, last)) if *last == universal => natives.push_str(&format!(" | {native}")),
            _ => lines.push((native.to_string(), universal)),
        }
    }
    lines.push(("_".to_string(), written(map.otherwise)));
    lines
}
