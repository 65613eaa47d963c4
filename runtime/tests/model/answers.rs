//! Several answers in one stream.

use std::fs;
use std::path::{Path, PathBuf};

use interlingua::Table;
use interlingua::model::{Answered, Answers, ModelStream, Options};
use interlingua::table::Layer;
use interlingua::vocabulary::{ContentBlock, FinishReason, Message, StreamChunk};

/// The answers of a stream: of each its chunks and its message.
fn answers<'a>(
    table: &'static Table,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<(Vec<StreamChunk>, Message)> {
    let (mut all, mut chunks) = (Vec::new(), Vec::new());
    let mut take = |number, answered| match answered {
        Answered::Chunk(chunk) => chunks.push(chunk),
        Answered::Over(stream) => {
            all.push((std::mem::take(&mut chunks), stream.message()));
            assert_eq!(number, all.len() as u64);
        }
        _ => {}
    };
    let mut answers = Answers::new(table, Options::default());
    for piece in pieces {
        answers.push(piece, &mut take);
    }
    answers.finish(&mut take);
    all
}

fn single(table: &'static Table, bytes: &[u8]) -> ModelStream {
    let mut stream = ModelStream::new(table, Options::default());
    stream.push(bytes).for_each(drop);
    stream.finish().for_each(drop);
    stream
}

fn recordings(table: &Table) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources/captures").join(table.provider);
    let inside = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
    };
    let scenarios = inside(&root).iter().flat_map(|version| inside(version)).collect::<Vec<_>>();
    let mut files: Vec<PathBuf> = scenarios.iter().map(|scenario| scenario.join("events.sse")).collect();
    files.retain(|file| file.is_file());
    files.sort();
    files
}

/// The recordings of one answer: whoever asks for several candidates gets several answers.
fn recordings_of_one(table: &'static Table) -> Vec<PathBuf> {
    let mut files = recordings(table);
    files.retain(|file| {
        let stats = single(table, &fs::read(file).expect("a recording")).stats();
        !stats.left_out.contains_key("other candidate")
    });
    files
}

#[test]
fn two_recordings_in_one_file_are_two_answers() {
    for table in interlingua::providers().iter().filter(|table| table.layer == Layer::Model) {
        let texts: Vec<Vec<u8>> =
            recordings_of_one(table).iter().map(|file| fs::read(file).expect("a recording")).collect();
        let whole: Vec<(&Vec<u8>, Message)> = texts
            .iter()
            .map(|text| (text, single(table, text)))
            .filter(|(_, stream)| {
                !matches!(stream.finish_reason(), None | Some(FinishReason::Aborted | FinishReason::Error(_)))
            })
            .map(|(text, stream)| (text, stream.message()))
            .collect();
        let mut pairs = 0;
        for pair in whole.windows(2) {
            let [(one, first), (other, second)] = pair else { continue };
            // An answer without an id cannot be told from more of the one before, and one that says nothing is none.
            let tells = |message: &Message| message.id.as_str() != "m1" && !message.content.is_empty();
            if !tells(first) || !tells(second) {
                continue;
            }
            pairs += 1;
            // The recordings share their ids, which answers of a real service do not.
            let other = String::from_utf8_lossy(other).replace(second.id.as_str(), "another-id");
            let second = single(table, other.as_bytes()).message();
            let both = [&one[..], b"\n\n", other.as_bytes()].concat();
            let found: Vec<Message> =
                answers(table, [&both[..]]).into_iter().map(|(_, message)| message).collect();
            assert_eq!(found, [first.clone(), second], "{}", table.provider);
        }
        assert!(pairs > 0, "{}: no two recordings with ids of their own", table.provider);
    }
}

#[test]
fn a_recording_is_one_answer() {
    for table in interlingua::providers().iter().filter(|table| table.layer == Layer::Model) {
        for file in recordings_of_one(table) {
            let text = fs::read(&file).expect("a recording");
            let found = answers(table, [&text[..]]);
            assert_eq!(found.len(), 1, "{}", file.display());
            assert_eq!(found[0].1, single(table, &text).message(), "{}", file.display());
            assert!(answers(table, text.chunks(7)) == found, "{}, by 7 bytes", file.display());
        }
    }
}

#[test]
fn whole_answers_in_a_list_are_answers() {
    let chat = interlingua::provider("openai-chat").expect("a bundled provider");
    let body = |id: &str, text: &str| {
        format!(
            r#"{{"id":"{id}","object":"chat.completion","choices":[{{"index":0,"message":{{"role":"assistant","content":"{text}"}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":1,"completion_tokens":1}}}}"#
        )
    };
    let list = format!("[{},{},{}]", body("a", "one"), body("b", "two"), body("c", "three"));
    let ids: Vec<String> =
        answers(chat, [list.as_bytes()]).iter().map(|(_, message)| message.id.to_string()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    let lines = [body("a", "one"), body("b", "two")].join("\n");
    assert_eq!(answers(chat, [lines.as_bytes()]).len(), 2);
}

#[test]
fn what_follows_on_an_end_may_still_be_the_same_answer() {
    let chat = interlingua::provider("openai-chat").expect("a bundled provider");
    let chunk = |id: &str, rest: &str| format!("data: {{\"id\":\"{id}\",{rest}}}\n\n");
    let said = |text: &str, finish: &str| {
        format!(
            "\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":{finish}}}]"
        )
    };
    let usage = "\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}";
    // Each chunk has an id of its own, and the counts come behind the reason.
    let rotating =
        [chunk("1", &said("Hi", "null")), chunk("2", &said("!", "\"stop\"")), chunk("3", usage)].concat();
    let found = answers(chat, [rotating.as_bytes()]);
    assert_eq!(found.len(), 1);
    assert!(found[0].0.iter().any(|chunk| matches!(chunk, StreamChunk::Usage { .. })));
    // The same id again, and the end marker twice.
    let again = [chunk("1", &said("Hi", "\"stop\"")), "data: [DONE]\n\ndata: [DONE]\n\n".to_owned()].concat();
    assert_eq!(answers(chat, [again.as_bytes(), again.as_bytes()]).len(), 1);
    // No id at all: the end marker alone parts the two.
    let nameless = again.replace("\"id\":\"1\",", "");
    assert_eq!(answers(chat, [nameless.as_bytes(), nameless.as_bytes()]).len(), 2);
}

/// The texts and the names of the calls of each answer, with the reason of its end.
fn told(table: &'static Table, bytes: &[u8]) -> Vec<(String, Option<FinishReason>, u64)> {
    let mut all = Vec::new();
    let mut take = |number, answered| {
        if let Answered::Over(stream) = answered {
            let words: Vec<String> = stream
                .message()
                .content
                .iter()
                .map(|block| match block {
                    ContentBlock::Text(text) => text.text.clone(),
                    ContentBlock::ToolCall(call) => format!("{}({})", call.name, call.arguments),
                    other => format!("{other:?}"),
                })
                .collect();
            assert_eq!(number, all.len() as u64 + 1);
            assert_eq!(stream.stats().left_out.get("other candidate"), None);
            all.push((words.join(" "), stream.finish_reason().cloned(), stream.stats().messages));
        }
    };
    let mut answers = Answers::new(table, Options::default());
    answers.push(bytes, &mut take);
    answers.finish(&mut take);
    all
}

#[test]
fn each_candidate_is_an_answer_of_its_own() {
    let table = interlingua::provider("openai-chat").expect("a bundled provider");
    let file = recordings(table).into_iter().find(|file| file.to_string_lossy().contains("two-choices"));
    let bytes = fs::read(file.expect("the recording of two choices")).expect("a recording");
    let told = told(table, &bytes);
    let words: Vec<&str> = told.iter().map(|(words, ..)| words.as_str()).collect();
    assert_eq!(words, ["Aa", "Bb"]);
    assert_eq!(told[0].1, Some(FinishReason::Stop));
    assert_eq!(told[1].1, Some(FinishReason::MaxTokens));
    assert!(told[0].2 > 0 && told[1].2 == 0, "messages count once: {told:?}");

    // One stream by itself reads the first, and says what it leaves out.
    let first = single(table, &bytes);
    assert!(first.stats().left_out["other candidate"] > 0);
    let mut second = ModelStream::new(table, Options::default().candidate(1));
    second.push(&bytes).for_each(drop);
    second.finish().for_each(drop);
    assert_eq!(second.finish_reason(), Some(&FinishReason::MaxTokens));
    assert!(second.usage().is_empty(), "the counts are of both");
}

#[test]
fn candidates_with_calls_and_the_answer_behind_them_keep_apart() {
    let table = interlingua::provider("openai-chat").expect("a bundled provider");
    let call = |index: u32, id: &str| {
        format!(
            r#"data: {{"id":"c1","choices":[{{"index":{index},"delta":{{"tool_calls":[{{"index":0,"id":"{id}","function":{{"name":"f{index}","arguments":"{{\"n\":{index}}}"}}}}]}},"finish_reason":"tool_calls"}}]}}"#
        )
    };
    let next =
        r#"data: {"id":"c2","choices":[{"index":0,"delta":{"content":"Next"},"finish_reason":"stop"}]}"#;
    let text = [call(0, "a"), call(2, "b"), "data: [DONE]".into(), next.into(), "data: [DONE]\n\n".into()];
    let told = told(table, text.join("\n\n").as_bytes());
    let words: Vec<&str> = told.iter().map(|(words, ..)| words.as_str()).collect();
    assert_eq!(words, [r#"f0({"n":0})"#, r#"f2({"n":2})"#, "Next"]);

    let table = interlingua::provider("gemini").expect("a bundled provider");
    let text = r#"data: {"candidates":[{"content":{"parts":[{"text":"A"}],"role":"model"},"finishReason":"STOP"},{"index":1,"content":{"parts":[{"text":"B"}],"role":"model"},"finishReason":"MAX_TOKENS"}],"responseId":"r"}

"#;
    let told = self::told(table, text.as_bytes());
    let words: Vec<&str> = told.iter().map(|(words, ..)| words.as_str()).collect();
    assert_eq!(words, ["A", "B"]);
}
