//! The laws themselves: number, name, text, reason, and an input that breaks each.

use std::fmt;

/// One of the inputs that together break a law.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Example {
    /// What the input is.
    pub title: &'static str,
    /// Lines of JSON.
    pub lines: &'static str,
}

/// Defines the laws once, for code, rustdoc and `docs/laws.md`.
macro_rules! laws {
    ($(
        $law:ident = $number:literal, $name:literal,
        text: $text:literal,
        reason: $reason:literal,
        broken_by: $($title:literal in $file:literal),+;
    )+) => {
        /// A law of the universal stream.
        ///
        /// ```
        /// # extern crate interlingua_core as interlingua;
        /// use interlingua::laws::Law;
        ///
        /// assert_eq!(Law::Order.to_string(), "law 1 (order)");
        /// assert_eq!(Law::ALL.len(), 12);
        /// for law in Law::ALL {
        ///     println!("{law}: {}", law.text());
        /// }
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Law {
            $(
                #[doc = concat!("Law ", $number, ", ", $name, ": ", $text)]
                ///
                #[doc = concat!("Reason: ", $reason)]
                $law = $number,
            )+
        }

        impl Law {
            /// All laws, in the order of their numbers.
            pub const ALL: [Self; [$($number),+].len()] = [$(Self::$law),+];

            /// The law's name, in lower case.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$law => $name,)+
                }
            }

            /// What the law says.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$law => $text,)+
                }
            }

            /// Why the law exists: what it lets a consumer do.
            #[must_use]
            pub const fn reason(self) -> &'static str {
                match self {
                    $(Self::$law => $reason,)+
                }
            }

            /// The inputs that together break this law and no other.
            #[must_use]
            pub const fn example(self) -> &'static [Example] {
                match self {
                    $(Self::$law => &[$(Example {
                        title: $title,
                        lines: include_str!(concat!("examples/", $file, ".jsonl")),
                    }),+],)+
                }
            }
        }
    };
}

laws! {
    Order = 1, "order",
    text: "The sequence numbers of a session start at 1 and have no gaps. `session.started` comes first, \
           `session.ended` comes once, and nothing follows it.",
    reason: "A consumer that stores events can tell from the numbers whether one is missing, and can resume after \
             the last one that it has.",
    broken_by: "events" in "01-order";

    ItemLife = 2, "item life",
    text: "An item starts once, before its deltas and updates, and completes once; no event updates it afterwards. \
           When a turn ends, its open items are closed, except those with `outlives_turn`.",
    reason: "A user interface that shows an item as running can rely on an event that ends it.",
    broken_by: "events" in "02-item-life";

    Text = 3, "text",
    text: "The deltas of a part, appended to the text that its item started with, equal the part's text in \
           `item.completed`, unless an `item.updated` replaced it. No text is emitted twice. The channels `output`, \
           `error-output` and `input` are live views and are not compared.",
    reason: "A consumer may append the deltas or wait for the completed item: it gets the same text either way.",
    broken_by: "events" in "03-text";

    Links = 4, "links",
    text: "`parent_id`, `item_id`, `call_id` and `agent_path` only name what started before. Each tool result has a \
           tool call.",
    reason: "A consumer can follow each link when it reads it, in one pass over the stream.",
    broken_by: "events" in "04-links";

    Turns = 5, "turns",
    text: "Each message, tool call, tool result and plan belongs to a turn. A turn starts once and ends once. A \
           turn with an error does not end as `completed`.",
    reason: "Consumers measure cost, duration and success by turn.",
    broken_by: "events" in "05-turns";

    Requests = 6, "requests",
    text: "Each permission request, question and host call is resolved exactly once: at the latest when its turn \
           ends, or its session if it has no turn.",
    reason: "A dialog that asks the user for permission must close when the agent no longer waits for the answer.",
    broken_by: "events" in "06-requests";

    Totality = 7, "totality",
    text: "Each native message is translated, ignored for a stated reason, or reported as `agent.unparsed`, so that \
           `translated + ignored + unparsed = messages`. An unknown field, variant or value does not affect the \
           rest of its message.",
    reason: "Agents add messages with each release. They must not disappear, and must not break what is known.",
    broken_by: "the counts of a translation" in "07-totality";

    Determinism = 8, "determinism",
    text: "The same bytes and options give the same events, byte for byte, however the input is split into chunks.",
    reason: "A recording can be translated again at any time, and snapshots can be compared byte for byte.",
    broken_by: "events of one run" in "08-determinism", "events of another run of the same bytes" in "08-determinism-again";

    Prefix = 9, "prefix",
    text: "The events for a prefix of the input, before `finish`, are a prefix of the events for the whole input.",
    reason: "A consumer can show events as they arrive: later input never revokes one.",
    broken_by: "events for a prefix of the input" in "09-prefix", "events for the whole input" in "09-prefix-whole";

    Truth = 10, "truth",
    text: "No exit code, cost, status, time or id is invented. What the engine concludes by itself has `origin: \
           daemon`. Absent is not zero, and unknown is not completed.",
    reason: "Consumers bill and decide by these values. A made-up zero or success looks like a fact and cannot be \
             detected later.",
    broken_by: "events" in "10-truth";

    Bounds = 11, "bounds",
    text: "Memory grows with what is open and with a fixed window of closed items, not with the length of the \
           stream. No input causes a panic.",
    reason: "A host can run an agent for weeks, on input that it does not control.",
    broken_by: "`state_len` after each tenth of a stream that leaves nothing open" in "11-bounds";

    NothingLost = 12, "nothing lost",
    text: "Each text, argument, output, diff and error of a translated message is in an event, unless the map \
           declares its field as dropped, or it repeats a text that was emitted before.",
    reason: "A consumer never needs the native stream as well.",
    broken_by: "texts of the native messages" in "12-nothing-lost", "events" in "12-nothing-lost-events";
}

impl Law {
    /// The law's number, from 1 to 12.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Whether the events of one stream show that the law is broken. The other laws compare a stream with its input or
    /// with another stream: see the functions of [this module](super).
    #[must_use]
    pub const fn is_visible_in_events(self) -> bool {
        !matches!(self, Self::Totality | Self::Determinism | Self::Prefix | Self::Bounds | Self::NothingLost)
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "law {} ({})", self.number(), self.name())
    }
}
