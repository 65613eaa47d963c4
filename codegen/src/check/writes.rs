//! The way back: `to`, `from` and `cannot`, and the steps that stand only there. What such a rule reads is proven against
//! the vocabulary.

use std::collections::BTreeSet;

use interlingua_table::{ANSWERED_BY_OWNER, FieldKind, REQUEST, RegisterScope};

use super::built::no_member;
use super::reads::{Segment, Use};
use super::scope::Here;
use super::types::Ty;
use super::{Checker, Writing};
use crate::ast::{Cannot, Expr, ExprKind, Host, Merge, Rpc, RuleAction, Step, StepKind, Word, Write};
use crate::diagnostic::{Fault, list};
use crate::rpc;
use crate::sources::Span;

/// Where the command stands in what a rule knows when it writes one.
const COMMAND: &str = "command";

/// Where the signal stands in what a rule knows when it emits one.
const SIGNAL: &str = "signal";

/// Stands for all fields of a signal that is taken whole.
pub(super) const WHOLE: &str = "*";

/// Notes that a rule reads a field of its command.
pub(super) fn note_command_field(command: &str, fields: &mut BTreeSet<String>, place: &[Segment], what: Use) {
    if what == Use::Value && matches!(place, [Segment::Key(inside)] if inside == SIGNAL) {
        fields.insert(WHOLE.to_owned());
    }
    let field = match place {
        // The request to a language model is the whole of what is known.
        [Segment::Key(field), ..] if command == REQUEST => field,
        [Segment::Key(inside), Segment::Key(field), ..] if inside == COMMAND || inside == SIGNAL => field,
        _ => return,
    };
    fields.insert(field.clone());
}

impl<'s> Checker<'_, 's> {
    /// Notes that the rules for a command read what is open in the session.
    pub(super) fn note_open(&mut self, command: &str, place: &[Segment]) {
        let reads_open = match place {
            // All that is known, or all facts of the session.
            [] => true,
            [Segment::Key(only)] if only == "session" => true,
            [Segment::Key(first), ..] if first == "requests" => true,
            [Segment::Key(first), Segment::Key(second), ..] => first == "session" && second == "calls",
            _ => false,
        };
        if reads_open && command != REQUEST {
            self.open_readers.insert(command.to_owned());
        }
    }

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
            self.of_this_kind(write);
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
        if self.map.provider.target.is_some() {
            return self.signal(name, vocabulary);
        }
        if name.text == REQUEST {
            return named("ModelRequest").map(Here::message);
        }
        let commands = named("Command").unwrap_or_default().split(&[vec!["type".to_owned()]]);
        let is_for_agents = |name: &str| !ANSWERED_BY_OWNER.contains(&name);
        match commands.value(&name.text).filter(|_| is_for_agents(&name.text)) {
            Some(command) => {
                let context = Here::message(named("CommandContext")?);
                let command = context.inside(command.clone(), vec![Segment::Key(COMMAND.to_owned())]);
                Some(Here { root: 1, around: true, ..command })
            }
            None => {
                let names = commands.values.iter().map(|(name, _)| name.as_str());
                let known: Vec<&str> = names.filter(|name| is_for_agents(name)).chain([REQUEST]).collect();
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
        let mut message = self.heard(host.span);
        if let Some((method, path)) = &host.http {
            self.method(method);
            message = self.endpoint(message, method, path.span, &path.text);
        }
        let context = Here::message(Ty::of(context));
        let mut here = context.inside(message, vec![Segment::Key("message".to_owned())]);
        here.root = 1;
        here.around = true;
        if let Some(condition) = &host.condition {
            self.condition(condition, &here);
            here = here.guarded(condition, true);
        }
        if let Some(session) = &host.session {
            self.takes(session, FieldKind::Key, "the setting `session`", &here);
        }
        self.steps(&host.steps, &here);
    }

    /// What a `from` reads: what the provider accepts, or what the clients of a target send.
    fn heard(&mut self, span: Span) -> Ty<'s> {
        if self.map.provider.target.is_none() {
            return self.accepted();
        }
        if self.map.provider.receives.is_empty() {
            let message =
                "a `from` of a target needs the setting `receives`: the definitions of what clients send";
            self.fault(Fault::new(span, message));
            return Ty::any();
        }
        let mut heard = Ty::default();
        for name in &self.map.provider.receives {
            if let Some(ty) = self.schema.definition(&name.text) {
                heard.join(Ty::of(ty));
            }
        }
        heard
    }

    /// What the provider accepts.
    pub(super) fn accepted(&self) -> Ty<'s> {
        let mut accepted = Ty::default();
        if self.map.provider.target.is_some() && self.map.provider.accepts.is_empty() {
            return Ty::of(self.schema.root());
        }
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
        self.only_telling(span, "spawn");
        match &args.kind {
            ExprKind::Build(steps) => self.built_list(steps, None, here),
            ExprKind::Use(..) => {
                self.value(args, here);
            }
            _ => self.fault(Fault::new(args.span, "`spawn` takes the program and its arguments as a list")),
        }
        if let Some(cwd) = cwd {
            self.takes(cwd, FieldKind::Text, "`cwd`", here);
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
        if let Some(writing) = self.writing {
            let message =
                format!("`{step}` says what a native message means, and is not allowed in {writing}");
            self.fault(Fault::new(span, message));
        }
    }

    /// What only makes sense where a message or a command is put together.
    pub(super) fn only_writing(&mut self, span: Span, step: &str) {
        if self.writing.is_none() {
            let step = if step.contains(' ') { step.to_owned() } else { format!("`{step}`") };
            self.fault(Fault::new(span, format!("{step} is allowed only in a `to` or a `from`")));
        }
    }

    /// A step that only makes sense where a command is said to the agent.
    pub(super) fn only_telling(&mut self, span: Span, step: &str) {
        if !matches!(self.writing, Some(Writing::To(_))) {
            self.fault(Fault::new(span, format!("`{step}` is allowed only in a `to`")));
        }
    }

    /// `await`: an answer must be recognised by what it answers.
    pub(super) fn awaits(&mut self, span: Span) {
        self.only_telling(span, "await");
        if !matches!(self.writing, Some(Writing::To(_))) {
            return;
        }
        let named = self.map.provider.answers.as_ref().is_some_and(|(_, member)| member.is_some());
        if !named {
            let message = "`await` waits for an answer, and the provider has no setting `answered`";
            self.fault(
                Fault::new(span, message)
                    .help("name how answers are recognised: `asks`, `answers` and `answered`"),
            );
        }
    }

    /// In a rule that reads, a list only collects values.
    fn only_elements(&mut self, steps: &[Step]) {
        for step in steps {
            match &step.kind {
                StepKind::Set(name, ..) => {
                    let message = "a list in a rule that reads collects values, and cannot write a register";
                    self.fault(Fault::new(name.span, message));
                }
                StepKind::Add(_, Some(merge)) => self.only_writing(merge.by.span, "merge"),
                StepKind::Each { arms, .. } => {
                    let steps = arms.iter().filter_map(|arm| match &arm.action {
                        RuleAction::Steps(steps) => Some(steps),
                        RuleAction::Ignore(_) => None,
                    });
                    steps.for_each(|steps| self.only_elements(steps));
                }
                StepKind::When(arms) => {
                    arms.iter().for_each(|(_, steps)| self.only_elements(steps));
                }
                _ => {}
            }
        }
    }

    /// A register lives as long as what it belongs to, and a command that is written belongs to no message.
    pub(super) fn register_here(&mut self, name: &Word, scope: RegisterScope) {
        let message = match (self.writing, scope == RegisterScope::Command) {
            (Some(writing), false) => {
                format!("the register `{}` is not known in {writing}: it must be `per command`", name.text)
            }
            (None, true) => {
                format!("the register `{}` is `per command`, and known only in a `to` or a `from`", name.text)
            }
            _ => return,
        };
        self.fault(Fault::new(name.span, message));
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
            self.fault(Fault::new(span, "`send` is not allowed in a list that is being built"));
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

    /// A message of JSON-RPC.
    pub(super) fn rpc(&mut self, span: Span, what: &Rpc, value: Option<&Expr>, here: &Here<'s>) {
        let command = match self.writing {
            Some(Writing::To(number)) => self.map.writes[number].command.text.as_str(),
            _ => "",
        };
        match rpc::message(span, what, value, command, self.tells_jsonrpc()) {
            Ok(message) => self.send(span, Some(&message), None, here),
            Err(fault) => self.fault(fault),
        }
    }

    /// Whether messages name the protocol: `"jsonrpc": "2.0"`.
    pub(super) fn tells_jsonrpc(&self) -> bool {
        self.accepted().declares("jsonrpc")
    }

    pub(super) fn add(&mut self, value: &Expr, merge: Option<&Merge>, here: &Here<'s>) {
        let Some(element) = self.lists.last().cloned() else {
            self.fault(Fault::new(value.span, "an element is allowed only in a list"));
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
            None => self.fault(Fault::new(value.span, "a computed member is allowed only in an object")),
            Some(Some(entry)) => self.built(value, &entry, here),
            Some(None) => {
                self.value(value, here);
            }
        }
    }

    /// `map { … }`, whose members have this type.
    pub(super) fn built_map(&mut self, span: Span, steps: &[Step], entry: Option<Ty<'s>>, here: &Here<'s>) {
        self.only_writing(span, "an object with computed keys");
        self.lists.push(entry);
        self.steps(steps, here);
        self.lists.pop();
    }

    /// `list { … }`, whose elements have this type.
    pub(super) fn built_list(&mut self, steps: &[Step], element: Option<Ty<'s>>, here: &Here<'s>) {
        if self.writing.is_none() {
            self.only_elements(steps);
        }
        self.lists.push(element);
        self.steps(steps, here);
        self.lists.pop();
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
