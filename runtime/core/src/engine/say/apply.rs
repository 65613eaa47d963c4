//! The steps of a rule, in order.

use interlingua_table::{Action, Verb};

use super::run::{Inside, Run};
use crate::engine::life::state::State;
use crate::engine::read::eval::{Reading, Val};
use crate::engine::read::scope::Scope;
use crate::engine::read::term::Term;
use crate::engine::read::walk::{Arms, Elements};

/// Whether the rule continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    GoOn,
    Stop,
}

/// Whether a term is about items: their updates wait for the end of the message, so that there is one for each.
fn changes_items(verb: Verb) -> bool {
    matches!(
        verb,
        Verb::Part
            | Verb::Arguments
            | Verb::Output
            | Verb::Open
            | Verb::Close
            | Verb::Whole
            | Verb::Result
            | Verb::Seal
            | Verb::More
            | Verb::Drop
    )
}

impl Run<'_, '_> {
    /// Applies steps. They nest as deep as the map writes them, not as messages do.
    pub(crate) fn apply(
        &mut self,
        actions: &'static [Action],
        scope: &Scope<'_, '_>,
        inside: &Inside,
    ) -> Flow {
        for action in actions {
            let flow = match action {
                Action::Emit { verb, item, block, fields, body, .. } => {
                    let term = Term::new((*verb, *item, *block), fields, body);
                    self.term(&term, scope, inside)
                }
                Action::Each { over, arms } => self.apply_each(self.each(over, arms, scope), scope, inside),
                Action::One { over, arms } => self.apply_each(self.one(over, arms, scope), scope, inside),
                Action::In { item, body } => match self.eval_text(item, scope) {
                    Some(item) => self.apply(body, scope, &Inside::Named((*item).into())),
                    None => {
                        self.lacks_value(Some(item), "item", scope);
                        Flow::GoOn
                    }
                },
                Action::When { arms } => match self.branch(arms, scope) {
                    Some(steps) => self.apply(steps, scope, inside),
                    None => Flow::GoOn,
                },
                Action::Set { register, key, value } => {
                    if let Some(set) = self.setting(*register, key.as_ref(), value, scope) {
                        self.set_register(set);
                    }
                    Flow::GoOn
                }
                Action::Once { key } => self.once(key, scope),
                // The compiler has this only in maps of models.
                Action::Candidate { .. } => Flow::GoOn,
                // Only rules that write have these.
                Action::Add { .. }
                | Action::Put { .. }
                | Action::HangUp
                | Action::Await
                | Action::Send { .. }
                | Action::Degrade { .. }
                | Action::Spawn { .. }
                | Action::Tell { .. } => Flow::GoOn,
            };
            if flow == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::GoOn
    }

    fn apply_each<'x>(&mut self, mut elements: Elements<'x>, scope: &Scope<'x, '_>, inside: &Inside) -> Flow {
        while let Some((element, arm)) = elements.next(self, scope) {
            if self.apply(arm.actions, &element, inside) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::GoOn
    }

    fn once(&mut self, key: &'static interlingua_table::Expr, scope: &Scope<'_, '_>) -> Flow {
        let Some(value) = self.eval(key, scope).map(Val::json) else {
            return Flow::GoOn;
        };
        let Some(session) = self.unstarted_session() else {
            return Flow::GoOn;
        };
        if self.state.sessions[session].first_time(&value) { Flow::GoOn } else { Flow::Stop }
    }

    fn term(&mut self, term: &Term, scope: &Scope<'_, '_>, inside: &Inside) -> Flow {
        if !changes_items(term.verb) {
            // Pending updates of earlier steps come before the events of this one.
            self.say_changes();
        }
        if term.verb != Verb::TurnResumed {
            self.settle_held_end();
        }
        match term.verb {
            Verb::Part => self.part(term, scope, inside),
            Verb::Arguments => self.arguments(term, scope, inside),
            Verb::Output => self.output(term, scope),
            Verb::Open | Verb::Close | Verb::Whole => {
                let flow = self.item(term, scope, inside);
                self.write_registers();
                return flow;
            }
            Verb::Note => self.note(term, scope, inside),
            Verb::Result => self.result(term, scope),
            Verb::Seal => self.seal_part(term, scope, inside),
            Verb::More => self.more(term, scope, inside),
            Verb::Drop => self.drop_part(term, scope, inside),
            Verb::SessionStarted => self.session_started(term, scope),
            Verb::SessionUpdated => self.session_updated(term, scope),
            Verb::SessionEnded => self.session_ended(term, scope),
            Verb::TurnStarted => self.turn_started(term, scope),
            Verb::TurnEnded => self.turn_ended(term, scope),
            Verb::TurnResumed => self.turn_resumed(),
            Verb::TurnAlias => self.turn_alias(term, scope),
            Verb::PermissionRequested => self.permission_requested(term, scope),
            Verb::QuestionRequested => self.question_requested(term, scope),
            Verb::HostCallRequested => self.host_call_requested(term, scope),
            Verb::PermissionResolved => self.permission_resolved(term, scope),
            Verb::QuestionResolved => self.question_resolved(term, scope),
            Verb::HostCallResolved => self.host_call_resolved(term, scope),
            Verb::UsageReported => self.usage_reported(term, scope),
            Verb::Error => self.error(term, scope),
            // These occur only inside other terms, which read them.
            Verb::Attach
            | Verb::Entry
            | Verb::PermissionOption
            | Verb::Question
            | Verb::QuestionOption
            | Verb::Answer
            | Verb::Usage
            // These are about the stream of a model.
            | Verb::Finish
            | Verb::End
            | Verb::Replay => {}
        }
        self.write_registers();
        Flow::GoOn
    }

    /// The same, with the native name of the message's turn.
    pub(crate) fn with_turn<T>(
        &mut self,
        number: usize,
        work: impl FnOnce(
            &mut crate::engine::life::session::Session,
            &mut crate::engine::life::outbox::Outbox,
            Option<&str>,
        ) -> T,
    ) -> T {
        let (state, turn) = self.state_and_turn();
        let State { sessions, out, .. } = state;
        work(&mut sessions[number], out, turn)
    }

    /// Where the session of the message and the way out are needed together.
    pub(crate) fn with_session<T>(
        &mut self,
        number: usize,
        work: impl FnOnce(
            &mut crate::engine::life::session::Session,
            &mut crate::engine::life::outbox::Outbox,
        ) -> T,
    ) -> T {
        let State { sessions, out, .. } = &mut *self.state;
        work(&mut sessions[number], out)
    }
}
