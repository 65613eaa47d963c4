//! Requests and their answers.

use std::collections::HashMap;

use super::apply::Scene;
use crate::vocabulary::{
    HostCallRequested, HostCallResolved, PermissionId, PermissionRequested, PermissionResolved, QuestionId,
    QuestionRequested, QuestionResolved, RequestId, Timestamp, TranscriptHostCall, TranscriptPermission,
    TranscriptQuestion, TranscriptSession, TurnId,
};

/// The places of the requests in their lists.
#[derive(Debug, Default)]
pub(super) struct Requests {
    permissions: HashMap<PermissionId, usize>,
    questions: HashMap<QuestionId, usize>,
    host_calls: HashMap<RequestId, usize>,
}

/// Defines how a kind of request is asked and answered. An answer to a request that is not known is left out.
macro_rules! kinds {
    ($( $list:ident, $id:ident: $entry:ident, $ask:ident($requested:ty), $answer:ident($resolved:ty); )*) => {
        impl Requests { $(
            pub(super) fn $ask(&mut self, session: &mut TranscriptSession, requested: $requested, scene: Scene) {
                if !scene.whole || self.$list.contains_key(&requested.$id) {
                    return;
                }
                self.$list.insert(requested.$id.clone(), session.$list.len());
                let mut entry = $entry::new(requested);
                entry.turn_id = scene.turn_id;
                entry.requested_at = scene.at;
                session.$list.push(entry);
            }

            pub(super) fn $answer(
                &mut self,
                session: &mut TranscriptSession,
                resolved: $resolved,
                at: Option<Timestamp>,
            ) {
                if let Some(place) = self.$list.get(&resolved.$id) {
                    let entry = &mut session.$list[*place];
                    entry.resolved = Some(resolved);
                    entry.resolved_at = at;
                }
            }
        )* }

        impl Requests {
            /// Finds the requests of a session that was stored.
            pub(super) fn resume(session: &TranscriptSession) -> Self {
                let mut requests = Self::default();
                requests.index(session);
                requests
            }

            fn index(&mut self, session: &TranscriptSession) {
                $(
                    let entries = session.$list.iter().enumerate();
                    self.$list = entries.map(|(place, entry)| (entry.requested.$id.clone(), place)).collect();
                )*
            }

            /// Lets go of the requests of turns.
            pub(super) fn drop_turns(
                &mut self,
                session: &mut TranscriptSession,
                goes: &impl Fn(&Option<TurnId>) -> bool,
            ) {
                $( session.$list.retain(|entry| !goes(&entry.turn_id)); )*
                self.index(session);
            }
        }
    };
}

kinds! {
    permissions, permission_id: TranscriptPermission,
        permission(PermissionRequested), permission_resolved(PermissionResolved);
    questions, question_id: TranscriptQuestion,
        question(QuestionRequested), question_resolved(QuestionResolved);
    host_calls, request_id: TranscriptHostCall,
        host_call(HostCallRequested), host_call_resolved(HostCallResolved);
}
