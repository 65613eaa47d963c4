//! From what files say to sessions: copies are counted once, and what belongs together is put together.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::gather::Found;
use super::record::Record;
use super::tokens::Tokens;

/// The sessions of files, in the order of the files.
pub fn sessions(found: Vec<(PathBuf, Found)>) -> Vec<Record> {
    let owners = owners(&found);
    let mut records = Vec::new();
    for (place, (path, file)) in found.into_iter().enumerate() {
        let mut sums: Vec<Option<Tokens>> = vec![None; file.sessions.len()];
        let mut has_copies = vec![false; file.sessions.len()];
        for call in &file.calls {
            let session = call.session as usize;
            match owners.get(&call.key) {
                Some((owner, tokens)) if *owner == place => {
                    if let Some(sum) = sums.get_mut(session) {
                        sum.get_or_insert_default().add(tokens);
                    }
                }
                _ => has_copies.iter_mut().skip(session).take(1).for_each(|has| *has = true),
            }
        }
        for ((session, calls), has_copies) in file.sessions.into_iter().zip(sums).zip(has_copies) {
            let whole = session.usage.total.as_ref().map(Tokens::of).filter(|_| !has_copies);
            let tokens = more_complete(whole, calls);
            records.push(Record { table: file.table, files: vec![path.clone()], session, tokens });
        }
    }
    together(records)
}

/// Who owns each call, and what it used: the first file with it, but one that continues another session is asked last,
/// since what it has in common with that one is a copy.
fn owners(found: &[(PathBuf, Found)]) -> HashMap<u64, (usize, Tokens)> {
    let continues = |file: &Found| file.sessions.iter().any(|session| session.resumed_from.is_some());
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|place| continues(&found[*place].1));
    let mut owners: HashMap<u64, (usize, Tokens)> = HashMap::new();
    for place in order {
        for call in &found[place].1.calls {
            owners
                .entry(call.key)
                .and_modify(|(_, tokens)| tokens.keep_larger(call.tokens.clone()))
                .or_insert_with(|| (place, call.tokens.clone()));
        }
    }
    owners
}

/// Of two counts of the same the one with more tokens; of equals the first.
fn more_complete(one: Option<Tokens>, other: Option<Tokens>) -> Option<Tokens> {
    let size = |tokens: &Tokens| {
        let counts = [tokens.read(), tokens.cache_read, tokens.written()];
        counts.into_iter().flatten().fold(0, u64::saturating_add)
    };
    match (one, other) {
        (Some(one), Some(other)) => Some(if size(&other) > size(&one) { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// Puts the files of a session together, and the sub-agents with files of their own into the session that started
/// them. Only session files are: recordings of the same session are recordings of their own.
fn together(records: Vec<Record>) -> Vec<Record> {
    let mut merged: Vec<Record> = Vec::new();
    let mut places: HashMap<(&'static str, String), usize> = HashMap::new();
    let mut children = Vec::new();
    for record in records {
        let table = record.table.filter(|table| !table.files.is_empty());
        let (Some(table), Some(native)) = (table, record.native().map(str::to_owned)) else {
            merged.push(record);
            continue;
        };
        if let Some(parent) = record.part_of() {
            children.push((table.provider, parent, record));
            continue;
        }
        match places.get(&(table.provider, native.clone())) {
            Some(place) => merged[*place].take(record, false),
            None => {
                places.insert((table.provider, native), merged.len());
                merged.push(record);
            }
        }
    }
    let mut orphans: HashSet<usize> = HashSet::new();
    for (provider, parent, mut child) in children {
        match places.get(&(provider, parent.clone())) {
            Some(place) => {
                let is_sub_agent = !orphans.contains(place);
                merged[*place].take(child, is_sub_agent);
            }
            // The file of the session itself is gone: its sub-agents stand for it.
            None => {
                child.session.native_session_id = Some(parent.as_str().into());
                orphans.insert(merged.len());
                places.insert((provider, parent), merged.len());
                merged.push(child);
            }
        }
    }
    merged
}
