//! A stream's first bytes tell what kind it is of, however they are cut.

use interlingua::framing::{Frame, Framer, FramingKind};

use super::support::{Owned, frames};
use FramingKind::{Documents, Lines, Sse};

fn chosen<'a>(kinds: &[FramingKind], slices: impl IntoIterator<Item = &'a [u8]>) -> Vec<Owned> {
    let mut framer = Framer::choosing(kinds, 1 << 20);
    let mut out = Vec::new();
    let mut keep = |frame: Frame<'_>| out.push(frame.into());
    for slice in slices {
        framer.push(slice, &mut keep);
    }
    framer.finish(&mut keep);
    out
}

#[test]
fn the_first_lines_tell_the_kind() {
    let blanks = " ".repeat(5000);
    let noise = "npm warn deprecated a@1\n".repeat(4000);
    let streams = [
        ("{\"a\":1}\n{\"b\":2}\n", Lines),
        ("{}\n{}\n", Lines),
        ("\n \u{1b}[0m{\"a\":1}\n", Lines),
        ("daten\n{\"a\":1}\n", Lines),
        ("dat", Lines),
        ("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"a\":1}\n\n", Sse),
        ("error: {\"code\":400}\n\ndata: [DONE]\n\n", Sse),
        ("50%\r100%\rdata: {}\n\n", Sse),
        ("HTTP/2 400\nnel: {\"a\":1}\n\n{\n  \"error\": {}\n}\n", Documents),
        ("$ agent --json\n\u{1b}[32mstarted\u{1b}[0m\n{\"a\":1}\n", Lines),
        ("[12:00:01] [info] started\n[\n  {\"a\":1},\n]\n", Documents),
        ("[info] {\"a\":1}\n[info] {\"a\":2}\n", Lines),
        ("npm warn {deprecated}\n\u{1b}[0m[{\"a\":1}, {\"b\":2},]", Documents),
        (&format!("{noise}data: {{}}\n\n"), Lines),
        ("\u{feff}data: {\"a\":1}\n\n", Sse),
        (": hello\n\ndata: {}\n\n", Sse),
        ("\r\nevent: x\r\ndata: {}\r\n\r\n", Sse),
        ("retry\ndata: {}\n\n", Sse),
        ("id:1\ndata: {}\n\n", Sse),
        (" \n[{\"a\":1},{\"b\":2}]\n", Documents),
        ("{ \r\n  \"a\": 1\r\n}\r\n", Documents),
        ("", Sse),
        ("{", Lines),
        (&format!("{blanks}[1]\n"), Lines),
        (&format!("{{{blanks}\n}}\n"), Lines),
    ];
    for (stream, kind) in streams {
        let stream = stream.as_bytes();
        let expected = frames(kind, 1 << 20, [stream]);
        for size in [1, 2, 3, 4096, stream.len().max(1)] {
            let found = chosen(&[Sse, Lines, Documents], stream.chunks(size));
            let shown = stream[..stream.len().min(200)].escape_ascii();
            assert_eq!(found, expected, "{shown} as {kind:?}, by {size}");
        }
    }
}

#[test]
fn a_kind_that_is_not_declared_is_not_chosen() {
    let list = b"[{\"a\":1}]\n";
    assert_eq!(chosen(&[Sse, Lines], [&list[..]]), frames(Lines, 1 << 20, [&list[..]]));
    assert_eq!(chosen(&[Lines], [&b"data: 1\n"[..]]), frames(Lines, 1 << 20, [&b"data: 1\n"[..]]));
    // Noise in a stream of lines is handed out before anything else has come.
    assert_eq!(chosen(&[Lines, Documents], [&b"warning\n"[..]]), frames(Lines, 1 << 20, [&b"warning\n"[..]]));
    assert_eq!(chosen(&[Sse, Documents], [&b"{}\n{}\n"[..]]), frames(Documents, 1 << 20, [&b"{}\n{}\n"[..]]));
}

#[test]
fn noise_before_lines_is_handed_out_as_it_comes() {
    let mut framer = Framer::choosing(&[Lines, Documents], 1 << 20);
    let mut count = 0;
    framer.push(b"npm warn a\nnpm warn b\n", |_| count += 1);
    assert_eq!(count, 2);
    framer.push(b"[{},{}]", |_| count += 1);
    assert_eq!(count, 4);
}
