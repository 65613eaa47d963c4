//! Markdown of agents and people as HTML. It may hold anything, so no HTML of it passes: raw HTML becomes text, links
//! lead only to the web and to mail, and pictures become links. What is left is written by `pulldown-cmark`, which
//! escapes all texts.

use maud::{Markup, PreEscaped};
use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html,
};

use super::format::clean;
use super::highlight::Highlighter;

/// The text as HTML.
pub fn rendered(text: &str, highlighter: &mut Highlighter) -> Markup {
    let text = clean(text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut safe = Safe { events: Vec::new(), code: None, links: Vec::new(), highlighter };
    Parser::new_ext(&text, options).for_each(|event| safe.take(event));
    let mut page = String::with_capacity(text.len() * 5 / 4);
    html::push_html(&mut page, safe.events.into_iter());
    PreEscaped(page)
}

/// Events of which nothing is dangerous.
struct Safe<'t, 'h> {
    events: Vec<Event<'t>>,
    /// The language and the text of the code block that is open.
    code: Option<(String, String)>,
    /// For each open link, where it leads when that is not a link on the page.
    links: Vec<Option<String>>,
    highlighter: &'h mut Highlighter,
}

impl<'t> Safe<'t, '_> {
    fn take(&mut self, event: Event<'t>) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => info.split([' ', ',', '{']).next().unwrap_or_default(),
                    CodeBlockKind::Indented => "",
                };
                self.code = Some((language.to_owned(), String::new()));
            }
            Event::End(TagEnd::CodeBlock) => {
                let (language, text) = self.code.take().unwrap_or_default();
                let code = self.highlighter.block(&language, &text).into_string();
                self.events.push(Event::Html(code.into()));
            }
            Event::Text(text) if self.code.is_some() => {
                if let Some((_, code)) = &mut self.code {
                    code.push_str(&text);
                }
            }
            Event::Start(Tag::Link { link_type, dest_url, .. }) => self.link(link_type, &dest_url),
            Event::Start(Tag::Image { dest_url, .. }) => {
                self.events.push(Event::Text("[picture: ".into()));
                self.link(LinkType::Inline, &dest_url);
            }
            Event::End(TagEnd::Link) => self.end_link(),
            Event::End(TagEnd::Image) => {
                self.end_link();
                self.events.push(Event::Text("]".into()));
            }
            // Raw HTML is shown as it was written.
            Event::Html(text) | Event::InlineHtml(text) => self.events.push(Event::Text(text)),
            Event::Start(Tag::HtmlBlock) => self.events.push(Event::Start(Tag::Paragraph)),
            Event::End(TagEnd::HtmlBlock) => self.events.push(Event::End(TagEnd::Paragraph)),
            Event::Start(Tag::Heading { level, .. }) => {
                let level = lowered(level);
                self.events.push(Event::Start(Tag::Heading {
                    level,
                    id: None,
                    classes: Vec::new(),
                    attrs: Vec::new(),
                }));
            }
            Event::End(TagEnd::Heading(level)) => {
                self.events.push(Event::End(TagEnd::Heading(lowered(level))));
            }
            // People and agents mean the ends of their lines.
            Event::SoftBreak => self.events.push(Event::HardBreak),
            // A box would have no label.
            Event::TaskListMarker(done) => {
                self.events.push(Event::Text(if done { "☑ " } else { "☐ " }.into()));
            }
            other => self.events.push(other),
        }
    }

    fn link(&mut self, link_type: LinkType, url: &CowStr<'t>) {
        let leads = if link_type == LinkType::Email { format!("mailto:{url}") } else { url.to_string() };
        if is_allowed(&leads) {
            self.events.push(Event::Start(Tag::Link {
                link_type: LinkType::Inline,
                dest_url: leads.into(),
                title: CowStr::Borrowed(""),
                id: CowStr::Borrowed(""),
            }));
            self.links.push(None);
        } else {
            self.links.push(Some(leads));
        }
    }

    fn end_link(&mut self) {
        match self.links.pop() {
            Some(None) => self.events.push(Event::End(TagEnd::Link)),
            Some(Some(leads)) => self.events.push(Event::Text(format!(" ({leads})").into())),
            None => {}
        }
    }
}

/// Whether a page may link there.
pub fn is_allowed(url: &str) -> bool {
    let lower = url.trim_start().to_ascii_lowercase();
    ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme))
}

/// Headings of messages stand below those of the page.
fn lowered(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H4,
        HeadingLevel::H2 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        rendered(text, &mut Highlighter::default()).into_string()
    }

    #[test]
    fn markdown_is_rendered() {
        assert_eq!(html("# A\n*b* `c`"), "<h4>A</h4>\n<p><em>b</em> <code>c</code></p>\n");
        assert!(html("|a|\n|-|\n|b|").contains("<td>b</td>"));
        assert!(html("[x](https://example.com)").contains("<a href=\"https://example.com\">x</a>"));
    }

    #[test]
    fn nothing_that_runs_or_loads_passes() {
        assert_eq!(html("a <b onclick=x>c</b>"), "<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n");
        assert_eq!(html("[x](javascript:alert(1))"), "<p>x (javascript:alert(1))</p>\n");
        assert_eq!(
            html("![x](https://example.com/p.png)"),
            "<p>[picture: <a href=\"https://example.com/p.png\">x</a>]</p>\n"
        );
        assert!(!html("<script>x</script>\n\n<iframe src=y>").contains("<script"));
        assert!(!html("```a\"><img src=x>\n<img src=x>\n```").contains("<img"));
    }
}
