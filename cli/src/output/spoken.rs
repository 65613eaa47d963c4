//! Events in the terms of a target: `translate --to`.

use std::collections::VecDeque;

use interlingua::table::Table;
use interlingua::vocabulary::{Event, EventBody, Json, SessionId};
use interlingua::{Speaker, Spoken};

/// Writes the events of one input as the messages of a target.
pub struct Target {
    table: &'static Table,
    sse: bool,
    speaker: Speaker,
    /// Where messages do not name their session: the stream that is being written.
    current: Option<SessionId>,
    /// The streams that wait until it is over.
    held: VecDeque<Held>,
}

/// A stream that waits for its turn.
struct Held {
    stream: SessionId,
    messages: Vec<Json>,
    is_over: bool,
}

impl Target {
    /// A target by its table, whose messages are written as lines, or with `sse` as server-sent events.
    pub fn new(table: &'static Table, sse: bool) -> Self {
        Self { table, sse, speaker: Speaker::new(table), current: None, held: VecDeque::new() }
    }

    /// Appends what an event becomes.
    pub fn push(&mut self, event: &Event, out: &mut Vec<u8>) {
        for spoken in self.speaker.push(event) {
            self.write(spoken, out);
        }
        if matches!(event.body, EventBody::SessionEnded(_)) {
            self.ended(&event.session_id, out);
        }
    }

    /// Appends what ends the streams. The next event begins another input.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        for spoken in self.speaker.finish() {
            self.write(spoken, out);
        }
        if let Some(current) = self.current.clone() {
            self.ended(&current, out);
        }
        while let Some(next) = self.held.pop_front() {
            next.messages.iter().for_each(|message| self.line(message, out));
            self.end(out);
        }
        *self = Self::new(self.table, self.sse);
    }

    fn write(&mut self, Spoken { stream, message, .. }: Spoken, out: &mut Vec<u8>) {
        if !self.is_apart() || *self.current.get_or_insert_with(|| stream.clone()) == stream {
            return self.line(&message, out);
        }
        match self.held.iter_mut().find(|held| held.stream == stream) {
            Some(held) => held.messages.push(message),
            None => self.held.push_back(Held { stream, messages: vec![message], is_over: false }),
        }
    }

    fn is_apart(&self) -> bool {
        self.table.target.is_some_and(|target| target.streams_apart)
    }

    fn ended(&mut self, session: &SessionId, out: &mut Vec<u8>) {
        if let Some(held) = self.held.iter_mut().find(|held| held.stream == *session) {
            held.is_over = true;
        }
        if self.current.as_ref() != Some(session) {
            return;
        }
        self.end(out);
        self.current = None;
        while let Some(next) = self.held.pop_front() {
            next.messages.iter().for_each(|message| self.line(message, out));
            if !next.is_over {
                self.current = Some(next.stream);
                break;
            }
            self.end(out);
        }
    }

    fn end(&self, out: &mut Vec<u8>) {
        if self.sse
            && let Some(end) = self.table.end.first()
        {
            out.extend_from_slice(format!("data: {end}\n\n").as_bytes());
        }
    }

    fn line(&self, message: &Json, out: &mut Vec<u8>) {
        if self.sse {
            out.extend_from_slice(b"data: ");
        }
        out.extend_from_slice(message.get().as_bytes());
        out.extend_from_slice(if self.sse { b"\n\n" } else { b"\n" });
    }
}
