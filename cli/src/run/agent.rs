//! An agent that runs: its program, and the way to talk to it.

use std::io::{self, Write};
use std::process::{ChildStdin, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use interlingua::table::Table;
use interlingua::vocabulary::{ErrorClass, ErrorData, Json, SessionEndReason, SessionEnded};

use super::family::Family;
use super::news::{self, News};
use super::process::{Process, ending};
use super::server::Server;
use super::tail::Tail;
use crate::failure::{Failure, IO};

/// How many bytes may wait for a program that does not read.
const WAITING: usize = 64 << 20;

/// How long a program that says nothing more may take to end.
const ENDING: Duration = Duration::from_secs(2);

/// How long we wait for what a program wrote before it ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// An agent that runs. When it is dropped, its program ends.
pub struct Agent {
    process: Process,
    way: Way,
    tail: Tail,
    readers: Vec<JoinHandle<()>>,
    was_ended: bool,
}

/// How the agent is spoken to.
enum Way {
    /// Over its standard input.
    Input(Input),
    /// Over its own server.
    Server(Server),
    /// No more.
    HungUp,
}

impl Agent {
    /// Starts the program of a provider. What it says becomes news.
    pub fn start(
        table: &Table,
        args: &[String],
        cwd: Option<&str>,
        news: &SyncSender<News>,
    ) -> Result<Self, Failure> {
        let (process, pipes) = Process::start(args, cwd, table.install)?;
        let tail = Tail::default();
        let (way, readers) = match table.server {
            None => {
                news::read_all(pipes.stdout, news.clone());
                (Way::Input(Input::new(pipes.stdin)), vec![tail.read(pipes.stderr, |_| {})])
            }
            Some(server) => {
                let (way, look) = Server::of_program(server, news);
                let readers = vec![tail.read(pipes.stdout, look.clone()), tail.read(pipes.stderr, look)];
                // Its input stays open: it has no use for it, and may end when it closes.
                way.keep(pipes.stdin);
                (Way::Server(way), readers)
            }
        };
        Ok(Self { process, way, tail, readers, was_ended: false })
    }

    /// The program and all that it has started.
    pub fn family(&self) -> Arc<Family> {
        self.process.family()
    }

    /// Gives it a text, as one line.
    pub fn say(&mut self, text: &str) -> Result<(), Failure> {
        match &mut self.way {
            Way::Input(input) => input.say(text),
            Way::Server(_) => {
                Err(Failure::new(IO, "the map writes to the input of a program that has a server"))
            }
            // It is over, and whoever wants to say more will see its end.
            Way::HungUp => Ok(()),
        }
    }

    /// Makes a request of its server.
    pub fn request(&mut self, method: &'static str, path: &str, body: Option<&str>) -> Result<(), Failure> {
        match &mut self.way {
            Way::Server(server) => server.request(method, path, body),
            Way::Input(_) => {
                Err(Failure::new(IO, "the map makes an HTTP request to a program without a server")
                    .help("set `listens` and `events` in its map"))
            }
            Way::HungUp => Ok(()),
        }
    }

    /// Ends the connection. A program that is spoken to over its input then ends by itself; a server is ended.
    pub fn hang_up(&mut self) {
        if let Way::Server(_) = std::mem::replace(&mut self.way, Way::HungUp) {
            self.end();
        }
    }

    /// How the program has ended, when it is about to.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.process.wait(ENDING)
    }

    /// Ends the program and all that it has started.
    pub fn end(&mut self) {
        self.way = Way::HungUp;
        self.was_ended = true;
        self.process.end();
    }

    /// Whether its program was ended by us.
    pub fn was_ended(&self) -> bool {
        self.was_ended
    }

    /// What a program that has ended before its work was done is said to have done, for people and as an event.
    pub fn crash(&self, name: &str, status: Option<ExitStatus>) -> (Failure, SessionEnded) {
        // What it wrote last may still be on its way; a program that lives on elsewhere may hold the pipe open.
        let begin = Instant::now();
        while begin.elapsed() < LAST_WORDS && !self.readers.iter().all(JoinHandle::is_finished) {
            thread::sleep(Duration::from_millis(5));
        }
        let how = status.map_or_else(|| "closed its output".to_owned(), ending);
        let what = format!("{name} {how} before its turn was over");
        let lines = self.tail.lines();
        let said = lines.last().map_or_else(|| what.clone(), |last| format!("{what}: {last}"));
        let mut error = ErrorData::new(ErrorClass::Unknown, said);
        error.details = Json::parse(serde_json::json!({ "stderr": lines }).to_string()).ok();
        let mut ended = SessionEnded::new(SessionEndReason::Failed).with_error(error);
        ended.exit_code = status.and_then(|status| status.code()).map(i64::from);
        let failure = Failure::new(IO, what);
        let failure = match lines.is_empty() {
            true => failure.help("it wrote nothing to standard error"),
            false => failure.help(format!("its last lines:\n    {}", lines.join("\n    "))),
        };
        (failure, ended)
    }
}

/// A program's standard input, which a thread writes to: a program that does not read must not stop us from reading
/// what it says.
struct Input {
    lines: Sender<String>,
    waiting: Arc<AtomicUsize>,
}

impl Input {
    fn new(mut stdin: ChildStdin) -> Self {
        let (lines, queue) = mpsc::channel::<String>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let written = Arc::clone(&waiting);
        thread::spawn(move || {
            // A program that has ended reads no more, which its silence tells as well.
            for line in queue {
                if write_line(&mut stdin, &line).is_err() {
                    break;
                }
                written.fetch_sub(line.len(), Ordering::Relaxed);
            }
        });
        Self { lines, waiting }
    }

    fn say(&mut self, text: &str) -> Result<(), Failure> {
        if self.waiting.fetch_add(text.len(), Ordering::Relaxed) + text.len() > WAITING {
            return Err(Failure::new(IO, "the agent does not read its input"));
        }
        let _ = self.lines.send(text.to_owned());
        Ok(())
    }
}

fn write_line(stdin: &mut ChildStdin, line: &str) -> io::Result<()> {
    stdin.write_all(line.as_bytes())?;
    stdin.write_all(b"\n")?;
    stdin.flush()
}
