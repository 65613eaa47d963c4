//! Tool calls and their results.

use std::sync::Arc;

use super::item::NewItem;
use super::outbox::Outbox;
use super::refs::{Agent, AgentRef, TurnRef};
use super::session::Session;
use super::store::closed::fingerprint;
use super::store::items::{Class, Ends, Header, Located, OpenItem};
use crate::engine::memory::hash::hash_of;
use crate::engine::piece::TextUpdate;
use crate::vocabulary::{
    CallId, Channel, ContentBlock, ItemId, ItemKind, ItemRole, ItemStatus, Origin, ToolCall, ToolResult,
};

/// Marks the place of lost output in a live view.
const CUT: &str = "\n[…]\n";

/// How much of the end of what was seen is looked for in a snapshot, in bytes.
const END: usize = 64;

/// How much before that is compared, in bytes.
const MOST_ALIKE: usize = 1024;

/// How much the end of what was seen and the beginning of a snapshot must have in common, in bytes.
const OVERLAP: usize = 8;

/// How many texts of a result are looked for in its live output.
const MOST_LOOKS: usize = 64;

/// The result of a call, as a message gives it.
#[derive(Debug, Clone)]
pub(crate) struct ResultSaid {
    pub(crate) parent: Option<ItemId>,
    pub(crate) is_error: bool,
    pub(crate) exit_code: Option<i64>,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) status: ItemStatus,
    pub(crate) name: Option<String>,
    /// It holds all output, even if less than was seen.
    pub(crate) replaces_output: bool,
    pub(crate) content: Vec<ContentBlock>,
    pub(crate) attached: Vec<ContentBlock>,
}

/// What a result or its live output found of its call.
struct Call {
    /// The call's item, while it is open.
    open: Option<u64>,
    item_id: ItemId,
    turn: Option<TurnRef>,
    agent: AgentRef,
    outlives: bool,
    /// The result's item, once it has started.
    result: Option<u64>,
}

impl Session {
    /// The sub-agent that a call started. A call that was never seen gets a stub.
    pub(crate) fn agent_of(&mut self, out: &mut Outbox, call: &str, turn: Option<&str>) -> AgentRef {
        let key = hash_of(call);
        if let Some(agent) = self.agents.get(key) {
            return agent.clone();
        }
        let (before, item_id, turn) = match self.items.locate_call(call) {
            Located::Open(serial) => {
                let open = self.items.get(serial)?;
                (open.agent.clone(), open.item.item_id.clone(), open.turn.clone())
            }
            Located::Closed(closed) => (closed.agent, closed.item_id?, closed.turn),
            Located::New => {
                let serial = self.stub_call(out, call, None, None, turn, None);
                let open = self.items.get(serial)?;
                (None, open.item.item_id.clone(), open.turn.clone())
            }
        };
        let agent = started_by(&before, item_id, turn);
        self.agents.insert(key, agent.clone());
        agent
    }

    /// The call that starts has an id under which another one has started a sub-agent: from now on it means this one's.
    pub(crate) fn renew_agent(
        &mut self,
        call: &CallId,
        item_id: &ItemId,
        before: &AgentRef,
        turn: &Option<TurnRef>,
    ) {
        if let Some(agent) = self.agents.get_mut(hash_of(call.as_str())) {
            *agent = started_by(before, item_id.clone(), turn.clone());
        }
    }

    /// Starts a call with only its id.
    pub(crate) fn stub_call(
        &mut self,
        out: &mut Outbox,
        call: &str,
        name: Option<&str>,
        parent: Option<ItemId>,
        turn: Option<&str>,
        agent: AgentRef,
    ) -> u64 {
        let turn = match agent.as_ref().and_then(|agent| agent.turn.clone()) {
            Some(turn) => turn,
            None => self.turn_for(out, turn),
        };
        let call: Arc<str> = call.into();
        let block = ToolCall::new(CallId::from(Arc::clone(&call)), name.unwrap_or_default(), "");
        let new = NewItem {
            class: Class::ToolCall,
            kind: ItemKind::ToolCall,
            key: Some(Arc::clone(&call)),
            native: Some(Arc::clone(&call)),
            call: Some(call),
            header: Header { role: Some(ItemRole::Assistant), parent, ..Header::default() },
            content: vec![block.into()],
            turn: Some(turn),
            agent,
            origin: Origin::Daemon,
        };
        self.start_item(out, new)
    }

    /// The call that a result belongs to; its id when the result comes too late, or for nothing.
    fn call_for_result(&self, call: &str) -> Result<Call, ItemId> {
        match self.items.locate_call(call) {
            Located::Open(serial) => {
                let open = self.items.get(serial).ok_or_else(|| ItemId::from(call))?;
                Ok(Call {
                    open: Some(serial),
                    item_id: open.item.item_id.clone(),
                    turn: open.turn.clone(),
                    agent: open.agent.clone(),
                    outlives: open.item.outlives_turn,
                    result: open.result,
                })
            }
            Located::Closed(closed) => {
                let item_id = closed.item_id.unwrap_or_else(|| call.into());
                let is_open = closed.turn.as_ref().is_some_and(|turn| self.turns.is_open(turn));
                if closed.answer.is_some() || !is_open {
                    return Err(item_id);
                }
                let (turn, agent) = (closed.turn, closed.agent);
                Ok(Call { open: None, item_id, turn, agent, outlives: false, result: None })
            }
            Located::New => Err(call.into()),
        }
    }

    /// The turn of a call.
    pub(crate) fn turn_of_call(&self, call: &str) -> Option<TurnRef> {
        match self.items.locate_call(call) {
            Located::Open(serial) => self.items.get(serial)?.turn.clone(),
            Located::Closed(closed) => closed.turn,
            Located::New => None,
        }
    }

    /// Starts the item of a result.
    fn start_result(&mut self, out: &mut Outbox, call_id: &str, call: &Call) -> u64 {
        let shared: Arc<str> = call_id.into();
        let new = NewItem {
            class: Class::ToolResult,
            kind: ItemKind::ToolResult,
            key: None,
            native: Some(Arc::clone(&shared)),
            call: Some(shared),
            header: Header {
                parent: Some(call.item_id.clone()),
                role: Some(ItemRole::Tool),
                ends: call.outlives.then_some(Ends::AfterTurn),
                ..Header::default()
            },
            content: Vec::new(),
            turn: call.turn.clone(),
            agent: call.agent.clone(),
            origin: Origin::Daemon,
        };
        let serial = self.start_result_item(out, &[call.item_id.as_str(), "/result"].concat(), new);
        match call.open.and_then(|open| self.items.get_mut(open)) {
            Some(open) => open.result = Some(serial),
            None => self.items.answered(call_id, 0),
        }
        serial
    }

    /// Gives live output of a running call, which must have been seen. The call's item id comes
    /// back when it is too late.
    pub(crate) fn put_output(
        &mut self,
        out: &mut Outbox,
        call_id: &str,
        channel: Channel,
        said: TextUpdate<'_>,
    ) -> Result<(), ItemId> {
        let call = self.call_for_result(call_id)?;
        let result = call.result.and_then(|result| self.items.get(result));
        let (text, carry) = match said {
            TextUpdate::Delta(delta) => delta.decode(result.and_then(|open| open.carries[channel as usize])),
            TextUpdate::Snapshot(value) => {
                let (text, carry) = value.decode(None);
                let held = result.map_or("", |open| &open.output);
                match continued(held, &text) {
                    Some(Continued::With(rest)) => (rest.to_owned(), carry),
                    Some(Continued::AfterCut) => {
                        if let Some(result) = call.result {
                            if let Some(open) = self.items.get_mut(result) {
                                open.is_cut = true;
                            }
                            self.append(out, result, 0, channel, CUT.to_owned(), Origin::Daemon);
                        }
                        (text, carry)
                    }
                    None => return Ok(()),
                }
            }
            TextUpdate::None | TextUpdate::Whole(_) => return Ok(()),
        };
        if text.is_empty() && carry.is_none() {
            return Ok(());
        }
        let result = match call.result {
            Some(result) => result,
            None => self.start_result(out, call_id, &call),
        };
        if let Some(open) = self.items.get_mut(result) {
            open.carries[channel as usize] = carry;
        }
        self.append(out, result, 0, channel, text, Origin::Agent);
        Ok(())
    }

    /// Completes a call, which must have been seen, and its result. The call's item id comes
    /// back when it is too late; a repetition gives nothing.
    pub(crate) fn put_result(
        &mut self,
        out: &mut Outbox,
        call_id: &str,
        said: ResultSaid,
    ) -> Result<(), ItemId> {
        let call = match self.call_for_result(call_id) {
            Ok(call) => call,
            Err(late) => {
                let print = fingerprint(&result_blocks(call_id, said));
                return if self.items.was_answered(call_id, print) { Ok(()) } else { Err(late) };
            }
        };
        let replaces_output = said.replaces_output;
        let refused = call.open.and_then(|open| self.items.get(open)).is_some_and(|open| open.refused);
        let status = match said.status {
            ItemStatus::Failed if refused => ItemStatus::Declined,
            status => status,
        };
        let failed = status != ItemStatus::Completed;
        self.settle_call(out, call_id, failed);
        if let Some(open) = call.open {
            if let Some(parent) = said.parent.clone() {
                self.restate_item(open, Header { parent: Some(parent), ..Header::default() });
            }
            if let (Some(name), Some(item)) = (said.name.clone(), self.items.get_mut(open))
                && let Some(ContentBlock::ToolCall(block)) = item.content.block_mut(0)
                && block.name.is_empty()
            {
                block.name = name;
            }
            self.complete_item(out, open, status, Origin::Agent);
        }
        let call = Call { open: None, ..call };
        let serial = match call.result {
            Some(serial) => serial,
            None => self.start_result(out, call_id, &call),
        };
        self.end_output(out, serial);
        let Some(open) = self.items.get_mut(serial) else {
            return Ok(());
        };
        let mut blocks = result_blocks(call_id, said);
        // A repetition is compared with what was emitted.
        let print = fingerprint(&blocks);
        if let Some(ContentBlock::ToolResult(result)) = blocks.first_mut()
            && !((replaces_output || open.is_cut) && !result.content.is_empty())
        {
            keep_longer_output(&mut result.content, &mut open.output);
        }
        for (index, block) in (0..).zip(blocks) {
            open.content.start(index, block);
        }
        self.spare_output = spare(std::mem::take(&mut open.output));
        self.complete_item(out, serial, status, Origin::Agent);
        self.items.answered(call_id, print);
        Ok(())
    }

    /// Writes the half characters that wait at the end of a result's live output.
    fn end_output(&mut self, out: &mut Outbox, serial: u64) {
        let Some(open) = self.items.get_mut(serial) else {
            return;
        };
        let carries = std::mem::take(&mut open.carries);
        for channel in [Channel::Output, Channel::ErrorOutput, Channel::Input] {
            if carries[channel as usize].is_some() {
                let half = char::REPLACEMENT_CHARACTER.to_string();
                self.append(out, serial, 0, channel, half, Origin::Daemon);
            }
        }
    }

    /// Gives a result that ends without its message the output that was seen of it.
    pub(crate) fn fill_cut_result(&mut self, out: &mut Outbox, serial: u64) {
        let is_cut = |open: &OpenItem| open.class == Class::ToolResult && open.content.is_empty();
        if !self.items.get(serial).is_some_and(is_cut) {
            return;
        }
        self.end_output(out, serial);
        if let Some(open) = self.items.get_mut(serial)
            && let Some(call_id) = open.item.call_id.clone()
        {
            let mut content = Vec::new();
            keep_longer_output(&mut content, &mut open.output);
            open.content.start(0, ToolResult::new(call_id, content));
        }
    }
}

/// The blocks of a result's item.
fn result_blocks(call_id: &str, said: ResultSaid) -> Vec<ContentBlock> {
    let mut block = ToolResult::new(CallId::from(call_id), said.content);
    block.is_error = said.is_error;
    block.exit_code = said.exit_code;
    block.duration_ms = said.duration_ms;
    std::iter::once(block.into()).chain(said.attached).collect()
}

/// The provider's aggregate is used, unless it is shorter than the joined deltas.
fn keep_longer_output(content: &mut Vec<ContentBlock>, seen: &mut String) {
    let told: usize = content
        .iter()
        .map(|block| match block {
            ContentBlock::Text(text) => text.text.len(),
            _ => 0,
        })
        .sum();
    if told >= seen.len() {
        return;
    }
    // Texts that are no part of what was seen are kept beside it. Each look goes through all that was seen, so of very
    // many texts the last are kept without a look.
    let mut looks = 0;
    content.retain(|block| {
        let ContentBlock::Text(text) = block else { return true };
        looks += 1;
        looks > MOST_LOOKS || !seen.contains(&text.text)
    });
    content.insert(0, ContentBlock::text(std::mem::take(seen)));
}

/// How a snapshot of an output goes on from what was seen.
enum Continued<'t> {
    /// With this text, which may be empty.
    With(&'t str),
    /// With all of it, behind something that was never seen.
    AfterCut,
}

/// What a snapshot adds to what was seen; nothing for one that is older. A program that keeps the last lines only gives
/// snapshots whose beginning is lost, or is a note about that: then they go on behind the end of what was seen.
fn continued<'t>(seen: &str, snapshot: &'t str) -> Option<Continued<'t>> {
    if let Some(rest) = snapshot.strip_prefix(seen) {
        return Some(Continued::With(rest));
    }
    if seen.contains(snapshot) {
        return None;
    }
    let end = &seen[seen.ceil_char_boundary(seen.len().saturating_sub(END))..];
    if end.len() >= OVERLAP {
        // Where the end stands several times, the place is meant that has more of what was seen before it.
        let places = snapshot.match_indices(end).map(|(place, _)| place + end.len()).take(MOST_LOOKS);
        if let Some(place) = places.max_by_key(|place| alike(seen, &snapshot[..*place])) {
            return Some(Continued::With(&snapshot[place..]));
        }
    }
    let ends = end.char_indices().map(|(place, _)| &end[place..]).take_while(|end| end.len() >= OVERLAP);
    let overlap = ends.filter_map(|end| snapshot.strip_prefix(end)).next();
    Some(overlap.map_or(Continued::AfterCut, Continued::With))
}

/// How many of their last bytes two texts share, up to a limit.
fn alike(one: &str, other: &str) -> usize {
    let bytes = one.bytes().rev().zip(other.bytes().rev());
    bytes.take(MOST_ALIKE).take_while(|(one, other)| one == other).count()
}

/// The sub-agent that a call started which was made by the agent `before`.
fn started_by(before: &AgentRef, item_id: ItemId, turn: Option<TurnRef>) -> AgentRef {
    let mut path = before.as_ref().map_or_else(Vec::new, |agent| agent.path.clone());
    // A call cannot have been made by the agent that it started.
    if !path.contains(&item_id) {
        path.push(item_id);
    }
    Some(Arc::new(Agent { path, turn }))
}

/// The buffer of a joined output, emptied for the next one: growing a new one for every call costs more than the
/// copying. One that grew large is given back, so that memory follows what is open.
fn spare(mut output: String) -> String {
    const KEPT: usize = 1 << 20;
    output.clear();
    if output.capacity() > KEPT { String::new() } else { output }
}
