//! A changed file.

use serde::{Deserialize, Serialize};

use crate::vocabulary::block::ChangeKind;
use crate::vocabulary::id::ItemId;

/// A file that the session changed. Only changes of completed items count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TranscriptFile {
    /// The file, by its latest path.
    pub path: String,
    /// The total change: a new file that is edited is still new.
    pub change: ChangeKind,
    /// The path before a rename.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// How many changes there were.
    pub changes: u64,
    /// The items with the changes, as far as they are kept.
    pub items: Vec<ItemId>,
}
