//! One run: what comes in from outside goes through the session, and what comes of it goes out again.

use std::fmt::Display;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use interlingua::table::Table;
use interlingua::vocabulary::{
    Command, Event, EventBody, HostCallReply, PendingRequest, PermissionOutcome, PermissionReply,
    QuestionReject, SessionEnd, SessionEnded, SessionId, SessionStart, TurnInterrupt,
};
use interlingua::{CommandError, NativeMessage, Options, Session, SessionOutput};
use serde::Deserialize;

use super::agent::Agent;
use super::dialog::{Dialog, Heard};
use super::news::{self, News};
use super::outcome::Outcome;
use super::program;
use super::unsupported;
use super::view::View;
use crate::args::Run;
use crate::failure::{FINDINGS, FINE, Failure, IO, USAGE};
use crate::output;

/// How long an agent that was hung up on may be silent before it is ended. Work that is not done may take its time.
const QUIET: Duration = Duration::from_secs(10);

/// How long an agent may take to say that it goes on with a turn whose end it has told. What revokes an end follows at once.
const SECOND_THOUGHTS: Duration = Duration::from_secs(1);

/// How long we wait for what is on its way from a program that we have ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How long nothing may come before a person sees that something is waited for.
const AT_ONCE: Duration = Duration::from_millis(300);

/// How long nothing may come in the middle of a text.
const STALLED: Duration = Duration::from_secs(2);

/// How long an agent may send nothing inside of a turn before the user is told. A model may think, and a command may run, for that long.
const LONG_SILENCE: Duration = Duration::from_secs(120);

/// How many characters of a message that is not ours are shown.
const WIDTH: usize = 1000;

/// One agent, whoever drives it, and where the work stands.
pub struct Conversation {
    table: &'static Table,
    session: Session,
    view: Box<dyn View>,
    /// The dialog with a person; without one, lines are commands.
    dialog: Option<Dialog>,
    keep: bool,
    /// The command to start instead of the program that the map names.
    program: Option<Vec<String>>,
    news: (SyncSender<News>, Receiver<News>),
    agent: Option<Agent>,
    outcome: Outcome,
    /// No lines will come any more.
    alone: bool,
    hung_up: bool,
    /// The agent has refused to start the session, so that nothing can go on.
    is_refused: bool,
    /// How the agent has ended, if it has died.
    died: Option<SessionEnded>,
    /// A command could not be given.
    faults: bool,
    /// The number of the line of commands that was read last.
    line: u64,
    /// The version of the agent's program that was told last.
    version: Option<String>,
    #[cfg(unix)]
    guarded: Option<super::signals::Guarded>,
}

/// What a line of commands may have besides the command.
#[derive(Deserialize)]
struct Address {
    session_id: Option<SessionId>,
}

impl Conversation {
    /// A conversation that has not begun.
    ///
    /// # Errors
    ///
    /// When `--program` is no command.
    pub fn new(
        table: &'static Table,
        view: Box<dyn View>,
        dialog: Option<Dialog>,
        options: &Run,
    ) -> Result<Self, Failure> {
        // A person who has said nothing yet wants to go on talking.
        let keep = options.keep || (dialog.is_some() && options.prompt.is_none());
        Ok(Self {
            table,
            session: Session::new(table, Options::default()),
            view,
            dialog,
            keep,
            program: options.program.as_deref().map(program::words).transpose()?,
            news: news::channel(),
            agent: None,
            outcome: Outcome::default(),
            alone: false,
            hung_up: false,
            is_refused: false,
            died: None,
            faults: false,
            line: 0,
            version: None,
            #[cfg(unix)]
            guarded: None,
        })
    }

    /// Starts the agent, and talks to it until all is done. Gives the exit code.
    pub fn run(mut self, start: SessionStart) -> Result<u8, Failure> {
        #[cfg(unix)]
        {
            self.guarded = Some(super::signals::watch(self.news.0.clone(), self.dialog.is_some())?);
        }
        if let Some(prompt) = &start.prompt {
            self.view.said(prompt, false)?;
        }
        let start = Command::from(start);
        let step = self.session.command(&start).map_err(|error| self.impossible(&error))?;
        self.outcome.said(&start);
        self.take(step)?;
        news::read_stdin(self.news.0.clone());
        #[cfg(unix)]
        news::watch_stdout(self.news.0.clone());
        let ended = self.listen();
        self.outcome.finish();
        // Also when something went wrong, the events come to their end. Nobody reads them when the output is closed.
        if !matches!(ended, Err(Failure::BrokenPipe)) {
            let last = match self.died.take() {
                Some(ended) => self.session.finish_with(&ended),
                None => self.session.finish(),
            };
            self.show(&last.events)?;
            self.tell_refused(&last);
        }
        if let Some(agent) = &mut self.agent {
            agent.end();
        }
        match ended? {
            FINE if self.faults || !self.outcome.is_fine() => {
                if let Some(trouble) = self.outcome.trouble() {
                    self.warn(&output::line(&trouble, WIDTH));
                }
                Ok(FINDINGS)
            }
            code => Ok(code),
        }
    }

    /// Takes news until the run is over.
    fn listen(&mut self) -> Result<u8, Failure> {
        // Since when the agent has been silent.
        let mut silence = Instant::now();
        // Whether the user knows of this silence.
        let mut is_told = false;
        loop {
            // A person who wants to go on says so; a program says so by keeping its input open.
            let no_more = self.is_refused || (!self.keep && (self.alone || self.dialog.is_some()));
            let is_done = self.table.turn_ends_with_input || !self.outcome.is_working();
            if !self.hung_up && no_more && is_done {
                self.hang_up()?;
                silence = Instant::now();
            }
            // Whoever may say more decides how long to wait for a turn that may not come; a person gets a new prompt.
            let patience = match self.outcome.is_working() {
                _ if self.session.holds_end() => Some(SECOND_THOUGHTS),
                true if no_more || self.hung_up || self.dialog.is_some() => self.outcome.patience(),
                true => None,
                false if self.agent.as_ref().is_some_and(Agent::was_ended) => Some(LAST_WORDS),
                false => self.hung_up.then_some(QUIET),
            };
            // A running turn may take any time, but nobody should wait for one that never ends without knowing it.
            let may_tell = patience.is_none() && !is_told && self.is_waiting_in_turn();
            let patience = patience.or(may_tell.then_some(LONG_SILENCE));
            let patience = patience.map(|patience| patience.saturating_sub(silence.elapsed()));
            match self.next(patience) {
                Ok(News::Said(bytes)) => {
                    let step = self.session.push(&bytes);
                    // A heartbeat is no event.
                    if !step.events.is_empty() {
                        silence = Instant::now();
                        is_told = false;
                    }
                    self.take(step)?;
                }
                Ok(News::Line(line)) => {
                    self.line += 1;
                    self.heed(&line)?;
                }
                Ok(News::NoMoreLines) => {
                    self.alone = true;
                    // Nobody can answer any more.
                    let open: Vec<PendingRequest> =
                        self.session.pending().iter().map(|(_, request)| request.clone()).collect();
                    open.iter().try_for_each(|request| self.refuse(request))?;
                }
                Ok(News::Answered { method, path, refusal }) => {
                    let refusal = refusal.map(|why| format!("{method} {path}: {why}"));
                    let step = self.session.http_answered(method, &path, refusal.as_deref());
                    self.take(step)?;
                }
                Ok(News::Unreachable(why)) => {
                    return Err(Failure::new(
                        IO,
                        format!("cannot reach {}: {}", self.table.title, output::line(&why, WIDTH)),
                    ));
                }
                Ok(News::Closed) => return Err(Failure::BrokenPipe),
                #[cfg(unix)]
                Ok(News::Signal(signal)) => {
                    if let Some(code) = self.signalled(signal)? {
                        return Ok(code);
                    }
                }
                Ok(News::Silent) => return self.silent(),
                Err(RecvTimeoutError::Timeout) if self.session.holds_end() => {
                    let step = self.session.idle();
                    self.take(step)?;
                }
                Err(RecvTimeoutError::Timeout) if may_tell => {
                    is_told = true;
                    self.warn(&format!(
                        "{} has sent nothing for {} s, and its turn is still running; Ctrl-C interrupts it",
                        self.table.title,
                        LONG_SILENCE.as_secs()
                    ));
                }
                Err(RecvTimeoutError::Timeout) if self.outcome.is_working() => {
                    if let Some(what) = self.outcome.give_up() {
                        self.warn(&format!("{} {what}", self.table.title));
                    }
                    self.ask()?;
                }
                // It has had its time.
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(FINE),
            }
        }
    }

    /// Whether a turn is running that waits for nobody but the agent.
    fn is_waiting_in_turn(&self) -> bool {
        self.outcome.is_in_turn() && !self.asks()
    }

    /// Whether the agent waits for an answer.
    fn asks(&self) -> bool {
        self.session.pending().iter().next().is_some()
    }

    /// Waits for news. When they do not come at once, a person sees what is waited for.
    fn next(&mut self, patience: Option<Duration>) -> Result<News, RecvTimeoutError> {
        let is_waiting = self.outcome.is_working() && !self.asks();
        for (pause, long) in [(AT_ONCE, false), (STALLED, true)] {
            if !is_waiting || patience.is_some_and(|patience| patience <= pause) {
                break;
            }
            match self.news.1.recv_timeout(pause) {
                Err(RecvTimeoutError::Timeout) if self.view.wait(long) => break,
                Err(RecvTimeoutError::Timeout) => {}
                news => return news,
            }
        }
        let news = match patience {
            Some(patience) => self.news.1.recv_timeout(patience),
            None => self.news.1.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        self.view.rest();
        news
    }

    /// The agent says nothing more: was its work done?
    fn silent(&mut self) -> Result<u8, Failure> {
        let name = self.table.title;
        let Some(agent) = &mut self.agent else { return Ok(FINE) };
        let status = agent.ended();
        let failed = !agent.was_ended() && status.is_none_or(|status| !status.success());
        // Whoever hangs up in the middle of the work wants its end. An agent whose turn has failed may fail, too.
        let crashed = match (self.hung_up, self.outcome.is_working()) {
            (false, true) => true,
            (true, true) => failed,
            (false, false) => failed && self.outcome.is_fine(),
            (true, false) => false,
        };
        if !crashed {
            return Ok(FINE);
        }
        let (failure, ended) = agent.crash(name, status);
        self.died = Some(ended);
        Err(failure)
    }

    #[cfg(unix)]
    fn signalled(&mut self, signal: i32) -> Result<Option<u8>, Failure> {
        use crate::failure::SIGNAL;

        let first = self.dialog.as_mut().is_some_and(Dialog::interrupted_first);
        if signal == signal_hook::consts::SIGINT && first && self.outcome.is_in_turn() {
            self.view.note("interrupting the turn; Ctrl-C again ends the run")?;
            self.give(None, &Command::from(TurnInterrupt::default()))?;
            return Ok(None);
        }
        Ok(Some(SIGNAL.saturating_add(u8::try_from(signal).unwrap_or_default())))
    }

    /// Takes a line of whoever drives the agent.
    fn heed(&mut self, line: &str) -> Result<(), Failure> {
        if let Some(dialog) = &mut self.dialog {
            match dialog.heed(line) {
                Heard::Command(command) => {
                    if let Command::MessageSend(_) = &command {
                        self.view.said(line, true)?;
                    }
                    self.give(None, &command)?;
                }
                Heard::Nothing => {}
            }
            return self.ask();
        }
        if line.trim().is_empty() {
            return Ok(());
        }
        let command: Command = match serde_json::from_str(line) {
            Ok(command) => command,
            Err(error) => {
                self.fault(&error);
                return Ok(());
            }
        };
        let address: Address = match serde_json::from_str(line) {
            Ok(address) => address,
            Err(error) => {
                self.fault(&error);
                return Ok(());
            }
        };
        self.give(address.session_id.as_ref(), &command)
    }

    /// Gives a command; one that cannot be given is told to whoever gave it.
    fn give(&mut self, session: Option<&SessionId>, command: &Command) -> Result<(), Failure> {
        let step = match session {
            Some(session) => self.session.command_for(session, command),
            None => self.session.command(command),
        };
        match step {
            Ok(step) => {
                if session.is_none_or(|session| self.outcome.is_of(session)) {
                    self.outcome.said(command);
                }
                self.take(step)
            }
            Err(error) => {
                self.fault(&error);
                Ok(())
            }
        }
    }

    fn hang_up(&mut self) -> Result<(), Failure> {
        self.hung_up = true;
        match self.session.command(&Command::from(SessionEnd::default())) {
            Ok(step) => self.take(step),
            // A provider that cannot be told is ended.
            Err(_) => {
                self.agent.iter_mut().for_each(Agent::hang_up);
                Ok(())
            }
        }
    }

    /// Does what a step asks for, and shows what has happened.
    fn take(&mut self, mut step: SessionOutput) -> Result<(), Failure> {
        for message in std::mem::take(&mut step.messages) {
            self.send(message)?;
        }
        self.show(&step.events)?;
        self.tell_refused(&step);
        for event in &step.events {
            match &event.body {
                EventBody::SessionStarted(started) => self.check_version(started.agent_version.as_deref()),
                EventBody::SessionUpdated(updated) => self.check_version(updated.agent_version.as_deref()),
                _ => {}
            }
            self.answer_alone(event)?;
        }
        self.ask()
    }

    fn send(&mut self, message: NativeMessage) -> Result<(), Failure> {
        match message {
            NativeMessage::Spawn { args, cwd } => {
                let args = program::arguments(args, self.program.as_deref());
                if let Some(agent) = &mut self.agent {
                    agent.end();
                }
                let agent = Agent::start(self.table, &args, cwd.as_deref(), &self.news.0)?;
                #[cfg(unix)]
                self.guarded.iter().for_each(|guarded| guarded.set(agent.family()));
                self.agent = Some(agent);
                Ok(())
            }
            NativeMessage::Text(text) => self.agent()?.say(text.get()),
            NativeMessage::Http { method, path, body } => {
                self.agent()?.request(method, &path, body.as_ref().map(|body| body.get()))
            }
            NativeMessage::HangUp => {
                self.hung_up = true;
                self.agent()?.hang_up();
                Ok(())
            }
        }
    }

    fn agent(&mut self) -> Result<&mut Agent, Failure> {
        self.agent
            .as_mut()
            .ok_or_else(|| Failure::new(IO, "the map sends a message to a program that it has not started"))
    }

    fn show(&mut self, events: &[Event]) -> Result<(), Failure> {
        for event in events {
            self.outcome.observe(event);
            self.dialog.iter_mut().for_each(|dialog| dialog.observe(event));
        }
        self.view.show(events)
    }

    /// Asks the person what is to be asked.
    fn ask(&mut self) -> Result<(), Failure> {
        let idle = self.keep && !self.outcome.is_working();
        match self.dialog.as_mut().and_then(|dialog| dialog.question(idle)) {
            Some(question) => self.view.ask(&question),
            None => Ok(()),
        }
    }

    /// Answers a request that nobody is there for. A person cannot do the work of a host.
    fn answer_alone(&mut self, event: &Event) -> Result<(), Failure> {
        match &event.body {
            EventBody::HostCallRequested(request) if self.alone || self.dialog.is_some() => {
                self.refuse(&PendingRequest::HostCall((**request).clone()))
            }
            _ if !self.alone => Ok(()),
            EventBody::PermissionRequested(request) => {
                self.refuse(&PendingRequest::Permission((**request).clone()))
            }
            EventBody::QuestionRequested(request) => {
                self.refuse(&PendingRequest::Question((**request).clone()))
            }
            _ => Ok(()),
        }
    }

    fn refuse(&mut self, request: &PendingRequest) -> Result<(), Failure> {
        let id = request.id().to_owned();
        let (what, command) = match request {
            PendingRequest::Permission(_) => {
                ("permission", PermissionReply::new(id.as_str(), PermissionOutcome::Reject).into())
            }
            PendingRequest::Question(_) => ("an answer", QuestionReject::new(id.as_str()).into()),
            PendingRequest::HostCall(_) => (
                "a host call",
                HostCallReply::failed(id.as_str(), "host calls are not supported here").into(),
            ),
        };
        self.warn(&format!(
            "{} requests {what} ({}), but nobody can answer: rejected",
            self.table.title,
            output::name(&id)
        ));
        match self.session.command(&command) {
            Ok(step) => self.take(step),
            // It may have expired meanwhile.
            Err(CommandError::AlreadySettled { .. }) => Ok(()),
            Err(error) => {
                self.faults = true;
                self.warn(&format!(
                    "the rejection was not sent: {}",
                    output::line(&error.to_string(), WIDTH)
                ));
                Ok(())
            }
        }
    }

    fn check_version(&mut self, version: Option<&str>) {
        let Some(version) = version.filter(|version| self.version.as_deref() != Some(version)) else {
            return;
        };
        self.version = Some(version.to_owned());
        let known = interlingua::registry::recorded_versions(self.table.provider);
        if !known.is_empty() && !known.iter().any(|known| version.starts_with(known)) {
            self.warn(&format!(
                "{} {} is not one of the versions that its map was tested with ({}); new messages may \
                 become agent.unparsed",
                self.table.title,
                output::name(version),
                known.join(", ")
            ));
        }
    }

    fn fault(&mut self, what: &impl Display) {
        self.faults = true;
        let what = output::line(&what.to_string(), WIDTH);
        let place = if self.dialog.is_some() { String::new() } else { format!("line {}: ", self.line) };
        self.warn(&format!("{place}the command was not sent: {what}"));
    }

    /// Names what of the commands was not said as it is, and those that had to wait and cannot be given any more.
    fn tell_refused(&mut self, step: &SessionOutput) {
        for lost in &step.degradations {
            self.warn(&output::line(&unsupported(lost), WIDTH));
        }
        for (command, error) in &step.refused {
            self.faults = true;
            self.is_refused |= matches!(command, Command::SessionStart(_));
            self.outcome.refused(command);
            let why = output::line(&error.to_string(), WIDTH);
            self.warn(&format!("`{}` failed: {why}", command.command_type()));
        }
    }

    fn warn(&self, what: &str) {
        crate::failure::warn(what);
    }

    fn impossible(&self, error: &CommandError) -> Failure {
        Failure::new(
            USAGE,
            format!("cannot start {}: {}", self.table.title, output::line(&error.to_string(), WIDTH)),
        )
        .help(format!("`interlingua terms {} --commands` lists what it supports", self.table.provider))
    }
}
