//! What the rules of a map say, term by term: each term with the native message that gives it.

use interlingua_table::{
    Action, Arm, ArmShape, BlockKind, Cond, Expr, Field, ItemKind, Place, Rule, Table, Verb,
};

use super::expr::{condition, path};
use crate::ast::kind_word;

/// A condition longer than this does not help to recognise a message.
const LONG_CONDITION: usize = 56;
/// More variants than this are told by the first of them.
const MANY_VARIANTS: usize = 4;
/// A pattern longer than this is told by the name of its rule.
const LONG_PATTERN: usize = 64;

/// A term that some rule gives, and where it comes from.
#[derive(Debug, Clone)]
pub(super) struct Said {
    /// The native message, with the element in it: `assistant message.content[]/tool_use`.
    pub native: String,
    pub verb: Verb,
    pub item: ItemKind,
    pub block: BlockKind,
    pub fields: &'static [(Field, Expr)],
    /// Whether its rule takes only some messages of its patterns.
    pub partial: bool,
    /// The place of the term in the map.
    pub place: Place,
    /// The kind of the item, and the verb, in whose body it stands.
    pub within: Option<(Verb, ItemKind)>,
}

impl Said {
    /// The value of a field.
    pub fn field(&self, wanted: Field) -> Option<&'static Expr> {
        self.fields.iter().find(|(field, _)| *field == wanted).map(|(_, value)| value)
    }

    pub fn has(&self, field: Field) -> bool {
        self.field(field).is_some()
    }

    /// Whether the field can have this value.
    pub fn can_be(&self, table: &Table, field: Field, value: &str) -> bool {
        self.field(field).is_some_and(|expr| outcomes(table, expr).contains(&value))
    }

    /// Whether it starts or completes an item of this kind.
    pub fn is_item(&self, kind: ItemKind) -> bool {
        matches!(self.verb, Verb::Open | Verb::Close | Verb::Whole) && self.item == kind
    }
}

/// Everything that the rules of a map say, in the order of the map.
pub(super) fn said(table: &'static Table) -> Vec<Said> {
    let mut walk = Walk { table, partial: false, said: Vec::new() };
    for rule in table.rules {
        walk.partial = rule.condition.is_some();
        walk.actions(rule.actions, &Here { native: name(table, rule), on: String::new(), within: None });
    }
    walk.said
}

/// How a message is called: by its patterns and a short condition, else by its rule's name.
fn name(table: &Table, rule: &Rule) -> String {
    let patterns = rule.patterns.join(" | ");
    let mut name = if patterns.len() > LONG_PATTERN { rule.name.to_string() } else { patterns };
    if let Some(test) = &rule.condition {
        add_condition(&mut name, &condition(table, test));
    }
    name
}

fn add_condition(name: &mut String, test: &str) {
    if test.len() <= LONG_CONDITION {
        name.push_str(&format!(" if {test}"));
    }
}

struct Walk {
    table: &'static Table,
    partial: bool,
    said: Vec<Said>,
}

/// Where a walk is.
#[derive(Clone)]
struct Here {
    /// The native message and the element in it.
    native: String,
    /// The path from that element to the current value, which tells nothing by itself.
    on: String,
    within: Option<(Verb, ItemKind)>,
}

impl Here {
    /// The place of a path from the current value.
    fn place(&self, path: &str) -> String {
        match (self.on.as_str(), path) {
            ("", path) => path.to_string(),
            (on, "this") => on.to_string(),
            // A path from the whole message, or from outside, goes another way.
            (_, path) if path.starts_with('$') => path.to_string(),
            (on, path) => format!("{on}.{path}"),
        }
    }
}

impl Walk {
    fn actions(&mut self, steps: &'static [Action], here: &Here) {
        for step in steps {
            match step {
                Action::Emit { verb, item, block, fields, body, place } => {
                    let (verb, item) = (*verb, *item);
                    self.said.push(Said {
                        native: here.native.clone(),
                        partial: self.partial,
                        verb,
                        item,
                        block: *block,
                        fields,
                        place: *place,
                        within: here.within,
                    });
                    self.actions(body, &Here { within: Some((verb, item)), ..here.clone() });
                }
                Action::Each { over, arms } => {
                    let over = format!("{}[]", here.place(&path(self.table, over)));
                    self.arms(&over, arms, here);
                }
                Action::One { over, arms } => {
                    self.arms(&here.place(&path(self.table, over)), arms, here);
                }
                Action::In { body, .. } => self.actions(body, here),
                Action::When { arms } => {
                    for (test, steps) in *arms {
                        let mut here = here.clone();
                        // Only a comparison with constants says what the message is.
                        if matches!(test, Cond::In(..)) {
                            add_condition(&mut here.native, &condition(self.table, test));
                        }
                        self.actions(steps, &here);
                    }
                }
                Action::Set { .. }
                | Action::Once { .. }
                | Action::Candidate { .. }
                | Action::Add { .. }
                | Action::Send { .. }
                | Action::Degrade { .. }
                | Action::Put { .. }
                | Action::HangUp
                | Action::Await
                | Action::Spawn { .. }
                | Action::Tell { .. } => {}
            }
        }
    }

    fn arms(&mut self, over: &str, arms: &'static [Arm], here: &Here) {
        for arm in arms {
            let mut inside = Here { on: String::new(), ..here.clone() };
            // The element that was named just before needs no second name.
            let over = if over == "this" { String::new() } else { format!(" {over}") };
            match &arm.shape {
                ArmShape::Tag(_, values) => inside.native.push_str(&format!("{over}/{}", variants(values))),
                ArmShape::Kind(kind) => inside.native.push_str(&format!("{over} is {}", kind_word(*kind))),
                // The value itself is no other message than the one that it is in.
                ArmShape::Any if over.ends_with("[]") => inside.native.push_str(&over),
                ArmShape::Any => inside.on = over.trim_start().to_string(),
            }
            if let Some(test) = &arm.condition {
                add_condition(&mut inside.native, &condition(self.table, test));
            }
            self.actions(arm.actions, &inside);
        }
    }
}

fn variants(values: &[&str]) -> String {
    match values {
        [some @ .., _] if values.len() > MANY_VARIANTS => {
            format!("{} | …", some[..MANY_VARIANTS - 1].join(" | "))
        }
        all => all.join(" | "),
    }
}

/// The constants that an expression can give.
fn outcomes(table: &Table, expr: &'static Expr) -> Vec<&'static str> {
    match expr {
        Expr::Text(text) => vec![text],
        Expr::First(all) => all.iter().flat_map(|one| outcomes(table, one)).collect(),
        Expr::If(_, then, otherwise) => [outcomes(table, then), outcomes(table, otherwise)].concat(),
        Expr::Via(_, map) => {
            let map = table.values.get(usize::from(*map));
            let pairs = map.map(|map| map.pairs.iter().filter_map(|(_, value)| *value).chain(map.otherwise));
            pairs.into_iter().flatten().collect()
        }
        _ => Vec::new(),
    }
}
