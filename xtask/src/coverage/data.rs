//! The ledger as JSON, an entry a line.

use interlingua_codegen::Handling;
use serde_json::json;

use super::Ledger;

/// The file's text.
pub fn data(ledger: &Ledger) -> String {
    let entries = ledger.entries().map(|(field, seen)| {
        let (handling, detail) = match &field.handling {
            Handling::Read(rules) => ("read", json!(rules)),
            Handling::Left(reason) => ("left", json!(reason)),
            Handling::Unmapped => ("unread", json!(null)),
        };
        let key = if handling == "read" { "rules" } else { "because" };
        let mut entry = json!({
            "message": field.message, "path": field.path, "use": handling, "seen": seen.times, "values": seen.values(),
        });
        if !detail.is_null() {
            entry[key] = detail;
        }
        entry.to_string()
    });
    let strange = ledger.counts.strange.iter().map(|((message, path), seen)| {
        json!({ "message": message, "path": path, "use": "not in the schema", "seen": seen.times, "values": seen.values() })
            .to_string()
    });
    let lines: Vec<String> = entries.chain(strange).collect();
    format!(
        "{{\"provider\":{},\"recordings\":{},\"messages\":{},\"fields\":[\n{}\n]}}\n",
        json!(ledger.table.provider),
        ledger.recordings,
        json!(ledger.counts.messages),
        lines.join(",\n")
    )
}
