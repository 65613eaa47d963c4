//! What a caller can choose about a translation.

use crate::framing;
use crate::json;
use crate::vocabulary::SessionId;

/// Choices for one [`Translator`](super::Translator).
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::Options;
/// let options = Options::new().session_id("build-7").raw(true).message_limit(1 << 20);
/// assert_eq!(options, options.clone());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub(crate) session_id: SessionId,
    pub(crate) raw: bool,
    pub(crate) message_limit: usize,
    pub(crate) closed_window: usize,
    pub(crate) depth_limit: usize,
    pub(crate) count_unread: bool,
    pub(crate) text_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            session_id: SessionId::from("s1"),
            raw: false,
            message_limit: framing::DEFAULT_LIMIT,
            closed_window: 65_536,
            depth_limit: json::DEFAULT_MAX_DEPTH,
            count_unread: false,
            text_limit: usize::MAX,
        }
    }
}

impl Options {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of the stream's first session; further ones are called `{id}-2`, `{id}-3`, ….
    /// The default is `s1`.
    #[must_use]
    pub fn session_id(mut self, id: impl Into<SessionId>) -> Self {
        self.session_id = id.into();
        self
    }

    /// Whether each event carries the exact native bytes that it came from. Off by default.
    #[must_use]
    pub fn raw(mut self, raw: bool) -> Self {
        self.raw = raw;
        self
    }

    /// The longest message in bytes that is translated; a longer one becomes
    /// `agent.unparsed`. The default is 64 MiB.
    #[must_use]
    pub fn message_limit(mut self, bytes: usize) -> Self {
        self.message_limit = bytes;
        self
    }

    /// How many closed items of a session are remembered, so that what arrives for them is
    /// known to be late. The default is 65,536.
    #[must_use]
    pub fn closed_window(mut self, items: usize) -> Self {
        self.closed_window = items;
        self
    }

    /// How many bytes of each text are translated, before its escapes are decoded; the rest is left out. For those who
    /// only count, and need no long texts: events are then right but for the ends of such texts. What is kept as
    /// JSON, such as arguments, stays whole. There is no limit by default.
    #[must_use]
    pub fn text_limit(mut self, bytes: usize) -> Self {
        self.text_limit = bytes;
        self
    }

    /// How deep arrays and objects of a message may nest; a deeper message becomes
    /// `agent.unparsed`. The default is [`json::DEFAULT_MAX_DEPTH`].
    #[must_use]
    pub fn depth_limit(mut self, levels: usize) -> Self {
        self.depth_limit = levels;
        self
    }

    /// Whether members that no rule reads are counted in [`Stats::unread`](super::Stats::unread). Off by default, since it looks at each
    /// message once more.
    #[must_use]
    pub fn count_unread(mut self, count: bool) -> Self {
        self.count_unread = count;
        self
    }
}
