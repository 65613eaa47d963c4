//! The coverage ledger: what a map does with each field of each message.

use std::collections::BTreeSet;

use crate::ast::{Map, RuleAction, route_text};
use crate::check::{Checked, Place, Read, Relation, Segment, Ty, Use};
use crate::schema::Kinds;
use crate::{Diagnostic, Load, lower};

/// A field of a message, and what the map does with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldUse {
    /// The message type, as a pattern of the map names it.
    pub message: String,
    /// The field's place in it: `message.content[](text).text`, where `(text)` is the variant of a
    /// union that the map tells apart. Empty for the message as a whole.
    pub path: String,
    /// The same place, step by step.
    pub place: Vec<FieldStep>,
    /// What becomes of it.
    pub handling: Handling,
}

/// One step from a message to a field in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldStep {
    /// The member of this name.
    Member(String),
    /// Each element of an array, or each entry's value of an object.
    Element,
    /// Only objects whose member at the path `tag` is `value`.
    Variant {
        /// The members from the object to its tag.
        tag: Vec<String>,
        /// What the tag says; none for objects without it.
        value: Option<String>,
    },
}

/// What a map does with a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handling {
    /// These rules read it, or the value that it is in; the settings of the provider are `settings`.
    Read(Vec<String>),
    /// It is ignored or dropped, for this reason.
    Left(String),
    /// The map says nothing about it, nor about anything in it.
    Unmapped,
}

/// Lists what a map does with the fields of all messages that the schema knows.
///
/// A field that is a whole is one entry: it is opened only where the map reads something in it.
///
/// # Errors
///
/// The faults of the map, as [`crate::compile`] reports them.
pub fn coverage(map: &str, file: &str, mut load: impl Load) -> Result<Vec<FieldUse>, Vec<Diagnostic>> {
    crate::with_map(map, file, &mut load, ledger)
}

fn ledger(map: &Map, checked: &Checked<'_>) -> Vec<FieldUse> {
    let names = lower::rule_names(map);
    let mut seen = BTreeSet::new();
    let mut entries = Vec::new();
    for pattern in map.rules.iter().flat_map(|rule| &rule.patterns) {
        for route in pattern.routes() {
            if !seen.insert(route.clone()) {
                continue;
            }
            let takes =
                |rule: &crate::ast::Rule| rule.patterns.iter().any(|one| one.routes().contains(&route));
            let rules: Vec<usize> =
                (0..map.rules.len()).filter(|number| takes(&map.rules[*number])).collect();
            let mut message =
                Message { checked, names: &names, name: route_text(&route), reads: Vec::new(), entries };
            let reasons: Option<Vec<String>> = rules
                .iter()
                .map(|number| match &map.rules[*number].action {
                    RuleAction::Ignore(reason) => Some(reason.text()),
                    RuleAction::Steps(_) => None,
                })
                .collect();
            match reasons {
                Some(reasons) => message.add(&[], Handling::Left(reasons.join("; "))),
                None => {
                    let of_message = |read: &&Read| read.rule.is_none_or(|number| rules.contains(&number));
                    message.reads = checked.reads.iter().filter(of_message).collect();
                    if let Ok(ty) = checked.messages.route(&route, pattern) {
                        message.members(&ty, &mut Place::new());
                    }
                }
            }
            entries = message.entries;
        }
    }
    entries
}

/// The variant of objects without a tag, as arms of a map call it.
const UNTAGGED: &str = "object";

/// One message type, whose fields are gone through.
struct Message<'c, 's> {
    checked: &'c Checked<'s>,
    names: &'c [&'static str],
    name: String,
    /// What the message's rules do.
    reads: Vec<&'c Read>,
    entries: Vec<FieldUse>,
}

impl<'s> Message<'_, 's> {
    fn add(&mut self, place: &[Segment], handling: Handling) {
        let steps = (0..place.len()).map(|at| self.step(&place[..at], &place[at])).collect();
        self.entries.push(FieldUse { message: self.name.clone(), path: text(place), place: steps, handling });
    }

    fn step(&self, before: &[Segment], segment: &Segment) -> FieldStep {
        match segment {
            Segment::Key(key) => FieldStep::Member(key.clone()),
            Segment::Element => FieldStep::Element,
            Segment::Variant(values) => FieldStep::Variant {
                tag: self.tag(before).cloned().unwrap_or_default(),
                value: values.first().filter(|value| *value != UNTAGGED).cloned(),
            },
        }
    }

    /// The tag by which the map tells the objects at this place apart.
    fn tag(&self, place: &[Segment]) -> Option<&Vec<String>> {
        let here = |split: &Place| {
            let read = Read { rule: None, place: split.clone(), what: Use::Entered };
            read.relation(place) == Relation::Holds
        };
        self.checked.splits.iter().find(|(split, _)| here(split)).map(|(_, tag)| tag)
    }

    fn members(&mut self, ty: &Ty<'s>, place: &mut Place) {
        for name in ty.property_names() {
            place.push(Segment::Key(name.to_owned()));
            if let Some(member) = ty.property(name) {
                self.field(&member, place);
            }
            place.pop();
        }
    }

    fn field(&mut self, ty: &Ty<'s>, place: &mut Place) {
        let relations: Vec<(&Read, Relation)> =
            self.reads.iter().map(|read| (*read, read.relation(place))).collect();
        let holding = |what: fn(&Use) -> bool| {
            relations.iter().filter(move |(read, relation)| *relation == Relation::Holds && what(&read.what))
        };
        let mut readers: BTreeSet<&str> =
            holding(|what| *what == Use::Value).map(|(read, _)| self.name_of(read)).collect();
        let left = holding(|what| matches!(what, Use::Left(_))).find_map(|(read, _)| match &read.what {
            Use::Left(reason) => Some(reason.clone()),
            _ => None,
        });
        let entered: Vec<&str> =
            holding(|what| *what == Use::Entered).map(|(read, _)| self.name_of(read)).collect();
        let inside = relations.iter().any(|(_, relation)| *relation == Relation::Inside);
        let opened = inside || (left.is_none() && !entered.is_empty());
        if readers.is_empty() && opened && self.open(ty, place) {
            return;
        }
        readers.extend(entered);
        if readers.is_empty() {
            // What the map reads in it is nothing that the schema knows apart, such as one element of a list of texts.
            let within = relations.iter().filter(|(_, relation)| *relation == Relation::Inside);
            readers.extend(within.map(|(read, _)| self.name_of(read)));
        }
        let handling = match left {
            _ if !readers.is_empty() => Handling::Read(readers.into_iter().map(str::to_owned).collect()),
            Some(reason) => Handling::Left(reason),
            None => Handling::Unmapped,
        };
        self.add(place, handling);
    }

    fn name_of(&self, read: &Read) -> &'static str {
        read.rule.and_then(|number| self.names.get(number)).copied().unwrap_or("settings")
    }

    /// Goes through what is in a value; false when the schema knows of nothing in it.
    fn open(&mut self, ty: &Ty<'s>, place: &mut Place) -> bool {
        let before = self.entries.len();
        self.variants(&ty.only(Kinds::OBJECT), place);
        let array = ty.only(Kinds::ARRAY);
        let elements = array.element().or_else(|| ty.only(Kinds::OBJECT).entry());
        if let Some(elements) = elements.filter(|_| self.entries.len() == before) {
            place.push(Segment::Element);
            self.variants(&elements.only(Kinds::OBJECT), place);
            place.pop();
        }
        self.entries.len() > before
    }

    /// Goes through the members of an object, for each variant that the map tells apart.
    fn variants(&mut self, ty: &Ty<'s>, place: &mut Place) {
        let Some(tag) = self.tag(place) else {
            return self.members(ty, place);
        };
        let split = ty.split(std::slice::from_ref(tag));
        let untagged = split.absent.map(|ty| (UNTAGGED.to_owned(), ty));
        for (value, ty) in split.values.into_iter().chain(untagged) {
            place.push(Segment::Variant(vec![value]));
            let decided = self.reads.iter().find_map(|read| match (&read.what, read.relation(place)) {
                (Use::Left(reason), Relation::Holds) => Some(Handling::Left(reason.clone())),
                (Use::Value, Relation::Holds) => Some(Handling::Read(vec![self.name_of(read).to_owned()])),
                _ => None,
            });
            let inside = self.reads.iter().any(|read| read.relation(place) == Relation::Inside);
            match decided {
                Some(handling) if !inside => self.add(place, handling),
                _ => self.members(&ty, place),
            }
            place.pop();
        }
    }
}

fn text(place: &[Segment]) -> String {
    let mut text = String::new();
    for segment in place {
        match segment {
            Segment::Key(key) if text.is_empty() => text.push_str(key),
            Segment::Key(key) => {
                text.push('.');
                text.push_str(key);
            }
            Segment::Element => text.push_str("[]"),
            Segment::Variant(values) => text.push_str(&format!("({})", values.join(" | "))),
        }
    }
    text
}
