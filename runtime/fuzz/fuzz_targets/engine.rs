//! Any bytes at all, translated: the laws hold, or the protocol of a model's stream, however it is cut; and each event or
//! chunk can be written and read.
//!
//! `PROVIDER` names the provider whose map is applied; without it, all maps are.
#![no_main]

use std::sync::LazyLock;

use interlingua::table::Layer;
use interlingua::{Options, Table};
use interlingua_fuzz::{hold, mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

static TABLES: LazyLock<Vec<&'static Table>> = LazyLock::new(|| match std::env::var("PROVIDER") {
    Ok(name) => vec![interlingua::provider(&name).expect("PROVIDER names no bundled provider")],
    Err(_) => interlingua::providers().to_vec(),
});

fuzz_target!(|stream: &[u8]| {
    // A small window and a low limit, so that a short stream reaches what comes after them.
    let options = Options::new().closed_window(4).message_limit(4096).depth_limit(32);
    for table in TABLES.iter() {
        let slice = 1 + stream.len() % 61;
        match table.layer {
            Layer::Agent => drop(hold::hold_laws(table, &options, stream, &[slice])),
            Layer::Model => hold::hold_answer(table, stream, &[slice]),
        }
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed % 2 == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    mutate::lines_and_values(data, size, max_size, seed)
});
