//! How many inputs a property is tried with, and which ones.

use std::cell::Cell;
use std::sync::Once;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// Tries a property with the same inputs each time, unless the environment asks for others: `PROPERTY_CASES` and
/// `PROPERTY_SEED`.
///
/// # Panics
///
/// When the property does not hold; the text shows the smallest input found.
pub fn check<S: Strategy>(cases: u32, strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let cases = number("PROPERTY_CASES").map_or(cases, |cases| u32::try_from(cases).unwrap_or(u32::MAX));
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number("PROPERTY_SEED").unwrap_or(1).to_le_bytes());
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let result = quietly(|| TestRunner::new_with_rng(config, rng).run(strategy, test));
    if let Err(error) = result {
        panic!("{error}");
    }
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs something whose panics are caught, without a word about each: a failure is tried again many times on the way to
/// the smallest input.
fn quietly<T>(run: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                loud(panic);
            }
        }));
    });
    QUIET.set(true);
    let result = run();
    QUIET.set(false);
    result
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} must be a number, and is `{text}`")))
}
