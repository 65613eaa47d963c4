//! Where a path starts: the message, and the elements that surround the current one.

use std::borrow::Cow;
use std::fmt::Write as _;

use interlingua_table::{Path, PathStart, Step};

use crate::json::{KeyId, Value};

/// The current value and those around it, down the stack.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'v, 'p> {
    /// The whole message.
    pub(crate) root: Value<'v>,
    /// The current value.
    pub(crate) here: Value<'v>,
    /// Its place in the innermost `each`, from 0.
    pub(crate) position: usize,
    within: Option<Within<'v, 'p>>,
}

/// What the current value is an element of.
#[derive(Clone, Copy)]
struct Within<'v, 'p> {
    over: &'static Path,
    what: Element,
    outer: &'p Scope<'v, 'p>,
}

/// How a value is an element of what an `each` goes over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    /// An item of an array.
    Item,
    /// The value of an object's entry.
    Entry,
    /// The value itself, taken as the only element of an `each`.
    Alone,
    /// The value itself: the `each` around it stays the innermost one.
    Itself,
}

impl<'v, 'p> Scope<'v, 'p> {
    /// The message itself.
    pub(crate) fn message(root: Value<'v>) -> Self {
        Self { root, here: root, position: 0, within: None }
    }

    /// An element of what an `each` goes over.
    pub(crate) fn element(
        outer: &'p Scope<'v, 'p>,
        over: &'static Path,
        what: Element,
        here: Value<'v>,
        position: usize,
    ) -> Self {
        Self { root: outer.root, here, position, within: Some(Within { over, what, outer }) }
    }

    /// Where a path with this beginning starts.
    #[inline]
    pub(crate) fn start(&self, from: PathStart) -> Option<Value<'v>> {
        match from {
            PathStart::Root => Some(self.root),
            PathStart::Here => Some(self.here),
            PathStart::Outer(levels) => Some(self.outer(levels)?.here),
        }
    }

    fn outer(&self, levels: u8) -> Option<&Scope<'v, 'p>> {
        let mut scope = self;
        for _ in 0..levels {
            scope = scope.within.as_ref()?.outer;
        }
        Some(scope)
    }

    /// The key of the current entry in the innermost `each` over an object.
    pub(crate) fn entry_key(&self) -> Option<Cow<'v, str>> {
        let within = self.within.as_ref()?;
        match within.what {
            Element::Entry => Some(self.here.key()),
            Element::Itself => within.outer.entry_key(),
            Element::Item | Element::Alone => None,
        }
    }

    /// The path of the current value in the message; empty for the message itself.
    pub(crate) fn location(&self, keys: &[&str]) -> String {
        let Some(within) = &self.within else {
            return String::new();
        };
        let mut location = within.outer.locate(within.over, keys);
        match within.what {
            Element::Item => {
                let _ = write!(location, "[{}]", self.position);
            }
            Element::Entry => push_key(&mut location, &self.here.key()),
            Element::Alone | Element::Itself => {}
        }
        location
    }

    /// A path as a JSON path from the message's root.
    pub(crate) fn locate(&self, path: &Path, keys: &[&str]) -> String {
        let mut location = match path.scope {
            PathStart::Root => String::new(),
            PathStart::Here => self.location(keys),
            PathStart::Outer(levels) => {
                self.outer(levels).map_or_else(String::new, |scope| scope.location(keys))
            }
        };
        for step in path.steps {
            match step {
                Step::Key(key) => {
                    push_key(&mut location, keys.get(usize::from(*key)).copied().unwrap_or("?"))
                }
                Step::Index(place) => {
                    let _ = write!(location, "[{place}]");
                }
                Step::Lookup(_) | Step::Find(..) => location.push_str("[…]"),
            }
        }
        location
    }
}

fn push_key(location: &mut String, key: &str) {
    if !location.is_empty() {
        location.push('.');
    }
    location.push_str(key);
}

/// The index's number of a table's key.
#[inline]
pub(crate) fn key_id(key: u16) -> KeyId {
    KeyId(key + 1)
}
