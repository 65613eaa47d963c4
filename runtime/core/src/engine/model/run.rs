//! One message under translation: the steps of its rule.

use std::cell::RefCell;

use interlingua_table::{Action, BlockKind, Expr, Field, ItemKind, Rule, Verb};

use super::Stats;
use super::answer::Answer;
use super::call::CallSaid;
use super::text::TextSaid;
use super::tree::{Growth, Tree};
use crate::engine::memory::registers::Bank;
use crate::engine::memory::registers::Stored;
use crate::engine::piece::{PartKey, TextUpdate};
use crate::engine::read::eval::{Reading, Val};
use crate::engine::read::fields::Fields;
use crate::engine::read::list::each_of;
use crate::engine::read::program::Program;
use crate::engine::read::scope::Scope;
use crate::engine::read::term::Term;
use crate::engine::read::walk::{Arms, Elements, Setting, Walking};
use crate::json::Value;
use crate::vocabulary::{ContentBlock, ErrorClass, FinishError, FinishReason, Json, ToolResult, Visibility};

/// What became of a message.
pub(super) enum Outcome {
    Translated,
    Ignored,
}

/// The translation of one message by one rule.
pub(super) struct Run<'s, 'v> {
    program: &'s Program,
    answer: &'s mut Answer,
    registers: &'s mut Bank,
    stats: &'s mut Stats,
    line: u64,
    message: Scope<'v, 's>,
    /// Parts of the message that no rule takes: why, where and what.
    lost: RefCell<Vec<(String, String)>>,
    /// Registers that steps within a term write.
    later: RefCell<Vec<Setting>>,
    /// A required field that was absent, and where.
    missing: Option<String>,
}

impl<'s, 'v> Run<'s, 'v> {
    pub(super) fn new(
        program: &'s Program,
        answer: &'s mut Answer,
        registers: &'s mut Bank,
        stats: &'s mut Stats,
        line: u64,
        message: Scope<'v, 's>,
    ) -> Self {
        Self {
            program,
            answer,
            registers,
            stats,
            line,
            message,
            lost: RefCell::new(Vec::new()),
            later: RefCell::new(Vec::new()),
            missing: None,
        }
    }

    /// Whether the rule's condition holds.
    pub(super) fn takes(&self, rule: &'static Rule) -> bool {
        rule.condition.as_ref().is_none_or(|condition| self.holds(condition, &self.message))
    }

    /// Applies the rule's steps; an error if they need something that the message lacks, and give nothing else.
    pub(super) fn translate(&mut self, rule: &'static Rule) -> Result<(), String> {
        let before = self.answer.said;
        let message = self.message;
        self.apply(rule.actions, &message);
        let gave_nothing = self.answer.said == before;
        let lost = self.lost.take();
        if let (true, Some((error, _))) = (gave_nothing, lost.first()) {
            return Err(error.clone());
        }
        for (error, json) in &lost {
            self.stats.problem(self.line, error, json.as_bytes());
        }
        match self.missing.take() {
            Some(missing) if gave_nothing => Err(missing),
            _ => Ok(()),
        }
    }

    /// Applies steps. They nest as deep as the map writes them, not as messages do.
    fn apply(&mut self, actions: &'static [Action], scope: &Scope<'_, '_>) {
        for action in actions {
            match action {
                Action::Emit { verb, item, block, fields, body, .. } => {
                    self.term(&Term::new((*verb, *item, *block), fields, body), scope);
                    for set in self.later.take() {
                        self.set(set);
                    }
                }
                Action::Each { over, arms } => self.apply_each(self.each(over, arms, scope), scope),
                Action::One { over, arms } => self.apply_each(self.one(over, arms, scope), scope),
                Action::When { arms } => {
                    if let Some(steps) = self.branch(arms, scope) {
                        self.apply(steps, scope);
                    }
                }
                Action::Set { register, key, value } => {
                    if let Some(set) = self.setting(*register, key.as_ref(), value, scope) {
                        self.set(set);
                    }
                }
                // The compiler has these only in maps of agents.
                Action::In { body, .. } => self.apply(body, scope),
                Action::Once { .. } => {}
                Action::Candidate { number } => {
                    let number = self.eval(number, scope).and_then(|value| value.whole()).unwrap_or(0);
                    if !self.answer.is_about(number) {
                        return;
                    }
                }
                // Only rules that write have these.
                Action::Add { .. }
                | Action::Send { .. }
                | Action::Degrade { .. }
                | Action::Put { .. }
                | Action::HangUp
                | Action::Await
                | Action::Spawn { .. }
                | Action::Tell { .. } => {}
            }
        }
    }

    fn set(&mut self, set: Setting) {
        self.registers.set(set.register, set.key.as_deref(), set.value);
    }

    fn apply_each<'x>(&mut self, mut elements: Elements<'x>, scope: &Scope<'x, '_>) {
        while let Some((element, arm)) = elements.next(self, scope) {
            self.apply(arm.actions, &element);
        }
    }

    fn term(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        match (term.verb, term.item) {
            (Verb::Open, ItemKind::Message) => {
                let (id, model) =
                    (self.string(term, Field::Id, scope), self.string(term, Field::Model, scope));
                let begins = self.flag(term, Field::Begins, scope);
                self.answer.name(id, model, begins);
                let annotations = self.annotations(term, scope);
                if !annotations.is_empty() {
                    self.answer.annotations = annotations;
                }
                self.apply(term.body, scope);
            }
            (Verb::Open, ItemKind::ToolCall) => self.call(term, scope),
            (Verb::Part, _) => self.part(term, scope),
            (Verb::Arguments, _) => self.arguments(term, scope),
            (Verb::Seal, _) => {
                let at = self.at(term, scope);
                self.answer.seal(at.as_ref());
            }
            (Verb::Result, _) => self.result(term, scope),
            // The counts are those of all candidates together.
            (Verb::Usage, _) if self.answer.candidate > 0 => {}
            (Verb::Usage, _) => {
                let usage = self.usage(term, scope);
                self.answer.use_up(usage);
            }
            (Verb::Error, _) => self.error(term, scope),
            (Verb::Finish, _) => self.finish(term, scope),
            (Verb::End, _) => self.answer.conclude(),
            (Verb::Replay, _) => {
                self.replay(term, scope);
            }
            // Only maps of agents have the others.
            _ => {}
        }
    }

    fn at<'x>(&self, term: &Term, scope: &Scope<'x, '_>) -> Option<PartKey<'x>> {
        self.place(term, Field::At, scope)
    }

    fn replay(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let tree = |json: std::borrow::Cow<'_, str>| Tree::parse(&json);
        let value = self.json_text(term, Field::Replay, scope).and_then(tree);
        let more = self.json_text(term, Field::Add, scope).and_then(tree);
        if value.is_none() && more.is_none() {
            return;
        }
        let growth = self.growth(term, scope);
        let at = self.at(term, scope);
        let of_answer = self.flag(term, Field::OfAnswer, scope);
        if let Some(state) = self.answer.replay(at.as_ref(), of_answer) {
            if let Some(value) = value {
                state.replace_members(value);
            }
            if let Some(more) = more {
                state.grow(more, &growth);
            }
        }
    }

    /// How an addition continues the existing value.
    fn growth(&self, term: &Term, scope: &Scope<'_, '_>) -> Growth {
        let texts = self.json_text(term, Field::Grows, scope);
        Growth {
            texts: texts.and_then(|texts| serde_json::from_str(&texts).ok()),
            by: self.string(term, Field::By, scope),
        }
    }

    fn part(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let at = self.at(term, scope);
        if !matches!(term.block, BlockKind::Text | BlockKind::Reasoning) {
            let begins = self.flag(term, Field::Begins, scope);
            let more = self.json_text(term, Field::Add, scope);
            match self.block(term, scope) {
                Some(block) => self.answer.put_block(at.clone(), block, begins),
                None if more.is_none() => self.lacks("a part has no value", scope),
                None => {}
            }
            if let Some(more) = more {
                let growth = self.growth(term, scope);
                self.answer.add_to_block(at, &more, &growth);
            }
            return;
        }
        let said = TextSaid {
            is_reasoning: term.block == BlockKind::Reasoning,
            adjacent: self.flag(term, Field::Adjacent, scope),
            begins: self.flag(term, Field::Begins, scope),
            is_next: self.flag(term, Field::Next, scope),
            text: self.said(term, scope),
            annotations: self.annotations(term, scope),
            visibility: self.word(term, Field::Visibility, scope, Visibility::from_word),
            signature: self.string(term, Field::Signature, scope),
        };
        self.answer.put_text(at, said);
    }

    fn call(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let block = self.call_block(term, scope);
        let arguments = self.get(term, Field::Arguments, scope);
        let said = CallSaid {
            at: self.at(term, scope),
            id: Some(block.call_id.as_str()).filter(|id| !id.is_empty()),
            is_next: self.flag(term, Field::Next, scope),
            adjacent: self.flag(term, Field::Adjacent, scope),
            begins: self.flag(term, Field::Begins, scope),
            block: &block,
            arguments: arguments.map(|arguments| arguments.arguments().text().into_owned()),
            piece: self.said(term, scope),
        };
        self.answer.open_call(said);
    }

    fn arguments(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        if let Some(path) = self.text(term, Field::ArgumentPath, scope) {
            let value = self.json_text(term, Field::Value, scope).and_then(|value| Tree::parse(&value));
            let delta = self.json_text(term, Field::Delta, scope).and_then(|delta| Tree::parse(&delta));
            let (at, call) = (self.at(term, scope), self.text(term, Field::Call, scope));
            match delta.or(value) {
                Some(value) => self.answer.put_argument(at, call.as_deref(), &path, value),
                None => self.lacks("an argument has no value", scope),
            }
            return;
        }
        let said = match self.get(term, Field::Whole, scope) {
            Some(whole) => TextUpdate::Whole(whole.arguments()),
            None => self.said(term, scope),
        };
        let at = self.at(term, scope);
        let call = self.text(term, Field::Call, scope);
        self.answer.put_arguments(at, call.as_deref(), said);
    }

    fn result(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let Some(call) = self.text(term, Field::Call, scope) else {
            return self.lacks("`call` of a result is absent", scope);
        };
        let mut content = Vec::new();
        self.walk(term.body, scope, &mut |term, scope| {
            if term.verb == Verb::Part {
                content.extend(self.block(term, scope));
            }
            true
        });
        let mut result = ToolResult::new(&*call, content);
        result.is_error = self.truth(term, Field::IsError, scope).unwrap_or(false);
        result.exit_code = self.whole(term, Field::ExitCode, scope);
        result.duration_ms = self.count(term, Field::DurationMs, scope);
        let at = self.at(term, scope);
        let begins = self.flag(term, Field::Begins, scope);
        self.answer.put_block(at, ContentBlock::ToolResult(result), begins);
    }

    fn error(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let code = self.string(term, Field::Code, scope);
        let message = self.string(term, Field::Message, scope);
        let Some(message) = message.or_else(|| code.clone()) else {
            return self.lacks("`message` of an error is absent", scope);
        };
        let class = self.word(term, Field::Class, scope, ErrorClass::from_word);
        let details = self.json_text(term, Field::Details, scope);
        let details = details.and_then(|details| Some(Tree::parse(&details)?.without_nulls().json()));
        let details = details.filter(|details| details != "{}").map(Json::checked);
        self.answer.fail(FinishError { message, code, class, details });
    }

    fn finish(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let known = self.text(term, Field::FinishReason, scope);
        let known = known.and_then(|word| FinishReason::from_tag(&word).ok());
        let reason = known.or_else(|| unknown_reason(&self.text(term, Field::NativeReason, scope)?));
        if let Some(reason) = reason {
            self.answer.stop(reason, self.flag(term, Field::Calls, scope));
        }
        if let Some(details) = self.json_text(term, Field::Details, scope) {
            self.answer.detail(&details);
        }
        let probabilities = self.get(term, Field::LogProbabilities, scope);
        if let (Some(all), Some(probabilities)) = (&mut self.answer.log_probabilities, probabilities) {
            all.extend(each_of(probabilities, |value| Some(value.raw().to_owned())));
        }
    }

    /// Notes that something which a term needs is absent, for the case that the message gives nothing.
    fn lacks(&mut self, what: &str, scope: &Scope<'_, '_>) {
        let location = scope.location(self.program.table.keys);
        self.missing.get_or_insert_with(|| match location.is_empty() {
            true => what.to_owned(),
            false => format!("{what} at `{location}`"),
        });
    }
}

/// A reason that the vocabulary does not know, in the provider's word. A word that means something else here is told as a
/// failure, so that it is not taken for what it is not.
fn unknown_reason(word: &str) -> Option<FinishReason> {
    if word.is_empty() {
        return None;
    }
    Some(match FinishReason::TAGS.contains(&word) {
        true => FinishReason::Error(FinishError::new(word)),
        false => FinishReason::from_tag(word).unwrap_or_else(|_| FinishReason::error(word)),
    })
}

impl Reading for Run<'_, '_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn register(&self, number: u16) -> Option<Stored> {
        self.registers.get(number, None).cloned()
    }

    fn recall(&self, number: u16, key: &str) -> Option<Stored> {
        self.registers.get(number, Some(key)).cloned()
    }

    fn build<'v>(&self, steps: &'static [Action], scope: &Scope<'v, '_>) -> Option<Val<'v>> {
        self.collect(steps, scope)
    }
}

impl Walking for Run<'_, '_> {
    fn set_later(&self, set: Setting) {
        self.later.borrow_mut().push(set);
    }
}

impl Arms for Run<'_, '_> {
    fn lose(&self, error: &str, scope: &Scope<'_, '_>) {
        let error = format!("{error} at `{}`", scope.location(self.program.table.keys));
        self.lost.borrow_mut().push((error, scope.here.raw().to_owned()));
    }
}

impl Fields for Run<'_, '_> {
    fn lose_text(&self, expr: &Expr, value: Value<'_>, scope: &Scope<'_, '_>) {
        let keys = self.program.table.keys;
        let location = match expr {
            Expr::Path(path) => scope.locate(path, keys),
            _ => scope.location(keys),
        };
        self.lost.borrow_mut().push((format!("this is not a text at `{location}`"), value.raw().to_owned()));
    }
}
