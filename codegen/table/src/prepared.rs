//! A place for what an engine prepares from a table.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// What an engine has prepared from a table, so that it does so once for all streams of the process. It is empty until
/// the first use, and holds nothing that does not follow from the table: two tables are equal whatever was prepared.
///
/// ```
/// use interlingua_table::Prepared;
///
/// static PLACE: Prepared = Prepared::new();
/// assert_eq!(*PLACE.get_or_prepare(|| 7), 7);
/// assert_eq!(*PLACE.get_or_prepare(|| 8), 7, "it was prepared before");
/// ```
#[derive(Default)]
pub struct Prepared(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Prepared {
    /// An empty place.
    #[must_use]
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// What was prepared. Where the place holds something of another type, it is prepared anew and not kept.
    pub fn get_or_prepare<T: Any + Send + Sync>(&self, prepare: impl Fn() -> T) -> Arc<T> {
        let kept = self.0.get_or_init(|| Arc::new(prepare()));
        Arc::downcast(Arc::clone(kept)).unwrap_or_else(|_| Arc::new(prepare()))
    }
}

impl PartialEq for Prepared {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "Prepared" } else { "Prepared(nothing yet)" })
    }
}
