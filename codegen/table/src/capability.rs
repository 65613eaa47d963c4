//! What a provider can be told: a view of the table's rules that write.

use crate::{Cannot, Cond, Table};

/// The command that is the request to a language model.
pub const REQUEST: &str = "request";

/// What a session adds to the fields that a map reads: it says a start's prompt as a message of its own, and finds the
/// option of a permission's reply by its id or by what it means. Whoever runs the agent replays an earlier session.
pub const READ_BY_SESSION: [(&str, &str); 4] = [
    ("session.start", "prompt"),
    ("session.start", "replay"),
    ("permission.reply", "option_id"),
    ("permission.reply", "outcome"),
];

/// The commands that no agent gets, since whoever runs it answers them.
pub const ANSWERED_BY_OWNER: [&str; 1] = ["session.list"];

/// What a provider makes of one universal command.
#[derive(Debug, Clone, PartialEq)]
pub struct Capability {
    /// The command, such as `message.send`.
    pub command: &'static str,
    /// The fields of it that the provider honours, sorted; none where the whole command is impossible.
    pub fields: Vec<&'static str>,
    /// What of it the provider cannot express, in the order of the map.
    pub limits: Vec<Limit>,
    /// Why the whole command is impossible, if it is.
    pub impossible: Option<&'static str>,
}

/// Something of a command that a provider cannot express.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// The field; empty for a case of the command.
    pub field: &'static str,
    /// The case, as a condition on the command whose keys are [`Table::write_keys`]; none for a field in any case.
    pub case: Option<Cond>,
    /// Why.
    pub reason: &'static str,
}

impl Table {
    /// What the provider makes of each universal command that its map decides about, sorted.
    pub fn capabilities(&self) -> Vec<Capability> {
        let named = self.writes.iter().map(|write| write.command);
        let mut commands: Vec<&'static str> =
            named.chain(self.cannot.iter().map(|cannot| cannot.command)).collect();
        commands.sort_unstable();
        commands.dedup();
        commands.into_iter().map(|command| self.capability(command)).collect()
    }

    /// What the provider makes of one command; without fields where its map does not know it.
    pub fn capability(&self, command: &str) -> Capability {
        let cannot = || self.cannot.iter().filter(|cannot| cannot.command == command);
        let impossible = cannot().find(|cannot| cannot.is_whole()).map(|cannot| cannot.reason);
        let limits: Vec<Limit> = cannot()
            .filter(|cannot| !cannot.is_whole())
            .map(|cannot| Limit { field: cannot.field_name(), case: cannot.case, reason: cannot.reason })
            .collect();
        let writes = self.writes.iter().filter(|write| write.command == command);
        let mut fields: Vec<&'static str> = writes.flat_map(|write| write.reads.iter().copied()).collect();
        let known = self.writes.iter().find(|write| write.command == command);
        if known.is_some() {
            fields.extend(READ_BY_SESSION.iter().filter(|(of, _)| *of == command).map(|(_, field)| *field));
        }
        let never = |field: &str| limits.iter().any(|limit| limit.field == field && limit.case.is_none());
        fields.retain(|field| *field != "type" && !never(field));
        fields.sort_unstable();
        fields.dedup();
        let command = known.map(|write| write.command).or(cannot().next().map(|cannot| cannot.command));
        Capability { command: command.unwrap_or_default(), fields, limits, impossible }
    }
}

impl Cannot {
    /// The field; empty for the command as it is given.
    pub fn field_name(&self) -> &'static str {
        self.field.map_or("", |(name, _)| name)
    }

    /// Whether the command is impossible whatever it says.
    pub fn is_whole(&self) -> bool {
        self.field.is_none() && self.case.is_none()
    }
}
