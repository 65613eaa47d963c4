//! Where a map's schema stands, and its declared additions. What is read is limited: a map may come from a stranger.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The longest file of a map in bytes.
const MAP_BYTES: u64 = 4 << 20;

/// The longest schema, or file of additions, in bytes.
const SCHEMA_BYTES: u64 = 64 << 20;

/// How many files a map may include, those that included files include counted as well.
const INCLUDED: usize = 64;

/// Reads the text of a map file: a regular file of at most 4 MiB. Anything else, such as a pipe that never ends, is not
/// opened.
///
/// # Errors
///
/// When it cannot be read, is no regular file or is too long; the error says which.
pub fn read_map(path: &Path) -> io::Result<String> {
    read(path, MAP_BYTES)
}

fn read(path: &Path, limit: u64) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut text = String::new();
    File::open(path)?.take(limit + 1).read_to_string(&mut text)?;
    if text.len() as u64 > limit {
        return Err(io::Error::other(format!("it is longer than the {} MiB that are allowed", limit >> 20)));
    }
    Ok(text)
}

/// Where a map's files come from: its schema, and what it includes.
///
/// A closure gives the schema alone: such a map can include nothing. [`Beside`] reads both from where the map is.
pub trait Load {
    /// The schema that the map names.
    ///
    /// # Errors
    ///
    /// What is said about a schema that cannot be had.
    fn schema(&mut self, named: &str) -> Result<SchemaText, String>;

    /// The text of a file that the map includes, named from where the map is.
    ///
    /// # Errors
    ///
    /// What is said about a file that cannot be had.
    fn include(&mut self, named: &str) -> Result<String, String> {
        Err(format!("it is not known where `{named}` lies, since the map is no file"))
    }
}

impl<F: FnMut(&str) -> Result<SchemaText, String>> Load for F {
    fn schema(&mut self, named: &str) -> Result<SchemaText, String> {
        self(named)
    }
}

/// The files beside a map that is a file itself.
#[derive(Debug, Clone)]
pub struct Beside {
    map: PathBuf,
    schema: Option<PathBuf>,
    read: Vec<PathBuf>,
    included: usize,
}

impl Beside {
    /// The files beside a map.
    pub fn new(map: impl Into<PathBuf>) -> Self {
        Self { map: map.into(), schema: None, read: Vec::new(), included: 0 }
    }

    /// The same, with this file as the schema, whatever the map names.
    #[must_use]
    pub fn with_schema(mut self, schema: impl Into<PathBuf>) -> Self {
        self.schema = Some(schema.into());
        self
    }

    /// The files that were asked for, whether they could be read or not: what the map depends on.
    pub fn read(&self) -> &[PathBuf] {
        &self.read
    }
}

impl Load for Beside {
    fn schema(&mut self, named: &str) -> Result<SchemaText, String> {
        let files = match &self.schema {
            Some(schema) => SchemaFiles::of(schema),
            None => SchemaFiles::beside(&self.map, named),
        };
        self.read.extend(files.all().map(Path::to_owned));
        files.read()
    }

    fn include(&mut self, named: &str) -> Result<String, String> {
        let file = self.map.parent().unwrap_or(Path::new("")).join(named);
        self.included += 1;
        if self.included > INCLUDED {
            return Err(format!("a map may include {INCLUDED} files"));
        }
        let text = read_map(&file).map_err(|error| error.to_string());
        self.read.push(file);
        text
    }
}

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
            |path: &Path| read(path, SCHEMA_BYTES).map_err(|error| format!("{}: {error}", path.display()));
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
