//! The fold: what a transcript promises for every stream of events, whole, cut, stored, repeated or with gaps.

use std::collections::HashMap;

use interlingua::table::Layer;
use interlingua::transcript::Fold;
use interlingua::vocabulary::{
    ContentBlock, Event, EventBody, Item, ItemStatus, Transcript, TranscriptItem, TranscriptSession, Usage,
    UsageBasis, UsageScope,
};
use interlingua::{Options, Translator};
use proptest::test_runner::TestCaseError;

use crate::runner::check;
use crate::stream::{SOURCES, Source};
use crate::tape::{Tape, tapes};

/// The events of a stream.
fn events(source: &Source, messages: &[Vec<u8>]) -> Vec<Event> {
    let mut translator = Translator::new(source.table, Options::default());
    let mut events: Vec<Event> = translator.push(&messages.concat()).collect();
    events.extend(translator.finish());
    events
}

/// The agents' recordings, each as its events.
fn recordings() -> impl Iterator<Item = Vec<Event>> {
    let agents = SOURCES.iter().filter(|source| source.table.layer == Layer::Agent);
    agents.flat_map(|source| source.streams.iter().map(|stream| events(source, stream)))
}

/// Tries something with pieces of the recordings of every agent, in which messages may be missing or doubled.
fn for_all(cases: u32, test: impl Fn(&mut Tape<'_>, Vec<Event>)) {
    for source in SOURCES.iter().filter(|source| source.table.layer == Layer::Agent) {
        check(cases, &tapes(60), |numbers| {
            let mut tape = Tape::new(&numbers);
            let mut messages = source.piece(&mut tape, 40);
            for _ in 0..tape.below(4) {
                let (one, two) = (tape.below(messages.len()), tape.below(messages.len()));
                messages.swap(one, two);
            }
            test(&mut tape, events(source, &messages));
            Ok::<(), TestCaseError>(())
        });
    }
}

fn folded(events: &[Event]) -> Transcript {
    events.iter().cloned().collect()
}

fn session<'t>(transcript: &'t Transcript, event: &Event) -> &'t TranscriptSession {
    transcript.session(event.session_id.as_str()).expect("the event's session")
}

/// The texts of an item by part.
fn texts(item: &Item) -> Vec<(usize, &str)> {
    let texts = item.content.iter().map(|block| match block {
        ContentBlock::Text(text) => text.text.as_str(),
        ContentBlock::Reasoning(reasoning) => reasoning.text.as_str(),
        ContentBlock::ToolCall(call) => call.arguments.as_str(),
        _ => "",
    });
    texts.enumerate().filter(|(_, text)| !text.is_empty()).collect()
}

#[test]
fn an_item_is_what_streamed_and_then_what_was_completed() {
    let mut completed = 0;
    for events in recordings() {
        let mut fold = Fold::new();
        for event in &events {
            if let EventBody::ItemCompleted(state) = &event.body {
                let before =
                    session(fold.transcript(), event).item(&state.item.item_id).expect("it was started");
                assert_eq!(texts(&before.item), texts(&state.item), "{}", event.event_id());
            }
            fold.push(event.clone());
            if let EventBody::ItemCompleted(state) = &event.body {
                let after =
                    session(fold.transcript(), event).item(&state.item.item_id).expect("it was completed");
                assert_eq!(after.item, *state.item, "{}", event.event_id());
                assert_eq!(after.turn_id, event.turn_id, "{}", event.event_id());
                completed += 1;
            }
        }
        assert_eq!(fold.repeated(), 0);
        for session in &fold.transcript().sessions {
            assert_eq!(session.counts.missing_events, 0);
            assert_eq!(session.open_items().count() + session.open_requests().count(), 0);
            assert_eq!(session.all_items().count() as u64, session.counts.items);
        }
    }
    assert!(completed > 500, "{completed}");
}

#[test]
fn results_stand_in_their_calls_and_items_of_sub_agents_in_the_call_that_started_them() {
    let (mut results, mut below) = (0, 0);
    for events in recordings() {
        let transcript = folded(&events);
        for event in &events {
            let EventBody::ItemStarted(state) = &event.body else { continue };
            let session = session(&transcript, event);
            if let Some(call) = event.agent_path.last() {
                let call = session.item(call).expect("the call");
                let is_it = |entry: &&TranscriptItem| entry.item.item_id == state.item.item_id;
                let mut inner = call.items.iter().flat_map(|entry| [Some(entry), entry.result.as_deref()]);
                assert!(inner.any(|entry| entry.as_ref().is_some_and(is_it)), "{}", event.event_id());
                below += 1;
            }
            if state.item.kind.as_str() == "tool-result" {
                let call = session.item(state.item.parent_id.as_ref().expect("a parent")).expect("the call");
                let result = call.result.as_ref().expect("its result");
                assert_eq!(result.item.item_id, state.item.item_id);
                results += 1;
            }
        }
    }
    assert!(results > 50 && below > 10, "{results} {below}");
}

#[test]
fn a_prefix_that_is_stored_and_read_goes_on_as_if_nothing_had_been() {
    for_all(40, |tape, events| {
        let whole = folded(&events);
        let (start, rest) = events.split_at(tape.below(events.len() + 1));
        let json = serde_json::to_string(&folded(start)).expect("a transcript can be written");
        let read: Transcript = serde_json::from_str(&json).expect("a transcript can be read");
        assert_eq!(read, folded(start));
        let mut fold = Fold::from(read);
        // What was seen already is told again, as when a stored stream is read from its start.
        fold.extend(start.iter().skip(start.len().saturating_sub(3)).cloned());
        fold.extend(rest.iter().cloned());
        assert_eq!(fold.repeated(), start.len().min(3) as u64);
        assert_eq!(*fold.transcript(), whole);
    });
}

#[test]
fn stored_events_fold_as_live_ones_do() {
    for events in recordings() {
        let lines: Vec<String> =
            events.iter().map(|event| serde_json::to_string(event).expect("an event")).collect();
        let read = lines.iter().map(|line| serde_json::from_str::<Event>(line).expect("an event"));
        assert_eq!(read.collect::<Transcript>(), folded(&events));
    }
}

#[test]
fn repeated_events_change_nothing_and_lost_ones_only_what_they_say() {
    for_all(40, |tape, events| {
        let whole = folded(&events);
        let mut doubled = Fold::new();
        for event in &events {
            for _ in 0..=tape.below(2) {
                doubled.push(event.clone());
            }
        }
        assert_eq!(*doubled.transcript(), whole);

        let kept: Vec<Event> = events.iter().filter(|_| tape.below(5) > 0).cloned().collect();
        let partial = folded(&kept);
        let json = serde_json::to_string(&partial).expect("a transcript can be written");
        assert_eq!(serde_json::from_str::<Transcript>(&json).expect("a transcript can be read"), partial);
        for event in &kept {
            let session = session(&partial, event);
            match &event.body {
                EventBody::ItemCompleted(state) => {
                    let entry = session.item(&state.item.item_id).expect("a completed item");
                    assert_eq!(entry.item, *state.item);
                }
                EventBody::TurnEnded(ended) => {
                    let turn =
                        session.turns.iter().find(|turn| turn.turn_id == ended.turn_id).expect("a turn");
                    assert_eq!(turn.reason.as_ref(), Some(&ended.reason));
                    let is_left = |entry: &TranscriptItem| {
                        entry.turn_id.as_ref() == Some(&ended.turn_id) && !entry.item.outlives_turn
                    };
                    assert!(!session.open_items().any(is_left), "an open item of a turn that is over");
                }
                _ => {}
            }
        }
    });
}

/// The total by another way: from the last report of each key.
fn recounted(events: &[Event], id: &str, is_alone: bool) -> Option<u64> {
    let tokens = |usage: &Usage| {
        let counts = [usage.input, usage.cache_read, usage.cache_write, usage.output, usage.reasoning];
        counts.into_iter().flatten().sum::<u64>()
    };
    let (mut last, mut turns) = (HashMap::new(), HashMap::new());
    for event in events.iter().filter(|event| event.session_id == *id) {
        match &event.body {
            EventBody::UsageReported(report) => {
                // A running total replaces the one before it; each model has its own.
                let name = match (report.basis, &report.model) {
                    (UsageBasis::Cumulative, Some(model)) => model.clone(),
                    _ => report.key.clone(),
                };
                last.insert((report.scope, report.basis, name), report);
            }
            EventBody::TurnEnded(ended) => {
                if let Some(usage) = &ended.usage {
                    turns.insert(ended.turn_id.clone(), tokens(usage));
                }
            }
            _ => {}
        }
    }
    let of = |scope: UsageScope, basis: UsageBasis| {
        let of = || last.values().filter(|report| (report.scope, report.basis) == (scope, basis));
        let sum = |reports: Vec<u64>| reports.into_iter().reduce(|one, other| one + other);
        if basis == UsageBasis::Delta {
            return sum(of().map(|report| tokens(&report.usage)).collect());
        }
        // Totals by model are parts of a whole; of others, each is a whole, and the furthest counts.
        let parts = of().filter(|report| report.model.is_some()).map(|report| tokens(&report.usage));
        let whole = of().filter(|report| report.model.is_none()).map(|report| tokens(&report.usage)).max();
        sum(parts.collect()).max(whole)
    };
    let process = of(UsageScope::Process, UsageBasis::Cumulative).filter(|_| is_alone);
    let turns = turns.into_values().reduce(|one, other| one + other);
    let all = [
        of(UsageScope::Call, UsageBasis::Delta),
        of(UsageScope::Session, UsageBasis::Cumulative),
        process,
        turns,
    ];
    all.into_iter().flatten().max()
}

#[test]
fn usage_is_never_a_sum_over_snapshots() {
    let mut counted = 0;
    for events in recordings() {
        let transcript = folded(&events);
        let roots = transcript.sessions.iter().filter(|session| session.parent.is_none()).count();
        for session in &transcript.sessions {
            let is_alone = roots == 1 && session.parent.is_none();
            let total = session.usage.total.as_ref();
            let counts = total.map(|usage| {
                [usage.input, usage.cache_read, usage.cache_write, usage.output, usage.reasoning]
                    .into_iter()
                    .flatten()
                    .sum::<u64>()
            });
            let due = recounted(&events, session.session_id.as_str(), is_alone);
            assert_eq!(counts, due, "{}: {:?}", session.session_id, session.usage);
            counted += u64::from(due.is_some());
        }
    }
    assert!(counted > 100, "{counted}");
}

#[test]
fn letting_go_of_old_turns_keeps_the_totals_and_what_is_open() {
    for_all(40, |tape, events| {
        let keep = tape.below(3);
        let (mut whole, mut bounded, mut totals) =
            (Fold::new(), Fold::new().keep_turns(keep), Fold::new().totals_only());
        for event in events {
            whole.push(event.clone());
            bounded.push(event.clone());
            totals.push(event);
        }
        let sessions = whole.transcript().sessions.iter().zip(&bounded.transcript().sessions);
        for ((whole, bounded), totals) in sessions.zip(&totals.transcript().sessions) {
            assert_eq!(bounded.usage.total, whole.usage.total);
            assert_eq!(bounded.usage.models, whole.usage.models);
            let open = |session: &TranscriptSession| {
                session.open_items().map(|entry| entry.item.item_id.clone()).collect::<Vec<_>>()
            };
            assert_eq!(open(bounded), open(whole));
            let ended = bounded.turns.iter().filter(|turn| !turn.is_running());
            assert!(ended.count() <= keep || bounded.all_items().any(|entry| entry.item.outlives_turn));
            assert_eq!(bounded.counts.dropped_turns as usize + bounded.turns.len(), whole.turns.len());
            let mut counts = bounded.counts.clone();
            counts.dropped_turns = 0;
            assert_eq!(counts, whole.counts);

            assert_eq!(
                (&totals.usage.total, &totals.usage.models),
                (&whole.usage.total, &whole.usage.models)
            );
            assert_eq!((&totals.counts, &totals.turns), (&whole.counts, &whole.turns));
            assert_eq!(totals.items.len() + totals.errors.len() + totals.usage.reports.len(), 0);
            let paths = |session: &TranscriptSession| {
                session
                    .files
                    .iter()
                    .map(|file| (file.path.clone(), file.change, file.changes))
                    .collect::<Vec<_>>()
            };
            assert_eq!(paths(totals), paths(whole));
        }
    });
}

#[test]
fn a_completed_status_is_never_made_up() {
    for events in recordings() {
        for end in (0..events.len()).step_by(7) {
            let transcript = folded(&events[..end]);
            for session in &transcript.sessions {
                let told = events[..end].iter().filter(|event| {
                    event.session_id == session.session_id
                        && matches!(event.body, EventBody::ItemCompleted(_))
                });
                let done = session.all_items().filter(|entry| entry.item.status != ItemStatus::InProgress);
                assert_eq!(done.count(), told.count());
            }
        }
    }
}
