//! The book of usage: what each report replaces, and what all of them amount to.

mod sum;

use std::collections::HashMap;

use self::sum::{Sum, tokens};
use super::apply::Scene;
use crate::vocabulary::{
    Cost, TranscriptModelUsage, TranscriptReport, TranscriptSession, TranscriptUsage, TurnId, Usage,
    UsageBasis, UsageReported, UsageScope,
};

/// The reports of a session.
#[derive(Debug, Default)]
pub(super) struct Book {
    entries: HashMap<(UsageScope, String), Entry>,
    /// The sum over the calls of each model, in the order of their first report.
    models: Vec<(Option<String>, Sum)>,
    /// The sum over all calls.
    calls: Sum,
    /// The sum over the turns that were counted as a whole.
    turns: Sum,
    /// The reports of each turn, as long as they are kept.
    by_turn: HashMap<TurnId, Turn>,
    /// The running totals by scope and key.
    running: Vec<Running>,
    /// Whether reports about the process are about this session alone.
    alone: bool,
}

/// The last report of its scope and key.
#[derive(Debug)]
struct Entry {
    usage: Usage,
    basis: UsageBasis,
    model: Option<String>,
    turn: Option<TurnId>,
    /// Its place among the reports of the transcript, when they are kept.
    place: Option<usize>,
}

#[derive(Debug, Default)]
struct Turn {
    calls: Sum,
    whole: Option<Usage>,
}

#[derive(Debug)]
struct Running {
    scope: UsageScope,
    key: String,
    model: Option<String>,
    usage: Usage,
}

impl Running {
    /// A running total whose key is the name of its model is that model's part; any other one is the whole.
    fn is_part(&self) -> bool {
        self.model.as_ref() == Some(&self.key)
    }
}

/// One way of counting what the session used.
#[derive(Default)]
struct Count {
    total: Option<Usage>,
    models: Vec<TranscriptModelUsage>,
}

impl Count {
    fn tokens(&self) -> u64 {
        self.total.as_ref().map_or(0, tokens)
    }
}

impl Book {
    /// Goes on with the reports of a session that was stored. What the total has beside them was in reports that
    /// were dropped.
    pub(super) fn resume(session: &TranscriptSession) -> Self {
        let mut book = Self::default();
        for (place, told) in session.usage.reports.iter().enumerate() {
            let TranscriptReport { report, turn_id, .. } = told;
            book.enter(report, turn_id.clone(), Some(place));
        }
        for turn in &session.turns {
            let counted = book.by_turn.get(&turn.turn_id).and_then(|turn| turn.calls.total());
            if let Some(usage) = turn.usage.as_ref().filter(|usage| counted.as_ref() != Some(*usage)) {
                book.count_turn(&turn.turn_id, usage);
            }
        }
        if session.counts.dropped_turns > 0 {
            book.carry_over(&session.usage);
        }
        book
    }

    /// Counts as calls what the stored totals have beyond the calls that are kept.
    fn carry_over(&mut self, usage: &TranscriptUsage) {
        let whole =
            TranscriptModelUsage { model: None, calls: None, usage: usage.total.clone().unwrap_or_default() };
        let stored = if usage.models.is_empty() { std::slice::from_ref(&whole) } else { &usage.models };
        for TranscriptModelUsage { model, calls, usage } in stored {
            let sum = self.model(model.as_ref());
            let rest = usage.minus(&sum.total().unwrap_or_default());
            let parts = calls.unwrap_or_default().saturating_sub(sum.parts()).max(1);
            if tokens(&rest) > 0 {
                sum.add_parts(&rest, parts);
                self.calls.add_parts(&rest, parts);
            }
        }
    }

    /// Sets whether reports about the process are about this session alone, and says whether that is new.
    pub(super) fn set_alone(&mut self, alone: bool) -> bool {
        std::mem::replace(&mut self.alone, alone) != alone
    }

    /// Takes a report.
    pub(super) fn report(
        &mut self,
        session: &mut TranscriptSession,
        turns: &HashMap<TurnId, usize>,
        report: UsageReported,
        scene: Scene,
    ) {
        if report.context_window.is_some() {
            session.usage.context_window = report.context_window;
        }
        if report.context_used.is_some() {
            session.usage.context_used = report.context_used;
        }
        let known = self.entries.get(&(report.scope, report.key.clone()));
        let place =
            known.map_or_else(|| scene.whole.then_some(session.usage.reports.len()), |entry| entry.place);
        let turn = known.map_or_else(|| scene.turn_id.clone(), |entry| entry.turn.clone());
        self.enter(&report, turn.clone(), place);
        if let Some(place) = place {
            let Scene { turn_id, agent_path, at, .. } = scene;
            match session.usage.reports.get_mut(place) {
                Some(told) => told.report = report,
                None => session.usage.reports.push(TranscriptReport { report, turn_id, agent_path, at }),
            }
        }
        self.total_up(&mut session.usage);
        if let Some(turn) = turn.as_ref().and_then(|id| session.turns.get_mut(*turns.get(id)?)) {
            turn.usage = self.turn_usage(&turn.turn_id);
        }
    }

    /// Takes the provider's own count of a turn.
    pub(super) fn turn_ended(&mut self, session: &mut TranscriptSession, turn: &TurnId, usage: &Usage) {
        self.count_turn(turn, usage);
        self.total_up(&mut session.usage);
    }

    fn count_turn(&mut self, turn: &TurnId, usage: &Usage) {
        let told = self.by_turn.entry(turn.clone()).or_default();
        if let Some(old) = told.whole.replace(usage.clone()) {
            self.turns.take(&old);
        }
        self.turns.add(usage);
    }

    /// Replaces an earlier report.
    fn enter(&mut self, report: &UsageReported, turn: Option<TurnId>, place: Option<usize>) {
        let UsageReported { key, scope, basis, usage, model, .. } = report;
        let entry = Entry { usage: usage.clone(), basis: *basis, model: model.clone(), turn, place };
        let mut entry_model = entry.model.clone();
        let entry_turn = entry.turn.clone();
        if let Some(old) = self.entries.insert((*scope, key.clone()), entry) {
            self.remove(*scope, key, &old);
            // A later report of the same call may leave out what an earlier one said.
            entry_model = entry_model.or(old.model);
            if let Some(entry) = self.entries.get_mut(&(*scope, key.clone())) {
                entry.model.clone_from(&entry_model);
            }
        }
        match (basis, scope) {
            (UsageBasis::Cumulative, UsageScope::Session | UsageScope::Process) => {
                let (key, usage) = (key.clone(), usage.clone());
                self.running.push(Running { scope: *scope, key, model: entry_model, usage });
            }
            (_, UsageScope::Turn) => {
                if let Some(turn) = &entry_turn {
                    self.count_turn(turn, usage);
                }
            }
            // One call's running total is that call's count.
            (_, UsageScope::Call) | (UsageBasis::Delta, _) => {
                self.calls.add(usage);
                self.model(entry_model.as_ref()).add(usage);
                if let Some(turn) = entry_turn {
                    self.by_turn.entry(turn).or_default().calls.add(usage);
                }
            }
        }
    }

    /// Subtracts a report.
    fn remove(&mut self, scope: UsageScope, key: &str, old: &Entry) {
        match (old.basis, scope) {
            (UsageBasis::Cumulative, UsageScope::Session | UsageScope::Process) => {
                self.running.retain(|running| running.scope != scope || running.key != key);
            }
            (_, UsageScope::Turn) => {}
            (_, UsageScope::Call) | (UsageBasis::Delta, _) => {
                self.calls.take(&old.usage);
                self.model(old.model.as_ref()).take(&old.usage);
                if let Some(turn) = old.turn.as_ref().and_then(|turn| self.by_turn.get_mut(turn)) {
                    turn.calls.take(&old.usage);
                }
            }
        }
    }

    fn model(&mut self, model: Option<&String>) -> &mut Sum {
        let place = self.models.iter().position(|(name, _)| name.as_ref() == model).unwrap_or_else(|| {
            self.models.push((model.cloned(), Sum::default()));
            self.models.len() - 1
        });
        &mut self.models[place].1
    }

    /// What a turn used: the provider's own count, else the sum over its calls.
    fn turn_usage(&self, turn: &TurnId) -> Option<Usage> {
        let told = self.by_turn.get(turn)?;
        told.whole.clone().or_else(|| told.calls.total())
    }

    /// Works out the totals. Of the ways of counting the one with the most tokens is the most complete: each of them
    /// may lag behind or leave something out, and none counts what was not used.
    pub(super) fn total_up(&self, usage: &mut TranscriptUsage) {
        let calls = self.calls();
        let turns = Count { total: self.turns.total(), models: Vec::new() };
        let parts = self.parts();
        let whole = Count { total: self.whole(), models: Vec::new() };
        let cost = [&whole, &parts, &calls, &turns]
            .into_iter()
            .filter_map(|count| count.total.as_ref()?.cost.as_ref());
        let cost = most_expensive(cost).cloned();
        let models_of_calls = calls.models.clone();
        let mut best = calls;
        for count in [turns, parts, whole] {
            if count.tokens() > best.tokens() || best.total.is_none() {
                best = count;
            }
        }
        usage.total = best.total;
        if let Some(total) = &mut usage.total {
            total.cost = cost;
        }
        usage.models = if best.models.is_empty() { models_of_calls } else { best.models };
    }

    fn calls(&self) -> Count {
        let of_model = |(model, sum): &(Option<String>, Sum)| {
            let usage = sum.total()?;
            Some(TranscriptModelUsage { model: model.clone(), calls: Some(sum.parts()), usage })
        };
        Count { total: self.calls.total(), models: self.models.iter().filter_map(of_model).collect() }
    }

    fn counts(&self, running: &Running) -> bool {
        running.scope != UsageScope::Process || self.alone
    }

    /// The running totals by model, which together are a whole.
    fn parts(&self) -> Count {
        let mut count = Count::default();
        let mut sum = Sum::default();
        for running in self.running.iter().filter(|running| running.is_part() && self.counts(running)) {
            sum.add(&running.usage);
            let (model, usage) = (running.model.clone(), running.usage.clone());
            count.models.push(TranscriptModelUsage { model, calls: None, usage });
        }
        count.models.sort_by(|one, other| one.model.cmp(&other.model));
        count.total = sum.total();
        count
    }

    /// The running total that is furthest. A cost may come in a report of its own.
    fn whole(&self) -> Option<Usage> {
        let all = || self.running.iter().filter(|running| !running.is_part() && self.counts(running));
        let mut whole = all().max_by_key(|running| tokens(&running.usage))?.usage.clone();
        whole.cost = most_expensive(all().filter_map(|running| running.usage.cost.as_ref())).cloned();
        Some(whole)
    }

    /// Drops the reports of turns. Their counts stay in the totals.
    pub(super) fn drop_turns(
        &mut self,
        session: &mut TranscriptSession,
        goes: &impl Fn(&Option<TurnId>) -> bool,
    ) {
        let keeps = |scope: UsageScope, basis: UsageBasis, turn: &Option<TurnId>| {
            !goes(turn) || (basis == UsageBasis::Cumulative && scope != UsageScope::Call)
        };
        self.by_turn.retain(|turn, _| !goes(&Some(turn.clone())));
        self.entries.retain(|(scope, _), entry| keeps(*scope, entry.basis, &entry.turn));
        session.usage.reports.retain(|told| keeps(told.report.scope, told.report.basis, &told.turn_id));
        for (place, told) in session.usage.reports.iter().enumerate() {
            if let Some(entry) = self.entries.get_mut(&(told.report.scope, told.report.key.clone())) {
                entry.place = Some(place);
            }
        }
    }
}

/// The highest of costs that can be compared with the first one.
fn most_expensive<'c>(mut costs: impl Iterator<Item = &'c Cost>) -> Option<&'c Cost> {
    let first = costs.next()?;
    let comparable = costs.filter(|cost| cost.currency == first.currency && cost.source == first.source);
    Some(comparable.fold(first, |most, cost| if cost.amount > most.amount { cost } else { most }))
}
