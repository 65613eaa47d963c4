//! Writing events as JSON, quickly.
//!
//! serde_json looks at every byte of every string and makes a call for each quote. An event's
//! keys are known and its strings rarely need escapes, so that writing them in pieces takes
//! a fraction of the time. A test holds this writer to the bytes of the other one.

mod item;
mod text;

use serde::ser::Error as _;

use self::item::{item_delta, item_state};
use self::text::{escaped, number, string};
use super::event::{Event, EventBody};
use super::native::NativeRef;

impl Event {
    /// Appends the event to `out` as one line of JSON without its line break: the same bytes
    /// as [`serde_json::to_writer`] gives, in a fraction of the time.
    ///
    /// ```
    /// # extern crate interlingua_core as interlingua;
    /// use interlingua::vocabulary::{Event, Origin, SessionStarted};
    /// let event = Event::new("s1", 1, Origin::Daemon, SessionStarted::default());
    /// let mut line = Vec::new();
    /// event.write_json(&mut line)?;
    /// assert_eq!(line, serde_json::to_vec(&event)?);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// As serde_json's, which knows none for values of this vocabulary.
    pub fn write_json(&self, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        if self.extra.is_empty() {
            return self.write_fields(out);
        }
        let mut fields = Vec::new();
        self.write_fields(&mut fields)?;
        let fields = std::str::from_utf8(&fields).map_err(serde_json::Error::custom)?;
        self.extra.write_into(fields, out)
    }

    fn write_fields(&self, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        out.extend_from_slice(br#"{"event_id":""#);
        escaped(out, self.session_id.as_str());
        out.push(b':');
        number(out, self.sequence);
        out.extend_from_slice(br#"","sequence":"#);
        number(out, self.sequence);
        if let Some(time) = self.time {
            out.extend_from_slice(br#","time":""#);
            out.extend_from_slice(time.write_to(&mut [0; 30]).as_bytes());
            out.push(b'"');
        }
        if let Some(received_at) = self.received_at {
            out.extend_from_slice(br#","received_at":""#);
            out.extend_from_slice(received_at.write_to(&mut [0; 30]).as_bytes());
            out.push(b'"');
        }
        out.extend_from_slice(br#","session_id":"#);
        string(out, self.session_id.as_str());
        if let Some(native_session_id) = &self.native_session_id {
            out.extend_from_slice(br#","native_session_id":"#);
            string(out, native_session_id.as_str());
        }
        if let Some(turn_id) = &self.turn_id {
            out.extend_from_slice(br#","turn_id":"#);
            string(out, turn_id.as_str());
        }
        out.extend_from_slice(br#","agent_path":["#);
        for (place, step) in self.agent_path.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            string(out, step.as_str());
        }
        out.extend_from_slice(br#"],"origin":""#);
        out.extend_from_slice(self.origin.as_str().as_bytes());
        out.extend_from_slice(br#"","type":""#);
        escaped(out, self.body.event_type());
        out.extend_from_slice(br#"","data":"#);
        match &self.body {
            EventBody::ItemDelta(delta) => item_delta(out, delta),
            EventBody::ItemStarted(state)
            | EventBody::ItemUpdated(state)
            | EventBody::ItemCompleted(state) => {
                item_state(out, state)?;
            }
            body => body.write_data(out)?,
        }
        if let Some(native) = &self.native {
            out.extend_from_slice(br#","native":"#);
            native_ref(out, native)?;
        }
        out.push(b'}');
        Ok(())
    }
}

fn native_ref(out: &mut Vec<u8>, native: &NativeRef) -> Result<(), serde_json::Error> {
    out.extend_from_slice(br#"{"line":"#);
    number(out, native.line);
    out.extend_from_slice(br#","offset":"#);
    number(out, native.offset);
    out.extend_from_slice(br#","length":"#);
    number(out, native.length);
    out.extend_from_slice(br#","rule":"#);
    string(out, native.rule.as_str());
    if let Some(raw) = &native.raw {
        out.extend_from_slice(br#","raw":"#);
        serde_json::to_writer(&mut *out, raw)?;
    }
    out.push(b'}');
    Ok(())
}
