//! `interlingua show`: a session in the terminal.

mod entries;
mod pager;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;
use interlingua::Options;
use interlingua::transcript::Fold;
use interlingua::vocabulary::{Event, EventBody};

use self::entries::Printer;
use crate::args::Source;
use crate::events;
use crate::failure::{FINE, Failure, warn_unparsed};
use crate::html::trace::Trace;
use crate::input::Input;
use crate::output;

/// The end of the command's help.
pub const HELP: &str = "\
Shows each turn with its messages, tool calls, results, diffs, plans, permissions and
errors; what a sub-agent did stands indented in its call. Of a long output the first
lines are shown; --full shows all of it. On a terminal the text goes through the pager
that PAGER names, or less; into a pipe it is plain text.

With --follow the file may still grow: its entries are shown as they are complete, until
Ctrl-C.

Examples:
  interlingua show session.jsonl
  interlingua show 5e550001
  interlingua show --full session.jsonl | grep -n error
  interlingua show --follow session.jsonl";

/// Options of `show`.
#[derive(Debug, Args)]
pub struct Show {
    #[command(flatten)]
    source: Source,
    /// Show long outputs and reasoning in full
    #[arg(long)]
    full: bool,
    /// Go on showing what is appended to the file
    #[arg(long, short)]
    follow: bool,
    /// Do not use a pager
    #[arg(long)]
    no_pager: bool,
    /// What an agent printed, a universal stream, or the id of a session; `-` is standard input
    #[arg(value_name = "FILE|ID")]
    file: PathBuf,
}

/// Runs the command.
pub fn run(options: &Show) -> Result<u8, Failure> {
    if options.follow {
        return follow(options);
    }
    let mut story = Story::default();
    let read = events::read(&options.source, &options.file, Options::default(), |event| story.push(event))?;
    let written = if io::stdout().is_terminal() && !options.no_pager {
        pager::with(|to| story.print(options, to, true))
    } else {
        story.print(options, &mut output::people(), true)
    };
    written.map_err(|error| Failure::output(&error))?;
    warn_unparsed(&options.file, read.unparsed);
    Ok(FINE)
}

/// What was read so far, and what of it was shown.
#[derive(Default)]
struct Story {
    fold: Fold,
    trace: Trace,
    printer: Printer,
}

impl Story {
    fn push(&mut self, event: Event) {
        self.trace.observe(&event);
        self.fold.push(event);
    }

    /// Shows what was not shown yet: what is complete, or everything.
    fn print(&mut self, options: &Show, to: &mut dyn Write, all: bool) -> io::Result<()> {
        self.printer.full = options.full;
        self.printer.print(self.fold.transcript(), &self.trace, to, all)?;
        to.flush()
    }
}

/// Shows entries as they are complete, until somebody ends it.
fn follow(options: &Show) -> Result<u8, Failure> {
    let mut story = Story::default();
    let mut to = output::people();
    events::read_input(&options.source, Input::following(&options.file)?, Options::default(), |event| {
        let may_complete = matches!(
            event.body,
            EventBody::ItemCompleted(_)
                | EventBody::TurnEnded(_)
                | EventBody::Error(_)
                | EventBody::SessionEnded(_)
        );
        story.push(event);
        if may_complete && let Err(error) = story.print(options, &mut to, false) {
            // Nobody reads any more, and a file that is followed has no end.
            let failure = Failure::output(&error);
            failure.tell();
            std::process::exit(i32::from(failure.code()));
        }
    })?;
    Ok(FINE)
}
