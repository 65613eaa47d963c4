//! When a run is over, and how it went: told from the events of its first session.

use interlingua::vocabulary::{
    Command, Event, EventBody, Origin, SessionId, TurnEndReason, TurnId, TurnTrigger,
};

/// Where the work stands.
#[derive(Debug, Default)]
pub struct Outcome {
    session: Option<SessionId>,
    open_turns: u32,
    /// Those of them that only go on, or are told again, since an earlier session goes on.
    resumed: Vec<TurnId>,
    /// Something was said to the agent that no turn has taken up yet.
    owed: bool,
    last: Option<(TurnEndReason, Option<String>)>,
}

impl Outcome {
    /// Takes up a command that was given.
    pub fn said(&mut self, command: &Command) {
        let asks = match command {
            Command::SessionStart(start) => start.prompt.is_some(),
            Command::MessageSend(_) => true,
            _ => false,
        };
        self.owed |= asks;
    }

    /// Takes up a command that waited in vain: the agent owes nothing for it.
    pub fn refused(&mut self, command: &Command) {
        if matches!(command, Command::MessageSend(_)) {
            self.owed = false;
        }
    }

    /// Takes up an event.
    pub fn observe(&mut self, event: &Event) {
        let session = self.session.get_or_insert_with(|| event.session_id.clone());
        if *session != event.session_id {
            return;
        }
        match &event.body {
            EventBody::TurnStarted(started) => {
                self.open_turns += 1;
                if started.trigger == Some(TurnTrigger::Resume) {
                    self.resumed.push(started.turn_id.clone());
                }
            }
            EventBody::TurnEnded(ended) => {
                self.open_turns = self.open_turns.saturating_sub(1);
                let resumed = self.resumed.iter().position(|turn| *turn == ended.turn_id);
                if let Some(place) = resumed {
                    self.resumed.swap_remove(place);
                }
                // What we conclude at the end of the stream is not the agent's work, and a turn of before does not
                // take up what is said now.
                self.owed &= event.origin == Origin::Daemon || resumed.is_some();
                let error = ended.error.as_ref().map(|error| error.message.clone());
                self.last = Some((ended.reason.clone(), error));
            }
            _ => {}
        }
    }

    /// Whether the agent has work: a turn is running, or it was told something that it has not taken up.
    pub fn is_working(&self) -> bool {
        self.owed || self.open_turns > 0
    }

    /// Whether a turn is running.
    pub fn is_in_turn(&self) -> bool {
        self.open_turns > 0
    }

    /// Whether the last turn was completed, or there was none.
    pub fn is_fine(&self) -> bool {
        matches!(self.last, None | Some((TurnEndReason::Completed, _)))
    }

    /// Why the last turn was not completed, in words.
    pub fn trouble(&self) -> Option<String> {
        let (reason, error) = self.last.as_ref().filter(|_| !self.is_fine())?;
        let how = format!("the turn was not completed: {}", reason.tag());
        Some(error.as_ref().map_or_else(|| how.clone(), |error| format!("{how}: {error}")))
    }
}
