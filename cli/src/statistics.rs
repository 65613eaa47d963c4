//! The statistics of a command: the sum over its streams, for the file of `--stats` and in a line for
//! people.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use interlingua::Stats;

use crate::failure::Failure;

/// Adds the counts of one stream to a total.
pub fn add(total: &mut Stats, stats: &Stats) {
    total.messages += stats.messages;
    total.translated += stats.translated;
    total.silent += stats.silent;
    total.unparsed += stats.unparsed;
    total.bytes += stats.bytes;
    add_counts(&mut total.ignored, &stats.ignored);
    add_counts(&mut total.events, &stats.events);
}

fn add_counts(total: &mut BTreeMap<String, u64>, counts: &BTreeMap<String, u64>) {
    for (name, count) in counts {
        *total.entry(name.clone()).or_default() += count;
    }
}

/// Writes statistics to a file as JSON.
pub fn write(stats: &Stats, path: &Path) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(stats).map_err(std::io::Error::from);
    text.and_then(|text| fs::write(path, text + "\n")).map_err(|error| Failure::writing(path, &error))
}

/// One line for people. What did not happen is left out.
pub fn summary(stats: &Stats, took: Duration) -> String {
    let events: u64 = stats.events.values().sum();
    let mut text = format!("{} messages → {events} events", stats.messages);
    for (count, what) in
        [(stats.silent, "silent"), (stats.ignored_total(), "ignored"), (stats.unparsed, "unparsed")]
    {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    let bytes = indicatif::HumanBytes(stats.bytes);
    text.push_str(&format!(" · {bytes} in {:.2} s", took.as_secs_f64()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Stats {
        Stats {
            messages: 3,
            translated: 2,
            ignored: BTreeMap::from([("heartbeat".to_string(), 1)]),
            bytes: 2048,
            events: BTreeMap::from([("item.started".to_string(), 5)]),
            ..Stats::default()
        }
    }

    #[test]
    fn the_summary_leaves_out_what_did_not_happen() {
        let text = summary(&example(), Duration::from_millis(1500));
        assert_eq!(text, "3 messages → 5 events, 1 ignored · 2.00 KiB in 1.50 s");
    }

    #[test]
    fn the_counts_of_several_streams_add_up_reason_by_reason() {
        let mut total = example();
        let other =
            Stats { messages: 1, ignored: BTreeMap::from([("echo".to_string(), 1)]), ..Stats::default() };
        add(&mut total, &other);
        add(&mut total, &example());
        assert_eq!(total.messages, 7);
        assert_eq!(total.ignored["heartbeat"], 2);
        assert_eq!(total.ignored["echo"], 1);
        assert_eq!(total.events["item.started"], 10);
    }
}
