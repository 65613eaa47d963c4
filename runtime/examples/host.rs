//! What a host shows of an agent, whichever it is: text as it is typed, tool calls with their results, permission
//! requests, and what it cost.
//!
//! `cargo run -p interlingua --example host < resources/captures/claude/2.1.332/04-bash/stdout.jsonl`

use std::io::{self, Write};

use interlingua::transcript::Fold;
use interlingua::vocabulary::{Channel, EventBody};
use interlingua::{EventReader, Options};

fn main() -> io::Result<()> {
    let mut fold = Fold::new();
    for event in EventReader::detect(io::stdin().lock(), Options::default())? {
        let event = event?;
        match &event.body {
            EventBody::ItemDelta(delta) if delta.channel == Channel::Text => print!("{}", delta.delta),
            EventBody::PermissionRequested(asked) => println!("\n[permission for {}?]", asked.action.name),
            EventBody::Error(error) => println!("\n[error: {}]", error.message),
            _ => {}
        }
        io::stdout().flush()?;
        fold.push(event);
    }
    for session in &fold.transcript().sessions {
        for call in session.calls() {
            let name = call.item.call().map_or("?", |call| call.name.as_str());
            println!("\n{name}: {} {}", call.item.status, call.output().unwrap_or_default());
        }
    }
    let cost = fold.transcript().usage().and_then(|usage| usage.cost);
    println!(
        "cost: {}",
        cost.map_or("unknown".to_owned(), |cost| format!("{:.4} {}", cost.amount, cost.currency))
    );
    Ok(())
}
