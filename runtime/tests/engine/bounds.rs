//! Memory grows with what is open, not with the stream.

use std::fmt::Write as _;

use interlingua::{Options, Translator, laws};

use super::support::demo;

/// How much the translator remembers after each tenth of a stream of so many steps.
fn remembered(steps: usize, step: impl Fn(usize, &mut String)) -> (Vec<usize>, u64) {
    let mut translator = Translator::new(demo(), Options::new().closed_window(1000));
    let mut lengths = Vec::new();
    let mut text = String::new();
    let mut events = 0;
    for number in 0..steps {
        step(number, &mut text);
        if text.len() > 60_000 || number + 1 == steps {
            events += translator.push(text.as_bytes()).count() as u64;
            text.clear();
        }
        if (number + 1) % (steps / 10) == 0 {
            events += translator.push(text.as_bytes()).count() as u64;
            text.clear();
            lengths.push(translator.state_len());
        }
    }
    (lengths, events)
}

#[test]
fn a_million_events_leave_nothing_behind() {
    let (lengths, events) = remembered(100_000, |number, text| {
        let _ = write!(
            text,
            r#"{{"type":"turn-start","session":"s","turn":"t{number}"}}
{{"type":"open","session":"s","turn":"t{number}","id":"m{number}"}}
{{"type":"piece","session":"s","id":"m{number}","at":0,"delta":"words "}}
{{"type":"piece","session":"s","id":"m{number}","at":0,"delta":"and more"}}
{{"type":"call","session":"s","turn":"t{number}","id":"c{number}","message":"m{number}","tool":"shell","input":{{}}}}
{{"type":"result","session":"s","id":"c{number}","output":"done"}}
{{"type":"close","session":"s","id":"m{number}"}}
{{"type":"turn-end","session":"s","turn":"t{number}","outcome":"completed"}}
"#
        );
    });
    assert!(events >= 1_000_000, "{events}");
    assert_eq!(laws::bounds(&lengths), None);
}

#[test]
fn one_endless_turn_leaves_nothing_behind() {
    let (lengths, _) = remembered(20_000, |number, text| {
        let _ = write!(
            text,
            r#"{{"type":"say","session":"s","id":"m{number}","role":"assistant","content":"text"}}
{{"type":"call","session":"s","id":"c{number}","tool":"delegate","input":{{}}}}
{{"type":"say","session":"s","agent":"c{number}","id":"a{number}","role":"assistant","content":"text"}}
{{"type":"ask","session":"s","id":{number},"call":"c{number}","what":"run"}}
{{"type":"result","session":"s","id":"c{number}","output":"done"}}
{{"type":"notice","session":"s","id":"n{number}","about":"retry"}}
{{"type":"usage","session":"s","key":"m{number}","input":1}}
"#
        );
    });
    assert_eq!(laws::bounds(&lengths), None);
}
