//! Steps: terms with their fields and bodies, fan-out and branches.

use std::collections::HashMap;

use interlingua_table::{Field, FieldKind, FieldSpec, ItemKind, Layer, Verb, VerbSpec, verbs};

use super::built::Used;
use super::reads::{Segment, Use};
use super::scope::Here;
use super::types::{Split, Ty};
use super::values::Value;
use super::{BlockUse, Checker};
use crate::ast::{
    Arm, ArmShape, Block, Expr, ExprKind, FieldValue, Gives, Path, RuleAction, State, Step, StepKind, UseAs,
    Word, kind_word, written,
};
use crate::diagnostic::{Fault, list, types};
use crate::fields;
use crate::schema::Kinds;
use crate::sources::Span;

/// Terms that say something only inside another one.
const INNER: [Verb; 7] = [
    Verb::PermissionOption,
    Verb::Question,
    Verb::QuestionOption,
    Verb::Answer,
    Verb::Entry,
    Verb::Attach,
    Verb::Usage,
];

impl<'s> Checker<'_, 's> {
    pub(super) fn steps(&mut self, steps: &[Step], here: &Here<'s>) {
        for step in steps {
            match &step.kind {
                StepKind::Emit { term, state, fields, spreads, body } => {
                    let fields = self.with_spreads(fields, spreads);
                    self.emit(term, *state, &fields, body.as_deref(), here);
                }
                StepKind::Each { single, over, by, arms } => {
                    self.each(*single, over, by.as_ref(), arms, here)
                }
                StepKind::When(arms) => {
                    let mut here = here.clone();
                    for (condition, steps) in arms {
                        match condition {
                            Some(condition) => {
                                self.condition(condition, &here);
                                self.perhaps(|checker| checker.steps(steps, &here.guarded(condition, true)));
                                here = here.guarded(condition, false);
                            }
                            None => self.perhaps(|checker| checker.steps(steps, &here)),
                        }
                    }
                }
                StepKind::In(item, body) => self.in_item(item, body, here),
                StepKind::Set(register, key, value) => {
                    if let Some(key) = key {
                        self.takes(key, FieldKind::Text, "a key", here);
                    }
                    let value = self.value(value, here);
                    self.write_register(register, value);
                }
                StepKind::Once(key) => {
                    self.only_reading(key.span, "once");
                    if self.layer() == Layer::Model {
                        self.fault(Fault::new(key.span, "`once` is allowed only in maps of agents"));
                    }
                    self.takes(key, FieldKind::Text, "`once`", here);
                }
                StepKind::Candidate(number) => {
                    self.only_reading(number.span, "candidate");
                    if self.layer() == Layer::Agent {
                        self.fault(Fault::new(number.span, "`candidate` is allowed only in maps of models"));
                    }
                    self.takes(number, FieldKind::Integer, "`candidate`", here);
                }
                StepKind::Add(value, merge) => self.add(value, merge.as_ref(), here),
                StepKind::Send { span, value, http } => {
                    self.send(*span, value.as_ref(), http.as_ref(), here);
                }
                StepKind::Spawn { span, args, cwd } => self.spawn(*span, args, cwd.as_ref(), here),
                StepKind::Tell(span, id) => {
                    self.only_telling(*span, "tell");
                    if let Some(id) = id {
                        self.takes(id, FieldKind::Key, "`tell`", here);
                    }
                }
                StepKind::Put(key, value) => self.put(key, value, here),
                StepKind::Rpc { span, what, value } => self.rpc(*span, what, value.as_ref(), here),
                StepKind::HangUp(span) => self.only_telling(*span, "hang_up"),
                StepKind::Await(span) => self.awaits(*span),
                StepKind::Degrade(what, reason) => {
                    self.only_telling(what.span, "degrade");
                    self.reason(reason, what.span, "degrade");
                }
                StepKind::Use(name, how) => self.use_block(name, *how, here),
            }
        }
    }

    fn layer(&self) -> Layer {
        self.map.provider.layer
    }

    fn in_item(&mut self, item: &Expr, body: &[Step], here: &Here<'s>) {
        self.only_reading(item.span, "under");
        self.takes(item, FieldKind::Key, "`under`", here);
        let misplaced = match (self.layer(), here.parent) {
            (Layer::Model, _) => {
                "`under` is allowed only in maps of agents: the stream of a model is one message".to_owned()
            }
            (_, Some(parent)) => format!("`under` is not allowed in the body of `{}`", parent.name),
            _ => return self.steps(body, &Here { in_item: true, ..here.clone() }),
        };
        self.fault(Fault::new(item.span, misplaced));
    }

    fn use_block(&mut self, name: &Word, how: UseAs, here: &Here<'s>) {
        self.in_block(name, |checker, block| {
            match (how, &block.gives) {
                (UseAs::Steps, Gives::Steps)
                | (UseAs::Elements, Gives::List)
                | (UseAs::Element, Gives::Value(_)) => {}
                // The list is an element itself.
                (UseAs::Element, Gives::List) => {
                    return checker.add(
                        &Expr { span: name.span, kind: ExprKind::Use(name.clone(), false) },
                        None,
                        here,
                    );
                }
                (_, gives) => return checker.fault(wrong_use(name, gives)),
            }
            checker.steps(&block.steps, here);
        });
    }

    /// A block that is used as a value.
    pub(super) fn used_value(
        &mut self,
        name: &Word,
        check: impl FnOnce(&mut Self, Used<'_>) -> Option<Value>,
    ) -> Option<Value> {
        let mut value = None;
        self.in_block(name, |checker, block| {
            value = match &block.gives {
                Gives::List => check(checker, Used::List(&block.steps)),
                Gives::Value(Some(value)) => check(checker, Used::Value(value)),
                gives => {
                    checker.fault(wrong_use(name, gives));
                    None
                }
            };
        });
        value
    }

    /// Checks what a block holds, for one of its uses.
    fn in_block(&mut self, name: &Word, check: impl FnOnce(&mut Self, &Block)) {
        let map = self.map;
        let Some(block) = map.blocks.iter().find(|block| block.name.text == name.text) else {
            let known = self.map.blocks.iter().map(|block| block.name.text.as_str());
            self.fault(
                Fault::new(name.span, format!("unknown block `{}`", name.text)).suggest(&name.text, known),
            );
            return;
        };
        if self.open_blocks.contains(&block.name.text) {
            let message =
                format!("`use {}` inside the block itself: blocks cannot repeat themselves", name.text);
            self.fault(Fault::new(name.span, message));
            return;
        }
        self.open_blocks.push(block.name.text.clone());
        let outside = (std::mem::take(&mut self.faults), std::mem::take(&mut self.unknown));
        check(self, block);
        let faults = std::mem::replace(&mut self.faults, outside.0);
        let unknown = std::mem::replace(&mut self.unknown, outside.1);
        self.blocks.entry(block.name.text.clone()).or_default().push(BlockUse { faults, unknown });
        self.open_blocks.pop();
    }

    /// The fields of a term, with those that stand in objects.
    fn with_spreads(&mut self, fields: &[FieldValue], spreads: &[Expr]) -> Vec<FieldValue> {
        let (fields, faults) = fields::all(self.map, fields, spreads);
        faults.into_iter().for_each(|fault| self.fault(fault));
        for name in spreads.iter().flat_map(fields::blocks) {
            self.in_block(name, |_, _| {});
        }
        fields
    }

    fn emit(
        &mut self,
        term: &Word,
        state: State,
        fields: &[FieldValue],
        body: Option<&[Step]>,
        here: &Here<'s>,
    ) {
        let Some(spec) = spec_of(term) else {
            let layer = self.layer();
            let known = verbs().iter().filter(|spec| spec.layers.has(layer)).map(|spec| spec.name);
            let fault = Fault::new(term.span, format!("unknown term `{}`", term.text));
            self.fault(fault.suggest(&term.text, known));
            return;
        };
        self.only_reading(term.span, spec.name);
        if !spec.layers.has(self.layer()) {
            let (other, this) = match self.layer() {
                Layer::Agent => ("models", "an agent"),
                Layer::Model => ("agents", "a model"),
            };
            let message =
                format!("`{}` is allowed only in maps of {other}, and this is the map of {this}", spec.name);
            self.fault(Fault::new(term.span, message));
            return;
        }
        self.place(spec, term.span, here);
        self.fields(spec, term.span, fields, here);
        if spec.item != ItemKind::None && spec.verb == Verb::Open {
            self.state(spec, term.span, state, fields);
        }
        match body {
            Some(body) if !spec.body.is_empty() => self.steps(body, &here.body_of(spec)),
            Some(_) => {
                self.fault(Fault::new(term.span, format!("`{}` has no body, only fields", spec.name)));
            }
            None => {}
        }
    }

    /// What is said of an item's state.
    fn state(&mut self, spec: &'static VerbSpec, span: Span, state: State, fields: &[FieldValue]) {
        let status = fields.iter().find(|field| field.name.text == "status");
        let message = match (state, status) {
            (State::Unsaid, None) if spec.item != ItemKind::ToolCall => format!(
                "`{}` does not say how the item goes on: write `open`, `done` or `status: …`",
                spec.name
            ),
            (State::Open(_) | State::Done(_), Some(_)) => {
                "the state is given twice: `open`, `done` and `status` exclude each other".to_owned()
            }
            (State::Whole(_), _) if !matches!(spec.item, ItemKind::Message | ItemKind::Plan) => {
                "`unless_empty` is for items that have parts: a message and a plan".to_owned()
            }
            (State::Done(_) | State::Whole(_), _) if self.layer() == Layer::Model => {
                "`done` is allowed only in maps of agents: the stream of a model says when it is over"
                    .to_owned()
            }
            _ => return,
        };
        let span = match state {
            State::Unsaid => span,
            State::Open(span) | State::Done(span) | State::Whole(span) => span,
        };
        self.fault(Fault::new(span, message));
    }

    /// Whether the term may stand where it stands.
    fn place(&mut self, spec: &'static VerbSpec, span: Span, here: &Here<'s>) {
        match here.parent {
            None if INNER.contains(&spec.verb) && self.layer() == Layer::Agent => {
                let owners: Vec<&str> = verbs()
                    .iter()
                    .filter(|owner| owner.body.contains(&spec.verb))
                    .map(|owner| owner.name)
                    .collect();
                let message = format!("`{}` is allowed only in the body of {}", spec.name, list(&owners));
                self.fault(Fault::new(span, message));
            }
            Some(parent) if !parent.body.contains(&spec.verb) => {
                let mut allowed: Vec<&str> = verbs()
                    .iter()
                    .filter(|term| parent.body.contains(&term.verb))
                    .map(|term| first_word(term))
                    .collect();
                allowed.dedup();
                let message = format!(
                    "`{}` is not allowed in the body of `{}`, which takes {}",
                    spec.name,
                    parent.name,
                    list(&allowed)
                );
                self.fault(Fault::new(span, message));
            }
            _ => {}
        }
    }

    fn fields(&mut self, spec: &'static VerbSpec, span: Span, fields: &[FieldValue], here: &Here<'s>) {
        let mut given: HashMap<&str, Span> = HashMap::new();
        for field in fields {
            let name = field.name.text.as_str();
            let layer = self.layer();
            let Some(known) = spec.fields_in(layer).find(|known| known.name == name) else {
                let names = spec.fields_in(layer).map(|known| known.name);
                if spec.fields.iter().any(|known| known.name == name) {
                    let other = if layer == Layer::Agent { "models" } else { "agents" };
                    let message = format!("`{}` has the field `{name}` only in maps of {other}", spec.name);
                    self.fault(Fault::new(field.name.span, message));
                    continue;
                }
                let fault = Fault::new(field.name.span, format!("unknown field `{name}` of `{}`", spec.name));
                self.fault(fault.suggest(name, names));
                continue;
            };
            if given.insert(name, field.name.span).is_some() {
                self.fault(Fault::new(field.name.span, format!("the field `{name}` is given twice")));
            }
            let what = format!("the field `{name}` of `{}`", spec.name);
            match field.value {
                None if known.kind == FieldKind::Flag => {}
                // A place only names a part: it reaches no event, so a `drop` may still say that it is left out.
                _ if known.field == Field::At => {
                    self.perhaps(|checker| checker.takes(&field.expr(), known.kind, &what, here));
                }
                _ => self.takes(&field.expr(), known.kind, &what, here),
            }
        }
        let required = |field: &&FieldSpec| field.required && !given.contains_key(field.name);
        for needed in spec.fields_in(self.layer()).filter(required) {
            let message = format!("the required field `{}` of `{}` is missing", needed.name, spec.name);
            self.fault(Fault::new(span, message));
        }
        if here.parent.is_none() && self.layer() == Layer::Agent {
            self.names_its_item(spec, span, &given, here.in_item);
        }
    }

    /// Outside the body of an item, a part must say which item it belongs to.
    fn names_its_item(&mut self, spec: &VerbSpec, span: Span, given: &HashMap<&str, Span>, in_item: bool) {
        let has = |name| given.contains_key(name) || (in_item && name == "item");
        let missing = match spec.verb {
            Verb::Part | Verb::Seal | Verb::More | Verb::Drop if !has("item") => "the field `item`",
            Verb::Output if !(has("delta") || has("snapshot")) => "the field `delta` or `snapshot`",
            Verb::Arguments if !(has("call") || has("item") && has("at")) => {
                "the field `call`, or `item` and `at`"
            }
            _ => return,
        };
        let message = format!("`{}` outside the body of an item needs {missing}", spec.name);
        self.fault(Fault::new(span, message));
    }

    fn each(&mut self, single: bool, over: &Path, by: Option<&Path>, arms: &[Arm], here: &Here<'s>) {
        let elements = match self.entered(over, here) {
            Some((ty, kinds)) if single => ty.only(kinds),
            Some((ty, kinds)) => ty.only(kinds).elements(),
            None => Ty::any(),
        };
        let mut place = here.place(over);
        if !single {
            place.push(Segment::Element);
        }
        let enter = |ty: Ty<'s>, variant: Option<Segment>| {
            let mut inner = here.inside(ty, place.iter().cloned().chain(variant).collect());
            inner.each += usize::from(!single);
            inner
        };
        let Some(by) = by else {
            for arm in arms {
                if let RuleAction::Steps(steps) = &arm.action {
                    self.steps(steps, &enter(elements.clone(), None));
                }
            }
            return;
        };
        let Some(tag) = super::messages::keys(by) else {
            self.fault(Fault::new(by.span, "elements are chosen by a path of keys, such as `type`"));
            return;
        };
        let split = elements.split(std::slice::from_ref(&tag));
        if self.writing.is_none() {
            self.splits.insert(place.clone(), tag);
        }
        self.entered(by, &enter(elements.clone(), None));
        for arm in arms {
            let ty = self.arm_type(arm, by, &elements, &split);
            let inner = enter(ty, variant(arm));
            let inner = match &arm.condition {
                Some(condition) => {
                    self.condition(condition, &inner);
                    inner.guarded(condition, true)
                }
                None => inner,
            };
            match &arm.action {
                RuleAction::Steps(steps) => self.steps(steps, &inner),
                RuleAction::Ignore(reason) => {
                    self.reason(reason, arm.span, "ignore");
                    let place = place.iter().cloned().chain(variant(arm)).collect();
                    self.note(place, Use::Left(reason.text()));
                }
            }
        }
        self.arms_cover(over, by, arms, &elements, &split);
    }

    /// The type of the elements that an arm takes.
    fn arm_type(&mut self, arm: &Arm, by: &Path, elements: &Ty<'s>, split: &Split<'s>) -> Ty<'s> {
        match &arm.shape {
            ArmShape::Any => Ty::any(),
            ArmShape::Kind(kind) => {
                let kinds = super::values::kinds_of(*kind);
                if !elements.kinds().intersects(kinds) {
                    let message =
                        format!("no element is {}: they are {}", kind_word(*kind), elements.kinds());
                    self.fault(Fault::absence(arm.span, message));
                }
                elements.only(kinds)
            }
            ArmShape::Tags(tags) => {
                let mut ty = Ty::default();
                for tag in tags {
                    match (split.value(&tag.text), &split.open) {
                        (Some(known), _) | (None, Some(known)) => ty.join(known.clone()),
                        (None, None) => {
                            let message = format!("no element has `{}` as its `{by}`", tag.text);
                            let known = split.values.iter().map(|(value, _)| value.as_str());
                            self.fault(Fault::absence(tag.span, message).suggest(&tag.text, known));
                            ty.join(Ty::any());
                        }
                    }
                }
                ty
            }
        }
    }

    fn arms_cover(&mut self, over: &Path, by: &Path, arms: &[Arm], elements: &Ty<'s>, split: &Split<'s>) {
        // For each value, kind or `_`: whether some arm takes it, and which takes all of it.
        let mut taken: HashMap<String, Option<Span>> = HashMap::new();
        for arm in arms {
            let keys: Vec<(String, Span)> = match &arm.shape {
                ArmShape::Any => vec![("_".to_owned(), arm.span)],
                ArmShape::Kind(kind) => vec![(kind_word(*kind).to_owned(), arm.span)],
                ArmShape::Tags(tags) => tags.iter().map(|tag| (written_tag(&tag.text), tag.span)).collect(),
            };
            for (key, span) in keys {
                if let Some(Some(first)) = taken.get(&key) {
                    let line = self.map.sources.line_from(*first, span);
                    let name = key.trim_start_matches('=');
                    let message = format!("unreachable arm: the arm in {line} takes every `{name}`");
                    self.fault(Fault::new(span, message));
                    continue;
                }
                let whole = arm.condition.is_none().then_some(arm.span);
                taken.insert(key, whole);
            }
        }
        let mut demand = |key: String, name: String, names: Vec<&str>| {
            let named = if names.is_empty() { String::new() } else { format!(" ({})", types(&names)) };
            match taken.get(&key) {
                Some(Some(_)) => {}
                Some(None) => self.fault(
                    Fault::new(
                        by.span,
                        format!(
                            "all arms for `{name}` of `{over}` have conditions, so that some are not mapped"
                        ),
                    )
                    .help(format!("end with an arm without `if`, or with `ignore {name} because \"…\"`")),
                ),
                None => self.fault(
                    Fault::new(by.span, format!("`{name}`{named}, a variant of `{over}`, is not mapped"))
                        .help(format!("add `{name} => …` or `ignore {name} because \"…\"`")),
                ),
            }
        };
        for (value, ty) in &split.values {
            demand(written_tag(value), written(value), ty.names());
        }
        if elements.is_any() {
            return;
        }
        if let Some(untagged) = &split.absent {
            demand("object".to_owned(), "object".to_owned(), untagged.names());
        }
        let kinds = elements.kinds();
        for (kind, name) in [
            (Kinds::STRING, "string"),
            (Kinds::NUMBER | Kinds::INTEGER, "number"),
            (Kinds::BOOLEAN, "bool"),
            (Kinds::ARRAY, "array"),
        ] {
            if kinds.intersects(kind) {
                demand(name.to_owned(), name.to_owned(), Vec::new());
            }
        }
    }
}

fn wrong_use(name: &Word, gives: &Gives) -> Fault {
    let what = match gives {
        Gives::Steps => "holds steps, and is used as a step: `use NAME;`",
        Gives::List => "is a list: it is a value, and `..use NAME` gives its elements",
        Gives::Value(Some(_)) => "is one value, and neither steps nor a list",
        Gives::Value(None) => "leaves something out of a list, and is allowed only in a list",
    };
    Fault::new(name.span, format!("the block `{}` {what}", name.text))
}

/// The elements that an arm is about: none that the schema knows for `_`.
fn variant(arm: &Arm) -> Option<Segment> {
    Some(Segment::Variant(match &arm.shape {
        ArmShape::Any => Vec::new(),
        ArmShape::Kind(kind) => vec![kind_word(*kind).to_owned()],
        ArmShape::Tags(tags) => tags.iter().map(|tag| tag.text.clone()).collect(),
    }))
}

/// Keeps tag values apart from the words for kinds.
fn written_tag(value: &str) -> String {
    format!("={value}")
}

fn first_word(spec: &VerbSpec) -> &'static str {
    spec.name.split(' ').next().unwrap_or(spec.name)
}

/// The term of this name.
pub(crate) fn spec_of(term: &Word) -> Option<&'static VerbSpec> {
    verbs().iter().find(|spec| spec.name == term.text)
}
