//! The messages of JSON-RPC that a map writes: `request "method" { … }`.

use crate::ast::{Expr, ExprKind, Path, PathStep, Rpc, Start, Word};
use crate::diagnostic::Fault;
use crate::sources::Span;

/// The message as a value. The id of a request is its method and the number of the command, which no other request of the
/// session has; that of an answer is the native one, exactly.
pub(crate) fn message(
    span: Span,
    what: &Rpc,
    value: Option<&Expr>,
    command: &str,
    tells_jsonrpc: bool,
) -> Result<Expr, Fault> {
    let of = |kind| Expr { span, kind };
    let text = |text: &str| of(ExprKind::Text(text.to_owned()));
    let member = |name: &str, value: Expr| (Word { text: name.to_owned(), span }, value);
    let path = |start, key: &str| Path {
        span,
        start,
        steps: vec![PathStep::Key(Word { text: key.to_owned(), span })],
    };
    let mut members = Vec::new();
    if tells_jsonrpc {
        members.push(member("jsonrpc", text("2.0")));
    }
    match what {
        Rpc::Request(method) => {
            let number = of(ExprKind::Path(path(Start::Around, "number")));
            let id = ExprKind::Concat(vec![text(&format!("{}-", method.text)), number]);
            members.push(member("id", of(id)));
            members.push(member("method", text(&method.text)));
        }
        Rpc::Notify(method) => members.push(member("method", text(&method.text))),
        Rpc::Reply | Rpc::Fail => {
            let field = match command {
                "permission.reply" => "permission_id",
                "question.reply" | "question.reject" => "question_id",
                "host-call.reply" => "request_id",
                _ => {
                    let message = "this is allowed only in the rule of a command that answers a request, and not in a block";
                    return Err(Fault::new(span, message));
                }
            };
            let native = path(Start::Root, field);
            let parsed = of(ExprKind::Parse(native.clone(), Vec::new()));
            members.push(member("id", of(ExprKind::First(vec![parsed, of(ExprKind::Path(native))]))));
        }
    }
    if let Some(value) = value {
        let name = match what {
            Rpc::Request(_) | Rpc::Notify(_) => "params",
            Rpc::Reply => "result",
            Rpc::Fail => "error",
        };
        members.push(member(name, value.clone()));
    }
    Ok(of(ExprKind::Object(members)))
}
