//! The current state of an item, with everything that belongs to it.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::vocabulary::id::TurnId;
use crate::vocabulary::item::Item;
use crate::vocabulary::json::Json;
use crate::vocabulary::timestamp::Timestamp;

/// The current state of an item: the fields of [`Item`], and everything that belongs to it.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::{Item, ItemKind, TranscriptItem};
/// let entry = TranscriptItem::new(Item::new("msg_1", ItemKind::Message));
/// assert_eq!(
///     serde_json::to_string(&entry)?,
///     r#"{"item_id":"msg_1","kind":"message","status":"in-progress","content":[]}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TranscriptItem {
    /// The item. Once it is completed, it equals the item of its `item.completed`.
    #[serde(flatten)]
    pub item: Item,
    /// The turn that it lies in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// When it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it was completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// What a running tool has written so far. A completed result has its output in its `content` instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live_output: Option<String>,
    /// The result of a tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<TranscriptItem>>,
    /// The items of the sub-agent that a tool call started, when it shares the session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<TranscriptItem>,
}

impl TranscriptItem {
    /// An item to which nothing belongs yet.
    #[must_use]
    pub fn new(item: Item) -> Self {
        Self {
            item,
            turn_id: None,
            started_at: None,
            ended_at: None,
            live_output: None,
            result: None,
            items: Vec::new(),
        }
    }
}

/// The maximum nesting of sub-agents' items: those of deeper sub-agents are placed beside their call.
pub(crate) const DEPTH: usize = 16;

/// What belongs to an item, beside the item's own fields.
#[derive(Deserialize)]
struct Belongings {
    turn_id: Option<TurnId>,
    started_at: Option<Timestamp>,
    ended_at: Option<Timestamp>,
    live_output: Option<String>,
    result: Option<Json>,
    #[serde(default)]
    items: Vec<Json>,
}

/// Native JSON inside an item has to be read straight from the text, which `serde(flatten)` does not do. So the
/// object is read twice: once for the item, and once for what belongs to it.
fn read(json: &str, depth: usize) -> Result<TranscriptItem, serde_json::Error> {
    if depth > DEPTH + 1 {
        return Err(serde_json::Error::custom(format_args!("items nest deeper than {DEPTH} levels")));
    }
    let belongings: Belongings = serde_json::from_str(json)?;
    let result = belongings.result.map(|result| read(result.get(), depth + 1)).transpose()?;
    Ok(TranscriptItem {
        item: serde_json::from_str(json)?,
        turn_id: belongings.turn_id,
        started_at: belongings.started_at,
        ended_at: belongings.ended_at,
        live_output: belongings.live_output,
        result: result.map(Box::new),
        items: belongings.items.iter().map(|item| read(item.get(), depth + 1)).collect::<Result<_, _>>()?,
    })
}

impl<'de> Deserialize<'de> for TranscriptItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        read(json.get(), 0).map_err(D::Error::custom)
    }
}
