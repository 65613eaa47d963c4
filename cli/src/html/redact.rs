//! Removing secrets and the paths of home folders from a page.
//!
//! The transcript is redacted as one JSON text, so that no field is forgotten. Native lines are left out, because a
//! secret may be spread over several of them.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::{Captures, Regex};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::session::Session;
use super::trace::MarkKind;

/// What is looked for: a name for people, and the pattern. A group `keep` stays. In JSON a quotation mark has one or
/// several backslashes before it, and a line end is `\n`.
const PATTERNS: &[(&str, &str)] = &[
    ("private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----.{0,8000}?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"),
    ("API key", r"\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9_]+-)*[A-Za-z0-9_-]{16,}"),
    (
        "API key",
        r"\b(?:AIza[0-9A-Za-z_-]{30,}|ya29\.[0-9A-Za-z_-]{20,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,})",
    ),
    (
        "access token",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeprs]-[A-Za-z0-9-]{10,})",
    ),
    ("cloud key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("JSON web token", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("authorization", r"(?i)(?P<keep>\b(?:bearer|basic)\s+)[A-Za-z0-9+/=._~-]{12,}"),
    ("password in an address", r"(?P<keep>[a-z][a-z0-9+.-]*://[^\s/:@\x22\\]{0,100}:)[^\s/@\x22\\]{1,200}@"),
    (
        "secret value",
        r#"(?ix)(?P<keep>[a-z0-9_-]*(?:api[_-]?key|secret|passw(?:or)?d|passwd|access[_-]?token|auth[_-]?token|refresh[_-]?token|private[_-]?key|client[_-]?secret)[a-z0-9_-]*
            \\*["']? \s*[:=]\s* \\*["']?)[^\s"'\\,;&<>(){}\[\]]{6,}"#,
    ),
    ("home folder", r"(?:/home/|/Users/)[^/\s\x22'\\:;,<>|()]+"),
    ("home folder", r"(?i)\b[a-z]:(?:\\+|/)users(?:\\+|/)[^/\s\x22'\\:;,<>|()]+"),
];

/// The shortest secret that is removed wherever it stands once it was recognized somewhere.
const DISTINCT: usize = 12;

/// Removes secrets, and counts what it removed.
#[derive(Default)]
pub struct Redactor {
    counts: BTreeMap<&'static str, u64>,
}

impl Redactor {
    /// Removes the secrets of a session.
    ///
    /// # Errors
    /// When the redacted JSON cannot be read: nothing of the session may be shown then.
    pub fn session(&mut self, session: &mut Session) -> Result<(), serde_json::Error> {
        let before = std::mem::take(&mut self.counts);
        session.transcript = self.value(&session.transcript)?;
        session.name = self.text(&session.name);
        session.bytes = Vec::new();
        session.trace.raw.clear();
        let mut counts = std::mem::take(&mut self.counts);
        // The same errors stand in the transcript.
        for mark in session.trace.marks_mut() {
            match &mut mark.kind {
                MarkKind::Error(error) => *error = self.value(error)?,
                MarkKind::Model(text) | MarkKind::Unparsed(text) => *text = self.text(text),
                _ => {}
            }
        }
        session.redacted = Some(report(&counts));
        for (what, count) in before {
            *counts.entry(what).or_default() += count;
        }
        self.counts = counts;
        Ok(())
    }

    /// What was removed, for people.
    pub fn report(&self) -> String {
        report(&self.counts)
    }

    fn value<T: Serialize + DeserializeOwned>(&mut self, value: &T) -> Result<T, serde_json::Error> {
        let json = serde_json::to_string(value)?;
        serde_json::from_str(&self.text(&json))
    }

    fn text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        let mut secrets: Vec<String> = Vec::new();
        for (what, pattern) in patterns() {
            let replace = |found: &Captures<'_>| {
                *self.counts.entry(what).or_default() += 1;
                if *what == "home folder" {
                    return "~".to_owned();
                }
                let keep = found.name("keep").map_or("", |keep| keep.as_str());
                let secret = &found[0][keep.len()..];
                if secret.len() >= DISTINCT && !secrets.iter().any(|known| known == secret) {
                    secrets.push(secret.to_owned());
                }
                let end = if secret.ends_with('@') { "@" } else { "" };
                let quote = quote_of_bare_value(keep);
                format!("{keep}{quote}[redacted {what}]{end}{quote}")
            };
            text = pattern.replace_all(&text, replace).into_owned();
        }
        for secret in secrets {
            let more = text.matches(&secret).count() as u64;
            if more > 0 {
                *self.counts.entry("secret value").or_default() += more;
                text = text.replace(&secret, "[redacted secret value]");
            }
        }
        text
    }
}

/// The quotation mark that a value without one gets: a number in JSON becomes a text, or the JSON would be none.
fn quote_of_bare_value(keep: &str) -> String {
    let Some(name) =
        keep.trim_end().strip_suffix(':').map(str::trim_end).and_then(|name| name.strip_suffix('"'))
    else {
        return String::new();
    };
    let escapes = name.len() - name.trim_end_matches('\\').len();
    "\\".repeat(escapes) + "\""
}

fn patterns() -> &'static [(&'static str, Regex)] {
    static COMPILED: OnceLock<Vec<(&'static str, Regex)>> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let compiled = PATTERNS.iter().filter_map(|(what, pattern)| Some((*what, Regex::new(pattern).ok()?)));
        compiled.collect()
    })
}

fn report(counts: &BTreeMap<&'static str, u64>) -> String {
    if counts.is_empty() {
        return "nothing was found".to_owned();
    }
    let all = counts.iter().map(|(what, count)| format!("{count} × {what}"));
    all.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile() {
        assert_eq!(patterns().len(), PATTERNS.len());
    }

    #[test]
    fn secrets_and_home_folders_are_removed() {
        for (text, kept) in [
            (concat!("key sk", "-ant-api03-0123456789abcdef end"), "key [redacted API key] end"),
            ("AKIAABCDEFGHIJKLMNOP", "[redacted cloud key]"),
            (r#"{\"api_key\":\"hunter2hunter2\"}"#, r#"{\"api_key\":\"[redacted secret value]\"}"#),
            (
                r#"{"access_token_expires_at":1795996800000}"#,
                r#"{"access_token_expires_at":"[redacted secret value]"}"#,
            ),
            (r#"{\"api_key\" : 12345678}"#, r#"{\"api_key\" : \"[redacted secret value]\"}"#),
            ("DB_PASSWORD=hunter22 x", "DB_PASSWORD=[redacted secret value] x"),
            ("Authorization: Bearer abcdefghijkl.mnop", "Authorization: Bearer [redacted authorization]"),
            ("postgres://ann:pw@host/db", "postgres://ann:[redacted password in an address]@host/db"),
            ("/home/ann/work and /Users/bob/x", "~/work and ~/x"),
            (r"C:\\Users\\ann\\work", r"~\\work"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\\nMIIE\\n-----END RSA PRIVATE KEY-----",
                "[redacted private key]",
            ),
        ] {
            assert_eq!(Redactor::default().text(text), kept);
        }
    }

    #[test]
    fn a_secret_is_removed_wherever_it_stands() {
        let mut redactor = Redactor::default();
        let text = redactor.text("password=correct-horse-battery then correct-horse-battery");
        assert_eq!(text, "password=[redacted secret value] then [redacted secret value]");
        assert_eq!(redactor.report(), "2 × secret value");
    }

    #[test]
    fn ordinary_text_stays() {
        for text in ["the secret: a plan", "task-driven-development of things", "/work/demo/home"] {
            assert_eq!(Redactor::default().text(text), text);
        }
    }
}
