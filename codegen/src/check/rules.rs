//! The provider's settings, the rules' heads, and what is dropped.

use interlingua_table::{FieldKind, Layer, TimeUnit};

use super::reads::{Segment, Use};
use super::scope::Here;
use super::types::Ty;
use super::values::time_kinds;
use super::{Checker, Dropped};
use crate::ast::{Drop, Expr, ExprKind, Path, Reason, Rule, RuleAction};
use crate::diagnostic::Fault;
use crate::lower::rule_names;
use crate::schema::Kinds;
use crate::sources::Span;

impl<'s> Checker<'_, 's> {
    /// Goes through the whole map once.
    pub(super) fn rules(&mut self) {
        self.rule = None;
        self.settings();
        for (number, rule) in self.map.rules.iter().enumerate() {
            self.rule = Some(number);
            self.rule(rule);
        }
        let names = rule_names(self.map);
        for dropped in &self.map.drops {
            self.reason(&dropped.reason, dropped.span, "drop");
            if dropped.rules.is_empty() {
                self.rule = None;
                let message = Here::message(self.messages.all.clone());
                let here = self.body().map_or(message.clone(), |body| self.inside_body(&message, &body));
                self.dropped(dropped, &here);
            }
            for name in &dropped.rules {
                match names.iter().position(|known| *known == name.text) {
                    Some(number) => {
                        self.rule = Some(number);
                        let rule = &self.map.rules[number];
                        let here = self.start_of(rule, false);
                        self.dropped(dropped, &here);
                    }
                    None => {
                        let fault = Fault::new(name.span, format!("there is no rule `{}`", name.text));
                        self.fault(fault.suggest_near(&name.text, names.iter().copied()));
                    }
                }
            }
        }
        self.rule = None;
    }

    /// What is dropped of messages of a type.
    fn dropped(&mut self, dropped: &Drop, here: &Here<'s>) {
        for path in &dropped.paths {
            self.path_type(path, here);
            let place = here.place(path);
            self.dropped_places.push(Dropped { rule: self.rule, path: path.clone(), place });
            self.note(here.place(path), Use::Left(dropped.reason.text()));
        }
    }

    /// `asks` and `answers`: what either side sends.
    fn pairing(&mut self) {
        let provider = &self.map.provider;
        let mut either = self.messages.all.clone();
        either.join(self.accepted());
        let here = Here::message(either);
        // They are no part of a rule, and say nothing of what becomes of a field.
        self.writing = Some(super::Writing::Pairing);
        if let Some(asks) = &provider.asks {
            self.takes(asks, FieldKind::Key, "`asks`", &here);
        }
        if let Some((answers, member)) = &provider.answers {
            self.takes(answers, FieldKind::Key, "`answers`", &here);
            if let Some(member) = member
                && self.messages.all.property(&member.text).is_none()
            {
                let known = self.messages.all.property_names();
                let message = format!(
                    "no message has the member `{}`: say in an addition to the schema what stands there",
                    member.text
                );
                self.fault(Fault::new(member.span, message).suggest(&member.text, known));
            }
        }
        self.writing = None;
    }

    fn settings(&mut self) {
        self.pairing();
        let provider = &self.map.provider;
        let message = Here::message(self.messages.all.clone());
        for path in &provider.tag {
            if let Some((_, kinds)) = self.path(path, &message)
                && !kinds.intersects(Kinds::STRING)
            {
                self.fault(Fault::new(
                    path.span,
                    format!("`{path}` is of type {kinds}, and a tag is a string"),
                ));
            }
        }
        for (_, paths) in &provider.further_tags {
            for path in paths {
                self.note(message.place(path), Use::Value);
            }
        }
        for path in provider.session.iter().chain(&provider.turn).chain(&provider.agent) {
            let expr = Expr { span: path.span, kind: ExprKind::Path(path.clone()) };
            self.takes(&expr, FieldKind::Key, "this setting", &message);
        }
        if provider.layer == Layer::Model {
            let settings =
                [("session", &provider.session), ("turn", &provider.turn), ("agent", &provider.agent)];
            let given = settings.into_iter().filter_map(|(name, paths)| Some((name, paths.first()?.span)));
            let time = provider.time.first().map(|(path, _)| ("time", path.span));
            for (name, span) in given.chain(time) {
                self.fault(Fault::new(span, format!("`{name}` is a setting of maps of agents")));
            }
        }
        for (path, unit) in &provider.time {
            self.time(path, *unit, &message);
        }
    }

    fn time(&mut self, path: &Path, unit: TimeUnit, here: &Here<'s>) {
        let (allowed, wanted) = time_kinds(unit);
        if let Some((_, kinds)) = self.path(path, here)
            && !kinds.intersects(allowed)
        {
            self.fault(Fault::new(
                path.span,
                format!("`{path}` is of type {kinds}, and this unit takes {wanted}"),
            ));
        }
    }

    /// What the paths of a rule start from: the message, or its member that the setting `body` names.
    fn start_of(&mut self, rule: &Rule, tells: bool) -> Here<'s> {
        let message = Here::message(self.taken_by(rule, tells));
        match self.body() {
            Some(body) if self.has_body(rule) => self.inside_body(&message, &body),
            _ => message,
        }
    }

    /// A `drop` is about messages whose rules do not read the field. One of a field that all its rules read says nothing,
    /// and would hide it if a rule came to read less.
    pub(super) fn dropped_and_read(&mut self) {
        for Dropped { rule, path, place } in std::mem::take(&mut self.dropped_places) {
            let read_by = |number: usize, checker: &Self| {
                let read = checker.read_places.iter().find(|read| read.0 == number && read.1 == place);
                read.map(|(_, _, span)| *span)
            };
            let rules: Vec<usize> = match rule {
                Some(rule) => vec![rule],
                None => (0..self.map.rules.len()).filter(|number| self.takes_field(*number, &path)).collect(),
            };
            let reads: Vec<Option<Span>> = rules.iter().map(|number| read_by(*number, self)).collect();
            let (Some(Some(read)), true) = (reads.first(), reads.iter().all(Option::is_some)) else {
                continue;
            };
            let place = self.map.sources.line_from(*read, path.span);
            let message =
                format!("`{path}` is dropped, and each rule that could leave it out reads it, as in {place}");
            self.fault(Fault::new(path.span, message).help("take it out of the `drop`"));
        }
    }

    /// Whether a rule gives something, and the schema knows this field in its messages.
    fn takes_field(&mut self, number: usize, path: &Path) -> bool {
        let rule = &self.map.rules[number];
        if matches!(rule.action, RuleAction::Ignore(_)) {
            return false;
        }
        let here = self.start_of(rule, false);
        let faults = self.faults.len();
        let found = self.path_type(path, &here).is_some();
        self.faults.truncate(faults);
        found
    }

    /// The keys of the setting `body`.
    fn body(&self) -> Option<Vec<String>> {
        self.map.provider.body.as_ref().and_then(super::messages::keys)
    }

    fn inside_body(&self, message: &Here<'s>, body: &[String]) -> Here<'s> {
        let inside = body.iter().try_fold(message.scopes[0].ty.clone(), |ty, key| ty.property(key));
        let place = body.iter().cloned().map(Segment::Key).collect();
        message.inside(inside.unwrap_or_else(Ty::any), place)
    }

    /// Whether the messages that a rule takes have the member that the setting `body` names.
    pub(super) fn has_body(&self, rule: &Rule) -> bool {
        let Some(first) = self.body().and_then(|body| body.into_iter().next()) else { return false };
        let mut routes =
            rule.patterns.iter().flat_map(|one| one.routes().into_iter().map(move |route| (one, route)));
        routes
            .any(|(pattern, route)| self.messages.route(&route, pattern).is_ok_and(|ty| ty.declares(&first)))
    }

    /// The messages that a rule takes. What is wrong with its patterns is told once, where the rule itself is checked.
    fn taken_by(&mut self, rule: &Rule, tells: bool) -> Ty<'s> {
        let mut ty = Ty::default();
        for pattern in &rule.patterns {
            for route in pattern.routes() {
                match self.messages.route(&route, pattern) {
                    Ok(more) => ty.join(more),
                    Err(fault) => {
                        if tells {
                            self.fault(fault);
                        }
                        ty.join(Ty::any());
                    }
                }
            }
        }
        ty
    }

    fn rule(&mut self, rule: &Rule) {
        let mut here = self.start_of(rule, true);
        if let Some(condition) = &rule.condition {
            self.condition(condition, &here);
            here = here.guarded(condition, true);
        }
        self.context(rule, &here);
        match &rule.action {
            RuleAction::Steps(steps) => self.steps(steps, &here),
            RuleAction::Ignore(reason) => self.reason(reason, rule.span, "ignore"),
        }
    }

    /// The settings of a rule.
    fn context(&mut self, rule: &Rule, here: &Here<'s>) {
        const KNOWN: [&str; 4] = ["session", "turn", "agent", "time"];
        let mut given: Vec<&str> = Vec::new();
        if let (Layer::Model, Some(field)) = (self.map.provider.layer, rule.context.first()) {
            self.fault(Fault::new(
                field.name.span,
                "the settings of a rule are allowed only in maps of agents",
            ));
        }
        for field in &rule.context {
            let name = field.name.text.as_str();
            if !KNOWN.contains(&name) {
                let fault = Fault::new(field.name.span, format!("unknown setting `{name}` of a rule"));
                self.fault(fault.suggest(name, KNOWN));
                continue;
            }
            if given.contains(&name) {
                self.fault(Fault::new(field.name.span, format!("the setting `{name}` is given twice")));
            }
            given.push(name);
            let value = field.expr();
            if name == "time" {
                self.is_time(&value);
            }
            self.takes(&value, FieldKind::Key, &format!("the setting `{name}`"), here);
        }
    }

    fn is_time(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Time(..) | ExprKind::Absent => {}
            ExprKind::First(all) => all.iter().for_each(|one| self.is_time(one)),
            ExprKind::If(_, then, otherwise) => {
                self.is_time(then);
                self.is_time(otherwise);
            }
            _ => self.fault(Fault::new(
                expr.span,
                "a time needs its unit: `seconds(path)`, `milliseconds(path)` or `rfc3339(path)`",
            )),
        }
    }

    /// An `ignore` and a `drop` have a reason.
    pub(super) fn reason(&mut self, reason: &Reason, span: Span, what: &str) {
        let fault = match &reason.0 {
            None => Fault::new(span, format!("`{what}` without a reason: say why with `because \"…\"`")),
            Some(text) if text.text.trim().is_empty() => {
                Fault::new(text.span, format!("`{what}` without a reason: the text after `because` is empty"))
            }
            Some(_) => return,
        };
        self.fault(fault);
    }
}
