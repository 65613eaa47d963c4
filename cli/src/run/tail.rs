//! The last lines that a program wrote for people: what tells why it has crashed.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::output;

/// How many lines are kept.
const LINES: usize = 20;

/// How much of a line is kept, in characters.
const WIDTH: usize = 500;

/// How long a line may be before it is taken for two.
const LONGEST: u64 = 64 << 10;

/// The last lines, which several threads may add to.
#[derive(Clone, Default)]
pub struct Tail(Arc<Mutex<VecDeque<String>>>);

impl Tail {
    /// Keeps the last lines of what is read, to its end, and shows each line to `look`.
    pub fn read(
        &self,
        from: impl Read + Send + 'static,
        mut look: impl FnMut(&str) + Send + 'static,
    ) -> JoinHandle<()> {
        let tail = self.clone();
        thread::spawn(move || {
            let mut from = BufReader::new(from);
            let mut line = Vec::new();
            while matches!((&mut from).take(LONGEST).read_until(b'\n', &mut line), Ok(count) if count > 0) {
                let text = String::from_utf8_lossy(&line);
                look(&text);
                tail.add(text.trim());
                line.clear();
            }
        })
    }

    /// The lines, the oldest first.
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn add(&self, line: &str) {
        if line.is_empty() {
            return;
        }
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES {
            lines.pop_front();
        }
        // What a program writes to a terminal may hold colours, which are not for us.
        let plain = anstream::adapter::strip_str(line).to_string();
        lines.push_back(output::line(&plain, WIDTH));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_lines_are_kept_and_not_more_of_them_than_is_read() {
        let tail = Tail::default();
        let text: String = (1..=30).map(|number| format!("line {number}\n\n")).collect();
        let long = format!("{text}\x1b[31mred\x1b[0m\u{202e}\n{}", "é".repeat(WIDTH + 1));
        tail.read(std::io::Cursor::new(long), |_| {}).join().expect("the reader ends");
        let lines = tail.lines();
        assert_eq!((lines.len(), lines[0].as_str()), (LINES, "line 13"));
        assert_eq!(lines[LINES - 2], r"red\u{202e}");
        assert!(lines[LINES - 1].starts_with(&format!("{}…", "é".repeat(WIDTH))));
    }
}
