//! A transcript as Markdown. Texts of messages stand as they are, since agents write Markdown; everything else that
//! comes from the stream is in code, where nothing of it is markup.

use std::fmt::Write;

use interlingua::transcript::Agent;
use interlingua::vocabulary::{
    ContentBlock, Item, ItemKind, ItemRole, ItemStatus, Transcript, TranscriptItem, TranscriptSession,
    TranscriptTurn, Usage,
};

/// The whole document.
pub fn written(transcript: &Transcript) -> String {
    let mut page = Page::default();
    for agent in &transcript.agents() {
        page.session(agent, 1);
    }
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    /// A paragraph, quoted once for each level of sub-agents.
    fn paragraph(&mut self, level: usize, paragraph: &str) {
        let quote = "> ".repeat(level);
        for line in paragraph.trim_end().lines() {
            let _ = writeln!(self.text, "{}", format!("{quote}{line}").trim_end());
        }
        let _ = writeln!(self.text, "{}", quote.trim_end());
    }

    fn session(&mut self, agent: &Agent<'_>, depth: usize) {
        let session = agent.session;
        let id = session.native_session_id.as_ref().map_or(session.session_id.as_str(), |id| id.as_str());
        let title = session.title.clone().unwrap_or_else(|| format!("Session {id}"));
        self.paragraph(0, &format!("{} {}", "#".repeat(depth.min(6)), plain(&title)));
        self.paragraph(0, &facts(session, id));
        let mut last = None;
        for entry in &session.items {
            if entry.turn_id.is_some() && entry.turn_id != last {
                last.clone_from(&entry.turn_id);
                let place = session.turns.iter().position(|turn| Some(&turn.turn_id) == last.as_ref());
                if let Some(place) = place {
                    let heading = turn(&session.turns[place], place + 1);
                    self.paragraph(0, &format!("{} {heading}", "#".repeat((depth + 1).min(6))));
                }
            }
            self.item(0, entry);
        }
        for error in &session.errors {
            self.paragraph(0, &format!("**Error** ({}): {}", error.error.class, code(&error.error.message)));
        }
        let children = agent.agents.iter().filter(|inner| inner.session.session_id != session.session_id);
        children.for_each(|inner| self.session(inner, depth + 1));
    }

    fn item(&mut self, level: usize, entry: &TranscriptItem) {
        let item = &entry.item;
        if item.kind == ItemKind::ToolCall {
            self.call(level, entry);
        } else {
            self.blocks(level, item, &voice(item));
        }
        if !entry.items.is_empty() {
            self.paragraph(level, "Sub-agent:");
            entry.items.iter().for_each(|inner| self.item(level + 1, inner));
        }
    }

    fn call(&mut self, level: usize, entry: &TranscriptItem) {
        let Some(call) = entry.item.call() else { return };
        let mut heading = format!("**Tool** {}", code(&call.name));
        let _ = write!(heading, " ({}{})", entry.item.status, duration(entry.duration_ms()));
        self.paragraph(level, &heading);
        self.paragraph(level, &fence("json", &call.arguments));
        self.changes(level, &entry.item);
        if let Some(result) = &entry.result {
            let output = entry.output().unwrap_or_default();
            if !output.is_empty() {
                self.paragraph(level, &fence("", &output));
            }
            self.changes(level, &result.item);
        }
    }

    fn changes(&mut self, level: usize, item: &Item) {
        for change in item.file_changes() {
            self.paragraph(level, &format!("File {} ({})", code(&change.path), change.change));
            if let Some(diff) = &change.diff {
                self.paragraph(level, &fence("diff", diff));
            }
        }
    }

    fn blocks(&mut self, level: usize, item: &Item, voice: &str) {
        let mut is_first = true;
        for block in &item.content {
            let shown = shown(block);
            if !shown.is_empty() {
                let state = match item.status {
                    ItemStatus::Completed => String::new(),
                    other => format!(" ({other})"),
                };
                if std::mem::take(&mut is_first) {
                    self.paragraph(level, &format!("**{voice}**{state}"));
                }
                self.paragraph(level, &shown);
            }
        }
    }
}

fn voice(item: &Item) -> String {
    match (&item.kind, item.role) {
        (ItemKind::Message, Some(ItemRole::User)) => "User".to_owned(),
        (ItemKind::Message, Some(ItemRole::Assistant)) => "Assistant".to_owned(),
        (ItemKind::Message, Some(ItemRole::System)) => "System".to_owned(),
        (ItemKind::Plan, _) => "Plan".to_owned(),
        (ItemKind::Status, _) => "Notice".to_owned(),
        (ItemKind::ToolResult, _) => "Result".to_owned(),
        (kind, _) => plain(kind.as_str()),
    }
}

fn shown(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Reasoning(reasoning) if reasoning.text.is_empty() => String::new(),
        ContentBlock::Reasoning(reasoning) => {
            let lines: Vec<String> = reasoning.text.lines().map(|line| format!("> {line}")).collect();
            format!("Reasoning:\n\n{}", lines.join("\n"))
        }
        ContentBlock::ToolResult(result) => fence("", &result.text()),
        ContentBlock::Image(image) => {
            let mime = image.mime.as_deref().unwrap_or("image");
            format!("[{}]", code(image.uri.as_deref().unwrap_or(mime)))
        }
        ContentBlock::FileChange(change) => {
            let diff =
                change.diff.as_ref().map_or(String::new(), |diff| format!("\n\n{}", fence("diff", diff)));
            format!("File {} ({}){diff}", code(&change.path), change.change)
        }
        ContentBlock::Plan(plan) => {
            let entries = plan.entries.iter().map(|entry| {
                let mark = if entry.status.as_str() == "completed" { 'x' } else { ' ' };
                format!("- [{mark}] {}", plain(&entry.text))
            });
            entries.collect::<Vec<_>>().join("\n")
        }
        ContentBlock::Status(status) => match &status.detail {
            Some(detail) => format!("{}: {}", code(&status.label), code(detail)),
            None => code(&status.label),
        },
        other => fence("json", &serde_json::to_string(other).unwrap_or_default()),
    }
}

/// What is known of a session, as a list.
fn facts(session: &TranscriptSession, id: &str) -> String {
    let mut facts = vec![format!("- session: {}", code(id))];
    let mut fact = |name: &str, value: Option<String>| {
        facts.extend(value.map(|value| format!("- {name}: {}", code(&value))));
    };
    fact("model", session.model.clone());
    fact("folder", session.cwd.clone());
    fact("started", session.started_at.map(|time| time.to_string()));
    fact("tokens", session.usage.total.as_ref().map(tokens));
    let cost = session.usage.total.as_ref().and_then(|usage| usage.cost.as_ref());
    fact("cost", cost.map(|cost| format!("{:.4} {}", cost.amount, cost.currency)));
    facts.join("\n")
}

fn tokens(usage: &Usage) -> String {
    let counts = [
        ("input", usage.input),
        ("from the cache", usage.cache_read),
        ("into the cache", usage.cache_write),
        ("output", usage.output),
        ("reasoning", usage.reasoning),
    ];
    let told = counts.into_iter().filter_map(|(name, count)| Some(format!("{} {name}", count?)));
    told.collect::<Vec<_>>().join(", ")
}

fn turn(turn: &TranscriptTurn, number: usize) -> String {
    let end = turn.reason.as_ref().map_or("running".to_owned(), |reason| plain(reason.tag()));
    let millis = turn.started_at.zip(turn.ended_at).map(|(from, to)| to.unix_millis() - from.unix_millis());
    format!("Turn {number} ({end}{})", duration(millis.and_then(|millis| u64::try_from(millis).ok())))
}

fn duration(millis: Option<u64>) -> String {
    millis.map_or(String::new(), |millis| format!(", {}.{} s", millis / 1000, millis % 1000 / 100))
}

/// Text on one line in which nothing is markup.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for letter in text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }) {
        if letter.is_ascii_punctuation() && !matches!(letter, '.' | ',' | '-' | ':' | ';' | '\'' | '?' | '/')
        {
            plain.push('\\');
        }
        plain.push(letter);
    }
    plain
}

/// Text in code, on one line.
fn code(text: &str) -> String {
    let line: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let ticks = "`".repeat(longest_run(&line) + 1);
    let space = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    format!("{ticks}{space}{line}{space}{ticks}")
}

/// A block of code whose fence is longer than any in it.
fn fence(language: &str, text: &str) -> String {
    let ticks = "`".repeat(longest_run(text).max(2) + 1);
    format!("{ticks}{language}\n{}\n{ticks}", text.trim_end_matches('\n'))
}

/// The most backticks in a row.
fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_stream_says_cannot_leave_its_code() {
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code("a\nb"), "`a b`");
        assert_eq!(fence("", "x\n````\n<b>"), "`````\nx\n````\n<b>\n`````");
        assert_eq!(plain("# <b>"), r"\# \<b\>");
    }
}
