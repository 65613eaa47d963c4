//! The documents as a site: `docs/SUMMARY.md` and `docs/vocabulary.md` are generated, and `cargo xtask book` builds the site with mdbook.

mod reference;
mod site;
mod summary;

use std::path::{Path, PathBuf};

use interlingua_table::Layer;

use crate::generator::Generated;
use crate::maps;

pub use self::site::build;

/// Makes the table of contents and the reference of the vocabulary.
///
/// # Errors
///
/// When a map does not compile, or the schema of the vocabulary has a shape that the reference cannot show.
pub fn generate(root: &Path) -> Result<Vec<Generated>, String> {
    let maps = maps::compile(root)?;
    let (agents, models): (Vec<_>, Vec<_>) =
        maps.into_iter().partition(|map| map.table.layer == Layer::Agent);
    Ok(vec![
        (PathBuf::from("docs/SUMMARY.md"), summary::page(root, &agents, &models)?),
        (PathBuf::from("docs/vocabulary.md"), reference::page(&agents)?),
    ])
}
