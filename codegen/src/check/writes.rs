//! The way back: `to` and `cannot`. What a rule writes is proven against what the provider accepts, and what it
//! reads against the vocabulary.

use std::collections::BTreeSet;

use interlingua_table::{FieldKind, RegisterScope};
use proc_macro2::Span;

use super::reads::Segment;
use super::scope::Here;
use super::types::Ty;
use super::values::{Value, source};
use super::{Checker, Writing};
use crate::ast::{Cannot, Expr, ExprKind, Host, Merge, Step, Word, Write};
use crate::diagnostic::{Fault, list};
use crate::schema::Kinds;

/// The command that is the request of a language model.
pub(super) const REQUEST: &str = "request";

/// Where the command stands in what a rule knows when it writes one.
const COMMAND: &str = "command";

/// Notes that a rule reads a field of its command.
pub(super) fn note_command_field(command: &str, fields: &mut BTreeSet<String>, place: &[Segment]) {
    let field = match place {
        // The request to a language model is the whole of what is known.
        [Segment::Key(field), ..] if command == REQUEST => field,
        [Segment::Key(inside), Segment::Key(field), ..] if inside == COMMAND => field,
        _ => return,
    };
    fields.insert(field.clone());
}

impl<'s> Checker<'_, 's> {
    /// Goes through the rules that write, once.
    pub(super) fn writes(&mut self) {
        let map = self.map;
        for host in &map.hosts {
            self.writing = Some(Writing::From);
            self.host(host);
            self.writing = None;
        }
        if map.writes.is_empty() && map.cannot.is_empty() {
            return;
        }
        for (number, write) in map.writes.iter().enumerate() {
            self.command_reads[number].clear();
            if let Some(here) = self.command(&write.command) {
                self.writing = Some(Writing::To(number));
                self.write(write, &here);
                self.writing = None;
            }
        }
        for (number, cannot) in map.cannot.iter().enumerate() {
            self.writing = Some(Writing::Cannot(number));
            self.cannot(cannot);
            self.writing = None;
        }
        self.commands_decided();
    }

    /// What a rule for this command starts from.
    pub(super) fn command(&mut self, name: &Word) -> Option<Here<'s>> {
        let Some(vocabulary) = self.vocabulary else {
            self.fault(Fault::new(
                name.span,
                "the vocabulary is not at hand, so that nothing can be written",
            ));
            return None;
        };
        let named = |definition: &str| vocabulary.definition(definition).map(Ty::of);
        if name.text == REQUEST {
            return named("ModelRequest").map(Here::message);
        }
        let commands = named("Command").unwrap_or_default().split(&[vec!["type".to_owned()]]);
        match commands.value(&name.text) {
            Some(command) => {
                let context = Here::message(named("CommandContext")?);
                Some(context.inside(command.clone(), vec![Segment::Key(COMMAND.to_owned())]))
            }
            None => {
                let known: Vec<&str> =
                    commands.values.iter().map(|(name, _)| name.as_str()).chain([REQUEST]).collect();
                let message = format!("unknown command `{}`: there are {}", name.text, list(&known));
                self.fault(Fault::new(name.span, message).suggest(&name.text, known));
                None
            }
        }
    }

    /// `from`: what a host has sent, as a command.
    fn host(&mut self, host: &Host) {
        let Some(context) = self.vocabulary.and_then(|vocabulary| vocabulary.definition("HostContext"))
        else {
            self.fault(Fault::new(
                host.span,
                "the vocabulary is not at hand, so that no command can be read",
            ));
            return;
        };
        let mut message = self.accepted();
        if let Some((method, path)) = &host.http {
            self.method(method);
            message = self.endpoint(message, method, path.span, &path.text);
        }
        let context = Here::message(Ty::of(context));
        let mut here = context.inside(message, vec![Segment::Key("message".to_owned())]);
        if let Some(condition) = &host.condition {
            self.condition(condition, &here);
            here = here.guarded(condition, true);
        }
        if let Some(session) = &host.session {
            self.takes(session, FieldKind::Key, "`for`", &here);
        }
        self.steps(&host.steps, &here);
    }

    /// What the provider accepts.
    pub(super) fn accepted(&self) -> Ty<'s> {
        let mut accepted = Ty::default();
        for name in &self.map.provider.accepts {
            if let Some(ty) = self.schema.definition(&name.text) {
                accepted.join(Ty::of(ty));
            }
        }
        accepted
    }

    /// The body of an HTTP request. A provider that accepts several has a definition whose members are named as its
    /// requests are: `POST /session/{sessionID}/message`.
    fn endpoint(&mut self, accepted: Ty<'s>, method: &Word, span: Span, path: &str) -> Ty<'s> {
        let known: Vec<&str> =
            accepted.property_names().into_iter().filter(|name| name.contains(" /")).collect();
        if known.is_empty() {
            return accepted;
        }
        let wanted = format!("{} {}", method.text, nameless(path));
        match known.iter().find(|name| nameless(name) == wanted) {
            Some(name) => accepted.property(name).unwrap_or_default(),
            None => {
                let fault = Fault::new(span, format!("the provider accepts no `{} {path}`", method.text));
                self.fault(fault.suggest(&wanted, known));
                Ty::any()
            }
        }
    }

    fn method(&mut self, method: &Word) {
        const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
        if !METHODS.contains(&method.text.as_str()) {
            let message = format!("unknown method `{}`: there are {}", method.text, list(&METHODS));
            self.fault(Fault::new(method.span, message));
        }
    }

    /// `spawn`: a program with its arguments, all of them texts.
    pub(super) fn spawn(&mut self, span: Span, args: &Expr, cwd: Option<&Expr>, here: &Here<'s>) {
        self.only_writing(span, "spawn");
        match &args.kind {
            ExprKind::Build(steps) => {
                self.built_list(args.span, steps, None, here);
            }
            _ => self
                .fault(Fault::new(args.span, "`spawn` takes the program and its arguments as `list { … }`")),
        }
        if let Some(cwd) = cwd {
            self.takes(cwd, FieldKind::Text, "`in`", here);
        }
    }

    fn write(&mut self, write: &Write, here: &Here<'s>) {
        for path in &write.needs {
            self.path(path, here);
        }
        let mut here = here.clone();
        if let Some(condition) = &write.condition {
            self.condition(condition, &here);
            here = here.guarded(condition, true);
        }
        self.steps(&write.steps, &here);
    }

    fn cannot(&mut self, cannot: &Cannot) {
        self.reason(&cannot.reason, cannot.command.span, "cannot");
        let Some(here) = self.command(&cannot.command) else { return };
        if let Some(condition) = &cannot.condition {
            self.condition(condition, &here);
        }
        let command = &here.scopes[here.scopes.len() - 1].ty;
        for field in &cannot.fields {
            if command.property(&field.text).is_none() {
                let message = format!("unknown field `{}` of `{}`", field.text, cannot.command.text);
                let fault = Fault::new(field.span, message).suggest(&field.text, command.property_names());
                self.fault(fault);
            }
        }
    }

    /// A step that only makes sense where native messages are read.
    pub(super) fn only_reading(&mut self, span: Span, step: &str) {
        if self.writing.is_some() {
            let message = format!("`{step}` says what a native message means, and cannot stand in a `to`");
            self.fault(Fault::new(span, message));
        }
    }

    /// A step that only makes sense where native messages are written.
    pub(super) fn only_writing(&mut self, span: Span, step: &str) {
        if self.writing.is_none() {
            self.fault(Fault::new(span, format!("`{step}` stands only in a `to`")));
        }
    }

    /// A register lives as long as what it belongs to, and a command that is written belongs to no message.
    pub(super) fn register_here(&mut self, name: &Word, scope: RegisterScope) {
        match (self.writing.is_some(), scope == RegisterScope::Command) {
            (true, false) => {
                let message =
                    format!("the register `{}` is not known in a `to`: it must be `per command`", name.text);
                self.fault(Fault::new(name.span, message));
            }
            (false, true) => {
                let message =
                    format!("the register `{}` is `per command`, and known only in a `to`", name.text);
                self.fault(Fault::new(name.span, message));
            }
            _ => {}
        }
    }

    pub(super) fn send(
        &mut self,
        span: Span,
        value: Option<&Expr>,
        http: Option<&(Word, Expr)>,
        here: &Here<'s>,
    ) {
        self.only_writing(span, "send");
        if !self.lists.is_empty() {
            self.fault(Fault::new(span, "`send` cannot stand in a list that is being built"));
        }
        if let Some((method, path)) = http {
            self.method(method);
            self.takes(path, FieldKind::Text, "the path of `http`", here);
        }
        let mut accepted = match self.writing {
            Some(Writing::From) => {
                let commands = self.vocabulary.and_then(|vocabulary| vocabulary.definition("Command"));
                commands.map(Ty::of).unwrap_or_default()
            }
            _ => self.accepted(),
        };
        if accepted.is_empty() {
            let message = "the provider accepts nothing, so that nothing can be sent: name the definitions in `accepts`";
            self.fault(Fault::new(span, message));
            return;
        }
        if let Some((method, path)) = http {
            accepted = self.endpoint(accepted, method, path.span, &pattern(path));
        }
        if let Some(value) = value {
            self.built(value, &accepted, here);
        }
    }

    pub(super) fn add(&mut self, value: &Expr, merge: Option<&Merge>, here: &Here<'s>) {
        let Some(element) = self.lists.last().cloned() else {
            self.fault(Fault::new(value.span, "`add` stands only in `list { … }`"));
            return;
        };
        if let (Some(element), Some(merge)) = (&element, merge) {
            for word in [&merge.by, &merge.list] {
                if element.property(&word.text).is_none() {
                    self.fault(no_member(element, word));
                }
            }
        }
        match element {
            Some(element) => self.built(value, &element, here),
            None => {
                self.value(value, here);
            }
        }
    }

    pub(super) fn put(&mut self, key: &Expr, value: &Expr, here: &Here<'s>) {
        self.takes(key, FieldKind::Text, "a key", here);
        match self.lists.last().cloned() {
            None => self.fault(Fault::new(value.span, "`put` stands only in `map { … }`")),
            Some(Some(entry)) => self.built(value, &entry, here),
            Some(None) => {
                self.value(value, here);
            }
        }
    }

    /// `map { … }`, whose members have this type.
    pub(super) fn built_map(&mut self, span: Span, steps: &[Step], entry: Option<Ty<'s>>, here: &Here<'s>) {
        self.only_writing(span, "map { … }");
        self.lists.push(entry);
        self.steps(steps, here);
        self.lists.pop();
    }

    /// `list { … }`, whose elements have this type.
    pub(super) fn built_list(
        &mut self,
        span: Span,
        steps: &[Step],
        element: Option<Ty<'s>>,
        here: &Here<'s>,
    ) {
        self.only_writing(span, "list { … }");
        self.lists.push(element);
        self.steps(steps, here);
        self.lists.pop();
    }

    /// A value that is written where the schema has this type.
    fn built(&mut self, expr: &Expr, target: &Ty<'s>, here: &Here<'s>) {
        match &expr.kind {
            ExprKind::Absent => {}
            ExprKind::Needed(value) => self.built(value, target, here),
            ExprKind::Merge(one, other) => {
                self.built(one, target, here);
                if let Some(value) = self.value(other, here)
                    && !value.kinds.intersects(Kinds::OBJECT)
                {
                    let message =
                        format!("{} is of type {}, and `merge` takes objects", source(other), value.kinds);
                    self.fault(Fault::new(other.span, message));
                }
            }
            ExprKind::First(all) => all.iter().for_each(|one| self.built(one, target, here)),
            ExprKind::If(condition, then, otherwise) => {
                self.condition(condition, here);
                self.built(then, target, &here.guarded(condition, true));
                self.built(otherwise, target, &here.guarded(condition, false));
            }
            ExprKind::Object(members) if !target.is_any() => {
                self.built_object(expr.span, members, target, here)
            }
            ExprKind::List(elements) if !target.is_any() => match target.only(Kinds::ARRAY).element() {
                Some(element) => elements.iter().for_each(|one| self.built(one, &element, here)),
                None => self.wrong_kind(expr.span, "a list", target),
            },
            ExprKind::BuildMap(steps) => match target.only(Kinds::OBJECT).entry() {
                Some(entry) => {
                    let entry = (!entry.is_any()).then_some(entry);
                    self.built_map(expr.span, steps, entry, here);
                }
                None if target.is_any() => self.built_map(expr.span, steps, None, here),
                None => self.wrong_kind(expr.span, "a map", target),
            },
            ExprKind::Build(steps) => match target.only(Kinds::ARRAY).element() {
                Some(element) => {
                    let element = (!element.is_any()).then_some(element);
                    self.built_list(expr.span, steps, element, here);
                }
                None if target.is_any() => self.built_list(expr.span, steps, None, here),
                None => self.wrong_kind(expr.span, "a list", target),
            },
            _ => {
                if let Some(value) = self.value(expr, here) {
                    self.fits_target(expr, &value, target);
                }
            }
        }
    }

    fn wrong_kind(&mut self, span: Span, what: &str, target: &Ty<'s>) {
        self.fault(Fault::new(
            span,
            format!("{what} cannot stand here: the schema has {}", described(target)),
        ));
    }

    fn fits_target(&mut self, expr: &Expr, value: &Value, target: &Ty<'s>) {
        if target.is_any() || value.kinds.is_any() {
            return;
        }
        let allowed = target.kinds();
        let number = Kinds::NUMBER | Kinds::INTEGER;
        // A whole number is a number, and a number of the vocabulary may well be whole.
        let allowed = if allowed.intersects(number) { allowed | number } else { allowed };
        let what = source(expr);
        if value.kinds.intersects(Kinds::OBJECT) && !allowed.without(Kinds::OBJECT).intersects(value.kinds) {
            if target.entry().is_none() || !target.property_names().is_empty() {
                let message = format!(
                    "{what} is an object of the vocabulary, and the schema has {}: build it with `object {{ … }}`",
                    described(target)
                );
                self.fault(Fault::new(expr.span, message));
            }
            return;
        }
        if !value.kinds.without(allowed).is_empty() {
            let message =
                format!("{what} is of type {}, and the schema has {}", value.kinds, described(target));
            self.fault(Fault::new(expr.span, message));
            return;
        }
        let Some(known) = target.closed_texts().filter(|_| value.kinds.intersects(Kinds::STRING)) else {
            return;
        };
        match &value.texts {
            None => {
                let message =
                    format!("{what} can be any text, and the schema has {}: map it with `via`", list(&known));
                self.fault(Fault::new(expr.span, message));
            }
            Some(texts) => {
                for wrong in texts.iter().filter(|text| !known.contains(text)) {
                    let message = format!("`{wrong}` is not in the schema, which has {}", list(&known));
                    self.fault(
                        Fault::new(expr.span, message).suggest_near(wrong, known.iter().map(String::as_str)),
                    );
                }
            }
        }
    }

    fn built_object(&mut self, span: Span, members: &[(Word, Expr)], target: &Ty<'s>, here: &Here<'s>) {
        let shapes = target.shapes();
        if shapes.is_empty() {
            return self.wrong_kind(span, "an object", target);
        }
        let names: Vec<&str> = members.iter().map(|(name, _)| name.text.as_str()).collect();
        let mut fitting: Vec<&Ty<'s>> = shapes.iter().filter(|shape| has_constants(shape, members)).collect();
        if fitting.is_empty() {
            for (name, value) in members {
                if let ExprKind::Text(text) = &value.kind
                    && !shapes.iter().any(|shape| can_be(shape, &name.text, text))
                {
                    let known: Vec<String> = shapes
                        .iter()
                        .filter_map(|shape| shape.property(&name.text))
                        .flat_map(|member| member.known_texts())
                        .collect();
                    let message =
                        format!("`{}` never is `{text}`: the schema has {}", name.text, list(&known));
                    let fault = Fault::new(value.span, message);
                    self.fault(fault.suggest_near(text, known.iter().map(String::as_str)));
                    return;
                }
            }
            let message = format!("no shape of {} has all of these constants", described(target));
            self.fault(Fault::new(span, message));
            return;
        }
        // Of several shapes that the constants leave, those count that have all the members.
        let complete: Vec<&Ty<'s>> = fitting
            .iter()
            .copied()
            .filter(|shape| names.iter().all(|name| shape.property(name).is_some()))
            .collect();
        if !complete.is_empty() {
            fitting = complete;
        }
        for (name, value) in members {
            let mut member = Ty::default();
            for shape in &fitting {
                if let Some(ty) = shape.property(&name.text) {
                    member.join(ty);
                }
            }
            if member.is_empty() {
                self.fault(no_member(fitting[0], name));
            } else {
                self.built(value, &member, here);
            }
        }
        let lacking = |shape: &Ty<'s>| -> Vec<&'s str> {
            shape.required_names().into_iter().filter(|name| !names.contains(name)).collect()
        };
        let least = fitting.iter().map(|shape| lacking(shape)).min_by_key(Vec::len).unwrap_or_default();
        if !least.is_empty() {
            let message =
                format!("{} lacks what the schema requires: {}", described_one(fitting[0]), list(&least));
            self.fault(Fault::new(span, message));
        }
    }
}

/// A path's pattern without the names of what varies in it, and without its query.
fn nameless(path: &str) -> String {
    let path = path.split('?').next().unwrap_or_default();
    let segment = |segment: &str| if segment.starts_with('{') { "{}".to_owned() } else { segment.to_owned() };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// The pattern of a path that is put together: its constants, and `{}` for all else.
fn pattern(path: &Expr) -> String {
    match &path.kind {
        ExprKind::Text(text) => text.clone(),
        ExprKind::Concat(parts) => parts.iter().map(pattern).collect(),
        _ => "{}".to_owned(),
    }
}

/// Whether a member of this shape can be this text.
fn can_be(shape: &Ty<'_>, name: &str, text: &str) -> bool {
    let Some(member) = shape.property(name) else { return false };
    let known = member.closed_texts();
    member.kinds().intersects(Kinds::STRING) && known.is_none_or(|known| known.iter().any(|one| one == text))
}

fn has_constants(shape: &Ty<'_>, members: &[(Word, Expr)]) -> bool {
    members.iter().all(|(name, value)| match &value.kind {
        ExprKind::Text(text) => shape.property(&name.text).is_none() || can_be(shape, &name.text, text),
        _ => true,
    })
}

fn no_member(ty: &Ty<'_>, name: &Word) -> Fault {
    let known = ty.property_names();
    Fault::new(name.span, format!("{} has no `{}`", described_one(ty), name.text)).suggest(&name.text, known)
}

/// A type as a message names it.
fn described(ty: &Ty<'_>) -> String {
    let names = ty.names();
    if names.is_empty() { format!("{} there", ty.kinds()) } else { list(&names) }
}

fn described_one(ty: &Ty<'_>) -> String {
    ty.names().first().map_or_else(|| "the object".to_owned(), |name| format!("`{name}`"))
}
