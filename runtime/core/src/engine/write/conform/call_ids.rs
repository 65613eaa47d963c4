//! Ids of tool calls that a provider takes, made from those that it does not.

use std::collections::HashMap;

use interlingua_table::CallIds;

use super::{origins::Place, own_call, told};
use crate::vocabulary::{CallId, ContentBlock, Degradation, Message, Role};

/// The characters for the end of a made id, as far as the provider accepts them.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz0123456789";

/// How many of them make an id unique.
const END: usize = 8;

/// Gives ids to calls: the same for the same id in every request, and no id twice.
pub(super) struct Ids<'d> {
    demanded: &'d CallIds,
    /// The replacement ids, with the original ids.
    given: HashMap<CallId, CallId>,
    /// For an id, how many attempts at another one were made.
    tried: HashMap<CallId, u64>,
}

impl<'d> Ids<'d> {
    pub(super) fn new(demanded: &'d CallIds) -> Self {
        Self { demanded, given: HashMap::new(), tried: HashMap::new() }
    }

    /// An id for another call, even for one whose id an earlier call has.
    pub(super) fn another(&mut self, id: &CallId) -> CallId {
        // What was tried for this id before is taken, so that many calls of one id do not try it all again.
        let tried = self.tried.get(id).copied().unwrap_or_default();
        let (attempt, made) = (tried..)
            .map(|attempt| (attempt, self.made(id, attempt)))
            .find(|(_, made)| !self.given.contains_key(made))
            // There are more ids than calls.
            .unwrap_or_else(|| (tried, id.clone()));
        self.tried.insert(id.clone(), attempt + 1);
        self.given.insert(made.clone(), id.clone());
        made
    }

    /// The replacement for this id.
    fn same(&mut self, id: &CallId) -> CallId {
        let stands =
            |given: &HashMap<CallId, CallId>, made: &CallId| given.get(made).is_none_or(|of| of == id);
        let made = (0_u64..).map(|attempt| self.made(id, attempt)).find(|made| stands(&self.given, made));
        let made = made.unwrap_or_else(|| id.clone());
        self.given.insert(made.clone(), id.clone());
        made
    }

    /// The id itself, if the provider takes it; else what it can be told of it, and an end that is worked out from
    /// the whole id.
    fn made(&self, id: &CallId, attempt: u64) -> CallId {
        let Self { demanded, .. } = self;
        if attempt == 0 && demanded.takes(id.as_str()) {
            return id.clone();
        }
        let alphabet: Vec<char> = LETTERS.chars().filter(|letter| demanded.may_hold(*letter)).collect();
        let mut left = hash(id.as_str(), attempt);
        let mut letter = || {
            let letter = alphabet[(left % alphabet.len() as u64) as usize];
            left = mixed(left.wrapping_add(0x9e37_79b9_7f4a_7c15));
            letter
        };
        let end: String = (0..END.max(demanded.shortest)).map(|_| letter()).take(demanded.longest).collect();
        let join = if demanded.may_hold('_') { "_" } else { "" };
        let room = demanded.longest.saturating_sub(end.chars().count() + join.len());
        let start = if id.as_str().is_empty() { "call" } else { id.as_str() };
        let start: String = start
            .chars()
            .filter_map(|one| match one {
                one if demanded.may_hold(one) => Some(one),
                _ if join.is_empty() => None,
                _ => Some('_'),
            })
            .take(room)
            .collect();
        if start.is_empty() { CallId::from(end) } else { CallId::from(format!("{start}{join}{end}")) }
    }
}

/// Gives every call and its results an id that the provider takes.
pub(super) fn replace(messages: &mut [Message], demanded: &CallIds, degradations: &mut Vec<Degradation>) {
    let mut ids = Ids::new(demanded);
    for (number, message) in messages.iter_mut().enumerate() {
        let role = message.role;
        for (place, block) in message.content.iter_mut().enumerate() {
            if let Some(call) = own_call(role, block) {
                let id = ids.same(&call.call_id);
                tell(&call.call_id, &id, demanded, Place { message: number, block: place }, degradations);
                call.call_id = id;
            } else if let ContentBlock::ToolResult(result) = block
                && role != Role::Assistant
            {
                result.call_id = ids.same(&result.call_id);
            }
        }
    }
}

/// Reports that a call gets another id.
pub(super) fn tell(
    old: &CallId,
    new: &CallId,
    demanded: &CallIds,
    place: Place,
    degradations: &mut Vec<Degradation>,
) {
    if old != new {
        let reason = if demanded.takes(old.as_str()) {
            "an earlier call has this id, so another one stands for it and its result"
        } else {
            "this id is refused, so another one stands for it and its result"
        };
        degradations.push(told("call-id", place.path(), reason));
    }
}

/// The same number for the same text, on every machine: FNV-1a, mixed once more.
fn hash(text: &str, attempt: u64) -> u64 {
    let bytes = text.bytes().chain(attempt.to_le_bytes());
    mixed(bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    }))
}

fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    number ^ (number >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANTHROPIC: CallIds = CallIds {
        characters: &[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_'), ('-', '-')],
        shortest: 1,
        longest: 64,
    };
    const NINE: CallIds =
        CallIds { characters: &[('a', 'z'), ('A', 'Z'), ('0', '9')], shortest: 9, longest: 9 };

    #[test]
    fn an_id_that_the_provider_takes_stays() {
        let mut ids = Ids::new(&ANTHROPIC);
        assert_eq!(ids.same(&"toolu_01-A".into()), "toolu_01-A");
        assert_eq!(ids.another(&"toolu_02".into()), "toolu_02");
    }

    #[test]
    fn any_other_id_becomes_one_that_it_takes_and_always_the_same() {
        let long = "x".repeat(95);
        let mut seen = std::collections::HashSet::new();
        for demanded in [&ANTHROPIC, &NINE] {
            for id in ["functions.ls:0", "functions/ls:0", "", "ü", "a b", long.as_str(), "::::"] {
                let made = Ids::new(demanded).same(&id.into());
                assert!(demanded.takes(made.as_str()), "{id:?} became {made:?}");
                assert_eq!(made, Ids::new(demanded).same(&id.into()));
                assert!(seen.insert(made.clone()), "{made:?} was made of two ids");
            }
        }
    }

    #[test]
    fn a_model_that_uses_one_id_for_all_its_calls_gets_as_many_ids() {
        let mut ids = Ids::new(&ANTHROPIC);
        let made: std::collections::HashSet<CallId> =
            (0..20_000).map(|_| ids.another(&"c.0".into())).collect();
        assert_eq!(made.len(), 20_000);
        assert!(ids.tried[&CallId::from("c.0")] < 21_000, "each attempt is made once");
    }

    #[test]
    fn the_second_call_of_an_id_gets_an_id_of_its_own() {
        let mut ids = Ids::new(&ANTHROPIC);
        let made: Vec<CallId> = (0..3).map(|_| ids.another(&"call_0".into())).collect();
        assert_eq!(made[0], "call_0");
        assert!(made[1] != made[0] && made[2] != made[1] && made[2] != made[0], "{made:?}");
        // The id is free.
        assert_ne!(ids.another(&made[1]), made[1]);
    }
}
