//! From a node to the alternatives of its type, through every `$ref`, `anyOf`, `oneOf` and `allOf`.
//!
//! A schema of a few lines can describe a union of a billion members, so that the work is limited.

use std::collections::HashSet;

use super::json::Value;
use super::types::Alternative;
use super::{Schema, SchemaError};

/// Every combination of an alternative of `left` with one of `right`.
pub(super) fn both<'s>(left: &[Alternative<'s>], right: &[Alternative<'s>]) -> Vec<Alternative<'s>> {
    let mut combined = Distinct::default();
    for one in left {
        for two in right {
            let mut nodes = one.nodes.clone();
            nodes.extend(
                two.nodes.iter().filter(|node| !one.nodes.iter().any(|known| std::ptr::eq(*known, **node))),
            );
            let joint = Alternative { name: two.name.or(one.name), nodes };
            if !joint.kinds().is_empty() {
                combined.push(joint);
            }
        }
    }
    combined.alternatives
}

/// Alternatives, each once. A protocol's root is a union of hundreds, too many to compare each with all.
#[derive(Default)]
pub(super) struct Distinct<'s> {
    pub(super) alternatives: Vec<Alternative<'s>>,
    /// The places of each, from the time when they are many.
    seen: HashSet<Vec<*const Value>>,
}

impl<'s> Distinct<'s> {
    pub(super) fn push(&mut self, alternative: Alternative<'s>) {
        // Most unions have few members, of which comparing is quicker than remembering.
        const FEW: usize = 8;
        let is_new = if self.alternatives.len() <= FEW {
            !self.alternatives.iter().any(|known| known.same_as(&alternative))
        } else {
            if self.seen.is_empty() {
                self.seen = self.alternatives.iter().map(Alternative::places).collect();
            }
            self.seen.insert(alternative.places())
        };
        if is_new {
            self.alternatives.push(alternative);
        }
    }

    pub(super) fn extend(&mut self, alternatives: Vec<Alternative<'s>>) {
        if self.alternatives.is_empty() {
            self.alternatives = alternatives;
        } else {
            alternatives.into_iter().for_each(|one| self.push(one));
        }
    }
}

/// How many nodes, one inside or behind the other, a type may lead through.
const DEPTH: usize = 128;

/// How many nodes a type may be made of. The largest one of the bundled schemas is made of fewer than a thousand.
const NODES: usize = 100_000;

/// How many alternatives a type may have.
const ALTERNATIVES: usize = 4096;

/// The work that makes a type of a node.
pub(super) struct Expansion<'s> {
    schema: &'s Schema,
    /// The nodes that are being expanded, so that a union that contains itself ends.
    path: Vec<&'s Value>,
    nodes: usize,
}

impl<'s> Expansion<'s> {
    pub(super) fn new(schema: &'s Schema, node: &'s Value) -> Self {
        Self { schema, path: vec![node], nodes: 0 }
    }

    /// Notes that a type is too large. From then on nothing is worked out: the schema cannot be used.
    fn exceed(&self, name: Option<&str>, what: &str) {
        let place = name.map_or_else(|| "a type without a name".to_owned(), |name| format!("`{name}`"));
        let _ = self.schema.excess.set(SchemaError::new(place, what));
    }

    /// The alternatives of a node.
    pub(super) fn expand(&mut self, name: Option<&'s str>, node: &'s Value) -> Vec<Alternative<'s>> {
        if self.schema.excess.get().is_some() {
            return Vec::new();
        }
        self.nodes += 1;
        if self.nodes > NODES {
            self.exceed(name, &format!("a union is made of more than the {NODES} nodes that are allowed"));
            return Vec::new();
        }
        let Some(map) = node.as_object() else {
            return match node {
                Value::Bool(false) => Vec::new(),
                _ => vec![Alternative { name, nodes: vec![node] }],
            };
        };
        if let Some(Value::String(reference)) = map.get("$ref") {
            let Some((target_name, target)) = self.schema.resolve(reference) else {
                return Vec::new();
            };
            let target_name = if target_name.is_empty() { name } else { Some(target_name) };
            let target = self.inside(target_name, target);
            // Since 2019-09, what stands beside a reference counts as well.
            let beside = Alternative { name, nodes: vec![node] };
            let speaks = map.contains_key("properties") || map.contains_key("required");
            return if speaks { both(&[beside], &target) } else { target };
        }
        let mut alternatives = vec![Alternative { name, nodes: vec![node] }];
        if let Some(Value::Array(members)) = map.get("allOf") {
            for member in members {
                let member = self.inside(None, member);
                alternatives = self.all(name, &alternatives, &member);
            }
            // A definition that builds on another one is still called by its own name.
            for alternative in &mut alternatives {
                alternative.name = name.or(alternative.name);
            }
        }
        for key in ["anyOf", "oneOf"] {
            let Some(Value::Array(members)) = map.get(key) else {
                continue;
            };
            let mut union = Distinct::default();
            for member in members {
                self.inside(None, member).into_iter().for_each(|one| union.push(one));
            }
            alternatives = self.all(name, &alternatives, &union.alternatives);
        }
        for alternative in &mut alternatives {
            drop_wrappers(alternative);
        }
        alternatives
    }

    fn inside(&mut self, name: Option<&'s str>, node: &'s Value) -> Vec<Alternative<'s>> {
        if self.path.iter().any(|open| std::ptr::eq(*open, node)) {
            return Vec::new();
        }
        if self.path.len() >= DEPTH {
            self.exceed(
                name,
                &format!("it is behind more than {DEPTH} `$ref`s and unions, which is the limit"),
            );
            return Vec::new();
        }
        self.path.push(node);
        let alternatives = self.expand(name, node);
        self.path.pop();
        alternatives
    }

    /// Every combination, of which there may be too many.
    fn all(
        &self,
        name: Option<&'s str>,
        left: &[Alternative<'s>],
        right: &[Alternative<'s>],
    ) -> Vec<Alternative<'s>> {
        if left.len().saturating_mul(right.len()) > ALTERNATIVES {
            self.exceed(
                name,
                &format!("a union has more than the {ALTERNATIVES} alternatives that are allowed"),
            );
            return Vec::new();
        }
        both(left, right)
    }
}

/// Removes nodes that only held a union, which say nothing by themselves.
fn drop_wrappers(alternative: &mut Alternative<'_>) {
    if alternative.nodes.len() < 2 {
        return;
    }
    let speaks = |node: &&Value| {
        const SAYING: [&str; 7] =
            ["type", "properties", "items", "enum", "const", "additionalProperties", "required"];
        node.as_object().is_none_or(|map| SAYING.iter().any(|key| map.contains_key(*key)))
    };
    if alternative.nodes.iter().any(speaks) {
        alternative.nodes.retain(speaks);
    }
}
