//! Tool calls, and their results.

use super::edits::edits;
use super::signals::{At, Signals};
use super::state::{Call, Key};
use crate::vocabulary::{
    CallEnded, CallPiece, CallState, Channel, ContentBlock, Event, EventBody, Item, ItemDelta, ItemId,
    ItemKind, ItemStatus, Signal, ToolCall, ToolResult,
};

impl Signals {
    pub(super) fn call_started(&mut self, at: &At, key: &Key, item: &Item) {
        let Some(block) = tool_call(item) else { return };
        self.ensure_run(at);
        if self.items.get(key).is_some_and(|open| !open.of_sub_agent) {
            self.enter_step(at, false);
            self.use_step(at);
        }
        if let Some(parent) = &item.parent_id {
            let parent = (key.0.clone(), parent.clone());
            self.close_earlier(at, &parent, u32::MAX);
        }
        if let Some(parent) = self.items.get(key).and_then(|open| open.parent.clone()) {
            self.ready_children(at, &parent);
        }
        let Some(open) = self.items.get_mut(key) else { return };
        let state = CallState {
            call_id: open.id.clone(),
            native_call_id: block.call_id.to_string(),
            parent_id: open.parent.clone(),
            name: block.name.clone(),
            tool_kind: block.tool_kind.clone(),
            title: block.title.clone(),
            locations: block.locations.clone(),
            arguments: block.arguments.clone(),
            arguments_invalid: block.arguments_invalid,
            hosted: block.hosted,
            for_request: false,
            outlives_turn: item.outlives_turn,
            step_over: false,
            changes: edits(&item.content),
        };
        open.call = Some(Call::new(state));
        self.announce(at, key);
    }

    /// Announces a call whose state is known.
    pub(super) fn announce(&mut self, at: &At, key: &Key) {
        self.enter(at, key);
        let Some(call) = self.call(key) else { return };
        let (state, arguments) = (call.state.clone(), call.state.arguments.clone());
        let (is_whole, runs) = (is_whole(&arguments), !state.for_request);
        self.say_of(at, key, Signal::CallStarted(Box::new(state)));
        self.say_arguments(at, key, &arguments);
        if is_whole {
            self.ready(at, key, runs);
        }
    }

    pub(super) fn call(&mut self, key: &Key) -> Option<&mut Call> {
        self.items.get_mut(key)?.call.as_mut()
    }

    /// The call is heard of in the present run, maybe again.
    pub(super) fn enter_call(&mut self, at: &At, key: &Key) {
        if self.call(key).is_some()
            && self.enter(at, key)
            && let Some(call) = self.call(key)
        {
            call.state.step_over = false;
            let state = call.state.clone();
            self.say_of(at, key, Signal::CallContinued(Box::new(state)));
        }
    }

    fn say_arguments(&mut self, at: &At, key: &Key, delta: &str) {
        let Some(call) = self.call(key) else { return };
        if delta.is_empty() || call.ready {
            return;
        }
        call.said.push_str(delta);
        let piece = CallPiece {
            call_id: call.state.call_id.clone(),
            for_request: call.state.for_request,
            channel: Channel::Arguments,
            tool_kind: call.state.tool_kind.clone(),
            delta: delta.to_owned(),
        };
        self.say_of(at, key, Signal::CallArguments(piece));
    }

    pub(super) fn call_arguments(&mut self, at: &At, key: &Key, delta: &str) {
        self.enter_call(at, key);
        let Some(call) = self.call(key) else { return };
        call.state.arguments.push_str(delta);
        self.say_arguments(at, key, delta);
    }

    pub(super) fn call_updated(&mut self, at: &At, key: &Key, item: &Item) {
        let Some(block) = tool_call(item) else { return };
        let parent = self.items.get(key).and_then(|open| open.parent.clone());
        let Some(call) = self.call(key) else { return };
        let before = call.state.clone();
        call.state = CallState {
            parent_id: parent,
            name: block.name.clone(),
            tool_kind: block.tool_kind.clone(),
            title: block.title.clone(),
            locations: block.locations.clone(),
            arguments: block.arguments.clone(),
            arguments_invalid: block.arguments_invalid,
            hosted: block.hosted,
            outlives_turn: item.outlives_turn,
            changes: edits(&item.content),
            ..before.clone()
        };
        // That the arguments are no JSON is seen when the call has ended, and changes nothing.
        let same = CallState { arguments_invalid: call.state.arguments_invalid, ..before };
        if call.state == same {
            return;
        }
        let (is_ready, state) = (call.ready, call.state.clone());
        let rest = state.arguments.strip_prefix(call.said.as_str()).map(str::to_owned);
        self.enter_call(at, key);
        if is_ready {
            self.say_of(at, key, Signal::CallUpdated(Box::new(state)));
            return;
        }
        if let Some(rest) = rest.filter(|_| is_whole(&state.arguments)) {
            self.say_arguments(at, key, &rest);
            self.ready(at, key, true);
        }
    }

    /// The arguments are complete; with `runs`, the tool runs from now on.
    pub(super) fn ready(&mut self, at: &At, key: &Key, runs: bool) {
        self.enter_call(at, key);
        let Some(call) = self.call(key) else { return };
        if !call.ready {
            if let Some(rest) = call.state.arguments.strip_prefix(call.said.as_str()) {
                let rest = rest.to_owned();
                self.say_arguments(at, key, &rest);
            }
            let Some(call) = self.call(key) else { return };
            call.ready = true;
            let state = call.state.clone();
            self.say_of(at, key, Signal::CallReady(Box::new(state)));
        }
        let Some(call) = self.call(key) else { return };
        if runs && !call.running {
            call.running = true;
            let state = call.state.clone();
            self.say_of(at, key, Signal::CallRunning(Box::new(state)));
        }
    }

    /// The calls of a message whose arguments are whole, now that something behind them begins.
    pub(super) fn ready_children(&mut self, at: &At, parent: &str) {
        let Some(run) = self.streams.get(&at.stream).and_then(|stream| stream.run.as_ref()) else { return };
        let is_child = |key: &&Key| {
            self.items.get(*key).is_some_and(|open| {
                open.parent.as_deref() == Some(parent)
                    && open.call.as_ref().is_some_and(|call| !call.ready && is_json(&call.state.arguments))
            })
        };
        let children: Vec<Key> = run.open.iter().filter(is_child).cloned().collect();
        for key in children {
            self.ready(at, &key, true);
        }
    }

    pub(super) fn call_output(&mut self, at: &At, key: &Key, delta: &ItemDelta) {
        let call = self.items.get(key).and_then(|open| open.result_of.clone());
        let key = call.map_or_else(|| key.clone(), |call| (key.0.clone(), call));
        self.ready(at, &key, true);
        let Some(call) = self.call(&key) else { return };
        if delta.channel != Channel::Input {
            call.output.push_str(&delta.delta);
        }
        let piece = CallPiece {
            call_id: call.state.call_id.clone(),
            for_request: false,
            channel: delta.channel,
            tool_kind: call.state.tool_kind.clone(),
            delta: delta.delta.clone(),
        };
        self.say_of(at, &key, Signal::CallOutput(piece));
    }

    pub(super) fn call_completed(&mut self, at: &At, key: &Key, item: &Item) {
        self.ready(at, key, false);
        if let Some(open) = self.items.get_mut(key) {
            open.status = item.status;
        }
        if let Some(session) = self.sessions.get_mut(&key.0) {
            session.awaiting = Some(key.1.clone());
        }
    }

    pub(super) fn result_started(&mut self, at: &At, key: &Key, item: &Item) {
        let call = self.call_of_result(&key.0, item);
        if let Some(call) = &call {
            let call = (key.0.clone(), call.clone());
            let is_over = self.sessions.get(&key.0).is_some_and(|session| session.awaiting.is_some());
            self.ready(at, &call, !is_over);
        }
        if let Some(open) = self.items.get_mut(key) {
            open.result_of = call;
        }
    }

    fn call_of_result(&self, session: &crate::vocabulary::SessionId, item: &Item) -> Option<ItemId> {
        let parent = item.parent_id.as_ref();
        let parent = parent.filter(|parent| {
            let known = self.items.get(&(session.clone(), (*parent).clone()));
            known.is_some_and(|open| open.call.is_some())
        });
        let by_call = || {
            let id = item.call_id.as_ref()?.to_string();
            let mut found = self.items.iter().filter(|((of, _), open)| {
                of == session && open.call.as_ref().is_some_and(|call| call.state.native_call_id == id)
            });
            found.next().map(|((_, item), _)| item.clone())
        };
        parent.cloned().or_else(by_call)
    }

    pub(super) fn result_completed(&mut self, at: &At, key: &Key, item: &Item) {
        let call = self.items.get(key).and_then(|open| open.result_of.clone());
        self.forget(key);
        let Some(call) = call else { return };
        if let Some(session) = self.sessions.get_mut(&key.0)
            && session.awaiting.as_ref() == Some(&call)
        {
            session.awaiting = None;
        }
        let result = item.content.iter().find_map(|block| match block {
            ContentBlock::ToolResult(result) => Some(result),
            _ => None,
        });
        let call = (key.0.clone(), call);
        // Changes of files stand beside the result.
        let changes = edits(&item.content);
        if let Some(call) = self.call(&call).filter(|_| !changes.is_empty()) {
            call.state.changes = changes;
        }
        self.end_call(at, &call, result, Some(item.status));
    }

    /// A call has completed, and what comes next is not its result: there is none.
    pub(super) fn settle_awaited(&mut self, at: &At, event: &Event) {
        let Some(call) = self.sessions.get(&at.session).and_then(|session| session.awaiting.clone()) else {
            return;
        };
        let is_result = match &event.body {
            EventBody::ItemStarted(state)
            | EventBody::ItemUpdated(state)
            | EventBody::ItemCompleted(state) => {
                state.item.kind == ItemKind::ToolResult
                    && self.call_of_result(&at.session, &state.item).as_ref() == Some(&call)
            }
            EventBody::ItemDelta(delta) => {
                let item = self.items.get(&(at.session.clone(), delta.item_id.clone()));
                item.is_some_and(|open| open.result_of.as_ref() == Some(&call))
            }
            _ => false,
        };
        if !is_result {
            self.settle(at);
        }
    }

    /// Ends the call that waits for its result.
    fn settle(&mut self, at: &At) {
        let call = self.sessions.get_mut(&at.session).and_then(|session| session.awaiting.take());
        if let Some(call) = call {
            self.end_call(at, &(at.session.clone(), call), None, None);
        }
    }

    pub(super) fn end_call(
        &mut self,
        at: &At,
        key: &Key,
        result: Option<&ToolResult>,
        status: Option<ItemStatus>,
    ) {
        self.ready(at, key, false);
        let Some(open) = self.items.get(key) else { return };
        let Some(call) = &open.call else { return };
        let content = result.map(|result| result.content.clone()).unwrap_or_default();
        let texts: Vec<&str> = content
            .iter()
            .filter_map(|block| match block {
                ContentBlock::Text(text) => Some(text.text.as_str()),
                _ => None,
            })
            .collect();
        let text = (!texts.is_empty()).then(|| texts.join("\n"));
        let status = match status {
            Some(ItemStatus::Completed) | None => open.status,
            Some(status) => status,
        };
        let status = match (status, result) {
            (ItemStatus::Completed, Some(result)) if result.is_error => ItemStatus::Failed,
            (status, _) => status,
        };
        let mut state = call.state.clone();
        let changes = edits(&content);
        if !changes.is_empty() {
            state.changes = changes;
        }
        let ended = CallEnded {
            call: state,
            status,
            has_result: result.is_some(),
            result_id: format!("{}/result", call.state.call_id),
            untold: untold(&call.output, text.as_deref()),
            text,
            output: (result.is_none() && !call.output.is_empty()).then(|| call.output.clone()),
            exit_code: result.and_then(|result| result.exit_code),
            duration_ms: result.and_then(|result| result.duration_ms),
            content,
        };
        self.end_agent(at, &ended.call.call_id);
        self.say_of(at, key, Signal::CallEnded(Box::new(ended)));
        self.forget(key);
    }

    /// The run ends: what is still open in it goes on outside. Gives the call's name, if it is one.
    pub(super) fn leave_open(&mut self, at: &At, key: &Key) -> Option<String> {
        let open = self.items.get(key)?;
        if open.kind == ItemKind::Message {
            self.leave_message(at, key);
            return None;
        }
        open.call.as_ref()?;
        let waits =
            self.sessions.get(&key.0).is_some_and(|session| session.awaiting.as_ref() == Some(&key.1));
        if waits {
            if let Some(session) = self.sessions.get_mut(&key.0) {
                session.awaiting = None;
            }
            self.end_call(at, key, None, None);
            return None;
        }
        self.ready(at, key, false);
        let state = self.call(key)?.state.clone();
        let name = state.call_id.clone();
        self.say_of(at, key, Signal::CallBackground(Box::new(state)));
        Some(name)
    }
}

impl Call {
    pub(super) fn new(state: CallState) -> Self {
        Self { state, said: String::new(), ready: false, running: false, output: String::new() }
    }
}

/// What of a call's text its output so far has not told.
fn untold(output: &str, text: Option<&str>) -> Option<String> {
    let rest = text?.strip_prefix(output)?;
    (!rest.is_empty()).then(|| rest.to_owned())
}

fn tool_call(item: &Item) -> Option<&ToolCall> {
    item.content.iter().find_map(|block| match block {
        ContentBlock::ToolCall(call) => Some(call),
        _ => None,
    })
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Whether these are all arguments that will come. Streams begin a call with none, or with `{}`.
pub(super) fn is_whole(arguments: &str) -> bool {
    is_json(arguments) && arguments.trim() != "{}"
}
