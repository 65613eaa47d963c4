//! Tables, as streams of Arrow's interprocess format and as Parquet files.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use interlingua_cli::bindings::tables::{ArrowTable, Choice, Reader, Tables, export_parquet, pricing};
use napi::bindgen_prelude::{AsyncTask, Buffer};
use napi::{Env, Task};
use napi_derive::napi;

fn reason(failure: impl ToString) -> napi::Error {
    napi::Error::from_reason(failure.to_string())
}

fn named(name: &str) -> napi::Result<ArrowTable> {
    let known = || ArrowTable::ALL.map(ArrowTable::name).join(", ");
    ArrowTable::named(name)
        .ok_or_else(|| reason(format!("there is no table `{name}`\n  help: known are {}", known())))
}

/// The names of the tables.
#[napi]
pub fn table_names() -> Vec<&'static str> {
    ArrowTable::ALL.map(ArrowTable::name).into()
}

/// Reads files into tables.
pub struct ReadTables {
    files: Vec<PathBuf>,
    names: Vec<String>,
}

impl Task for ReadTables {
    type Output = Vec<Vec<u8>>;
    type JsValue = Vec<Buffer>;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        let wanted: Vec<ArrowTable> =
            self.names.iter().map(|name| named(name)).collect::<napi::Result<_>>()?;
        let choice = wanted.iter().fold(Choice::none(), |choice, table| choice.with(*table));
        let pricing = pricing().map_err(|failure| reason(failure.message))?;
        let mut tables = Tables::new(choice).with_pricing(pricing);
        let mut batches = vec![Vec::new(); ArrowTable::ALL.len()];
        for file in &self.files {
            // A file that cannot be read has a row in `sources`, with the reason.
            let _ = Reader::default().file(&mut tables, file, |tables| take(tables, &mut batches));
            take(&mut tables, &mut batches);
        }
        wanted.iter().map(|table| written(*table, &batches[*table as usize])).collect()
    }

    fn resolve(&mut self, _: Env, output: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(output.into_iter().map(Buffer::from).collect())
    }
}

/// Takes the rows as batches. Only texts of more than 2 GB make no batch, and no message is that long.
fn take(tables: &mut Tables, batches: &mut [Vec<RecordBatch>]) {
    for (table, batch) in tables.take().unwrap_or_default() {
        batches[table as usize].push(batch);
    }
}

fn written(table: ArrowTable, batches: &[RecordBatch]) -> napi::Result<Vec<u8>> {
    let mut writer = StreamWriter::try_new(Vec::new(), &table.schema()).map_err(reason)?;
    for batch in batches {
        writer.write(batch).map_err(reason)?;
    }
    writer.into_inner().map_err(reason)
}

/// The tables of files, each as a stream of Arrow's interprocess format.
#[napi]
pub fn native_tables(files: Vec<String>, names: Vec<String>) -> AsyncTask<ReadTables> {
    AsyncTask::new(ReadTables { files: files.into_iter().map(Into::into).collect(), names })
}

/// Writes Parquet files.
pub struct Export {
    folder: PathBuf,
    files: Vec<PathBuf>,
    names: Option<Vec<String>>,
}

impl Task for Export {
    type Output = Vec<String>;
    type JsValue = Vec<String>;

    fn compute(&mut self) -> napi::Result<Vec<String>> {
        let choice = match &self.names {
            None => Choice::all(),
            Some(names) => names
                .iter()
                .try_fold(Choice::none(), |choice, name| Ok::<_, napi::Error>(choice.with(named(name)?)))?,
        };
        export_parquet(&self.folder, &self.files, choice).map_err(|failure| {
            let help = failure.help.map(|help| format!("\n  help: {help}")).unwrap_or_default();
            reason(format!("{}{help}", failure.message))
        })
    }

    fn resolve(&mut self, _: Env, output: Vec<String>) -> napi::Result<Vec<String>> {
        Ok(output)
    }
}

/// Writes the tables of files and folders as Parquet files.
#[napi]
pub fn native_export_parquet(
    folder: String,
    files: Vec<String>,
    names: Option<Vec<String>>,
) -> AsyncTask<Export> {
    let files = files.into_iter().map(Into::into).collect();
    AsyncTask::new(Export { folder: folder.into(), files, names })
}
