//! A list of numbers that decides what is made: the shorter it is and the smaller its numbers, the simpler the thing.

use proptest::collection::vec;
use proptest::strategy::Strategy;

/// Tapes of up to so many numbers.
pub fn tapes(length: usize) -> impl Strategy<Value = Vec<u16>> {
    vec(0..=u16::MAX, 0..=length)
}

/// A tape that is read.
pub struct Tape<'t> {
    left: &'t [u16],
}

impl<'t> Tape<'t> {
    /// From its beginning.
    pub fn new(numbers: &'t [u16]) -> Self {
        Self { left: numbers }
    }

    /// The next number, below a limit; 0 at the tape's end.
    pub fn below(&mut self, limit: usize) -> usize {
        let [next, rest @ ..] = self.left else { return 0 };
        self.left = rest;
        usize::from(*next) % limit.max(1)
    }

    /// True once in so many times; never at the tape's end.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) + 1 == times
    }

    /// One of these.
    pub fn choose<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[self.below(choices.len())]
    }
}
