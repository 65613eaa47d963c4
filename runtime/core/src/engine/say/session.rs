//! The terms about sessions and turns, and about what they cost and why they failed.

use std::hash::{Hash, Hasher};

use interlingua_table::{Field, Verb};

use super::run::Run;
use crate::engine::life::refs::Course;
use crate::engine::life::state::State;
use crate::engine::memory::hash::{FastHasher, hash_of};
use crate::engine::read::eval::Val;
use crate::engine::read::fields::Fields;
use crate::engine::read::list::new_names;
use crate::engine::read::scope::Scope;
use crate::engine::read::term::Term;
use crate::engine::read::walk::Walking;
use crate::vocabulary::{
    AgentSource, Billing, ErrorClass, ErrorData, Json, NativeSessionId, Origin, PluginSource,
    SessionEndReason, SessionEnded, SessionUpdated, TurnEndReason, TurnEnded, TurnTrigger, UsageBasis,
    UsageReported, UsageScope,
};

impl Run<'_, '_> {
    /// The facts of a session in a term.
    fn session_facts(&mut self, term: &Term, scope: &Scope<'_, '_>, session: usize) -> SessionUpdated {
        // Known facts are compared without a copy, because programs repeat them in every turn.
        let session_known = &self.state.sessions[session];
        let known = &session_known.facts;
        let string = |field, known: &Option<String>| {
            let text = self.text(term, field, scope)?;
            (known.as_deref() != Some(&*text)).then(|| text.into_owned())
        };
        let native = |field, known: &Option<NativeSessionId>| {
            let text = self.text(term, field, scope)?;
            Some(known.clone().filter(|known| *known == *text).unwrap_or_else(|| (&*text).into()))
        };
        let metadata = self
            .json_text(term, Field::Metadata, scope)
            .filter(|text| *text != "{}" && known.metadata.as_ref().is_none_or(|known| known.get() != *text));
        let mut said = SessionUpdated {
            model: string(Field::Model, &known.model),
            cwd: string(Field::Cwd, &known.cwd),
            agent_version: string(Field::AgentVersion, &known.agent_version),
            permission_mode: string(Field::PermissionMode, &known.permission_mode),
            tools: self
                .get(term, Field::Tools, scope)
                .and_then(|list| new_names(list, known.tools.as_deref())),
            parent: None,
            resumed_from: native(Field::ResumedFrom, &known.resumed_from),
            metadata: metadata.map(Json::checked),
            native_session_id: native(Field::NativeSessionId, &session_known.native),
            title: string(Field::Title, &known.title),
            state: string(Field::State, &known.state),
        };
        if let Some(parent) = self.string(term, Field::ParentSession, scope) {
            let call = self.string(term, Field::ParentItem, scope);
            said.parent = self.state.parent(session, &parent, call.as_deref());
        }
        said
    }

    pub(crate) fn session_started(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let native = self.string(term, Field::NativeSessionId, scope);
        if native.is_some() {
            self.speak_of(native);
        }
        let Some(session) = self.unstarted_session() else {
            return;
        };
        let said = self.session_facts(term, scope, session);
        self.state.learn(session, said, Origin::Agent);
        self.look_up_again();
        self.state.start(session, Origin::Agent);
    }

    pub(crate) fn session_updated(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let session = match self.string(term, Field::Session, scope) {
            // Facts of a session that has not started wait for its start.
            Some(other) => self.state.find(Some(&other)).or_else(|| self.state.obtain_apart(&other)),
            None => self.session(false).or_else(|| self.unstarted_session()),
        };
        let Some(session) = session else {
            return;
        };
        let said = self.session_facts(term, scope, session);
        self.state.learn(session, said, Origin::Agent);
        self.look_up_again();
    }

    pub(crate) fn session_ended(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let Some(reason) = self.word(term, Field::Reason, scope, SessionEndReason::from_word) else {
            return self.lacks(term, Field::Reason, scope);
        };
        let Some(session) = self.session(false) else {
            return;
        };
        let mut ended = SessionEnded::new(reason);
        ended.exit_code = self.whole(term, Field::ExitCode, scope);
        ended.error = self.inner_error(term, scope);
        self.with_session(session, |session, out| session.end(out, Some(ended), Origin::Agent));
    }

    pub(crate) fn turn_started(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let Some(session) = self.session(true) else {
            return;
        };
        let name = self.turn_of(term, scope);
        let trigger = self.word(term, Field::Trigger, scope, trigger);
        let single = self.flag(term, Field::Single, scope);
        self.with_session(session, |session, out| {
            if single {
                session.end_other_turns(out, name.as_deref());
            }
            session.declare_turn(out, name.as_deref(), trigger);
        });
    }

    pub(crate) fn turn_ended(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let Some(reason) = self.text(term, Field::Reason, scope) else {
            return self.lacks(term, Field::Reason, scope);
        };
        let Some(reason) = turn_end(&reason) else {
            return self.lacks(term, Field::Reason, scope);
        };
        let if_open = self.flag(term, Field::IfOpen, scope);
        // A session that has not started has no open turn, and this is no reason to start it.
        if if_open && !self.known_session().is_some_and(|known| self.state.sessions[known].started) {
            return;
        }
        let Some(session) = self.session(true) else {
            return;
        };
        let name = self.turn_of(term, scope);
        let trigger = self.word(term, Field::Trigger, scope, trigger);
        let error = self.inner_error(term, scope);
        let mut usage = None;
        self.walk(term.body, scope, &mut |inner, scope| {
            if inner.verb == Verb::Usage {
                usage = Some(self.usage(inner, scope)).filter(|usage| !usage.is_empty());
            }
            true
        });
        let if_silent = self.flag(term, Field::IfSilent, scope);
        let held = self.flag(term, Field::Held, scope);
        self.with_session(session, |session, out| {
            if if_open && session.turns.newest().is_none() {
                return;
            }
            let Some(turn) = session.turn_to_end(out, name.as_deref()) else {
                return;
            };
            let mut ended = TurnEnded::new(turn.id.clone(), reason);
            (ended.trigger, ended.error, ended.usage) = (trigger, error, usage);
            if if_silent {
                return session.turns.expect_end(&turn, ended);
            }
            match held {
                true => session.hold_end(out, turn, ended),
                false => session.end_turn(out, &turn, ended, Origin::Agent),
            }
        });
    }

    /// Revokes the held end of the session's turn.
    pub(crate) fn turn_resumed(&mut self) {
        if let Some(session) = self.known_session() {
            let state = &mut *self.state;
            state.out.held_ends -= usize::from(state.sessions[session].turns.resume());
        }
    }

    /// Emits a held turn end before any other event of this message.
    pub(crate) fn settle_held_end(&mut self) {
        if self.state.out.held_ends > 0
            && let Some(session) = self.known_session()
        {
            self.with_session(session, crate::engine::life::session::Session::settle_held_end);
        }
    }

    pub(crate) fn turn_alias(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let Some(turn) = self.string(term, Field::Turn, scope) else {
            return self.lacks(term, Field::Turn, scope);
        };
        let Some(alias) = self.string(term, Field::Alias, scope) else {
            return self.lacks(term, Field::Alias, scope);
        };
        if let Some(session) = self.unstarted_session() {
            self.state.sessions[session].turns.alias(&turn, &alias);
        }
    }

    /// The turn that a term names: its own field, or the one of the message.
    fn turn_of(&self, term: &Term, scope: &Scope<'_, '_>) -> Option<String> {
        match term.field(Field::Turn) {
            Some(_) => self.string(term, Field::Turn, scope),
            None => self.turn_name().map(str::to_owned),
        }
    }

    fn inner_error(&self, term: &Term, scope: &Scope<'_, '_>) -> Option<ErrorData> {
        let mut error = None;
        self.walk(term.body, scope, &mut |inner, scope| {
            if inner.verb == Verb::Error {
                error = self.error_data(inner, scope);
            }
            true
        });
        error
    }

    /// An error as a term says it. Its message is never empty: where there is none, the
    /// native facts or the class stand for it.
    /// It is nothing where the term has neither words nor a code nor a class.
    fn error_data(&self, term: &Term, scope: &Scope<'_, '_>) -> Option<ErrorData> {
        let class = self.word(term, Field::Class, scope, ErrorClass::from_word);
        let class = class.unwrap_or(ErrorClass::Unknown);
        let details = self.json(term, Field::Details, scope);
        let message = match self.get(term, Field::Message, scope) {
            Some(Val::Node(value)) => {
                Some(value.scalar_text().map_or_else(|| value.raw().to_owned(), Into::into))
            }
            other => other.and_then(Val::text).map(Into::into),
        };
        let message = message.filter(|message| !message.is_empty());
        let message = message.or_else(|| details.as_ref().map(|details| details.get().to_owned()));
        let code = self.string(term, Field::Code, scope);
        if message.is_none() && code.is_none() && class == ErrorClass::Unknown {
            return None;
        }
        let mut error = ErrorData::new(class, message.unwrap_or_else(|| class.as_str().to_owned()));
        error.code = code;
        error.will_retry = self.truth(term, Field::WillRetry, scope);
        error.details = details;
        Some(error)
    }

    pub(crate) fn error(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let error = self.error_data(term, scope);
        let error =
            error.unwrap_or_else(|| ErrorData::new(ErrorClass::Unknown, ErrorClass::Unknown.as_str()));
        let Some(session) = self.session(false) else {
            return;
        };
        let agent = self.agent(session);
        let (state, turn) = self.state_and_turn();
        let State { sessions, out, .. } = state;
        let session = &mut sessions[session];
        let turn = session.turn_of_note(turn);
        // A request of the host that was refused says nothing about how the agent's work went, and once a
        // turn has ended, its end tells how the session went.
        let is_refusal = error.class == ErrorClass::InvalidRequest;
        let is_first = matches!(session.course, Course::Idle);
        if is_first
            && error.will_retry != Some(true)
            && !is_refusal
            && turn.as_ref().is_none_or(|turn| !session.turns.is_open(turn))
        {
            session.course = Course::Broken;
        }
        session.emit(out, turn.map(|turn| turn.id), &agent, Origin::Agent, error);
    }

    pub(crate) fn usage_reported(&mut self, term: &Term, scope: &Scope<'_, '_>) {
        let key = self.string(term, Field::Key, scope);
        let Some(reach) = self.word(term, Field::Scope, scope, UsageScope::from_word) else {
            return self.lacks(term, Field::Scope, scope);
        };
        let Some(basis) = self.word(term, Field::Basis, scope, UsageBasis::from_word) else {
            return self.lacks(term, Field::Basis, scope);
        };
        let named = key.is_some();
        let mut report = UsageReported::new(key.unwrap_or_default(), reach, basis, self.usage(term, scope));
        report.model = self.string(term, Field::Model, scope);
        report.context_window = self.count(term, Field::ContextWindow, scope);
        report.context_used = self.count(term, Field::ContextUsed, scope);
        let billing = Billing {
            cache_write_1h: self.count(term, Field::CacheWriteHour, scope),
            web_searches: self.count(term, Field::WebSearches, scope),
            speed: self.string(term, Field::Speed, scope),
        };
        report.billing = (billing != Billing::default()).then_some(billing);
        if report.usage.is_empty() && report.context_window.is_none() && report.context_used.is_none() {
            return;
        }
        let Some(session) = self.session(true) else {
            return;
        };
        let agent = self.agent(session);
        let (state, turn) = self.state_and_turn();
        let State { sessions, out, .. } = state;
        let session = &mut sessions[session];
        if named {
            let name = hash_of(&(report.key.as_str(), reach));
            if !session.is_new_report(name, content_of(&report)) {
                return;
            }
        } else {
            report.key = session.free_report_key();
        }
        let turn = session.turn_of_note(turn);
        session.emit(out, turn.map(|turn| turn.id), &agent, Origin::Agent, report);
    }
}

/// A number that differs, most likely, when two reports of one key do.
fn content_of(report: &UsageReported) -> u64 {
    let usage = &report.usage;
    let mut content = FastHasher::default();
    [usage.input, usage.cache_read, usage.cache_write, usage.output, usage.reasoning].hash(&mut content);
    (report.basis, &report.model, report.context_window, report.context_used, &report.billing)
        .hash(&mut content);
    if let Some(cost) = &usage.cost {
        (cost.amount.to_bits(), &cost.currency, &cost.source).hash(&mut content);
    }
    content.finish()
}

fn turn_end(word: &str) -> Option<TurnEndReason> {
    Some(match word {
        "completed" => TurnEndReason::Completed,
        "max-turns" => TurnEndReason::MaxTurns,
        "max-tokens" => TurnEndReason::MaxTokens,
        "budget" => TurnEndReason::Budget,
        "refusal" => TurnEndReason::Refusal,
        "interrupted" => TurnEndReason::Interrupted,
        "failed" => TurnEndReason::Failed,
        "unknown" => TurnEndReason::Unknown,
        other => TurnEndReason::from_tag(other).ok()?,
    })
}

fn trigger(word: &str) -> Option<TurnTrigger> {
    Some(match word {
        "user" => TurnTrigger::User,
        "resume" => TurnTrigger::Resume,
        "notification" => TurnTrigger::Notification,
        "schedule" => TurnTrigger::Schedule,
        "plugin" => TurnTrigger::Plugin(PluginSource::default()),
        "agent" => TurnTrigger::Agent(AgentSource::default()),
        other => TurnTrigger::from_tag(other).ok()?,
    })
}
