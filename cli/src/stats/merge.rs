//! From what files say to sessions: copies are counted once, and what belongs together is put together.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use interlingua::vocabulary::Usage;

use super::days::Zone;
use super::reading::{Call, Found};
use super::record::{Part, Record};
use super::sum::{Amount, Sum};
use super::tokens::Tokens;
use crate::prices::{self, Prices};

/// How long a chain of sessions that continue each other may be.
const CHAIN: usize = 64;

/// What decides the cost and the day of a call.
pub struct Books {
    /// The price list.
    pub prices: Prices,
    /// Where days begin and end.
    pub zone: Zone,
}

/// A call, with the place of the file that owns it.
type Owned = (usize, Call);

/// A session by the place of its file, and its own place in that.
type Place = (usize, u32);

/// The sessions of files, in the order of the files.
pub fn sessions(mut found: Vec<(PathBuf, Found)>, books: &Books) -> Vec<Record> {
    let (calls, copies) = owned(&mut found);
    let mut records: Vec<Record> =
        Vec::with_capacity(found.iter().map(|(_, file)| file.sessions.len()).sum());
    // Where the sessions of each file begin.
    let mut begins = Vec::with_capacity(found.len());
    for (path, file) in &mut found {
        begins.push(records.len());
        let sessions = std::mem::take(&mut file.sessions).into_iter();
        records.extend(sessions.map(|summary| Record::new(file.table, path.clone(), summary)));
    }
    for (place, call) in &calls {
        let model = call.model.and_then(|model| found[*place].1.models.get(model as usize));
        if let Some(record) = records.get_mut(begins[*place] + call.session as usize) {
            record.add_call(call, model.map(String::as_str), books);
        }
    }
    for (place, session) in copies {
        if let Some(record) = records.get_mut(begins[place] + session as usize) {
            record.copied += 1;
        }
    }
    records.iter_mut().for_each(|record| count_whole(record, books));
    together(records)
}

/// Each call once, with the place of the file that owns it, and the places of the copies. A call belongs to the file
/// whose session continues no other, or the fewest; of several to the first one.
fn owned(found: &mut [(PathBuf, Found)]) -> (Vec<Owned>, Vec<Place>) {
    let continued: HashMap<String, String> = found
        .iter()
        .flat_map(|(_, file)| &file.sessions)
        .filter_map(|session| Some((session.native.clone()?, session.resumed_from.clone()?)))
        .collect();
    let depth = |native: Option<&String>| {
        let mut name = native;
        (0..CHAIN).find(|_| match name.and_then(|name| continued.get(name)) {
            Some(before) => {
                name = Some(before);
                false
            }
            None => true,
        })
    };
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (place, (_, file)) in found.iter().enumerate() {
        let depths = file.sessions.iter().map(|session| depth(session.native.as_ref()).unwrap_or(CHAIN));
        order.push((depths.max().unwrap_or_default(), place));
    }
    order.sort();
    let mut calls: Vec<Owned> = Vec::new();
    let mut copies = Vec::new();
    let mut known: HashMap<u64, usize> = HashMap::new();
    for (_, place) in order {
        for call in std::mem::take(&mut found[place].1.calls) {
            match known.get(&call.key) {
                Some(number) => {
                    copies.push((place, call.session));
                    let (owner, counted) = &mut calls[*number];
                    if call.outdoes(counted) && call.tokens != counted.tokens {
                        let model =
                            call.model.and_then(|model| found[place].1.models.get(model as usize).cloned());
                        let model = model.map(|model| of_model(&mut found[*owner].1.models, model));
                        *counted = Call { session: counted.session, at: counted.at, model, ..call };
                    }
                }
                None => {
                    known.insert(call.key, calls.len());
                    calls.push((place, call));
                }
            }
        }
    }
    (calls, copies)
}

fn of_model(models: &mut Vec<String>, name: String) -> u32 {
    let place = models.iter().position(|known| *known == name).unwrap_or_else(|| {
        models.push(name);
        models.len() - 1
    });
    u32::try_from(place).unwrap_or_default()
}

impl Record {
    fn add_call(&mut self, call: &Call, model: Option<&str>, books: &Books) {
        let day = call.at.and_then(|at| books.zone.day(at));
        let dated = day.map(|day| day.to_string());
        let prices = model.map(|model| books.prices.of(model)).unwrap_or_default();
        let priced = prices::cost(prices, &call.tokens.counts(), call.billing.as_deref(), dated.as_deref());
        let told = call.tokens.cost.as_deref().map(|cost| (cost.amount, cost.currency.as_str()));
        self.count(
            model,
            day,
            &Sum {
                calls: 1,
                tokens: Tokens { cost: None, ..call.tokens.clone() },
                priced: Amount::new(priced),
                told: Amount::new(told),
            },
        );
    }
}

/// Counts of the session as a whole stand for its calls where they say more: not all agents say what each call used.
fn count_whole(record: &mut Record, books: &Books) {
    let Some(whole) = record.summary.whole.take() else { return };
    if record.copied > 0 || (record.sum.calls > 0 && record.sum.tokens.all() >= whole.all()) {
        // The agent's own cost of the session counts all the same.
        if record.copied == 0
            && record.sum.agent_cost().is_none()
            && let Some(cost) = &whole.cost
        {
            record.sum.told = Amount::new(Some((cost.amount, &cost.currency)));
        }
        return;
    }
    let told = whole.cost.as_deref().map(|cost| (cost.amount, cost.currency.as_str()));
    let day = record.summary.ended.and_then(|ended| books.zone.day(ended.unix_millis()));
    let dated = day.map(|day| day.to_string());
    let price = |model: Option<&str>, usage: &Usage| {
        let prices = model.map(|model| books.prices.of(model)).unwrap_or_default();
        let cost = prices::cost(prices, usage, None, dated.as_deref());
        Amount::new(cost)
    };
    record.sum = Sum::default();
    record.models.clear();
    record.days.clear();
    let by_model = std::mem::take(&mut record.summary.by_model);
    let sums_up = by_model.iter().map(|part| Tokens::of(&part.usage).all()).sum::<u64>() == whole.all();
    if by_model.is_empty() || !sums_up {
        let model = record.summary.model.clone();
        let priced = price(model.as_deref(), &whole.counts());
        let sum =
            Sum { calls: 0, tokens: Tokens { cost: None, ..whole.clone() }, priced, told: Amount::new(told) };
        record.count(model.as_deref(), day, &sum);
        return;
    }
    for part in by_model {
        let tokens = Tokens::of(&part.usage);
        let sum = Sum {
            calls: part.calls.unwrap_or_default(),
            priced: price(part.model.as_deref(), &tokens.counts()),
            told: Amount::new(part.usage.cost.as_ref().map(|cost| (cost.amount, cost.currency.as_str()))),
            tokens: Tokens { cost: None, ..tokens },
        };
        record.count(part.model.as_deref(), day, &sum);
    }
    record.sum.told = Amount::new(told);
}

/// Puts the files of a session together, and the sub-agents with files of their own into the session that started
/// them. Only session files are: recordings of the same session are recordings of their own.
fn together(records: Vec<Record>) -> Vec<Record> {
    let mut merged: Vec<Record> = Vec::new();
    let mut places: HashMap<(&'static str, String), usize> = HashMap::new();
    let mut children = Vec::new();
    for record in records {
        let table = record.table.filter(|table| !table.files.is_empty());
        let (Some(table), Some(native)) = (table, record.summary.native.clone()) else {
            merged.push(record);
            continue;
        };
        if let Some(parent) = record.summary.more.part_of.clone() {
            children.push((table.provider, parent, record));
            continue;
        }
        match places.get(&(table.provider, native.clone())) {
            Some(place) => merged[*place].take(record),
            None => {
                places.insert((table.provider, native), merged.len());
                merged.push(record);
            }
        }
    }
    let mut orphans: HashSet<usize> = HashSet::new();
    for (provider, parent, child) in children {
        let place = *places.entry((provider, parent.clone())).or_insert_with(|| {
            // The file of the session itself is gone: its sub-agents stand for it.
            let mut stand_in = Record::new(child.table, PathBuf::new(), child.summary.stand_in(parent));
            stand_in.files.clear();
            orphans.insert(merged.len());
            merged.push(stand_in);
            merged.len() - 1
        });
        merged[place].take_part(child);
    }
    merged
}

impl Record {
    /// Takes what a sub-agent did, whose turns are none of the session's own.
    fn take_part(&mut self, part: Self) {
        let told = Part {
            native: part.summary.native.clone(),
            title: part.summary.title.clone().or_else(|| part.summary.prompt.clone()),
            files: part.files.clone(),
            sum: part.sum.clone(),
        };
        self.take_counts(part);
        match self.parts.iter_mut().find(|known| known.native.is_some() && known.native == told.native) {
            Some(known) => {
                known.sum.add(&told.sum);
                known.files.extend(told.files);
            }
            None => self.parts.push(told),
        }
    }
}
