//! Types: sets of alternatives, each a set of schema nodes that hold at once.

use std::collections::BTreeSet;
use std::fmt;

use super::expansion::{Distinct, Expansion, both};
use super::json::{Map, Value};
use super::{Kinds, Schema};

/// What a place in a message may hold.
///
/// A type is a list of alternatives. A union therefore is nothing special: a
/// question is put to each alternative and the answers are put together. An
/// alternative never is a `$ref`, an `anyOf`, a `oneOf` or an `allOf`; those
/// have been resolved when the type was made.
#[derive(Clone)]
pub struct Type<'s> {
    schema: &'s Schema,
    alternatives: Vec<Alternative<'s>>,
}

/// Nodes that all hold at the same time, as `allOf` says.
#[derive(Clone)]
pub(super) struct Alternative<'s> {
    /// The innermost definition that led here.
    pub(super) name: Option<&'s str>,
    pub(super) nodes: Vec<&'s Value>,
}

/// One variant of a tagged union.
#[derive(Clone)]
pub struct Variant<'s> {
    /// The tags' values, in the order in which the tags were asked for.
    pub tags: Vec<Tag>,
    /// The type of the messages with these tags; several definitions may
    /// share them.
    pub ty: Type<'s>,
}

/// The value of a tag in one variant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// This very value. Values that are not strings are their JSON text.
    Value(String),
    /// The variant does not have this tag.
    Absent,
    /// The schema does not say which values there are.
    Open,
}

impl Tag {
    /// The tag's value, when the schema names one.
    pub fn value(&self) -> Option<&str> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Open => None,
        }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value(value) => value,
            Self::Absent => "(absent)",
            Self::Open => "(any)",
        })
    }
}

impl<'s> Type<'s> {
    pub(super) fn of_definition(schema: &'s Schema, name: &'s str, node: &'s Value) -> Self {
        Self { schema, alternatives: Expansion::new(schema, node).expand(Some(name), node) }
    }

    pub(super) fn of_node(schema: &'s Schema, node: &'s Value) -> Self {
        Self { schema, alternatives: Expansion::new(schema, node).expand(None, node) }
    }

    fn empty(schema: &'s Schema) -> Self {
        Self { schema, alternatives: Vec::new() }
    }

    fn join(&mut self, other: Self) {
        if self.alternatives.is_empty() {
            self.alternatives = other.alternatives;
            return;
        }
        for alternative in other.alternatives {
            if !self.alternatives.iter().any(|known| known.same_as(&alternative)) {
                self.alternatives.push(alternative);
            }
        }
    }

    fn some_if_any(self) -> Option<Self> {
        (!self.alternatives.is_empty()).then_some(self)
    }

    /// The kinds of value that are allowed here.
    pub fn kinds(&self) -> Kinds {
        self.alternatives.iter().fold(Kinds::NONE, |kinds, one| kinds | one.kinds())
    }

    /// The definitions that this type consists of, each once, in schema order.
    pub fn definition_names(&self) -> Vec<&'s str> {
        let mut names = Vec::new();
        for name in self.alternatives.iter().filter_map(|one| one.name) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Each alternative as a type of its own, in schema order.
    pub fn alternatives(&self) -> Vec<Type<'s>> {
        let alone = |one: &Alternative<'s>| Self { schema: self.schema, alternatives: vec![one.clone()] };
        self.alternatives.iter().map(alone).collect()
    }

    /// The alternatives that allow one of `kinds`, or nothing if none does.
    pub fn only(&self, kinds: Kinds) -> Option<Type<'s>> {
        let mut kept = Self::empty(self.schema);
        kept.alternatives =
            self.alternatives.iter().filter(|one| one.kinds().intersects(kinds)).cloned().collect();
        kept.some_if_any()
    }

    /// True when some alternative names this property, rather than allowing
    /// any key.
    pub fn declares(&self, name: &str) -> bool {
        self.alternatives.iter().any(|one| one.declares(name))
    }

    /// True when every alternative that is an object must have this property.
    pub fn requires(&self, name: &str) -> bool {
        let mut objects =
            self.alternatives.iter().filter(|one| one.kinds().contains(Kinds::OBJECT)).peekable();
        objects.peek().is_some() && objects.all(|one| one.requires(name))
    }

    /// The type of a property, through all alternatives that declare it.
    ///
    /// When none does, a map's entry type is the answer, and anything at all
    /// where the schema allows anything. `None` means that no message of this
    /// type has such a property as far as the schema knows.
    pub fn property(&self, name: &str) -> Option<Type<'s>> {
        let mut found = Distinct::default();
        for alternative in self.alternatives.iter().filter(|one| one.declares(name)) {
            found.extend(alternative.declared_property(self.schema, name).alternatives);
        }
        if found.alternatives.is_empty() {
            return self.entry();
        }
        Some(Self { schema: self.schema, alternatives: found.alternatives })
    }

    /// The names of all declared properties, sorted.
    pub fn property_names(&self) -> Vec<&'s str> {
        let mut names = BTreeSet::new();
        for alternative in &self.alternatives {
            for node in &alternative.nodes {
                names.extend(
                    object_at(node, "properties").into_iter().flatten().map(|(name, _)| name.as_str()),
                );
            }
        }
        names.into_iter().collect()
    }

    /// The type of an array's elements (of all positions of a tuple).
    pub fn element(&self) -> Option<Type<'s>> {
        let mut found = Self::empty(self.schema);
        for alternative in self.alternatives.iter().filter(|one| one.kinds().contains(Kinds::ARRAY)) {
            found.join(alternative.element(self.schema));
        }
        found.some_if_any()
    }

    /// The type of the values of an object that is a map: one whose keys the
    /// schema does not list.
    pub fn entry(&self) -> Option<Type<'s>> {
        let mut found = Self::empty(self.schema);
        for alternative in self.alternatives.iter().filter(|one| one.kinds().contains(Kinds::OBJECT)) {
            if let Some(entry) = alternative.entry(self.schema) {
                found.join(entry);
            }
        }
        found.some_if_any()
    }

    /// The strings of a closed enum, in schema order; `None` when a string
    /// that the schema does not list is allowed, or no string at all.
    pub fn enum_values(&self) -> Option<Vec<String>> {
        let strings = self.only(Kinds::STRING)?;
        let mut values = Vec::new();
        for alternative in &strings.alternatives {
            for value in alternative.values()? {
                if let Value::String(text) = value
                    && !values.contains(text)
                {
                    values.push(text.clone());
                }
            }
        }
        Some(values)
    }

    /// All strings that the schema lists, also where it allows others.
    pub fn known_values(&self) -> Vec<String> {
        let mut values = Vec::new();
        for value in self.alternatives.iter().filter_map(Alternative::values).flatten() {
            if let Value::String(text) = value
                && !values.contains(text)
            {
                values.push(text.clone());
            }
        }
        values
    }

    /// The variants of a union tagged by one property. See [`Type::variants_by`].
    pub fn variants(&self, tag: &str) -> Vec<Variant<'s>> {
        self.variants_by(&[tag])
    }

    /// The variants of a union tagged by several properties, in schema order.
    ///
    /// A tag may be a path (`request.subtype`). A definition whose tag is an
    /// enum of several values is one variant per value; definitions with the
    /// same tags are one variant. Alternatives that are not objects have no
    /// part in this.
    pub fn variants_by(&self, tags: &[&str]) -> Vec<Variant<'s>> {
        let mut variants: Vec<Variant<'s>> = Vec::new();
        for ty in self.alternatives().into_iter().filter(|ty| ty.kinds().contains(Kinds::OBJECT)) {
            let mut rows: Vec<Vec<Tag>> = vec![Vec::new()];
            for tag in tags {
                let values = ty.tag_values(tag);
                rows = rows
                    .into_iter()
                    .flat_map(|row| {
                        values.iter().map(move |value| [row.as_slice(), std::slice::from_ref(value)].concat())
                    })
                    .collect();
            }
            for row in rows {
                match variants.iter_mut().find(|variant| variant.tags == row) {
                    Some(variant) => variant.ty.join(ty.clone()),
                    None => variants.push(Variant { tags: row, ty: ty.clone() }),
                }
            }
        }
        variants
    }

    fn tag_values(&self, tag: &str) -> Vec<Tag> {
        let mut at = self.clone();
        for name in tag.split('.') {
            if !at.declares(name) {
                return vec![Tag::Absent];
            }
            match at.property(name) {
                Some(next) => at = next,
                None => return vec![Tag::Absent],
            }
        }
        let mut values = Vec::new();
        for alternative in &at.alternatives {
            let Some(listed) = alternative.values() else {
                return vec![Tag::Open];
            };
            for value in listed {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                if !values.contains(&Tag::Value(text.clone())) {
                    values.push(Tag::Value(text));
                }
            }
        }
        values
    }

    /// Follows a path such as `message.content[*].text` or `usage{*}.cost`,
    /// where `[*]` is an array's element and `{*}` a map's value.
    pub fn at(&self, path: &str) -> Option<Type<'s>> {
        let mut at = self.clone();
        for step in path.split('.').filter(|step| !step.is_empty()) {
            let name = step.trim_end_matches("[*]").trim_end_matches("{*}");
            if !name.is_empty() {
                at = at.property(name)?;
            }
            let mut rest = &step[name.len()..];
            while !rest.is_empty() {
                let (next, length) = match rest.starts_with("[*]") {
                    true => (at.element()?, 3),
                    false => (at.entry()?, 3),
                };
                at = next;
                rest = &rest[length..];
            }
        }
        Some(at)
    }
}

impl fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Type({}; {:?})", self.kinds(), self.definition_names())
    }
}

impl fmt::Debug for Variant<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Variant({:?}; {:?})", self.tags, self.ty)
    }
}

impl<'s> Alternative<'s> {
    /// Where its nodes lie, by which it is the same as another one.
    pub(super) fn places(&self) -> Vec<*const Value> {
        self.nodes.iter().map(|node| std::ptr::from_ref(*node)).collect()
    }

    pub(super) fn same_as(&self, other: &Self) -> bool {
        self.nodes.len() == other.nodes.len()
            && self.nodes.iter().zip(&other.nodes).all(|(one, two)| std::ptr::eq(*one, *two))
    }

    pub(super) fn kinds(&self) -> Kinds {
        self.nodes.iter().fold(Kinds::ANY, |kinds, node| kinds & node_kinds(node))
    }

    fn declares(&self, name: &str) -> bool {
        self.nodes.iter().any(|node| object_at(node, "properties").is_some_and(|all| all.contains_key(name)))
    }

    fn requires(&self, name: &str) -> bool {
        self.nodes.iter().any(|node| {
            node.get("required")
                .and_then(Value::as_array)
                .is_some_and(|all| all.iter().any(|one| one.as_str() == Some(name)))
        })
    }

    fn declared_property(&self, schema: &'s Schema, name: &str) -> Type<'s> {
        let mut joint: Option<Vec<Alternative<'s>>> = None;
        for node in &self.nodes {
            let Some(property) = object_at(node, "properties").and_then(|all| all.get(name)) else {
                continue;
            };
            let alternatives = Type::of_node(schema, property).alternatives;
            joint = Some(match joint {
                None => alternatives,
                Some(before) => both(&before, &alternatives),
            });
        }
        Type { schema, alternatives: joint.unwrap_or_default() }
    }

    fn element(&self, schema: &'s Schema) -> Type<'s> {
        let mut found = Type::empty(schema);
        for node in &self.nodes {
            match node.get("items") {
                Some(Value::Array(positions)) => {
                    for position in positions {
                        found.join(Type::of_node(schema, position));
                    }
                    if let Some(more) =
                        node.get("additionalItems").filter(|more| **more != Value::Bool(false))
                    {
                        found.join(Type::of_node(schema, more));
                    }
                }
                Some(items) => found.join(Type::of_node(schema, items)),
                None => {}
            }
        }
        if found.alternatives.is_empty() {
            found.alternatives.push(Alternative { name: None, nodes: vec![&Value::Bool(true)] });
        }
        found
    }

    fn entry(&self, schema: &'s Schema) -> Option<Type<'s>> {
        for node in &self.nodes {
            match node.get("additionalProperties") {
                Some(Value::Bool(false)) => return None,
                Some(values) => return Some(Type::of_node(schema, values)),
                None => {}
            }
        }
        let lists_keys =
            self.nodes.iter().any(|node| object_at(node, "properties").is_some_and(|all| !all.is_empty()));
        (!lists_keys).then(|| Type {
            schema,
            alternatives: vec![Alternative { name: None, nodes: vec![&Value::Bool(true)] }],
        })
    }

    /// The values that are allowed, when the schema lists them.
    fn values(&self) -> Option<Vec<&'s Value>> {
        let mut listed: Option<Vec<&'s Value>> = None;
        for node in &self.nodes {
            let here: Vec<&'s Value> = match (node.get("const"), node.get("enum")) {
                (Some(value), _) => vec![value],
                (None, Some(Value::Array(values))) => values.iter().collect(),
                _ => continue,
            };
            listed = Some(match listed {
                None => here,
                Some(before) => before.into_iter().filter(|value| here.contains(value)).collect(),
            });
        }
        listed
    }
}

fn object_at<'s>(node: &'s Value, key: &str) -> Option<&'s Map> {
    node.get(key)?.as_object()
}

/// The kinds that one node allows by itself.
fn node_kinds(node: &Value) -> Kinds {
    let Some(map) = node.as_object() else {
        return if node == &Value::Bool(false) { Kinds::NONE } else { Kinds::ANY };
    };
    let mut kinds = match map.get("type") {
        Some(Value::String(name)) => Kinds::named(name),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).fold(Kinds::NONE, |kinds, name| kinds | Kinds::named(name))
        }
        _ if map.contains_key("properties") => Kinds::OBJECT,
        _ if map.contains_key("items") => Kinds::ARRAY,
        _ => Kinds::ANY,
    };
    if let Some(value) = map.get("const") {
        kinds = kinds & value_kind(value);
    }
    if let Some(Value::Array(values)) = map.get("enum") {
        kinds = kinds & values.iter().fold(Kinds::NONE, |all, value| all | value_kind(value));
    }
    kinds
}

fn value_kind(value: &Value) -> Kinds {
    match value {
        Value::Null => Kinds::NULL,
        Value::Bool(_) => Kinds::BOOLEAN,
        Value::Number(number) if number.contains(['.', 'e', 'E']) => Kinds::NUMBER,
        Value::Number(_) => Kinds::INTEGER,
        Value::String(_) => Kinds::STRING,
        Value::Array(_) => Kinds::ARRAY,
        Value::Object(_) => Kinds::OBJECT,
    }
}
