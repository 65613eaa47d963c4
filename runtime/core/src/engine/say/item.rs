//! The terms that open, close and complete items.

use std::borrow::Cow;
use std::sync::Arc;

use interlingua_table::{Field, ItemKind as TableKind, Verb};

use super::apply::Flow;
use super::run::{Inside, Run};
use crate::engine::life::item::NewItem;
use crate::engine::life::refs::{AgentRef, TurnRef};
use crate::engine::life::state::State;
use crate::engine::life::store::closed::{Closed, parent_print};
use crate::engine::life::store::items::{Class, Ends, Header, Located};
use crate::engine::read::eval::Reading;
use crate::engine::read::fields::Fields;
use crate::engine::read::list::names;
use crate::engine::read::scope::Scope;
use crate::engine::read::term::Term;
use crate::engine::read::walk::Walking;
use crate::vocabulary::{
    AgentSource, ContentBlock, ItemId, ItemKind, ItemRole, ItemStatus, MessageSource, ModelSource, Origin,
    PluginSource, ToolSource,
};

/// How a map names an item.
pub(crate) struct Names<'x> {
    /// By its id within its class, with the turn where the id is unique only there.
    pub(crate) key: Option<Cow<'x, str>>,
    pub(crate) native: Option<Cow<'x, str>>,
    pub(crate) call: Option<Cow<'x, str>>,
}

impl Run<'_, '_> {
    /// `open`, `close` and `whole`.
    pub(crate) fn item(&mut self, term: &Term, scope: &Scope<'_, '_>, inside: &Inside) -> Flow {
        if term.verb == Verb::Whole && !self.quietly(|run| run.gives_part(term.body, scope)) {
            // Unhandled elements are reported and registers are set even without an item.
            self.walk(term.body, scope, &mut |inner, scope| {
                self.block(inner, scope);
                true
            });
            return Flow::GoOn;
        }
        let Some(class) = class_of(term.item) else {
            return Flow::GoOn;
        };
        let Some(number) = self.session(true) else {
            return Flow::GoOn;
        };
        let names = self.names(term, class, scope, number);
        let mut located = self.locate(class, &names, number);
        let current = names.key.is_none() && self.flag(term, Field::Current, scope);
        if current {
            let agent = self.agent(number);
            if let Some(serial) = self.state.sessions[number].items.current(&agent, class) {
                located = Located::Open(serial);
            }
        }
        if let Located::Closed(closed) = &located
            && class == Class::ToolCall
            && self.is_of_another_message(closed, term, scope, inside, number)
        {
            located = Located::New;
        }
        let adjacent = self.flag(term, Field::Adjacent, scope);
        if adjacent && names.key.is_none() {
            let (agent, rule) = (self.agent(number), self.rule.name);
            if let Some(serial) = self.state.sessions[number].adjacent(&agent, rule) {
                located = Located::Open(serial);
            }
        }
        let single = self.flag(term, Field::Single, scope);
        if single {
            self.end_single(number, class, &located);
        }
        let single = single || current;
        match located {
            Located::Closed(closed) => self.past_item(term, class, &names, &closed, scope, number),
            Located::Open(serial) => {
                let header = self.header(term, scope, inside, number, Some(serial));
                self.with_session(number, |session, _| session.restate_item(serial, header));
                self.restate_content(term, class, scope, number, serial);
                self.fill_item(term, class, scope, number, serial, single)
            }
            Located::New => match self.new_item(term, class, &names, scope, inside, number) {
                Some(serial) => {
                    if adjacent {
                        let rule = self.rule.name;
                        self.state.sessions[number].set_adjacent(serial, rule);
                    }
                    self.fill_item(term, class, scope, number, serial, single)
                }
                None => Flow::GoOn,
            },
        }
    }

    /// Whether a call belongs to another message than the closed one with its id: some agents reuse ids in each message.
    fn is_of_another_message(
        &self,
        closed: &Closed,
        term: &Term,
        scope: &Scope<'_, '_>,
        inside: &Inside,
        number: usize,
    ) -> bool {
        let items = &self.state.sessions[number].items;
        let parent = match (self.text(term, Field::Parent, scope), inside) {
            (Some(parent), _) => items.started_id(&parent),
            (None, Inside::Named(parent)) => items.started_id(parent),
            (None, Inside::Item(serial)) => items.get(*serial).map(|open| open.item.item_id.clone()),
            (None, Inside::Past(parent)) => Some(parent.clone()),
            (None, Inside::Nothing) => None,
        };
        parent.is_some() && closed.parent != 0 && parent_print(parent.as_ref()) != closed.parent
    }

    /// Runs a message's body, and completes the item if the term does.
    fn fill_item(
        &mut self,
        term: &Term,
        class: Class,
        scope: &Scope<'_, '_>,
        number: usize,
        serial: u64,
        single: bool,
    ) -> Flow {
        if single && let Some(open) = self.state.sessions[number].items.get(serial) {
            let agent = open.agent.clone();
            self.state.sessions[number].replace_single(&agent, class, serial);
        }
        let mut flow = Flow::GoOn;
        if class == Class::Message {
            flow = self.apply(term.body, scope, &Inside::Item(serial));
        }
        if let Some(status) = self.closes(term, scope) {
            self.with_session(number, |session, out| {
                session.complete_item(out, serial, status, Origin::Agent);
            });
        }
        flow
    }

    /// The status with which a term closes its item, if it does: one that says that the item is
    /// still in progress does not.
    fn closes(&self, term: &Term, scope: &Scope<'_, '_>) -> Option<ItemStatus> {
        if term.verb == Verb::Open {
            return None;
        }
        match self.word(term, Field::Status, scope, ItemStatus::from_word) {
            Some(ItemStatus::InProgress) => None,
            status => Some(status.unwrap_or(ItemStatus::Completed)),
        }
    }

    pub(crate) fn names<'x>(
        &mut self,
        term: &Term,
        class: Class,
        scope: &Scope<'x, '_>,
        number: usize,
    ) -> Names<'x> {
        let id = self.text(term, Field::Id, scope);
        let call = match class {
            Class::ToolCall => self.text(term, Field::Call, scope).or_else(|| id.clone()),
            _ => None,
        };
        let native = id.or_else(|| call.clone());
        let key = match &native {
            Some(native) if self.flag(term, Field::PerTurn, scope) => {
                Some(self.key_in_turn(class, native, number).into())
            }
            Some(native) => Some(native.clone()),
            None => None,
        };
        Names { key, native, call }
    }

    /// The name of an item whose id is unique only within its turn.
    fn key_in_turn(&mut self, class: Class, native: &str, number: usize) -> String {
        // A part that came before its item has started it by the bare id.
        let items = &mut self.state.sessions[number].items;
        items.per_turn = true;
        if matches!(items.locate(class, native), Located::Open(_)) {
            return native.to_owned();
        }
        let turn = self.item_turn(class, number, &None);
        match turn {
            Some(turn) => in_turn(&turn, native),
            None => native.to_owned(),
        }
    }

    pub(crate) fn locate(&self, class: Class, names: &Names<'_>, number: usize) -> Located {
        let items = &self.state.sessions[number].items;
        let by_key = names.key.as_deref().map_or(Located::New, |key| items.locate(class, key));
        match (&by_key, &names.call) {
            (Located::New, Some(call)) => match items.locate_call(call) {
                // A call id may be reused by another call, which has its own id.
                Located::Closed(_) if names.key.as_ref() != Some(call) => by_key,
                located => located,
            },
            _ => by_key,
        }
    }

    /// Completes the same agent's open item of this class before another one takes its place.
    fn end_single(&mut self, number: usize, class: Class, located: &Located) {
        let this = match located {
            Located::Open(serial) => *serial,
            Located::New => u64::MAX,
            Located::Closed(_) => return,
        };
        let agent = self.agent(number);
        self.with_session(number, |session, out| {
            let Some(before) = session.replace_single(&agent, class, this) else {
                return;
            };
            let cut = session.items.get(before).is_some_and(|open| open.slots.is_streaming());
            let status = if cut { ItemStatus::Interrupted } else { ItemStatus::Completed };
            session.complete_item(out, before, status, Origin::Daemon);
        });
    }

    /// The turn of an item of this class by this agent.
    pub(crate) fn item_turn(&mut self, class: Class, number: usize, agent: &AgentRef) -> Option<TurnRef> {
        if let Some(turn) = agent.as_ref().and_then(|agent| agent.turn.clone()) {
            return Some(turn);
        }
        self.with_turn(number, |session, out, name| match class.needs_turn() {
            true => Some(session.turn_for(out, name)),
            false => session.turn_of_note(name),
        })
    }

    pub(crate) fn header(
        &mut self,
        term: &Term,
        scope: &Scope<'_, '_>,
        inside: &Inside,
        number: usize,
        open: Option<u64>,
    ) -> Header {
        let mut header = Header {
            role: self.word(term, Field::Role, scope, ItemRole::from_word),
            source: self.source(term, scope),
            ends: self.word(term, Field::Ends, scope, |word| match word {
                "itself" => Some(Ends::Itself),
                "with-turn" => Some(Ends::WithTurn),
                "after-turn" => Some(Ends::AfterTurn),
                _ => None,
            }),
            ..Header::default()
        };
        let items = &self.state.sessions[number].items;
        let known = |name: &str| items.started_id(name).unwrap_or_else(|| name.into());
        header.superseded_by = self.text(term, Field::SupersededBy, scope).map(|name| known(&name));
        if let Some(merged) = self.get(term, Field::MergedFrom, scope).map(names) {
            // A list may name the item itself. What was merged into it need not have started by itself.
            let own = self.text(term, Field::Id, scope);
            let others = merged.iter().filter(|name| own.as_deref() != Some(name.as_str()));
            header.merged_from = others.map(|name| known(name)).collect();
        }
        let parent = self.text(term, Field::Parent, scope).or_else(|| match inside {
            Inside::Named(item) => Some(Cow::Owned(item.as_ref().to_owned())),
            _ => None,
        });
        let mut message = None;
        match (parent, inside) {
            (Some(parent), _) => {
                header.parent = items.started_id(&parent);
                if let Located::Open(serial) = items.locate(Class::Message, &parent) {
                    message = Some(serial);
                }
            }
            (None, Inside::Item(serial)) => {
                header.parent = items.get(*serial).map(|open| open.item.item_id.clone());
                message = Some(*serial);
            }
            (None, Inside::Past(id)) => header.parent = Some(id.clone()),
            (None, Inside::Nothing | Inside::Named(_)) => {}
        }
        let has_parent =
            open.and_then(|open| items.get(open)).is_some_and(|open| open.item.parent_id.is_some());
        if let (Some(message), TableKind::ToolCall, false) = (message, term.item, has_parent) {
            let find = self.find(term, scope);
            let tool = open.unwrap_or_else(|| self.state.sessions[number].items.next_serial());
            if let Some(message) = self.state.sessions[number].items.get_mut(message) {
                header.index = Some(message.slots.tool_index(find, tool));
            }
        }
        header
    }

    fn source(&self, term: &Term, scope: &Scope<'_, '_>) -> Option<MessageSource> {
        let source = self.text(term, Field::Source, scope)?;
        let name = self.string(term, Field::SourceName, scope);
        Some(match &*source {
            "user" => MessageSource::User,
            "plugin" => MessageSource::Plugin(PluginSource { name }),
            "tool" => MessageSource::Tool(ToolSource { name }),
            "agent" => MessageSource::Agent(AgentSource { name }),
            "model" => MessageSource::Model(ModelSource { model: self.string(term, Field::Model, scope) }),
            _ => return None,
        })
    }

    /// Starts an item that is not known.
    fn new_item(
        &mut self,
        term: &Term,
        class: Class,
        names: &Names<'_>,
        scope: &Scope<'_, '_>,
        inside: &Inside,
        number: usize,
    ) -> Option<u64> {
        let (mut content, pieces) = self.first_content(term, class, scope)?;
        if let Some(ContentBlock::ToolCall(call)) = content.first_mut()
            && call.name.is_empty()
        {
            call.name = self.string(term, Field::DefaultName, scope).unwrap_or_default();
        }
        let agent = self.agent(number);
        let turn = self.item_turn(class, number, &agent);
        let mut header = self.header(term, scope, inside, number, None);
        if class == Class::ToolCall {
            header.role = Some(ItemRole::Assistant);
        }
        let kind = match class {
            Class::Message => ItemKind::Message,
            Class::ToolCall => ItemKind::ToolCall,
            Class::ToolResult => ItemKind::ToolResult,
            Class::Plan => ItemKind::Plan,
            Class::Status => ItemKind::Status,
            Class::Other => other_kind(&self.text(term, Field::NativeKind, scope)?),
        };
        // The same text is shared, whatever it names.
        let native: Option<Arc<str>> = names.native.as_deref().map(Arc::from);
        let shared = |name: &Option<Cow<'_, str>>| {
            let name = name.as_deref()?;
            Some(native.clone().filter(|native| **native == *name).unwrap_or_else(|| name.into()))
        };
        let (key, call) = (shared(&names.key), shared(&names.call));
        // A message with only its id is a stub, like one that only a part names.
        let stub = class == Class::Message && header.role.is_none();
        let origin = if stub { Origin::Daemon } else { Origin::Agent };
        let new = NewItem { class, kind, key, native, call, header, content, turn, agent, origin };
        Some(self.with_session(number, |session, out| {
            let serial = session.start_item(out, new);
            session.adopt_parts(serial, u32::from(class == Class::ToolCall), pieces);
            serial
        }))
    }

    /// What arrives for a closed item: a repetition gives nothing, anything else a late notice.
    /// What the message holds besides parts is taken as usual.
    fn past_item(
        &mut self,
        term: &Term,
        class: Class,
        names: &Names<'_>,
        closed: &Closed,
        scope: &Scope<'_, '_>,
        number: usize,
    ) -> Flow {
        let Some(item_id) = closed.item_id.clone().or_else(|| names.key.as_deref().map(ItemId::from)) else {
            return Flow::GoOn;
        };
        let content: Vec<ContentBlock> = match class {
            Class::Message => self.pieces(term.body, scope).into_iter().map(|piece| piece.block).collect(),
            _ => self.first_content(term, class, scope).map_or_else(Vec::new, |(content, _)| content),
        };
        let same_status = self.closes(term, scope).is_none_or(|status| status == closed.status);
        if !(same_status && closed.is_repeated_by(&content)) {
            self.late(number, &item_id, scope);
        }
        if class == Class::Message {
            return self.apply(term.body, scope, &Inside::Past(item_id));
        }
        Flow::GoOn
    }

    /// The open item that a term is about: the one it names, or the one it stands in. A message
    /// that was never seen gets a stub. Nothing when that item has closed; then `late` says so.
    pub(crate) fn target(
        &mut self,
        term: &Term,
        scope: &Scope<'_, '_>,
        inside: &Inside,
        stub: bool,
    ) -> Option<(usize, u64)> {
        let name = match (term.field(Field::Item), inside) {
            (Some(expr), _) => match self.eval(expr, scope) {
                Some(name) => name.text()?,
                None => {
                    self.lacks(term, Field::Item, scope);
                    return None;
                }
            },
            (None, Inside::Named(name)) => Cow::Owned(name.as_ref().to_owned()),
            (None, Inside::Item(serial)) => return Some((self.session(true)?, *serial)),
            (None, _) => return None,
        };
        let number = self.session(stub)?;
        match self.locate_content(number, &name) {
            Located::Open(serial) => Some((number, serial)),
            Located::Closed(closed) => {
                if let Some(item_id) = closed.item_id {
                    self.late(number, &item_id, scope);
                }
                None
            }
            Located::New if stub => {
                let agent = self.agent(number);
                let turn = self.item_turn(Class::Message, number, &agent);
                let name: Arc<str> = (*name).into();
                let new = NewItem {
                    class: Class::Message,
                    kind: ItemKind::Message,
                    key: Some(Arc::clone(&name)),
                    native: Some(name),
                    call: None,
                    header: Header::default(),
                    content: Vec::new(),
                    turn,
                    agent,
                    origin: Origin::Daemon,
                };
                let serial = self.with_session(number, |session, out| session.start_item(out, new));
                Some((number, serial))
            }
            Located::New => None,
        }
    }

    /// An item with parts, by its native id, which may be unique only within its turn.
    pub(crate) fn locate_content(&mut self, number: usize, name: &str) -> Located {
        const CLASSES: [Class; 2] = [Class::Message, Class::Plan];
        let State { sessions, .. } = &mut *self.state;
        let find = |name: &str| {
            let located = CLASSES.iter().map(|class| sessions[number].items.locate(*class, name));
            located.into_iter().find(|located| !matches!(located, Located::New))
        };
        if let Some(found) = find(name) {
            return found;
        }
        if !sessions[number].items.per_turn {
            return Located::New;
        }
        let (state, turn) = self.state_and_turn();
        let session = &mut state.sessions[number];
        let Some(turn) = session.turn_of_note(turn) else {
            return Located::New;
        };
        let key = in_turn(&turn, name);
        let located = CLASSES.iter().map(|class| session.items.locate(*class, &key));
        located.into_iter().find(|located| !matches!(located, Located::New)).unwrap_or(Located::New)
    }
}

/// The key of an item whose native id is unique only within its turn.
fn in_turn(turn: &TurnRef, native: &str) -> String {
    [turn.id.as_str(), "/", native].concat()
}

fn class_of(kind: TableKind) -> Option<Class> {
    Some(match kind {
        TableKind::Message => Class::Message,
        TableKind::ToolCall => Class::ToolCall,
        TableKind::Plan => Class::Plan,
        TableKind::Status => Class::Status,
        TableKind::Other => Class::Other,
        TableKind::None => return None,
    })
}

/// A native kind as a kind of item. One that is called like ours is not ours.
fn other_kind(native: &str) -> ItemKind {
    if ItemKind::WORDS.contains(&native) {
        ItemKind::from(format!("native-{native}").as_str())
    } else {
        ItemKind::from(native)
    }
}
