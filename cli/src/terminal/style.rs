//! The colours, which mean the same everywhere.

use anstyle::{AnsiColor, Style};

/// What is less important.
pub const QUIET: Style = Style::new().dimmed();
/// A tool and its call.
pub const TOOL: Style = AnsiColor::Cyan.on_default();
/// What went wrong.
pub const TROUBLE: Style = AnsiColor::Red.on_default();
/// What is taken away.
pub const REMOVED: Style = AnsiColor::Red.on_default();
/// What is added, and what went well.
pub const ADDED: Style = AnsiColor::Green.on_default();
/// What the person said or is asked.
pub const PERSON: Style = Style::new().bold();
/// A heading.
pub const HEADING: Style = Style::new().bold();
/// Code in a text.
pub const CODE: Style = AnsiColor::Yellow.on_default();
/// A sub-agent.
pub const SUBAGENT: Style = AnsiColor::Magenta.on_default();
