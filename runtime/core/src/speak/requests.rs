//! Permissions and questions. Each belongs to an announced call, be it one that stands for it alone.

use super::calls::is_whole;
use super::signals::{At, Signals};
use super::state::{Call, Key, Open};
use crate::vocabulary::{
    CallId, CallState, ItemId, ItemKind, ItemRole, ItemStatus, OfCall, PermissionOutcome,
    PermissionRequested, PermissionResolved, QuestionOutcome, QuestionRequested, QuestionResolved, Signal,
    ToolKind,
};

impl Signals {
    pub(super) fn permission_requested(&mut self, at: &At, request: &PermissionRequested) {
        let action = &request.action;
        let id = request.permission_id.to_string();
        let stand_in = || CallState {
            name: action.name.clone(),
            tool_kind: action.tool_kind.clone(),
            arguments: action.arguments.clone().unwrap_or_default(),
            ..CallState::for_request()
        };
        let key = self.call_for(at, &id, request.item_id.as_ref(), request.call_id.as_ref(), stand_in);
        let target_call_id = self.name(&key.0, &key.1);
        let request = OfCall { target_call_id, request: request.clone() };
        self.say_of(at, &key, Signal::PermissionRequested(Box::new(request)));
    }

    pub(super) fn permission_resolved(&mut self, at: &At, resolved: &PermissionResolved) {
        let status = match resolved.outcome {
            PermissionOutcome::Allowed
            | PermissionOutcome::AllowOnce
            | PermissionOutcome::AllowSession
            | PermissionOutcome::AllowAlways => ItemStatus::Completed,
            PermissionOutcome::Reject | PermissionOutcome::RejectAlways => ItemStatus::Declined,
            _ => ItemStatus::Interrupted,
        };
        let Some(key) = self.resolve(at, resolved.permission_id.to_string()) else { return };
        let target_call_id = self.name(&key.0, &key.1);
        let resolved = OfCall { target_call_id, request: resolved.clone() };
        self.say_of(at, &key, Signal::PermissionResolved(Box::new(resolved)));
        self.resolved(at, &key, status);
    }

    pub(super) fn question_requested(&mut self, at: &At, request: &QuestionRequested) {
        let id = request.question_id.to_string();
        let stand_in = || CallState {
            name: "question".to_owned(),
            tool_kind: Some(ToolKind::Ask),
            arguments: serde_json::json!({ "questions": request.questions }).to_string(),
            ..CallState::for_request()
        };
        let key = self.call_for(at, &id, request.item_id.as_ref(), request.call_id.as_ref(), stand_in);
        let target_call_id = self.name(&key.0, &key.1);
        let request = OfCall { target_call_id, request: request.clone() };
        self.say_of(at, &key, Signal::QuestionRequested(Box::new(request)));
    }

    pub(super) fn question_resolved(&mut self, at: &At, resolved: &QuestionResolved) {
        let status = match resolved.outcome {
            QuestionOutcome::Answered => ItemStatus::Completed,
            QuestionOutcome::Rejected => ItemStatus::Declined,
            _ => ItemStatus::Interrupted,
        };
        let Some(key) = self.resolve(at, resolved.question_id.to_string()) else { return };
        let target_call_id = self.name(&key.0, &key.1);
        let resolved = OfCall { target_call_id, request: resolved.clone() };
        self.say_of(at, &key, Signal::QuestionResolved(Box::new(resolved)));
        self.resolved(at, &key, status);
    }

    /// The call of a request: the one that it names, or one that stands for it.
    fn call_for(
        &mut self,
        at: &At,
        id: &str,
        item: Option<&ItemId>,
        call: Option<&CallId>,
        stand_in: impl Fn() -> CallState,
    ) -> Key {
        self.ensure_run(at);
        let is_call = |item: &ItemId| {
            self.items.get(&(at.session.clone(), item.clone())).is_some_and(|open| open.call.is_some())
        };
        let by_call = || {
            let call = call?.to_string();
            let mut found = self.items.iter().filter(|((session, _), open)| {
                *session == at.session
                    && open.call.as_ref().is_some_and(|known| known.state.native_call_id == call)
            });
            found.next().map(|((_, item), _)| item.clone())
        };
        let item = item.filter(|item| is_call(item)).cloned().or_else(by_call);
        let key = match item {
            Some(item) => (at.session.clone(), item),
            None => self.stand_in(at, id, stand_in()),
        };
        self.requests.insert((at.session.clone(), id.to_owned()), key.1.clone());
        if self.call(&key).is_some_and(|call| is_whole(&call.state.arguments)) {
            self.ready(at, &key, false);
        }
        key
    }

    fn stand_in(&mut self, at: &At, id: &str, state: CallState) -> Key {
        let item = ItemId::from(format!("request-{}", id.trim_matches('"')));
        let key = (at.session.clone(), item);
        let name = self.name(&key.0, &key.1);
        let state = CallState { call_id: name.clone(), native_call_id: name.clone(), ..state };
        let open = Open {
            stream: at.stream.clone(),
            id: name,
            kind: ItemKind::ToolCall,
            role: Some(ItemRole::Assistant),
            parent: None,
            status: ItemStatus::InProgress,
            run: None,
            agent: at.agent.clone(),
            of_sub_agent: at.agent.is_some() || at.session != at.stream,
            parts: Vec::new(),
            call: Some(Call::new(state)),
            result_of: None,
        };
        self.items.insert(key.clone(), open);
        self.announce(at, &key);
        key
    }

    fn resolve(&mut self, at: &At, id: String) -> Option<Key> {
        let item = self.requests.remove(&(at.session.clone(), id))?;
        let key = (at.session.clone(), item);
        self.ensure_run(at);
        self.enter_call(at, &key);
        Some(key)
    }

    fn resolved(&mut self, at: &At, key: &Key, status: ItemStatus) {
        let Some(open) = self.items.get_mut(key) else { return };
        let Some(call) = &open.call else { return };
        if call.state.for_request {
            open.status = status;
            self.end_call(at, key, None, None);
        } else if status == ItemStatus::Completed {
            self.ready(at, key, true);
        }
    }
}

impl CallState {
    /// A call that stands for a request.
    fn for_request() -> Self {
        Self {
            call_id: String::new(),
            native_call_id: String::new(),
            parent_id: None,
            name: String::new(),
            tool_kind: None,
            title: None,
            locations: Vec::new(),
            arguments: String::new(),
            arguments_invalid: false,
            hosted: false,
            for_request: true,
            outlives_turn: false,
            step_over: false,
            changes: Vec::new(),
        }
    }
}
