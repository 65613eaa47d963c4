//! A tool call that has not ended.

use super::progress::Progress;
use super::tree::Tree;
use crate::engine::piece::PartKey;
use crate::vocabulary::ToolCall;

/// A call that has not ended.
#[derive(Debug, Default)]
pub(super) struct OpenCall {
    pub(super) id: Option<String>,
    /// Its name, kind, title and who runs it, as far as known.
    pub(super) known: Option<ToolCall>,
    /// Arguments that count when no others come.
    pub(super) first: Option<String>,
    /// The whole arguments, where they are other than the pieces.
    pub(super) restated: Option<String>,
    /// Arguments that come value by value, each for its path.
    pub(super) values: Option<Box<Tree>>,
    /// How far its arguments are.
    pub(super) progress: Progress,
    /// Where it began.
    pub(super) at: Option<PartKey<'static>>,
    /// How many bytes of the arguments and of the name were emitted.
    pub(super) told: usize,
    pub(super) told_name: usize,
    /// Whether the call is in the assembler, which it is once it has its id and name.
    pub(super) is_known: bool,
}

impl OpenCall {
    /// The arguments that came value by value, of a call that is cut: they are not closed, so that nobody takes them for all.
    pub(super) fn cut_values(&self) -> Option<String> {
        let values = self.values.as_ref()?.json();
        Some(values.strip_suffix('}').unwrap_or(&values).to_owned())
    }

    pub(super) fn learn(&mut self, said: &ToolCall) {
        let known = self.known.get_or_insert_with(|| ToolCall::new("", "", ""));
        if known.name.is_empty() || said.name.starts_with(&known.name) {
            known.name.clone_from(&said.name);
        }
        known.tool_kind = said.tool_kind.clone().or(known.tool_kind.take());
        known.title = said.title.clone().or(known.title.take());
        known.hosted |= said.hosted;
    }

    /// Appends the next piece of a name.
    pub(super) fn lengthen_name(&mut self, piece: &str) {
        if let Some(known) = self.known.as_mut().filter(|known| !piece.starts_with(&known.name)) {
            known.name.push_str(piece);
        }
    }

    /// Whether the provider itself runs the tool.
    pub(super) fn is_hosted(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.hosted)
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.known.as_ref().map(|known| known.name.as_str()).filter(|name| !name.is_empty())
    }
}
