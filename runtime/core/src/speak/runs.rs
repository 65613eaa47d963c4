//! Runs and steps: what surrounds everything else.

use std::collections::HashSet;

use super::signals::{At, Signals};
use super::state::{Key, Part, Run, StepState, Stream};
use crate::vocabulary::{
    AgentEnded, AgentStarted, RunEnded, RunStarted, SessionEnded, Signal, Step, TurnEndReason, TurnEnded,
    TurnStarted, TurnTrigger,
};

impl Signals {
    pub(super) fn turn_started(&mut self, at: &At, started: &TurnStarted) {
        if at.session != at.stream {
            // A sub-agent's turn is part of what its main agent does.
            return;
        }
        let run = self.streams.get(&at.stream).and_then(|stream| stream.run.as_ref());
        if run.is_some_and(|run| run.background) {
            self.end_run(at);
        }
        let is_open = self.streams.get(&at.stream).is_some_and(|stream| stream.run.is_some());
        if !is_open {
            // Turns of other main sessions may have the same ids.
            let turn = &started.turn_id;
            let id =
                if self.is_first(&at.stream) { turn.to_string() } else { format!("{}/{turn}", at.stream) };
            self.start_run(at, id, false, started.trigger.clone());
        }
        if let Some(run) = self.streams.get_mut(&at.stream).and_then(|stream| stream.run.as_mut()) {
            run.turns.insert(started.turn_id.clone());
        }
    }

    pub(super) fn turn_ended(&mut self, at: &At, ended: &TurnEnded) {
        let Some(run) = self.streams.get_mut(&at.stream).and_then(|stream| stream.run.as_mut()) else {
            return;
        };
        if at.session != at.stream || !run.turns.remove(&ended.turn_id) {
            return;
        }
        run.end = Some(ended.clone());
        if run.turns.is_empty() {
            self.end_run(at);
        }
    }

    pub(super) fn stream_ended(&mut self, at: &At, ended: SessionEnded) {
        let waits_and_matters = |stream: &Stream| {
            stream
                .waiting
                .iter()
                .any(|context| matches!(context.signal, Signal::Error(_) | Signal::HostCallRequested(_)))
        };
        if self.streams.get(&at.stream).is_some_and(waits_and_matters) {
            self.ensure_run(at);
        }
        self.end_run(at);
        let gone: Vec<Key> = self
            .items
            .iter()
            .filter(|(_, open)| open.stream == at.stream)
            .map(|(key, _)| key.clone())
            .collect();
        for key in gone {
            self.items.remove(&key);
        }
        self.say(at, Signal::StreamEnded(Box::new(ended)));
        if let Some(stream) = self.streams.get_mut(&at.stream) {
            stream.ended = true;
            stream.waiting.clear();
        }
    }

    /// Opens a run for what happens outside of any turn.
    pub(super) fn ensure_run(&mut self, at: &At) {
        let Some(stream) = self.streams.get(&at.stream) else { return };
        if stream.run.is_none() {
            let id = format!("{}/background-{}", at.stream, stream.runs + 1);
            self.start_run(at, id, true, None);
        }
    }

    fn start_run(&mut self, at: &At, id: String, background: bool, trigger: Option<TurnTrigger>) {
        let Some(stream) = self.streams.get_mut(&at.stream) else { return };
        stream.runs += 1;
        stream.run = Some(Run {
            id: id.clone(),
            number: stream.runs,
            background,
            turns: HashSet::new(),
            end: None,
            open: Vec::new(),
            steps: 0,
            step: None,
            agents: Vec::new(),
        });
        let waiting = std::mem::take(&mut stream.waiting);
        let main = At { agent: None, ..at.clone() };
        self.say(&main, Signal::RunStarted(RunStarted { run_id: id.clone(), background, trigger }));
        self.out.extend(waiting.into_iter().map(|mut context| {
            context.run = Some(id.clone());
            context
        }));
    }

    /// Ends the run and everything in it.
    pub(super) fn end_run(&mut self, at: &At) {
        let Some(run) = self.streams.get(&at.stream).and_then(|stream| stream.run.as_ref()) else { return };
        let open = run.open.clone();
        for key in &open {
            self.close_parts(at, key, None);
        }
        let mut pending = Vec::new();
        for key in &open {
            pending.extend(self.leave_open(at, key));
        }
        self.end_agents(at);
        self.end_step(at);
        let Some(run) = self.streams.get(&at.stream).and_then(|stream| stream.run.as_ref()) else { return };
        let end = run.end.as_ref();
        let ended = RunEnded {
            run_id: run.id.clone(),
            background: run.background,
            reason: end.map_or(TurnEndReason::Completed, |end| end.reason.clone()),
            trigger: end.and_then(|end| end.trigger.clone()),
            error: end.and_then(|end| end.error.clone()),
            usage: end.and_then(|end| end.usage.clone()),
            pending,
        };
        let main = At { agent: None, ..at.clone() };
        self.say(&main, Signal::RunEnded(Box::new(ended)));
        if let Some(stream) = self.streams.get_mut(&at.stream) {
            stream.run = None;
        }
    }

    /// Notes that an item is heard of in the present run, which is opened if there is none. Says whether it is the first
    /// time in this run.
    pub(super) fn enter(&mut self, at: &At, key: &Key) -> bool {
        self.ensure_run(at);
        let Some(run) = self.streams.get_mut(&at.stream).and_then(|stream| stream.run.as_mut()) else {
            return false;
        };
        let Some(open) = self.items.get_mut(key) else { return false };
        if open.run == Some(run.number) {
            return false;
        }
        open.run = Some(run.number);
        run.open.push(key.clone());
        if let Some(agent) = open.agent.clone() {
            self.enter_agent(at, &agent);
        }
        true
    }

    /// A sub-agent is heard of.
    fn enter_agent(&mut self, at: &At, agent: &str) {
        let run = self.streams.get_mut(&at.stream).and_then(|stream| stream.run.as_mut());
        let Some(run) = run.filter(|run| run.agents.iter().all(|(known, _)| known != agent)) else { return };
        run.agents.push((agent.to_owned(), true));
        let call = self.items.values().find(|open| open.stream == at.stream && open.id == agent);
        let state = call.and_then(|open| open.call.as_ref()).map(|call| &call.state);
        let started = AgentStarted {
            agent_id: agent.to_owned(),
            parent_agent_id: call.and_then(|open| open.agent.clone()),
            tool_name: state.map(|state| state.name.clone()),
            title: state.and_then(|state| state.title.clone()),
        };
        if let Some(parent) = &started.parent_agent_id {
            self.enter_agent(at, &parent.clone());
        }
        let main = At { agent: None, ..at.clone() };
        self.say(&main, Signal::AgentStarted(started));
    }

    /// A call has ended: the sub-agent that it started has, too, if nothing of it is open.
    pub(super) fn end_agent(&mut self, at: &At, agent: &str) {
        let Some(run) = self.streams.get(&at.stream).and_then(|stream| stream.run.as_ref()) else { return };
        let is_of = |key: &Key| self.items.get(key).is_some_and(|open| open.agent.as_deref() == Some(agent));
        if run.open.iter().any(is_of) {
            return;
        }
        let run = self.streams.get_mut(&at.stream).and_then(|stream| stream.run.as_mut());
        let known =
            run.and_then(|run| run.agents.iter_mut().find(|(known, goes_on)| known == agent && *goes_on));
        if let Some((_, goes_on)) = known {
            *goes_on = false;
            let main = At { agent: None, ..at.clone() };
            self.say(&main, Signal::AgentEnded(AgentEnded { agent_id: agent.to_owned() }));
        }
    }

    fn end_agents(&mut self, at: &At) {
        let run = self.streams.get_mut(&at.stream).and_then(|stream| stream.run.as_mut());
        let agents = run.map(|run| std::mem::take(&mut run.agents)).unwrap_or_default();
        let main = At { agent: None, ..at.clone() };
        for (agent_id, _) in agents.into_iter().filter(|(_, goes_on)| *goes_on) {
            self.say(&main, Signal::AgentEnded(AgentEnded { agent_id }));
        }
    }

    /// A message or call of the main agent belongs to a step.
    pub(super) fn enter_step(&mut self, at: &At, begins: bool) {
        let Some(run) = self.streams.get(&at.stream).and_then(|stream| stream.run.as_ref()) else { return };
        let says = |key: &Key| {
            self.items.get(key).is_some_and(|open| open.parts.iter().any(|part: &Part| part.open))
        };
        if begins && run.step.as_ref().is_some_and(|step| step.used) && !run.open.iter().any(says) {
            // What a step has begun to call is complete when it ends, or broken off.
            let calls: Vec<Key> = run.open.clone();
            for key in calls {
                self.ready(at, &key, false);
            }
            self.end_step(at);
        }
        let Some(run) = self.streams.get_mut(&at.stream).and_then(|stream| stream.run.as_mut()) else {
            return;
        };
        if run.step.is_none() {
            run.steps += 1;
            let id = format!("{}/step-{}", run.id, run.steps);
            run.step = Some(StepState { id: id.clone(), used: false });
            let main = At { agent: None, ..at.clone() };
            self.say(&main, Signal::StepStarted(Step { step_id: id }));
        }
    }

    /// Something is said or called.
    pub(super) fn use_step(&mut self, at: &At) {
        let run = self.streams.get_mut(&at.stream).and_then(|stream| stream.run.as_mut());
        if let Some(step) = run.and_then(|run| run.step.as_mut()) {
            step.used = true;
        }
    }

    fn end_step(&mut self, at: &At) {
        let run = self.streams.get_mut(&at.stream).and_then(|stream| stream.run.as_mut());
        if let Some(run) = run
            && let Some(step) = run.step.take()
        {
            for key in &run.open {
                if let Some(call) = self.items.get_mut(key).and_then(|open| open.call.as_mut()) {
                    call.state.step_over = true;
                }
            }
            let main = At { agent: None, ..at.clone() };
            self.say(&main, Signal::StepEnded(Step { step_id: step.id }));
        }
    }
}
