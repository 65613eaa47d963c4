//! What model calls used, and what that cost.

use serde::{Deserialize, Serialize};

use super::setters::{with, with_number};
use super::words::{closed_words, open_words};

/// Counts of tokens. The counts are disjoint: each token is in only one of them, so
/// their sum is the total. A count that the provider did not send is absent, never zero.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::Usage;
/// let call = Usage::default().with_input(10).with_output(5);
/// assert_eq!(serde_json::to_string(&call)?, r#"{"input":10,"output":5}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Usage {
    /// Tokens read, without those of the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Tokens read from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<u64>,
    /// Tokens written to the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// Tokens written, without reasoning where the provider splits it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Tokens of reasoning, only where the provider splits them from the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// The cost, if it is reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

impl Usage {
    with! {
        with_cost: cost = Cost;
    }

    with_number! {
        with_input: input = u64;
        with_cache_read: cache_read = u64;
        with_cache_write: cache_write = u64;
        with_output: output = u64;
        with_reasoning: reasoning = u64;
    }

    /// Whether nothing at all is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// All tokens: the sum of the counts, which are disjoint. `None` when nothing was counted.
    ///
    /// ```
    /// # extern crate interlingua_core as interlingua;
    /// use interlingua::vocabulary::Usage;
    /// let usage = Usage::default().with_input(3).with_output(4).with_reasoning(5);
    /// assert_eq!(usage.total(), Some(12));
    /// assert_eq!(Usage::default().total(), None);
    /// ```
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        let counts = [self.input, self.cache_read, self.cache_write, self.output, self.reasoning];
        counts.into_iter().flatten().reduce(u64::saturating_add)
    }

    /// The counts of both together. A count that only one has is taken from there. Costs of
    /// different currencies or sources cannot be added: the sum then has none.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.combine(other, u64::saturating_add, |a, b| a + b)
    }

    /// What is left when `earlier` is taken away, never below zero. A count that `earlier`
    /// lacks stays; one that only `earlier` has stays absent. Costs of different currencies
    /// or sources cannot be compared: the rest then has none.
    #[must_use]
    pub fn minus(&self, earlier: &Self) -> Self {
        let mut rest = self.combine(earlier, u64::saturating_sub, |a, b| (a - b).max(0.0));
        rest.input = self.input.and(rest.input);
        rest.cache_read = self.cache_read.and(rest.cache_read);
        rest.cache_write = self.cache_write.and(rest.cache_write);
        rest.output = self.output.and(rest.output);
        rest.reasoning = self.reasoning.and(rest.reasoning);
        rest.cost = self.cost.as_ref().and(rest.cost);
        rest
    }

    fn combine(&self, other: &Self, counts: fn(u64, u64) -> u64, amounts: fn(f64, f64) -> f64) -> Self {
        let count = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => Some(counts(a, b)),
            (one, None) | (None, one) => one,
        };
        let cost = match (&self.cost, &other.cost) {
            (Some(a), Some(b)) if a.currency == b.currency && a.source == b.source => {
                Some(Cost { amount: amounts(a.amount, b.amount), ..a.clone() })
            }
            (Some(_), Some(_)) => None,
            (one, None) | (None, one) => one.clone(),
        };
        Self {
            input: count(self.input, other.input),
            cache_read: count(self.cache_read, other.cache_read),
            cache_write: count(self.cache_write, other.cache_write),
            output: count(self.output, other.output),
            reasoning: count(self.reasoning, other.reasoning),
            cost,
        }
    }
}

/// An amount of money.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Cost {
    /// How much, in whole units of the currency. A finite number.
    pub amount: f64,
    /// The currency's code, such as `USD`.
    pub currency: String,
    /// Who worked the amount out.
    pub source: CostSource,
}

impl Cost {
    /// An amount, its currency's code, and who worked it out.
    #[must_use]
    pub fn new(amount: f64, currency: impl Into<String>, source: impl Into<CostSource>) -> Self {
        Self { amount, currency: currency.into(), source: source.into() }
    }
}

open_words! {
    /// Who worked a cost out.
    pub enum CostSource {
        /// The model's provider reports what it charges.
        Provider = "provider",
        /// The agent reports it, from its own price list.
        Agent = "agent",
        /// Calculated by the reader of the events, from a price list.
        PriceList = "price-list",
    }
}

/// What decides the price of a call beside its tokens. Absent is what the provider does not say.
///
/// ```
/// # extern crate interlingua_core as interlingua;
/// use interlingua::vocabulary::Billing;
/// let billing: Billing = serde_json::from_str(r#"{"cache_write_1h":2000,"speed":"fast"}"#)?;
/// assert_eq!((billing.cache_write_1h, billing.web_searches), (Some(2000), None));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Billing {
    /// Of the tokens written to the cache (`Usage::cache_write`), those that stay there for an hour. The others stay
    /// for the provider's usual time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<u64>,
    /// How many web searches the provider made for the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub web_searches: Option<u64>,
    /// How fast the provider was asked to be, in its own word, such as `fast`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<String>,
}

/// Data of `usage.reported`.
///
/// Of reports with the same `key` and `scope` the last one counts. Reports of basis `delta`
/// with different keys add up; a cumulative one is never added to anything.
///
/// ```json
/// {"key":"msg_1","scope":"call","basis":"delta","usage":{"input":10,"output":5},"model":"m-1"}
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct UsageReported {
    /// Identifies what is counted; unique within its scope.
    pub key: String,
    /// What the count covers.
    pub scope: UsageScope,
    /// Whether the count is an increment or the total so far.
    pub basis: UsageBasis,
    /// The counts.
    pub usage: Usage,
    /// The model that they are about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The size of the model's context window, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// How many tokens of the context window are in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_used: Option<u64>,
    /// What else decides the price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing: Option<Billing>,
}

impl UsageReported {
    /// A report without model and context window.
    #[must_use]
    pub fn new(key: impl Into<String>, scope: UsageScope, basis: UsageBasis, usage: Usage) -> Self {
        Self {
            key: key.into(),
            scope,
            basis,
            usage,
            model: None,
            context_window: None,
            context_used: None,
            billing: None,
        }
    }

    /// How many tokens of the context window were in use, as far as the report says it: `context_used`, or else what a call
    /// of the model read and wrote.
    ///
    /// ```
    /// # extern crate interlingua_core as interlingua;
    /// use interlingua::vocabulary::{Usage, UsageBasis, UsageReported, UsageScope};
    /// let usage = Usage::default().with_input(10).with_cache_read(90).with_output(5);
    /// assert_eq!(UsageReported::new("c", UsageScope::Call, UsageBasis::Delta, usage.clone()).context(), Some(105));
    /// // The counts of a turn add up several calls.
    /// assert_eq!(UsageReported::new("t", UsageScope::Turn, UsageBasis::Delta, usage).context(), None);
    /// ```
    #[must_use]
    pub fn context(&self) -> Option<u64> {
        let of_call = || {
            let Usage { input, cache_read, cache_write, output, .. } = self.usage;
            let counts = [input, cache_read, cache_write, output].into_iter().flatten();
            counts.reduce(u64::saturating_add).filter(|_| self.scope == UsageScope::Call)
        };
        self.context_used.or_else(of_call)
    }

    /// Whether the key is the provider's own name of what is counted, which copies of the report in other streams share. The
    /// keys that the translation makes itself, such as `usage-1`, are not.
    ///
    /// ```
    /// # extern crate interlingua_core as interlingua;
    /// use interlingua::vocabulary::{Usage, UsageBasis, UsageReported, UsageScope};
    /// let report = |key| UsageReported::new(key, UsageScope::Call, UsageBasis::Delta, Usage::default());
    /// assert!(report("msg_1").has_native_key() && !report("usage-1").has_native_key());
    /// ```
    #[must_use]
    pub fn has_native_key(&self) -> bool {
        !self
            .key
            .strip_prefix("usage-")
            .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    }

    with! {
        with_model: model = String;
        with_billing: billing = Billing;
    }

    with_number! {
        with_context_window: context_window = u64;
        with_context_used: context_used = u64;
    }
}

closed_words! {
    /// How far a count of usage reaches.
    pub enum UsageScope {
        /// One call of a model.
        Call = "call",
        /// One turn.
        Turn = "turn",
        /// The session.
        Session = "session",
        /// The agent's process, which may have run several sessions.
        Process = "process",
    }
}

closed_words! {
    /// Whether a count of usage is a part or the whole so far.
    pub enum UsageBasis {
        /// What its key used, and no other report contains.
        Delta = "delta",
        /// Everything in its scope up to now.
        Cumulative = "cumulative",
    }
}
