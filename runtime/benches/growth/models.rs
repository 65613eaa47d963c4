//! Streams of language models.

use interlingua::model::{ModelStream, Options};

use crate::Probe;

/// An answer of so many native messages.
fn answer(provider: &str, length: usize, message: fn(usize, usize) -> String) {
    let table = interlingua::provider(provider).expect("a bundled provider");
    let mut stream = ModelStream::new(table, Options::default());
    for number in 0..length {
        stream.push_message(message(number, length).as_bytes()).for_each(drop);
    }
    stream.finish().for_each(drop);
    assert!(!stream.message().content.is_empty());
    assert_eq!(stream.stats().unparsed, 0);
}

fn chat(choice: &str) -> String {
    format!(r#"{{"object":"chat.completion.chunk","id":"a","choices":[{{"index":0,"delta":{choice}}}]}}"#)
}

fn finish(reason: &str) -> String {
    format!(
        r#"{{"object":"chat.completion.chunk","choices":[{{"index":0,"delta":{{}},"finish_reason":"{reason}"}}]}}"#
    )
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
        answer("openai-chat", length, |n, length| match n + 1 < length {
            true => chat(&format!(
                r#"{{"tool_calls":[{{"index":{n},"id":"c{n}","function":{{"name":"f","arguments":"{{}}"}}}}]}}"#
            )),
            false => finish("tool_calls"),
        })
    }),
    ("arguments that come with the call's name each time", |length| {
        answer("openai-chat", length, |n, length| match n + 1 < length {
            true => {
                let start = if n == 0 { r#"{\"a\":\""# } else { "" };
                chat(&format!(
                    r#"{{"tool_calls":[{{"function":{{"name":"f","arguments":"{start}text}}"}}}}]}}"#
                ))
            }
            false => finish("tool_calls"),
        })
    }),
];
