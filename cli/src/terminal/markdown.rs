//! Markdown for a terminal.

use anstyle::Style;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use textwrap::{WrapAlgorithm, wrap};

use super::style::{CODE, HEADING, QUIET};
use crate::output;

/// The lines of a text, at most so many columns wide.
pub fn lines(text: &str, columns: Option<usize>) -> Vec<String> {
    let text = output::text(text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut page = Page { columns, ..Page::default() };
    Parser::new_ext(&text, options).for_each(|event| page.take(event));
    page.flush();
    while page.lines.last().is_some_and(String::is_empty) {
        page.lines.pop();
    }
    page.lines
}

#[derive(Default)]
struct Page {
    columns: Option<usize>,
    lines: Vec<String>,
    /// What stands before each line: quotation marks and the indentation of lists.
    prefix: Vec<String>,
    /// The sign of a list's entry, which stands before its first line only.
    sign: Option<String>,
    /// The numbers of the open lists.
    lists: Vec<Option<u64>>,
    /// The text that is not on a line yet.
    text: String,
    /// The open styles.
    styles: Vec<Style>,
    /// Where the open links lead.
    links: Vec<String>,
    in_code: bool,
    /// The rows of the open table.
    table: Option<Vec<Vec<String>>>,
}

impl Page {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.in_code => self.text.push_str(&text),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text.push_str(&text),
            Event::Code(text) => self.styled(CODE, &text),
            Event::SoftBreak | Event::HardBreak => self.text.push('\n'),
            Event::Rule => {
                self.flush();
                self.lines.push(format!("{QUIET}────────{QUIET:#}"));
                self.blank();
            }
            Event::TaskListMarker(done) => self.text.push_str(if done { "☑ " } else { "☐ " }),
            other => {
                if let Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) =
                    other
                {
                    self.text.push_str(&text);
                }
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.flush();
                self.open(HEADING);
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.prefix.push("│ ".to_owned());
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.in_code = true;
                if let CodeBlockKind::Fenced(language) = kind
                    && !language.is_empty()
                {
                    let language = output::line(&language, 40);
                    self.put(&format!("{QUIET}{language}{QUIET:#}"));
                }
            }
            Tag::List(number) => {
                self.flush();
                self.lists.push(number);
            }
            Tag::Item => {
                self.flush();
                let sign = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                };
                self.prefix.push(" ".repeat(sign.chars().count()));
                self.sign = Some(sign);
            }
            Tag::Emphasis => self.open(Style::new().italic()),
            Tag::Strong => self.open(Style::new().bold()),
            Tag::Strikethrough => self.open(Style::new().strikethrough()),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push(dest_url.to_string());
                self.open(Style::new().underline());
            }
            Tag::Table(_) => {
                self.flush();
                self.table = Some(Vec::new());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(rows) = &mut self.table {
                    rows.push(Vec::new());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => {
                self.flush();
                self.blank();
            }
            TagEnd::Heading(_) => {
                self.close();
                self.flush();
                self.blank();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.prefix.pop();
                self.blank();
            }
            TagEnd::CodeBlock => {
                self.in_code = false;
                let code = std::mem::take(&mut self.text);
                for line in code.trim_end_matches('\n').split('\n') {
                    self.put(&format!("  {CODE}{line}{CODE:#}"));
                }
                self.blank();
            }
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
                if self.lists.is_empty() {
                    self.blank();
                }
            }
            TagEnd::Item => {
                self.flush();
                while self.lines.last().is_some_and(|line| line.trim().is_empty()) {
                    self.lines.pop();
                }
                self.sign = None;
                self.prefix.pop();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.close(),
            TagEnd::Link | TagEnd::Image => {
                self.close();
                let leads = self.links.pop().unwrap_or_default();
                // A link to what it says needs to be shown once.
                if !leads.is_empty() && !self.text.contains(&leads) {
                    self.styled(QUIET, &format!(" ({leads})"));
                }
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.text);
                if let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(cell.replace('\n', " "));
                }
            }
            TagEnd::Table => self.end_table(),
            _ => {}
        }
    }

    fn open(&mut self, style: Style) {
        self.styles.push(style);
        self.text.push_str(&style.render().to_string());
    }

    fn close(&mut self) {
        if let Some(style) = self.styles.pop() {
            self.text.push_str(&style.render_reset().to_string());
        }
        let outer: String = self.styles.iter().map(|style| style.render().to_string()).collect();
        self.text.push_str(&outer);
    }

    fn styled(&mut self, style: Style, text: &str) {
        self.open(style);
        self.text.push_str(text);
        self.close();
    }

    /// Writes the text that is not on a line yet.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.trim().is_empty() {
            return;
        }
        let before: usize = self.prefix.iter().map(|part| part.chars().count()).sum();
        let columns = self.columns.map(|columns| columns.saturating_sub(before).max(20));
        for line in text.trim_end_matches('\n').split('\n') {
            match columns {
                None => self.put(line),
                Some(columns) => {
                    let options = textwrap::Options::new(columns).wrap_algorithm(WrapAlgorithm::FirstFit);
                    wrap(line, options).iter().for_each(|line| self.put(line));
                }
            }
        }
    }

    fn put(&mut self, line: &str) {
        let mut prefix = self.prefix.concat();
        if let (Some(sign), Some(last)) = (self.sign.take(), self.prefix.last()) {
            prefix.truncate(prefix.len() - last.len());
            prefix.push_str(&sign);
        }
        self.lines.push(format!("{QUIET}{prefix}{QUIET:#}{line}"));
    }

    /// An empty line, unless there is one.
    fn blank(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
    }

    fn end_table(&mut self) {
        let rows = self.table.take().unwrap_or_default();
        let width = |text: &String| textwrap::core::display_width(text);
        let count = rows.iter().map(Vec::len).max().unwrap_or_default();
        let widths: Vec<usize> = (0..count)
            .map(|column| rows.iter().filter_map(|row| row.get(column)).map(width).max().unwrap_or_default())
            .collect();
        let fits =
            self.columns.is_none_or(|columns| widths.iter().map(|width| width + 3).sum::<usize>() <= columns);
        for (number, row) in rows.iter().enumerate() {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .map(|(cell, most)| {
                    let space = if fits { most.saturating_sub(width(cell)) } else { 0 };
                    format!("{cell}{}", " ".repeat(space))
                })
                .collect();
            self.put(cells.join(&format!("{QUIET} │ {QUIET:#}")).trim_end());
            if number == 0 && fits {
                let line: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                self.put(&format!("{QUIET}{}{QUIET:#}", line.join("─┼─")));
            }
        }
        self.blank();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str, columns: usize) -> String {
        let lines = lines(text, Some(columns)).join("\n");
        anstream::adapter::strip_str(&lines).to_string()
    }

    #[test]
    fn markdown_becomes_lines() {
        assert_eq!(plain("# A\n\none **two** `three`", 40), "A\n\none two three");
        assert_eq!(plain("1. a\n2. b\n   - c\n\n> q", 40), "1. a\n2. b\n   • c\n\n│ q");
        assert_eq!(plain("```rust\nlet a;\n  b\n```", 40), "rust\n  let a;\n    b");
        assert_eq!(plain("|a|b|\n|-|-|\n|long|c|", 40), "a    │ b\n─────┼──\nlong │ c");
        assert_eq!(plain("[x](https://example.com)", 40), "x (https://example.com)");
    }

    #[test]
    fn long_lines_are_wrapped_behind_their_prefix() {
        let text = plain("- aaaa bbbb cccc dddd eeee ffff gggg", 30);
        assert_eq!(text, "• aaaa bbbb cccc dddd eeee\n  ffff gggg");
    }

    #[test]
    fn only_colours_are_sent_to_the_terminal() {
        let shown = lines("a \x1b[2J **b\x07** ```c\u{9b}```\n<b>\x1b]0;t\x07", None).join("\n");
        let stripped = anstream::adapter::strip_str(&shown).to_string();
        assert!(!stripped.chars().any(|letter| letter.is_control() && letter != '\n'), "{stripped:?}");
        assert!(stripped.contains(r"\u{1b}[2J"), "{stripped}");
    }
}
