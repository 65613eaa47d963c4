//! A progress bar over inputs of a known length, shown once they have taken a second.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long a translation may take before a bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// The bar, or nothing where nobody would see it.
pub struct Progress {
    bar: Option<ProgressBar>,
    begin: Instant,
    shown: bool,
}

impl Progress {
    /// A bar over so many bytes. There is none without a known length, without a terminal, or where the
    /// events themselves go to the terminal.
    pub fn new(length: Option<u64>) -> Self {
        let visible = io::stderr().is_terminal() && !io::stdout().is_terminal();
        let bar = length.filter(|_| visible).map(|length| {
            let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
            let style = "{bar:32} {percent:>3}% {bytes}/{total_bytes} {binary_bytes_per_sec} eta {eta}";
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, begin: Instant::now(), shown: false }
    }

    /// So many bytes more are done.
    pub fn advance(&mut self, bytes: u64) {
        let Some(bar) = &self.bar else { return };
        bar.inc(bytes);
        if !self.shown && self.begin.elapsed() >= PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A bar over a number of files.
pub struct Files {
    bar: Option<ProgressBar>,
    begin: Instant,
    shown: bool,
}

impl Files {
    /// A bar over so many files. There is none without a terminal.
    pub fn new(count: usize) -> Self {
        let bar = (count > 1 && io::stderr().is_terminal()).then(|| {
            let length = u64::try_from(count).ok();
            let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
            if let Ok(style) = ProgressStyle::with_template("{bar:32} {pos} of {len} files  eta {eta}") {
                bar.set_style(style);
            }
            bar
        });
        Self { bar, begin: Instant::now(), shown: false }
    }

    /// One more is done.
    pub fn advance(&mut self) {
        let Some(bar) = &self.bar else { return };
        bar.inc(1);
        if !self.shown && self.begin.elapsed() >= PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
