//! The statistics of a command: the sum over its streams, for the file of `--stats` and in a line for
//! people.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use interlingua::{HostCounts, Stats, model};
use serde::Serialize;

use crate::failure::Failure;

/// The sum over the streams of a command.
#[derive(Debug, Default, Serialize)]
pub struct Total {
    /// What all streams have in common, and the events of agents.
    #[serde(flatten)]
    pub all: Stats,
    /// What only the streams of models have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Answers>,
    /// What the host has sent, where it was read, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
}

/// What a host has sent.
#[derive(Debug, Default, Serialize)]
pub struct Host {
    messages: u64,
    commands: u64,
    refused: u64,
    broken: u64,
}

/// What only the streams of models have.
#[derive(Debug, Default, Serialize)]
pub struct Answers {
    chunks: BTreeMap<String, u64>,
    late: u64,
    left_out: BTreeMap<String, u64>,
    problems: Vec<String>,
}

impl Total {
    /// Adds what the host of a stream has sent.
    pub fn add_host(&mut self, counts: &HostCounts) {
        let host = self.host.get_or_insert_default();
        host.messages += counts.messages;
        host.commands += counts.commands;
        host.refused += counts.refused;
        host.broken += counts.broken;
    }

    /// Adds the counts of other streams.
    pub fn merge(&mut self, other: Self) {
        add(&mut self.all, &other.all);
        if let Some(answers) = other.answers {
            let known = self.answers.get_or_insert_default();
            add_counts(&mut known.chunks, &answers.chunks);
            add_counts(&mut known.left_out, &answers.left_out);
            known.late += answers.late;
            known.problems.extend(answers.problems);
        }
        if let Some(host) = other.host {
            let known = self.host.get_or_insert_default();
            known.messages += host.messages;
            known.commands += host.commands;
            known.refused += host.refused;
            known.broken += host.broken;
        }
    }

    /// Adds the counts of the stream of a model.
    pub fn add_answer(&mut self, stats: model::Stats) {
        let all = &mut self.all;
        all.messages += stats.messages;
        all.translated += stats.translated;
        all.silent += stats.silent;
        all.unparsed += stats.unparsed;
        all.bytes += stats.bytes;
        add_counts(&mut all.ignored, &stats.ignored);
        add_counts(&mut all.unread, &stats.unread);
        let answers = self.answers.get_or_insert_default();
        add_counts(&mut answers.chunks, &stats.chunks);
        add_counts(&mut answers.left_out, &stats.left_out);
        answers.late += stats.late;
        answers.problems.extend(stats.problems);
    }
}

/// Adds the counts of one stream to a total.
pub fn add(total: &mut Stats, stats: &Stats) {
    total.messages += stats.messages;
    total.translated += stats.translated;
    total.silent += stats.silent;
    total.unparsed += stats.unparsed;
    total.bytes += stats.bytes;
    add_counts(&mut total.ignored, &stats.ignored);
    add_counts(&mut total.unread, &stats.unread);
    add_counts(&mut total.events, &stats.events);
}

fn add_counts(total: &mut BTreeMap<String, u64>, counts: &BTreeMap<String, u64>) {
    for (name, count) in counts {
        *total.entry(name.clone()).or_default() += count;
    }
}

/// Writes statistics to a file as JSON.
pub fn write(stats: &Total, path: &Path) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(stats).map_err(std::io::Error::from);
    text.and_then(|text| fs::write(path, text + "\n")).map_err(|error| Failure::writing(path, &error))
}

/// One line for people. What did not happen is left out.
pub fn summary(total: &Total, took: Duration) -> String {
    let stats = &total.all;
    let events: u64 = stats.events.values().sum();
    let chunks: Option<u64> = total.answers.as_ref().map(|answers| answers.chunks.values().sum());
    let given = match (events, chunks) {
        (events, None) => format!("{events} events"),
        (0, Some(chunks)) => format!("{chunks} chunks"),
        (events, Some(chunks)) => format!("{events} events and {chunks} chunks"),
    };
    let mut text = format!("{} messages → {given}", stats.messages);
    for (count, what) in [
        (stats.silent, "silent"),
        (stats.ignored_total(), "ignored"),
        (stats.unparsed, "unparsed"),
        (stats.unread.values().sum(), "unread members"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    if let Some(host) = &total.host {
        text.push_str(&format!(", {} commands in {} messages of the host", host.commands, host.messages));
    }
    let bytes = indicatif::HumanBytes(stats.bytes);
    text.push_str(&format!(" · {bytes} in {:.2} s", took.as_secs_f64()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Stats {
        let mut stats = Stats::default();
        stats.messages = 3;
        stats.translated = 2;
        stats.ignored = BTreeMap::from([("heartbeat".to_string(), 1)]);
        stats.bytes = 2048;
        stats.events = BTreeMap::from([("item.started".to_string(), 5)]);
        stats
    }

    #[test]
    fn the_summary_leaves_out_what_did_not_happen() {
        let mut total = Total { all: example(), ..Total::default() };
        let text = summary(&total, Duration::from_millis(1500));
        assert_eq!(text, "3 messages → 5 events, 1 ignored · 2.00 KiB in 1.50 s");
        let mut answer = model::Stats::default();
        answer.messages = 2;
        answer.translated = 2;
        answer.chunks = BTreeMap::from([("finish".to_string(), 1)]);
        total.add_answer(answer);
        let text = summary(&total, Duration::from_millis(1500));
        assert_eq!(text, "5 messages → 5 events and 1 chunks, 1 ignored · 2.00 KiB in 1.50 s");
    }

    #[test]
    fn the_counts_of_several_streams_add_up_reason_by_reason() {
        let mut total = example();
        let mut other = Stats::default();
        other.messages = 1;
        other.ignored = BTreeMap::from([("echo".to_string(), 1)]);
        add(&mut total, &other);
        add(&mut total, &example());
        assert_eq!(total.messages, 7);
        assert_eq!(total.ignored["heartbeat"], 2);
        assert_eq!(total.ignored["echo"], 1);
        assert_eq!(total.events["item.started"], 10);
    }
}
