//! What a person sees.

use interlingua::vocabulary::{ItemDelta, ItemState, Json, Origin, Plan, ToolCall, TurnEndReason, TurnEnded};

use super::*;

fn shown(bodies: Vec<EventBody>) -> String {
    let mut screen = Screen::new(Vec::new());
    let events: Vec<Event> =
        bodies.into_iter().map(|body| Event::new("s1", 1, Origin::Agent, body)).collect();
    screen.show(&events).expect("a vector can be written to");
    let text = String::from_utf8(screen.output).expect("UTF-8");
    anstream::adapter::strip_str(&text).to_string()
}

#[test]
fn a_text_is_written_once_however_it_comes() {
    let item = Item::new("m", ItemKind::Message).with_role(ItemRole::Assistant);
    let whole = item.clone().with_block(ContentBlock::text("Hello!"));
    let text = shown(vec![
        EventBody::ItemStarted(item.with_block(ContentBlock::text("He")).into()),
        ItemDelta::new("m", 0, Channel::Text, "ll").into(),
        EventBody::ItemUpdated(whole.clone().into()),
        EventBody::ItemCompleted(ItemState::from(whole.with_status(ItemStatus::Completed))),
        TurnEnded::new("t", TurnEndReason::Completed).into(),
    ]);
    assert_eq!(text, "Hello!\nturn completed\n");
}

#[test]
fn what_the_person_said_is_shown_as_one_line() {
    let item = Item::new("u", ItemKind::Message).with_role(ItemRole::User);
    let whole = item.clone().with_block(ContentBlock::text("Do\nit")).with_status(ItemStatus::Completed);
    let text = shown(vec![
        EventBody::ItemStarted(item.into()),
        ItemDelta::new("u", 0, Channel::Text, "Do\nit").into(),
        EventBody::ItemCompleted(whole.into()),
    ]);
    assert_eq!(text, "> Do it\n");
}

fn screen(events: &[Event]) -> String {
    let mut screen = Screen::new(Vec::new());
    screen.show(events).expect("a vector can be written to");
    let text = String::from_utf8(screen.output).expect("UTF-8");
    anstream::adapter::strip_str(&text).to_string()
}

fn call(id: &str, command: &str) -> Item {
    let call = ToolCall::new(id, "Bash", format!("{{\"command\":\"{command}\"}}"));
    Item::new(id, ItemKind::ToolCall).with_block(call)
}

fn result(id: &str, text: &str, exit_code: i64) -> EventBody {
    let mut result =
        ToolResult::new(id, vec![ContentBlock::text(text)]).with_exit_code(exit_code).with_duration_ms(400);
    result.is_error = exit_code != 0;
    let item = Item::new(format!("{id}/result"), ItemKind::ToolResult).with_status(ItemStatus::Completed);
    EventBody::ItemCompleted(item.with_block(result).into())
}

#[test]
fn a_tool_is_shown_when_it_starts_and_again_when_it_ends() {
    let text = shown(vec![
        EventBody::ItemStarted(call("a", "ls").into()),
        EventBody::ItemStarted(call("b", "make").into()),
        EventBody::ItemCompleted(call("a", "ls").with_status(ItemStatus::Completed).into()),
        result("a", "1\n2\n3\n4\n5\n6\n7\n", 0),
        result("b", "no rule", 2),
    ]);
    let expected = "● Bash ls\n● Bash make\n  ✓ Bash ls, exit code 0, 0.4 s\n  1\n  2\n  3\n  4\n  5\n  … 2 more lines\n  \
                    ✗ failed, exit code 2, 0.4 s\n  no rule\n";
    assert_eq!(text, expected);
}

#[test]
fn arguments_that_are_streamed_are_shown_when_they_are_whole() {
    let empty = Item::new("a", ItemKind::ToolCall).with_block(ToolCall::new("a", "Bash", ""));
    let delta = |text: &str| ItemDelta::new("a", 0, Channel::Arguments, text).into();
    let started = EventBody::ItemStarted(empty.into());
    assert_eq!(shown(vec![started.clone(), delta("{\"command\":")]), "");
    let text = shown(vec![started, delta("{\"command\":"), delta("\"ls\"}"), result("a", "", 0)]);
    assert_eq!(text, "● Bash ls\n  ✓ exit code 0, 0.4 s\n");
}

#[test]
fn nothing_moves_the_cursor() {
    let call = ToolCall::new("c", "Shell\x1b[2J", "{\"command\":\"ls\"}");
    let item = Item::new("c", ItemKind::ToolCall).with_status(ItemStatus::Declined).with_block(call);
    let text = shown(vec![EventBody::ItemCompleted(item.into())]);
    assert_eq!(text, "● \"Shell\\u{1b}[2J\" ls\n  \"Shell\\u{1b}[2J\" ls: not permitted\n");
}

#[test]
fn a_sub_agent_is_named_and_indented_and_its_prompt_is_not_the_persons() {
    let event = |body: EventBody, path: &[&str]| {
        let mut event = Event::new("s1", 1, Origin::Agent, body);
        event.agent_path = path.iter().map(|call| ItemId::from(*call)).collect();
        event
    };
    let message = |id: &str, role: ItemRole, text: &str| {
        let item = Item::new(id, ItemKind::Message).with_role(role).with_block(ContentBlock::text(text));
        EventBody::ItemCompleted(item.with_status(ItemStatus::Completed).into())
    };
    let text = screen(&[
        event(EventBody::ItemStarted(call("task", "Read the notes").into()), &[]),
        event(message("u", ItemRole::User, "Do it"), &["task"]),
        event(message("m", ItemRole::Assistant, "one\ntwo"), &["task"]),
        event(result("task", "done", 0), &[]),
    ]);
    let expected = "● Bash Read the notes\nsub-agent Read the notes\n┃ (asked: Do it)\n┃ one\n┃ two\n  ✓ Bash Read the notes, \
                    exit code 0, 0.4 s\n  done\n";
    assert_eq!(text, expected);
}

#[test]
fn a_plan_is_shown_as_it_changes() {
    let plan = |first: &str| {
        let entries = vec![PlanEntry::new("a", first.into()), PlanEntry::new("b", "pending".into())];
        let item = Item::new("p", ItemKind::Plan).with_block(Plan::new(entries));
        EventBody::ItemUpdated(item.into())
    };
    let text = shown(vec![plan("pending"), plan("pending"), plan("completed")]);
    assert_eq!(text, "plan: 0 of 2 done\n  ☐ a\n  ☐ b\nplan: 1 of 2 done\n  ☑ a\n");
}

#[test]
fn a_retry_says_its_attempt_delay_and_cause() {
    let data = Json::parse("{\"attempt\":1,\"retry_delay_ms\":1078,\"error\":\"rate_limit\"}".to_owned())
        .expect("JSON");
    let status = Status::new("retry").with_detail("rate_limit").with_data(data);
    let item = Item::new("s", ItemKind::Status).with_status(ItemStatus::Completed).with_block(status);
    let text = shown(vec![EventBody::ItemCompleted(item.into())]);
    assert_eq!(text, "retry: rate_limit (attempt 1, retry delay 1.0 s)\n");
}

#[test]
fn what_the_person_said_is_not_repeated() {
    let mut screen = Screen::new(Vec::new());
    screen.said("Do it\nnow", false).expect("a vector can be written to");
    let item = Item::new("u", ItemKind::Message)
        .with_role(ItemRole::User)
        .with_block(ContentBlock::text("Do it\nnow"));
    let body = EventBody::ItemCompleted(item.with_status(ItemStatus::Completed).into());
    screen.show(&[Event::new("s1", 1, Origin::Agent, body)]).expect("a vector can be written to");
    let text = String::from_utf8(screen.output).expect("UTF-8");
    assert_eq!(anstream::adapter::strip_str(&text).to_string(), "> Do it\n> now\n");
}
