//! When a run is over, and how it went: told from the events of its first session.

use interlingua::vocabulary::{
    Command, Delivery, Event, EventBody, Origin, SessionId, TurnEndReason, TurnId, TurnTrigger,
};

/// Where the work stands.
#[derive(Debug, Default)]
pub struct Outcome {
    session: Option<SessionId>,
    open_turns: u32,
    /// Those of them that only go on, or are told again, since an earlier session goes on.
    resumed: Vec<TurnId>,
    /// How many things were said to the agent that no turn has taken up yet.
    owed: u32,
    /// A turn has ended since something was said last.
    answered: bool,
    last: Option<(TurnEndReason, Option<String>)>,
}

impl Outcome {
    /// Whether this session is the one whose turns are counted: the first.
    pub fn is_of(&self, session: &SessionId) -> bool {
        self.session.as_ref().is_none_or(|counted| counted == session)
    }

    /// Takes up a command that was given.
    pub fn said(&mut self, command: &Command) {
        let asks = match command {
            Command::SessionStart(start) => start.prompt.is_some(),
            // What goes into the turn that is running gets none of its own.
            Command::MessageSend(said) => !(self.is_in_turn() && said.delivery == Some(Delivery::Steer)),
            _ => false,
        };
        if asks {
            self.owed += 1;
            self.answered = false;
        }
    }

    /// Takes up a command that waited in vain: the agent owes nothing for it.
    pub fn refused(&mut self, command: &Command) {
        if matches!(command, Command::MessageSend(_)) {
            self.owed = self.owed.saturating_sub(1);
        }
    }

    /// Whether the agent is idle with something owed, though it has ended a turn since it was told: it may have taken up
    /// several things in one turn, which nothing tells.
    pub fn may_owe_nothing(&self) -> bool {
        self.owed > 0 && self.open_turns == 0 && self.answered
    }

    /// The agent owes nothing any more.
    pub fn forgive(&mut self) {
        self.owed = 0;
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
                if event.origin != Origin::Daemon && resumed.is_none() {
                    self.owed = self.owed.saturating_sub(1);
                    self.answered = true;
                }
                let error = ended.error.as_ref().map(|error| error.message.clone());
                self.last = Some((ended.reason.clone(), error));
            }
            _ => {}
        }
    }

    /// Whether the agent has work: a turn is running, or it was told something that it has not taken up.
    pub fn is_working(&self) -> bool {
        self.owed > 0 || self.open_turns > 0
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

#[cfg(test)]
mod tests {
    use interlingua::vocabulary::{MessageSend, TurnEnded, TurnStarted};

    use super::*;

    fn said(outcome: &mut Outcome, text: &str) {
        outcome.said(&MessageSend::text(text).into());
    }

    fn turn(outcome: &mut Outcome, id: &str) {
        outcome.observe(&Event::new("s1", 1, Origin::Agent, TurnStarted::new(id)));
        assert!(outcome.is_in_turn());
        let ended = TurnEnded::new(id, TurnEndReason::Completed);
        outcome.observe(&Event::new("s1", 2, Origin::Agent, ended));
    }

    #[test]
    fn each_message_is_owed_a_turn() {
        let mut outcome = Outcome::default();
        said(&mut outcome, "one");
        said(&mut outcome, "two");
        assert!(outcome.is_working() && !outcome.may_owe_nothing());
        turn(&mut outcome, "t1");
        assert!(outcome.is_working(), "the second message has had no turn");
        assert!(outcome.may_owe_nothing(), "but it may have been taken up with the first");
        turn(&mut outcome, "t2");
        assert!(!outcome.is_working());
    }

    #[test]
    fn what_steers_a_turn_is_owed_none_of_its_own() {
        let mut outcome = Outcome::default();
        said(&mut outcome, "one");
        outcome.observe(&Event::new("s1", 1, Origin::Agent, TurnStarted::new("t1")));
        let steer = MessageSend { delivery: Some(Delivery::Steer), ..MessageSend::text("and this") };
        outcome.said(&steer.into());
        outcome.observe(&Event::new("s1", 2, Origin::Agent, TurnEnded::new("t1", TurnEndReason::Completed)));
        assert!(!outcome.is_working());
    }

    #[test]
    fn what_was_refused_is_not_owed() {
        let mut outcome = Outcome::default();
        said(&mut outcome, "one");
        said(&mut outcome, "two");
        outcome.refused(&MessageSend::text("two").into());
        turn(&mut outcome, "t1");
        assert!(!outcome.is_working());
    }
}
