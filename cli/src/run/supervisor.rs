//! A process of our own between us and the agent's program. It outlives us when we are killed, and then ends the program
//! and all that it has started.
//!
//! We start ourselves again with the word [`WORD`], our process id, and the command. On Linux the kernel tells the
//! supervisor by a signal that we are gone, and gives it what the program leaves behind; elsewhere it looks from time to
//! time, and only the program's group is reached.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, wait};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;

use super::family::Family;

/// The first argument of a supervisor; no command of ours is called so.
const WORD: &str = "--supervise";

/// The exit code of a supervisor that cannot start the program, as shells have it.
const CANNOT_START: u8 = 127;

/// How long the program may take to end in good order when we are gone.
const GRACE: Duration = Duration::from_secs(2);

/// How long the supervisor tries to kill what does not end.
const REMOVAL: Duration = Duration::from_secs(5);

const PAUSE: Duration = Duration::from_millis(10);

/// How often the supervisor looks whether we live, where nothing tells it.
#[cfg(not(target_os = "linux"))]
const LOOK: Duration = Duration::from_millis(500);

/// The command that starts a program under a supervisor; the program alone where we cannot find ourselves.
pub fn supervised(program: &str) -> Command {
    let Some(ourselves) = ourselves() else { return Command::new(program) };
    let mut command = Command::new(ourselves);
    command.arg0("interlingua").arg(WORD).arg(std::process::id().to_string()).arg(program);
    command
}

fn ourselves() -> Option<PathBuf> {
    // This is also right when our file was replaced meanwhile.
    let link = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && link.exists() { Some(link.into()) } else { std::env::current_exe().ok() }
}

/// Supervises a program, if that is what we were started for.
pub fn supervise_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != WORD {
        return None;
    }
    let parent = Pid::from_raw(arguments.next()?.to_str()?.parse().ok()?)?;
    let program = arguments.next()?;
    Some(supervise(parent, &program, arguments.collect()))
}

fn supervise(parent: Pid, program: &OsString, arguments: Vec<OsString>) -> ExitCode {
    // SIGTERM and the like go to the whole group: the program decides what becomes of it, and we wait for its end.
    let Ok(mut signals) = Signals::new([SIGCHLD, SIGUSR1, SIGTERM, SIGINT, SIGHUP]) else {
        return ExitCode::from(CANNOT_START);
    };
    watch(parent);
    let mut family = Family::prepare();
    // A group is killed with the one who kills; on Linux, all are found without it.
    if cfg!(not(target_os = "linux")) {
        family.adopt(std::process::id());
    }
    let child = match Command::new(program).args(arguments).spawn() {
        Ok(child) => child,
        Err(error) => {
            crate::output::tell(format_args!(
                "cannot start {}: {error}",
                crate::output::name(&program.to_string_lossy())
            ));
            return ExitCode::from(CANNOT_START);
        }
    };
    let child = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // The pipes are between our parent and the program: nobody else may hold them open.
    release_pipes();
    loop {
        if getppid() != Some(parent) {
            end(&family);
            return ExitCode::FAILURE;
        }
        // What others have left to us is taken away, too.
        while let Ok(Some((process, status))) = wait(WaitOptions::NOHANG) {
            if Some(process) == child {
                return same_end(status);
            }
        }
        signals.wait().for_each(drop);
    }
}

/// Has a signal wake us when our parent is gone.
fn watch(parent: Pid) {
    #[cfg(target_os = "linux")]
    {
        let _ = parent;
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::USR1));
    }
    #[cfg(not(target_os = "linux"))]
    thread::spawn(move || {
        while getppid() == Some(parent) {
            thread::sleep(LOOK);
        }
        let _ = kill_process(getpid(), Signal::USR1);
    });
}

fn release_pipes() {
    if let Ok(nothing) = File::options().read(true).write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(&nothing);
        let _ = rustix::stdio::dup2_stdout(&nothing);
        let _ = rustix::stdio::dup2_stderr(&nothing);
    }
}

/// Ends everybody: first they are asked to, and after a while they have to.
fn end(family: &Family) {
    family.ask_to_end();
    let begin = Instant::now();
    while !family.is_gone() && begin.elapsed() < GRACE {
        thread::sleep(PAUSE);
    }
    while !family.is_gone() && begin.elapsed() < GRACE + REMOVAL {
        family.kill();
        thread::sleep(PAUSE);
    }
}

/// Ends as the program has ended.
fn same_end(status: WaitStatus) -> ExitCode {
    if let Some(code) = status.exit_status() {
        return ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX));
    }
    let signal = status.terminating_signal().unwrap_or_default();
    if let Some(kill) = Signal::from_named_raw(signal).filter(|named| *named == Signal::KILL) {
        let _ = kill_process(getpid(), kill);
    }
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    ExitCode::from(crate::failure::SIGNAL.saturating_add(u8::try_from(signal).unwrap_or_default()))
}
