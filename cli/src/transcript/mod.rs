//! `interlingua transcript`: what a stream amounts to, as one JSON document or as Markdown.

mod markdown;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;
use interlingua::transcript::Fold;
use interlingua::{Options, vocabulary};

use crate::args::Source;
use crate::events;
use crate::failure::{FINE, Failure, warn_unparsed};
use crate::output;

/// The end of the command's help.
pub const HELP: &str = "\
FILE is what an agent printed, or a stored universal stream. The document has
`sessions`; each has its `turns` and its `items`, which are as in events, with `turn_id`
besides. The result of a tool call stands in it as `result`, the items of a sub-agent in
`items` of the call that started it. A session has `permissions`, `questions`, `plan`,
`files`, `errors`, `counts` and `usage` (total, by model, and the single reports). What
is not known is absent. `interlingua schema` has all of it as `Transcript`.

Examples:
  interlingua transcript session.jsonl
  interlingua transcript session.jsonl | jq '.sessions[].usage.total'
  interlingua transcript --markdown session.jsonl > session.md
  interlingua run --agent claude 'Hello' < /dev/null | interlingua transcript";

/// Options of `transcript`.
#[derive(Debug, Args)]
pub struct Transcript {
    #[command(flatten)]
    source: Source,
    /// Write Markdown to read instead of JSON
    #[arg(long, conflicts_with = "pretty")]
    markdown: bool,
    /// Indent the JSON, for people
    #[arg(long)]
    pretty: bool,
    /// What an agent printed, or a universal stream; `-` or none is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
}

/// Runs the command.
pub fn run(options: &Transcript) -> Result<u8, Failure> {
    let mut fold = Fold::new();
    let read = events::read(&options.source, &options.file, Options::default(), |event| fold.push(event))?;
    let transcript = fold.into_transcript();
    write(options, &transcript).map_err(|error| Failure::output(&error))?;
    warn_unparsed(&options.file, read.unparsed);
    Ok(FINE)
}

fn write(options: &Transcript, transcript: &vocabulary::Transcript) -> io::Result<()> {
    if options.markdown {
        let text = markdown::written(transcript);
        let mut to = io::stdout().lock();
        return match to.is_terminal() {
            true => {
                drop(to);
                let mut people = output::people();
                people.write_all(text.as_bytes()).and_then(|()| people.flush())
            }
            false => to.write_all(text.as_bytes()),
        };
    }
    let mut json = match options.pretty {
        true => serde_json::to_vec_pretty(transcript)?,
        false => serde_json::to_vec(transcript)?,
    };
    json.push(b'\n');
    output::StdoutJson::new().prepare(&mut json);
    io::stdout().lock().write_all(&json)
}
