//! Events as a person reads them on a terminal: texts as they are written, tools with their arguments and how they
//! ended.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use interlingua::vocabulary::{
    Channel, ContentBlock, Event, EventBody, Item, ItemId, ItemKind, ItemRole, ItemStatus, SessionId,
    ToolCall,
};

use super::view::View;
use crate::failure::Failure;
use crate::output::{self, name};

const QUIET: Style = Style::new().dimmed();
const TOOL: Style = AnsiColor::Cyan.on_default();
const TROUBLE: Style = AnsiColor::Red.on_default();
const ASKED: Style = Style::new().bold();

/// How much of something that is shown on one line is shown, in characters.
const WIDTH: usize = 160;

/// How many lines of a result are shown.
const LINES: usize = 5;

/// A terminal.
pub struct Screen<W> {
    output: W,
    /// How many bytes of each text of an open item are on the screen.
    shown: HashMap<(SessionId, ItemId, usize), usize>,
    /// What is being written, when the line is not at its end.
    writing: Option<(ItemId, usize)>,
    /// Open messages of the person, which are shown when they are whole.
    told: HashSet<(SessionId, ItemId)>,
}

impl<W: Write> Screen<W> {
    /// An empty screen.
    pub fn new(output: W) -> Self {
        Self { output, shown: HashMap::new(), writing: None, told: HashSet::new() }
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        let session = &event.session_id;
        match &event.body {
            EventBody::ItemDelta(delta) => {
                let place = delta.part as usize;
                if self.told.contains(&(session.clone(), delta.item_id.clone())) {
                    return Ok(());
                }
                match delta.channel {
                    Channel::Text | Channel::Reasoning => {
                        *self.shown.entry((session.clone(), delta.item_id.clone(), place)).or_default() +=
                            delta.delta.len();
                        self.write(&delta.item_id, place, &delta.delta, delta.channel == Channel::Reasoning)
                    }
                    _ => Ok(()),
                }
            }
            EventBody::ItemStarted(state) | EventBody::ItemUpdated(state) => self.texts(session, &state.item),
            EventBody::ItemCompleted(state) => {
                self.texts(session, &state.item)?;
                self.told.remove(&(session.clone(), state.item.item_id.clone()));
                self.shown.retain(|(of, id, _), _| !(of == session && *id == state.item.item_id));
                self.completed(&state.item)
            }
            EventBody::SessionStarted(started) => {
                let facts = [&started.model, &started.agent_version, &started.cwd];
                let facts: Vec<String> = facts.into_iter().flatten().map(|fact| name(fact)).collect();
                self.line(QUIET, &format!("session {}: {}", name(session.as_str()), facts.join(", ")))
            }
            EventBody::TurnEnded(ended) => {
                let error = ended.error.as_ref().map_or("", |error| &error.message);
                let style = if error.is_empty() { QUIET } else { TROUBLE };
                let more = if error.is_empty() { String::new() } else { format!(": {}", one_line(error)) };
                self.line(style, &format!("turn {}{more}", name(ended.reason.tag())))
            }
            EventBody::PermissionResolved(done) => {
                self.line(QUIET, &format!("permission: {}", name(done.outcome.as_str())))
            }
            EventBody::QuestionResolved(done) => {
                self.line(QUIET, &format!("question: {}", name(done.outcome.as_str())))
            }
            EventBody::Error(error) => self.line(TROUBLE, &one_line(&error.message)),
            EventBody::AgentUnparsed(unparsed) => self
                .line(TROUBLE, &format!("a message that is not understood: {}", one_line(&unparsed.error))),
            _ => Ok(()),
        }
    }

    /// Writes what of an item's texts is not on the screen.
    fn texts(&mut self, session: &SessionId, item: &Item) -> io::Result<()> {
        if item.role == Some(ItemRole::User) {
            self.told.insert((session.clone(), item.item_id.clone()));
            return Ok(());
        }
        for (place, block) in item.content.iter().enumerate() {
            let (text, is_reasoning) = match block {
                ContentBlock::Text(text) => (&text.text, false),
                ContentBlock::Reasoning(reasoning) => (&reasoning.text, true),
                _ => continue,
            };
            let known = self.shown.entry((session.clone(), item.item_id.clone(), place)).or_default();
            // A text that was changed in what is shown already cannot be shown anew.
            let more = text.get(*known..).unwrap_or_default().to_owned();
            *known = text.len();
            self.write(&item.item_id, place, &more, is_reasoning)?;
        }
        Ok(())
    }

    /// What is said of an item when it is whole.
    fn completed(&mut self, item: &Item) -> io::Result<()> {
        for block in &item.content {
            match block {
                ContentBlock::ToolCall(call) => self.tool(call, item.status)?,
                ContentBlock::ToolResult(result) => {
                    for text in result.content.iter().filter_map(|block| match block {
                        ContentBlock::Text(text) => Some(&text.text),
                        _ => None,
                    }) {
                        self.excerpt(text)?;
                    }
                }
                ContentBlock::Plan(plan) => {
                    for entry in &plan.entries {
                        self.line(
                            QUIET,
                            &format!("  [{}] {}", name(entry.status.as_str()), one_line(&entry.text)),
                        )?;
                    }
                }
                ContentBlock::Status(status) => {
                    let detail = status.detail.as_deref().map(one_line).unwrap_or_default();
                    self.line(
                        QUIET,
                        &format!(
                            "({}{}{detail})",
                            name(&status.label),
                            if detail.is_empty() { "" } else { ": " }
                        ),
                    )?;
                }
                ContentBlock::Text(text)
                    if item.role == Some(ItemRole::User) && item.kind == ItemKind::Message =>
                {
                    self.line(ASKED, &format!("> {}", one_line(&text.text)))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn tool(&mut self, call: &ToolCall, status: ItemStatus) -> io::Result<()> {
        let how = match status {
            ItemStatus::Completed => String::new(),
            other => format!(" [{}]", name(other.as_str())),
        };
        self.line(TOOL, &format!("* {} {}{how}", name(&call.name), one_line(&call.arguments)))
    }

    fn excerpt(&mut self, text: &str) -> io::Result<()> {
        let mut lines = text.lines();
        for line in lines.by_ref().take(LINES) {
            self.line(QUIET, &format!("  {}", one_line(line)))?;
        }
        match lines.count() {
            0 => Ok(()),
            more => self.line(QUIET, &format!("  … {more} more lines")),
        }
    }

    /// Goes on with a text.
    fn write(&mut self, item: &ItemId, place: usize, text: &str, is_quiet: bool) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        if self.writing.as_ref().is_none_or(|(open, part)| open != item || *part != place) {
            self.break_line()?;
            self.writing = Some((item.clone(), place));
        }
        let text = output::text(text);
        if is_quiet { write!(self.output, "{QUIET}{text}{QUIET:#}") } else { write!(self.output, "{text}") }
    }

    /// Writes a line, whose parts are safe already.
    fn line(&mut self, style: Style, text: &str) -> io::Result<()> {
        self.break_line()?;
        writeln!(self.output, "{style}{text}{style:#}")
    }

    fn break_line(&mut self) -> io::Result<()> {
        if self.writing.take().is_some() { writeln!(self.output) } else { Ok(()) }
    }
}

impl<W: Write> View for Screen<W> {
    fn show(&mut self, events: &[Event]) -> Result<(), Failure> {
        events
            .iter()
            .try_for_each(|event| self.event(event))
            .and_then(|()| self.output.flush())
            .map_err(|error| Failure::output(&error))
    }

    fn ask(&mut self, text: &str) -> Result<(), Failure> {
        self.break_line()
            .and_then(|()| write!(self.output, "{ASKED}{text}{ASKED:#}"))
            .and_then(|()| self.output.flush())
            .map_err(|error| Failure::output(&error))
    }
}

/// The beginning of a text, as one line.
fn one_line(text: &str) -> String {
    output::line(text, WIDTH)
}

#[cfg(test)]
mod tests {
    use interlingua::vocabulary::{ItemDelta, ItemState, Origin, TurnEndReason, TurnEnded};

    use super::*;

    fn shown(bodies: Vec<EventBody>) -> String {
        let mut screen = Screen::new(Vec::new());
        let events: Vec<Event> =
            bodies.into_iter().map(|body| Event::new("s1", 1, Origin::Agent, body)).collect();
        screen.show(&events).expect("a vector can be written to");
        let text = String::from_utf8(screen.output).expect("UTF-8");
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn a_text_is_written_once_however_it_comes() {
        let item = Item::new("m", ItemKind::Message).with_role(ItemRole::Assistant);
        let whole = item.clone().with_block(ContentBlock::text("Hello!"));
        let text = shown(vec![
            EventBody::ItemStarted(item.with_block(ContentBlock::text("He")).into()),
            ItemDelta::new("m", 0, Channel::Text, "ll").into(),
            EventBody::ItemUpdated(whole.clone().into()),
            EventBody::ItemCompleted(ItemState::from(whole.with_status(ItemStatus::Completed))),
            TurnEnded::new("t", TurnEndReason::Completed).into(),
        ]);
        assert_eq!(text, "Hello!\nturn completed\n");
    }

    #[test]
    fn what_the_person_said_is_shown_as_one_line() {
        let item = Item::new("u", ItemKind::Message).with_role(ItemRole::User);
        let whole = item.clone().with_block(ContentBlock::text("Do\nit")).with_status(ItemStatus::Completed);
        let text = shown(vec![
            EventBody::ItemStarted(item.into()),
            ItemDelta::new("u", 0, Channel::Text, "Do\nit").into(),
            EventBody::ItemCompleted(whole.into()),
        ]);
        assert_eq!(text, "> Do it\n");
    }

    #[test]
    fn tools_are_shown_with_their_end_and_nothing_moves_the_cursor() {
        let call = ToolCall::new("c", "Shell\x1b[2J", "{\"command\":\"ls\"}");
        let item = Item::new("c", ItemKind::ToolCall).with_status(ItemStatus::Failed).with_block(call);
        let lines = "1\n2\n3\n4\n5\n6\n7\n";
        let result = ContentBlock::tool_result("c", vec![ContentBlock::text(lines)]);
        let result =
            Item::new("r", ItemKind::ToolResult).with_status(ItemStatus::Completed).with_block(result);
        let text =
            shown(vec![EventBody::ItemCompleted(item.into()), EventBody::ItemCompleted(result.into())]);
        let expected = "* \"Shell\\u{1b}[2J\" {\"command\":\"ls\"} [failed]\n  1\n  2\n  3\n  4\n  5\n  … 2 more lines\n";
        assert_eq!(text, expected);
    }
}
