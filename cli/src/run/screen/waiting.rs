//! The line that says, while nothing arrives, what is waited for and for how long.

use std::env;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often the line moves.
const TICK: Duration = Duration::from_millis(120);

/// The line, or nothing where it cannot move.
#[derive(Default)]
pub struct Waiting {
    can_move: bool,
    bar: Option<ProgressBar>,
}

impl Waiting {
    /// For standard output, which is a terminal.
    pub fn on_terminal() -> Self {
        let can_move = env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
        Self { can_move, bar: None }
    }

    /// Shows it. The message is safe for a terminal.
    pub fn start(&mut self, message: &str) {
        if !self.can_move || self.bar.is_some() {
            return;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(message.to_owned());
        bar.enable_steady_tick(TICK);
        self.bar = Some(bar);
    }

    /// Takes it away.
    pub fn stop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
