//! What must hold for all input: the laws for changed streams of every provider, that every value of the vocabulary
//! reads back what it writes, and that requests meet the demands of the models' providers.
//!
//! The same inputs are tried each time. `PROPERTY_CASES=5000 PROPERTY_SEED=7 cargo test -p interlingua --test properties`
//! tries that many others of each property, from another seed. A failure prints the smallest input that shows it; a
//! stream goes into `tests/finds`.

#[path = "support/hold.rs"]
mod hold;
#[path = "properties/hostile.rs"]
mod hostile;
#[path = "support/request_rules.rs"]
mod request_rules;
#[path = "properties/requests.rs"]
mod requests;
#[path = "properties/runner.rs"]
mod runner;
#[path = "properties/sessions.rs"]
mod sessions;
#[path = "properties/stream.rs"]
mod stream;
#[path = "properties/streams.rs"]
mod streams;
#[path = "properties/tape.rs"]
mod tape;
#[path = "properties/transcripts.rs"]
mod transcripts;
#[path = "properties/vocabulary.rs"]
mod vocabulary;
