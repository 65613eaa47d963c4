//! The sessions of coding agents as Arrow tables.
//!
//! [`Tables`] takes the events of one source after another, and gives the rows of eight tables: what sessions are, and
//! their turns, items, tool calls, usage, changed files and events. [`Table::columns`] says what each column means.
//! Null is what is not known, never zero.
//!
//! ```
//! use interlingua::{EventReader, Options};
//! use interlingua_arrow::{Choice, Outcome, Reading, Source, Table, Tables};
//!
//! let input = &b"{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}\n"[..];
//! let mut tables = Tables::new(Choice::all());
//! let source = Source::new("run.jsonl").provider("codex");
//! let events = EventReader::detect(input, Options::default().session_id(source.session_id()))?;
//! let mut reading = Reading::new(source);
//! for event in events {
//!     reading.push(&mut tables, event?);
//! }
//! reading.finish(&mut tables, &Outcome::default());
//! let batches = tables.take()?;
//! let (table, sessions) = &batches[1];
//! assert_eq!((*table, sessions.num_rows()), (Table::Sessions, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `parquet`, [`ParquetFolder`] writes the tables as files.

#![forbid(unsafe_code)]

mod column;
#[cfg(feature = "parquet")]
mod parquet_folder;
mod rows;
mod schema;
mod tables;

pub use column::{Column, Kind};
#[cfg(feature = "parquet")]
pub use parquet_folder::ParquetFolder;
pub use schema::Table;
pub use tables::{Choice, Copies, Outcome, Pricing, Reading, Source, Tables};

/// The version of the tables. It changes when a column goes away or changes its meaning; new columns leave it.
pub const VERSION: &str = "1";
