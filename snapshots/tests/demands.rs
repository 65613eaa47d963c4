//! Conversations that break what the providers of models demand of a request, each with what goes out instead and what
//! is told of it. A stream is an answer of OpenAI Responses, which is assembled and goes on.

#[path = "../../runtime/tests/support/request_rules.rs"]
mod request_rules;

use std::fs;
use std::path::Path;

use interlingua::Writer;
use interlingua::model::{ModelStream, Options};
use interlingua::vocabulary::{Message, ModelRequest};
use serde_json::Value;

const PROVIDERS: [&str; 5] =
    ["anthropic-messages", "deepseek-chat", "gemini", "openai-chat", "openai-responses"];

fn request(path: &Path) -> ModelRequest {
    let bytes = fs::read(path).expect("a file");
    if path.extension().is_some_and(|extension| extension == "json") {
        let case: Value = serde_json::from_slice(&bytes).expect("JSON");
        assert!(case["about"].is_string(), "what the conversation shows");
        return serde_json::from_str(&case["request"].to_string()).expect("a request");
    }
    let mut stream =
        ModelStream::new(interlingua::provider("openai-responses").expect("bundled"), Options::default());
    stream.push(&bytes).for_each(drop);
    stream.finish().for_each(drop);
    let mut request = ModelRequest::new("m-1").with_max_tokens(100);
    request.messages = vec![Message::user("u1", "Go."), stream.message(), Message::user("u2", "y")];
    request
}

#[test]
fn requests_are_repaired_to_what_their_providers_demand() {
    insta::glob!("../demands", "*.{json,sse}", |path| {
        let request = request(path);
        let mut text = String::new();
        for provider in PROVIDERS {
            let writer = Writer::new(interlingua::provider(provider).expect("bundled"));
            let written = writer.request(&request).expect("a body");
            let body: Value = serde_json::from_str(written.body.get()).expect("JSON");
            let broken = request_rules::broken(provider, &body);
            assert!(broken.is_empty(), "{provider}: {}", broken.join("\n"));
            text.push_str(&format!("{provider}\n"));
            let messages = ["messages", "input", "contents"].iter().find_map(|key| body[*key].as_array());
            for message in messages.expect("a conversation") {
                text.push_str(&format!("  {message}\n"));
            }
            for one in written.degradations {
                text.push_str(&format!("  degraded: {} [{}] {}\n", one.what, one.at, one.reason));
            }
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../demands");
        settings.set_prepend_module_to_snapshot(false);
        settings.remove_snapshot_suffix();
        settings.set_omit_expression(true);
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        settings.bind(|| insta::assert_snapshot!(name, text));
    });
}
