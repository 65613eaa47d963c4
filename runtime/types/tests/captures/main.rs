//! Every line of every bundled recording decodes into the variant that its
//! tags name, and encodes back without losing a field that the schema knows;
//! so does every bundled body of a request to a model.
//!
//! The schema as published (with its additions, before normalising) is the
//! judge, so that the types are not checked against themselves. What a
//! recording breaks on purpose stands in `tests/exceptions`, and an exception
//! that is none any more fails the test too.

mod compare;
mod models;
mod providers;
mod report;

use std::fs;
use std::path::{Path, PathBuf};

use interlingua_codegen::schema::{self, Schema};
use serde_json::Value;

use report::Report;

#[test]
fn claude() {
    let mut report = Report::new("claude");
    providers::claude(&mut report);
    report.finish(4_300);
}

#[test]
fn codex() {
    let mut report = Report::new("codex");
    providers::codex(&mut report);
    report.finish(2_800);
}

#[test]
fn opencode() {
    let mut report = Report::new("opencode");
    providers::opencode(&mut report);
    report.finish(3_500);
}

#[test]
fn amp() {
    let mut report = Report::new("amp");
    providers::amp(&mut report);
    report.finish(120);
}

#[test]
fn acp() {
    let mut report = Report::new("acp");
    providers::acp(&mut report);
    report.finish(260);
}

#[test]
fn pi() {
    let mut report = Report::new("pi");
    providers::pi(&mut report);
    report.finish(300);
}

#[test]
fn qwen() {
    let mut report = Report::new("qwen");
    providers::each_line::<interlingua_types::qwen::QwenStdout>(&mut report, "stdout.jsonl", "QwenStdout");
    providers::each_line::<interlingua_types::qwen::QwenStdin>(&mut report, "stdin.jsonl", "QwenStdin");
    report.finish(100);
}

#[test]
fn gemini_cli() {
    let mut report = Report::new("gemini-cli");
    providers::each_line::<interlingua_types::gemini_cli::JsonStreamEvent>(
        &mut report,
        "stdout.jsonl",
        "JsonStreamEvent",
    );
    report.finish(50);
}

#[test]
fn claude_transcript() {
    let mut report = Report::new("claude-transcript");
    providers::each_line::<interlingua_types::claude_transcript::ClaudeLine>(
        &mut report,
        "session.jsonl",
        "ClaudeLine",
    );
    report.finish(100);
}

#[test]
fn codex_rollout() {
    let mut report = Report::new("codex-rollout");
    providers::each_line::<interlingua_types::codex_rollout::RolloutLine>(
        &mut report,
        "session.jsonl",
        "RolloutLine",
    );
    report.finish(100);
}

#[test]
fn gemini_cli_session() {
    let mut report = Report::new("gemini-cli-session");
    providers::gemini_cli_session(&mut report);
    report.finish(50);
}

#[test]
fn pi_session() {
    let mut report = Report::new("pi-session");
    providers::each_line::<interlingua_types::pi_session::FileEntry>(
        &mut report,
        "session.jsonl",
        "FileEntry",
    );
    report.finish(50);
}

#[test]
fn qwen_session() {
    let mut report = Report::new("qwen-session");
    providers::each_line::<interlingua_types::qwen_session::QwenLine>(
        &mut report,
        "session.jsonl",
        "QwenLine",
    );
    report.finish(50);
}

#[test]
fn anthropic_messages() {
    use interlingua_types::anthropic_messages as types;
    let mut report = Report::new("anthropic-messages");
    models::stream(&mut report, Report::message::<types::SseEvent>);
    models::failures::<types::ErrorResponse>(&mut report);
    models::requests::<types::MessageCreateParamsStreaming>(&mut report, "MessageCreateParamsStreaming");
    report.further_lines::<types::ToolUnion>("ToolUnion");
    report.finish(380);
}

#[test]
fn openai_chat() {
    use interlingua_types::openai_chat as types;
    let mut report = Report::new("openai-chat");
    models::stream(&mut report, Report::message::<types::SseEvent>);
    models::failures::<types::ErrorResponse>(&mut report);
    let request = "ChatCompletionCreateParamsStreaming";
    models::requests::<types::ChatCompletionCreateParamsStreaming>(&mut report, request);
    report.finish(190);
}

#[test]
fn openai_responses() {
    use interlingua_types::openai_responses as types;
    let mut report = Report::new("openai-responses");
    models::stream(&mut report, Report::message::<types::SseEvent>);
    models::failures::<types::ErrorResponse>(&mut report);
    models::requests::<types::ResponseCreateParamsStreaming>(&mut report, "ResponseCreateParamsStreaming");
    report.further_lines::<types::ResponseInputItem>("ResponseInputItem");
    report.finish(440);
}

#[test]
fn deepseek_chat() {
    use interlingua_types::deepseek_chat as types;
    let mut report = Report::new("deepseek-chat");
    models::stream(&mut report, Report::message::<types::SseEvent>);
    models::failures::<types::ErrorResponse>(&mut report);
    let request = "ChatCompletionCreateParamsStreaming";
    models::requests::<types::ChatCompletionCreateParamsStreaming>(&mut report, request);
    report.finish(140);
}

#[test]
fn gemini() {
    use interlingua_types::gemini as types;
    let mut report = Report::new("gemini");
    models::stream(&mut report, Report::single::<types::SseEvent>);
    models::failures::<types::ErrorResponse>(&mut report);
    models::requests::<types::GenerateContentRequest>(&mut report, "GenerateContentRequest");
    report.finish(100);
}

/// The repository's root.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The schema of a provider, with its additions.
fn schema_of(provider: &str) -> Schema {
    let folders =
        ["resources/agent-schemas", "resources/model-schemas"].map(|folder| repository().join(folder));
    let of_provider = |folder: &&PathBuf| folder.join(format!("{provider}.json")).exists();
    let folder = folders.iter().find(of_provider).unwrap_or_else(|| panic!("{provider} has no schema"));
    let schema = read(&folder.join(format!("{provider}.json")));
    let additions = read(&folder.join(format!("additions/{provider}.json")));
    schema::load(&schema, &additions).unwrap_or_else(|error| panic!("{provider}: {error}"))
}

/// The folders of a provider's recordings, sorted.
fn recordings(provider: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for version in folders(&repository().join("resources/captures").join(provider)) {
        found.extend(folders(&version));
    }
    found
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).unwrap_or_else(|error| panic!("{}: {error}", parent.display()));
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.expect("readable").path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of a file that are JSON, with their numbers; none when the
/// recording has no such file. Lines that are no JSON are broken on purpose,
/// and what the framing has to deal with.
fn lines(path: &Path) -> Vec<(usize, Value)> {
    let bytes = fs::read(path).unwrap_or_default();
    let mut found = Vec::new();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if let Ok(value) = interlingua_types::read_json(line) {
            found.push((index + 1, value));
        }
    }
    found
}
