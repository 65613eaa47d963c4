//! The streams of language models: what the bundled maps make of them, judged against what was meant and against what the
//! provider's own library makes of the same bytes.
//!
//! `MODEL_STREAMS=folder cargo test -p interlingua --test model` judges other recordings than the bundled ones, in folders
//! `<provider>/<scenario>` of the same files.

#![cfg(feature = "providers")]

mod model {
    mod answer;
    mod answers;
    mod conformance;
    mod expected;
    mod intended;
    mod layers;
    mod protocol;
    mod recordings;
    mod scenarios;
    mod unread;
}
