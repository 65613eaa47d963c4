//! Sums of calls: their tokens, and what they cost.

use interlingua::vocabulary::{Cost, CostSource};

use super::tokens::Tokens;

/// What several calls used together.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    /// How many calls there were.
    pub calls: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// What they cost by the price list.
    pub priced: Amount,
    /// What they cost as the agent says.
    pub told: Amount,
}

/// An amount of money, as far as it is known.
#[derive(Clone, Debug, Default)]
pub struct Amount {
    known: Option<(f64, String)>,
    /// Whether a part of it is not known.
    is_partial: bool,
}

impl Amount {
    /// An amount.
    pub fn new(amount: Option<(f64, &str)>) -> Self {
        let known = amount.map(|(amount, currency)| (amount, currency.to_owned()));
        Self { is_partial: known.is_none(), known }
    }

    /// Adds a part. Amounts of different currencies make no sum.
    pub fn add(&mut self, other: &Self) {
        self.is_partial |= other.is_partial;
        match (&mut self.known, &other.known) {
            (Some((amount, currency)), Some((more, other))) if currency == other => *amount += more,
            (Some(_), Some(_)) => self.is_partial = true,
            (known @ None, other) => known.clone_from(other),
            (Some(_), None) => {}
        }
    }

    /// The whole amount; `None` when a part of it is not known.
    pub fn whole(&self, source: CostSource) -> Option<Cost> {
        self.known_part(source).filter(|_| !self.is_partial)
    }

    /// The amount as far as it is known.
    pub fn known_part(&self, source: CostSource) -> Option<Cost> {
        let (amount, currency) = self.known.as_ref()?;
        // Sums of decimal fractions: what is beyond a billionth is no money.
        Some(Cost::new((amount * 1e9).round() / 1e9, currency.clone(), source))
    }
}

impl Sum {
    /// Adds another sum.
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.tokens.add(&other.tokens);
        self.priced.add(&other.priced);
        self.told.add(&other.told);
    }

    /// What it cost: by the price list, or else as the agent says.
    pub fn cost(&self) -> Option<Cost> {
        self.priced.whole(CostSource::PriceList).or_else(|| self.agent_cost())
    }

    /// What it cost as the agent says.
    pub fn agent_cost(&self) -> Option<Cost> {
        self.told.whole(CostSource::Agent)
    }

    /// What is known of the cost, where not all of it is.
    pub fn least_cost(&self) -> Option<Cost> {
        self.priced.known_part(CostSource::PriceList)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_with_an_unknown_part_is_unknown() {
        let mut amount = Amount::default();
        amount.add(&Amount::new(Some((0.1, "USD"))));
        amount.add(&Amount::new(Some((0.2, "USD"))));
        assert_eq!(amount.whole(CostSource::Agent).map(|cost| cost.amount), Some(0.3));
        amount.add(&Amount::new(None));
        assert_eq!(amount.whole(CostSource::Agent), None);
        assert_eq!(amount.known_part(CostSource::Agent).map(|cost| cost.amount), Some(0.3));
    }
}
