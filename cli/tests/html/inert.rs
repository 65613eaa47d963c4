//! What a page may hold: a list of elements and attributes, with their values. Everything else is a hole.

use std::io::Read;

use base64::Engine as _;
use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

const SCRIPT: &str = include_str!("../../src/html/assets/page.js");
const STYLE: &str = include_str!("../../src/html/assets/page.css");

const ELEMENTS: &str = "html head meta title style body a main footer script header section nav details summary div span \
    p pre code kbd strong em del mark blockquote ul ol li dl dt dd table thead tbody tr th td hr br h1 h2 h3 h4 h5 h6 \
    article figure figcaption time img button input label fieldset legend noscript \
    svg g rect text line polyline";

const ATTRIBUTES: &str = "id class lang charset content name tabindex type for autocomplete role hidden open checked \
    scope datetime alt loading start align \
    viewBox preserveAspectRatio x y x1 x2 y1 y2 width height points";

/// Whether a page holds only what it may; the first thing that it may not.
pub fn check(page: &str) -> Result<(), String> {
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(page);
    let mut scripts = 0;
    let mut parts = Vec::new();
    let mut open = vec![dom.document.clone()];
    while let Some(node) = open.pop() {
        open.extend(node.children.borrow().iter().cloned());
        if let NodeData::Element { name, attrs, template_contents, .. } = &node.data {
            let name = name.local.to_string();
            if !ELEMENTS.split_whitespace().any(|known| known == name) || template_contents.borrow().is_some()
            {
                return Err(format!("element <{name}>"));
            }
            let attributes: Vec<(String, String)> = attrs
                .borrow()
                .iter()
                .map(|attr| (attr.name.local.to_string(), attr.value.to_string()))
                .collect();
            for (attribute, value) in &attributes {
                attribute_fits(&name, attribute, value)?;
            }
            let has = |wanted: (&str, &str)| {
                attributes.iter().any(|(key, value)| (key.as_str(), value.as_str()) == wanted)
            };
            match name.as_str() {
                "script" if has(("type", "text/plain")) && has(("data-k", "p")) => {
                    parts.extend(inflated(&text(&node)));
                }
                "script" if has(("type", "text/plain")) => {}
                "script" if text(&node) == SCRIPT => scripts += 1,
                "style" if text(&node) == STYLE => {}
                "script" | "style" => return Err(format!("a <{name}> of somebody else")),
                _ => {}
            }
        }
    }
    if scripts > 1 {
        return Err("the script stands in it twice".to_owned());
    }
    parts.iter().try_for_each(|part| check(part))
}

fn attribute_fits(element: &str, attribute: &str, value: &str) -> Result<(), String> {
    let is_plain =
        |value: &str| value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_ ".contains(&byte));
    let fits = match attribute {
        "href" => {
            let lower = value.to_ascii_lowercase();
            let is_page = element == "a" && value.ends_with(".html") && !value.contains([':', '/', '\\']);
            ["#", "https://", "http://", "mailto:"].iter().any(|begin| lower.starts_with(begin)) || is_page
        }
        "src" => {
            let picture = value.strip_prefix("data:image/").and_then(|rest| rest.split_once(";base64,"));
            element == "img"
                && picture.is_some_and(|(kind, _)| ["png", "jpeg", "gif", "webp"].contains(&kind))
        }
        "http-equiv" => value == "Content-Security-Policy",
        "id" | "class" | "for" => is_plain(value),
        "type" => ["checkbox", "search", "button", "text/plain"].contains(&value),
        _ if attribute.starts_with("aria-") => true,
        _ if attribute.starts_with("data-") => is_plain(value),
        _ => ATTRIBUTES.split_whitespace().any(|known| known.eq_ignore_ascii_case(attribute)),
    };
    if fits { Ok(()) } else { Err(format!("<{element} {attribute}={value:?}>")) }
}

fn text(node: &Handle) -> String {
    let children = node.children.borrow();
    let texts = children.iter().filter_map(|child| match &child.data {
        NodeData::Text { contents } => Some(contents.borrow().to_string()),
        _ => None,
    });
    texts.collect()
}

/// The entries of a pack.
pub fn inflated(pack: &str) -> Vec<String> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(pack.trim()).expect("base64");
    let mut all = Vec::new();
    flate2::read::DeflateDecoder::new(bytes.as_slice()).read_to_end(&mut all).expect("deflate");
    let all = String::from_utf8(all).expect("UTF-8");
    let entries = all.split_terminator('\u{1e}');
    entries.map(|entry| entry.split_once('\u{1f}').expect("a number and a text").1.to_owned()).collect()
}

#[test]
fn a_hole_is_found() {
    for hole in [
        "<img src=x>",
        "<p onclick=x>",
        "<a href='javascript:x'>",
        "<a href=' javascript:x'>",
        "<script>x</script>",
        "<style>x</style>",
        "<iframe>",
        "<base href=x>",
        "<meta http-equiv=refresh content=0>",
        "<svg><a href='data:text/html,x'>",
        "<svg><use href='#x'>",
        "<p style='x'>",
        "<img src='data:image/svg+xml;base64,x'>",
    ] {
        assert!(check(hole).is_err(), "{hole}");
    }
    assert_eq!(check("<!DOCTYPE html><p class=x>a<img src='data:image/png;base64,x' alt=''>"), Ok(()));
}
