//! What no rule reads is counted, and the counts stay few whatever a stream holds.

use interlingua::model::{ModelStream, Options};

#[test]
fn names_without_end_are_counted_together() {
    let table = interlingua::provider("openai-chat").expect("a bundled provider");
    let mut stream = ModelStream::new(table, Options::default().count_unread(true));
    for number in 0..1000 {
        let name = "x".repeat(1000);
        let message = format!(r#"{{"object":"chat.completion.chunk","choices":[],"{name}{number}":1}}"#);
        stream.push_message(message.as_bytes()).for_each(drop);
    }
    let unread = stream.stats().unread;
    assert!(unread.len() < 300, "{} places", unread.len());
    assert!(unread.keys().all(|place| place.len() < 200), "a place is long");
    assert_eq!(unread.values().sum::<u64>(), 1000);
    assert!(unread["others"] > 0);
}
