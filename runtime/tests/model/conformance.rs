//! The bundled maps are held to the suite that is open to all. `conformance.json` says which bytes mean a scenario: a bundled
//! recording, bytes of its own, or the reason why the provider cannot say it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use interlingua::Table;
use interlingua::conformance::{Adapter, Verdict, Wire, hold, scenarios};
use interlingua::table::Layer;
use interlingua::vocabulary::StreamChunk;
use serde::Deserialize;

use super::recordings::translate;

#[derive(Deserialize)]
#[serde(untagged)]
enum Given {
    Recording(String),
    Bytes { bytes: String },
    Impossible { impossible: String },
}

struct Bundled {
    table: &'static Table,
    given: BTreeMap<String, Given>,
}

impl Adapter for Bundled {
    fn wire(&self, scenario: &str) -> Wire {
        match self.given.get(scenario) {
            None => Wire::Missing,
            Some(Given::Bytes { bytes }) => Wire::Bytes(bytes.clone().into_bytes()),
            Some(Given::Impossible { impossible }) => Wire::Impossible(impossible.clone()),
            Some(Given::Recording(name)) => {
                let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources/captures");
                let folder = root.join(self.table.provider).join("authored").join(name);
                let file =
                    ["events.sse", "body.json"].iter().find_map(|file| fs::read(folder.join(file)).ok());
                file.map_or(Wire::Missing, Wire::Bytes)
            }
        }
    }

    fn translate(&self, pieces: &[&[u8]]) -> Vec<StreamChunk> {
        translate(self.table, pieces.iter().copied()).chunks
    }
}

#[test]
fn every_bundled_map_conforms() {
    let mut given: BTreeMap<String, BTreeMap<String, Given>> =
        serde_json::from_str(include_str!("conformance.json")).expect("conformance.json");
    let mut report = String::new();
    for table in interlingua::providers().iter().filter(|table| table.layer == Layer::Model) {
        let given = given.remove(table.provider).unwrap_or_default();
        for name in given.keys() {
            assert!(scenarios().iter().any(|scenario| scenario.name == name), "there is no scenario {name}");
        }
        let verdicts = hold(&Bundled { table, given });
        for (name, wrong) in verdicts.failures() {
            report.push_str(&format!("{}: {name}: {}\n", table.provider, wrong.join("; ")));
        }
        let impossible =
            verdicts.verdicts.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Impossible(_))).count();
        assert_eq!(
            verdicts.passed() + impossible + verdicts.failures().count(),
            scenarios().len(),
            "{}",
            table.provider
        );
        assert!(impossible <= 5, "{}: {impossible} scenarios are declared impossible", table.provider);
    }
    assert!(report.is_empty(), "\n{report}");
    assert!(given.is_empty(), "conformance.json names a provider that has no map: {:?}", given.keys());
}
