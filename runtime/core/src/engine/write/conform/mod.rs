//! Repairs a request to what its provider demands beyond its schema, before the map writes it: the ids of calls, a
//! result for each call and a call for each result, no blank texts.
//!
//! What a provider demands is said by the settings of its map. Each repair is told as a [`Degradation`].

mod call_ids;
mod origins;
mod results;

use interlingua_table::{Demands, Results};

use self::origins::Origins;
use crate::vocabulary::{ContentBlock, Degradation, ModelRequest, Role, ToolCall, give_types};

/// A request as its provider takes it.
#[derive(Debug)]
pub(super) struct Conformed {
    pub(super) request: ModelRequest,
    /// What was repaired.
    pub(super) degradations: Vec<Degradation>,
    origins: Origins,
}

impl Conformed {
    /// All degradations: the repairs, and what the map says about the repaired request, which is told about the
    /// places of the request that was given.
    pub(super) fn with(self, written: Vec<Degradation>) -> Vec<Degradation> {
        let Self { mut degradations, origins, .. } = self;
        degradations
            .extend(written.into_iter().map(|one| Degradation { at: origins.original(&one.at), ..one }));
        degradations
    }
}

/// Repairs a request.
pub(super) fn conform(request: &ModelRequest, demands: &Demands) -> Conformed {
    let mut request = request.clone();
    let mut degradations = Vec::new();
    for message in &mut request.messages {
        give_types(&mut message.content);
        message.content.iter_mut().for_each(judge_arguments);
    }
    if demands.no_blank_texts {
        blank_texts(&mut request, &mut degradations);
    }
    let origins = match demands.results {
        Results::Anywhere => {
            call_ids::replace(&mut request.messages, &demands.call_ids, &mut degradations);
            Origins::default()
        }
        place => results::pair(&mut request.messages, place, &demands.call_ids, &mut degradations),
    };
    Conformed { request, degradations, origins }
}

/// In a request, arguments count as invalid when they are no JSON object, which all providers expect. None are none.
fn judge_arguments(block: &mut ContentBlock) {
    if let ContentBlock::ToolCall(call) = block {
        call.arguments_invalid = !call.arguments.is_empty() && !is_object(&call.arguments);
    }
}

/// Whether a text is a JSON object, with no half of a surrogate pair in it, which parsers refuse.
fn is_object(text: &str) -> bool {
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).is_ok()
}

/// Leaves the text of blank blocks out. The blocks stay, since what a provider wants back is told by their places.
fn blank_texts(request: &mut ModelRequest, degradations: &mut Vec<Degradation>) {
    let mut told =
        |at: String| degradations.push(told("blank-text", at, "a blank text is refused, so it is left out"));
    if let Some(system) = request.system.take_if(|system| system.trim().is_empty())
        && !system.is_empty()
    {
        told("system".to_owned());
    }
    for (number, message) in request.messages.iter_mut().enumerate() {
        blank_blocks(&mut message.content, &format!("messages[{number}]"), &mut told);
    }
}

fn blank_blocks(blocks: &mut [ContentBlock], at: &str, told: &mut impl FnMut(String)) {
    for (place, block) in blocks.iter_mut().enumerate() {
        match block {
            ContentBlock::Text(text) if !text.text.is_empty() && text.text.trim().is_empty() => {
                text.text.clear();
                told(format!("{at}.content[{place}]"));
            }
            ContentBlock::ToolResult(result) => {
                blank_blocks(&mut result.content, &format!("{at}.content[{place}]"), told);
            }
            _ => {}
        }
    }
}

fn told(what: &str, at: String, reason: impl Into<String>) -> Degradation {
    Degradation { what: what.to_owned(), at, reason: reason.into() }
}

/// The call of a block, unless the provider runs its tool itself. Only the assistant calls.
fn own_call(role: Role, block: &mut ContentBlock) -> Option<&mut ToolCall> {
    match block {
        ContentBlock::ToolCall(call) if role == Role::Assistant && !call.hosted => Some(call),
        _ => None,
    }
}
