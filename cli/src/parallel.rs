//! Work on many files at once, whose results come in the order of the files, with bounded memory.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

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
