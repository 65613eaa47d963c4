//! Tokens of a call or a session, small enough to keep one for each call of a long session.

use interlingua::vocabulary::{Cost, Usage};
use serde::Serialize;

/// Counts of tokens, and a cost where the agent says one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tokens {
    /// Read, without those of the cache.
    pub input: Option<u64>,
    /// Read from the cache.
    pub cache_read: Option<u64>,
    /// Written to the cache.
    pub cache_write: Option<u64>,
    /// Written, without reasoning where that is told apart.
    pub output: Option<u64>,
    /// Written as reasoning.
    pub reasoning: Option<u64>,
    /// What it cost, as the agent says.
    #[serde(skip)]
    pub cost: Option<Box<Cost>>,
}

impl Tokens {
    /// Those of a report.
    pub fn of(usage: &Usage) -> Self {
        let Usage { input, cache_read, cache_write, output, reasoning, cost, .. } = usage;
        Self {
            input: *input,
            cache_read: *cache_read,
            cache_write: *cache_write,
            output: *output,
            reasoning: *reasoning,
            cost: cost.clone().map(Box::new),
        }
    }

    /// The counts alone, in the vocabulary's type.
    pub fn counts(&self) -> Usage {
        let mut usage = Usage::default();
        usage.input = self.input;
        usage.cache_read = self.cache_read;
        usage.cache_write = self.cache_write;
        usage.output = self.output;
        usage.reasoning = self.reasoning;
        usage
    }

    /// All that was read but what came from the cache.
    pub fn read(&self) -> Option<u64> {
        plus(self.input, self.cache_write)
    }

    /// All that was written.
    pub fn written(&self) -> Option<u64> {
        plus(self.output, self.reasoning)
    }

    /// All tokens.
    pub fn all(&self) -> u64 {
        [self.read(), self.cache_read, self.written()].into_iter().flatten().fold(0, u64::saturating_add)
    }

    /// Adds the counts of something else. Costs are added elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.input = plus(self.input, other.input);
        self.cache_read = plus(self.cache_read, other.cache_read);
        self.cache_write = plus(self.cache_write, other.cache_write);
        self.output = plus(self.output, other.output);
        self.reasoning = plus(self.reasoning, other.reasoning);
    }
}

fn plus(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_stays_absent() {
        let mut sum = Tokens::of(&Usage::default().with_input(1));
        sum.add(&Tokens::of(&Usage::default().with_output(2)));
        assert_eq!((sum.input, sum.output, sum.cache_read), (Some(1), Some(2), None));
    }
}
