//! What a provider demands of a request to a language model beyond its schema.

/// The demands of a provider, as the settings of its map say. What a request does not meet is repaired before the map
/// writes it, and each repair is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demands {
    /// The ids of tool calls that it takes.
    pub call_ids: CallIds,
    /// Where it expects the results of tool calls.
    pub results: Results,
    /// It refuses texts of nothing but white space.
    pub no_blank_texts: bool,
}

impl Demands {
    /// None at all: ids are not empty, as everywhere.
    pub const NONE: Self = Self { call_ids: CallIds::ANY, results: Results::Anywhere, no_blank_texts: false };
}

/// Ids of tool calls: which characters they are made of, and how many.
///
/// ```
/// use interlingua_table::CallIds;
/// let ids = CallIds { characters: &[('a', 'z'), ('0', '9')], shortest: 1, longest: 4 };
/// assert!(ids.takes("ab1") && !ids.takes("a.b") && !ids.takes("abcde") && !ids.takes(""));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallIds {
    /// Ranges of characters, the last one included; empty for any character.
    pub characters: &'static [(char, char)],
    /// The fewest characters.
    pub shortest: usize,
    /// The most characters.
    pub longest: usize,
}

impl CallIds {
    /// Any id that is not empty.
    pub const ANY: Self = Self { characters: &[], shortest: 1, longest: usize::MAX };

    /// Whether an id may hold this character.
    #[must_use]
    pub fn may_hold(&self, character: char) -> bool {
        let Self { characters, .. } = self;
        characters.is_empty() || characters.iter().any(|(first, last)| (*first..=*last).contains(&character))
    }

    /// Whether this is such an id.
    #[must_use]
    pub fn takes(&self, id: &str) -> bool {
        let length = id.chars().count();
        (self.shortest..=self.longest).contains(&length) && id.chars().all(|one| self.may_hold(one))
    }
}

/// Where a provider expects the results of tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Results {
    /// The map does not say.
    Anywhere,
    /// One for each call of a message, right behind that message.
    AfterMessage,
    /// One for each call of the assistant's messages in a row, right behind the last of them.
    AfterTurn,
}
