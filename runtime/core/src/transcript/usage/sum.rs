//! Sums from which a part can be taken away again, exactly.

use crate::vocabulary::{Cost, CostSource, Usage};

/// A sum of usages. It knows how many of its parts have each count, so that an absent count stays absent also when
/// parts are taken away.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    parts: u64,
    input: Count,
    cache_read: Count,
    cache_write: Count,
    output: Count,
    reasoning: Count,
    costs: Vec<Amount>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    sum: u128,
    parts: u64,
}

/// The sum of the costs of one currency and source. It counts in whole units of 10^-12, since floating-point numbers
/// do not give back what was added to them.
#[derive(Clone, Debug)]
struct Amount {
    units: i128,
    parts: u64,
    currency: String,
    source: CostSource,
}

const UNITS: f64 = 1e12;

impl Count {
    fn add(&mut self, count: Option<u64>, parts: u64) {
        if let Some(count) = count {
            self.sum += u128::from(count);
            self.parts += parts;
        }
    }

    fn take(&mut self, count: Option<u64>) {
        if let Some(count) = count {
            self.sum = self.sum.saturating_sub(count.into());
            self.parts = self.parts.saturating_sub(1);
        }
    }

    fn total(self) -> Option<u64> {
        (self.parts > 0).then(|| u64::try_from(self.sum).unwrap_or(u64::MAX))
    }
}

impl Sum {
    /// Adds a part.
    pub(super) fn add(&mut self, usage: &Usage) {
        self.add_parts(usage, 1);
    }

    /// Adds so many parts of which only the sum is known.
    pub(super) fn add_parts(&mut self, usage: &Usage, parts: u64) {
        self.parts += parts;
        self.input.add(usage.input, parts);
        self.cache_read.add(usage.cache_read, parts);
        self.cache_write.add(usage.cache_write, parts);
        self.output.add(usage.output, parts);
        self.reasoning.add(usage.reasoning, parts);
        if let Some(cost) = &usage.cost {
            let amount = self.amount(cost);
            amount.units = amount.units.saturating_add(units(cost));
            amount.parts += parts;
        }
    }

    /// Takes a part away that was added before.
    pub(super) fn take(&mut self, usage: &Usage) {
        self.parts = self.parts.saturating_sub(1);
        self.input.take(usage.input);
        self.cache_read.take(usage.cache_read);
        self.cache_write.take(usage.cache_write);
        self.output.take(usage.output);
        self.reasoning.take(usage.reasoning);
        if let Some(cost) = &usage.cost {
            let amount = self.amount(cost);
            amount.units = amount.units.saturating_sub(units(cost));
            amount.parts = amount.parts.saturating_sub(1);
            self.costs.retain(|amount| amount.parts > 0);
        }
    }

    fn amount(&mut self, cost: &Cost) -> &mut Amount {
        let is_it = |amount: &Amount| amount.currency == cost.currency && amount.source == cost.source;
        let place = self.costs.iter().position(is_it).unwrap_or_else(|| {
            let (currency, source) = (cost.currency.clone(), cost.source.clone());
            self.costs.push(Amount { units: 0, parts: 0, currency, source });
            self.costs.len() - 1
        });
        &mut self.costs[place]
    }

    /// How many parts there are.
    pub(super) fn parts(&self) -> u64 {
        self.parts
    }

    /// The sum; `None` when nothing is known. The cost is absent when a part has none, or when the parts have costs
    /// of several currencies or sources.
    pub(super) fn total(&self) -> Option<Usage> {
        let cost = match self.costs.as_slice() {
            [one] if one.parts == self.parts => Some(Cost {
                amount: one.units as f64 / UNITS,
                currency: one.currency.clone(),
                source: one.source.clone(),
            }),
            _ => None,
        };
        let usage = Usage {
            input: self.input.total(),
            cache_read: self.cache_read.total(),
            cache_write: self.cache_write.total(),
            output: self.output.total(),
            reasoning: self.reasoning.total(),
            cost,
        };
        (!usage.is_empty()).then_some(usage)
    }
}

fn units(cost: &Cost) -> i128 {
    // A cast of a float saturates, and gives 0 for what is no number.
    (cost.amount * UNITS).round() as i128
}

/// All tokens together.
pub(super) fn tokens(usage: &Usage) -> u64 {
    let counts = [usage.input, usage.cache_read, usage.cache_write, usage.output, usage.reasoning];
    counts.into_iter().flatten().fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_can_be_taken_away_without_a_trace() {
        let cost = |amount| Cost::new(amount, "USD", CostSource::Agent);
        let first = Usage::default().with_input(10).with_cost(cost(0.1));
        let second = Usage::default().with_output(0).with_cost(cost(0.2));
        let mut sum = Sum::default();
        assert_eq!(sum.total(), None);
        sum.add(&first);
        sum.add(&second);
        assert_eq!(sum.total(), Some(Usage::default().with_input(10).with_output(0).with_cost(cost(0.3))));
        sum.take(&first);
        assert_eq!(sum.total(), Some(second));
    }

    #[test]
    fn a_cost_that_one_part_lacks_is_not_known() {
        let mut sum = Sum::default();
        sum.add(&Usage::default().with_input(1).with_cost(Cost::new(1.0, "USD", CostSource::Agent)));
        sum.add(&Usage::default().with_input(1));
        assert_eq!(sum.total(), Some(Usage::default().with_input(2)));
    }
}
