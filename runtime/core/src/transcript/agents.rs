//! The tree of agents: who started whom.

use std::collections::HashSet;

use crate::vocabulary::{SessionId, Transcript, TranscriptItem, TranscriptSession};

/// The maximum depth of the tree: deeper sessions are placed at its root.
const DEPTH: usize = 64;

/// An agent and those that it started.
#[derive(Clone, Debug)]
pub struct Agent<'t> {
    /// The session in which it works.
    pub session: &'t TranscriptSession,
    /// The call that started it; absent for a main agent, and where the provider does not say.
    pub call: Option<&'t TranscriptItem>,
    /// Its items: those of its own session, or those in the call that started it.
    pub items: &'t [TranscriptItem],
    /// The agents that it started.
    pub agents: Vec<Agent<'t>>,
}

impl Transcript {
    /// The main agents with all their sub-agents, whether these share a session or have one of their own.
    ///
    /// ```
    /// # extern crate interlingua_core as interlingua;
    /// use interlingua::vocabulary::{Event, Origin, Parent, SessionStarted, Transcript};
    /// let main = Event::new("s1", 1, Origin::Agent, SessionStarted::default());
    /// let child = SessionStarted::default().with_parent(Parent::new("s1"));
    /// let child = Event::new("s1-2", 1, Origin::Agent, child);
    /// let transcript: Transcript = [main, child].into_iter().collect();
    /// let agents = transcript.agents();
    /// assert_eq!(agents.len(), 1);
    /// assert_eq!(agents[0].agents[0].session.session_id, "s1-2");
    /// ```
    #[must_use]
    pub fn agents(&self) -> Vec<Agent<'_>> {
        // Each session is in the tree once, whatever the parents say.
        let mut seen = HashSet::new();
        let is_root = |session: &&TranscriptSession| {
            session.parent.as_ref().is_none_or(|parent| self.session(parent.session_id.as_str()).is_none())
        };
        let mut agents: Vec<Agent<'_>> =
            self.sessions.iter().filter(is_root).map(|root| self.agent(root, None, 0, &mut seen)).collect();
        // Parents in a circle have no root.
        for session in &self.sessions {
            if !seen.contains(&session.session_id) {
                agents.push(self.agent(session, None, 0, &mut seen));
            }
        }
        agents
    }

    fn agent<'t>(
        &'t self,
        session: &'t TranscriptSession,
        call: Option<&'t TranscriptItem>,
        depth: usize,
        seen: &mut HashSet<&'t SessionId>,
    ) -> Agent<'t> {
        seen.insert(&session.session_id);
        let mut agents = within(session, &session.items);
        for child in self.children(session) {
            if depth == DEPTH || seen.contains(&child.session_id) {
                continue;
            }
            let item = child.parent.as_ref().and_then(|parent| session.item(parent.item_id.as_ref()?));
            agents.push(self.agent(child, item, depth + 1, seen));
        }
        Agent { session, call, items: &session.items, agents }
    }
}

/// The sub-agents that share a session.
fn within<'t>(session: &'t TranscriptSession, items: &'t [TranscriptItem]) -> Vec<Agent<'t>> {
    let calls = items.iter().filter(|entry| !entry.items.is_empty());
    calls
        .map(|call| {
            let agents = within(session, &call.items);
            Agent { session, call: Some(call), items: &call.items, agents }
        })
        .collect()
}
