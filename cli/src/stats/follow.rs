//! Files that grow while they are read.

use std::convert::Infallible;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use interlingua::table::{Layer, Table};
use interlingua::{Detection, Detector, Translator};

use super::gather::{self, File};
use super::merge::{self, Books};
use super::reading::{Found, Reading};
use super::record::Record;
use crate::args::Source;
use crate::failure::Failure;
use crate::input::CHUNK;
use crate::parallel;
use crate::provider;

/// How long nothing is looked at.
const PAUSE: Duration = Duration::from_millis(50);

/// How long until new files are looked for again.
const SEARCH: Duration = Duration::from_secs(1);

/// A file that has not changed for so long keeps no state: if it grows after all, it is read again from its start.
const QUIET: Duration = Duration::from_secs(24 * 60 * 60);

/// A file that is followed.
struct Followed {
    file: File,
    /// How many bytes were read.
    length: u64,
    /// What reads on.
    live: Option<Live>,
    found: Option<Found>,
}

/// The state of a file that is being read.
struct Live {
    reader: Reader,
    reading: Reading,
}

/// What makes events of bytes.
enum Reader {
    /// The first messages do not tell yet who wrote them.
    Unknown(Vec<u8>, Detector),
    Native(Box<Translator>),
    /// A stored universal stream, and its line that is not whole.
    Universal(Vec<u8>, u64),
    /// What nobody wrote that we know.
    Foreign,
}

/// Reads files again and again. `show` gets the sessions when some have changed, with their numbers.
pub fn run(
    source: &Source,
    files: Vec<File>,
    jobs: usize,
    books: &Books,
    mut search: impl FnMut() -> Vec<File>,
    mut show: impl FnMut(&[Record], &[usize]) -> io::Result<()>,
) -> Result<u8, Failure> {
    let table = from_source(source)?;
    let mut all: Vec<Followed> = Vec::with_capacity(files.len());
    let files: Vec<File> =
        files.into_iter().map(|file| File { table: file.table.or(table), ..file }).collect();
    let begin = |number: usize, sender: &parallel::Sender<Followed>| {
        let File { path, table } = &files[number];
        let mut followed = Followed::new(File { path: path.clone(), table: *table });
        followed.read_on();
        followed.rest();
        let _ = sender.send(followed);
    };
    let Ok(()) = parallel::in_order(jobs, files.len(), begin, |_, followed| {
        all.push(followed);
        Ok::<(), Infallible>(())
    });
    let mut changed: Vec<PathBuf> = Vec::new();
    let mut is_first = true;
    let mut searched = Instant::now();
    loop {
        if is_first || !changed.is_empty() {
            let found = all.iter().filter_map(|file| Some((file.file.path.clone(), file.found.clone()?)));
            let records = merge::sessions(found.collect(), books);
            let is_news =
                |record: &Record| is_first || record.files.iter().any(|file| changed.contains(file));
            let news: Vec<usize> = records
                .iter()
                .enumerate()
                .filter(|(_, record)| is_news(record))
                .map(|(number, _)| number)
                .collect();
            show(&records, &news).map_err(|error| Failure::output(&error))?;
            changed.clear();
            is_first = false;
        }
        thread::sleep(PAUSE);
        if searched.elapsed() >= SEARCH {
            searched = Instant::now();
            for file in search() {
                if !all.iter().any(|known| known.file.path == file.path) {
                    all.push(Followed::new(file));
                }
            }
        }
        changed.extend(all.iter_mut().filter_map(|file| file.read_on().then(|| file.file.path.clone())));
    }
}

/// The map that the user names.
fn from_source(source: &Source) -> Result<Option<&'static Table>, Failure> {
    match &source.map {
        Some(map) => provider::load(map, source.schema.as_deref()).map(Some),
        None if source.from == "auto" => Ok(None),
        None => provider::named(&source.from).map(Some),
    }
}

impl Followed {
    fn new(file: File) -> Self {
        Self { file, length: 0, live: None, found: None }
    }

    /// Reads what was appended, and says whether something was. A file that became shorter begins anew. What cannot be
    /// read now may be readable later.
    fn read_on(&mut self) -> bool {
        let Ok(length) = fs::metadata(&self.file.path).map(|about| about.len()) else { return false };
        if length == self.length {
            return false;
        }
        if length < self.length || self.live.is_none() {
            self.length = 0;
            self.live = Some(Live::new(&self.file));
        }
        let Some(live) = &mut self.live else { return false };
        let mut read = || -> io::Result<u64> {
            let mut file = fs::File::open(&self.file.path)?;
            file.seek(SeekFrom::Start(self.length))?;
            let mut buffer = vec![0; CHUNK];
            let mut all = 0;
            loop {
                match file.read(&mut buffer)? {
                    0 => return Ok(all),
                    count => {
                        live.push(&buffer[..count]);
                        all += count as u64;
                    }
                }
            }
        };
        let Ok(count) = read() else {
            // How far it was read is not known: it begins anew the next time.
            self.live = None;
            return false;
        };
        self.length += count;
        self.found = live.found();
        true
    }

    /// Forgets how to read on where nothing has been appended for long.
    fn rest(&mut self) {
        let changed = fs::metadata(&self.file.path).and_then(|about| about.modified());
        let age = changed.ok().and_then(|changed| SystemTime::now().duration_since(changed).ok());
        if age.is_some_and(|age| age > QUIET) {
            self.live = None;
        }
    }
}

impl Live {
    fn new(file: &File) -> Self {
        let reader = match file.table {
            Some(table) => Reader::of(table),
            None => Reader::Unknown(Vec::new(), Detector::new()),
        };
        Self { reader, reading: Reading::new(&file.path) }
    }

    fn push(&mut self, bytes: &[u8]) {
        match &mut self.reader {
            Reader::Foreign => {}
            Reader::Native(translator) => translator.push(bytes).for_each(|event| self.reading.take(event)),
            Reader::Universal(line, unparsed) => {
                for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
                    line.extend_from_slice(piece);
                    if !piece.ends_with(b"\n") {
                        continue;
                    }
                    match serde_json::from_slice(line) {
                        Ok(event) => self.reading.take(event),
                        Err(_) => *unparsed += u64::from(!line.trim_ascii().is_empty()),
                    }
                    line.clear();
                }
            }
            Reader::Unknown(begin, detector) => {
                begin.extend_from_slice(bytes);
                let reader = match detector.push(bytes) {
                    Detection::NeedMore => return,
                    Detection::Known(table) => Reader::of(table),
                    Detection::Universal => Reader::Universal(Vec::new(), 0),
                    _ => Reader::Foreign,
                };
                let begin = std::mem::take(begin);
                self.reader = reader;
                self.push(&begin);
            }
        }
    }

    fn found(&self) -> Option<Found> {
        match &self.reader {
            Reader::Native(translator) => {
                Some(self.reading.found(Some(translator.table()), translator.stats().unparsed))
            }
            Reader::Universal(_, unparsed) => Some(self.reading.found(None, *unparsed)),
            Reader::Unknown(..) | Reader::Foreign => None,
        }
    }
}

impl Reader {
    fn of(table: &'static Table) -> Self {
        match table.layer {
            Layer::Agent => Self::Native(Box::new(Translator::new(table, gather::options()))),
            Layer::Model => Self::Foreign,
        }
    }
}
