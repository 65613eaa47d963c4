//! What valgrind has counted, by stage.

use std::collections::HashMap;

/// What is counted, in the order of the columns.
pub(crate) const STAGES: [&str; 8] =
    ["parse", "translate", "framing", "json", "engine", "memory", "other", "writer"];

/// A count for each of the stages.
pub(crate) type Stages = [f64; STAGES.len()];

/// The instructions of one process by where they were: `framing`, `json`, `engine`, `memory`, `other`.
pub(crate) type Places = HashMap<&'static str, f64>;

/// Reads what cachegrind writes: a line `fl=` for each source file, `fn=` for each function, then lines of a number and its
/// count. Code that the compiler has put into another function is counted for the file that it comes from.
pub(crate) fn places(report: &str) -> Places {
    let (mut file, mut function) = ("", "");
    let mut places = Places::new();
    for line in report.lines() {
        if let Some(name) = line.strip_prefix("fl=") {
            file = name;
        } else if let Some(name) = line.strip_prefix("fn=") {
            function = name;
        } else if let Some((number, count)) = line.split_once(' ')
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && let Ok(count) = count.trim().parse::<f64>()
        {
            *places.entry(place(file, function)).or_default() += count;
        }
    }
    places
}

/// Where code belongs: by its file if that is one of the runtime, else by the function that it became a part of.
fn place(file: &str, function: &str) -> &'static str {
    let folders = [
        ("core/src/framing/", "framing"),
        ("core/src/json/", "json"),
        ("core/src/engine/", "engine"),
        ("core/src/vocabulary/", "engine"),
    ];
    if let Some((_, stage)) = folders.iter().find(|(folder, _)| file.contains(folder)) {
        return stage;
    }
    let modules = [
        ("interlingua_core::framing", "framing"),
        ("interlingua_core::json", "json"),
        ("interlingua_core::engine", "engine"),
        ("interlingua_core::vocabulary", "engine"),
    ];
    // The first name tells whose function it is; those behind it are types that it was made for.
    let first = |module: &str| function.find(module);
    let owner = modules.iter().filter_map(|(module, stage)| Some((first(module)?, *stage))).min();
    if let Some((_, stage)) = owner {
        return stage;
    }
    let memory = ["malloc", "free", "realloc", "calloc", "memcpy", "memmove", "memset", "alloc::"];
    match memory.iter().any(|name| function.contains(name)) {
        true => "memory",
        false => "other",
    }
}
