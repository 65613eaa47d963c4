//! Input: files and standard input, and whether something is still being written to them.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::failure::Failure;
use crate::sessions::find;

/// How much is read at once. Live input gives what is there, however little.
pub const CHUNK: usize = 256 << 10;

/// An open input.
pub struct Input {
    /// Its path; `-` is standard input.
    pub path: PathBuf,
    /// Its length in bytes, when it is a regular file.
    pub length: Option<u64>,
    reader: Box<dyn Read>,
}

impl Input {
    /// Opens a file, or standard input for `-`. A name that is no file may be the id of a session of this machine.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        // Standard input may be a file too, which changes nothing for its reader but is no live input.
        let file = if path == Path::new("-") {
            let handle = io::stdin();
            clone_of_stdin(&handle).map_err(|error| Failure::reading(path, &error))?
        } else {
            opened(path)?
        };
        let about = file.metadata().map_err(|error| Failure::reading(path, &error))?;
        if about.is_dir() {
            return Err(Failure::reading(path, &io::ErrorKind::IsADirectory.into()));
        }
        let length = about.is_file().then_some(about.len());
        Ok(Self { path: path.to_path_buf(), length, reader: Box::new(file) })
    }

    /// Opens a file to which somebody may append: at its end, reading waits for more.
    pub fn following(path: &Path) -> Result<Self, Failure> {
        let mut input = Self::open(path)?;
        input.reader = Box::new(Growing(input.reader));
        input.length = None;
        Ok(input)
    }

    /// An input that is open already, under a name for people.
    pub fn from_reader(name: &Path, reader: Box<dyn Read>) -> Self {
        Self { path: name.to_path_buf(), length: None, reader }
    }

    /// Whether more may come later: anything but a regular file.
    pub fn is_live(&self) -> bool {
        self.length.is_none()
    }

    /// Reads what is there, at most the buffer's length; 0 is the end.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        loop {
            match self.reader.read(buffer) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::reading(&self.path, &error)),
            }
        }
    }

    /// The bare reader.
    pub fn reader(&mut self) -> &mut dyn Read {
        &mut self.reader
    }

    /// Reads everything.
    pub fn read_whole(mut self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        self.reader.read_to_end(&mut bytes).map_err(|error| Failure::reading(&self.path, &error))?;
        Ok(bytes)
    }
}

/// How long a file that is followed is left alone before it is looked at again.
const PAUSE: Duration = Duration::from_millis(50);

/// A file that has no end.
struct Growing(Box<dyn Read>);

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer)? {
                0 => thread::sleep(PAUSE),
                count => return Ok(count),
            }
        }
    }
}

/// Opens a file, or that of the session with this id.
fn opened(path: &Path) -> Result<File, Failure> {
    let error = match File::open(path) {
        Ok(file) => return Ok(file),
        Err(error) => error,
    };
    if error.kind() == io::ErrorKind::NotFound
        && find::may_be_id(path)
        && let Some(id) = path.to_str()
    {
        return match find::file(id)? {
            Some(file) => File::open(&file).map_err(|error| Failure::reading(&file, &error)),
            None => Err(Failure::reading(path, &error).help(
                "check the path or the id (`interlingua sessions` lists them), or use - for standard input",
            )),
        };
    }
    Err(Failure::reading(path, &error))
}

/// A file of one's own for standard input, which reads without the lock and the buffer of `Stdin`.
#[cfg(unix)]
fn clone_of_stdin(handle: &io::Stdin) -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(handle.as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn clone_of_stdin(handle: &io::Stdin) -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(handle.as_handle().try_clone_to_owned()?))
}

/// The files to read: standard input when none is named.
pub fn or_stdin(files: &[PathBuf]) -> Vec<PathBuf> {
    if files.is_empty() { vec![PathBuf::from("-")] } else { files.to_vec() }
}
