//! The manifests of the schemas.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hmac_sha256::Hash as Sha256;
use interlingua_codegen::schema::normalise::Selection;
use interlingua_codegen::schema::{self, Schema};
use serde::Deserialize;

/// Where the agents' schemas lie, below the repository's root.
pub const FOLDER: &str = "resources/agent-schemas";

/// Where the schemas of models' streams and requests lie.
pub const MODELS: &str = "resources/model-schemas";

/// What the manifest says about one provider.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// The folder of its files, below the repository's root.
    #[serde(skip)]
    pub folder: &'static str,
    /// The schema's file, beside the manifest.
    pub schema: String,
    /// The file's SHA-256, in hexadecimal: it is what was extracted.
    pub sha256: String,
    /// The file of declared additions, beside the manifest.
    pub additions: String,
    /// The packages that it was extracted from.
    pub sources: Vec<Source>,
    /// The versions of the program whose recordings are bundled, or how those came about.
    pub recorded: Vec<String>,
    /// How it was extracted, in words.
    pub extracted: String,
    /// The definitions of what the agent sends.
    pub sends: Vec<String>,
    /// The definitions of what the agent accepts.
    pub accepts: Vec<String>,
    /// Definitions that are tables from a request's method (or route, or
    /// subtype) to the definition of the answer.
    pub tables: Vec<String>,
    /// For unions and tables of which not everything is generated: what is.
    pub only: BTreeMap<String, Vec<String>>,
    /// The unions whose members no tag tells apart, each with the reason why
    /// it becomes one object with the fields of all of them.
    pub merged: BTreeMap<String, String>,
}

/// A published package.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its name in the registry.
    pub package: String,
    /// Its exact version.
    pub version: String,
}

/// Reads the manifests: providers by name.
///
/// # Errors
///
/// When the file cannot be read, is not of the right shape, or lists nobody.
pub fn read(root: &Path) -> Result<BTreeMap<String, Provider>, String> {
    let mut all = BTreeMap::new();
    for folder in [FOLDER, MODELS] {
        let file = format!("{folder}/manifest.json");
        let text = read_file(root, &file)?;
        let providers: BTreeMap<String, Provider> =
            serde_json::from_str(&text).map_err(|error| format!("{file}: {error}"))?;
        if providers.is_empty() {
            return Err(format!("{file}: lists no providers"));
        }
        all.extend(providers.into_iter().map(|(name, provider)| (name, Provider { folder, ..provider })));
    }
    Ok(all)
}

impl Provider {
    /// Loads the schema with its additions.
    ///
    /// # Errors
    ///
    /// When a file is missing, differs from the manifest's checksum, or is
    /// broken; the error names the file.
    pub fn load(&self, root: &Path) -> Result<Schema, String> {
        let folder = self.folder;
        let schema_file = format!("{folder}/{}", self.schema);
        let text = read_file(root, &schema_file)?;
        let sum: String = Sha256::hash(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        schema::load(&text, "").map_err(|error| format!("{schema_file}: {error}"))?;
        if sum != self.sha256 {
            return Err(format!(
                "{schema_file}: its sha256 is {sum}, but {folder}/manifest.json says {}; \
                 a schema is never edited (what it lacks goes into {}), and an update names its new source and checksum",
                self.sha256, self.additions
            ));
        }
        let additions_file = format!("{folder}/{}", self.additions);
        let additions = read_file(root, &additions_file)?;
        schema::load(&text, &additions).map_err(|error| format!("{additions_file}: {error}"))
    }

    /// What of the schema is turned into types.
    pub fn selection(&self) -> Selection {
        let roots: std::collections::BTreeSet<&String> =
            self.sends.iter().chain(&self.accepts).chain(&self.tables).collect();
        Selection {
            roots: roots.into_iter().cloned().collect(),
            only: self.only.iter().map(|(name, patterns)| (name.clone(), patterns.clone())).collect(),
        }
    }
}

fn read_file(root: &Path, file: &str) -> Result<String, String> {
    fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"))
}
