//! The event: one line of the universal stream.

use std::fmt;
use std::sync::Arc;

use serde::de::Error as _;
use serde::ser::{Error as _, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::error::ErrorData;
use super::extra::Extra;
use super::id::{ItemId, NativeSessionId, SessionId, TurnId};
use super::item::{ItemDelta, ItemState};
use super::json::Json;
use super::native::NativeRef;
use super::open::OpenVariant;
use super::request::{
    HostCallRequested, HostCallResolved, PermissionRequested, PermissionResolved, QuestionRequested,
    QuestionResolved,
};
use super::session::{SessionEnded, SessionStarted, SessionUpdated};
use super::timestamp::Timestamp;
use super::turn::{TurnEnded, TurnStarted};
use super::unparsed::Unparsed;
use super::usage::UsageReported;
use super::words::closed_words;

/// An event of a session: an envelope with time, place and origin,
/// and a body with what happened.
///
/// It is written as one flat object, with the body as `type` and `data`. Absent fields are
/// left out, but for `agent_path`, which is always there.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::{Channel, Event, ItemDelta, Origin};
/// let delta = ItemDelta::new("msg_1", 0, Channel::Text, "Looking.");
/// let event = Event::new("s1", 4, Origin::Daemon, delta);
/// let json = serde_json::to_string(&event)?;
/// assert_eq!(
///     json,
///     concat!(
///         r#"{"event_id":"s1:4","sequence":4,"session_id":"s1","agent_path":[],"origin":"daemon","#,
///         r#""type":"item.delta","data":{"item_id":"msg_1","part":0,"channel":"text","delta":"Looking."}}"#,
///     ),
/// );
/// assert_eq!(serde_json::from_str::<Event>(&json)?, event);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Event {
    /// The event's place in its session: 1, 2, 3 … without gaps.
    pub sequence: u64,
    /// When it happened, if the native message has a time.
    pub time: Option<Timestamp>,
    /// When the host received it, if the host sets this.
    pub received_at: Option<Timestamp>,
    /// The session.
    pub session_id: SessionId,
    /// The provider's own name of the session.
    pub native_session_id: Option<NativeSessionId>,
    /// The turn, when it lies in one.
    pub turn_id: Option<TurnId>,
    /// The tool calls that lead from the main agent to the sub-agent that acted, for
    /// sub-agents that share their parent's session; empty for the main agent.
    pub agent_path: Vec<ItemId>,
    /// Who states it.
    pub origin: Origin,
    /// The native message that it came from.
    pub native: Option<NativeRef>,
    /// What happened.
    pub body: EventBody,
    /// What was read and has no place in the fields above, nor in those of the body.
    pub extra: Extra,
}

impl Event {
    /// An event of the main agent, without times, turn and native place.
    #[must_use]
    pub fn new(
        session_id: impl Into<SessionId>,
        sequence: u64,
        origin: Origin,
        body: impl Into<EventBody>,
    ) -> Self {
        Self {
            sequence,
            time: None,
            received_at: None,
            session_id: session_id.into(),
            native_session_id: None,
            turn_id: None,
            agent_path: Vec::new(),
            origin,
            native: None,
            body: body.into(),
            extra: Extra::default(),
        }
    }

    /// The event's name, unique in the stream: `{session_id}:{sequence}`. It is made from
    /// the two when it is asked for; print it, or compare it as text.
    #[must_use]
    pub fn event_id(&self) -> EventId<'_> {
        EventId(self)
    }
}

/// An event's name, `{session_id}:{sequence}`, that is put together only when it is written.
#[derive(Clone, Copy, Debug)]
pub struct EventId<'a>(&'a Event);

impl fmt::Display for EventId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.session_id.as_str())?;
        f.write_str(":")?;
        fmt::Display::fmt(&self.0.sequence, f)
    }
}

impl PartialEq<str> for EventId<'_> {
    fn eq(&self, text: &str) -> bool {
        text.rsplit_once(':').is_some_and(|(session, sequence)| {
            self.0.session_id == session && sequence == self.0.sequence.to_string()
        })
    }
}

impl PartialEq<&str> for EventId<'_> {
    fn eq(&self, text: &&str) -> bool {
        *self == **text
    }
}

impl Serialize for EventId<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

closed_words! {
    /// Who states that something happened.
    pub enum Origin {
        /// The provider.
        Agent = "agent",
        /// The translation, which concluded it.
        Daemon = "daemon",
    }
}

/// Defines the bodies of events: their names, their data, and the way from one to the other.
macro_rules! event_bodies {
    ($( $(#[doc = $doc:literal])* $variant:ident($data:ty) = $type:literal, )*) => {
        /// What happened. More types and words may come: an event that this build cannot read is kept whole.
        ///
        /// ```
        /// # extern crate interlingua_core as interlingua;
        /// use interlingua::vocabulary::{Event, EventBody};
        /// let json = concat!(
        ///     r#"{"event_id":"s1:4","sequence":4,"session_id":"s1","agent_path":[],"origin":"agent","#,
        ///     r#""type":"weather.changed","data":{"city":"Oslo"}}"#,
        /// );
        /// let event: Event = serde_json::from_str(json)?;
        /// assert!(matches!(&event.body, EventBody::Other(_)));
        /// assert_eq!(event.body.event_type(), "weather.changed");
        /// assert_eq!(serde_json::to_string(&event)?, json);
        /// # Ok::<(), serde_json::Error>(())
        /// ```
        #[derive(Clone, PartialEq, Debug)]
        #[non_exhaustive]
        pub enum EventBody {
            $( $(#[doc = $doc])* $variant($data), )*
            /// An event that this build cannot read, kept whole: its type is unknown, or its data holds something unknown.
            Other(OtherBody),
        }

        impl EventBody {
            /// The event types that this build knows, in the order of this enum.
            pub const TYPES: &'static [&'static str] = &[$( $type, )*];

            /// The event's `type`.
            #[must_use]
            pub fn event_type(&self) -> &str {
                match self {
                    $( Self::$variant(_) => $type, )*
                    Self::Other(other) => &other.event_type,
                }
            }

            /// The event's `data` as JSON.
            ///
            /// # Errors
            /// When the data cannot be written as JSON, as a cost that is no finite number.
            ///
            /// ```
            /// # extern crate interlingua_core as interlingua;
            /// use interlingua::vocabulary::{EventBody, TurnStarted};
            /// let body = EventBody::from(TurnStarted::new("t1"));
            /// assert_eq!(body.data_json()?, r#"{"turn_id":"t1"}"#);
            /// # Ok::<(), serde_json::Error>(())
            /// ```
            pub fn data_json(&self) -> Result<String, serde_json::Error> {
                match self {
                    $( Self::$variant(data) => serde_json::to_string(data), )*
                    Self::Other(other) => Ok(other.data.get().to_owned()),
                }
            }

            /// Appends the data to `out` as JSON.
            pub(super) fn write_data(&self, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
                match self {
                    $( Self::$variant(data) => serde_json::to_writer(out, data), )*
                    Self::Other(other) => {
                        out.extend_from_slice(other.data.get().as_bytes());
                        Ok(())
                    }
                }
            }

            /// Reads the data of a type that this build knows.
            fn read_known(event_type: &str, data: &str) -> Option<Result<Self, serde_json::Error>> {
                Some(match event_type {
                    $( $type => serde_json::from_str(data).map(Self::$variant), )*
                    _ => return None,
                })
            }
        }

        /// Writes a body's data alone.
        struct Data<'a>(&'a EventBody);

        impl Serialize for Data<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self.0 {
                    $( EventBody::$variant(data) => data.serialize(serializer), )*
                    EventBody::Other(other) => other.data.serialize(serializer),
                }
            }
        }

        /// The event types, each with what it says and the schema of its data.
        #[cfg(feature = "schema")]
        pub(super) fn data_schemas(
            generator: &mut schemars::SchemaGenerator,
        ) -> Vec<(&'static str, &'static str, schemars::Schema)> {
            vec![$( ($type, concat!($( $doc ),*).trim_ascii_start(), generator.subschema_for::<$data>()), )*]
        }
    };
}

event_bodies! {
    /// The first event of every session.
    SessionStarted(Box<SessionStarted>) = "session.started",
    /// Something about the session was learnt later, or has changed.
    SessionUpdated(Box<SessionUpdated>) = "session.updated",
    /// The last event of its session.
    SessionEnded(Box<SessionEnded>) = "session.ended",
    /// A turn starts.
    TurnStarted(TurnStarted) = "turn.started",
    /// A turn ends.
    TurnEnded(Box<TurnEnded>) = "turn.ended",
    /// An item starts, with its content so far.
    ItemStarted(ItemState) = "item.started",
    /// Text is appended to a part of an open item.
    ItemDelta(ItemDelta) = "item.delta",
    /// An open item changes in a way that a delta cannot express.
    ItemUpdated(ItemState) = "item.updated",
    /// An item completes, with its final content.
    ItemCompleted(ItemState) = "item.completed",
    /// The agent requests permission.
    PermissionRequested(Box<PermissionRequested>) = "permission.requested",
    /// A permission request is resolved.
    PermissionResolved(Box<PermissionResolved>) = "permission.resolved",
    /// The agent asks the user a question.
    QuestionRequested(Box<QuestionRequested>) = "question.requested",
    /// A question is resolved.
    QuestionResolved(Box<QuestionResolved>) = "question.resolved",
    /// The agent asks its host to do something.
    HostCallRequested(Box<HostCallRequested>) = "host-call.requested",
    /// A host call is resolved.
    HostCallResolved(Box<HostCallResolved>) = "host-call.resolved",
    /// Tokens and money were used.
    UsageReported(Box<UsageReported>) = "usage.reported",
    /// Something went wrong.
    Error(Box<ErrorData>) = "error",
    /// A native message could not be translated.
    AgentUnparsed(Box<Unparsed>) = "agent.unparsed",
}

/// The body of an event that this build cannot read: its type is unknown, or its data holds something unknown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherBody {
    event_type: Arc<str>,
    data: Json,
}

impl OtherBody {
    /// The event's data, byte for byte as it was sent.
    #[must_use]
    pub fn data(&self) -> &Json {
        &self.data
    }

    /// Why the data of a type that this build knows cannot be read; `None` for an unknown type.
    ///
    /// ```
    /// # extern crate interlingua_core as interlingua;
    /// use interlingua::vocabulary::{Event, EventBody};
    /// let json = concat!(
    ///     r#"{"event_id":"s1:4","sequence":4,"session_id":"s1","agent_path":[],"origin":"agent","#,
    ///     r#""type":"item.delta","data":{"item_id":"m1","part":0,"channel":"smell","delta":"x"}}"#,
    /// );
    /// let event: Event = serde_json::from_str(json)?;
    /// let EventBody::Other(other) = &event.body else { panic!("`smell` is no channel yet") };
    /// assert!(other.problem().expect("a known type").to_string().contains("smell"));
    /// assert_eq!(serde_json::to_string(&event)?, json);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn problem(&self) -> Option<serde_json::Error> {
        EventBody::read_known(&self.event_type, self.data.get())?.err()
    }
}

impl EventBody {
    /// Wraps the data of an event type of the caller's own; the type is the tag.
    ///
    /// # Errors
    /// When the value cannot be written as JSON, or when its tag is a known type and its fields do not fit.
    pub fn custom<T: OpenVariant>(value: &T) -> Result<Self, serde_json::Error> {
        let data = Json::from_value(value)?;
        Self::read_known(T::TAG, data.get())
            .unwrap_or_else(|| Ok(Self::Other(OtherBody { event_type: T::TAG.into(), data })))
    }

    /// Reads a body. Data that this build cannot read is kept whole, since a later version may write words that this one
    /// does not know.
    fn read(event_type: &str, data: &str) -> Result<Self, serde_json::Error> {
        match Self::read_known(event_type, data) {
            Some(Ok(body)) => Ok(body),
            _ => Json::parse(data.to_owned())
                .map(|data| Self::Other(OtherBody { event_type: event_type.into(), data })),
        }
    }

    /// Reads the data of an event type of the caller's own: `None` when the type is another one, an error when the
    /// fields do not fit.
    #[must_use]
    pub fn as_custom<T: OpenVariant>(&self) -> Option<Result<T, serde_json::Error>> {
        if self.event_type() != T::TAG {
            return None;
        }
        Some(match self {
            Self::Other(other) => other.data.to(),
            known => serde_json::to_string(&Data(known)).and_then(|json| serde_json::from_str(&json)),
        })
    }
}

/// Lets the data of an event type stand for its body, where the type is told by the data.
macro_rules! bodies_from_data {
    ($( boxed $boxed:ident($boxed_data:ty), )* $( plain $plain:ident($plain_data:ty), )*) => {
        $(
            impl From<$boxed_data> for EventBody {
                fn from(data: $boxed_data) -> Self {
                    Self::$boxed(Box::new(data))
                }
            }
        )*
        $(
            impl From<$plain_data> for EventBody {
                fn from(data: $plain_data) -> Self {
                    Self::$plain(data)
                }
            }
        )*
    };
}

bodies_from_data! {
    boxed SessionStarted(SessionStarted),
    boxed SessionUpdated(SessionUpdated),
    boxed SessionEnded(SessionEnded),
    boxed TurnEnded(TurnEnded),
    boxed PermissionRequested(PermissionRequested),
    boxed PermissionResolved(PermissionResolved),
    boxed QuestionRequested(QuestionRequested),
    boxed QuestionResolved(QuestionResolved),
    boxed HostCallRequested(HostCallRequested),
    boxed HostCallResolved(HostCallResolved),
    boxed UsageReported(UsageReported),
    boxed Error(ErrorData),
    boxed AgentUnparsed(Unparsed),
    plain TurnStarted(TurnStarted),
    plain ItemDelta(ItemDelta),
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.extra.is_empty() {
            let mut json = Vec::new();
            self.write_json(&mut json).map_err(S::Error::custom)?;
            let json = String::from_utf8(json).map_err(S::Error::custom)?;
            return Json::checked(json).serialize(serializer);
        }
        let optional = usize::from(self.time.is_some())
            + usize::from(self.received_at.is_some())
            + usize::from(self.native_session_id.is_some())
            + usize::from(self.turn_id.is_some())
            + usize::from(self.native.is_some());
        let mut object = serializer.serialize_struct("Event", 7 + optional)?;
        object.serialize_field("event_id", &self.event_id())?;
        object.serialize_field("sequence", &self.sequence)?;
        if let Some(time) = &self.time {
            object.serialize_field("time", time)?;
        }
        if let Some(received_at) = &self.received_at {
            object.serialize_field("received_at", received_at)?;
        }
        object.serialize_field("session_id", &self.session_id)?;
        if let Some(native_session_id) = &self.native_session_id {
            object.serialize_field("native_session_id", native_session_id)?;
        }
        if let Some(turn_id) = &self.turn_id {
            object.serialize_field("turn_id", turn_id)?;
        }
        object.serialize_field("agent_path", &self.agent_path)?;
        object.serialize_field("origin", &self.origin)?;
        object.serialize_field("type", self.body.event_type())?;
        object.serialize_field("data", &Data(&self.body))?;
        if let Some(native) = &self.native {
            object.serialize_field("native", native)?;
        }
        object.end()
    }
}

/// An event as it stands on the wire, before its data is read by its type.
#[derive(Deserialize)]
struct Envelope<'a> {
    event_id: Option<String>,
    sequence: u64,
    time: Option<Timestamp>,
    received_at: Option<Timestamp>,
    session_id: SessionId,
    native_session_id: Option<NativeSessionId>,
    turn_id: Option<TurnId>,
    #[serde(default)]
    agent_path: Vec<ItemId>,
    origin: Origin,
    r#type: String,
    #[serde(borrow)]
    data: &'a RawValue,
    native: Option<NativeRef>,
}

/// Reading checks that `event_id`, when it is there, fits `session_id` and `sequence`. What the types do not know is
/// found by writing what was read: only where the texts differ is there more to find.
impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        let envelope: Envelope<'_> = json.to().map_err(D::Error::custom)?;
        let body = EventBody::read(&envelope.r#type, envelope.data.get()).map_err(D::Error::custom)?;
        let mut event = Self {
            sequence: envelope.sequence,
            time: envelope.time,
            received_at: envelope.received_at,
            session_id: envelope.session_id,
            native_session_id: envelope.native_session_id,
            turn_id: envelope.turn_id,
            agent_path: envelope.agent_path,
            origin: envelope.origin,
            native: envelope.native,
            body,
            extra: Extra::default(),
        };
        if let Some(id) = envelope.event_id
            && event.event_id() != id.as_str()
        {
            return Err(D::Error::custom(format_args!("event_id `{id}` should be `{}`", event.event_id())));
        }
        let mut written = Vec::with_capacity(json.get().len());
        event.write_json(&mut written).map_err(D::Error::custom)?;
        event.extra = Extra::beyond(json.get(), std::str::from_utf8(&written).map_err(D::Error::custom)?);
        Ok(event)
    }
}
