//! `cargo xtask drift` on every bundled provider: a schema against itself differs in nothing, and of one from which a
//! variant, a field and an enum's value were removed exactly these three are reported.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use xtask::drift::{Change, What, command, compare, definitions};
use xtask::{maps, repository};

/// What is removed of a provider's schema, from its definitions on.
struct Removed {
    provider: &'static str,
    /// A union, and the definition that is no longer one of its variants.
    variant: [&'static str; 2],
    /// An object, and the member that it no longer has.
    member: [&'static str; 2],
    /// An enum, and the value that it no longer has.
    value: [&'static str; 2],
}

const REMOVED: [Removed; 9] = [
    Removed {
        provider: "amp",
        variant: ["StreamMessage", "ErrorResultMessage"],
        member: ["SystemMessage", "cwd"],
        value: ["MCPConnectionStatus", "denied"],
    },
    Removed {
        provider: "anthropic-messages",
        variant: ["RawContentBlockDelta", "SignatureDelta"],
        member: ["ServerToolUseBlock", "caller"],
        value: ["StopReason", "pause_turn"],
    },
    Removed {
        provider: "claude",
        variant: ["SDKMessage", "SDKRateLimitEvent"],
        member: ["SDKSystemMessage", "permissionMode"],
        value: ["BetaStopReason", "pause_turn"],
    },
    Removed {
        provider: "codex",
        variant: ["ServerNotification", "Thread/realtime/itemAddedNotification"],
        member: ["AgentMessageDeltaNotification", "delta"],
        value: ["TurnStatus", "interrupted"],
    },
    Removed {
        provider: "deepseek-chat",
        variant: ["SseEvent", "ErrorResponse"],
        member: ["CompletionUsage", "prompt_cache_hit_tokens"],
        value: ["ReasoningEffort", "xhigh"],
    },
    Removed {
        provider: "gemini",
        variant: ["SseEvent", "ErrorResponse"],
        member: ["GenerateContentResponse", "modelVersion"],
        value: ["FinishReason", "SAFETY"],
    },
    Removed {
        provider: "openai-chat",
        variant: ["SseEvent", "ErrorResponse"],
        member: ["ChatCompletionChunk", "model"],
        value: ["ReasoningEffort", "xhigh"],
    },
    Removed {
        provider: "openai-responses",
        variant: ["ResponseOutputItem", "ResponseReasoningItem"],
        member: ["ResponseReasoningItem", "encrypted_content"],
        value: ["ResponseStatus", "cancelled"],
    },
    Removed {
        provider: "opencode",
        variant: ["Part", "RetryPart"],
        member: ["StepFinishPart", "cost"],
        value: ["SnapshotFileDiff/properties/status", "added"],
    },
];

/// A bundled provider's schema.
fn schema_file(provider: &str) -> PathBuf {
    let folders = ["agent-schemas", "model-schemas"];
    let files = folders.map(|folder| repository().join(format!("resources/{folder}/{provider}.json")));
    files.into_iter().find(|file| file.is_file()).unwrap_or_else(|| panic!("no schema of `{provider}`"))
}

fn read(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).expect("the schema")).expect("JSON")
}

fn node<'s>(schema: &'s mut Value, place: &str) -> &'s mut Value {
    let pointer = format!("/definitions/{place}");
    schema.pointer_mut(&pointer).unwrap_or_else(|| panic!("the schema has no {pointer}"))
}

impl Removed {
    fn from(&self, schema: &mut Value) {
        let [place, name] = self.variant;
        let union = node(schema, place);
        let key = if union.get("anyOf").is_some() { "anyOf" } else { "oneOf" };
        let variants = union[key].as_array_mut().expect("a union");
        let before = variants.len();
        let names = |one: &Value| {
            let reference = one["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
            reference.or(one["title"].as_str()).is_some_and(|known| known == name)
        };
        variants.retain(|one| !names(one));
        assert_eq!(variants.len() + 1, before, "{place} has one {name}");

        let [place, name] = self.member;
        let object = node(schema, place);
        let members = object["properties"].as_object_mut().expect("members");
        assert!(members.remove(name).is_some(), "{place} has {name}");
        if let Some(required) = object.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|known| known != name);
        }

        let [place, name] = self.value;
        let values = node(schema, place)["enum"].as_array_mut().expect("an enum");
        let before = values.len();
        values.retain(|known| known != name);
        assert_eq!(values.len() + 1, before, "{place} has {name}");
    }

    /// Whether a change is one of the three.
    fn is(&self, change: &Change) -> bool {
        let place = if change.path.is_empty() {
            change.definition.clone()
        } else {
            format!("{}/properties/{}", change.definition, change.path)
        };
        match &change.what {
            // A variant that is written out in its union is a place of its own there.
            What::Removed(_) if change.path.starts_with('(') => change.definition == self.variant[0],
            What::Removed(_) => place == self.member.join("/properties/"),
            What::Retyped(gained, lost) => {
                place == self.variant[0] && gained.is_empty() && *lost == [format!("`{}`", self.variant[1])]
            }
            What::Values(gained, lost) => {
                place == self.value[0] && gained.is_empty() && *lost == [self.value[1]]
            }
            What::Added(_) | What::Renamed(_) => false,
        }
    }
}

/// The lines that tell changes.
fn lines(text: &str) -> Vec<&str> {
    let told = text.split("\nmessage types\n").next().and_then(|told| told.split("\ntouched\n").next());
    let words = ["  removed  ", "  retyped  ", "  values   ", "  renamed  ", "  added    "];
    let is_change = |line: &&str| words.iter().any(|word| line.starts_with(word));
    told.unwrap_or_default().lines().filter(is_change).collect()
}

/// Providers that are compared with themselves alone: ACP writes its variants and enum values without names of their own,
/// and for the others nobody has chosen what to remove yet.
const ONLY_WITH_ITSELF: [&str; 9] = [
    "acp",
    "claude-transcript",
    "codex-rollout",
    "gemini-cli",
    "gemini-cli-session",
    "pi",
    "pi-session",
    "qwen",
    "qwen-session",
];

#[test]
fn every_bundled_provider_is_tried() {
    let removed = REMOVED.iter().map(|removed| removed.provider);
    let mut tried: Vec<&str> = removed.chain(ONLY_WITH_ITSELF).collect();
    tried.sort_unstable();
    assert_eq!(maps::names(&repository()).expect("maps"), tried);
}

#[test]
fn a_schema_against_itself_differs_in_nothing() {
    for provider in REMOVED.iter().map(|removed| removed.provider).chain(ONLY_WITH_ITSELF) {
        let file = schema_file(provider);
        let drift = command(&repository(), &file, &file, &[]).expect("two schemas");
        assert_eq!((drift.text.as_str(), drift.fits), ("no difference", true), "{provider}");
    }
}

#[test]
fn exactly_what_was_removed_is_reported() {
    for removed in &REMOVED {
        let provider = removed.provider;
        let old = schema_file(provider);
        let mut schema = read(&old);
        removed.from(&mut schema);
        let changes = compare(&definitions(&read(&old)), &definitions(&schema));
        let wrong: Vec<&Change> = changes.iter().filter(|change| !removed.is(change)).collect();
        assert!(wrong.is_empty() && changes.len() == 3, "{provider}: {changes:#?}");

        let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{provider}-removed.json"));
        fs::write(&new, schema.to_string()).expect("a file");
        let drift = command(&repository(), &old, &new, &[]).expect("two schemas");
        assert_eq!(lines(&drift.text).len(), 3, "{provider}: each of the three has one line\n{}", drift.text);
        let read = drift.text.split("\nother changes\n").next().unwrap_or_default();
        let [definition, member] = removed.member;
        assert!(
            read.starts_with("changes of what the map reads\n")
                && read.contains(&format!("  removed  `{definition}.{member}`: "))
                && read.contains("      read by "),
            "{provider}: what the map reads is told first, with its rules\n{}",
            drift.text
        );
        assert!(!drift.fits, "{provider}: the map reads `{member}`, so it must change");
    }
}

#[test]
fn many_additions_are_counted_and_listed_on_request() {
    // A version before the present one, in which one definition more was part of another.
    let new = schema_file("opencode");
    let mut schema = read(&new);
    let definitions = schema["definitions"].as_object_mut().expect("definitions");
    let without: Vec<String> = ["Session", "Project"]
        .iter()
        .flat_map(|name| {
            let members = definitions.get_mut(*name).and_then(|node| node["properties"].as_object_mut());
            members
                .map(std::mem::take)
                .into_iter()
                .flatten()
                .map(move |(member, _)| format!("{name}.{member}"))
        })
        .collect();
    assert!(without.len() > 10, "{without:?}");
    let old = Path::new(env!("CARGO_TARGET_TMPDIR")).join("older.json");
    fs::write(&old, schema.to_string()).expect("a file");
    let map = repository().join("resources/term-maps/opencode.map");
    let map = ["--map", map.to_str().expect("a path")];
    let drift = command(&repository(), &old, &new, &map).expect("two schemas");
    let counted = drift.text.lines().find(|line| line.contains(" members ")).expect("a line of members");
    assert!(counted.ends_with(" more") && counted.starts_with(&format!("  {} ", without.len())), "{counted}");
    let all = command(&repository(), &old, &new, &[map[0], map[1], "--all"]).expect("two schemas");
    for member in without {
        assert!(all.text.contains(&format!("\n  added    `{member}`: ")), "{member}\n{}", all.text);
    }
}
