//! Step: `null` stands where a definition is used, not in the definition.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::fold::each_node;
use super::{definitions_mut, reference};

/// Takes `null` out of the definitions that allow it, and puts it beside each
/// reference to them.
///
/// An optional field is null or absent alike, so most of these `null`s are of
/// no use; and the generator gives a nullable definition and its inside the
/// same name.
pub fn move_null_to_uses(document: &mut Value) {
    let mut nullable: BTreeSet<String> = BTreeSet::new();
    loop {
        let before = nullable.len();
        for (name, node) in definitions_mut(document) {
            if node.get("anyOf").is_some() && without_null(node) {
                nullable.insert(name.clone());
            }
            // An alias of a nullable definition is nullable as well.
            if reference(node).is_some_and(|target| nullable.contains(target)) {
                nullable.insert(name.clone());
            }
        }
        if nullable.len() == before {
            break;
        }
    }
    for node in definitions_mut(document).values_mut() {
        let is_alias = reference(node).is_some();
        each_node(node, &mut |node| {
            if reference(node).is_some_and(|name| nullable.contains(name)) {
                *node = json!({"anyOf": [node.take(), {"type": "null"}]});
            }
        });
        if is_alias {
            without_null(node);
        }
        each_node(node, &mut flatten_null);
    }
}

/// Removes the member `null` from a union; true when it had one.
pub(super) fn without_null(node: &mut Value) -> bool {
    let Some(members) = node.get_mut("anyOf").and_then(Value::as_array_mut) else { return false };
    let before = members.len();
    members.retain(|member| member["type"] != "null");
    let removed = members.len() < before;
    if removed && members.len() == 1 {
        *node = members.remove(0);
    }
    removed
}

/// Makes one union of a union that now holds a union with `null`.
fn flatten_null(node: &mut Value) {
    let Some(members) = node.get_mut("anyOf").and_then(Value::as_array_mut) else { return };
    let mut nullable = false;
    for member in members.iter_mut() {
        nullable |= member["type"] == "null" || without_null(member);
    }
    members.retain(|member| member["type"] != "null");
    if nullable {
        members.push(json!({"type": "null"}));
    }
}
