//! What a page holds in compressed form until somebody looks at it: long texts, parts of long sessions, and native
//! lines. The page's script inflates a pack when it is needed.
//!
//! A pack is the text of a script element with a type that no browser runs: base64 of a raw deflate stream. Inside, each
//! entry is its number, U+001F, its text, and U+001E.

use std::io::Write;
use std::thread;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use maud::{Markup, PreEscaped, html};

/// How many bytes of text a pack holds at least, so that it compresses well.
const PACK: usize = 256 << 10;

/// What is in a pack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The whole of a long text.
    Text,
    /// A part of the conversation, as HTML.
    Part,
    /// Native lines.
    Native,
}

impl Kind {
    fn letter(self) -> &'static str {
        match self {
            Self::Text => "t",
            Self::Part => "p",
            Self::Native => "n",
        }
    }
}

/// Entries of one kind, with the numbers of the first and the last one.
struct Pack {
    kind: Kind,
    from: u64,
    to: u64,
    text: Vec<u8>,
}

/// The packs of a page.
#[derive(Default)]
pub struct Store {
    packs: Vec<Pack>,
    texts: u64,
    parts: u64,
}

impl Store {
    /// Keeps a long text; its number.
    pub fn text(&mut self, text: &str) -> u64 {
        self.texts += 1;
        self.add(Kind::Text, self.texts, text.as_bytes());
        self.texts
    }

    /// Keeps a part of the conversation; its number.
    pub fn part(&mut self, html: &str) -> u64 {
        self.parts += 1;
        self.add(Kind::Part, self.parts, html.as_bytes());
        self.parts
    }

    /// Keeps a native line. Lines come in order.
    pub fn native(&mut self, line: u64, text: &[u8]) {
        self.add(Kind::Native, line, text);
    }

    fn add(&mut self, kind: Kind, number: u64, text: &[u8]) {
        let last = self.packs.iter_mut().rev().find(|pack| pack.kind == kind);
        let pack = match last {
            // Parts are needed one by one.
            Some(pack) if pack.text.len() < PACK && kind != Kind::Part => pack,
            _ => {
                self.packs.push(Pack { kind, from: number, to: number, text: Vec::new() });
                let place = self.packs.len() - 1;
                &mut self.packs[place]
            }
        };
        pack.to = number;
        pack.text.extend_from_slice(number.to_string().as_bytes());
        pack.text.push(0x1f);
        // The separators is not allowed in a text.
        pack.text.extend(text.iter().map(|byte| if matches!(byte, 0x1e | 0x1f) { b' ' } else { *byte }));
        pack.text.push(0x1e);
    }

    /// The elements of the packs. Native lines come last; those that exceed the budget in bytes are left out. Gives
    /// also how many native lines are left out.
    pub fn written(self, budget: usize) -> (Markup, u64) {
        let packed = compressed(&self.packs);
        let mut spent = 0;
        let mut left_out = 0;
        let mut kept = Vec::new();
        let (native, others): (Vec<_>, Vec<_>) =
            self.packs.iter().zip(&packed).partition(|(pack, _)| pack.kind == Kind::Native);
        for (pack, text) in others.into_iter().chain(native) {
            if pack.kind == Kind::Native && spent + text.len() > budget {
                left_out += pack.text.iter().filter(|byte| **byte == 0x1e).count() as u64;
                continue;
            }
            spent += text.len();
            kept.push((pack, text));
        }
        let markup = html! {
            @for (pack, text) in kept {
                script type="text/plain" class="pack" data-k=(pack.kind.letter()) data-from=(pack.from) data-to=(pack.to) {
                    // Base64 has nothing that ends an element.
                    (PreEscaped(text))
                }
            }
        };
        (markup, left_out)
    }
}

/// Compresses packs on two threads.
fn compressed(packs: &[Pack]) -> Vec<String> {
    let middle = packs.iter().map(|pack| pack.text.len()).sum::<usize>() / 2;
    let mut sum = 0;
    let split = packs.iter().position(|pack| {
        sum += pack.text.len();
        sum > middle
    });
    let (first, second) = packs.split_at(split.unwrap_or_default());
    let all = |packs: &[Pack]| packs.iter().map(|pack| deflated(&pack.text)).collect::<Vec<String>>();
    thread::scope(|scope| {
        let second = scope.spawn(|| all(second));
        let mut done = all(first);
        // A thread that panicked has said so already.
        done.extend(second.join().unwrap_or_default());
        done
    })
}

fn deflated(text: &[u8]) -> String {
    let mut encoder = DeflateEncoder::new(Vec::with_capacity(text.len() / 4), Compression::new(5));
    // Writing to a vector does not fail.
    let bytes = encoder.write_all(text).and_then(|()| encoder.finish()).unwrap_or_default();
    STANDARD.encode(bytes)
}
