use interlingua::vocabulary::{CallId, ItemId, SessionId, TurnId};

fn end(_turn: TurnId, _session: SessionId) {}

fn main() {
    let (turn, session) = (TurnId::from("t"), SessionId::from("s"));
    end(session.clone(), turn.clone());
    let call: CallId = ItemId::from("i");
}
