//! What reaches a run from outside: bytes of the agent, lines of whoever drives it, signals. Each source has a thread
//! of its own, and all threads end in one channel, which holds little: who reads slowly slows down who writes.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Something that has happened outside.
pub enum News {
    /// The agent has said something in its protocol.
    Said(Vec<u8>),
    /// The agent will say nothing more.
    Silent,
    /// The agent's server has answered a request: with the reason where it has refused it.
    Answered {
        /// The method of the request.
        method: &'static str,
        /// Its path.
        path: String,
        /// Why the server refused it.
        refusal: Option<String>,
    },
    /// The agent cannot be reached.
    Unreachable(String),
    /// Whoever drives the agent has written a line.
    Line(String),
    /// No more lines will come.
    NoMoreLines,
    /// Nobody reads our output any more.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there, only writing tells it"))]
    Closed,
    /// A signal has come.
    #[cfg(unix)]
    Signal(i32),
}

/// How much of the agent's output is read at once.
const CHUNK: usize = 64 << 10;

/// How many news may wait.
const WAITING: usize = 32;

/// How long a line may be.
const LINE: u64 = 64 << 20;

/// The channel in which all news arrive.
pub fn channel() -> (SyncSender<News>, Receiver<News>) {
    sync_channel(WAITING)
}

/// Passes on all that can be read, to its end.
pub fn read_all(mut from: impl Read + Send + 'static, to: SyncSender<News>) {
    thread::spawn(move || {
        let mut buffer = vec![0; CHUNK];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    if to.send(News::Said(buffer[..count].to_vec())).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A connection that breaks is at its end; the program's ending tells the rest.
                Err(_) => break,
            }
        }
        let _ = to.send(News::Silent);
    });
}

/// Passes on the lines of standard input.
pub fn read_stdin(to: SyncSender<News>) {
    thread::spawn(move || {
        let mut input = BufReader::new(io::stdin());
        loop {
            let mut line = Vec::new();
            let read = (&mut input).take(LINE).read_until(b'\n', &mut line);
            if !matches!(read, Ok(count) if count > 0) {
                break;
            }
            let text = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
            if to.send(News::Line(text)).is_err() {
                return;
            }
        }
        let _ = to.send(News::NoMoreLines);
    });
}

/// Tells when nobody reads our standard output any more, also while there is nothing to write.
#[cfg(unix)]
pub fn watch_stdout(to: SyncSender<News>) {
    use rustix::event::{PollFd, PollFlags, poll};

    thread::spawn(move || {
        let stdout = io::stdout();
        let closed = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
        loop {
            // These flags need not be asked for.
            let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
            match poll(&mut watched, None) {
                Ok(_) if watched[0].revents().intersects(closed) => break,
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
            }
        }
        let _ = to.send(News::Closed);
    });
}
