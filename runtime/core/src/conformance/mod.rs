//! A suite to which every translation of a model's stream can be held: ours, and one that somebody else has written.
//!
//! A [`Scenario`] says in general terms what an answer is and what the chunks must say of it. Whoever translates a provider's
//! stream is an [`Adapter`]: it has, for each scenario, bytes of its provider that mean it, or the reason why that provider
//! cannot say it. [`hold`] translates each, whole and byte by byte, and judges. A scenario for which an adapter has nothing to
//! say has failed: a skip is no pass.
//!
//! ```
//! # extern crate interlingua_core as interlingua;
//! use interlingua::conformance::{Adapter, Verdict, Wire, hold, scenarios};
//! use interlingua::vocabulary::{FinishReason, StreamChunk};
//!
//! /// An adapter that knows nothing yet.
//! struct Silent;
//!
//! impl Adapter for Silent {
//!     fn wire(&self, scenario: &str) -> Wire {
//!         match scenario {
//!             "redacted-reasoning" => Wire::Impossible("the provider has no reasoning".to_owned()),
//!             _ => Wire::Missing,
//!         }
//!     }
//!     fn translate(&self, _pieces: &[&[u8]]) -> Vec<StreamChunk> {
//!         vec![StreamChunk::finish(FinishReason::Stop)]
//!     }
//! }
//!
//! let report = hold(&Silent);
//! assert!(!report.conforms());
//! assert_eq!(report.passed(), 0);
//! assert!(matches!(report.verdict("redacted-reasoning"), Some(Verdict::Impossible(_))));
//! assert_eq!(report.verdicts.len(), scenarios().len());
//! ```

mod judge;
mod scenarios;

pub use scenarios::{Kind, Need, Scenario, scenarios};

use crate::vocabulary::StreamChunk;

/// What an adapter has for a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wire {
    /// The bytes that mean it, as the provider sends them.
    Bytes(Vec<u8>),
    /// The provider cannot express it, for this reason.
    Impossible(String),
    /// Undecided, which counts as a failure.
    Missing,
}

/// Something that translates the stream of one provider.
pub trait Adapter {
    /// The bytes for a scenario, by its name.
    fn wire(&self, scenario: &str) -> Wire;

    /// The chunks of a whole answer, whose bytes come in these pieces, and then end.
    fn translate(&self, pieces: &[&[u8]]) -> Vec<StreamChunk>;
}

/// What became of a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The chunks are as expected.
    Passed,
    /// What is wrong.
    Failed(Vec<String>),
    /// The provider cannot express it, for this reason.
    Impossible(String),
}

/// How an adapter did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Each scenario's name and verdict, in the order of [`scenarios`].
    pub verdicts: Vec<(&'static str, Verdict)>,
}

impl Report {
    /// Whether nothing failed.
    #[must_use]
    pub fn conforms(&self) -> bool {
        self.failures().next().is_none()
    }

    /// How many scenarios were passed; those that are impossible are not among them.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.verdicts.iter().filter(|(_, verdict)| *verdict == Verdict::Passed).count()
    }

    /// What became of a scenario.
    #[must_use]
    pub fn verdict(&self, scenario: &str) -> Option<&Verdict> {
        self.verdicts.iter().find(|(name, _)| *name == scenario).map(|(_, verdict)| verdict)
    }

    /// The scenarios that failed, with what is wrong.
    pub fn failures(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        self.verdicts.iter().filter_map(|(name, verdict)| match verdict {
            Verdict::Failed(wrong) => Some((*name, &wrong[..])),
            _ => None,
        })
    }
}

/// Holds an adapter to all scenarios.
pub fn hold(adapter: &impl Adapter) -> Report {
    let verdicts = scenarios().iter().map(|scenario| (scenario.name, verdict(adapter, scenario)));
    Report { verdicts: verdicts.collect() }
}

fn verdict(adapter: &impl Adapter, scenario: &Scenario) -> Verdict {
    let bytes = match adapter.wire(scenario.name) {
        Wire::Bytes(bytes) => bytes,
        Wire::Impossible(reason) if !reason.trim().is_empty() => return Verdict::Impossible(reason),
        Wire::Impossible(_) => return Verdict::Failed(vec!["it is impossible without a reason".to_owned()]),
        Wire::Missing => {
            return Verdict::Failed(vec!["there are no bytes for it, and no reason why".to_owned()]);
        }
    };
    let whole = adapter.translate(&[&bytes]);
    let pieces: Vec<&[u8]> = bytes.chunks(1).collect();
    let mut wrong = judge::judge(scenario, &whole);
    if adapter.translate(&pieces) != whole {
        wrong.push("byte by byte, the chunks are other ones".to_owned());
    }
    if wrong.is_empty() { Verdict::Passed } else { Verdict::Failed(wrong) }
}
