//! Commands whose later messages are sent once the agent has answered the earlier ones: `await` in a map.

use super::answers::Key;
use super::{Session, SessionOutput};
use crate::engine::NativeMessage;
use crate::vocabulary::Command;

/// Messages that are sent when the agent has answered those before them.
#[derive(Debug)]
pub(super) struct Awaiting {
    /// What the answer names.
    pub(super) key: Key,
    /// The message that decides about the command.
    last: Key,
    pub(super) messages: Vec<NativeMessage>,
    /// Places in `messages` at which it waits again.
    waits: Vec<usize>,
    pub(super) command: Command,
}

impl Session {
    /// Notes what is sent now, and keeps what has to wait for an answer.
    pub(super) fn send(
        &mut self,
        mut messages: Vec<NativeMessage>,
        mut waits: Vec<usize>,
        command: &Command,
    ) -> Vec<NativeMessage> {
        let last = self.unanswered.last_key(&messages);
        while !waits.is_empty() {
            let place = waits.remove(0);
            let (Some(key), Some(last)) = (self.unanswered.last_key(&messages[..place]), last.clone()) else {
                continue;
            };
            let rest = messages.split_off(place);
            waits.iter_mut().for_each(|wait| *wait -= place);
            self.awaiting = Some(Awaiting { key, last, messages: rest, waits, command: command.clone() });
            break;
        }
        for message in &messages {
            if let NativeMessage::Text(message) = message {
                self.translator.note_host_message(message.get().as_bytes());
            }
        }
        messages
    }

    /// Sends what has waited for this answer. Where the agent has refused, the command has come to nothing.
    pub(super) fn release(&mut self, step: &mut SessionOutput, key: &Key, refusal: Option<&str>) {
        let Some(awaiting) = self.awaiting.take_if(|awaiting| awaiting.key == *key) else { return };
        self.tried = u64::MAX;
        match refusal {
            None => {
                let messages = self.send(awaiting.messages, awaiting.waits, &awaiting.command);
                step.messages.extend(messages);
            }
            // The last message decides about the command by itself.
            Some(_) if awaiting.messages.is_empty() => {}
            Some(_) => self.settle(step, &awaiting.last, refusal),
        }
    }
}

/// Whether a command waits while the agent has still to answer what was sent before. A reply, an interrupt and the end
/// do not: they are about what is happening.
pub(super) fn waits_its_turn(command: &Command) -> bool {
    command.answers().is_none() && !matches!(command, Command::TurnInterrupt(_) | Command::SessionEnd(_))
}
