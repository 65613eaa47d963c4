//! Tables, as Arrow has them. They reach Python without a copy, by the Arrow C stream interface.

use std::path::PathBuf;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::ffi::FFI_ArrowSchema;
use interlingua_cli::bindings::tables::{
    ArrowTable, Choice, Reader, Tables, export_parquet as export, pricing,
};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyCapsule;

use crate::error::{InterlinguaError, UnreadableError, poisoned, unreadable};
use crate::event::Locked;
use crate::provider::MapOrName;

fn named(name: &str) -> PyResult<ArrowTable> {
    ArrowTable::named(name).ok_or_else(|| {
        let known: Vec<&str> = ArrowTable::ALL.map(ArrowTable::name).into();
        UnreadableError::new_err(format!(
            "there is no table `{name}`\n  help: known are {}",
            known.join(", ")
        ))
    })
}

fn choice(names: Option<Vec<String>>) -> PyResult<Choice> {
    let Some(names) = names else { return Ok(Choice::all()) };
    names.iter().try_fold(Choice::none(), |choice, name| Ok(choice.with(named(name)?)))
}

/// Collects the rows of tables, source by source.
#[pyclass(frozen, module = "interlingua._native")]
pub struct TableBuilder {
    tables: Locked<(Tables, Vec<Vec<RecordBatch>>)>,
    reader: Reader,
}

#[pymethods]
impl TableBuilder {
    #[new]
    #[pyo3(signature = (tables=None, map=None))]
    fn new(tables: Option<Vec<String>>, map: Option<MapOrName>) -> PyResult<Self> {
        let map = map.map(MapOrName::map).transpose()?;
        let pricing = pricing().map_err(unreadable)?;
        let tables = Tables::new(choice(tables)?).with_pricing(pricing);
        Ok(Self {
            tables: Locked::new((tables, vec![Vec::new(); ArrowTable::ALL.len()])),
            reader: Reader { table: map.map(|map| map.table) },
        })
    }

    /// Adds a file. One that cannot be read has a row in `sources`, and its reason is given back.
    fn add_file(&self, py: Python<'_>, path: PathBuf) -> PyResult<Option<String>> {
        py.detach(|| {
            let mut locked = self.tables.lock().map_err(poisoned)?;
            let (tables, batches) = &mut *locked;
            let result = self.reader.file(tables, &path, |tables| take(tables, batches));
            take(tables, batches);
            Ok(result.err().map(|error| error.message))
        })
    }

    /// Adds bytes, under a name of their source.
    fn add_bytes(&self, py: Python<'_>, name: &str, bytes: PyBackedBytes) -> PyResult<Option<String>> {
        py.detach(|| {
            let mut locked = self.tables.lock().map_err(poisoned)?;
            let (tables, batches) = &mut *locked;
            let reader = Box::new(std::io::Cursor::new(bytes));
            let result = self.reader.reader(tables, name, reader, |tables| take(tables, batches));
            take(tables, batches);
            Ok(result.err().map(|error| error.message))
        })
    }

    /// Takes the rows of a table so far.
    fn take(&self, table: &str) -> PyResult<ArrowStream> {
        let table = named(table)?;
        let mut locked = self.tables.lock().map_err(poisoned)?;
        let batches = std::mem::take(&mut locked.1[table as usize]);
        Ok(ArrowStream { table, batches: Locked::new(Some(batches)) })
    }
}

/// Takes the rows as batches. Only texts of more than 2 GB make no batch, and no message is that long.
fn take(tables: &mut Tables, batches: &mut [Vec<RecordBatch>]) {
    for (table, batch) in tables.take().unwrap_or_default() {
        batches[table as usize].push(batch);
    }
}

/// The rows of a table as a stream of Arrow: `pyarrow.table(stream)`, `polars.from_arrow(stream)` and DuckDB read it. It
/// can be read once.
#[pyclass(frozen, module = "interlingua")]
pub struct ArrowStream {
    table: ArrowTable,
    batches: Locked<Option<Vec<RecordBatch>>>,
}

#[pymethods]
impl ArrowStream {
    /// How many rows there are.
    fn __len__(&self) -> PyResult<usize> {
        let batches = self.batches.lock().map_err(poisoned)?;
        Ok(batches.iter().flatten().map(RecordBatch::num_rows).sum())
    }

    /// The schema of the table, as the Arrow PyCapsule interface has it.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.table.schema());
        let schema = schema.map_err(|error| InterlinguaError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The Arrow C stream, as the Arrow PyCapsule interface has it.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Producers may ignore the schema that a consumer asks for.
        let _ = requested_schema;
        let batches = self.batches.lock().map_err(poisoned)?.take();
        let batches =
            batches.ok_or_else(|| InterlinguaError::new_err("this stream of Arrow has been read already"))?;
        let batches = RecordBatchIterator::new(batches.into_iter().map(Ok), self.table.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

/// Writes the tables of files and folders as Parquet files. Gives the reasons of the sources that could not be read.
#[pyfunction]
#[pyo3(signature = (folder, files, tables=None))]
pub fn export_parquet(
    py: Python<'_>,
    folder: PathBuf,
    files: Vec<PathBuf>,
    tables: Option<Vec<String>>,
) -> PyResult<Vec<String>> {
    let choice = choice(tables)?;
    py.detach(|| export(&folder, &files, choice)).map_err(unreadable)
}

/// The name, kind and meaning of a column.
type Column = (&'static str, &'static str, &'static str);

/// The tables with their columns.
#[pyfunction]
pub fn table_columns() -> Vec<(&'static str, Vec<Column>)> {
    let columns = |table: ArrowTable| {
        table.columns().iter().map(|column| (column.name, column.kind.name(), column.doc)).collect()
    };
    ArrowTable::ALL.into_iter().map(|table| (table.name(), columns(table))).collect()
}
