//! Any bytes, cut anywhere, give the same frames, which lie inside the stream and in its order.
#![no_main]

use interlingua::framing::{Framer, FramingKind};
use libfuzzer_sys::fuzz_target;

const KINDS: [&[FramingKind]; 5] = [
    &[FramingKind::Lines],
    &[FramingKind::Sse],
    &[FramingKind::Documents],
    &[FramingKind::Sse, FramingKind::Lines, FramingKind::Documents],
    &[FramingKind::Lines, FramingKind::Documents],
];

/// Everything that frames say, and what they hold.
fn frames(kinds: &[FramingKind], limit: usize, stream: &[u8], slice: usize) -> Vec<String> {
    let mut framer = Framer::choosing(kinds, limit);
    let mut frames = Vec::new();
    let mut end = 0;
    let mut keep = |frame: interlingua::framing::Frame<'_>| {
        assert!(frame.offset >= end, "a frame begins before the last one did");
        end = frame.offset;
        assert!(frame.offset + frame.length <= stream.len() as u64 + 1, "a frame is longer than the stream");
        frames.push(format!("{frame:?}"));
    };
    for piece in stream.chunks(slice) {
        framer.push(piece, &mut keep);
    }
    framer.finish(&mut keep);
    frames
}

fuzz_target!(|input: &[u8]| {
    let [kinds, limit, slice, stream @ ..] = input else { return };
    let kinds = KINDS[usize::from(*kinds) % KINDS.len()];
    let limit = 1 + usize::from(*limit) * 16;
    let whole = frames(kinds, limit, stream, stream.len().max(1));
    for slice in [1, 1 + usize::from(*slice)] {
        assert_eq!(whole, frames(kinds, limit, stream, slice), "slices of {slice} bytes");
    }
});
