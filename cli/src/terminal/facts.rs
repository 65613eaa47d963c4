//! Native data in plain words.

use interlingua::vocabulary::Json;
use serde_json::Value;

use super::duration;
use crate::html::members;
use crate::output::{line, name};

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
