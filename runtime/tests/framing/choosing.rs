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
fn the_first_bytes_tell_the_kind() {
    let blanks = " ".repeat(5000);
    let streams = [
        ("{\"a\":1}\n{\"b\":2}\n", Lines),
        ("{}\n{}\n", Lines),
        ("\n \u{1b}[0m{\"a\":1}\n", Lines),
        ("daten\n{\"a\":1}\n", Lines),
        ("dat", Sse),
        ("\u{feff}data: {\"a\":1}\n\n", Sse),
        (": hello\n\ndata: {}\n\n", Sse),
        ("\r\nevent: x\r\ndata: {}\r\n\r\n", Sse),
        ("retry\ndata: {}\n\n", Sse),
        ("id:1\ndata: {}\n\n", Sse),
        (" \n[{\"a\":1},{\"b\":2}]\n", Documents),
        ("{ \r\n  \"a\": 1\r\n}\r\n", Documents),
        ("", Sse),
        ("{", Sse),
        (&format!("{blanks}[1]\n"), Sse),
        (&format!("{{{blanks}\n}}\n"), Lines),
    ];
    for (stream, kind) in streams {
        let stream = stream.as_bytes();
        let expected = frames(kind, 1 << 20, [stream]);
        for size in [1, 2, 3, 4096, stream.len().max(1)] {
            let found = chosen(&[Sse, Lines, Documents], stream.chunks(size));
            assert_eq!(found, expected, "{} as {kind:?}, by {size}", stream.escape_ascii());
        }
    }
}

#[test]
fn a_kind_that_is_not_declared_is_not_chosen() {
    let list = b"[{\"a\":1}]\n";
    assert_eq!(chosen(&[Sse, Lines], [&list[..]]), frames(Lines, 1 << 20, [&list[..]]));
    assert_eq!(chosen(&[Lines], [&b"data: 1\n"[..]]), frames(Lines, 1 << 20, [&b"data: 1\n"[..]]));
    assert_eq!(chosen(&[Sse, Documents], [&b"{}\n{}\n"[..]]), frames(Documents, 1 << 20, [&b"{}\n{}\n"[..]]));
}
