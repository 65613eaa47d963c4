//! Which type a message has, as a pattern of the map names it.

use interlingua_codegen::written;
use interlingua_table::{Dispatch, Path, Shape, Step, Table};
use serde_json::Value;

/// The message inside its envelope, where it has one.
pub fn unwrapped<'v>(table: &Table, message: &'v Value) -> &'v Value {
    let inside = table.context.envelope.iter().filter_map(|path| at(table, message, path));
    inside.into_iter().find(|value| value.is_object()).unwrap_or(message)
}

/// The message's type: `system/init`, `?result`, or `*` for one that no pattern names.
pub fn message_type(table: &Table, message: &Value) -> String {
    let mut steps = Vec::new();
    level(table, &table.dispatch, message, &mut steps);
    match steps.as_mut_slice() {
        [] => return "*".to_owned(),
        [_, .., last] if last == "*" => *last = " *".to_owned(),
        _ => {}
    }
    steps.join("/")
}

fn level(table: &Table, dispatch: &Dispatch, message: &Value, steps: &mut Vec<String>) {
    let tag = dispatch.tag.iter().find_map(|path| at(table, message, path)?.as_str());
    let shape = match tag {
        Some(value) => match dispatch.arms.iter().find(|(known, _)| *known == value) {
            Some((_, shape)) => {
                steps.push(written(value));
                Some(shape)
            }
            None => {
                steps.push("*".to_owned());
                None
            }
        },
        None => present(table, dispatch, message, steps),
    };
    if let Some(next) = shape.and_then(|shape| shape.next) {
        level(table, next, message, steps);
    }
}

fn present<'t>(
    table: &Table,
    dispatch: &'t Dispatch,
    message: &Value,
    steps: &mut Vec<String>,
) -> Option<&'t Shape> {
    let is_there = |path: &Path| at(table, message, path).is_some_and(|value| !value.is_null());
    let (path, shape) = dispatch.present.iter().find(|(path, _)| is_there(path))?;
    let names: Vec<&str> = path.steps.iter().filter_map(|step| key(table, step)).collect();
    steps.push(format!("?{}", names.join(".")));
    Some(shape)
}

/// What a plain path means in a message.
fn at<'v>(table: &Table, message: &'v Value, path: &Path) -> Option<&'v Value> {
    path.steps.iter().try_fold(message, |value, step| match step {
        Step::Index(place) => value.get(usize::try_from(*place).ok()?),
        step => value.get(key(table, step)?),
    })
}

fn key(table: &Table, step: &Step) -> Option<&'static str> {
    match step {
        Step::Key(number) => table.keys.get(usize::from(*number)).copied(),
        _ => None,
    }
}
