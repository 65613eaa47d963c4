//! Facts in plain words.

use interlingua::vocabulary::{ErrorData, TurnEndReason, TurnEnded};

use crate::output::{line, name};
use crate::terminal::facts::facts;
use crate::terminal::{cost, duration, short, tokens};

/// How many characters of a fact are shown.
const WIDTH: usize = 160;

/// What an error says.
pub fn error(error: &ErrorData) -> String {
    let again = if error.will_retry == Some(true) { ", tries again" } else { "" };
    let code = error.code.as_ref().map(|code| format!(" {}", name(code))).unwrap_or_default();
    let details = facts(error.details.as_ref(), Some(&error.message));
    let details = if details.is_empty() { details } else { format!(" ({details})") };
    format!("error: {}{code}{again}: {}{details}", error.class, line(&error.message, WIDTH * 2))
}

/// How a turn ended, and what it used.
pub fn ending(
    ended: &TurnEnded,
    millis: Option<u64>,
    context: Option<(Option<u64>, Option<u64>)>,
) -> (String, String) {
    let what = match &ended.reason {
        TurnEndReason::Completed => "turn completed".to_owned(),
        TurnEndReason::Interrupted => "turn interrupted: the agent stopped before it was done".to_owned(),
        TurnEndReason::Failed => "turn failed".to_owned(),
        TurnEndReason::Refusal => "turn ended: the model refused".to_owned(),
        TurnEndReason::MaxTurns => "turn ended: the limit of model calls was reached".to_owned(),
        TurnEndReason::MaxTokens => "turn ended: the limit of tokens was reached".to_owned(),
        TurnEndReason::Budget => "turn ended: the budget was used up".to_owned(),
        other => format!("turn ended: {}", name(other.tag())),
    };
    let what = match &ended.error {
        Some(error) => format!("{what}: {}", line(&error.message, WIDTH * 2)),
        None => what,
    };
    let mut told = Vec::new();
    told.extend(millis.map(duration));
    if let Some(usage) = &ended.usage {
        told.extend(Some(tokens(usage)).filter(|text| !text.is_empty()));
        told.extend(usage.cost.as_ref().map(cost));
    }
    told.extend(context.and_then(|(used, window)| match (used?, window) {
        (used, Some(window)) => Some(format!("context {} of {}", short(used), short(window))),
        (used, None) => Some(format!("context {}", short(used))),
    }));
    (what, told.join(" · "))
}
