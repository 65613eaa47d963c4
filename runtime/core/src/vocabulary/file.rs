//! Files that are shown to a model.

use serde::{Deserialize, Serialize};

use super::open::OpenVariant;
use super::setters::with;

/// A file by address or by value: a document, a recording. It is a block of the type `file`, for the messages of a
/// host; where an agent has a block of that type, it is kept whole, as the agent says it.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::{ContentBlock, File};
/// let block = ContentBlock::custom(&File::from_uri("file:///tmp/a.pdf").with_mime("application/pdf"))?;
/// let json = r#"{"type":"file","mime":"application/pdf","uri":"file:///tmp/a.pdf"}"#;
/// assert_eq!(serde_json::to_string(&block)?, json);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct File {
    /// The file's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The media type, such as `application/pdf`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// Where the file is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The file itself, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
}

impl File {
    /// A file by its address.
    #[must_use]
    pub fn from_uri(uri: impl Into<String>) -> Self {
        Self { uri: Some(uri.into()), ..Self::default() }
    }

    /// A file by its bytes, in base64.
    #[must_use]
    pub fn from_base64(data: impl Into<String>) -> Self {
        Self { data: Some(data.into()), ..Self::default() }
    }

    with! {
        with_name: name = String;
        with_mime: mime = String;
    }
}

impl OpenVariant for File {
    const TAG: &'static str = "file";
}
