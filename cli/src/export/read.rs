//! The rows of one source.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use interlingua::Options;
use interlingua::table::Table;
use interlingua::vocabulary::{Cost, CostSource, Timestamp};
use interlingua_arrow::{Outcome, Pricing, Reading, Source, Tables};

use crate::args;
use crate::events;
use crate::failure::{Failure, IO, shown};
use crate::input::Input;
use crate::prices;
use crate::provider::{self, Chosen, Identity};
use crate::stats::merge::Books;

/// How many bytes of rows wait before they are sent.
const ROWS: usize = 8 << 20;

/// The price list as the tables use it.
pub fn pricing(books: &Books) -> Pricing {
    let (prices, zone) = (books.prices.clone(), books.zone.clone());
    Arc::new(move |model, usage, billing, at| {
        let day = at.and_then(|at| zone.day(at.unix_millis())).map(|day| day.to_string());
        let (amount, currency) = prices::cost(prices.of(model), usage, billing, day.as_deref())?;
        // What is beyond a billionth is no money.
        Some(Cost::new((amount * 1e9).round() / 1e9, currency, CostSource::PriceList))
    })
}

/// Reads a file whose provider may be known from its place. The rows are sent when they are many. A file that cannot be
/// read has its row all the same.
pub fn file(
    tables: &mut Tables,
    source: &args::Source,
    path: &Path,
    table: Option<&'static Table>,
    send: impl FnMut(&mut Tables),
) -> Result<(), Failure> {
    let mut about = Source::new(path.display().to_string());
    if let Ok(metadata) = fs::metadata(path) {
        about.bytes = Some(metadata.len());
        about.modified = metadata
            .modified()
            .ok()
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok())
            .and_then(|since| Timestamp::from_unix_millis(i64::try_from(since.as_millis()).ok()?));
    }
    match Input::open(path) {
        Ok(input) => read(tables, source, input, table, about, send),
        Err(failure) => {
            tables.failed(&about, failure.message());
            Err(failure)
        }
    }
}

/// Reads bytes from anywhere.
pub fn reader(
    tables: &mut Tables,
    name: &str,
    reader: Box<dyn Read>,
    table: Option<&'static Table>,
    send: impl FnMut(&mut Tables),
) -> Result<(), Failure> {
    let input = Input::from_reader(Path::new(name), reader);
    read(tables, &args::Source::default(), input, table, Source::new(name), send)
}

fn read(
    tables: &mut Tables,
    source: &args::Source,
    mut input: Input,
    table: Option<&'static Table>,
    about: Source,
    mut send: impl FnMut(&mut Tables),
) -> Result<(), Failure> {
    let path = input.path.clone();
    let identity = match table {
        Some(table) => Ok(Identity::Known(Chosen { table, begin: Vec::new() })),
        None => provider::choose_or_universal(source, &mut input),
    };
    let mut reading = Reading::new(about);
    let options = Options::default().session_id(reading.source().session_id());
    let mut take = |reading: &mut Reading, event| {
        reading.push(tables, event);
        if tables.size() > ROWS {
            send(tables);
        }
    };
    let result = match identity {
        Ok(Identity::Known(chosen)) => {
            let table = chosen.table;
            let agent = if table.written_by.is_empty() { table.provider } else { table.written_by };
            reading.source().provider = Some(table.provider.to_owned());
            reading.source().agent = Some(agent.to_owned());
            events::translated(chosen, input, options, |event| take(&mut reading, event))
        }
        Ok(Identity::Universal(begin)) => {
            events::stored(begin, input, &mut |event| take(&mut reading, event))
        }
        Ok(Identity::Empty) => Err(Failure::new(IO, format!("{} is empty", shown(&path)))),
        Ok(Identity::Unknown(_)) => {
            Err(Failure::new(IO, format!("cannot tell which agent wrote {}", shown(&path))))
        }
        Err(failure) => Err(failure),
    };
    let mut outcome = Outcome::default();
    match &result {
        Ok(read) => (outcome.messages, outcome.unparsed) = (read.messages, Some(read.unparsed)),
        Err(failure) => outcome.error = Some(failure.message().to_owned()),
    }
    reading.finish(tables, &outcome);
    result.map(|_| ())
}
