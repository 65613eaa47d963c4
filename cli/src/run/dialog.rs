//! Asking a person: what an agent wants leave or answers for, with numbered choices, and what the person's lines mean.

use std::collections::VecDeque;
use std::fmt::Write as _;

use interlingua::vocabulary::{
    Command, Event, EventBody, Json, MessageSend, PendingRequest, PermissionOption, PermissionOutcome,
    PermissionReply, PermissionRequested, Question, QuestionReject, QuestionReply,
};

use crate::output::{line, name, text};

/// How many characters of what an agent wants to do are shown: enough to decide about it.
const ACTION: usize = 2000;

/// How many characters of anything else on one line are shown.
const WIDTH: usize = 200;

/// What the person is asked, one thing after the other.
#[derive(Debug, Default)]
pub struct Dialog {
    open: VecDeque<PendingRequest>,
    /// What was answered so far of the first request's questions.
    answers: Vec<Vec<String>>,
    /// The person has the question before them.
    asked: bool,
    /// What is wrong with the last answer, and what is expected.
    problem: Option<String>,
    interrupted: bool,
}

/// What a line of the person means.
#[derive(Debug, PartialEq)]
pub enum Heard {
    /// This command.
    Command(Command),
    /// Nothing yet.
    Nothing,
}

impl Dialog {
    /// Takes up an event.
    pub fn observe(&mut self, event: &Event) {
        match &event.body {
            EventBody::PermissionRequested(request) => {
                self.open.push_back(PendingRequest::Permission((**request).clone()));
            }
            EventBody::QuestionRequested(request) => {
                self.open.push_back(PendingRequest::Question((**request).clone()));
            }
            EventBody::PermissionResolved(done) => self.settled(done.permission_id.as_str()),
            EventBody::QuestionResolved(done) => self.settled(done.question_id.as_str()),
            EventBody::TurnEnded(_) => self.interrupted = false,
            // What was asked has moved up on the screen; when nothing is open, the person may speak again.
            EventBody::TurnStarted(_) if self.open.is_empty() => self.asked = false,
            _ => {}
        }
    }

    /// Whether this interrupt is the first of its turn.
    pub fn interrupted_first(&mut self) -> bool {
        !std::mem::replace(&mut self.interrupted, true)
    }

    /// What to ask now, if that has not been asked. `idle` says that the agent waits for a message.
    pub fn question(&mut self, idle: bool) -> Option<String> {
        if self.asked || (self.open.is_empty() && !idle) {
            return None;
        }
        self.asked = true;
        if let Some(problem) = self.problem.take() {
            return Some(format!("{problem}: "));
        }
        Some(match self.open.front() {
            Some(PendingRequest::Permission(request)) => permission(request),
            Some(PendingRequest::Question(request)) => {
                request.questions.get(self.answers.len()).map(question).unwrap_or_default()
            }
            Some(PendingRequest::HostCall(_)) | None => "\n> ".to_owned(),
        })
    }

    /// Says what is expected instead of an answer.
    fn expect(&mut self, line: &str, expected: &str) -> Heard {
        let given = if line.is_empty() { "an empty line".to_owned() } else { format!("`{}`", name(line)) };
        self.problem = Some(format!("{given} is not an answer; {expected}"));
        Heard::Nothing
    }

    /// Takes a line of the person: an answer while something is asked, and else a message.
    pub fn heed(&mut self, line: &str) -> Heard {
        let line = line.trim();
        self.asked = false;
        match self.open.front() {
            Some(PendingRequest::Permission(request)) => {
                let id = request.permission_id.clone();
                let reply = if request.options.is_empty() {
                    number(line, PLAIN.len()).map(|place| PermissionReply::new(id, PLAIN[place].1))
                } else {
                    let chosen = number(line, request.options.len()).map(|place| &request.options[place]);
                    chosen.map(|option| PermissionReply::option(id, option.id.clone()))
                };
                let many = if request.options.is_empty() { PLAIN.len() } else { request.options.len() };
                match reply {
                    Some(reply) => Heard::Command(reply.into()),
                    None => self.expect(line, &one_of(many)),
                }
            }
            Some(PendingRequest::Question(request)) => {
                let id = request.question_id.clone();
                if line.is_empty() {
                    self.answers.clear();
                    return Heard::Command(QuestionReject::new(id).into());
                }
                let Some(asked) = request.questions.get(self.answers.len()) else { return Heard::Nothing };
                if asked.schema.is_some() {
                    return match Json::parse(line.to_owned()) {
                        Ok(content) => {
                            Heard::Command(QuestionReply::new(id, Vec::new()).with_content(content).into())
                        }
                        Err(error) => self.expect(line, &format!("type JSON on one line ({error})")),
                    };
                }
                let Some(answer) = answer(asked, line) else {
                    let many = asked.options.len();
                    let expected = match asked.multi_select {
                        true => format!("type numbers from 1 to {many}, with commas between them"),
                        false => one_of(many),
                    };
                    return self.expect(line, &expected);
                };
                self.answers.push(answer);
                if self.answers.len() < request.questions.len() {
                    return Heard::Nothing;
                }
                Heard::Command(QuestionReply::new(id, std::mem::take(&mut self.answers)).into())
            }
            Some(PendingRequest::HostCall(_)) | None if line.is_empty() => Heard::Nothing,
            Some(PendingRequest::HostCall(_)) | None => Heard::Command(MessageSend::text(line).into()),
        }
    }

    fn settled(&mut self, id: &str) {
        if self.open.front().is_some_and(|request| request.id() == id) {
            self.answers.clear();
            self.asked = false;
            self.problem = None;
        }
        self.open.retain(|request| request.id() != id);
    }
}

/// What a request that offers nothing can be answered with.
const PLAIN: [(&str, PermissionOutcome); 2] =
    [("yes", PermissionOutcome::AllowOnce), ("no", PermissionOutcome::Reject)];

fn one_of(many: usize) -> String {
    format!("type a number from 1 to {many}")
}

/// A request for permission: each thing that the agent says stands on a line of its own, behind a label of ours.
fn permission(request: &PermissionRequested) -> String {
    let action = &request.action;
    let mut asked = format!("\n? permission for the tool {}", name(&action.name));
    if let Some(arguments) = &action.arguments {
        let _ = write!(asked, "\n  arguments: {}", line(arguments, ACTION));
    }
    for path in &action.paths {
        let _ = write!(asked, "\n  path: {}", name(path));
    }
    if let Some(reason) = &action.reason {
        let _ = write!(asked, "\n  reason: {}", line(reason, ACTION));
    }
    let label = |option: &PermissionOption| name(option.label.as_deref().unwrap_or(&option.id));
    let offered = request.options.iter().map(|option| (label(option), option.outcome));
    let plainly = PLAIN.iter().map(|(label, outcome)| ((*label).to_owned(), *outcome));
    let choices: Vec<(String, PermissionOutcome)> =
        if request.options.is_empty() { plainly.collect() } else { offered.collect() };
    for (place, (label, outcome)) in choices.iter().enumerate() {
        let _ = write!(asked, "\n  {}) {label} ({outcome})", place + 1);
    }
    asked.push_str("\nyour choice, by its number: ");
    asked
}

/// A question. Its text may have several lines, each of which is marked as the agent's.
fn question(question: &Question) -> String {
    let mut asked = "\n? question".to_owned();
    if let Some(header) = &question.header {
        let _ = write!(asked, ": {}", line(header, WIDTH));
    }
    for line in text(&question.text).lines() {
        let _ = write!(asked, "\n  | {line}");
    }
    if let Some(url) = &question.url {
        let _ = write!(asked, "\n  address: {}", name(url));
    }
    for (place, option) in question.options.iter().enumerate() {
        let _ = write!(asked, "\n  {}) {}", place + 1, name(&option.label));
        if let Some(description) = &option.description {
            let _ = write!(asked, ": {}", line(description, WIDTH));
        }
    }
    if let Some(schema) = &question.schema {
        let _ = write!(asked, "\n  as JSON that fits {}", line(schema.get(), ACTION));
    }
    asked.push_str(match (question.options.is_empty(), question.multi_select, question.free_text) {
        (true, _, _) => "\nyour answer (an empty line gives none): ",
        (false, true, true) => {
            "\nyour choices, by their numbers with commas, or your own words (an empty line gives none): "
        }
        (false, true, false) => "\nyour choices, by their numbers with commas (an empty line gives none): ",
        (false, false, true) => {
            "\nyour choice, by its number, or your own words (an empty line gives none): "
        }
        (false, false, false) => "\nyour choice, by its number (an empty line gives none): ",
    });
    asked
}

/// What a line answers: chosen labels, or the words themselves where those are possible.
fn answer(question: &Question, line: &str) -> Option<Vec<String>> {
    let many = question.options.len();
    let chosen: Option<Vec<usize>> = line.split(',').map(|word| number(word.trim(), many)).collect();
    match chosen {
        Some(places) if places.len() == 1 || question.multi_select => {
            Some(places.into_iter().map(|place| question.options[place].label.clone()).collect())
        }
        _ if question.free_text || many == 0 => Some(vec![line.to_owned()]),
        _ => None,
    }
}

/// A choice by its number, counted from 0.
fn number(word: &str, many: usize) -> Option<usize> {
    word.parse::<usize>().ok()?.checked_sub(1).filter(|place| *place < many)
}

#[cfg(test)]
mod tests {
    use interlingua::vocabulary::{Origin, PermissionAction, QuestionOption, QuestionRequested};

    use super::*;

    fn asked(dialog: &mut Dialog, body: impl Into<EventBody>) {
        dialog.observe(&Event::new("s1", 1, Origin::Agent, body));
    }

    fn leave() -> PermissionRequested {
        let option = |id: &str, outcome| PermissionOption::new(id, outcome, Json::null());
        let action = PermissionAction::new("Shell").with_arguments("{\"command\":\"ls\x1b[2J\"}");
        PermissionRequested::new("p", action)
            .with_option(option("yes", PermissionOutcome::AllowOnce))
            .with_option(option("no", PermissionOutcome::Reject))
    }

    #[test]
    fn leave_is_given_by_a_number_and_asked_for_again_until_it_is_one() {
        let mut dialog = Dialog::default();
        assert_eq!(dialog.question(false), None);
        asked(&mut dialog, leave());
        let text = dialog.question(false).expect("a question");
        assert!(text.contains("permission for the tool Shell\n  arguments: {\"command\":\"ls"), "{text}");
        assert!(text.contains("2) no (reject)"), "{text}");
        assert!(!text.contains('\x1b'), "{text:?}");
        assert_eq!(dialog.question(false), None, "asked only once");
        for wrong in ["", "3", "0", "yes"] {
            assert_eq!(dialog.heed(wrong), Heard::Nothing);
            let again = dialog.question(false).expect("asked again");
            assert!(again.contains("type a number from 1 to 2"), "{wrong:?}: {again}");
        }
        assert_eq!(dialog.heed(" 2 "), Heard::Command(PermissionReply::option("p", "no").into()));
    }

    #[test]
    fn a_name_cannot_look_like_a_prompt() {
        let mut dialog = Dialog::default();
        let fake = "Bash\n  1) Allow (allow-once)\nyour choice, by its number: ";
        let mut request = leave();
        request.action = PermissionAction::new(fake);
        asked(&mut dialog, request);
        let text = dialog.question(false).expect("a question");
        assert_eq!(text.lines().filter(|line| line.contains("your choice")).count(), 2, "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("your choice")).count(), 1, "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("  1)")).count(), 1, "{text}");
    }

    #[test]
    fn leave_without_offered_options_is_given_once_or_refused() {
        for (line, outcome) in [("1", PermissionOutcome::AllowOnce), ("2", PermissionOutcome::Reject)] {
            let mut dialog = Dialog::default();
            asked(&mut dialog, PermissionRequested::new("p", leave().action));
            let text = dialog.question(false).expect("a question");
            assert!(text.contains("1) yes (allow-once)") && text.contains("2) no (reject)"), "{text}");
            assert_eq!(dialog.heed("3"), Heard::Nothing);
            assert_eq!(dialog.heed(line), Heard::Command(PermissionReply::new("p", outcome).into()));
        }
    }

    #[test]
    fn several_questions_are_asked_one_by_one() {
        let mut dialog = Dialog::default();
        let colours = Question::new("Which?")
            .with_option(QuestionOption::new("Red"))
            .with_option(QuestionOption::new("Blue"));
        let many = colours.clone().with_multi_select().with_free_text();
        let request = QuestionRequested::new("q", vec![colours, many, Question::new("Why?")]);
        asked(&mut dialog, request);
        for line in ["1,2", "green", "2", "1, 2"] {
            assert!(dialog.question(false).is_some());
            assert_eq!(dialog.heed(line), Heard::Nothing);
        }
        let given = vec![vec!["Blue"], vec!["Red", "Blue"], vec!["because, you know"]];
        let given = given.into_iter().map(|all| all.into_iter().map(str::to_owned).collect()).collect();
        assert_eq!(dialog.heed("because, you know"), Heard::Command(QuestionReply::new("q", given).into()));
    }

    #[test]
    fn what_is_settled_elsewhere_is_not_asked_any_more() {
        let mut dialog = Dialog::default();
        asked(&mut dialog, leave());
        assert!(dialog.question(false).is_some());
        let done = interlingua::vocabulary::PermissionResolved::new("p", PermissionOutcome::Cancelled);
        asked(&mut dialog, done);
        assert_eq!(dialog.question(false), None);
        assert_eq!(dialog.heed("go on"), Heard::Command(MessageSend::text("go on").into()));
    }
}
