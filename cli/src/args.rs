//! The command line: its commands, options and help.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};

const AFTER_HELP: &str = "\
Examples:
  interlingua translate session.jsonl              what an agent said, as universal events
  claude -p hi --output-format stream-json --verbose | interlingua translate
  interlingua translate session.jsonl | interlingua check
  interlingua transcript --markdown session.jsonl  what it amounts to, to read
  interlingua explain session.jsonl --line 12      why line 12 became what it became
  interlingua terms codex                          the mapping table of a provider
  interlingua run --agent claude 'fix the tests'   drive an agent, whichever it is

Exit codes:
  0  fine
  1  findings: `check` found a broken law, `translate --strict` a message that it
     could not parse, `detect` a stream of no agent that it knows; `run` saw a turn
     that was not completed, or could not give a command
  2  wrong usage
  3  input or output failed: a file, a map that is not right, a stream to translate
     of which nobody knows the agent
With several files all are looked at, whatever is wrong with one of them, and the
highest code counts. An input without a single message is fine: nothing comes of it,
and `detect` calls it empty.";

/// Translates the output of coding agents into one universal stream of events, and the streams
/// of language models into one protocol of chunks.
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
    /// Show what a stream amounts to: its sessions with their turns, items and totals.
    #[command(after_help = crate::transcript::HELP)]
    Transcript(crate::transcript::Transcript),
    /// Count turns, tools, errors, tokens, cost, time and changed files of sessions.
    #[command(after_help = crate::stats::HELP)]
    Stats(crate::stats::Stats),
    /// Check a universal stream against the laws of the vocabulary.
    #[command(after_help = CHECK_HELP)]
    Check(Check),
    /// Show which rule of which map made which events of which native line.
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
    /// Tell which agent wrote a stream.
    #[command(after_help = DETECT_HELP)]
    Detect(Detect),
}

const TRANSLATE_HELP: &str = "\
Events are written as they arrive: from a pipe, each message's events are flushed
before the next message is awaited. Several FILEs are several streams, with the
sessions s1, s2, … in the order of the files (further sessions within one stream
are called s1-2, s1-3, …), so that their events never collide. A FILE that cannot be
read is told, and the others are translated. An empty one gives nothing, which is fine.

How many messages could not be parsed, such as a last line that was cut off, is told on
stderr; the exit code is 1 only with --strict.

The stream of a language model, as its provider sends it over the wire, becomes
chunks instead: block-start, text-delta, …, block-end, usage and finish. With
--assemble only the finished message is written, to go on with; an answer that was
cut off, has failed, or ended otherwise than by its own end or a tool call (the
length allowed, a refusal, …) is told on stderr, with exit code 1.

Examples:
  interlingua translate session.jsonl
  interlingua translate --from anthropic-messages answer.sse
  interlingua translate --assemble answer.sse > message.json
  codex exec --json 'fix the tests' | interlingua translate --from codex
  interlingua translate stdout.jsonl --host stdin.jsonl
  interlingua translate --stats stats.json --strict runs/*.jsonl > events.jsonl
  interlingua translate --map mine.map --schema mine.json session.jsonl

--stats writes {\"messages\", \"translated\", \"silent\", \"ignored\": {reason: count},
\"unparsed\", \"bytes\", \"events\": {type: count}}; `silent` messages gave no event and
count within `translated`; messages = translated + ignored + unparsed, always.
Of models' streams there is \"answers\" besides: chunks by type, what came late,
what was left out, and the first problems in words. With --host there is \"host\":
its messages, those that were read as commands, HTTP requests that the agent refused,
and broken lines.";

/// Options of `translate`.
#[derive(Debug, Args)]
pub struct Translate {
    #[command(flatten)]
    pub source: Source,
    /// Name the stream's first session (default: s1; only with one FILE)
    #[arg(long, value_name = "ID", value_parser = session_id)]
    pub session_id: Option<String>,
    /// What the host has sent, as recorded beside FILE (only with one FILE): its input as lines, or
    /// its HTTP requests as objects with `method`, `path` and `body`. Then the events say what it
    /// decided and said
    #[arg(long, value_name = "FILE")]
    pub host: Option<PathBuf>,
    /// Put the exact native bytes into each event, as `native.raw`
    #[arg(long)]
    pub raw: bool,
    /// Write the statistics of the translation to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub stats: Option<PathBuf>,
    /// Exit with 1 when a message could not be parsed
    #[arg(long)]
    pub strict: bool,
    /// Write the message that the stream of a model makes up, instead of its chunks
    #[arg(long, conflicts_with_all = ["raw", "session_id"])]
    pub assemble: bool,
    /// Indent the JSON of the events, for people
    #[arg(long)]
    pub pretty: bool,
    /// The recordings to translate; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// Where a stream's map comes from.
#[derive(Debug, Args)]
pub struct Source {
    /// The agent or the model's provider that wrote the stream; `auto` finds out from the first messages
    #[arg(long, value_name = "PROVIDER", default_value = "auto", value_parser = providers_or_auto())]
    pub from: String,
    /// Use this term map instead of a bundled one
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    pub map: Option<PathBuf>,
    /// The schema for --map (default: the one that the map names, beside it)
    #[arg(long, value_name = "FILE", requires = "map")]
    pub schema: Option<PathBuf>,
}

const CHECK_HELP: &str = "\
Prints one line per broken law, `FILE:LINE: …`, and exits with 1 when there is one.
A FILE that cannot be read is told, and the others are checked. In an empty one no law
is broken. The chunks of a model's answer are checked against their protocol.

Examples:
  interlingua check events.jsonl
  interlingua translate session.jsonl | interlingua check";

/// Options of `check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Universal streams; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

const EXPLAIN_HELP: &str = "\
Without --line and --event, every message of the stream is shown with one line per
event. With one of them, the message is shown whole, with the rule as the map has it
and the events as JSON. Of the stream of a model the chunks are shown, which have no ids.
Of an empty stream nothing is shown.

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
    /// Show only the message that gave this event, by its event_id
    #[arg(long, value_name = "ID", conflicts_with = "line")]
    pub event: Option<String>,
    /// The native recording; `-` is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

const TERMS_HELP: &str = "\
Examples:
  interlingua terms                 each universal term, and what the providers call it
  interlingua terms claude          one provider's messages, and what they become
  interlingua terms codex --commands  what it can be told: the commands and fields that it
                                    honours, and those that are impossible, with the reason
  interlingua terms --language      every universal term that a map can use";

/// Options of `terms`.
#[derive(Debug, Args)]
pub struct Terms {
    /// Print the reference of the map language: all terms with their fields
    #[arg(long, conflicts_with = "provider")]
    pub language: bool,
    /// Print what the provider can be told instead of what it says
    #[arg(long, requires = "provider")]
    pub commands: bool,
    /// The provider whose rules are printed; without it, all providers side by side
    #[arg(value_name = "PROVIDER", value_parser = PossibleValuesParser::new(provider_names()))]
    pub provider: Option<String>,
}

const RUN_HELP: &str = "\
Starts the agent's program and speaks its protocol. On a terminal you see what the agent
does, and are asked when it requests permission or has a question; any other line that
you type is sent to the agent. Ctrl-C interrupts the running turn; a second one ends the
run.

From a program, standard input takes universal commands and standard output gives
universal events, one JSON object a line (`interlingua schema` has both):
  {\"type\":\"message.send\",\"content\":\"Go on\"}
  {\"type\":\"permission.reply\",\"permission_id\":ID,\"outcome\":\"allow-once\"}
  {\"type\":\"question.reply\",\"question_id\":ID,\"answers\":[[\"Red\"]]}
  {\"type\":\"turn.interrupt\"}
A command for another session than the first one names it in `session_id`. When
standard input has ended, nobody can answer any more: requests are rejected then.
The run ends when every message has had its turn and no more commands can come; --keep
continues until the command `session.end`. It also ends when the agent refuses to start
the session, and when nobody reads standard output. A message that gets no turn, such as
a slash command, counts as handled when the agent has been silent for 30 seconds. However
the run ends, the agent and every process that it has started end with it.

Examples:
  interlingua run --agent claude \"What does this project do?\"
  interlingua run --agent codex --model gpt-5 --cwd ../demo
  interlingua run --agent claude \"Hello\" -- --max-turns 3     options of the agent itself
  interlingua run --agent amp \"List the files\" < /dev/null | interlingua check

Exit codes: 0 the last turn was completed; 1 it was not, or a command could not be
given; 2 wrong usage, such as an option that this agent does not have; 3 the agent's
program is missing, has crashed or cannot be reached; 128 + N ended by signal N.";

/// Options of `run`.
#[derive(Debug, Args)]
pub struct Run {
    /// The agent to drive
    #[arg(long, value_name = "PROVIDER", value_parser = PossibleValuesParser::new(agent_names()), required_unless_present = "map")]
    pub agent: Option<String>,
    /// Use this term map instead of a bundled one
    #[arg(long, value_name = "FILE", conflicts_with = "agent")]
    pub map: Option<PathBuf>,
    /// The schema for --map (default: the one that the map names, beside it)
    #[arg(long, value_name = "FILE", requires = "map")]
    pub schema: Option<PathBuf>,
    /// The model, as the agent calls it
    #[arg(long)]
    pub model: Option<String>,
    /// The folder in which the agent works (default: this one)
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// What the agent may do without asking, as the agent calls it
    #[arg(long, value_name = "MODE")]
    pub permission_mode: Option<String>,
    /// Go on with an earlier session, by the agent's own id of it
    #[arg(long, value_name = "ID")]
    pub resume: Option<String>,
    /// The agent's own options of a session, as a JSON object
    #[arg(long, value_name = "JSON", value_parser = json_object)]
    pub native: Option<serde_json::Map<String, serde_json::Value>>,
    /// The agent's program, when it is not found by its name
    #[arg(long, value_name = "PATH")]
    pub program: Option<PathBuf>,
    /// Go on after the turn, until the command `session.end` comes
    #[arg(long)]
    pub keep: bool,
    /// Print events as JSON lines on a terminal, too
    #[arg(long)]
    pub json: bool,
    /// What the agent is told first
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
`translate --assemble` gives a model's message in this form; all of it is in
`interlingua schema`, as `ModelRequest`. Each part that the provider cannot be told as
it is, and each repair that it demands, is one line on stderr.

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
    /// The schema for --map (default: the one that the map names, beside it)
    #[arg(long, value_name = "FILE", requires = "map")]
    pub schema: Option<PathBuf>,
    /// The model, as the provider names it; instead of the conversation's own
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Print {"path", "body", "degradations"} instead of the body alone
    #[arg(long)]
    pub json: bool,
    /// Exit with 1 when something could not be said as it is
    #[arg(long)]
    pub strict: bool,
    /// Indent the JSON, for people
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
Prints `FILE: PROVIDER` for each file, or `FILE: unknown` and exits with 1; standard
error then shows how well each provider fits, and what to pass as --from. A file
without a message is `FILE: empty`, and a translation is `FILE: universal`, which is
fine. If a file cannot be read, an error is shown, and the others are read.
A dialect that looks like another provider's stream is told as that one: DeepSeek's
as openai-chat.

Examples:
  interlingua detect session.jsonl
  interlingua detect runs/*.jsonl";

/// Options of `detect`.
#[derive(Debug, Args)]
pub struct Detect {
    /// Native recordings; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
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
