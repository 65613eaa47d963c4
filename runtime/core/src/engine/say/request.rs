//! The terms about requests.

use interlingua_table::{Field, Verb};

use super::run::Run;
use crate::engine::life::refs::{AgentRef, TurnRef};
use crate::engine::life::request::{NewRequest, Settlement};
use crate::engine::life::state::State;
use crate::engine::life::store::items::Located;
use crate::engine::read::fields::Fields;
use crate::engine::read::list::{json_or_null, names};
use crate::engine::read::scope::Scope;
use crate::engine::read::term::Term;
use crate::engine::read::walk::Walking;
use crate::vocabulary::{
    CallId, ContentBlock, HostCallKind, HostCallOutcome, HostCallRequested, ItemId, Origin, PermissionAction,
    PermissionId, PermissionOption, PermissionOutcome, PermissionRequested, Question, QuestionId,
    QuestionOption, QuestionOutcome, QuestionRequested, RequestId, ToolKind,
};

impl Run<'_, '_> {
    pub(crate) fn permission_requested(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let name = self.string(term, Field::Name, scope).or_else(|| self.name_of_call(term, scope));
        // A request must never be lost: the agent waits for its answer.
        let Some(name) = name.or_else(|| self.string(term, Field::Kind, scope)) else {
            return self.lacks(term, Field::Name, scope);
        };
        let mut action = PermissionAction::new(name);
        action.tool_kind = self.text(term, Field::Kind, scope).map(|kind| ToolKind::from(&*kind));
        action.arguments = self.get(term, Field::Arguments, scope).map(|args| args.arguments().text().into());
        action.paths = self.get(term, Field::Paths, scope).map(names).unwrap_or_default();
        action.reason = self.string(term, Field::Reason, scope);
        let mut options = Vec::new();
        self.walk(term.body, scope, &mut |inner, scope| {
            let outcome = self.word(inner, Field::Outcome, scope, PermissionOutcome::from_word);
            if let (Verb::PermissionOption, Some(id), Some(outcome)) =
                (inner.verb, self.string(inner, Field::Id, scope), outcome)
            {
                options.push(PermissionOption {
                    id,
                    label: self.string(inner, Field::Label, scope),
                    outcome,
                    native: json_or_null(self.json_text(inner, Field::Native, scope).as_deref()),
                });
            }
            true
        });
        self.ask(term, scope, |call_id, item_id| {
            NewRequest::Permission(PermissionRequested {
                permission_id: PermissionId::from(""),
                call_id,
                item_id,
                action,
                options,
            })
        });
    }

    /// The name of the open call that a permission is about.
    fn name_of_call(&mut self, term: &Term, scope: &Scope<'_, '_>) -> Option<String> {
        let call = self.text(term, Field::Call, scope).or_else(|| self.text(term, Field::Item, scope))?;
        let number = self.session(false)?;
        let items = &self.state.sessions[number].items;
        let Located::Open(serial) = items.locate_call(&call) else { return None };
        match items.get(serial)?.content.block(0)? {
            ContentBlock::ToolCall(call) if !call.name.is_empty() => Some(call.name.clone()),
            _ => None,
        }
    }

    pub(crate) fn question_requested(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let mut questions = Vec::new();
        self.walk(term.body, scope, &mut |inner, scope| {
            if let (Verb::Question, Some(text)) = (inner.verb, self.string(inner, Field::Text, scope)) {
                questions.push(self.question(inner, text, scope));
            }
            true
        });
        let native = self.json(term, Field::Native, scope);
        self.ask(term, scope, |call_id, item_id| {
            NewRequest::Question(QuestionRequested {
                question_id: QuestionId::from(""),
                call_id,
                item_id,
                questions,
                native,
            })
        });
    }

    fn question(&self, term: &Term, text: String, scope: &Scope<'_, '_>) -> Question {
        let mut options = Vec::new();
        self.walk(term.body, scope, &mut |inner, scope| {
            if let (Verb::QuestionOption, Some(label)) = (inner.verb, self.string(inner, Field::Label, scope))
            {
                let description = self.string(inner, Field::Description, scope);
                options.push(QuestionOption { label, description });
            }
            true
        });
        Question {
            id: self.string(term, Field::Id, scope),
            text,
            header: self.string(term, Field::Header, scope),
            options,
            multi_select: self.flag(term, Field::MultiSelect, scope),
            free_text: self.flag(term, Field::FreeText, scope),
            secret: self.flag(term, Field::Secret, scope),
            schema: self.json(term, Field::Schema, scope),
            url: self.string(term, Field::Url, scope),
        }
    }

    pub(crate) fn host_call_requested(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let Some(kind) = self.word(term, Field::RequestKind, scope, HostCallKind::from_word) else {
            return self.lacks(term, Field::RequestKind, scope);
        };
        let payload = json_or_null(self.json_text(term, Field::Payload, scope).as_deref());
        self.ask(term, scope, |call_id, _| {
            NewRequest::HostCall(HostCallRequested {
                request_id: RequestId::from(""),
                kind,
                call_id,
                payload,
            })
        });
    }

    /// What all requests share: id, call, item, turn and agent.
    fn ask(
        &mut self,
        term: &Term,
        scope: &Scope<'_, '_>,
        asked: impl FnOnce(Option<CallId>, Option<ItemId>) -> NewRequest,
    ) {
        let Some(key) = self.json_text(term, Field::Id, scope) else {
            return self.lacks(term, Field::Id, scope);
        };
        let Some(number) = self.session(true) else {
            return;
        };
        let call = self.string(term, Field::Call, scope);
        let named = self.string(term, Field::Item, scope);
        let held = self.flag(term, Field::Held, scope);
        let agent = self.agent(number);
        let turn = self.turn_of_request(number, call.as_deref(), &agent);
        let State { sessions, out, .. } = &mut *self.state;
        let session = &mut sessions[number];
        let items = &session.items;
        let item = named.or_else(|| call.clone()).and_then(|name| items.started_id(&name));
        let asked = asked(call.map(CallId::from), item);
        session.ask(out, &key, asked, held, turn, agent);
    }

    /// The turn of a request: that of its call, the one it names, or the newest open one. It
    /// must be open, for its end settles the request.
    fn turn_of_request(&mut self, number: usize, call: Option<&str>, agent: &AgentRef) -> Option<TurnRef> {
        let (state, name) = self.state_and_turn();
        let State { sessions, out, .. } = state;
        let session = &mut sessions[number];
        let of_call = call.and_then(|call| session.turn_of_call(call));
        let of_agent = || agent.as_ref().and_then(|agent| agent.turn.clone());
        let turn = match of_call.or_else(of_agent) {
            Some(turn) => Some(turn),
            None => match name {
                Some(name) if session.turns.ended_id(name).is_none() => {
                    Some(session.turn_for(out, Some(name)))
                }
                Some(name) => session.turns.named(name),
                None => session.turns.newest(),
            },
        };
        turn.filter(|turn| session.turns.is_open(turn))
    }

    /// The id and the call by which a settlement finds its request.
    fn settles(&self, term: &Term, scope: &Scope<'_, '_>) -> (Option<String>, Option<String>) {
        (self.json_text(term, Field::Id, scope).map(Into::into), self.string(term, Field::Call, scope))
    }

    fn settle(&mut self, term: &Term, scope: &Scope<'_, '_>, answer: Settlement) {
        let (key, call) = self.settles(term, scope);
        if let Some(session) = self.session(false) {
            self.with_session(session, |session, out| {
                session.answer(out, key.as_deref(), call.as_deref(), answer, Origin::Agent);
            });
        }
    }

    pub(crate) fn permission_resolved(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let Some(outcome) = self.word(term, Field::Outcome, scope, PermissionOutcome::from_word) else {
            return self.lacks(term, Field::Outcome, scope);
        };
        let message = self.string(term, Field::Message, scope);
        let updated_input = self.json(term, Field::UpdatedInput, scope);
        self.settle(term, scope, Settlement::Permission { outcome, message, updated_input });
    }

    pub(crate) fn question_resolved(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let Some(outcome) = self.word(term, Field::Outcome, scope, QuestionOutcome::from_word) else {
            return self.lacks(term, Field::Outcome, scope);
        };
        let mut answers = Vec::new();
        self.walk(term.body, scope, &mut |inner, scope| {
            if inner.verb == Verb::Answer {
                answers.push(self.list(inner, Field::Answer, scope));
            }
            true
        });
        let answers = (!answers.is_empty()).then_some(answers);
        let content = self.json(term, Field::Content, scope);
        let message = self.string(term, Field::Message, scope);
        self.settle(term, scope, Settlement::Question { outcome, answers, content, message });
    }

    pub(crate) fn host_call_resolved(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let Some(outcome) = self.word(term, Field::Outcome, scope, HostCallOutcome::from_word) else {
            return self.lacks(term, Field::Outcome, scope);
        };
        let payload = self.json(term, Field::Payload, scope);
        self.settle(term, scope, Settlement::HostCall { outcome, payload });
    }
}
