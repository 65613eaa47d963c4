//! `run --speak TARGET`: an agent for clients of another protocol, on standard input and output.
//!
//! Each session that the client opens has an agent's program of its own. What the messages mean is in the target's map.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use interlingua::table::Table;
use interlingua::vocabulary::{Command, Json, SessionStart};
use interlingua::{ClientCommand, ClientSession, NativeMessage, Options, Session, SessionOutput};

use super::agent::Agent;
use super::history;
use super::news::{self, News};
use super::outcome::Outcome;
use super::program;
use super::unsupported;
use crate::args::Run;
use crate::failure::{FINE, Failure, IO, warn};
use crate::output::{self, StdoutJson};

/// How long an agent may take to revoke the end of a turn.
const SECOND_THOUGHTS: Duration = Duration::from_secs(1);

/// How much news may wait.
const WAITING: usize = 32;

/// How many characters of a message that is not ours are shown.
const WIDTH: usize = 1000;

/// Where news comes from: the client, or one of the sessions.
type Side = Option<usize>;

/// What has happened, and where.
type Happened = (Side, News);

/// A client, and the agents of its sessions.
pub struct Serve {
    table: &'static Table,
    client: ClientSession,
    links: Vec<Link>,
    news: (SyncSender<Happened>, Receiver<Happened>),
    program: Option<Vec<String>>,
    /// What each session starts with, but for what the client says.
    start: SessionStart,
}

/// One session with its agent.
struct Link {
    session: Session,
    agent: Option<Agent>,
    outcome: Outcome,
    news: SyncSender<News>,
    /// When the agent has said something last.
    heard: Instant,
    is_over: bool,
}

impl Serve {
    /// A client that has said nothing yet.
    ///
    /// # Errors
    ///
    /// When `--program` is no command.
    pub fn new(
        table: &'static Table,
        target: &'static Table,
        start: SessionStart,
        options: &Run,
    ) -> Result<Self, Failure> {
        Ok(Self {
            table,
            client: match history::is_kept(table) {
                true => ClientSession::new(target, table, unique()).with_history(),
                false => ClientSession::new(target, table, unique()),
            },
            links: Vec::new(),
            news: sync_channel(WAITING),
            program: options.program.as_deref().map(program::words).transpose()?,
            start,
        })
    }

    /// Serves the client until its input ends. Gives the exit code.
    ///
    /// # Errors
    ///
    /// When standard output is closed.
    pub fn run(mut self) -> Result<u8, Failure> {
        let (lines, heard) = news::channel();
        news::read_stdin(lines.clone());
        #[cfg(unix)]
        {
            news::watch_stdout(lines.clone());
            super::signals::watch(lines, false).map(drop)?;
        }
        forward(None, heard, self.news.0.clone());
        let ended = self.listen();
        for link in &mut self.links {
            link.agent.iter_mut().for_each(Agent::end);
        }
        ended
    }

    fn listen(&mut self) -> Result<u8, Failure> {
        loop {
            let patience = self.links.iter().filter_map(Link::patience).min();
            let news = match patience {
                Some(patience) => self.news.1.recv_timeout(patience),
                None => self.news.1.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match news {
                Ok((None, News::Line(line))) => self.heed(&line)?,
                Ok((None, News::NoMoreLines)) => return Ok(FINE),
                Ok((None, News::Closed)) => return Err(Failure::BrokenPipe),
                #[cfg(unix)]
                Ok((None, News::Signal(signal))) => {
                    return Ok(
                        crate::failure::SIGNAL.saturating_add(u8::try_from(signal).unwrap_or_default())
                    );
                }
                Ok((Some(number), news)) => self.hear(number, news)?,
                Ok((None, _)) => {}
                Err(RecvTimeoutError::Timeout) => self.wait_no_longer()?,
                Err(RecvTimeoutError::Disconnected) => return Ok(FINE),
            }
        }
    }

    /// Takes a line of the client.
    fn heed(&mut self, line: &str) -> Result<(), Failure> {
        if line.trim().is_empty() {
            return Ok(());
        }
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(line) {
            warn(&format!("the client sent a line that is not JSON: {error}"));
            return Ok(());
        }
        let said = self.client.push_message(line.as_bytes());
        tell(&said.messages)?;
        said.commands.into_iter().try_for_each(|command| self.give(command))
    }

    /// Gives a command to its session's agent.
    fn give(&mut self, mut given: ClientCommand) -> Result<(), Failure> {
        if let Command::SessionList(list) = &given.command {
            let listed = history::list(self.table, list.cwd.as_deref());
            return match listed {
                Ok(sessions) => tell(&self.client.listed(&given, sessions)),
                Err(failure) => tell(&self.client.given(&given, Err(failure.to_string()))),
            };
        }
        if let Command::SessionStart(start) = &mut given.command {
            self.fill(start);
            self.open();
            let earlier = start.resume.clone().filter(|_| start.replay == Some(true));
            match earlier.map(|id| history::events(self.table, id.as_str())).transpose() {
                Ok(Some(events)) => tell(&self.client.replay(&given, events))?,
                Ok(None) => {}
                Err(failure) => return tell(&self.client.given(&given, Err(failure.to_string()))),
            }
        }
        let Some(link) = self.links.get_mut(given.session) else { return Ok(()) };
        let step = match link.session.command(&given.command) {
            Ok(step) => step,
            Err(error) => {
                let why = output::line(&error.to_string(), WIDTH);
                return tell(&self.client.given(&given, Err(why)));
            }
        };
        link.outcome.said(&given.command);
        link.heard = Instant::now();
        let sent = self.send(given.session, &step);
        let result = sent.as_ref().copied().map_err(|failure| failure.to_string());
        tell(&self.client.given(&given, result))?;
        self.take(given.session, &step)
    }

    /// Adds what the command line says about each session.
    fn fill(&self, start: &mut SessionStart) {
        let options = &self.start;
        start.model = start.model.take().or_else(|| options.model.clone());
        start.permission_mode = start.permission_mode.take().or_else(|| options.permission_mode.clone());
        start.cwd = start.cwd.take().or_else(|| options.cwd.clone());
        let takes_id = self.table.capability("session.start").fields.contains(&"session_id");
        if start.resume.is_none() && takes_id {
            start.session_id =
                start.session_id.take().or_else(|| Some(uuid::Uuid::new_v4().to_string().into()));
        }
        start.native = start.native.take().or_else(|| options.native.clone());
    }

    /// Makes room for the next session.
    fn open(&mut self) {
        let (news, heard) = news::channel();
        forward(Some(self.links.len()), heard, self.news.0.clone());
        self.links.push(Link {
            session: Session::new(self.table, Options::default()),
            agent: None,
            outcome: Outcome::default(),
            news,
            heard: Instant::now(),
            is_over: false,
        });
    }

    /// Takes what one of the agents has said or done.
    fn hear(&mut self, number: usize, news: News) -> Result<(), Failure> {
        let Some(link) = self.links.get_mut(number).filter(|link| !link.is_over) else { return Ok(()) };
        let step = match news {
            News::Said(bytes) => {
                let step = link.session.push(&bytes);
                if !step.events.is_empty() {
                    link.heard = Instant::now();
                }
                step
            }
            News::Answered { method, path, refusal } => {
                let refusal = refusal.map(|why| format!("{method} {path}: {why}"));
                link.session.http_answered(method, &path, refusal.as_deref())
            }
            News::Unreachable(why) => return self.over(number, Some(why)),
            News::Silent => return self.over(number, None),
            _ => return Ok(()),
        };
        if let Err(failure) = self.send(number, &step) {
            return self.over(number, Some(failure.to_string()));
        }
        self.take(number, &step)
    }

    /// An agent's program has ended, or cannot be reached.
    fn over(&mut self, number: usize, why: Option<String>) -> Result<(), Failure> {
        let Some(link) = self.links.get_mut(number).filter(|link| !link.is_over) else { return Ok(()) };
        link.is_over = true;
        let name = self.table.title;
        let mut reason = format!("{name} has ended");
        let step = match (&mut link.agent, why) {
            (Some(agent), None) if !agent.was_ended() => {
                let status = agent.ended();
                let (failure, ended) = agent.crash(name, status);
                reason =
                    ended.error.as_ref().map_or_else(|| failure.to_string(), |error| error.message.clone());
                link.session.finish_with(&ended)
            }
            (_, why) => {
                if let Some(why) = why {
                    reason = format!("{name}: {}", output::line(&why, WIDTH));
                }
                link.session.finish()
            }
        };
        link.agent.iter_mut().for_each(Agent::end);
        self.take(number, &step)?;
        tell(&self.client.ended(number, &reason))
    }

    /// Sends a step's messages to the agent.
    fn send(&mut self, number: usize, step: &SessionOutput) -> Result<(), Failure> {
        let Some(link) = self.links.get_mut(number) else { return Ok(()) };
        for message in &step.messages {
            if let NativeMessage::Spawn { args, cwd } = message {
                let args = program::arguments(args.clone(), self.program.as_deref());
                link.agent = Some(Agent::start(self.table, &args, cwd.as_deref(), &link.news)?);
                continue;
            }
            let Some(agent) = &mut link.agent else {
                return Err(Failure::new(IO, "the map talks to a program that it has not started"));
            };
            match message {
                NativeMessage::Spawn { .. } => {}
                NativeMessage::Text(text) => agent.say(text.get())?,
                NativeMessage::Http { method, path, body } => {
                    agent.request(method, path, body.as_ref().map(Json::get))?;
                }
                NativeMessage::HangUp => agent.end(),
            }
        }
        Ok(())
    }

    /// Tells the client what has happened.
    fn take(&mut self, number: usize, step: &SessionOutput) -> Result<(), Failure> {
        for event in &step.events {
            if let Some(link) = self.links.get_mut(number) {
                link.outcome.observe(event);
            }
            tell(&self.client.event(number, event))?;
        }
        for lost in &step.degradations {
            warn(&output::line(&unsupported(lost), WIDTH));
        }
        for (command, error) in &step.refused {
            if let Some(link) = self.links.get_mut(number) {
                link.outcome.refused(command);
            }
            let why = output::line(&error.to_string(), WIDTH);
            tell(&self.client.refused(number, command, &why))?;
        }
        Ok(())
    }

    /// Goes on where an agent has been silent for too long.
    fn wait_no_longer(&mut self) -> Result<(), Failure> {
        for number in 0..self.links.len() {
            let link = &mut self.links[number];
            if link.patience() != Some(Duration::ZERO) {
                continue;
            }
            link.heard = Instant::now();
            if link.session.holds_end() {
                let step = link.session.idle();
                // What it leads to is sent as any other step.
                if let Err(failure) = self.send(number, &step) {
                    return self.over(number, Some(failure.to_string()));
                }
                self.take(number, &step)?;
            } else if link.outcome.is_working() {
                if let Some(what) = link.outcome.give_up() {
                    warn(&format!("{} {what}", self.table.title));
                }
                tell(&self.client.handled(number))?;
            }
        }
        Ok(())
    }
}

impl Link {
    /// How long the agent may still be silent; nothing where it may take its time.
    fn patience(&self) -> Option<Duration> {
        let patience = match self.outcome.is_working() {
            _ if self.is_over => None,
            _ if self.session.holds_end() => Some(SECOND_THOUGHTS),
            true if self.session.pending().iter().next().is_some() => None,
            true => self.outcome.patience(),
            false => None,
        };
        patience.map(|patience| patience.saturating_sub(self.heard.elapsed()))
    }
}

/// Passes on news with where it comes from.
fn forward(from: Side, news: Receiver<News>, to: SyncSender<Happened>) {
    thread::spawn(move || {
        for one in news {
            if to.send((from, one)).is_err() {
                break;
            }
        }
    });
}

/// Writes messages for the client, one a line.
fn tell(messages: &[Json]) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    let json = StdoutJson::new();
    messages
        .iter()
        .try_for_each(|message| {
            let mut line = format!("{}\n", message.get()).into_bytes();
            json.prepare(&mut line);
            output.write_all(&line)
        })
        .and_then(|()| output.flush())
        .map_err(|error| Failure::output(&error))
}

/// A name that no other run has: sessions are called by it that the agent does not name at their start.
fn unique() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("session-{:x}-{:x}", now.as_nanos(), std::process::id())
}
