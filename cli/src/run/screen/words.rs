//! Facts in plain words.

use interlingua::vocabulary::{ErrorData, Json, TurnEndReason, TurnEnded};
use serde_json::Value;

use crate::html::members;
use crate::output::{line, name};
use crate::terminal::{cost, duration, short, tokens};

/// How many characters of a fact are shown.
const WIDTH: usize = 160;

/// The plain members of native data, such as attempt and delay: `attempt 1, delay 1.0 s`. A member that repeats what is
/// said already is left out.
pub fn facts(data: Option<&Json>, said: Option<&str>) -> String {
    let members = data.and_then(|data| members::of(data.get())).unwrap_or_default();
    let told = members.iter().filter_map(|(key, value)| {
        let words = spaced(key);
        let text = match value {
            Value::Number(number) => match (words.strip_suffix(" ms"), number.as_u64()) {
                (Some(words), Some(millis)) => return Some(format!("{words} {}", duration(millis))),
                _ => number.to_string(),
            },
            Value::String(text) if Some(text.as_str()) != said && !text.is_empty() => line(text, WIDTH),
            Value::Bool(true) => return Some(words),
            _ => return None,
        };
        Some(format!("{words} {text}"))
    });
    told.take(8).collect::<Vec<_>>().join(", ")
}

/// `retryDelayMs` and `retry_delay_ms` as `retry delay ms`.
fn spaced(key: &str) -> String {
    let mut words = String::new();
    for letter in name(key).chars() {
        if letter == '_' {
            words.push(' ');
        } else if letter.is_uppercase() {
            words.push(' ');
            words.extend(letter.to_lowercase());
        } else {
            words.push(letter);
        }
    }
    words.trim().to_owned()
}

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
    context: Option<(u64, Option<u64>)>,
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
    let mut facts = Vec::new();
    facts.extend(millis.map(duration));
    if let Some(usage) = &ended.usage {
        facts.extend(Some(tokens(usage)).filter(|text| !text.is_empty()));
        facts.extend(usage.cost.as_ref().map(cost));
    }
    facts.extend(context.map(|(used, window)| match window {
        Some(window) => format!("context {} of {}", short(used), short(window)),
        None => format!("context {}", short(used)),
    }));
    (what, facts.join(" · "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn native_data_is_said_in_words() {
        let data =
            r#"{"attempt":2,"retryDelayMs":1500,"max_retries":10,"error":"overloaded","final":true,"x":{}}"#;
        let data = Json::parse(data.to_owned()).expect("JSON");
        assert_eq!(
            facts(Some(&data), Some("overloaded")),
            "attempt 2, retry delay 1.5 s, max retries 10, final"
        );
    }
}
