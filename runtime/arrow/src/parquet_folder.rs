//! The tables as Parquet files.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::schema::Table;
use crate::tables::Choice;

/// How many bytes of a table wait before they are written.
const ROW_GROUP: usize = 32 << 20;

/// A folder with a Parquet file for each table. The files appear when all of them are complete, and not at all when
/// something fails: until then, they have other names.
///
/// ```no_run
/// use interlingua_arrow::{Choice, ParquetFolder, Tables};
/// let mut tables = Tables::new(Choice::all());
/// // … the events of some sources …
/// let mut folder = ParquetFolder::create("export", Choice::all())?;
/// for (table, batch) in tables.take()? {
///     folder.write(table, &batch)?;
/// }
/// folder.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ParquetFolder {
    folder: PathBuf,
    files: Vec<Part>,
}

/// The file of a table while it has another name; without a writer once it is complete.
type Part = (Table, PathBuf, Option<ArrowWriter<BufWriter<File>>>);

impl ParquetFolder {
    /// Creates the folder if it is not there, and begins a file for each table of the choice.
    ///
    /// # Errors
    /// When a file cannot be created.
    pub fn create(folder: impl AsRef<Path>, choice: Choice) -> Result<Self, ParquetError> {
        let folder = folder.as_ref().to_path_buf();
        fs::create_dir_all(&folder).map_err(error)?;
        let mut new = Self { folder, files: Vec::new() };
        for table in Table::ALL.into_iter().filter(|table| choice.has(*table)) {
            // The number of the process, so that two exports into one folder do not mix.
            let part = new.folder.join(format!(".{}.parquet.{}", table.name(), std::process::id()));
            let file = BufWriter::new(File::create(&part).map_err(error)?);
            let properties = WriterProperties::builder()
                .set_compression(Compression::LZ4_RAW)
                .set_created_by(concat!("interlingua ", env!("CARGO_PKG_VERSION")).to_owned())
                .build();
            // From here on, the file is removed when something fails.
            new.files.push((table, part, None));
            let writer = ArrowWriter::try_new(file, table.schema(), Some(properties))?;
            new.files.last_mut().expect("just pushed").2 = Some(writer);
        }
        Ok(new)
    }

    /// Writes rows of a table. Those of a table that was not chosen are left out.
    ///
    /// # Errors
    /// When the file cannot be written, and when the batch is of another table.
    pub fn write(&mut self, table: Table, batch: &RecordBatch) -> Result<(), ParquetError> {
        let Some((_, _, Some(writer))) = self.files.iter_mut().find(|(known, ..)| *known == table) else {
            return Ok(());
        };
        writer.write(batch)?;
        if writer.in_progress_size() > ROW_GROUP {
            writer.flush()?;
        }
        Ok(())
    }

    /// Completes the files and gives them their names, in place of older ones. Gives the number of rows of each table.
    ///
    /// # Errors
    /// When a file cannot be written or renamed.
    pub fn finish(mut self) -> Result<Vec<(Table, u64)>, ParquetError> {
        let mut counts = Vec::new();
        for (table, _, writer) in &mut self.files {
            let Some(writer) = writer.take() else { continue };
            let about = writer.close()?;
            counts.push((*table, u64::try_from(about.file_metadata().num_rows()).unwrap_or_default()));
        }
        for (table, part, _) in &self.files {
            fs::rename(part, self.folder.join(format!("{}.parquet", table.name()))).map_err(error)?;
        }
        self.files.clear();
        Ok(counts)
    }
}

impl Drop for ParquetFolder {
    /// Removes what is not complete.
    fn drop(&mut self) {
        for (_, part, writer) in self.files.drain(..) {
            drop(writer);
            // A file that cannot be removed stays: nobody could do anything about it here.
            let _ = fs::remove_file(part);
        }
    }
}

fn error(error: io::Error) -> ParquetError {
    ParquetError::External(Box::new(error))
}
