//! One session that a client has opened.

use std::collections::VecDeque;

use interlingua_table::Table;

use crate::session::PendingRequests;
use crate::speak::Speaker;
use crate::vocabulary::{
    Event, EventBody, Json, Origin, SessionId, Signal, SignalClient, SignalContext, SignalEvent,
    SignalStream, TurnId, TurnTrigger,
};

/// One session that a client has opened.
#[derive(Debug)]
pub(super) struct Served {
    /// How the client knows it.
    pub(super) name: Option<String>,
    speaker: Speaker,
    /// What the agent has asked, as answers name it.
    pub(super) pending: PendingRequests,
    /// The client's message that has opened it, until it is answered.
    pub(super) start: Option<Json>,
    /// The client's messages that wait for the end of their turns.
    pub(super) prompts: VecDeque<Json>,
    /// What has happened before the client knew the session.
    pub(super) held: Vec<Event>,
    pub(super) ended: bool,
    /// The client has interrupted what runs.
    pub(super) is_cancelled: bool,
    stream: SessionId,
    /// The client has sent a message.
    pub(super) is_prompted: bool,
    /// The turn of before that an agent tells again when its session is resumed.
    told_before: Option<TurnId>,
}

impl Served {
    pub(super) fn new(target: &'static Table, name: Option<String>, start: Json) -> Self {
        Self {
            stream: SessionId::from(name.clone().unwrap_or_default()),
            name,
            speaker: Speaker::new(target),
            pending: PendingRequests::default(),
            start: Some(start),
            prompts: VecDeque::new(),
            held: Vec::new(),
            ended: false,
            is_cancelled: false,
            is_prompted: false,
            told_before: None,
        }
    }

    pub(super) fn speaks_as(&mut self, name: &str) {
        self.stream = SessionId::from(name);
    }

    /// The messages of an event. While the client does not know the session, the event is held.
    pub(super) fn event(&mut self, event: &Event, known: &SignalClient) -> Vec<Json> {
        if self.start.is_some() {
            self.held.push(event.clone());
            return Vec::new();
        }
        if self.is_told_again(event) {
            return Vec::new();
        }
        let (stream, prompts, is_cancelled) = (&self.stream, &mut self.prompts, &mut self.is_cancelled);
        let spoken =
            self.speaker.push_for(event, |context| give(context, stream, prompts, is_cancelled, known));
        spoken.into_iter().map(|spoken| spoken.message).collect()
    }

    /// Whether an event belongs to a turn of before the session was resumed. The client has seen it, or does not want to.
    fn is_told_again(&mut self, event: &Event) -> bool {
        if let EventBody::TurnStarted(turn) = &event.body
            && turn.trigger == Some(TurnTrigger::Resume)
            && !self.is_prompted
        {
            self.told_before = Some(turn.turn_id.clone());
        }
        let is_before = self.told_before.is_some() && event.turn_id == self.told_before;
        if is_before && matches!(event.body, EventBody::TurnEnded(_)) {
            self.told_before = None;
        }
        is_before
    }

    pub(super) fn finish(&mut self, known: &SignalClient) -> Vec<Json> {
        let (stream, prompts, is_cancelled) = (&self.stream, &mut self.prompts, &mut self.is_cancelled);
        let spoken = self.speaker.finish_for(|context| give(context, stream, prompts, is_cancelled, known));
        spoken.into_iter().map(|spoken| spoken.message).collect()
    }

    /// The messages of an earlier session's events. Nothing of it is open any more, and nobody is asked again.
    pub(super) fn replay(&self, events: impl IntoIterator<Item = Event>, known: &SignalClient) -> Vec<Json> {
        let mut speaker = Speaker::new(self.speaker.table());
        let mut give = |context: &mut SignalContext| {
            context.stream.session_id = self.stream.clone();
            context.client = Some(known.clone());
        };
        let mut spoken = Vec::new();
        for event in events {
            if !is_request(&event.body) {
                spoken.extend(speaker.push_for(&event, &mut give));
            }
        }
        spoken.extend(speaker.finish_for(&mut give));
        spoken.into_iter().map(|spoken| spoken.message).collect()
    }
}

/// Whether an event asks the host for something, or settles that.
fn is_request(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::PermissionRequested(_)
            | EventBody::PermissionResolved(_)
            | EventBody::QuestionRequested(_)
            | EventBody::QuestionResolved(_)
            | EventBody::HostCallRequested(_)
            | EventBody::HostCallResolved(_)
    )
}

/// Puts what is known of the client into a signal. The end of a run answers the oldest message, unless something else has
/// set it off.
fn give(
    context: &mut SignalContext,
    stream: &SessionId,
    prompts: &mut VecDeque<Json>,
    is_cancelled: &mut bool,
    known: &SignalClient,
) {
    context.stream.session_id = stream.clone();
    let cancelled = *is_cancelled;
    let prompt = match &context.signal {
        Signal::RunEnded(run) => {
            let asked = matches!(run.trigger, None | Some(TurnTrigger::User | TurnTrigger::Resume));
            if asked && !run.background {
                *is_cancelled = false;
                prompts.pop_front()
            } else {
                None
            }
        }
        _ => prompts.front().cloned(),
    };
    context.client = Some(SignalClient { prompt, is_cancelled: cancelled, ..known.clone() });
}

/// What is known when a signal comes from no event.
pub(super) fn context(name: &str, signal: Signal, client: SignalClient) -> SignalContext {
    let session = SessionId::from(name);
    SignalContext {
        signal,
        stream: SignalStream { session_id: session.clone(), native_session_id: None },
        run: None,
        agent: None,
        event: SignalEvent {
            event_id: String::new(),
            time: None,
            received_at: None,
            session_id: session,
            turn_id: None,
            origin: Origin::Daemon,
        },
        client: Some(client),
    }
}
