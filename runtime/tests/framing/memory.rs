//! What is copied, what is kept, and for how long.

use hmac_sha256::Hash as Sha256;
use interlingua::framing::{EXCERPT, FrameProblem, Framer, FramingKind};

use super::support::frames;

fn lies_in(part: &[u8], whole: &[u8]) -> bool {
    let (part, whole) = (part.as_ptr_range(), whole.as_ptr_range());
    whole.start <= part.start && part.end <= whole.end
}

#[test]
fn a_message_whole_in_a_slice_is_not_copied_and_a_cut_one_is() {
    let streams = [
        (FramingKind::Lines, "{\"a\":1}\n \x1b[0m{\"b\":2}\r\n{\"c\"", ":3}\n{\"d\":4}\n"),
        (
            FramingKind::Sse,
            "data: {\"a\":1}\n\nid: 7\r\ndata:{\"b\":2}\r\n\r\ndata: {\"c\"",
            ":3}\n\ndata: {\"d\":4}\n\n",
        ),
    ];
    for (kind, head, tail) in streams {
        let mut framer = Framer::new(kind);
        let mut borrowed = Vec::new();
        for slice in [head, tail] {
            framer.push(slice.as_bytes(), |frame| {
                borrowed.push(lies_in(frame.bytes, slice.as_bytes()));
            });
        }
        assert_eq!(borrowed, [true, true, false, true], "{kind:?}");
    }
}

#[test]
fn a_message_is_handed_out_with_the_byte_that_ends_it() {
    let streams = [(FramingKind::Lines, "{}\n{}\n"), (FramingKind::Sse, "data: {}\n\ndata: {}\r\r")];
    for (kind, stream) in streams {
        let mut framer = Framer::new(kind);
        let mut ends = Vec::new();
        for (at, byte) in stream.bytes().enumerate() {
            framer.push(&[byte], |_| ends.push(at + 1));
        }
        let first_end = stream.len() / 2;
        assert_eq!(ends, [first_end, stream.len()], "{kind:?}");
    }
}

#[test]
fn a_message_over_the_limit_shows_its_start_its_length_and_its_hash() {
    let long = b"0123456789".repeat(100_000);
    for (kind, before, after) in
        [(FramingKind::Lines, "", "\r\n{}\n"), (FramingKind::Sse, "data: ", "\n\ndata: {}\n\n")]
    {
        let stream = [before.as_bytes(), &long, after.as_bytes()].concat();
        for size in [1, 1000, 4096, 65_536, stream.len()] {
            let frames = frames(kind, 50_000, stream.chunks(size));
            let sha256 = Sha256::hash(&long);
            assert_eq!(frames[0].problem, Some(FrameProblem::TooLong { sha256 }));
            assert_eq!(frames[0].bytes, long[..EXCERPT]);
            assert_eq!(frames[0].length, long.len() as u64);
            assert_eq!(frames[0].offset, before.len() as u64);
            // What follows is read as usual.
            assert_eq!((frames.len(), &frames[1].bytes[..]), (2, &b"{}"[..]));
        }
    }
}

#[test]
fn a_finished_framer_is_as_new() {
    for (kind, stream) in [
        (FramingKind::Lines, "\u{feff}{}\n{\"a\":\r"),
        (FramingKind::Sse, "\u{feff}id: 1\ndata: {}\n\nevent: x\ndata: {\"a\":\r"),
    ] {
        let mut framer = Framer::new(kind);
        let mut rounds = [Vec::new(), Vec::new()];
        for round in &mut rounds {
            framer.push(stream.as_bytes(), |frame| round.push(format!("{frame:?}")));
            framer.finish(|frame| round.push(format!("{frame:?}")));
        }
        assert_eq!(rounds[0].len(), 2);
        assert_eq!(rounds[0], rounds[1]);
    }
}

#[test]
fn noise_in_quantity_is_read_in_linear_time() {
    // Quadratic reading of a megabyte would take minutes.
    for noise in ["\x1b]", "\x1b[", "\x07", "{", "\x1b]0;{\"\x07", " \x1b[0m"] {
        let line = noise.repeat((1 << 20) / noise.len());
        let stream = format!("{line}{{\"a\":1}}{line}\n");
        assert!(frames(FramingKind::Lines, 1 << 22, [stream.as_bytes()]).len() <= 1);
    }
}
