//! Expressions and conditions over one message.

use std::borrow::Cow;
use std::collections::HashSet;

use interlingua_table::{Action, Cond, Expr, JsonKind, Path, Step, TimeUnit, piece_between};

use super::diff::unified_diff;
use super::program::Program;
use super::scope::{Element, Scope, key_id};
use crate::engine::json_text::{object, push_member, quoted};
use crate::engine::memory::registers::Stored;
use crate::engine::piece::{Fragment, PartKey};
use crate::json::{Index, KeySet, Kind, Value};
use crate::vocabulary::Timestamp;

/// What an expression gives.
#[derive(Clone, Debug)]
pub(crate) enum Val<'v> {
    /// A value of the message; never null.
    Node(Value<'v>),
    /// A text.
    Text(Cow<'v, str>),
    /// A whole number.
    Whole(i64),
    /// Any other number.
    Real(f64),
    /// A boolean.
    Truth(bool),
    /// The text of a JSON value.
    Json(Cow<'v, str>),
    /// What a register holds.
    Stored(Stored),
}

impl<'v> Val<'v> {
    /// The value as text; nothing for arrays and objects of the message.
    pub(crate) fn text(self) -> Option<Cow<'v, str>> {
        match self {
            Val::Node(value) => value.scalar_text(),
            Val::Text(text) | Val::Json(text) => Some(text),
            Val::Whole(number) => Some(Cow::Owned(number.to_string())),
            Val::Real(number) => Some(Cow::Owned(number.to_string())),
            Val::Truth(truth) => Some(Cow::Borrowed(if truth { "true" } else { "false" })),
            Val::Stored(stored) => Some(Cow::Owned(stored.text.as_ref().to_owned())),
        }
    }

    /// The value as a piece of text.
    pub(crate) fn fragment(self) -> Fragment<'v> {
        match self {
            Val::Node(value) if value.is_string() => Fragment::Encoded(value),
            other => Fragment::Decoded(other.text().unwrap_or_default()),
        }
    }

    /// The arguments of a call as a piece of text: the text itself, or the exact JSON.
    pub(crate) fn arguments(self) -> Fragment<'v> {
        match self {
            Val::Node(value) if value.is_string() => Fragment::Encoded(value),
            Val::Text(text) => Fragment::Decoded(text),
            Val::Stored(stored) => Fragment::Decoded(Cow::Owned(stored.text.as_ref().to_owned())),
            other => Fragment::Decoded(other.json()),
        }
    }

    /// The key of a part.
    pub(crate) fn part_key(self) -> Option<PartKey<'v>> {
        match &self {
            Val::Node(value) => match value.as_u64() {
                Some(number) => Some(PartKey::Number(number)),
                None => self.text().map(PartKey::of_text),
            },
            _ => self.text().map(PartKey::of_text),
        }
    }

    /// The value as JSON text.
    pub(crate) fn json(self) -> Cow<'v, str> {
        match self {
            Val::Node(value) => Cow::Borrowed(value.raw()),
            Val::Json(text) => text,
            Val::Stored(Stored { json: true, text }) => Cow::Owned(text.as_ref().to_owned()),
            Val::Stored(Stored { json: false, text }) => Cow::Owned(quoted(&text)),
            Val::Text(text) => Cow::Owned(quoted(&text)),
            Val::Whole(number) => Cow::Owned(number.to_string()),
            Val::Real(number) => Cow::Owned(number.to_string()),
            Val::Truth(truth) => Cow::Borrowed(if truth { "true" } else { "false" }),
        }
    }

    /// Whether it is this number, and no text.
    fn is_number(&self, number: i64) -> bool {
        let is_it = |text: &str| text.parse::<f64>() == Ok(number as f64);
        match self {
            Val::Node(value) => !value.is_string() && value.scalar_text().is_some_and(|text| is_it(&text)),
            Val::Whole(found) => *found == number,
            Val::Real(found) => *found == number as f64,
            Val::Json(text) => is_it(text),
            Val::Stored(stored) => stored.json && is_it(&stored.text),
            Val::Text(_) | Val::Truth(_) => false,
        }
    }

    /// Whether it is a list or an object.
    fn is_whole(&self) -> bool {
        let begins = |text: &str| text.starts_with(['{', '[']);
        match self {
            Val::Node(value) => value.is_array() || value.is_object(),
            Val::Json(text) => begins(text),
            Val::Stored(stored) => stored.json && begins(&stored.text),
            _ => false,
        }
    }

    pub(crate) fn whole(&self) -> Option<i64> {
        match self {
            Val::Node(value) => value.as_i64(),
            Val::Whole(number) => Some(*number),
            Val::Real(number) if number.fract() == 0.0 && number.abs() < 9e15 => Some(*number as i64),
            Val::Text(text) | Val::Json(text) => text.parse().ok(),
            Val::Stored(stored) => stored.text.parse().ok(),
            Val::Real(_) | Val::Truth(_) => None,
        }
    }

    pub(crate) fn real(&self) -> Option<f64> {
        let number = match self {
            Val::Node(value) => value.as_f64(),
            Val::Whole(number) => Some(*number as f64),
            Val::Real(number) => Some(*number),
            Val::Text(text) | Val::Json(text) => text.parse().ok(),
            Val::Stored(stored) => stored.text.parse().ok(),
            Val::Truth(_) => None,
        };
        number.filter(|number| number.is_finite())
    }

    pub(crate) fn truth(&self) -> Option<bool> {
        match self {
            Val::Node(value) => value.as_bool(),
            Val::Truth(truth) => Some(*truth),
            Val::Text(text) | Val::Json(text) => text.parse().ok(),
            Val::Stored(stored) => stored.text.parse().ok(),
            Val::Whole(_) | Val::Real(_) => None,
        }
    }

    /// Whether it is the boolean `false`.
    fn is_false(&self) -> bool {
        match self {
            Val::Node(value) => value.as_bool() == Some(false),
            Val::Truth(truth) => !truth,
            Val::Json(text) => *text == "false",
            Val::Stored(stored) => stored.json && &*stored.text == "false",
            Val::Text(_) | Val::Whole(_) | Val::Real(_) => false,
        }
    }

    /// What a register keeps of the value.
    pub(crate) fn stored(self) -> Stored {
        match self {
            Val::Stored(stored) => stored,
            Val::Node(value) => match value.scalar_text() {
                Some(text) => Stored { json: !value.is_string(), text: text.into() },
                None => Stored { json: true, text: value.raw().into() },
            },
            Val::Text(text) => Stored { json: false, text: text.into() },
            other => Stored { json: true, text: other.json().into() },
        }
    }
}

/// The bytes that a field of an object takes as a rule.
const USUAL_FIELD: usize = 48;

/// Evaluates paths, expressions and conditions. The implementor has the table and the registers.
pub(crate) trait Reading {
    /// The table that is applied.
    fn program(&self) -> &Program;

    /// The content of a register.
    fn register(&self, number: u16) -> Option<Stored>;

    /// What a register holds under a key.
    fn recall(&self, _number: u16, _key: &str) -> Option<Stored> {
        None
    }

    /// The list that steps add up to.
    fn build<'v>(&self, _steps: &'static [Action], _scope: &Scope<'v, '_>) -> Option<Val<'v>> {
        None
    }

    /// The object that steps put together. Only those who write have such steps.
    fn build_map<'v>(&self, _steps: &'static [Action], _scope: &Scope<'v, '_>) -> Option<Val<'v>> {
        None
    }

    /// The value at a path, unless it is absent or null.
    fn value<'v>(&self, path: &'static Path, scope: &Scope<'v, '_>) -> Option<Value<'v>> {
        let mut value = scope.start(path.scope)?;
        for step in path.steps {
            value = match step {
                Step::Key(key) => value.get(key_id(*key))?,
                step => self.step(value, step, scope)?,
            };
        }
        (!value.is_null()).then_some(value)
    }

    /// Notes that nothing was found under a key that the message names.
    fn missed(&self, _key: &str) {}

    fn step<'v>(&self, from: Value<'v>, step: &'static Step, scope: &Scope<'v, '_>) -> Option<Value<'v>> {
        match step {
            Step::Key(key) => from.get(key_id(*key)),
            Step::Index(place) => match usize::try_from(*place) {
                Ok(place) => from.item(place),
                Err(_) if !from.is_array() => None,
                Err(_) => from.item(from.len().checked_sub(place.unsigned_abs() as usize)?),
            },
            Step::Lookup(key) => {
                let key = self.eval_text(key, scope)?;
                if from.is_array() {
                    return from.item(key.parse().ok()?);
                }
                let found = from.get_str(&key);
                if found.is_none() {
                    self.missed(&key);
                }
                found
            }
            Step::Find(path, wanted) => {
                let wanted = self.eval(wanted, scope)?;
                from.items().find(|element| {
                    let found = path.iter().try_fold(*element, |value, step| self.step(value, step, scope));
                    found.is_some_and(|found| same(Val::Node(found), &wanted))
                })
            }
        }
    }

    /// The text that an expression gives: most are paths and constants, which need no detour.
    fn eval_text<'v>(&self, expr: &'static Expr, scope: &Scope<'v, '_>) -> Option<Cow<'v, str>> {
        match expr {
            Expr::Path(path) => self.value(path, scope)?.scalar_text(),
            Expr::Text(text) => Some(Cow::Borrowed(text)),
            other => self.eval(other, scope)?.text(),
        }
    }

    /// What an expression gives, unless that is absent or null.
    fn eval<'v>(&self, expr: &'static Expr, scope: &Scope<'v, '_>) -> Option<Val<'v>> {
        match expr {
            Expr::Path(path) => self.value(path, scope).map(Val::Node),
            Expr::Text(text) => Some(Val::Text(Cow::Borrowed(text))),
            Expr::Number(number) => Some(Val::Whole(*number)),
            Expr::Bool(truth) => Some(Val::Truth(*truth)),
            Expr::First(choices) => choices.iter().find_map(|choice| self.eval(choice, scope)),
            Expr::Concat(parts) => {
                let mut whole: Option<String> = None;
                for part in *parts {
                    if let Some(text) = self.eval_text(part, scope) {
                        whole.get_or_insert_with(|| String::with_capacity(USUAL_FIELD)).push_str(&text);
                    }
                }
                whole.map(|text| Val::Text(Cow::Owned(text)))
            }
            Expr::Join(path, separator, each) => self.join(path, separator, each, scope),
            Expr::Object(fields) => self.object(fields, scope),
            Expr::Needed(inner) => self.eval(inner, scope),
            Expr::List(parts) => {
                let parts = parts.iter().filter_map(|part| self.eval(part, scope));
                let parts: Vec<String> = parts.map(|part| part.json().into_owned()).collect();
                Some(Val::Json(Cow::Owned(format!("[{}]", parts.join(",")))))
            }
            Expr::Via(inner, map) => {
                let native = self.eval_text(inner, scope)?;
                self.program().mapped(*map, &native).map(|text| Val::Text(Cow::Borrowed(text)))
            }
            Expr::Register(number) => self.register(*number).map(Val::Stored),
            Expr::Position => Some(Val::Whole(scope.position as i64)),
            Expr::EachKey => scope.entry_key().map(Val::Text),
            Expr::Time(path, unit) => {
                let time = timestamp(self.value(path, scope)?, *unit)?;
                Some(Val::Text(Cow::Owned(time.to_string())))
            }
            Expr::Minus(parts) => {
                let (first, rest) = parts.split_first()?;
                let start = self.eval(first, scope).filter(is_count)?;
                let rest = rest.iter().filter_map(|part| self.eval(part, scope).filter(is_count));
                Some(algebra(start, rest, false))
            }
            Expr::Plus(parts) => {
                let mut present = parts.iter().filter_map(|part| self.eval(part, scope).filter(is_count));
                let start = present.next()?;
                Some(algebra(start, present, true))
            }
            Expr::If(condition, then, otherwise) => {
                let branch = if self.holds(condition, scope) { then } else { otherwise };
                self.eval(branch, scope)
            }
            Expr::Piece(inner, piece, separator) => {
                let text = self.eval_text(inner, scope)?;
                piece.of(&text, separator).map(|piece| Val::Text(Cow::Owned(piece.to_owned())))
            }
            Expr::Between(inner, form, number) => {
                let text = self.eval_text(inner, scope)?;
                let piece = piece_between(&text, form, usize::from(*number))?;
                Some(Val::Text(Cow::Owned(piece.to_owned())))
            }
            Expr::Diff(old, new) => {
                let new = self.eval_text(new, scope)?;
                let old = self.eval_text(old, scope).unwrap_or_default();
                Some(Val::Text(Cow::Owned(unified_diff(&old, &new))))
            }
            Expr::Split(inner, separator, whole) => {
                let parts = self.split(inner, separator, *whole, scope)?;
                let parts: Vec<String> = parts.iter().map(|part| quoted(part)).collect();
                Some(Val::Json(Cow::Owned(format!("[{}]", parts.join(",")))))
            }
            Expr::Json(path) => self.value(path, scope).map(|value| Val::Text(Cow::Borrowed(value.raw()))),
            Expr::Parse(path, steps) => self.parse(self.value(path, scope)?, steps),
            Expr::Recall(number, key) => {
                self.recall(*number, &self.eval(key, scope)?.text()?).map(Val::Stored)
            }
            Expr::Build(steps) => self.build(steps, scope),
            Expr::Without(path, keys) => without(self.value(path, scope)?, keys),
            Expr::Merge(one, other) => match (self.eval(one, scope), self.eval(other, scope)) {
                (Some(one), Some(other)) => Some(merge(&one.json(), &other.json())),
                (one, other) => one.or(other),
            },
            Expr::BuildMap(steps) => self.build_map(steps, scope),
            Expr::Null => Some(Val::Json(Cow::Borrowed("null"))),
            Expr::Absent => None,
        }
    }

    fn join<'v>(
        &self,
        path: &'static Path,
        separator: &str,
        each: &'static Expr,
        scope: &Scope<'v, '_>,
    ) -> Option<Val<'v>> {
        let list = self.value(path, scope)?;
        if !list.is_array() {
            return list.scalar_text().map(Val::Text);
        }
        let mut whole: Option<String> = None;
        for (position, here) in list.items().enumerate() {
            let element = Scope::element(scope, path, Element::Item, here, position);
            if let Some(text) = self.eval_text(each, &element) {
                match &mut whole {
                    None => whole = Some(text.into_owned()),
                    Some(whole) => {
                        whole.push_str(separator);
                        whole.push_str(&text);
                    }
                }
            }
        }
        whole.map(|text| Val::Text(Cow::Owned(text)))
    }

    /// The parts of a text between separators; what is to stay whole may have the separator in it.
    fn split(
        &self,
        text: &'static Expr,
        separator: &str,
        whole: Option<&'static (Path, Expr)>,
        scope: &Scope<'_, '_>,
    ) -> Option<Vec<String>> {
        let text = self.eval_text(text, scope)?;
        let mut known: Vec<String> = Vec::new();
        if let Some((path, each)) = whole
            && let Some(list) = self.value(path, scope)
        {
            for (position, here) in list.items().enumerate() {
                let element = Scope::element(scope, path, Element::Item, here, position);
                known.extend(self.eval_text(each, &element).map(Cow::into_owned));
            }
        }
        // Of two that fit, the longer one was meant.
        known.retain(|known| known.contains(separator));
        known.sort_by_key(|known| std::cmp::Reverse(known.len()));
        let ends = |rest: &str, part: &str| {
            let behind = rest.strip_prefix(part)?;
            (behind.is_empty() || behind.starts_with(separator)).then_some(part.len())
        };
        let mut parts = Vec::new();
        let mut rest: &str = &text;
        loop {
            let end = known.iter().find_map(|known| ends(rest, known));
            let end = end.or_else(|| rest.find(separator)).unwrap_or(rest.len());
            parts.push(rest[..end].to_owned());
            match rest[end..].strip_prefix(separator) {
                Some(behind) => rest = behind,
                None => return Some(parts),
            }
        }
    }

    /// What a text that holds JSON has at these steps. It is copied out of the text, which lives
    /// no longer than this.
    fn parse<'v>(&self, value: Value<'v>, steps: &'static [Step]) -> Option<Val<'v>> {
        if value.is_string() && matches!(steps.first(), Some(Step::Key(_))) && !may_hold_object(value.raw()) {
            return None;
        }
        let Some(text) = value.as_str() else {
            let scope = Scope::message(value);
            let found = steps.iter().try_fold(value, |value, step| self.step(value, step, &scope))?;
            return (!found.is_null()).then_some(Val::Node(found));
        };
        let mut index = Index::new();
        let document = index.parse_str(&text, &self.program().keys).ok()?;
        let scope = Scope::message(document.root());
        let found = steps.iter().try_fold(scope.here, |value, step| self.step(value, step, &scope))?;
        match found.as_str() {
            Some(text) => Some(Val::Text(Cow::Owned(text.into_owned()))),
            None if found.is_null() => None,
            None => Some(Val::Json(Cow::Owned(found.raw().to_owned()))),
        }
    }

    fn object<'v>(&self, fields: &'static [(&str, Expr)], scope: &Scope<'v, '_>) -> Option<Val<'v>> {
        let mut json = String::with_capacity(USUAL_FIELD * fields.len());
        json.push('{');
        for (name, value) in fields {
            if let Some(value) = self.eval(value, scope) {
                push_member(&mut json, name, &value.json());
            } else if matches!(value, Expr::Needed(_)) {
                return None;
            }
        }
        json.push('}');
        Some(Val::Json(Cow::Owned(json)))
    }

    /// Whether a condition holds.
    fn holds(&self, condition: &'static Cond, scope: &Scope<'_, '_>) -> bool {
        match condition {
            Cond::Holds(Expr::Path(path)) => {
                self.value(path, scope).is_some_and(|found| found.as_bool() != Some(false))
            }
            Cond::Holds(expr) => self.eval(expr, scope).is_some_and(|found| !found.is_false()),
            Cond::Present(Expr::Path(path)) => self.value(path, scope).is_some(),
            Cond::Present(expr) => self.eval(expr, scope).is_some(),
            Cond::In(expr, texts) => {
                self.eval_text(expr, scope).is_some_and(|found| texts.contains(&&*found))
            }
            Cond::IsNumber(expr, number) => {
                self.eval(expr, scope).is_some_and(|found| found.is_number(*number))
            }
            Cond::IsBool(path, truth) => self.value(path, scope).and_then(Value::as_bool) == Some(*truth),
            Cond::Ends(expr, end) => self.eval_text(expr, scope).is_some_and(|text| text.ends_with(end)),
            Cond::Contains(expr, inner) => {
                self.eval_text(expr, scope).is_some_and(|text| text.contains(inner))
            }
            Cond::Starts(expr, start) => {
                self.eval_text(expr, scope).is_some_and(|text| text.starts_with(start))
            }
            Cond::Same(one, other) => match (self.eval(one, scope), self.eval(other, scope)) {
                (Some(one), Some(other)) => same(one, &other),
                _ => false,
            },
            Cond::Less(one, other) => match (self.eval_text(one, scope), self.eval_text(other, scope)) {
                (Some(one), Some(other)) => less(&one, &other),
                _ => false,
            },
            Cond::Is(path, kind) => self.value(path, scope).is_some_and(|found| is_kind(found.kind(), *kind)),
            Cond::Not(inner) => !self.holds(inner, scope),
            Cond::All(all) => all.iter().all(|inner| self.holds(inner, scope)),
            Cond::Any(any) => any.iter().any(|inner| self.holds(inner, scope)),
        }
    }
}

/// Whether the text of a string in JSON can be that of an object, as far as its first letter tells.
fn may_hold_object(quoted: &str) -> bool {
    let first = quoted.bytes().skip(1).find(|byte| *byte != b' ');
    matches!(first, Some(b'{' | b'\\'))
}

/// Whether two values are the same: scalars by their text, lists and objects by what they mean.
fn same(one: Val<'_>, other: &Val<'_>) -> bool {
    if one.is_whole() || other.is_whole() {
        return same_json(&one.json(), &other.clone().json());
    }
    let one = one.text();
    one.is_some() && one == other.clone().text()
}

/// Whether one value is less than another: as numbers where both are, else as texts. So times and ids that grow with
/// time, which are written with the same number of digits, are in the order of time.
fn less(one: &str, other: &str) -> bool {
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => one < other,
        _ => one < other,
    }
}

/// Whether two JSON texts mean the same.
pub(crate) fn same_json(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    one == other || read(one).is_some_and(|one| Some(one) == read(other))
}

/// An object without some of its members; nothing when none is left.
fn without<'v>(whole: Value<'v>, keys: &[&str]) -> Option<Val<'v>> {
    let kept = whole.fields().filter(|member| !keys.contains(&&*member.key()));
    let kept = object(kept.map(|member| (member.key(), member.raw())));
    (kept != "{}").then_some(Val::Json(Cow::Owned(kept)))
}

/// Two objects as one. What is no object is left out.
fn merge<'v>(one: &str, other: &str) -> Val<'v> {
    let keys = KeySet::new([""; 0]);
    let (mut first, mut second) = (Index::new(), Index::new());
    let documents = [first.parse_str(one, &keys), second.parse_str(other, &keys)];
    let mut known = HashSet::new();
    let mut members: Vec<(Cow<'_, str>, &str)> = Vec::new();
    for document in documents.iter().flatten() {
        for member in document.root().fields() {
            if known.insert(member.key()) {
                members.push((member.key(), member.raw()));
            }
        }
    }
    Val::Json(Cow::Owned(object(members)))
}

/// Whether a value of the message is of a map's kind.
pub(crate) fn is_kind(found: Kind, kind: JsonKind) -> bool {
    match kind {
        JsonKind::String => matches!(found, Kind::String | Kind::EscapedString),
        JsonKind::Number => found == Kind::Number,
        JsonKind::Bool => matches!(found, Kind::True | Kind::False),
        JsonKind::Array => found == Kind::Array,
        JsonKind::Object => found == Kind::Object,
    }
}

/// Whether a value can be counted with. Anything else is as good as absent, and not zero.
fn is_count(value: &Val<'_>) -> bool {
    value.real().is_some_and(|number| number >= 0.0)
}

/// Sums and differences of counts. They stay whole while all parts are. What is more than the count it would be taken from
/// is no part of it, and is not taken off: the nought that would come of it is a count that nobody made.
fn algebra<'v>(start: Val<'v>, mut rest: impl Iterator<Item = Val<'v>>, add: bool) -> Val<'v> {
    let amount = |part: &Val<'_>| part.real().unwrap_or(0.0);
    let real = |one: f64, other: f64| match add {
        true => one + other,
        false if other > one => one,
        false => one - other,
    };
    let Some(mut whole) = start.whole() else {
        return Val::Real(rest.fold(amount(&start), |sum, part| real(sum, amount(&part))));
    };
    while let Some(part) = rest.next() {
        whole = match part.whole() {
            Some(other) if add => whole.saturating_add(other),
            Some(other) if other > whole => whole,
            Some(other) => whole.saturating_sub(other),
            None => {
                let sum = real(whole as f64, amount(&part));
                return Val::Real(rest.fold(sum, |sum, part| real(sum, amount(&part))));
            }
        };
    }
    Val::Whole(whole)
}

/// A native time in its unit.
pub(crate) fn timestamp(value: Value<'_>, unit: TimeUnit) -> Option<Timestamp> {
    match unit {
        TimeUnit::Rfc3339 => Timestamp::from_rfc3339(&value.as_str()?),
        TimeUnit::Seconds => match value.as_i64() {
            Some(seconds) => Timestamp::from_unix_seconds(seconds),
            None => {
                let micros = (value.as_f64()? * 1e6).round();
                (micros.abs() < 9e18).then(|| Timestamp::from_unix_micros(micros as i64))?
            }
        },
        TimeUnit::Milliseconds => match value.as_i64() {
            Some(millis) => Timestamp::from_unix_millis(millis),
            None => {
                let micros = (value.as_f64()? * 1e3).round();
                (micros.abs() < 9e18).then(|| Timestamp::from_unix_micros(micros as i64))?
            }
        },
    }
}
