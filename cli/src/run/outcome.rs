//! When a run is over, and how it went: told from the events of its first session.

use std::time::Duration;

use interlingua::vocabulary::{
    Command, Delivery, Event, EventBody, Origin, SessionId, TurnEndReason, TurnId, TurnTrigger,
};

/// How long an agent may take to begin a further turn after it has ended one, or after it has become idle.
const IDLE: Duration = Duration::from_secs(10);

/// How long an agent may take to begin a turn after it has said something outside of one: hooks and servers of tools may
/// start first.
const SPOKE: Duration = Duration::from_secs(30);

/// How long an agent may take to say anything at all.
const MUTE: Duration = Duration::from_secs(300);

/// The state of a session that works on nothing.
const IDLE_STATE: &str = "idle";

/// Where the work stands.
#[derive(Debug, Default)]
pub struct Outcome {
    session: Option<SessionId>,
    open_turns: u32,
    /// Those of them that only go on, or are told again, since an earlier session goes on.
    resumed: Vec<TurnId>,
    /// How many things were said to the agent that no turn has taken up yet.
    owed: u32,
    /// What has happened since something was said last.
    since: Since,
    last: Option<(TurnEndReason, Option<String>)>,
    /// The agent's stream is over.
    is_over: bool,
    /// Turns that were made up when the stream was over, to hold what no turn of the agent has taken up.
    made_up: Vec<TurnId>,
}

/// What the agent has done since something was said to it last.
#[derive(Debug, Default)]
struct Since {
    /// It has said something.
    spoke: bool,
    /// It has ended a turn.
    answered: bool,
    /// Its session was in another state than idle.
    was_busy: bool,
    /// Its session was busy and is idle.
    is_idle: bool,
    /// What it has told as an error outside of a turn.
    error: Option<String>,
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
            self.since = Since::default();
        }
    }

    /// Takes up a command that came to nothing: the agent owes nothing for it.
    pub fn refused(&mut self, command: &Command) {
        let Command::MessageSend(said) = command else { return };
        // What was to go into a running turn was not owed a turn of its own.
        if !(self.is_in_turn() && said.delivery == Some(Delivery::Steer)) {
            self.owed = self.owed.saturating_sub(1);
        }
    }

    /// How long the agent may be silent before it is taken to have no work any more. It may have taken up several
    /// messages in one turn, or have handled one without a turn, which nothing tells. None while its turn is running,
    /// which may take its time.
    pub fn patience(&self) -> Option<Duration> {
        let Since { spoke, answered, is_idle, .. } = &self.since;
        match (self.is_in_turn(), self.owed > 0) {
            (true, _) if *is_idle => Some(IDLE),
            (true, _) | (false, false) => None,
            (false, true) if *answered || *is_idle => Some(IDLE),
            (false, true) if *spoke => Some(SPOKE),
            (false, true) => Some(MUTE),
        }
    }

    /// The agent was silent for too long: it owes nothing any more. Gives what people should know about it.
    pub fn give_up(&mut self) -> Option<String> {
        let waited = self.patience().unwrap_or_default().as_secs();
        let was_in_turn = self.is_in_turn();
        (self.owed, self.open_turns) = (0, 0);
        let Since { spoke, answered, error, .. } = &self.since;
        if was_in_turn {
            self.last = Some((TurnEndReason::Interrupted, None));
            return Some("is idle, but it has not ended its turn".to_owned());
        }
        if *answered {
            return None;
        }
        if let Some(error) = error {
            self.last = Some((TurnEndReason::Failed, Some(error.clone())));
            return Some("began no turn after its error".to_owned());
        }
        if *spoke {
            return Some(format!(
                "began no turn for {waited} s: the message counts as handled without a turn"
            ));
        }
        self.last = Some((TurnEndReason::Failed, Some("the agent did not react to the message".to_owned())));
        Some(format!("sent nothing for {waited} s"))
    }

    /// The agent's stream is over: what is told from now on is made up to close it.
    pub fn finish(&mut self) {
        self.is_over = true;
    }

    /// Takes up an event.
    pub fn observe(&mut self, event: &Event) {
        let session = self.session.get_or_insert_with(|| event.session_id.clone());
        if *session != event.session_id {
            return;
        }
        self.since.spoke |= event.origin != Origin::Daemon;
        match &event.body {
            EventBody::TurnStarted(started) if self.is_over => self.made_up.push(started.turn_id.clone()),
            EventBody::TurnEnded(ended) if self.made_up.contains(&ended.turn_id) => {}
            EventBody::SessionUpdated(updated) => {
                let Some(state) = &updated.state else { return };
                self.since.is_idle = self.since.was_busy && state == IDLE_STATE;
                self.since.was_busy |= state != IDLE_STATE;
            }
            EventBody::Error(error) if !self.is_in_turn() && error.will_retry != Some(true) => {
                self.since.error = Some(error.message.clone());
            }
            EventBody::TurnStarted(started) => {
                self.open_turns += 1;
                self.since.is_idle = false;
                self.since.was_busy = true;
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
                    self.since.answered = true;
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
    use interlingua::vocabulary::{
        ErrorClass, ErrorData, MessageSend, SessionUpdated, TurnEnded, TurnStarted,
    };

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
        assert!(outcome.is_working());
        assert_eq!(outcome.patience(), Some(MUTE));
        turn(&mut outcome, "t1");
        assert!(outcome.is_working(), "the second message has had no turn");
        assert_eq!(outcome.patience(), Some(IDLE), "but it may have been taken up with the first");
        turn(&mut outcome, "t2");
        assert!(!outcome.is_working());
    }

    #[test]
    fn what_steers_a_turn_is_owed_none_of_its_own() {
        let mut outcome = Outcome::default();
        said(&mut outcome, "one");
        outcome.observe(&Event::new("s1", 1, Origin::Agent, TurnStarted::new("t1")));
        let steer = MessageSend::text("and this").with_delivery(Delivery::Steer);
        outcome.said(&steer.into());
        outcome.observe(&Event::new("s1", 2, Origin::Agent, TurnEnded::new("t1", TurnEndReason::Completed)));
        assert!(!outcome.is_working());
    }

    fn tells(outcome: &mut Outcome, body: impl Into<EventBody>) {
        outcome.observe(&Event::new("s1", 1, Origin::Agent, body));
    }

    #[test]
    fn a_message_that_gets_no_turn_is_given_up_after_a_silence() {
        let mut outcome = Outcome::default();
        said(&mut outcome, "/clear");
        assert_eq!(outcome.patience(), Some(MUTE), "it may still be starting");
        tells(&mut outcome, SessionUpdated::default());
        assert_eq!(outcome.patience(), Some(SPOKE));
        for (state, patience) in [("idle", SPOKE), ("busy", SPOKE), ("idle", IDLE)] {
            tells(&mut outcome, SessionUpdated::default().with_state(state));
            assert_eq!(outcome.patience(), Some(patience), "{state}");
        }
        assert!(outcome.give_up().is_some_and(|text| text.contains("without a turn")));
        assert!(!outcome.is_working() && outcome.is_fine());
    }

    #[test]
    fn an_error_without_a_turn_is_a_failure() {
        let mut outcome = Outcome::default();
        said(&mut outcome, "one");
        tells(&mut outcome, ErrorData::new(ErrorClass::InvalidRequest, "no such model"));
        assert_eq!(outcome.patience(), Some(SPOKE));
        outcome.give_up();
        assert!(outcome.trouble().is_some_and(|text| text.ends_with("failed: no such model")));
    }

    #[test]
    fn a_turn_that_runs_is_waited_for_unless_its_session_is_idle() {
        let mut outcome = Outcome::default();
        said(&mut outcome, "one");
        tells(&mut outcome, TurnStarted::new("t1"));
        assert_eq!(outcome.patience(), None);
        tells(&mut outcome, SessionUpdated::default().with_state("idle"));
        assert_eq!(outcome.patience(), Some(IDLE));
        assert!(outcome.give_up().is_some() && !outcome.is_working() && !outcome.is_fine());
    }

    #[test]
    fn a_turn_that_is_made_up_in_the_end_does_not_count() {
        let mut outcome = Outcome::default();
        said(&mut outcome, "one");
        turn(&mut outcome, "t1");
        outcome.finish();
        tells(&mut outcome, TurnStarted::new("t2"));
        tells(&mut outcome, TurnEnded::new("t2", TurnEndReason::Interrupted));
        assert!(outcome.is_fine());
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
