//! What the provider's own library makes of a recording, in the form for comparison.

use serde_json::Value;

use super::answer::{Answer, image_of, other, parsed, plain, reasoning, text, tool_call, tool_result};
use super::intended::{finish, usage};

/// The file `expected.json`, unless the library gave up.
pub fn expected(provider: &str, file: &Value) -> Result<Answer, String> {
    if let Some(error) = file["sdk_error"].as_str() {
        return Err(error.to_owned());
    }
    let mut answer = Answer::default();
    match provider {
        "anthropic-messages" => anthropic(&mut answer, file),
        "openai-chat" | "deepseek-chat" => chat(&mut answer, provider, file),
        "openai-responses" => responses(&mut answer, file),
        "gemini" => gemini(&mut answer, file),
        other => panic!("no provider {other}"),
    }
    Ok(answer)
}

fn string<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value[name].as_str()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A list, unless it is empty or absent.
fn notes(value: &Value) -> Option<Value> {
    value.as_array().filter(|list| !list.is_empty()).map(|_| value.clone())
}

fn anthropic(answer: &mut Answer, file: &Value) {
    for block in list(&file["content"]) {
        let id = string(block, "id");
        let name = string(block, "name").unwrap_or_default();
        match string(block, "type").unwrap_or_default() {
            "text" => answer.add(text(string(block, "text").unwrap_or_default(), notes(&block["citations"]))),
            "thinking" => answer.add(reasoning(
                string(block, "thinking").unwrap_or_default(),
                string(block, "signature").filter(|signature| !signature.is_empty()),
                false,
            )),
            "redacted_thinking" => answer.add(reasoning("", string(block, "data"), true)),
            "tool_use" => answer.add(tool_call(id, name, &plain(block["input"].clone()), false)),
            "server_tool_use" => answer.add(tool_call(id, name, &plain(block["input"].clone()), true)),
            kind if kind.ends_with("_tool_result") => {
                let content = match &block["content"] {
                    Value::Array(all) => all.clone(),
                    one => vec![one.clone()],
                };
                let is_error = !block["content"]["error_code"].is_null();
                answer.add(tool_result(string(block, "tool_use_id").unwrap_or_default(), content, is_error));
            }
            _ => answer.add(other(block.clone())),
        }
    }
    let native = string(file, "stop_reason");
    answer.finish = native.map(|native| finish("anthropic-messages", native, answer));
    usage(answer, "anthropic-messages", &file["usage"]);
}

fn chat(answer: &mut Answer, provider: &str, file: &Value) {
    let choice = &file["choices"][0];
    let message = &choice["message"];
    for field in ["reasoning_content", "reasoning", "content", "refusal"] {
        let Some(said) = string(message, field).filter(|said| !said.is_empty()) else { continue };
        answer.add(match field {
            "content" | "refusal" => text(said, None),
            _ => reasoning(said, None, false),
        });
    }
    for call in list(&message["tool_calls"])
        .chain([&message["function_call"]].into_iter().filter(|call| call.is_object()))
    {
        let function = if call["function"].is_object() { &call["function"] } else { call };
        let arguments = string(function, "arguments").unwrap_or_default();
        let name = string(function, "name").unwrap_or_default();
        answer.add(tool_call(string(call, "id"), name, &parsed(arguments), false));
    }
    let native = string(choice, "finish_reason");
    answer.finish = native.map(|native| match string(message, "refusal") {
        Some(_) if native == "stop" => "refusal".to_owned(),
        _ => finish(provider, native, answer),
    });
    usage(answer, provider, &file["usage"]);
}

fn responses(answer: &mut Answer, file: &Value) {
    let mut refused = false;
    for item in list(&file["output"]) {
        match string(item, "type").unwrap_or_default() {
            "message" => {
                for part in list(&item["content"]) {
                    match string(part, "type").unwrap_or_default() {
                        "output_text" => {
                            answer.add(text(
                                string(part, "text").unwrap_or_default(),
                                notes(&part["annotations"]),
                            ));
                        }
                        "refusal" => {
                            refused = true;
                            answer.add(text(string(part, "refusal").unwrap_or_default(), None));
                        }
                        _ => answer.add(other(part.clone())),
                    }
                }
            }
            "reasoning" => {
                let mut parts: Vec<&str> =
                    list(&item["summary"]).filter_map(|part| string(part, "text")).collect();
                parts.extend(list(&item["content"]).filter_map(|part| string(part, "text")));
                let hidden = parts.is_empty();
                if hidden {
                    parts.push("");
                }
                for (place, part) in parts.into_iter().enumerate() {
                    let signature = string(item, "encrypted_content").filter(|_| place == 0);
                    answer.add(reasoning(part, signature, hidden));
                }
            }
            "function_call" => {
                let (id, name) = (string(item, "call_id"), string(item, "name").unwrap_or_default());
                answer.add(tool_call(
                    id,
                    name,
                    &parsed(string(item, "arguments").unwrap_or_default()),
                    false,
                ));
            }
            "custom_tool_call" => {
                let (id, name) = (string(item, "call_id"), string(item, "name").unwrap_or_default());
                answer.add(tool_call(id, name, &parsed(string(item, "input").unwrap_or_default()), false));
            }
            "web_search_call" => {
                answer.add(tool_call(string(item, "id"), "web_search", &item["action"], true))
            }
            "mcp_call" => {
                let (id, name) = (string(item, "id"), string(item, "name").unwrap_or_default());
                answer.add(tool_call(id, name, &parsed(string(item, "arguments").unwrap_or_default()), true));
                let output = vec![item["output"].clone()];
                answer.add(tool_result(id.unwrap_or_default(), output, !item["error"].is_null()));
            }
            "image_generation_call" => answer.add(image_of(string(item, "result"))),
            _ => answer.add(other(item.clone())),
        }
    }
    let native = match (string(file, "status"), string(&file["incomplete_details"], "reason")) {
        (Some("incomplete"), Some(reason)) => format!("incomplete:{reason}"),
        (status, _) => status.unwrap_or_default().to_owned(),
    };
    answer.finish = Some(match native.as_str() {
        "completed" if refused => "refusal".to_owned(),
        // Where nothing says how it ended, the library keeps the state of the start.
        "in_progress" => "aborted".to_owned(),
        native => finish("openai-responses", native, answer),
    });
    usage(answer, "openai-responses", &file["usage"]);
}

fn gemini(answer: &mut Answer, file: &Value) {
    let mut native = None;
    for chunk in list(file) {
        let candidate = &chunk["candidates"][0];
        for part in list(&candidate["content"]["parts"]) {
            if let Some(said) = string(part, "text") {
                if !said.is_empty() {
                    answer.add(match part["thought"] == true {
                        true => reasoning(said, None, false),
                        false => text(said, None),
                    });
                }
            } else if part["functionCall"].is_object() {
                let call = &part["functionCall"];
                let arguments = if call["args"].is_null() { parsed("") } else { plain(call["args"].clone()) };
                answer.add(tool_call(
                    string(call, "id"),
                    string(call, "name").unwrap_or_default(),
                    &arguments,
                    false,
                ));
            } else if part["inlineData"].is_object() {
                answer.add(image_of(string(&part["inlineData"], "data")));
            } else {
                answer.add(other(part.clone()));
            }
        }
        native = string(candidate, "finishReason").or(native);
        if let Some(blocked) = string(&chunk["promptFeedback"], "blockReason") {
            answer.finish = Some(finish("gemini", &format!("blocked:{blocked}"), answer));
        }
        usage(answer, "gemini", &chunk["usageMetadata"]);
    }
    if let Some(native) = native {
        answer.finish = Some(finish("gemini", native, answer));
    }
    answer.finish.get_or_insert_with(|| "aborted".to_owned());
}
