//! Putting a message together from pieces, in bounded memory.

use std::fmt;

use hmac_sha256::Hash as Sha256;

use super::{EXCERPT, FrameProblem};

/// A buffer that has grown beyond this is given back after its message.
const KEPT_CAPACITY: usize = 1 << 20;

/// A message so far. Up to the limit its bytes are kept; beyond, only its
/// start, its length and its running hash.
pub(super) struct Gather {
    bytes: Vec<u8>,
    length: u64,
    limit: usize,
    over: Option<Sha256>,
}

/// A whole message: what to show of it, its length, and its problem.
pub(super) struct Gathered<'a> {
    pub bytes: &'a [u8],
    pub length: u64,
    pub problem: Option<FrameProblem>,
}

impl Gather {
    pub fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), length: 0, limit, over: None }
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub fn push(&mut self, piece: &[u8]) {
        self.length += piece.len() as u64;
        if self.over.is_none() && self.length > self.limit as u64 {
            self.over = Some(begun(&self.bytes));
            self.bytes.truncate(EXCERPT);
        }
        match &mut self.over {
            None => self.bytes.extend_from_slice(piece),
            Some(hash) => {
                hash.update(piece);
                let room = EXCERPT - self.bytes.len();
                self.bytes.extend_from_slice(&piece[..piece.len().min(room)]);
            }
        }
    }

    pub fn view(&self) -> Gathered<'_> {
        let problem = self.over.as_ref().map(|hash| too_long(*hash));
        Gathered { bytes: &self.bytes, length: self.length, problem }
    }

    pub fn clear(&mut self) {
        if self.bytes.capacity() > KEPT_CAPACITY {
            self.bytes = Vec::new();
        }
        self.bytes.clear();
        self.length = 0;
        self.over = None;
    }

    /// The same judgement on a message that lies in one piece.
    pub fn whole<'a>(&self, bytes: &'a [u8]) -> Gathered<'a> {
        let length = bytes.len() as u64;
        if bytes.len() <= self.limit {
            return Gathered { bytes, length, problem: None };
        }
        Gathered { bytes: &bytes[..bytes.len().min(EXCERPT)], length, problem: Some(too_long(begun(bytes))) }
    }
}

/// The running hash after these bytes.
fn begun(bytes: &[u8]) -> Sha256 {
    let mut hash = Sha256::new();
    hash.update(bytes);
    hash
}

fn too_long(hash: Sha256) -> FrameProblem {
    FrameProblem::TooLong { sha256: hash.finalize() }
}

impl fmt::Debug for Gather {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gather").field("length", &self.length).field("limit", &self.limit).finish()
    }
}
