//! Writing to people: colours pass, and everything else that is not text is made visible.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, Write};

use anstream::AutoStream;

use super::{escape, is_unsafe};

/// How much is kept at most until its line is whole.
const KEPT: usize = 64 << 10;

/// The longest colour that is let through: `\x1b[1;38;5;255m` and the like.
const COLOUR: usize = 24;

/// A writer to people. It writes whole lines, and the rest when it is flushed.
pub struct People<W: Write> {
    to: W,
    kept: Vec<u8>,
}

/// Standard output for people.
pub fn people() -> People<AutoStream<io::StdoutLock<'static>>> {
    People::new(AutoStream::auto(io::stdout().lock()))
}

/// Standard output for people, to which other threads may write, too.
pub fn shared_people() -> People<AutoStream<io::Stdout>> {
    People::new(AutoStream::auto(io::stdout()))
}

/// Standard error for people.
pub fn people_stderr() -> People<AutoStream<io::StderrLock<'static>>> {
    People::new(AutoStream::auto(io::stderr().lock()))
}

thread_local! {
    /// The messages of a worker, until it is the turn of its file.
    static MESSAGES: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Does something, and keeps the messages that [`tell`] gets meanwhile on this thread.
pub fn keeping<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    MESSAGES.set(Some(Vec::new()));
    let done = work();
    (done, MESSAGES.take().unwrap_or_default())
}

/// Writes one message with its end of line to standard error. Nothing can be done about an error there.
pub fn tell(message: impl fmt::Display) {
    let kept = MESSAGES.with_borrow_mut(|kept| match kept {
        Some(kept) => {
            kept.push(message.to_string());
            true
        }
        None => false,
    });
    if kept {
        return;
    }
    let mut to = people_stderr();
    let _ = writeln!(to, "{message}").and_then(|()| to.flush());
}

impl<W: Write> People<W> {
    /// Writes to this one.
    pub fn new(to: W) -> Self {
        Self { to, kept: Vec::new() }
    }

    fn pass(&mut self, end: usize) -> io::Result<()> {
        let shown = visible(&String::from_utf8_lossy(&self.kept[..end]));
        self.kept.drain(..end);
        self.to.write_all(shown.as_bytes())
    }
}

impl<W: Write> Write for People<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.kept.extend_from_slice(bytes);
        let end = match self.kept.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => last + 1,
            None if self.kept.len() > KEPT => self.kept.len(),
            None => 0,
        };
        self.pass(end)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass(self.kept.len())?;
        self.to.flush()
    }
}

impl<W: Write> Drop for People<W> {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if let Some(colour) = colour(rest) {
            shown.push_str(colour);
            rest = &rest[colour.len()..];
            continue;
        }
        match letter {
            '\n' | '\t' => shown.push(letter),
            '\u{200c}' | '\u{200d}' if !before.is_ascii() && !is_unsafe(before) => shown.push(letter),
            letter if is_unsafe(letter) => escape(letter, &mut shown),
            letter => shown.push(letter),
        }
        before = letter;
        rest = &rest[letter.len_utf8()..];
    }
    shown
}

/// The colour with which a text begins.
fn colour(text: &str) -> Option<&str> {
    let parameters = text.strip_prefix("\x1b[")?;
    let length = parameters.bytes().take(COLOUR).position(|byte| !matches!(byte, b'0'..=b'9' | b';'))?;
    (parameters.as_bytes()[length] == b'm').then(|| &text[.."\x1b[".len() + length + 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(pieces: &[&str]) -> String {
        let mut people = People::new(Vec::new());
        pieces.iter().for_each(|piece| people.write_all(piece.as_bytes()).expect("a vector takes it"));
        people.flush().expect("a vector takes it");
        String::from_utf8(people.to.clone()).expect("UTF-8")
    }

    #[test]
    fn colours_pass_however_they_are_cut_and_commands_do_not() {
        assert_eq!(written(&["\x1b", "[2", "mquiet", "\x1b[0m\n"]), "\x1b[2mquiet\x1b[0m\n");
        assert_eq!(written(&["\x1b[1;38;5;208mx"]), "\x1b[1;38;5;208mx");
        for command in
            ["\x1b[2J", "\x1b]0;t\x07", "\x1bc", "\u{9b}2J", "\x1b[", "\x1b[?25m", "\r", "\u{202e}"]
        {
            let shown = written(&[command]);
            assert!(!shown.chars().any(is_unsafe), "{shown:?}");
        }
    }

    #[test]
    fn a_character_may_be_cut_between_two_writes() {
        let mut people = People::new(Vec::new());
        for byte in "é\n".bytes() {
            people.write_all(&[byte]).expect("a vector takes it");
        }
        assert_eq!(people.to, "é\n".as_bytes());
    }
}
