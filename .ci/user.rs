//! A user's program against the packages: it translates what an agent printed and prints the events.

use interlingua::vocabulary::EventBody;
use interlingua::{Options, Translator};

fn main() {
    let line = b"{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}\n";
    let provider = interlingua::detect(line).expect("a known agent");
    let mut translator = Translator::new(provider, Options::default());
    let mut events: Vec<_> = translator.push(line).collect();
    events.extend(translator.finish());
    assert!(matches!(events[0].body, EventBody::SessionStarted(_)));
    for event in events {
        println!("{}", serde_json::to_string(&event).expect("an event is JSON"));
    }
}
