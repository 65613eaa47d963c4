//! Where a map's schema stands, and its declared additions.

use std::fs;
use std::path::{Path, PathBuf};

/// The text of a schema and of the declared additions to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaText {
    /// The schema, as published.
    pub schema: String,
    /// The declared additions; empty when there are none.
    pub additions: String,
}

impl SchemaText {
    /// A schema without additions.
    pub fn new(schema: impl Into<String>) -> Self {
        Self { schema: schema.into(), additions: String::new() }
    }
}

/// The files of a schema: itself, and the additions of the same name in the folder `additions`
/// beside it, where there are any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFiles {
    /// The schema.
    pub schema: PathBuf,
    /// Its additions, when the file exists.
    pub additions: Option<PathBuf>,
}

impl SchemaFiles {
    /// The files of the schema that a map in the file `map` names as `schema`.
    pub fn beside(map: &Path, schema: &str) -> Self {
        Self::of(&map.parent().unwrap_or(Path::new("")).join(schema))
    }

    /// The files of a schema.
    pub fn of(schema: &Path) -> Self {
        let additions = schema
            .file_name()
            .map(|name| schema.with_file_name("additions").join(name))
            .filter(|path| path.is_file());
        Self { schema: schema.to_owned(), additions }
    }

    /// Reads them.
    ///
    /// # Errors
    ///
    /// When a file cannot be read; the text says which and why.
    pub fn read(&self) -> Result<SchemaText, String> {
        let read =
            |path: &Path| fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
        Ok(SchemaText {
            schema: read(&self.schema)?,
            additions: self.additions.as_deref().map(read).transpose()?.unwrap_or_default(),
        })
    }

    /// All files, for those who track changes.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        [Some(self.schema.as_path()), self.additions.as_deref()].into_iter().flatten()
    }
}
