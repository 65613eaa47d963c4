//! Requests to language models: what each provider's map writes means the same as the body that the provider's own
//! client library makes, and is valid against the provider's schema. What a request loses is in one snapshot.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use interlingua::model::{self, ModelStream};
use interlingua::vocabulary::{ContentBlock, Message, ModelRequest};
use interlingua::{Writer, WrittenRequest};
use serde_json::{Value, json};

#[path = "../../runtime/tests/support/request_rules.rs"]
mod request_rules;

fn resources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources")
}

/// All requests: the scenario, the provider and the file.
fn requests() -> Vec<(String, String, PathBuf)> {
    let mut found = Vec::new();
    let scenarios = fs::read_dir(resources().join("model-requests")).expect("the folder of requests");
    for scenario in scenarios.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()) {
        for file in fs::read_dir(&scenario).expect("a scenario") {
            let file = file.expect("an entry").path();
            let name = file.file_name().expect("a name").to_string_lossy().into_owned();
            if let Some(provider) = name.strip_suffix(".request.json") {
                let scenario = scenario.file_name().expect("a name").to_string_lossy().into_owned();
                found.push((scenario, provider.to_owned(), file.clone()));
            }
        }
    }
    found.sort();
    found
}

fn write(provider: &str, request: &ModelRequest) -> WrittenRequest {
    let table = interlingua::provider(provider).unwrap_or_else(|| panic!("no provider `{provider}`"));
    Writer::new(table).request(request).unwrap_or_else(|error| panic!("{provider}: {error}"))
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Numbers are compared by value, and `null` is a value of its own.
fn same(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => one.as_f64() == two.as_f64(),
        (Value::Array(one), Value::Array(two)) => {
            one.len() == two.len() && one.iter().zip(two).all(|(one, two)| same(one, two))
        }
        (Value::Object(one), Value::Object(two)) => {
            one.len() == two.len()
                && one.iter().all(|(key, value)| two.get(key).is_some_and(|other| same(value, other)))
        }
        _ => one == two,
    }
}

#[test]
fn bodies_mean_what_the_providers_own_libraries_write() {
    let requests = requests();
    assert!(requests.len() >= 100, "only {} requests were found", requests.len());
    let mut wrong = Vec::new();
    let mut lost = String::new();
    for (scenario, provider, file) in requests {
        let written = write(&provider, &read(&file));
        let body: Value = serde_json::from_str(written.body.get()).expect("JSON");
        let expected: Value = read(&file.with_file_name(format!("{provider}.body.json")));
        if !same(&body, &expected) {
            wrong.push(format!("{scenario} {provider}:\n  wrote    {body}\n  expected {expected}"));
        }
        for one in written.degradations {
            lost.push_str(&format!("{scenario} {provider}: {} [{}] {}\n", one.what, one.at, one.reason));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../requests");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("degradations", lost));
}

#[test]
fn bodies_are_valid_against_the_providers_schemas_and_meet_their_demands() {
    let mut validators = BTreeMap::new();
    for (scenario, provider, file) in requests() {
        let validator = validators.entry(provider.clone()).or_insert_with(|| validator(&provider));
        let written = write(&provider, &read(&file));
        let body: Value = serde_json::from_str(written.body.get()).expect("JSON");
        let faults: Vec<String> =
            validator.iter_errors(&body).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(faults.is_empty(), "{scenario} {provider}:\n{}", faults.join("\n"));
        let broken = request_rules::broken(&provider, &body);
        assert!(broken.is_empty(), "{scenario} {provider}:\n{}", broken.join("\n"));
    }
}

/// The schema's own definition of a request, which its root names.
fn validator(provider: &str) -> jsonschema::Validator {
    let schema: Value = read(&resources().join(format!("model-schemas/{provider}.json")));
    let root = schema["$ref"].as_str().and_then(|root| root.rsplit('/').next()).expect("a root definition");
    let request = schema["definitions"][root]["properties"]["request"].clone();
    assert!(request.is_object(), "{provider}: the root definition has no `request`");
    let request = json!({ "allOf": [request], "definitions": schema["definitions"] });
    jsonschema::draft7::new(&request).expect("a schema")
}

/// An assistant's answer, as the provider's own map puts it together from its stream.
fn answer(provider: &str, path: &Path) -> Message {
    let table = interlingua::provider(provider).unwrap_or_else(|| panic!("no provider `{provider}`"));
    let mut stream = ModelStream::new(table, model::Options::default());
    let bytes = fs::read(path).expect("a recording");
    stream.push(&bytes).for_each(drop);
    stream.finish().for_each(drop);
    stream.message()
}

/// The recordings whose answers hold something that differs between providers.
const KINDS: [&str; 10] = [
    "custom",
    "image",
    "mcp",
    "parallel-tool",
    "reasoning",
    "redacted",
    "refusal",
    "server",
    "text-tool",
    "web",
];

/// What one provider's model has said goes to every provider: such an answer, followed by a word of the user.
#[test]
fn the_answer_of_each_provider_goes_to_every_other() {
    let providers = ["anthropic-messages", "deepseek-chat", "gemini", "openai-chat", "openai-responses"];
    let validators: BTreeMap<_, _> = providers.iter().map(|name| (*name, validator(name))).collect();
    insta::glob!("../../resources/captures", "*/authored/*/events.sse", |path| {
        let folders: Vec<String> = path
            .ancestors()
            .skip(1)
            .take(3)
            .map(|folder| folder.file_name().expect("a name").to_string_lossy().into_owned())
            .collect();
        let [scenario, _, from] = &folders[..] else { panic!("a recording lies three folders deep") };
        if !KINDS.iter().any(|kind| scenario.starts_with(kind)) {
            return;
        }
        let answer = answer(from, path);
        let results = answer.content.iter().filter_map(|block| match block {
            ContentBlock::ToolCall(call) if !call.hosted => {
                let content = vec![ContentBlock::text("done")];
                Some(ContentBlock::tool_result(call.call_id.clone(), content))
            }
            _ => None,
        });
        let mut reply = Message::user("u2", "Go on.");
        reply.content.splice(0..0, results.collect::<Vec<_>>());
        let mut request = ModelRequest::new("m-1").with_max_tokens(100);
        request.messages = vec![Message::user("u1", "Begin."), answer, reply];
        let mut text = String::new();
        for to in providers {
            let written = write(to, &request);
            let body: Value = serde_json::from_str(written.body.get()).expect("JSON");
            let faults: Vec<String> = validators[to]
                .iter_errors(&body)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert!(faults.is_empty(), "{from}/{scenario} to {to}:\n{}\n{body}", faults.join("\n"));
            let broken = request_rules::broken(to, &body);
            assert!(broken.is_empty(), "{from}/{scenario} to {to}:\n{}\n{body}", broken.join("\n"));
            let conversation = ["messages", "input", "contents"].iter().find_map(|key| body.get(key));
            text.push_str(&format!(
                "{to} POST {}\n  {}\n",
                written.path,
                conversation.expect("a conversation")
            ));
            for one in written.degradations {
                text.push_str(&format!("  lost: {} [{}] {}\n", one.what, one.at, one.reason));
            }
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../requests");
        settings.set_prepend_module_to_snapshot(false);
        settings.remove_snapshot_suffix();
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(format!("{from}__{scenario}"), text));
    });
}
