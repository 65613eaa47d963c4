//! From a message to the rules that may take it.

use interlingua_table::{Path, Step};

use super::program::{Found, Program};
use super::scope::{Scope, key_id};
use crate::json::Value;

/// How many places of a line with other text before its message are tried.
pub(crate) const NOISE_TRIES: usize = 16;

/// The message itself, which may come wrapped in another object.
pub(crate) fn unwrapped<'v>(program: &Program, root: Value<'v>) -> Value<'v> {
    let envelope = program.table.context.envelope;
    envelope.iter().filter_map(|path| plain(root, path)).find(|value| value.is_object()).unwrap_or(root)
}

/// The message itself and the rules that may take it, or why there are none and where.
#[expect(clippy::type_complexity, reason = "two callers take it apart at once")]
pub(crate) fn rules_for<'v>(
    program: &Program,
    root: Value<'v>,
) -> Result<(Value<'v>, &'static [u16]), (String, Option<String>)> {
    let root = unwrapped(program, root);
    // Tags and presence are plain paths: they read no registers and need no context.
    let found = program.find(
        |path| plain(root, path)?.as_str(),
        |path, null_too| plain(root, path).is_some_and(|value| null_too || !value.is_null()),
    );
    match found {
        Found::Rules(rules) => Ok((root, rules)),
        Found::Unknown(path, value) => {
            let location = Scope::message(root).locate(path, program.table.keys);
            let shown: String = value.chars().take(64).collect();
            Err((format!("no rule for `{shown}`"), Some(location)))
        }
        Found::Untagged => Err(("the message has no known tag".to_owned(), None)),
    }
}

/// The value at a path of keys and indices, which needs no context.
pub(crate) fn plain<'v>(root: Value<'v>, path: &Path) -> Option<Value<'v>> {
    path.steps.iter().try_fold(root, |value, step| match step {
        Step::Key(key) => value.get(key_id(*key)),
        Step::Index(place) => value.item(usize::try_from(*place).ok()?),
        _ => None,
    })
}
