//! What calls of models cost, by a dated price list.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use interlingua::vocabulary::{Billing, Usage};
use serde::Deserialize;

use crate::failure::{Failure, IO, shown};
use crate::generated::prices::PRICES;

/// The end of the help of commands that work out costs.
pub const HELP: &str = "\
Costs come from a price list that is part of the command; each entry has its source and
its date. --prices FILE replaces the entries of the models that FILE has:
{\"currency\": \"USD\", \"tokens\": 1000000, \"prices\": [{\"models\": [\"m-1\"], \"source\":
\"https://…\", \"date\": \"2026-11-30\", \"from\": DAY, \"input\": 3, \"output\": 15,
\"cache_read\": 0.3, \"cache_write\": 3.75, \"cache_write_1h\": 6, \"web_search\": 0.01 (each),
\"fast\": {\"factor\": 2}, \"long_context\": {\"above\": 200000, \"input\": 6, \"output\": 22.5}}]}.
A call that uses something without a price has an unknown cost.";

/// Prices by model.
#[derive(Clone, Debug)]
pub struct Prices {
    entries: HashMap<String, Vec<Priced>>,
}

/// The prices of a model from a day on.
#[derive(Clone, Debug)]
pub struct Priced {
    entry: Entry,
    currency: String,
    /// How many tokens a price is for.
    tokens: f64,
}

/// A price list as a file has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    currency: String,
    tokens: f64,
    prices: Vec<Entry>,
}

/// An entry of a price list.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    models: Vec<String>,
    /// Where the prices were read, and for which day they are: for people.
    #[serde(rename = "source")]
    _source: String,
    #[serde(rename = "date")]
    _date: String,
    #[serde(default, rename = "note")]
    _note: String,
    /// The first day on which they are charged; without it, from the beginning.
    #[serde(default)]
    from: String,
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
    cache_write_1h: Option<f64>,
    /// For one search.
    web_search: Option<f64>,
    fast: Option<Fast>,
    long_context: Option<LongContext>,
}

/// What a fast answer costs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fast {
    /// How many times as much as other answers.
    factor: f64,
    #[serde(default, rename = "source")]
    _source: String,
}

/// The prices of all tokens of a call whose prompt is longer than `above`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LongContext {
    above: u64,
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
    cache_write_1h: Option<f64>,
}

/// The prices of tokens.
struct Rates {
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
    cache_write_1h: Option<f64>,
}

impl Prices {
    /// The list that is part of the command, with the entries of a file in the place of those of the same models.
    pub fn with(file: Option<&Path>) -> Result<Self, Failure> {
        let mut prices = Self { entries: HashMap::new() };
        if let Ok(list) = serde_json::from_str(PRICES) {
            prices.add(list);
        }
        if let Some(path) = file {
            let text = fs::read_to_string(path).map_err(|error| Failure::reading(path, &error))?;
            let list = serde_json::from_str(&text).map_err(|error| {
                Failure::new(IO, format!("the price list {} has an error: {error}", shown(path)))
                    .help("`interlingua stats --help` shows what an entry looks like")
            })?;
            let mut own = Self { entries: HashMap::new() };
            own.add(list);
            prices.entries.extend(own.entries);
        }
        Ok(prices)
    }

    fn add(&mut self, list: List) {
        for entry in list.prices {
            for model in &entry.models {
                let priced =
                    Priced { entry: entry.clone(), currency: list.currency.clone(), tokens: list.tokens };
                self.entries.entry(bare(model).to_owned()).or_default().push(priced);
            }
        }
        self.entries.values_mut().for_each(|entries| entries.sort_by(|a, b| a.entry.from.cmp(&b.entry.from)));
    }

    /// The prices of a model, the oldest first.
    pub fn of(&self, model: &str) -> &[Priced] {
        self.entries.get(bare(model)).map(Vec::as_slice).unwrap_or_default()
    }
}

/// What a call costs, and the currency; `None` where that is not known. `day` is the call's day, such as `2026-11-30`;
/// without one, the latest prices count.
pub fn cost<'p>(
    prices: &'p [Priced],
    usage: &Usage,
    billing: Option<&Billing>,
    day: Option<&str>,
) -> Option<(f64, &'p str)> {
    let is_valid = |priced: &&Priced| day.is_none_or(|day| priced.entry.from.as_str() <= day);
    let Priced { entry, currency, tokens } = prices.iter().rev().find(is_valid)?;
    if usage.input.is_none() && usage.output.is_none() {
        return None;
    }
    let count = |count: Option<u64>| count.unwrap_or_default();
    let prompt =
        [usage.input, usage.cache_read, usage.cache_write].into_iter().flatten().fold(0, u64::saturating_add);
    let rates = entry.rates(prompt);
    let hour = count(billing.and_then(|billing| billing.cache_write_1h)).min(count(usage.cache_write));
    let parts = [
        (count(usage.input), Some(rates.input)),
        (count(usage.output).saturating_add(count(usage.reasoning)), Some(rates.output)),
        (count(usage.cache_read), rates.cache_read),
        (count(usage.cache_write) - hour, rates.cache_write),
        (hour, rates.cache_write_1h),
    ];
    let mut cost = 0.0;
    for (count, rate) in parts.into_iter().filter(|(count, _)| *count > 0) {
        cost += count as f64 * rate? / tokens;
    }
    match billing.and_then(|billing| billing.speed.as_deref()) {
        None | Some("standard" | "normal" | "default") => {}
        Some("fast") => cost *= entry.fast.as_ref()?.factor,
        Some(_) => return None,
    }
    let searches = count(billing.and_then(|billing| billing.web_searches));
    if searches > 0 {
        cost += searches as f64 * entry.web_search?;
    }
    Some((cost, currency))
}

impl Entry {
    fn rates(&self, prompt: u64) -> Rates {
        match &self.long_context {
            Some(long) if prompt > long.above => Rates {
                input: long.input,
                output: long.output,
                cache_read: long.cache_read,
                cache_write: long.cache_write,
                cache_write_1h: long.cache_write_1h,
            },
            _ => Rates {
                input: self.input,
                output: self.output,
                cache_read: self.cache_read,
                cache_write: self.cache_write,
                cache_write_1h: self.cache_write_1h,
            },
        }
    }
}

/// A model's name without what does not change its price: who serves it (`anthropic/`), a variant (`[1m]`, `:thinking`,
/// `@region`), a date (`-20250929`, `-2026-04-23`) or `-latest` at its end.
fn bare(model: &str) -> &str {
    let name = model.rsplit('/').next().unwrap_or(model);
    let name = name.find(['[', '@', ':']).map_or(name, |end| &name[..end]);
    let name = name.strip_suffix("-latest").unwrap_or(name);
    let is_date = |date: &str| {
        let digits = date.bytes().filter(u8::is_ascii_digit).count();
        digits == 8 && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    for length in [8, 10] {
        if let Some((begin, date)) = name.len().checked_sub(length).and_then(|at| name.split_at_checked(at))
            && let Some(begin) = begin.strip_suffix('-')
            && is_date(date)
        {
            return begin;
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn billing(json: &str) -> Billing {
        serde_json::from_str(json).expect("billing")
    }

    fn dollars(model: &str, usage: &Usage, billing: Option<&Billing>, day: Option<&str>) -> Option<f64> {
        let prices = Prices::with(None).expect("the bundled list");
        cost(prices.of(model), usage, billing, day).map(|(amount, _)| (amount * 1e9).round() / 1e9)
    }

    #[test]
    fn every_kind_of_token_has_its_price() {
        let million = 1_000_000;
        let usage = Usage::default().with_input(million).with_output(million).with_reasoning(million);
        assert_eq!(dollars("claude-sonnet-4-5-20250929", &usage, None, None), Some(33.0));
        let cached = Usage::default().with_input(0).with_cache_read(million).with_cache_write(million);
        assert_eq!(dollars("claude-sonnet-4-5", &cached, None, None), Some(4.05));
        let hour = billing(r#"{"cache_write_1h":1000000,"web_searches":2,"speed":"standard"}"#);
        assert_eq!(dollars("claude-sonnet-4-5", &cached, Some(&hour), None), Some(6.32));
    }

    #[test]
    fn what_has_no_price_is_unknown_and_not_zero() {
        let usage = Usage::default().with_input(1).with_output(1);
        assert_eq!(dollars("a-model-of-tomorrow", &usage, None, None), None);
        assert_eq!(dollars("claude-opus-5-5", &Usage::default(), None, None), None, "no tokens are known");
        let fast = billing(r#"{"speed":"fast"}"#);
        assert_eq!(dollars("claude-haiku-4-5", &usage, Some(&fast), None), None);
        assert_eq!(dollars("claude-opus-5-5", &usage, Some(&fast), None), Some(0.000048));
        let turbo = billing(r#"{"speed":"turbo"}"#);
        assert_eq!(dollars("claude-opus-5-5", &usage, Some(&turbo), None), None);
    }

    #[test]
    fn a_long_prompt_and_the_day_change_the_price() {
        let usage = |input| Usage::default().with_input(input).with_output(0);
        assert_eq!(dollars("claude-haiku-5-5", &usage(100_000), None, None), Some(0.01));
        assert_eq!(dollars("claude-haiku-5-5", &usage(100_001), None, None), Some(0.0500005));
        let read = Usage::default().with_input(0).with_cache_read(1_000_000);
        assert_eq!(dollars("claude-sonnet-5-5", &read, None, Some("2026-10-06")), Some(0.2));
        assert_eq!(dollars("claude-sonnet-5-5", &read, None, Some("2026-10-07")), Some(0.1));
        assert_eq!(dollars("claude-sonnet-5-5", &read, None, None), Some(0.1));
    }

    #[test]
    fn a_model_is_known_by_its_bare_name() {
        for name in [
            "m-4",
            "vendor/m-4",
            "m-4[1m]",
            "m-4-20250929",
            "vendor/m-4-2026-04-23",
            "m-4-latest",
            "m-4@20250929",
            "m-4:thinking",
        ] {
            assert_eq!(bare(name), "m-4", "{name}");
        }
        assert_eq!((bare("gpt-4-1106"), bare("é-1"), bare("")), ("gpt-4-1106", "é-1", ""));
    }
}
