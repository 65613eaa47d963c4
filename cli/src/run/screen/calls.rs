//! Tool calls that run, and what is known of them.

use std::collections::HashMap;
use std::time::Instant;

use interlingua::vocabulary::{CallId, Channel, ItemDelta, ItemId, SessionId, ToolCall};

use crate::html::entries::summary;
use crate::output::{line, name};

/// How many characters of a call are shown.
const WIDTH: usize = 160;

/// How many characters of a sub-agent's name are shown.
const TITLE: usize = 60;

/// A call that runs.
pub struct Running {
    call: ToolCall,
    started: Instant,
    /// Whether its line is on the screen.
    pub shown: bool,
    has_failed: bool,
}

impl Running {
    /// The tool and what it does, in a line.
    pub fn title(&self) -> String {
        title(&self.call)
    }

    /// The name of the tool.
    pub fn name(&self) -> String {
        name(&self.call.name)
    }

    /// For how long it has been running, in milliseconds.
    pub fn millis(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Whether its arguments are whole, as far as one can see.
    pub fn is_whole(&self) -> bool {
        self.call.arguments.len() > 2
            && serde_json::from_str::<serde::de::IgnoredAny>(&self.call.arguments).is_ok()
    }
}

/// A call in a line.
pub fn title(call: &ToolCall) -> String {
    format!("{} {}", name(&call.name), line(&summary(call), WIDTH)).trim_end().to_owned()
}

/// The calls that run.
#[derive(Default)]
pub struct Calls {
    open: HashMap<(SessionId, ItemId), Running>,
    ids: HashMap<(SessionId, CallId), ItemId>,
    /// Calls in the order in which they began.
    order: Vec<(SessionId, ItemId)>,
    /// What sub-agents are called: by the call that started them.
    names: HashMap<(SessionId, ItemId), String>,
}

impl Calls {
    /// Takes what is known of a call now.
    pub fn know(&mut self, session: &SessionId, item: &ItemId, call: &ToolCall) -> &mut Running {
        let key = (session.clone(), item.clone());
        self.ids.insert((session.clone(), call.call_id.clone()), item.clone());
        self.names.insert(key.clone(), line(&summary(call), TITLE));
        if !self.open.contains_key(&key) {
            self.order.push(key.clone());
        }
        let running = self.open.entry(key).or_insert_with(|| Running {
            call: call.clone(),
            started: Instant::now(),
            shown: false,
            has_failed: false,
        });
        running.call = call.clone();
        running
    }

    /// Takes a piece of a call's arguments.
    pub fn delta(&mut self, session: &SessionId, delta: &ItemDelta) -> Option<&mut Running> {
        if delta.channel != Channel::Arguments {
            return None;
        }
        let running = self.open.get_mut(&(session.clone(), delta.item_id.clone()))?;
        running.call.arguments.push_str(&delta.delta);
        Some(running)
    }

    /// The name of the tool and what it does, when its line is not on the screen yet. From now on it is.
    pub fn show(&mut self, session: &SessionId, item: &ItemId) -> Option<(String, String)> {
        let running = self.open.get_mut(&(session.clone(), item.clone()))?;
        let is_shown = std::mem::replace(&mut running.shown, true);
        (!is_shown).then(|| (running.name(), line(&summary(&running.call), WIDTH)))
    }

    /// Takes a call whose result has come.
    pub fn close(&mut self, session: &SessionId, call: &CallId) -> Option<Running> {
        let key = (session.clone(), self.ids.remove(&(session.clone(), call.clone()))?);
        self.order.retain(|known| *known != key);
        self.open.remove(&key)
    }

    /// Takes up that a call has failed. Its result most often says so, too.
    pub fn fail(&mut self, session: &SessionId, item: &ItemId) {
        if let Some(running) = self.open.get_mut(&(session.clone(), item.clone())) {
            running.has_failed = true;
        }
    }

    /// Forgets what is open: nothing runs after a turn unless it says so again. Gives the calls that have failed without
    /// a result.
    pub fn clear(&mut self) -> Vec<String> {
        let order = std::mem::take(&mut self.order);
        let open = order.iter().filter_map(|key| self.open.remove(key));
        open.filter(|running| running.has_failed).map(|running| running.title()).collect()
    }

    /// The call that began last.
    pub fn last(&self) -> Option<&Running> {
        self.open.get(self.order.last()?)
    }

    /// How many run.
    pub fn count(&self) -> usize {
        self.open.len()
    }

    /// What the sub-agent is called that a call started.
    pub fn name_of(&self, session: &SessionId, call: &ItemId) -> String {
        let key = (session.clone(), call.clone());
        match self.open.get(&key) {
            Some(running) => line(&summary(&running.call), TITLE),
            None => self.names.get(&key).cloned().unwrap_or_default(),
        }
    }
}
