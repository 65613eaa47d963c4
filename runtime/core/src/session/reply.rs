//! Replies to the agent's requests: which open request one answers, and which of the offered options it takes.

use super::{CommandError, Session};
use crate::vocabulary::{
    Command, PendingRequest, PermissionOption, PermissionOutcome, PermissionRequested, SessionId,
};

/// How many open requests the error about an unknown one names.
const MOST_NAMED: usize = 32;

impl Session {
    /// The open request that a command answers.
    pub(super) fn request(
        &self,
        id: &str,
        session: Option<&SessionId>,
        command: &Command,
    ) -> Result<(SessionId, PendingRequest), CommandError> {
        let named = self.pending.named(id).filter(|(asked_in, _)| session.is_none_or(|of| of == *asked_in));
        let named: Vec<_> = named.collect();
        if let Some((session, request)) = named.iter().find(|(_, request)| fits(command, request)) {
            return Ok(((*session).clone(), (*request).clone()));
        }
        let id = id.to_owned();
        Err(match (named.first(), self.pending.settled(&id)) {
            (Some((_, request)), _) => {
                let asked = match request {
                    PendingRequest::Permission(_) => {
                        "a permission request: answer it with `permission.reply`"
                    }
                    PendingRequest::Question(_) => "a question: answer it with `question.reply`",
                    PendingRequest::HostCall(_) => "a host call: answer it with `host-call.reply`",
                };
                CommandError::WrongReply { id, asked }
            }
            (None, Some(outcome)) => CommandError::AlreadySettled { id, outcome },
            (None, None) => {
                let open = self.pending.iter().take(MOST_NAMED);
                let open = open.map(|(_, request)| request.id().to_owned()).collect();
                CommandError::UnknownRequest { id, open }
            }
        })
    }
}

/// Whether a command is the kind of reply that a request wants.
pub(super) fn fits(command: &Command, request: &PendingRequest) -> bool {
    matches!(
        (command, request),
        (Command::PermissionReply(_), PendingRequest::Permission(_))
            | (Command::QuestionReply(_) | Command::QuestionReject(_), PendingRequest::Question(_))
            | (Command::HostCallReply(_), PendingRequest::HostCall(_))
    )
}

/// The option that a reply chooses; `None` if the request offers none and the reply states an outcome.
pub(super) fn chosen(
    asked: &PermissionRequested,
    option_id: Option<&str>,
    outcome: Option<PermissionOutcome>,
) -> Result<Option<PermissionOption>, CommandError> {
    if asked.options.is_empty() && option_id.is_none() && outcome.is_some() {
        return Ok(None);
    }
    let meaning =
        |outcome: &PermissionOutcome| asked.options.iter().find(|option| option.outcome == *outcome);
    let found = match (option_id, outcome) {
        (Some(id), _) => asked.options.iter().find(|option| option.id == id),
        (None, Some(outcome)) => meanings(outcome).iter().find_map(meaning),
        (None, None) => None,
    };
    found.cloned().map(Some).ok_or_else(|| CommandError::NoSuchOption {
        id: asked.permission_id.to_string(),
        chosen: option_id
            .map(str::to_owned)
            .or_else(|| outcome.map(|outcome| outcome.to_string()))
            .unwrap_or_else(|| "nothing".to_owned()),
        offered: asked.options.iter().map(|option| (option.id.clone(), option.outcome.as_str())).collect(),
    })
}

/// The offered outcomes that can replace the outcome of a reply, best first. A rejection may become a broader
/// rejection, but an approval never becomes a broader approval.
fn meanings(outcome: PermissionOutcome) -> Vec<PermissionOutcome> {
    use PermissionOutcome::{AllowAlways, AllowOnce, AllowSession, Allowed, Reject, RejectAlways};
    match outcome {
        Allowed => vec![AllowOnce, Allowed, AllowSession, AllowAlways],
        Reject => vec![Reject, RejectAlways],
        exactly => vec![exactly],
    }
}
