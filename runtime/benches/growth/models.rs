//! Streams of language models, and the assembler of their blocks.

use interlingua::model::{ModelStream, Options};
use interlingua::vocabulary::{BlockAssembler, StreamChunk};

use crate::Probe;

/// An answer of so many native messages.
fn answer(provider: &str, length: usize, message: fn(usize, usize) -> String) {
    let table = interlingua::provider(provider).expect("a bundled provider");
    let mut stream = ModelStream::new(table, Options::default());
    let mut chunks = 0;
    for number in 0..length {
        chunks += stream.event(message(number, length).as_bytes()).count();
    }
    chunks += stream.finish().count();
    assert!(chunks > length / 2, "{chunks} chunks of {length} messages");
    assert_eq!(stream.stats().unparsed, 0);
}

fn chat(choice: &str) -> String {
    format!(r#"{{"object":"chat.completion.chunk","id":"a","choices":[{{"index":0,"delta":{choice}}}]}}"#)
}

pub(crate) const PROBES: &[Probe] = &[
    ("deltas of an answer", |length| {
        answer("openai-chat", length, |n, _| chat(&format!(r#"{{"content":"word {n} "}}"#)))
    }),
    ("open calls of an answer, in turn", |length| {
        answer("openai-chat", length, |n, length| {
            let index = n % (length / 4);
            chat(&format!(
                r#"{{"tool_calls":[{{"index":{index},"id":"c{index}","function":{{"name":"f","arguments":" "}}}}]}}"#
            ))
        })
    }),
    ("calls of an answer that end in their order", |length| {
        answer("openai-chat", length, |n, length| {
            match n + 1 < length {
            true => chat(&format!(
                r#"{{"tool_calls":[{{"index":{n},"id":"c{n}","function":{{"name":"f","arguments":"{{}}"}}}}]}}"#
            )),
            false => r#"{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#
                .to_owned(),
        }
        })
    }),
    ("arguments that come with the call's name each time", |length| {
        answer("openai-chat", length, |n, _| {
            let start = if n == 0 { r#"{\"a\":\""# } else { "" };
            chat(&format!(r#"{{"tool_calls":[{{"function":{{"name":"f","arguments":"{start}text}}"}}}}]}}"#))
        })
    }),
    ("blocks that begin with the last one", |length| {
        let mut assembler = BlockAssembler::new();
        for index in (0..length as u32).rev() {
            assembler.push(StreamChunk::TextDelta { index, text: "text".to_owned() });
        }
        assert_eq!(assembler.len(), length);
    }),
];
