//! Work on many files at once, whose results come in the order of the files, with bounded memory.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::failure::{FINE, Failure};
use crate::output;

/// How many messages of a file wait until its turn comes; then its worker waits.
const WAITING: usize = 4;

/// How many files, for each worker, may be begun or done before the first of them has been taken.
const AHEAD: usize = 8;

/// Nobody takes messages any more.
#[derive(Debug)]
pub struct Gone;

/// Where the work on a file sends what it has.
#[derive(Debug)]
pub struct Sender<M>(SyncSender<M>);

impl<M> Sender<M> {
    /// Sends a message. It waits while several are waiting already.
    pub fn send(&self, message: M) -> Result<(), Gone> {
        self.0.send(message).map_err(|_| Gone)
    }
}

/// Options of commands that work on many files.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Jobs {
    /// How many files are worked on at once (default: the number of processors)
    #[arg(short = 'j', long = "jobs", value_name = "N")]
    pub wanted: Option<NonZeroUsize>,
}

/// What a worker sends for the turn of its file.
enum Part<T> {
    /// Bytes for standard output.
    Output(Vec<u8>),
    /// The end: what became of the file, and what is told about it.
    Done(Result<T, Failure>, Vec<String>),
}

/// Where a worker writes what goes to standard output when it is the turn of its file.
pub struct Pipe<'s>(&'s dyn Fn(Vec<u8>) -> Result<(), Gone>);

impl Write for Pipe<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.0)(bytes.to_vec()).map_err(|Gone| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Works on files with several workers. What they write is given to `write`, and what became of each file to `done`, in
/// the order of the files; messages come in that order, too. The worst exit code is given back.
pub fn each<T: Send>(
    jobs: usize,
    files: &[PathBuf],
    work: impl Fn(usize, &Path, Pipe<'_>) -> Result<T, Failure> + Sync,
    mut write: impl FnMut(&[u8]) -> Result<(), Failure>,
    mut done: impl FnMut(usize, T) -> Result<u8, Failure>,
) -> Result<u8, Failure> {
    let mut worst = FINE;
    let work = |number: usize, sender: &Sender<Part<T>>| {
        let send = |bytes| sender.send(Part::Output(bytes));
        let (result, said) = output::keeping(|| work(number, &files[number], Pipe(&send)));
        let _ = sender.send(Part::Done(result, said));
    };
    in_order(jobs, files.len(), work, |number, part| match part {
        Part::Output(bytes) => write(&bytes),
        Part::Done(result, said) => {
            said.iter().for_each(output::tell);
            let code = match result.and_then(|result| done(number, result)) {
                Ok(code) => code,
                Err(end @ (Failure::BrokenPipe | Failure::Output(_))) => return Err(end),
                Err(failure) => {
                    failure.tell();
                    failure.code()
                }
            };
            worst = worst.max(code);
            Ok(())
        }
    })?;
    Ok(worst)
}

/// The number of workers: what the user says, else the number of processors; no more than there are files.
pub fn jobs(wanted: Option<NonZeroUsize>, files: usize) -> usize {
    wanted.or_else(|| thread::available_parallelism().ok()).map_or(1, usize::from).min(files).max(1)
}

/// Calls `work` with the numbers below `count` on several threads, each once. What it sends is given to `take` with the
/// number: first all messages of number 0, then all of number 1, and so on. An error of `take` ends everything.
pub fn in_order<M: Send, E>(
    jobs: usize,
    count: usize,
    work: impl Fn(usize, &Sender<M>) + Sync,
    mut take: impl FnMut(usize, M) -> Result<(), E>,
) -> Result<(), E> {
    let (begin, begun) = sync_channel::<(usize, Receiver<M>)>(jobs * AHEAD);
    // The files are begun in order, because whoever takes the next one holds this lock.
    let next = Mutex::new((0, begin));
    let claim = || {
        let mut next = next.lock().ok()?;
        let number = next.0;
        if number >= count {
            return None;
        }
        next.0 += 1;
        let (sender, receiver) = sync_channel(WAITING);
        next.1.send((number, receiver)).ok()?;
        Some((number, Sender(sender)))
    };
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some((number, sender)) = claim() {
                    work(number, &sender);
                }
            });
        }
        // Ends by itself with the last file. On an error both ends are dropped, so that no worker waits for ever.
        for _ in 0..count {
            let Ok((number, messages)) = begun.recv() else { break };
            for message in messages {
                if let Err(error) = take(number, message) {
                    drop(begun);
                    return Err(error);
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_in_the_order_of_the_files() {
        let mut seen = Vec::new();
        let work = |number: usize, sender: &Sender<usize>| {
            for part in 0..number % 7 {
                let _ = sender.send(part);
            }
        };
        let ended = in_order(3, 200, work, |number, part| {
            seen.push((number, part));
            Ok::<(), ()>(())
        });
        let expected: Vec<_> =
            (0..200).flat_map(|number| (0..number % 7).map(move |part| (number, part))).collect();
        assert_eq!((ended, seen), (Ok(()), expected));
    }

    #[test]
    fn an_error_ends_all_workers() {
        let work = |_: usize, sender: &Sender<u8>| while sender.send(0).is_ok() {};
        assert_eq!(in_order(4, 1000, work, |_, _| Err("enough")), Err("enough"));
    }
}
