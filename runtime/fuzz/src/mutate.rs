//! Changes that bytes changed at random hardly ever make: of whole lines, and of whole JSON values.

/// A small generator of numbers, from the seed that the fuzzer gives.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Values that few programs expect.
const ODD: &[&[u8]] = &[
    b"null", b"true", b"[]", b"{}", b"\"\"", b"0", b"-1", b"1e999", b"-0.0", b"18446744073709551616", b"0.1",
    b"[null]", b"[[]]", b"{\"type\":\"x\"}", b"\"\\ud800\"", b"\"\\udc00\"", b"\"\\u0000\"", b"[{\"type\":\"new\"}]",
];

/// Drops, doubles, swaps or moves lines of the first `size` bytes of `data`, or puts one JSON value in the place of
/// another. Gives the new size.
pub fn lines_and_values(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut numbers = Numbers(u64::from(seed) << 1 | 1);
    let text = data[..size].to_vec();
    let changed = if numbers.below(2) == 0 { lines(&text, &mut numbers) } else { values(&text, &mut numbers) };
    let size = changed.len().min(max_size).min(data.len());
    data[..size].copy_from_slice(&changed[..size]);
    size
}

fn lines(text: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let (one, two) = (numbers.below(lines.len()), numbers.below(lines.len()));
    if one < lines.len() {
        match numbers.below(4) {
            0 => drop(lines.remove(one)),
            1 => lines.insert(two, lines[one]),
            2 => lines.swap(one, two),
            _ => {
                let line = lines.remove(one);
                lines.insert(two.min(lines.len()), line);
            }
        }
    }
    lines.concat()
}

/// Puts a value of the text, or an odd one, in the place of another.
fn values(text: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let spans = spans(text);
    if spans.is_empty() {
        return lines(text, numbers);
    }
    let target = spans[numbers.below(spans.len())];
    let source = spans[numbers.below(spans.len())];
    let new = match numbers.below(3) {
        0 => ODD[numbers.below(ODD.len())],
        _ => &text[source.0..source.1],
    };
    [&text[..target.0], new, &text[target.1..]].concat()
}

/// Where texts and numbers stand: from, and up to.
fn spans(text: &[u8]) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let start = at;
        match text[at] {
            b'"' => {
                at += 1;
                while at < text.len() && text[at] != b'"' && text[at] != b'\n' {
                    at += if text[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(text.len());
                spans.push((start, at));
            }
            b'0'..=b'9' | b'-' => {
                while at < text.len() && matches!(text[at], b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') {
                    at += 1;
                }
                spans.push((start, at));
            }
            _ => at += 1,
        }
    }
    spans
}
