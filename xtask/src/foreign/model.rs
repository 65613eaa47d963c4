//! What the schema says, in terms that several languages share.

use std::collections::BTreeSet;

use heck::ToUpperCamelCase;
use serde_json::{Map, Value};

/// The definitions, each after its bases.
pub struct Model {
    /// The definitions in the order of their names.
    pub definitions: Vec<Definition>,
}

/// A named type.
pub struct Definition {
    /// Its name.
    pub name: String,
    /// What it means.
    pub doc: String,
    /// What it is.
    pub form: Form,
}

/// What a definition is.
pub enum Form {
    /// Another name for a type.
    Alias(Type),
    /// An object.
    Object {
        /// The objects whose members it has too.
        bases: Vec<String>,
        /// Its members.
        members: Vec<Member>,
    },
}

/// A member of an object.
pub struct Member {
    /// Its name.
    pub name: String,
    /// What it means.
    pub doc: String,
    /// Its type.
    pub shape: Type,
    /// Whether it is always there.
    pub required: bool,
}

/// A type.
#[derive(Clone, PartialEq, Eq)]
pub enum Type {
    /// Any JSON.
    Any,
    /// A text.
    Text,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// Nothing.
    Null,
    /// One text.
    Literal(String),
    /// A list.
    List(Box<Type>),
    /// An object with members of one type under any names.
    Map(Box<Type>),
    /// A definition.
    Named(String),
    /// One of several.
    Union(Vec<Type>),
}

impl Model {
    /// Reads the schema: the definitions of these names and all that they need. The schema itself is `Event`.
    pub fn of(schema: &Value, roots: &[&str]) -> Result<Self, String> {
        let mut reader = Reader { schema, known: BTreeSet::new(), found: Vec::new() };
        for root in roots {
            reader.need(root)?;
        }
        let mut definitions = reader.found;
        definitions.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Self { definitions: bases_first(definitions) })
    }
}

/// The definitions with each object after its bases, else in their order.
fn bases_first(definitions: Vec<Definition>) -> Vec<Definition> {
    let names: BTreeSet<String> = definitions.iter().map(|definition| definition.name.clone()).collect();
    let (mut done, mut ordered): (BTreeSet<String>, Vec<Definition>) = (BTreeSet::new(), Vec::new());
    let mut rest = definitions;
    while !rest.is_empty() {
        let (ready, waiting): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|definition| match &definition.form {
                Form::Object { bases, .. } => {
                    bases.iter().all(|base| done.contains(base) || !names.contains(base))
                }
                Form::Alias(_) => true,
            });
        assert!(!ready.is_empty(), "objects cannot be bases of each other");
        done.extend(ready.iter().map(|definition| definition.name.clone()));
        ordered.extend(ready);
        rest = waiting;
    }
    ordered
}

struct Reader<'s> {
    schema: &'s Value,
    known: BTreeSet<String>,
    found: Vec<Definition>,
}

impl<'s> Reader<'s> {
    /// Reads a definition if it was not read yet.
    fn need(&mut self, name: &str) -> Result<(), String> {
        if !self.known.insert(name.to_owned()) {
            return Ok(());
        }
        let whole = if name == "Event" { self.schema } else { &self.schema["$defs"][name] };
        let value = whole.as_object().ok_or(format!("there is no definition `{name}`"))?;
        let doc = doc(value);
        let form = match (variants(value), value.get("properties")) {
            (Some(variants), Some(_)) if tag_of(variants).is_some() => {
                // An object with common members, and variants besides.
                let base = format!("{name}Base");
                let members = self.members(value, &base)?;
                let members =
                    members.into_iter().filter(|member| member.name != "type" && member.name != "data");
                let form = Form::Object { bases: Vec::new(), members: members.collect() };
                self.found.push(Definition {
                    name: base.clone(),
                    doc: format!("What all of `{name}` have."),
                    form,
                });
                Form::Alias(self.union(name, variants, Some(&base))?)
            }
            (Some(variants), _) if tag_of(variants).is_some() => {
                Form::Alias(self.union(name, variants, None)?)
            }
            (None, None)
                if value.get("type").is_some_and(|word| word == "object")
                    && !value.contains_key("additionalProperties") =>
            {
                Form::Object { bases: Vec::new(), members: Vec::new() }
            }
            (None, Some(_)) => Form::Object { bases: Vec::new(), members: self.members(value, name)? },
            _ => Form::Alias(self.shape(whole, name)?),
        };
        self.found.push(Definition { name: name.to_owned(), doc, form });
        Ok(())
    }

    /// The variants of a union as definitions of their own, named by their tags.
    fn union(&mut self, name: &str, variants: &'s [Value], base: Option<&str>) -> Result<Type, String> {
        let tag = tag_of(variants).unwrap_or_default();
        let mut shapes = Vec::new();
        for variant in variants {
            let Some(object) = variant.as_object() else { continue };
            // A variant that this version does not know has no constant.
            let Some(word) = variant["properties"][tag]["const"].as_str() else { continue };
            let own = format!("{name}{}", word.to_upper_camel_case());
            let mut bases: Vec<String> = base.map(str::to_owned).into_iter().collect();
            let references =
                object.get("allOf").and_then(Value::as_array).into_iter().flatten().chain([variant]);
            for reference in references.filter_map(|value| value["$ref"].as_str()) {
                let base = reference.trim_start_matches("#/$defs/").to_owned();
                self.need(&base)?;
                bases.push(base);
            }
            let mut members = self.members(object, &own)?;
            // Of the base, they say that it is there.
            members.iter_mut().for_each(|member| member.required |= base.is_some());
            let doc = match doc(object) {
                doc if doc.is_empty() => format!("`{name}` whose `{tag}` is `{word}`."),
                doc => doc,
            };
            self.found.push(Definition { name: own.clone(), doc, form: Form::Object { bases, members } });
            shapes.push(Type::Named(own));
        }
        Ok(Type::Union(shapes))
    }

    fn members(&mut self, object: &'s Map<String, Value>, of: &str) -> Result<Vec<Member>, String> {
        let required: Vec<&str> = object
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = object.get("properties").and_then(Value::as_object);
        let mut members = Vec::new();
        for (name, value) in properties.into_iter().flatten() {
            let empty = Map::new();
            let shape = self.shape(value, &format!("{of}.{name}"))?;
            let required = required.contains(&name.as_str());
            // What is not known is absent, and never null.
            let shape = if required { shape } else { without_null(shape) };
            let doc = doc(value.as_object().unwrap_or(&empty));
            members.push(Member { name: name.clone(), doc, shape, required });
        }
        Ok(members)
    }

    fn shape(&mut self, value: &'s Value, at: &str) -> Result<Type, String> {
        let Some(object) = value.as_object() else { return Ok(Type::Any) };
        if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
            let name = reference.trim_start_matches("#/$defs/");
            self.need(name)?;
            return Ok(Type::Named(name.to_owned()));
        }
        if let Some(word) = object.get("const") {
            return word
                .as_str()
                .map(|word| Type::Literal(word.to_owned()))
                .ok_or(format!("{at}: a constant that is no text"));
        }
        if let Some(variants) = variants(object) {
            let shapes =
                variants.iter().map(|variant| self.shape(variant, at)).collect::<Result<Vec<_>, _>>()?;
            return Ok(Type::Union(shapes));
        }
        match object.get("type") {
            None => Ok(Type::Any),
            Some(Value::String(one)) => self.typed(object, one, at),
            Some(Value::Array(several)) => {
                let words = several.iter().filter_map(Value::as_str);
                Ok(Type::Union(words.map(|one| self.typed(object, one, at)).collect::<Result<_, _>>()?))
            }
            Some(other) => Err(format!("{at}: the type `{other}` is not known")),
        }
    }

    fn typed(&mut self, object: &'s Map<String, Value>, word: &str, at: &str) -> Result<Type, String> {
        Ok(match word {
            "string" => Type::Text,
            "integer" => Type::Integer,
            "number" => Type::Number,
            "boolean" => Type::Boolean,
            "null" => Type::Null,
            "array" => match object.get("items") {
                Some(items) => Type::List(Box::new(self.shape(items, at)?)),
                None => Type::List(Box::new(Type::Any)),
            },
            "object" => match object.get("additionalProperties") {
                Some(values @ Value::Object(_)) => Type::Map(Box::new(self.shape(values, at)?)),
                _ => Type::Map(Box::new(Type::Any)),
            },
            other => return Err(format!("{at}: the type `{other}` is not known")),
        })
    }
}

fn variants(object: &Map<String, Value>) -> Option<&[Value]> {
    ["oneOf", "anyOf"].iter().find_map(|key| object.get(*key)).and_then(Value::as_array).map(Vec::as_slice)
}

/// The member whose constant tells the variants apart.
fn tag_of(variants: &[Value]) -> Option<&str> {
    let properties = variants.first()?["properties"].as_object()?;
    properties.iter().find(|(_, value)| value.get("const").is_some()).map(|(name, _)| name.as_str())
}

fn without_null(shape: Type) -> Type {
    match shape {
        Type::Union(shapes) => {
            let mut rest: Vec<Type> = shapes.into_iter().filter(|shape| *shape != Type::Null).collect();
            if rest.len() == 1 { rest.remove(0) } else { Type::Union(rest) }
        }
        other => other,
    }
}

/// The first paragraph of the description, without the links of rustdoc. An open list of words names them.
fn doc(object: &Map<String, Value>) -> String {
    let text = object.get("description").and_then(Value::as_str).unwrap_or_default();
    let text = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let text = text.replace("[`", "`").replace("`]", "`");
    let words = object.get("examples").and_then(Value::as_array);
    match words {
        Some(words) => {
            let words: Vec<String> =
                words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect();
            format!("{} {}.", text.trim_end_matches('.').to_owned() + ":", words.join(", "))
        }
        None => text,
    }
}
