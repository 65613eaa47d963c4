//! Values: which type an expression has, and whether a field takes it.

use interlingua_table::{FieldKind, JsonKind, TimeUnit};

use super::Checker;
use super::built::Used;
use super::fits::fits;
use super::reads::{Segment, Use};
use super::scope::{Guard, Here};
use super::types::Ty;
use crate::ast::{Cond, Expr, ExprKind, Path, PathStep, Start, kind_word};
use crate::diagnostic::{Fault, list, types};
use crate::schema::Kinds;
use crate::sources::Span;

/// What the value of an expression can be.
#[derive(Clone, Default)]
pub(super) struct Value {
    pub kinds: Kinds,
    /// All texts that it can be, when they are known.
    pub texts: Option<Vec<String>>,
    /// The texts among them that an enum of the schema lists; also where others are possible.
    pub native: Vec<String>,
}

impl Value {
    fn of(kinds: Kinds) -> Self {
        Self { kinds, ..Self::default() }
    }

    fn absent() -> Self {
        Self { texts: Some(Vec::new()), ..Self::default() }
    }

    pub(super) fn or(mut self, other: Self) -> Self {
        let both = |mut left: Vec<String>, right: Vec<String>| {
            for text in right {
                if !left.contains(&text) {
                    left.push(text);
                }
            }
            left
        };
        self.kinds |= other.kinds;
        self.texts = self.texts.zip(other.texts).map(|(left, right)| both(left, right));
        self.native = both(self.native, other.native);
        self
    }
}

pub(super) fn kinds_of(kind: JsonKind) -> Kinds {
    match kind {
        JsonKind::String => Kinds::STRING,
        JsonKind::Number => Kinds::NUMBER | Kinds::INTEGER,
        JsonKind::Bool => Kinds::BOOLEAN,
        JsonKind::Array => Kinds::ARRAY,
        JsonKind::Object => Kinds::OBJECT,
    }
}

impl<'s> Checker<'_, 's> {
    /// The type at a path whose value is read, with the kinds that the conditions around it leave.
    pub(super) fn path(&mut self, path: &Path, here: &Here<'s>) -> Option<(Ty<'s>, Kinds)> {
        self.note(here.place(path), Use::Value);
        if let (None, Some(rule), 0) = (self.writing, self.rule, self.conditions) {
            self.read_places.push((rule, here.place(path), path.span));
        }
        self.path_type(path, here)
    }

    /// The same for a value that is only looked at.
    pub(super) fn entered(&mut self, path: &Path, here: &Here<'s>) -> Option<(Ty<'s>, Kinds)> {
        self.note(here.place(path), Use::Entered);
        self.path_type(path, here)
    }

    pub(super) fn path_type(&mut self, path: &Path, here: &Here<'s>) -> Option<(Ty<'s>, Kinds)> {
        let Some(place) = here.start(path) else {
            let name = path.to_string();
            let name = name.split(['.', '[']).next().unwrap_or_default();
            let message = format!("unknown name `{name}`: a name is given by `let` or `as`");
            self.fault(
                Fault::new(path.span, message).help("`$` is the message, and `$.member` a member of it"),
            );
            return None;
        };
        let mut at = here.scopes[place].ty.clone();
        let mut walked = Path { span: path.span, start: path.start.clone(), steps: Vec::new() };
        for step in &path.steps {
            if at.is_any() {
                self.unknown.insert(super::place_of(step.span()));
            }
            at = self.step(at, step, &walked, here)?;
            walked.steps.push(step.clone());
        }
        let mut kinds = at.kinds();
        for guard in here.guards.iter().filter(|guard| guard.is_about(place, path)) {
            kinds = kinds & guard.kinds;
        }
        Some((at, kinds.without(Kinds::NULL)))
    }

    fn step(&mut self, at: Ty<'s>, step: &PathStep, walked: &Path, here: &Here<'s>) -> Option<Ty<'s>> {
        let next = match step {
            PathStep::Key(key) => at.property(&key.text),
            PathStep::Every(_) => at.element().or_else(|| at.entry()),
            PathStep::Index(..) => at.element(),
            PathStep::Lookup(key, _) => {
                self.takes(key, FieldKind::Text, "a key", here);
                at.entry().or_else(|| at.only(Kinds::ARRAY).element())
            }
            PathStep::Find(steps, value, _) => {
                // What a host has sent is compared whole, too, as in a condition.
                let kind = if self.writing.is_some() { FieldKind::Json } else { FieldKind::Text };
                self.takes(value, kind, "a comparison", here);
                let element = at.element().or_else(|| at.entry());
                if let Some(element) = element.clone() {
                    let keys = steps.iter().filter_map(|step| match step {
                        PathStep::Key(key) => Some(Segment::Key(key.text.clone())),
                        _ => None,
                    });
                    let found: Vec<Segment> = std::iter::once(Segment::Element).chain(keys).collect();
                    self.note([here.place(walked), found].concat(), Use::Value);
                    let mut inner = element;
                    let mut walked = Path { span: step.span(), start: Start::Here, steps: Vec::new() };
                    for step in steps {
                        inner = self.step(inner, step, &walked, here)?;
                        walked.steps.push(step.clone());
                    }
                }
                element
            }
        };
        if next.is_none() {
            self.fault(unknown_path(&at, step, walked));
        }
        next
    }

    /// What an expression can be. Faults inside it are reported; `None` stands for what is unknown
    /// after a fault.
    pub(super) fn value(&mut self, expr: &Expr, here: &Here<'s>) -> Option<Value> {
        Some(match &expr.kind {
            ExprKind::Path(path) => {
                let (ty, kinds) = self.path(path, here)?;
                let only_text = !kinds.is_any() && !kinds.intersects(Kinds::ANY.without(Kinds::STRING));
                let texts = if only_text { ty.closed_texts() } else { None };
                Value { kinds, texts, native: ty.known_texts() }
            }
            ExprKind::Text(text) => Value { texts: Some(vec![text.clone()]), ..Value::of(Kinds::STRING) },
            ExprKind::Number(_) => Value::of(Kinds::INTEGER),
            ExprKind::Bool(_) => Value::of(Kinds::BOOLEAN),
            ExprKind::Without(path, _) => {
                let (_, kinds) = self.path(path, here)?;
                if !kinds.intersects(Kinds::OBJECT) {
                    let message = format!("`{path}` is of type {kinds}, and `without` takes an object");
                    self.fault(Fault::new(path.span, message));
                }
                Value::of(Kinds::OBJECT)
            }
            ExprKind::Merge(one, other) => {
                self.value(one, here);
                self.value(other, here);
                Value::of(Kinds::OBJECT)
            }
            ExprKind::BuildMap(steps) => {
                self.built_map(expr.span, steps, None, here);
                Value::of(Kinds::OBJECT)
            }
            ExprKind::Needed(value) => self.value(value, here)?,
            ExprKind::Null => Value::of(Kinds::NULL),
            ExprKind::Absent => Value::absent(),
            ExprKind::First(all) => self.perhaps(|checker| checker.union(all, here))?,
            ExprKind::Concat(parts) => {
                self.all_take(parts, FieldKind::Text, "`concat`", here);
                Value::of(Kinds::STRING)
            }
            ExprKind::Join(over, _, element) => {
                self.texts_of(over, element, "`join`", here);
                Value::of(Kinds::STRING)
            }
            ExprKind::Object(members) => {
                for (_, member) in members {
                    self.value(member, here);
                }
                Value::of(Kinds::OBJECT)
            }
            ExprKind::List(elements) => {
                for element in elements {
                    self.value(element, here);
                }
                Value::of(Kinds::ARRAY)
            }
            ExprKind::Json(path) => {
                self.path(path, here);
                Value::of(Kinds::STRING)
            }
            ExprKind::Parse(path, _) => {
                let (_, kinds) = self.path(path, here)?;
                if !kinds.intersects(Kinds::STRING) {
                    let message =
                        format!("`{path}` is of type {kinds}, and `parse` takes a text that holds JSON");
                    self.fault(Fault::new(path.span, message));
                }
                // The schema says nothing about what a text holds.
                Value::of(Kinds::ANY)
            }
            ExprKind::Via(inner, map) => self.via(inner, map, here)?,
            ExprKind::Register(name) => self.read_register(name)?,
            ExprKind::Recall(name, key) => {
                self.takes(key, FieldKind::Text, "a key", here);
                self.read_register(name)?
            }
            ExprKind::Build(steps) => {
                self.built_list(steps, None, here);
                Value::of(Kinds::ARRAY)
            }
            ExprKind::Use(name, _) => {
                return self.used_value(name, |checker, part| match part {
                    Used::Value(value) => checker.value(value, here),
                    Used::List(steps) => {
                        checker.built_list(steps, None, here);
                        Some(Value::of(Kinds::ARRAY))
                    }
                });
            }
            ExprKind::Position | ExprKind::EachKey => {
                let (word, kinds) = match expr.kind {
                    ExprKind::Position => ("$index", Kinds::INTEGER),
                    _ => ("$key", Kinds::STRING),
                };
                if here.each == 0 {
                    self.fault(Fault::new(expr.span, format!("`{word}` has a meaning only inside `each`")));
                    return None;
                }
                Value::of(kinds)
            }
            ExprKind::Time(path, unit) => {
                let (_, kinds) = self.path(path, here)?;
                let (allowed, wanted) = time_kinds(*unit);
                if !kinds.intersects(allowed) {
                    self.fault(Fault::new(
                        path.span,
                        format!("`{path}` is of type {kinds}, and this unit takes {wanted}"),
                    ));
                }
                Value::of(Kinds::STRING)
            }
            ExprKind::Minus(parts) | ExprKind::Plus(parts) => {
                self.all_take(parts, FieldKind::Number, "arithmetic", here);
                Value::of(Kinds::INTEGER | Kinds::NUMBER)
            }
            ExprKind::If(condition, then, otherwise) => {
                self.condition(condition, here);
                let then = self.perhaps(|checker| checker.value(then, &here.guarded(condition, true)));
                let otherwise =
                    self.perhaps(|checker| checker.value(otherwise, &here.guarded(condition, false)));
                then?.or(otherwise?)
            }
            ExprKind::Piece(text, piece, _) => {
                self.takes(text, FieldKind::Text, &format!("`{}`", piece.name()), here);
                Value::of(Kinds::STRING)
            }
            ExprKind::Between(text, ..) => {
                self.takes(text, FieldKind::Text, "`pieces`", here);
                Value::of(Kinds::STRING)
            }
            ExprKind::Diff(old, new) => {
                self.takes(old, FieldKind::Text, "`diff`", here);
                self.takes(new, FieldKind::Text, "`diff`", here);
                Value::of(Kinds::STRING)
            }
            ExprKind::NumberIn(text) => {
                self.takes(text, FieldKind::Text, "`number`", here);
                Value::of(Kinds::INTEGER | Kinds::NUMBER)
            }
            ExprKind::Split(text, _, whole) => {
                self.takes(text, FieldKind::Text, "`split`", here);
                if let Some((over, element)) = whole {
                    self.texts_of(over, element, "`split`", here);
                }
                Value::of(Kinds::ARRAY)
            }
        })
    }

    /// Checks a text that `what`, a function, takes of each element of an array.
    fn texts_of(&mut self, over: &Path, element: &Expr, what: &str, here: &Here<'s>) {
        let Some((ty, kinds)) = self.entered(over, here) else { return };
        if !kinds.intersects(Kinds::ARRAY) {
            let message = format!("`{over}` is of type {kinds}, and {what} takes an array");
            self.fault(Fault::new(over.span, message));
        }
        let of_array = ty.only(Kinds::ARRAY).element().unwrap_or_else(Ty::any);
        let place = [here.place(over), vec![Segment::Element]].concat();
        let mut inner = here.inside(of_array, place);
        inner.each += 1;
        self.takes(element, FieldKind::Text, what, &inner);
    }

    fn union(&mut self, all: &[Expr], here: &Here<'s>) -> Option<Value> {
        let mut union = Some(Value::absent());
        for one in all {
            let value = self.value(one, here);
            union = union.and_then(|union| Some(union.or(value?)));
        }
        union
    }

    fn all_take(&mut self, parts: &[Expr], kind: FieldKind, what: &str, here: &Here<'s>) {
        for part in parts {
            self.takes(part, kind, what, here);
        }
    }

    /// Checks that `what`, a field or a function, takes this value.
    pub(super) fn takes(&mut self, expr: &Expr, kind: FieldKind, what: &str, here: &Here<'s>) {
        match &expr.kind {
            ExprKind::First(all) => {
                return self.perhaps(|checker| checker.all_take(all, kind, what, here));
            }
            ExprKind::If(condition, then, otherwise) => {
                self.condition(condition, here);
                return self.perhaps(|checker| {
                    checker.takes(then, kind, what, &here.guarded(condition, true));
                    checker.takes(otherwise, kind, what, &here.guarded(condition, false));
                });
            }
            ExprKind::Absent => return,
            ExprKind::Split(..) if kind != FieldKind::List => {
                self.fault(Fault::new(
                    expr.span,
                    format!("`split` gives a list, which {what} does not take"),
                ));
                return;
            }
            _ => {}
        }
        if kind == FieldKind::Flag {
            if !matches!(expr.kind, ExprKind::Bool(true)) {
                self.fault(Fault::new(expr.span, format!("{what} is a flag: write its name alone")));
            }
            return;
        }
        let Some(value) = self.value(expr, here) else { return };
        if let Err(message) = fits(&value, kind, &source(expr), what) {
            self.fault(Fault::new(expr.span, message));
        }
    }

    /// A condition: its paths exist, and its comparisons can be true.
    pub(super) fn condition(&mut self, condition: &Cond, here: &Here<'s>) {
        match condition {
            Cond::Holds(Expr { kind: ExprKind::Path(path), .. })
            | Cond::Present(Expr { kind: ExprKind::Path(path), .. }) => {
                self.entered(path, here);
            }
            Cond::Holds(value) | Cond::Present(value) => {
                self.value(value, here);
            }
            Cond::Equal(left, right) => self.equal(left, right, here),
            Cond::Less(left, right) => {
                for side in [left, right] {
                    let found = self.value(side, here);
                    self.comparable(side, found.as_ref());
                }
            }
            Cond::In(value, texts) => {
                let known = self.value(value, here).and_then(|value| value.texts);
                for text in texts {
                    self.can_be(&source(value), known.as_deref(), &text.text, text.span);
                }
            }
            Cond::Starts(value, _) | Cond::Ends(value, _) | Cond::Contains(value, _) => {
                let found = self.value(value, here);
                self.comparable(value, found.as_ref());
            }
            Cond::Is(path, kind) => {
                if let Some((_, kinds)) = self.entered(path, here)
                    && !kinds.intersects(kinds_of(*kind))
                {
                    let message = format!("`{path}` is never {}: it is of type {kinds}", kind_word(*kind));
                    self.fault(Fault::absence(path.span, message));
                }
            }
            Cond::Not(inner) => self.condition(inner, here),
            Cond::All(all) => {
                let mut here = here.clone();
                for one in all {
                    self.condition(one, &here);
                    here = here.guarded(one, true);
                }
            }
            Cond::Any(any) => {
                let mut here = here.clone();
                for one in any {
                    self.condition(one, &here);
                    here = here.guarded(one, false);
                }
            }
        }
    }

    fn equal(&mut self, left: &Expr, right: &Expr, here: &Here<'s>) {
        if let ExprKind::Bool(_) = right.kind {
            if !matches!(left.kind, ExprKind::Path(_)) {
                self.fault(Fault::new(left.span, "only a path can be compared with `true` or `false`"));
            }
            return self.takes(left, FieldKind::Bool, "a comparison with a boolean", here);
        }
        let (left_value, right_value) = (self.value(left, here), self.value(right, here));
        if let (Some(value), ExprKind::Text(text)) = (&left_value, &right.kind) {
            self.can_be(&source(left), value.texts.as_deref(), text, right.span);
        }
        if let Some(value) = &left_value {
            self.same_type(&source(left), value, right);
        }
        self.comparable(left, left_value.as_ref());
        self.comparable(right, right_value.as_ref());
    }

    /// A text is never equal to a number.
    fn same_type(&mut self, what: &str, value: &Value, constant: &Expr) {
        let number = Kinds::NUMBER | Kinds::INTEGER;
        let (possible, help) = match &constant.kind {
            // What `nonempty` compares with.
            ExprKind::Text(text) if text.is_empty() => return,
            ExprKind::Text(text) => {
                (Kinds::STRING, text.parse::<i64>().ok().map(|number| number.to_string()))
            }
            ExprKind::Number(number_) => (number, Some(format!("\"{number_}\""))),
            _ => return,
        };
        let kinds = value.kinds.without(Kinds::NULL);
        if kinds.is_empty() || kinds.is_any() || kinds.intersects(possible) {
            return;
        }
        let fault = Fault::new(
            constant.span,
            format!("{what} is of type {kinds}, and never equal to {}", source(constant)),
        );
        self.fault(match help.filter(|_| kinds.intersects(number | Kinds::STRING)) {
            Some(other) => fault.help(format!("write `{other}`")),
            None => fault,
        });
    }

    /// A comparison with an object or array is never true, so the value must be able to be a text.
    fn comparable(&mut self, expr: &Expr, value: Option<&Value>) {
        // A rule that reads what a host has sent compares whole objects too.
        if let Some(value) = value
            && self.writing.is_none()
            && !value.kinds.without(Kinds::ARRAY | Kinds::OBJECT | Kinds::NULL).intersects(Kinds::ANY)
            && !value.kinds.is_empty()
        {
            let message =
                format!("{} is of type {}, which a comparison never finds equal", source(expr), value.kinds);
            self.fault(Fault::new(expr.span, message));
        }
    }

    fn can_be(&mut self, what: &str, known: Option<&[String]>, text: &str, span: Span) {
        if let Some(known) = known
            && !known.iter().any(|one| one == text)
        {
            let fault =
                Fault::absence(span, format!("{what} never is `{text}`: the schema has {}", list(known)));
            self.fault(fault.suggest_near(text, known.iter().map(String::as_str)));
        }
    }
}

pub(super) fn time_kinds(unit: TimeUnit) -> (Kinds, &'static str) {
    match unit {
        TimeUnit::Rfc3339 => (Kinds::STRING, "a text"),
        TimeUnit::Seconds | TimeUnit::Milliseconds => (Kinds::NUMBER | Kinds::INTEGER, "a number"),
    }
}

/// The value as a message names it.
pub(super) fn source(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Path(path) | ExprKind::Time(path, _) => format!("`{path}`"),
        ExprKind::Register(name) | ExprKind::Recall(name, _) => format!("`@{}`", name.text),
        ExprKind::Null => "`null`".to_owned(),
        ExprKind::Text(text) => format!("{text:?}"),
        ExprKind::Number(number) => format!("`{number}`"),
        ExprKind::Bool(value) => format!("`{value}`"),
        ExprKind::Via(_, map) => format!("the value map `{}`", map.text),
        _ => "this value".to_owned(),
    }
}

fn unknown_path(at: &Ty<'_>, step: &PathStep, walked: &Path) -> Fault {
    let names = at.names();
    let owner = match (walked.steps.is_empty(), &names[..]) {
        (_, [name]) => format!("`{name}`"),
        (true, []) => "the current value".to_owned(),
        (false, []) => format!("`{walked}`"),
        (true, many) => types(many),
        (false, many) => format!("`{walked}` ({})", types(many)),
    };
    let has = if walked.steps.is_empty() && names.len() > 1 { "have" } else { "has" };
    let kinds = at.kinds().without(Kinds::NULL);
    match step {
        PathStep::Key(key) if kinds.intersects(Kinds::OBJECT) => {
            let known = at.property_names();
            let path =
                Path { steps: [&walked.steps[..], std::slice::from_ref(step)].concat(), ..walked.clone() };
            Fault::absence(key.span, format!("unknown path `{path}`: {owner} {has} no `{}`", key.text))
                .suggest(&key.text, known)
        }
        PathStep::Key(key) => {
            let fault = Fault::absence(
                key.span,
                format!("{owner} is of type {kinds}, and has no member `{}`", key.text),
            );
            if kinds.intersects(Kinds::ARRAY) {
                fault.help("go through its elements with `each`")
            } else {
                fault
            }
        }
        PathStep::Lookup(_, span) => {
            Fault::absence(*span, format!("{owner} is of type {kinds}, and has no members to look up"))
        }
        PathStep::Index(_, span) | PathStep::Find(_, _, span) | PathStep::Every(span) => {
            Fault::absence(*span, format!("{owner} is of type {kinds}, and has no elements"))
        }
    }
}

impl Guard {
    /// The guards that hold when a condition has this outcome.
    pub(super) fn of(condition: &Cond, outcome: bool, here: &Here<'_>, guards: &mut Vec<Guard>) {
        match (condition, outcome) {
            (Cond::Is(path, kind), _) => {
                let place = here.start(path);
                let plain =
                    path.steps.iter().all(|step| matches!(step, PathStep::Key(_) | PathStep::Index(..)));
                let kinds = if outcome { kinds_of(*kind) } else { Kinds::ANY.without(kinds_of(*kind)) };
                if let (Some(place), true) = (place, plain) {
                    guards.push(Guard { place, path: steps_text(path), kinds });
                }
            }
            (Cond::Not(inner), _) => Self::of(inner, !outcome, here, guards),
            (Cond::All(all), true) | (Cond::Any(all), false) => {
                all.iter().for_each(|one| Self::of(one, outcome, here, guards));
            }
            _ => {}
        }
    }

    fn is_about(&self, place: usize, path: &Path) -> bool {
        self.place == place && self.path == steps_text(path)
    }
}

/// The steps of a path, whatever it starts from.
fn steps_text(path: &Path) -> String {
    Path { start: Start::Here, ..path.clone() }.to_string()
}
