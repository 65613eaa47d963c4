//! The command line: its commands, options and help.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};

use crate::parallel::Jobs;

const AFTER_HELP: &str = "\
Examples:
  interlingua translate session.jsonl              print universal events
  claude -p hi --output-format stream-json --verbose | interlingua translate
  interlingua translate session.jsonl | interlingua check
  interlingua transcript --markdown session.jsonl  print the conversation, to read
  interlingua show session.jsonl                   read a session in the terminal
  interlingua sessions                             list the sessions of this machine
  interlingua html session.jsonl -o session.html   write it as a web page
  interlingua explain session.jsonl --line 12      show the rule and the events of line 12
  interlingua terms codex                          print a provider's mapping table
  interlingua run --agent claude 'fix the tests'   run an agent

Exit codes:
  0  success
  1  findings: `check` found a broken law, `translate --strict` found a message that
     it could not parse, `detect` did not recognise the stream, `run` saw a turn that
     did not complete or a command that the agent does not support
  2  wrong usage
  3  input or output failed: a file cannot be read, a map has errors, or the provider
     of a stream is unknown
With several files, every file is processed and the highest exit code counts. An empty
input is not an error: there are no events, and `detect` reports `empty`.";

/// Translate the output of coding agents into universal events, and the streams of language models
/// into chunks.
#[derive(Debug, Parser)]
#[command(name = "interlingua", version, after_help = AFTER_HELP, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Translate the output of an agent into universal events, or the stream of a model into chunks.
    #[command(after_help = TRANSLATE_HELP)]
    Translate(Translate),
    /// Print a stream's transcript: its sessions with their turns, items and totals.
    #[command(after_help = crate::transcript::HELP)]
    Transcript(crate::transcript::Transcript),
    /// Show a session in the terminal.
    #[command(after_help = crate::show::HELP)]
    Show(crate::show::Show),
    /// Write sessions as web pages, each in one file that needs nothing else.
    #[command(after_help = crate::html::HELP)]
    Html(crate::html::Html),
    /// Count turns, tools, errors, tokens, cost, time and changed files of sessions.
    #[command(after_help = [crate::stats::HELP, crate::prices::HELP, crate::stats::EXAMPLES].concat())]
    Stats(crate::stats::Stats),
    /// List the sessions of this machine, newest first.
    #[command(after_help = crate::sessions::HELP)]
    Sessions(crate::sessions::Sessions),
    /// Write sessions as tables for SQL and data frames: Parquet files.
    #[cfg(feature = "parquet")]
    #[command(after_help = [crate::export::HELP, crate::prices::HELP, crate::export::EXAMPLES].concat())]
    Export(crate::export::Export),
    /// Check whether a universal stream follows the laws of the vocabulary.
    #[command(after_help = CHECK_HELP)]
    Check(Check),
    /// Show the map rule and the events of each native line.
    #[command(after_help = EXPLAIN_HELP)]
    Explain(Explain),
    /// Print the mapping table: universal terms and the native messages they come from.
    #[command(after_help = TERMS_HELP)]
    Terms(Terms),
    /// Drive an agent: start its program, give it commands, print universal events.
    #[command(after_help = RUN_HELP)]
    Run(Run),
    /// Write a conversation as the request body of a language model's provider.
    #[command(after_help = REQUEST_HELP)]
    Request(Request),
    /// Print the JSON Schema of the universal events.
    #[command(after_help = SCHEMA_HELP)]
    Schema,
    /// Detect which agent or model provider wrote a stream.
    #[command(after_help = DETECT_HELP)]
    Detect(Detect),
}

const TRANSLATE_HELP: &str = "\
Events are written as they arrive: with piped input, each message's events are flushed
before the next message is read. Each FILE is a separate stream. The sessions are named
s1, s2, … in file order (further sessions within a stream are s1-2, s1-3, …), so events
of different files never collide. If a FILE cannot be read, the error is reported and
the other files are still translated.

With --to, the messages of another protocol are written instead of events. FILE can then also
hold universal events. What a target cannot express stands on its page in docs/targets.

The number of messages that could not be parsed, such as a truncated last line, is
reported on stderr. The exit code is 1 only with --strict.

The stream of a language model becomes chunks instead of events: block-start,
text-delta, …, block-end, usage and finish. With --assemble, only the finished message
is written. If the answer was cut off, failed, or stopped early (length limit,
refusal, …), stderr says so and the exit code is 1. A FILE may hold several answers.
From the second answer on, each chunk has the number of its answer: \"stream\": 2.

Examples:
  interlingua translate session.jsonl
  interlingua translate --from anthropic-messages answer.sse
  interlingua translate --assemble answer.sse > message.json
  codex exec --json 'fix the tests' | interlingua translate --from codex
  interlingua translate stdout.jsonl --host stdin.jsonl
  interlingua translate --to ag-ui --sse session.jsonl
  interlingua translate --stats stats.json --strict runs/*.jsonl > events.jsonl
  interlingua translate --map mine.map --schema mine.json session.jsonl

--stats writes {\"messages\", \"translated\", \"silent\", \"ignored\": {reason: count},
\"unparsed\", \"bytes\", \"events\": {type: count}}. `silent` messages gave no event; they
are included in `translated`. messages = translated + ignored + unparsed, always.
\"unread\" counts the members that no rule reads, by rule and path.
For model streams, \"answers\" adds the chunks by type, late pieces, parts that were
left out, and the first problems as text. With --host, \"host\" counts the host's
messages, those read as commands, refused HTTP requests, and broken lines.";

/// Options of `translate`.
#[derive(Debug, Args)]
pub struct Translate {
    #[command(flatten)]
    pub source: Source,
    /// Name the stream's first session (default: s1; only with one FILE)
    #[arg(long, value_name = "ID", value_parser = session_id)]
    pub session_id: Option<String>,
    /// What the host sent, recorded beside FILE (only with one FILE): lines of the agent's input, or
    /// HTTP requests as objects with `method`, `path` and `body`. Events then include the host's
    /// messages and decisions
    #[arg(long, value_name = "FILE")]
    pub host: Option<PathBuf>,
    /// Write the messages of this protocol instead of events: one of the bundled targets, or a
    /// FILE that ends in `.map`
    #[arg(long, value_name = "TARGET", conflicts_with_all = ["assemble", "pretty", "raw"])]
    pub to: Option<String>,
    /// With --to: write server-sent events instead of JSON lines
    #[arg(long, requires = "to")]
    pub sse: bool,
    /// Include the exact native bytes in each event, as `native.raw`
    #[arg(long)]
    pub raw: bool,
    /// Write the statistics of the translation to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub stats: Option<PathBuf>,
    /// Exit with 1 when a message could not be parsed
    #[arg(long)]
    pub strict: bool,
    /// Write the finished message of a model stream instead of its chunks
    #[arg(long, conflicts_with_all = ["raw", "session_id"])]
    pub assemble: bool,

    /// For the stream of a model: keep the log probabilities of the tokens in the details of `finish`
    #[arg(long)]
    pub log_probabilities: bool,
    /// Indent the JSON
    #[arg(long)]
    pub pretty: bool,
    #[command(flatten)]
    pub jobs: Jobs,
    /// The recordings to translate; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// Where a stream's map comes from.
#[derive(Clone, Debug, Args)]
pub struct Source {
    /// The agent or model provider that wrote the stream; `auto` detects it from the first messages
    #[arg(long, value_name = "PROVIDER", default_value = "auto", value_parser = providers_or_auto())]
    pub from: String,
    /// Use this term map instead of a bundled one
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    pub map: Option<PathBuf>,
    /// The schema for --map (default: the file that the map names, relative to the map)
    #[arg(long, value_name = "FILE", requires = "map")]
    pub schema: Option<PathBuf>,
}

impl Default for Source {
    fn default() -> Self {
        Self { from: "auto".to_owned(), map: None, schema: None }
    }
}

const CHECK_HELP: &str = "\
Prints one line per broken law, `FILE:LINE: …`, and exits with 1 if there is any. If a
FILE cannot be read, the error is reported and the other files are still checked. The
chunks of a model's answer are checked against the chunk protocol.

Examples:
  interlingua check events.jsonl
  interlingua translate session.jsonl | interlingua check";

/// Options of `check`.
#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    pub jobs: Jobs,
    /// Universal streams; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

const EXPLAIN_HELP: &str = "\
By default, every message of the stream is shown with one line per event. With --line or
--event, one message is shown in full, with the rule as the map has it and the events as
JSON. For a model stream, the chunks are shown; they have no ids.

Examples:
  interlingua explain session.jsonl
  interlingua explain session.jsonl --line 12
  interlingua explain session.jsonl --event s1:17";

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    #[command(flatten)]
    pub source: Source,
    /// Show only the message on this line of the native stream, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub line: Option<u64>,
    /// Show only the message that produced this event (its event_id)
    #[arg(long, value_name = "ID", conflicts_with = "line")]
    pub event: Option<String>,
    /// The native recording; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

const TERMS_HELP: &str = "\
Examples:
  interlingua terms                   each universal term, and what the providers call it
  interlingua terms claude            one provider's messages, and what they become
  interlingua terms codex --commands  the commands and fields that it supports; for the
                                      others, the reason
  interlingua terms --map mine.map    the same for a term map of your own
  interlingua terms --language        every universal term that a map can use";

/// Options of `terms`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("of").args(["provider", "map"]))]
pub struct Terms {
    /// Print the reference of the map language: all terms with their fields
    #[arg(long, conflicts_with = "provider")]
    pub language: bool,
    /// Print the commands that the provider supports, instead of its messages
    #[arg(long, requires = "of")]
    pub commands: bool,
    /// Use this term map instead of a bundled one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["provider", "language"])]
    pub map: Option<PathBuf>,
    /// The schema for --map (default: the file that the map names, relative to the map)
    #[arg(long, value_name = "FILE", requires = "map")]
    pub schema: Option<PathBuf>,
    /// The provider whose rules are printed; without it, all providers side by side
    #[arg(value_name = "PROVIDER", value_parser = PossibleValuesParser::new(provider_names()))]
    pub provider: Option<String>,
}

const RUN_HELP: &str = "\
Starts the agent's program and speaks its protocol. On a terminal, you see what the agent
does, and you answer its permission requests and questions. Any other line that you type
is sent to the agent. Ctrl-C interrupts the running turn; a second one ends the run.

From a program, standard input takes universal commands and standard output gives
universal events, one JSON object a line (`interlingua schema` has both):
  {\"type\":\"message.send\",\"content\":\"Go on\"}
  {\"type\":\"permission.reply\",\"permission_id\":ID,\"outcome\":\"allow-once\"}
  {\"type\":\"question.reply\",\"question_id\":ID,\"answers\":[[\"Red\"]]}
  {\"type\":\"turn.interrupt\"}
A command for a session other than the first one names it in `session_id`. After standard
input has ended, requests are rejected, because nobody can answer them.
The run ends when every message has had its turn and standard input has ended; with
--keep, it continues until the command `session.end`. It also ends when the agent refuses
to start the session, and when standard output is closed. A message that gets no turn,
such as a slash command, counts as handled when the agent has been silent for 30 seconds.
When the run ends, the agent and all its child processes end too.

Examples:
  interlingua run --agent claude \"What does this project do?\"
  interlingua run --agent codex --model gpt-5 --cwd ../demo
  interlingua run --agent claude \"Hello\" -- --max-turns 3     options of the agent itself
  interlingua run --agent acp --program 'opencode acp' \"Hello\"
  interlingua run --agent amp \"List the files\" < /dev/null | interlingua check
  interlingua run --agent codex --speak acp                    an agent for editors

With --speak, an editor or another client drives the agent in its own protocol: it opens
the sessions, each with a program of its own, and ends the run by closing standard input.

Exit codes: 0 the last turn completed; 1 it did not, or a command is not supported; 2
wrong usage, such as an option that this agent does not have; 3 the agent's program is
missing, crashed or cannot be reached; 128 + N ended by signal N.";

/// Options of `run`.
#[derive(Debug, Args)]
pub struct Run {
    /// The agent to run
    #[arg(long, value_name = "PROVIDER", value_parser = PossibleValuesParser::new(agent_names()), required_unless_present = "map")]
    pub agent: Option<String>,
    /// Use this term map instead of a bundled one
    #[arg(long, value_name = "FILE", conflicts_with = "agent")]
    pub map: Option<PathBuf>,
    /// The schema for --map (default: the file that the map names, relative to the map)
    #[arg(long, value_name = "FILE", requires = "map")]
    pub schema: Option<PathBuf>,
    /// The model, as the agent calls it
    #[arg(long)]
    pub model: Option<String>,
    /// The agent's working directory (default: the current one)
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// The agent's permission mode, as the agent calls it
    #[arg(long, value_name = "MODE")]
    pub permission_mode: Option<String>,
    /// Resume an earlier session (the agent's own session id)
    #[arg(long, value_name = "ID")]
    pub resume: Option<String>,
    /// Further session options of the agent, as a JSON object
    #[arg(long, value_name = "JSON", value_parser = json_object)]
    pub native: Option<serde_json::Map<String, serde_json::Value>>,
    /// The agent's program: its path, or a command with arguments, such as 'gemini --acp' (default: found by its name)
    #[arg(long, value_name = "COMMAND")]
    pub program: Option<String>,
    /// Be an agent of this protocol on standard input and output, for its clients: `acp` for editors
    #[arg(long, value_name = "TARGET", conflicts_with_all = ["prompt", "resume", "keep", "json"])]
    pub speak: Option<String>,
    /// Continue after the turn, until the command `session.end`
    #[arg(long)]
    pub keep: bool,
    /// Print events as JSON lines, also on a terminal
    #[arg(long)]
    pub json: bool,
    /// The first message to the agent
    #[arg(value_name = "PROMPT")]
    pub prompt: Option<String>,
    /// Options for the agent's program itself
    #[arg(value_name = "ARGS", last = true)]
    pub args: Vec<String>,
}

const REQUEST_HELP: &str = "\
CONVERSATION is JSON, such as

  {\"model\": \"gpt-5\", \"system\": \"Be brief.\", \"max_tokens\": 500, \"messages\": [
    {\"role\": \"user\", \"content\": \"Hello\"}]}

or only the list of messages, with --model. `content` is a text or a list of blocks.
`translate --assemble` prints a model's message in this form. `interlingua schema`
defines it as `ModelRequest`. Each part that the provider does not support, and each
repair that its rules demand, is listed on stderr, one per line.

Examples:
  interlingua request --to openai-chat conversation.json
  interlingua request --to gemini --json conversation.json     path, body and degradations
  interlingua translate --from anthropic-messages --assemble answer.sse
                                       gives an assistant's message to go on with";

/// Options of `request`.
#[derive(Debug, Args)]
pub struct Request {
    /// The provider that gets the request
    #[arg(long, value_name = "PROVIDER", required_unless_present = "map", value_parser = PossibleValuesParser::new(request_takers()))]
    pub to: Option<String>,
    /// Use this term map instead of a bundled one
    #[arg(long, value_name = "FILE", conflicts_with = "to")]
    pub map: Option<PathBuf>,
    /// The schema for --map (default: the file that the map names, relative to the map)
    #[arg(long, value_name = "FILE", requires = "map")]
    pub schema: Option<PathBuf>,
    /// The model, as the provider names it; instead of the conversation's own
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Print {"path", "body", "degradations"} instead of the body alone
    #[arg(long)]
    pub json: bool,
    /// Exit with 1 when a part of the conversation is not supported
    #[arg(long)]
    pub strict: bool,
    /// Indent the JSON
    #[arg(long)]
    pub pretty: bool,
    /// The conversation; `-` is standard input
    #[arg(value_name = "CONVERSATION")]
    pub file: PathBuf,
}

const SCHEMA_HELP: &str = "\
Examples:
  interlingua schema > events.schema.json";

const DETECT_HELP: &str = "\
Prints `FILE: PROVIDER` for each file. If the provider is unknown, prints `FILE: unknown`
and exits with 1; stderr then shows how well each provider fits and what to pass as
--from. A file without a message is `empty`; a file of universal events is `universal`.
If a file cannot be read, the error is reported and the other files are still read.
A dialect that looks like another provider's stream is reported as that provider:
DeepSeek's as openai-chat.

With --map, a map of your own is tried beside the bundled ones, so that you see whether it
recognises its own recordings, and leaves the others alone.

Examples:
  interlingua detect session.jsonl
  interlingua detect --map my.map runs/*.jsonl
  interlingua detect runs/*.jsonl";

/// Options of `detect`.
#[derive(Debug, Args)]
pub struct Detect {
    /// Native recordings; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Also try this term map, in place of a bundled one with the same provider name (repeatable)
    #[arg(long = "map", value_name = "MAP")]
    pub maps: Vec<PathBuf>,
}

/// The names of the bundled providers that take requests, sorted.
pub fn request_takers() -> Vec<&'static str> {
    use interlingua::table::{REQUEST, Table};
    let takes = |table: &&&Table| table.writes.iter().any(|write| write.command == REQUEST);
    interlingua::providers().iter().filter(takes).map(|table| table.provider).collect()
}

/// The names of the bundled providers, sorted.
pub fn provider_names() -> Vec<&'static str> {
    interlingua::providers().iter().map(|table| table.provider).collect()
}

/// The names of the bundled providers whose programs can be driven: their maps say how a session starts.
fn agent_names() -> Vec<&'static str> {
    let drives =
        |table: &&&interlingua::Table| table.writes.iter().any(|rule| rule.command == "session.start");
    interlingua::providers().iter().filter(drives).map(|table| table.provider).collect()
}

fn providers_or_auto() -> PossibleValuesParser {
    PossibleValuesParser::new(["auto"].into_iter().chain(provider_names()))
}

fn json_object(text: &str) -> Result<serde_json::Map<String, serde_json::Value>, String> {
    serde_json::from_str(text).map_err(|error| format!("not a JSON object: {error}"))
}

fn session_id(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("a session id must not be empty".to_string());
    }
    Ok(text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
