//! A result for each call, and a call for each result: at the place where the provider expects them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use interlingua_table::{CallIds, Results};

use super::call_ids::{Ids, tell};
use super::origins::{Origin, Origins, Place};
use super::{own_call, told};
use crate::vocabulary::{
    CallId, ContentBlock, Degradation, Message, MessageSource, Role, ToolResult, ToolSource,
};

/// The text of a result that is added for a call without one.
const INTERRUPTED: &str = "interrupted: there is no result";

/// A call that somebody has to answer.
struct Call {
    place: Place,
    /// The id that the conversation gives it.
    old: CallId,
    /// The id by which it goes out.
    id: CallId,
}

/// The calls that are answered together: behind the message `last`.
struct Group {
    calls: Range<usize>,
    last: usize,
}

/// A message from which results can be removed.
struct Slot {
    message: Message,
    blocks: Vec<Option<ContentBlock>>,
}

/// A result, and where it stood.
type Found = (Place, ToolResult);

/// Puts results behind their calls, makes up those that are missing, and leaves out those without a call.
pub(super) fn pair(
    messages: &mut Vec<Message>,
    place: Results,
    demanded: &CallIds,
    degradations: &mut Vec<Degradation>,
) -> Origins {
    let calls = name_calls(messages, demanded, degradations);
    let mut groups = groups(messages, &calls, place).into_iter().peekable();
    let mut slots: Vec<Slot> = messages.drain(..).map(Slot::new).collect();
    let mut found = assign(&calls, take_results(&mut slots, &calls), degradations);
    let users = user_runs(&slots);
    let count = slots.len();
    let mut repaired = Repaired { messages, origins: Vec::with_capacity(count) };
    let mut waiting: Option<Group> = None;
    for (number, Slot { message, blocks }) in slots.into_iter().enumerate() {
        let mut content = Vec::new();
        if let Some(group) = waiting.take() {
            content = answers(&calls, group, number..users[number], &mut found, degradations);
            if message.role != Role::User {
                repaired.add_results(number - 1, std::mem::take(&mut content));
            }
        }
        let was_empty = blocks.is_empty();
        let rest = blocks.into_iter().enumerate();
        content
            .extend(rest.filter_map(|(block, content)| Some((Place { message: number, block }, content?))));
        if was_empty || !content.is_empty() {
            repaired.add(message, number, content);
        }
        waiting = groups.next_if(|group| group.last == number);
    }
    if let Some(group) = waiting {
        let content = answers(&calls, group, count..count, &mut found, degradations);
        repaired.add_results(count - 1, content);
    }
    Origins(repaired.origins)
}

/// The conversation as it goes out.
struct Repaired<'m> {
    messages: &'m mut Vec<Message>,
    origins: Vec<Origin>,
}

impl Repaired<'_> {
    fn add(&mut self, mut message: Message, number: usize, content: Vec<(Place, ContentBlock)>) {
        let (blocks, content) = content.into_iter().unzip();
        message.content = content;
        self.messages.push(message);
        self.origins.push(Origin { message: number, blocks });
    }

    /// A message of nothing but results, behind the message of this number.
    fn add_results(&mut self, number: usize, content: Vec<(Place, ContentBlock)>) {
        let source = MessageSource::Tool(ToolSource::default());
        self.add(Message::new(format!("results-{number}"), Role::User, source), number, content);
    }
}

impl Slot {
    fn new(mut message: Message) -> Self {
        let blocks = std::mem::take(&mut message.content).into_iter().map(Some).collect();
        Self { message, blocks }
    }
}

/// Gives each call its id, no id twice.
fn name_calls(
    messages: &mut [Message],
    demanded: &CallIds,
    degradations: &mut Vec<Degradation>,
) -> Vec<Call> {
    let mut ids = Ids::new(demanded);
    let mut calls = Vec::new();
    for (number, message) in messages.iter_mut().enumerate() {
        let role = message.role;
        for (block, content) in message.content.iter_mut().enumerate() {
            let place = Place { message: number, block };
            if let Some(call) = own_call(role, content) {
                let id = ids.another(&call.call_id);
                tell(&call.call_id, &id, demanded, place, degradations);
                let old = std::mem::replace(&mut call.call_id, id.clone());
                calls.push(Call { place, old, id });
            }
        }
    }
    calls
}

fn groups(messages: &[Message], calls: &[Call], place: Results) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (number, call) in calls.iter().enumerate() {
        let mut last = call.place.message;
        match groups.last_mut() {
            Some(group) if group.last >= last => group.calls.end = number + 1,
            _ => {
                let follows = |number: usize| {
                    messages.get(number).is_some_and(|message| message.role == Role::Assistant)
                };
                while place == Results::AfterTurn && follows(last + 1) {
                    last += 1;
                }
                groups.push(Group { calls: number..number + 1, last });
            }
        }
    }
    groups
}

/// Takes out all results but those of tools that the provider runs itself, which stand in the assistant's messages.
fn take_results(slots: &mut [Slot], calls: &[Call]) -> Vec<Found> {
    let own: HashSet<&CallId> = calls.iter().map(|call| &call.old).collect();
    let mut found = Vec::new();
    for (number, Slot { message, blocks }) in slots.iter_mut().enumerate() {
        let is_assistant = message.role == Role::Assistant;
        let hosted: HashSet<CallId> = blocks
            .iter()
            .filter_map(|block| match block {
                Some(ContentBlock::ToolCall(call)) if is_assistant && call.hosted => {
                    Some(call.call_id.clone())
                }
                _ => None,
            })
            .collect();
        for (block, content) in blocks.iter_mut().enumerate() {
            let is_wanted = match content {
                Some(ContentBlock::ToolResult(result)) if is_assistant => {
                    own.contains(&result.call_id) && !hosted.contains(&result.call_id)
                }
                Some(ContentBlock::ToolResult(_)) => true,
                _ => false,
            };
            if is_wanted && let Some(ContentBlock::ToolResult(result)) = content.take() {
                found.push((Place { message: number, block }, result));
                // What the provider wants back with the blocks that follow is told by their places.
                *content = is_assistant.then(|| ContentBlock::text(""));
            }
        }
    }
    found
}

/// The result of each call, by the call's number: the first behind the call that stands before any later message
/// calls by the same id again.
fn assign(calls: &[Call], results: Vec<Found>, degradations: &mut Vec<Degradation>) -> HashMap<usize, Found> {
    let mut again: HashMap<&CallId, (Place, Option<Place>)> = HashMap::new();
    let mut ends: Vec<Option<Place>> = calls
        .iter()
        .rev()
        .map(|call| {
            // Calls of one message share the results behind it.
            let next = match again.get(&call.old) {
                Some((next, end)) if next.message == call.place.message => *end,
                Some((next, _)) => Some(*next),
                None => None,
            };
            again.insert(&call.old, (call.place, next));
            next
        })
        .collect();
    ends.reverse();
    let mut by_id: HashMap<CallId, Vec<Found>> = HashMap::new();
    for (place, result) in results.into_iter().rev() {
        by_id.entry(result.call_id.clone()).or_default().push((place, result));
    }
    let mut assigned: HashMap<usize, Found> = HashMap::new();
    let mut lone: Vec<(Place, &str)> = Vec::new();
    for (number, (call, end)) in calls.iter().zip(ends).enumerate() {
        let Some(left) = by_id.get_mut(&call.old) else { continue };
        while let Some((place, _)) = left.pop_if(|(place, _)| *place < call.place) {
            lone.push((place, "lone-result"));
        }
        if let Some(found) = left.pop_if(|(place, _)| end.is_none_or(|end| *place < end)) {
            assigned.insert(number, found);
        }
    }
    let has_call: HashSet<&CallId> = calls.iter().map(|call| &call.old).collect();
    for (id, left) in &by_id {
        let what = if has_call.contains(id) { "second-result" } else { "lone-result" };
        lone.extend(left.iter().map(|(place, _)| (*place, what)));
    }
    lone.sort_unstable();
    degradations.extend(lone.into_iter().map(|(place, what)| {
        let reason = match what {
            "lone-result" => "a result is refused without its call before it, so it is left out",
            _ => "a call has one result, so this one is left out",
        };
        told(what, place.path(), reason)
    }));
    assigned
}

/// For each message, where the user's messages end that begin with it.
fn user_runs(slots: &[Slot]) -> Vec<usize> {
    let mut end = slots.len();
    let mut ends: Vec<usize> = slots
        .iter()
        .enumerate()
        .rev()
        .map(|(number, slot)| {
            if slot.message.role != Role::User {
                end = number;
            }
            end
        })
        .collect();
    ends.reverse();
    ends
}

/// The results of a group of calls: those of the messages that follow, in their order, and then all others.
fn answers(
    calls: &[Call],
    group: Group,
    follows: Range<usize>,
    found: &mut HashMap<usize, Found>,
    degradations: &mut Vec<Degradation>,
) -> Vec<(Place, ContentBlock)> {
    let mut there = Vec::new();
    let mut elsewhere = Vec::new();
    for number in group.calls {
        let call = &calls[number];
        let (place, mut result, list) = match found.remove(&number) {
            Some((place, result)) if follows.contains(&place.message) => (place, result, &mut there),
            Some((place, result)) => {
                let reason = "a result is taken right behind its call, so it is moved there";
                degradations.push(told("moved-result", place.path(), reason));
                (place, result, &mut elsewhere)
            }
            None => {
                let reason =
                    "a call is refused without its result, so one is added that says it was interrupted";
                degradations.push(told("missing-result", call.place.path(), reason));
                let result = ToolResult::new(call.id.clone(), vec![ContentBlock::text(INTERRUPTED)]).failed();
                (call.place, result, &mut elsewhere)
            }
        };
        result.call_id = call.id.clone();
        list.push((place, ContentBlock::ToolResult(result)));
    }
    there.sort_by_key(|(place, _)| *place);
    there.append(&mut elsewhere);
    there
}
