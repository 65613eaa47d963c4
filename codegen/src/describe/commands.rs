//! What of the universal commands a provider cannot express, as people read it.

use interlingua_table::{Limit, Table};

use super::expr::condition;

/// What a limit is about: `turn_id`, or `if !mode(mode)`.
#[must_use]
pub fn limit(table: &Table, limit: &Limit) -> String {
    // The conditions of rules that write have keys of their own.
    let written = Table { keys: table.write_keys, ..*table };
    let case = limit.case.as_ref().map(|case| format!("if {}", condition(&written, case)));
    match (limit.field, case) {
        ("", case) => case.unwrap_or_default(),
        (field, None) => field.to_owned(),
        (field, Some(case)) => format!("{field} {case}"),
    }
}
