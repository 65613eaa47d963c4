//! The pieces that entries are made of: texts, arguments of tools, pictures, and where something comes from.

use interlingua::vocabulary::{ContentBlock, Image};
use maud::{Markup, PreEscaped, html};
use serde_json::Value;

use super::diff;
use super::format::{bytes, clean, count, name};
use super::highlight::Highlighter;
use super::markdown;
use super::members;
use super::store::Store;
use super::trace::Source;

/// The pictures that a browser shows without running anything of them.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// How many bytes of pictures a page holds at most, as base64.
const PICTURE_BUDGET: usize = 2 << 20;

/// Makes pieces, and keeps what is long in the page's store.
pub struct Pieces {
    /// What the page holds compressed.
    pub store: Store,
    highlighter: Highlighter,
    pictures_left: usize,
    /// From how many bytes on a text is long.
    long: usize,
}

impl Pieces {
    /// For a page; a text from `long` bytes on is cut, and stands whole in the store.
    pub fn new(long: usize) -> Self {
        Self {
            store: Store::default(),
            highlighter: Highlighter::default(),
            pictures_left: PICTURE_BUDGET,
            long,
        }
    }

    /// A text with Markdown.
    pub fn markdown(&mut self, text: &str) -> Markup {
        // A message of this length is a pasted file.
        if text.len() > self.long.max(64 << 10) {
            return self.text(text);
        }
        html! { div.md { (markdown::rendered(text, &mut self.highlighter)) } }
    }

    /// A text as it is. Of a long one the beginning and the end, and all of it in the store.
    pub fn text(&mut self, text: &str) -> Markup {
        let text = clean(text);
        if text.len() <= self.long {
            return html! { pre { (text) } };
        }
        let begin = cut(&text, self.long / 2);
        let rest = &text[begin.len()..];
        let end = &rest[floor(rest, rest.len() - self.long / 4)..];
        let hidden = rest.len() - end.len();
        let lines = rest[..hidden].matches('\n').count();
        let number = self.store.text(&text);
        html! {
            div.long data-t=(number) {
                pre { (begin) }
                p.cut {
                    "… " (count(lines as u64)) " lines, " (bytes(hidden)) " … "
                    button.js type="button" { "Show all" }
                }
                pre { (end) }
            }
        }
    }

    /// A diff. One that is too long is a text.
    pub fn diff(&mut self, text: &str) -> Markup {
        if text.len() > self.long { self.text(text) } else { diff::rendered(text) }
    }

    /// The arguments of a tool: each member of an object by its name.
    pub fn arguments(&mut self, arguments: &str) -> Markup {
        if let Some(members) = members::of(arguments).filter(|members| members.len() <= 40) {
            return html! {
                @if !members.is_empty() {
                    dl.args {
                        @for (key, value) in members {
                            div {
                                dt { (name(&key)) }
                                dd { (self.value(&value)) }
                            }
                        }
                    }
                }
            };
        }
        match serde_json::from_str::<Value>(arguments) {
            Ok(value) => self.value(&value),
            Err(_) if arguments.is_empty() => html! {},
            Err(_) => self.text(arguments),
        }
    }

    fn value(&mut self, value: &Value) -> Markup {
        match value {
            Value::String(text) if text.contains('\n') || text.len() > 200 => self.text(text),
            Value::String(text) => html! { code { (clean(text)) } },
            Value::Object(_) | Value::Array(_) => {
                let json = serde_json::to_string_pretty(value).unwrap_or_default();
                self.text(&json)
            }
            other => html! { code { (other) } },
        }
    }

    /// A block that is neither text nor reasoning nor a call.
    pub fn block(&mut self, block: &ContentBlock) -> Markup {
        match block {
            ContentBlock::Text(text) => self.text(&text.text),
            ContentBlock::Image(image) => self.picture(image),
            ContentBlock::ToolResult(result) => html! {
                @for inner in &result.content { (self.block(inner)) }
            },
            ContentBlock::FileChange(change) => html! {
                div.file {
                    p { (change.change) " " code { (name(&change.path)) }
                        @if let Some(from) = &change.from { " from " code { (name(from)) } }
                        @if let Some(diff) = &change.diff {
                            @let (added, removed) = diff::counts(diff);
                            " " span.plus { "+" (added) } " " span.minus { "−" (removed) }
                        }
                    }
                    @if let Some(diff) = &change.diff { (self.diff(diff)) }
                }
            },
            ContentBlock::Plan(plan) => html! {
                ul.plan {
                    @for entry in &plan.entries {
                        @let status = entry.status.as_str();
                        li {
                            (match status {
                                "completed" => "☑",
                                "in-progress" => "▶",
                                "cancelled" => "☒",
                                _ => "☐",
                            })
                            " " span.sr { (name(status)) ": " } (clean(&entry.text))
                            @if let Some(priority) = &entry.priority { " " span.quiet { (name(priority.as_str())) } }
                        }
                    }
                }
            },
            ContentBlock::Json(json) => {
                let value: Value = serde_json::from_str(json.value.get()).unwrap_or_default();
                self.value(&value)
            }
            other => {
                let json = serde_json::to_string_pretty(other).unwrap_or_default();
                self.text(&json)
            }
        }
    }

    fn picture(&mut self, image: &Image) -> Markup {
        let inline = image.uri.as_deref().and_then(|uri| uri.strip_prefix("data:")?.split_once(";base64,"));
        let (mime, data) = match (inline, &image.data) {
            (Some((mime, data)), _) => (mime, data),
            (None, Some(data)) => (image.mime.as_deref().unwrap_or_default(), data.as_str()),
            (None, None) => {
                let uri = image.uri.as_deref().unwrap_or("not recorded");
                return html! { p.quiet { "[picture: " (name(uri)) "]" } };
            }
        };
        let is_base64 = data.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
        let what = || name(if mime.is_empty() { "unknown type" } else { mime });
        let Some(mime) = PICTURES.iter().find(|known| **known == mime).filter(|_| is_base64) else {
            return html! { p.quiet { "[image of a type that is not shown: " (what()) "]" } };
        };
        if data.len() > self.pictures_left {
            return html! { p.quiet { "[image left out: the page would be too large, " (bytes(data.len())) "]" } };
        }
        self.pictures_left -= data.len();
        html! { img loading="lazy" alt="image in the session" src={ "data:" (mime) ";base64," (data) }; }
    }
}

/// Where an entry comes from: its event, and the native lines with their rules.
pub fn source(session: &str, source: &Source) -> Markup {
    if source.first == 0 {
        return html! {};
    }
    html! {
        details.src {
            summary { "source" }
            p { "event " code { (name(session)) ":" (source.first) } }
            ul {
                @for run in source.runs.iter().take(50) {
                    li data-l={ (run.from) "-" (run.to) } {
                        @if run.from == run.to { "line " (run.from) } @else { "lines " (run.from) "–" (run.to) }
                        ", rule " code { (run.rule) }
                    }
                }
                @if source.runs.len() > 50 { li { "and " (source.runs.len() - 50) " more" } }
                @if source.runs.is_empty() { li { "no native line: the translator added it" } }
            }
        }
    }
}

/// What is not known.
pub fn not_recorded() -> Markup {
    PreEscaped("<p class=\"quiet\">not recorded</p>".to_owned())
}

/// The beginning of a text, whole lines where that is possible.
fn cut(text: &str, length: usize) -> &str {
    let begin = &text[..floor(text, length)];
    match begin.rfind('\n') {
        Some(end) if end > length / 2 => &begin[..=end],
        _ => begin,
    }
}

/// The last place up to this one at which a text can be cut.
fn floor(text: &str, place: usize) -> usize {
    (0..=place.min(text.len())).rev().find(|place| text.is_char_boundary(*place)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_and_kept_whole() {
        let text = "a line\n".repeat(100);
        let page = Pieces::new(100).text(&text).into_string();
        assert!(page.len() < 400 && page.contains("data-t=\"1\"") && page.contains("lines"), "{page}");
        assert_eq!(cut("äöü", 3), "ä");
    }

    #[test]
    fn only_pictures_of_known_types_are_shown() {
        let mut pieces = Pieces::new(100);
        let mut show = |mime: &str, data: &str| {
            pieces.block(&Image::from_base64(data).with_mime(mime).into()).into_string()
        };
        assert!(show("image/png", "aGk=").contains("src=\"data:image/png;base64,aGk=\""));
        assert!(!show("image/svg+xml", "aGk=").contains("<img"));
        assert!(!show("image/png", "x\" onerror=\"y").contains("<img"));
    }
}
