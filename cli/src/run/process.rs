//! The agent's program: how it is started, and how it ends together with all that it has started.

use std::io;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::family::Family;
use crate::failure::{Failure, IO};
use crate::output;

/// How long a program may take to end after it was asked to, before it is killed.
const GRACE: Duration = Duration::from_secs(3);

/// How long we wait for the system to take away what was killed.
const REMOVAL: Duration = Duration::from_secs(2);

const PAUSE: Duration = Duration::from_millis(10);

/// A program that runs. When it is dropped, it ends.
pub struct Process {
    child: Child,
    family: Arc<Family>,
    status: Option<ExitStatus>,
}

/// The ends of the program's pipes.
pub struct Pipes {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

impl Process {
    /// Starts a program. `install` says how people get it, in case that it is missing.
    pub fn start(args: &[String], cwd: Option<&str>, install: &str) -> Result<(Self, Pipes), Failure> {
        let [program, args @ ..] = args else {
            return Err(Failure::new(IO, "the map names no program to start"));
        };
        if let Some(cwd) = cwd.map(Path::new).filter(|cwd| !cwd.is_dir()) {
            return Err(Failure::new(IO, format!("the folder {} does not exist", output::path(cwd)))
                .help("--cwd is the agent's working directory"));
        }
        find(program, cwd.map(Path::new)).map_err(|error| cannot_start(program, &error, install))?;
        #[cfg(unix)]
        let mut command = super::supervisor::supervised(program);
        #[cfg(not(unix))]
        let mut command = std::process::Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = cwd {
            command.current_dir(cwd);
        }
        // Ctrl-C is for us alone: the program is in a group of its own, which is ended as a whole.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut family = Family::prepare();
        let mut child = command.spawn().map_err(|error| cannot_start(program, &error, install))?;
        family.adopt(child.id());
        let taken = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = Self { child, family: Arc::new(family), status: None };
        let (Some(stdin), Some(stdout), Some(stderr)) = taken else {
            return Err(Failure::new(
                IO,
                format!("cannot talk to `{}`: it has no pipes", output::name(program)),
            ));
        };
        Ok((process, Pipes { stdin, stdout, stderr }))
    }

    /// The program and all that it has started, for whoever may have to end them in our place.
    pub fn family(&self) -> Arc<Family> {
        Arc::clone(&self.family)
    }

    /// How the program has ended by itself, if it does so within this time.
    pub fn wait(&mut self, at_most: Duration) -> Option<ExitStatus> {
        let begin = Instant::now();
        loop {
            if self.status.is_none() {
                self.status = self.child.try_wait().ok().flatten();
            }
            if self.status.is_some() || begin.elapsed() >= at_most {
                return self.status;
            }
            thread::sleep(PAUSE);
        }
    }

    /// Ends the program and all that it has started: first it is asked to, and after a while it has to.
    pub fn end(&mut self) {
        if self.is_over() {
            return;
        }
        self.family.ask_to_end();
        if self.is_over_within(GRACE) {
            return;
        }
        let begin = Instant::now();
        // More than once: what is killed may have started something in its last moment.
        while !self.is_over() && begin.elapsed() < REMOVAL {
            self.family.kill();
            let _ = self.child.kill();
            thread::sleep(PAUSE);
        }
    }

    fn is_over(&mut self) -> bool {
        self.wait(Duration::ZERO).is_some() && self.family.is_gone()
    }

    fn is_over_within(&mut self, at_most: Duration) -> bool {
        let begin = Instant::now();
        while !self.is_over() {
            if begin.elapsed() >= at_most {
                return false;
            }
            thread::sleep(PAUSE);
        }
        true
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// Looks for a program as the system does, to tell early that it is missing: it is started by a process of its own.
#[cfg(unix)]
fn find(program: &str, cwd: Option<&Path>) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let try_one = |path: &Path| match std::fs::metadata(path)? {
        file if file.is_file() && file.permissions().mode() & 0o111 != 0 => Ok(()),
        _ => Err(io::ErrorKind::PermissionDenied.into()),
    };
    if program.contains('/') {
        return try_one(&cwd.unwrap_or(Path::new("")).join(program));
    }
    let mut found = Err(io::ErrorKind::NotFound.into());
    for folder in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        match try_one(&folder.join(program)) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => found = Err(error),
            Err(_) => {}
        }
    }
    found
}

#[cfg(not(unix))]
fn find(_program: &str, _cwd: Option<&Path>) -> io::Result<()> {
    Ok(())
}

fn cannot_start(program: &str, error: &io::Error, install: &str) -> Failure {
    let program = output::name(program);
    match error.kind() {
        io::ErrorKind::NotFound => {
            let failure = Failure::new(IO, format!("the program `{program}` was not found"));
            if install.is_empty() {
                failure.help("give its path with --program")
            } else {
                failure.help(format!("install it with `{install}`, or give its path with --program"))
            }
        }
        io::ErrorKind::PermissionDenied => Failure::new(IO, format!("no permission to run `{program}`"))
            .help("check its permissions, or give another program with --program"),
        _ => Failure::new(IO, format!("cannot start `{program}`: {error}")),
    }
}

/// How a program has ended, in words.
pub fn ending(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was ended by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("ended with exit code {code}"),
        None => "ended".to_owned(),
    }
}
