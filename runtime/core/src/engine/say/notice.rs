//! The notices of a stream: statuses that are complete at once.

use std::sync::Arc;

use interlingua_table::Field;

use super::run::{Inside, Run};
use crate::engine::json_text::{object, quoted};
use crate::engine::life::item::NewItem;
use crate::engine::life::refs::AgentRef;
use crate::engine::life::store::closed::fingerprint;
use crate::engine::life::store::items::{Class, Header, Located};
use crate::engine::read::fields::Fields;
use crate::engine::read::scope::Scope;
use crate::engine::read::term::Term;
use crate::vocabulary::{ItemId, ItemKind, ItemStatus, Json, Origin, Status};

impl Run<'_, '_> {
    /// A notice that something came for an item that has closed.
    pub(crate) fn late(&mut self, number: usize, item_id: &ItemId, scope: &Scope<'_, '_>) {
        let id = quoted(item_id.as_str());
        let data = object([("item_id", id.as_str()), ("native", scope.here.raw())]);
        let mut status = Status::new("late");
        status.data = Some(Json::checked(data));
        let agent = self.agent(number);
        self.notice(number, status, None, None, agent, Origin::Daemon);
    }

    /// A status that is complete at once.
    fn notice(
        &mut self,
        number: usize,
        status: Status,
        key: Option<Arc<str>>,
        parent: Option<ItemId>,
        agent: AgentRef,
        origin: Origin,
    ) {
        let turn = self.item_turn(Class::Status, number, &agent);
        self.with_session(number, |session, out| {
            let new = NewItem {
                class: Class::Status,
                kind: ItemKind::Status,
                native: key.clone(),
                key,
                call: None,
                header: Header { parent, ..Header::default() },
                content: vec![status.into()],
                turn,
                agent,
                origin,
            };
            let serial = session.start_item(out, new);
            session.complete_item(out, serial, ItemStatus::Completed, origin);
        });
    }

    /// `note`.
    pub(crate) fn note(&mut self, term: &Term, scope: &Scope<'_, '_>, inside: &Inside) {
        let Some(status) = self.status_block(term, scope) else {
            return self.lacks(term, Field::Label, scope);
        };
        let Some(number) = self.session(true) else {
            return;
        };
        let names = self.names(term, Class::Status, scope, number);
        match self.locate(Class::Status, &names, number) {
            Located::New => {
                let agent = self.agent(number);
                let header = self.header(term, scope, inside, number, None);
                self.notice(
                    number,
                    status,
                    names.key.as_deref().map(Arc::from),
                    header.parent,
                    agent,
                    Origin::Agent,
                );
            }
            Located::Open(serial) => {
                self.restate_status(number, serial, status);
                self.with_session(number, |session, out| {
                    session.complete_item(out, serial, ItemStatus::Completed, Origin::Agent);
                });
            }
            Located::Closed(closed) => {
                if fingerprint(&[status.into()]) != closed.print
                    && let Some(item_id) = closed.item_id
                {
                    self.late(number, &item_id, scope);
                }
            }
        }
    }

    /// The status of a term, if it has a label.
    pub(crate) fn status_block(&self, term: &Term, scope: &Scope<'_, '_>) -> Option<Status> {
        let mut status = Status::new(self.string(term, Field::Label, scope)?);
        status.detail = self.string(term, Field::Detail, scope);
        status.data = self.json(term, Field::Data, scope);
        Some(status)
    }
}
