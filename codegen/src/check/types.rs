//! What a place in a message may hold, once it is known which message it is.

use std::collections::BTreeMap;

use crate::schema::{Kinds, Type};

/// The type of a place in a message: a union of schema types, each with what the tags of the
/// message have already decided about it.
#[derive(Clone, Default)]
pub(crate) struct Ty<'s> {
    /// The schema says nothing, so that every path is accepted.
    any: bool,
    parts: Vec<Part<'s>>,
}

#[derive(Clone)]
struct Part<'s> {
    ty: Type<'s>,
    /// What is known about places below this one.
    known: Vec<Known>,
    /// The only text that this place can hold.
    text: Option<String>,
}

#[derive(Clone, PartialEq)]
struct Known {
    /// Keys from here to the tag.
    path: Vec<String>,
    tag: TagIs,
}

#[derive(Clone, PartialEq)]
enum TagIs {
    /// This value.
    Value(String),
    /// A value that the schema does not know, so that all beside the tag is unknown as well.
    Unknown,
}

/// A union told apart by a tag.
#[derive(Default)]
pub(crate) struct Split<'s> {
    /// The known values, in schema order, and what has them.
    pub values: Vec<(String, Ty<'s>)>,
    /// Objects without the tag.
    pub absent: Option<Ty<'s>>,
    /// Objects whose tag can be any text, or which can be anything.
    pub open: Option<Ty<'s>>,
    /// What a value that the schema does not know may come with.
    pub unknown: Ty<'s>,
}

impl<'s> Split<'s> {
    pub(crate) fn value(&self, value: &str) -> Option<&Ty<'s>> {
        self.values.iter().find(|(known, _)| known == value).map(|(_, ty)| ty)
    }
}

impl<'s> Ty<'s> {
    pub(crate) fn any() -> Self {
        Self { any: true, parts: Vec::new() }
    }

    pub(crate) fn of(ty: Type<'s>) -> Self {
        if ty.kinds().is_any() {
            return Self { any: true, parts: vec![Part { ty, known: Vec::new(), text: None }] };
        }
        Self { any: false, parts: vec![Part { ty, known: Vec::new(), text: None }] }
    }

    pub(crate) fn join(&mut self, other: Self) {
        self.any |= other.any;
        self.parts.extend(other.parts);
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.any && self.parts.is_empty()
    }

    /// Each part as a type of its own.
    pub(crate) fn alone(&self) -> Vec<Self> {
        self.parts.iter().map(|part| Self { any: false, parts: vec![part.clone()] }).collect()
    }

    /// Each shape that an object here can have, as a type of its own.
    pub(crate) fn shapes(&self) -> Vec<Self> {
        let objects = self.only(Kinds::OBJECT);
        let alone = |part: &Part<'s>| {
            let alternatives = part.ty.alternatives().into_iter();
            let known = part.known.clone();
            alternatives.map(move |ty| Part { ty, known: known.clone(), text: None })
        };
        objects.parts.iter().flat_map(alone).map(|part| Self { any: false, parts: vec![part] }).collect()
    }

    /// The members that an object of this type must have, as far as the schema says.
    pub(crate) fn required_names(&self) -> Vec<&'s str> {
        self.property_names().into_iter().filter(|name| self.requires(name)).collect()
    }

    /// The parts that declare this member.
    pub(crate) fn with_member(&self, name: &str) -> Self {
        let parts = self.parts.iter().filter(|part| part.ty.declares(name)).cloned().collect();
        Self { any: false, parts }
    }

    /// Whether the schema names this member, in one of the parts at least.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.parts.iter().any(|part| part.ty.declares(name))
    }

    pub(crate) fn is_any(&self) -> bool {
        self.any
    }

    pub(crate) fn kinds(&self) -> Kinds {
        if self.any {
            return Kinds::ANY;
        }
        self.parts.iter().fold(Kinds::NONE, |kinds, part| kinds | part.ty.kinds())
    }

    /// The names of the definitions that it consists of, each once.
    pub(crate) fn names(&self) -> Vec<&'s str> {
        let mut names = Vec::new();
        for name in self.parts.iter().flat_map(|part| part.ty.definition_names()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    pub(crate) fn property_names(&self) -> Vec<&'s str> {
        let mut names: Vec<&str> = self.parts.iter().flat_map(|part| part.ty.property_names()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    pub(crate) fn requires(&self, name: &str) -> bool {
        !self.parts.is_empty() && self.parts.iter().all(|part| part.ty.requires(name))
    }

    /// The type of a member; `None` when no part has it.
    pub(crate) fn property(&self, name: &str) -> Option<Self> {
        let mut found = Self { any: self.any, parts: Vec::new() };
        let mut known = self.any;
        for part in &self.parts {
            if let Some(member) = part.property(name) {
                known = true;
                found.join(member);
            }
        }
        known.then_some(found)
    }

    /// The type of an array's elements, and for an object of its entries' values.
    pub(crate) fn element(&self) -> Option<Self> {
        let mut found = Self { any: self.any, parts: Vec::new() };
        let mut known = self.any;
        for part in &self.parts {
            if let Some(element) = part.ty.element() {
                known = true;
                found.join(Self::of(element));
            }
        }
        known.then_some(found)
    }

    /// The type of an object's entries, whatever their key.
    pub(crate) fn entry(&self) -> Option<Self> {
        let mut found = Self { any: self.any, parts: Vec::new() };
        let mut known = self.any;
        for part in &self.parts {
            for name in part.ty.property_names() {
                known = true;
                found.join(part.property(name).unwrap_or_default());
            }
            if let Some(entry) = part.ty.entry() {
                known = true;
                found.join(Self::of(entry));
            }
        }
        known.then_some(found)
    }

    /// What `each` meets: elements, entries' values, and a value that is neither array nor object.
    pub(crate) fn elements(&self) -> Self {
        let mut found = self.only(Kinds::ANY.without(Kinds::ARRAY | Kinds::OBJECT | Kinds::NULL));
        found.any = self.any;
        if let Some(element) = self.only(Kinds::ARRAY).element() {
            found.join(element);
        }
        if let Some(entry) = self.only(Kinds::OBJECT).entry() {
            found.join(entry);
        }
        found
    }

    /// The parts that allow one of these kinds.
    pub(crate) fn only(&self, kinds: Kinds) -> Self {
        let keep = |part: &Part<'s>| {
            Some(Part { ty: part.ty.only(kinds)?, known: part.known.clone(), text: part.text.clone() })
        };
        Self { any: self.any, parts: self.parts.iter().filter_map(keep).collect() }
    }

    /// The texts that the schema lists.
    pub(crate) fn known_texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        for part in &self.parts {
            for text in part.text.clone().map_or_else(|| part.ty.known_values(), |text| vec![text]) {
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        }
        texts
    }

    /// The texts of a closed enum; `None` when other texts are allowed too.
    pub(crate) fn closed_texts(&self) -> Option<Vec<String>> {
        let closed = |part: &Part<'s>| part.text.is_some() || part.ty.enum_values().is_some();
        let closed = !self.any && self.only(Kinds::STRING).parts.iter().all(closed);
        let texts = self.known_texts();
        (closed && !texts.is_empty()).then_some(texts)
    }

    /// Tells objects apart by the first of these paths that they have.
    pub(crate) fn split(&self, tags: &[Vec<String>]) -> Split<'s> {
        let mut split = Split { unknown: Self { any: true, parts: Vec::new() }, ..Split::default() };
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        if self.any {
            split.open = Some(Self::any());
        }
        let objects = self.only(Kinds::OBJECT);
        for part in objects.parts {
            for ty in part.ty.alternatives() {
                let part = Part { ty, known: part.known.clone(), text: None };
                part.split_into(tags, &mut split, &mut places);
            }
        }
        split
    }
}

impl<'s> Part<'s> {
    fn split_into(&self, tags: &[Vec<String>], split: &mut Split<'s>, places: &mut BTreeMap<String, usize>) {
        let alone = Ty { any: false, parts: vec![self.clone()] };
        if self.ty.kinds().is_any() {
            split.open.get_or_insert_default().join(Ty::any());
            return;
        }
        let found = tags.iter().find_map(|tag| {
            let at = tag.iter().try_fold(alone.clone(), |at, key| at.declared(key))?;
            at.kinds().intersects(Kinds::STRING).then_some((tag, at))
        });
        let Some((tag, at)) = found else {
            // An object whose keys the schema does not list may well have the tag.
            let may_have =
                tags.iter().any(|tag| self.ty.property(&tag[0]).is_some() && !self.ty.declares(&tag[0]));
            let place = if may_have { &mut split.open } else { &mut split.absent };
            place.get_or_insert_default().join(alone);
            return;
        };
        let with = |tag_is: TagIs| {
            let mut part = self.clone();
            part.known.push(Known { path: tag.clone(), tag: tag_is });
            Ty { any: false, parts: vec![part] }
        };
        for value in at.known_texts() {
            let place = *places.entry(value.clone()).or_insert_with(|| {
                split.values.push((value.clone(), Ty::default()));
                split.values.len() - 1
            });
            split.values[place].1.join(with(TagIs::Value(value)));
        }
        if at.closed_texts().is_none() {
            split.open.get_or_insert_default().join(alone);
        }
        if tag.len() > 1 {
            // Only what stands beside the tag is unknown, so the rest can still be checked.
            split.unknown.any = false;
            split.unknown.join(with(TagIs::Unknown));
        }
    }

    fn property(&self, name: &str) -> Option<Ty<'s>> {
        let ty = self.ty.property(name)?;
        let mut member = Part { ty: ty.clone(), known: Vec::new(), text: None };
        let mut kept: Vec<Type<'s>> = vec![ty];
        for known in self.known.iter().filter(|known| known.path[0] == name) {
            let rest = &known.path[1..];
            match (&known.tag, rest) {
                (TagIs::Value(value), []) => member.text = Some(value.clone()),
                (TagIs::Value(value), [tag]) => kept = narrow(&kept, tag, value),
                (TagIs::Unknown, [] | [_]) => return Some(Ty::any()),
                _ => {}
            }
            if !rest.is_empty() {
                member.known.push(Known { path: rest.to_vec(), tag: known.tag.clone() });
            }
        }
        let any = member.text.is_none() && kept.iter().any(|ty| ty.kinds().is_any());
        let parts = kept.into_iter().map(|ty| Part { ty, ..member.clone() }).collect();
        Some(Ty { any, parts })
    }
}

/// Keeps the alternatives whose tag can have this value, or all when none can.
fn narrow<'s>(types: &[Type<'s>], tag: &str, value: &str) -> Vec<Type<'s>> {
    let fits = |ty: &Type<'s>| {
        ty.declares(tag)
            && ty.property(tag).is_some_and(|tag| {
                tag.kinds().is_any()
                    || tag.known_values().iter().any(|known| known == value)
                    || (tag.kinds().intersects(Kinds::STRING) && tag.enum_values().is_none())
            })
    };
    let kept: Vec<Type<'s>> = types.iter().flat_map(|ty| ty.alternatives()).filter(fits).collect();
    if kept.is_empty() { types.to_vec() } else { kept }
}

impl<'s> Ty<'s> {
    /// A member that the schema names, and not one that it merely allows.
    fn declared(&self, name: &str) -> Option<Self> {
        self.parts.iter().any(|part| part.ty.declares(name)).then(|| self.property(name)).flatten()
    }
}
