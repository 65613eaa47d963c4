//! A terminal for the command: what it writes there, as a person's terminal would get it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// How long a program may take to write what is expected of it. Only a test that fails waits for so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A pseudo-terminal.
pub struct Terminal {
    person: File,
    program: File,
}

impl Terminal {
    /// A new one.
    pub fn new() -> Self {
        let person: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&person).and_then(|()| unlockpt(&person)).expect("its other end can be opened");
        let name = ptsname(&person, Vec::new()).expect("its name").into_string().expect("UTF-8");
        let program = OpenOptions::new().read(true).write(true).open(name).expect("its other end");
        Self { person: person.into(), program }
    }

    /// The end that a program gets as one of its standard streams.
    pub fn stdio(&self) -> Stdio {
        self.program.try_clone().expect("another handle").into()
    }

    /// The person's end. From now on, only programs have the other end open.
    pub fn person(self) -> Person {
        let Self { person, program } = self;
        drop(program);
        let mut reader = person.try_clone().expect("another handle");
        let (sender, pieces) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            // On Linux, reading fails when the other end is closed.
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Person { keyboard: person, pieces, bytes: Vec::new(), seen: 0 }
    }
}

/// The person before a terminal.
pub struct Person {
    keyboard: File,
    pieces: Receiver<Vec<u8>>,
    bytes: Vec<u8>,
    /// How many bytes were looked at.
    seen: usize,
}

impl Person {
    /// Waits until this text appears, after what has appeared before.
    pub fn sees(&mut self, text: &str) {
        loop {
            let new = String::from_utf8_lossy(&self.bytes[self.seen..]).into_owned();
            if new.contains(text) {
                self.seen = self.bytes.len();
                return;
            }
            match self.pieces.recv_timeout(PATIENCE) {
                Ok(piece) => self.bytes.extend(piece),
                Err(_) => panic!("{text:?} did not appear: {new}"),
            }
        }
    }

    /// Types a line.
    pub fn types(&mut self, line: &str) {
        writeln!(self.keyboard, "{line}").expect("somebody reads");
    }

    /// Everything that was written until no program has the terminal open any more, without the carriage returns that
    /// terminals add.
    pub fn screen(mut self) -> String {
        self.bytes.extend(self.pieces.iter().flatten());
        String::from_utf8_lossy(&self.bytes).replace("\r\n", "\n")
    }
}
