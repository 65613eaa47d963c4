//! An ACP agent in front of Codex: editors speak the Agent Client Protocol on standard input and output, and each session
//! that they open has a Codex of its own.
//!
//! `interlingua run --agent codex --speak acp` does the same with more care for programs that fail.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, Command as Program, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use interlingua::vocabulary::{Command, Json};
use interlingua::{ClientSession, NativeMessage, Options, Session};

fn main() -> io::Result<()> {
    serve(io::stdin(), io::stdout(), None)
}

fn serve(input: impl Read + Send + 'static, mut out: impl Write, program: Option<&str>) -> io::Result<()> {
    let codex = interlingua::provider("codex").expect("a bundled provider");
    let acp = interlingua::target("acp").expect("a bundled target");
    let mut client = ClientSession::new(acp, codex, "codex");
    let mut agents: Vec<(Session, Option<ChildStdin>)> = Vec::new();
    let (lines, heard) = channel();
    listen(None, input, lines.clone());
    for (from, line) in heard {
        let mut steps = Vec::new();
        match from {
            None if line.is_empty() => break,
            None => {
                let said = client.push_message(line.as_bytes());
                tell(&mut out, &said.messages)?;
                for given in said.commands {
                    if let Command::SessionStart(_) = given.command {
                        agents.push((Session::new(codex, Options::default()), None));
                    }
                    let step = agents[given.session].0.command(&given.command);
                    let result = step.as_ref().map(drop).map_err(ToString::to_string);
                    tell(&mut out, &client.given(&given, result))?;
                    steps.push((given.session, step.unwrap_or_default()));
                }
            }
            Some(session) if line.is_empty() => tell(&mut out, &client.ended(session, "Codex has ended"))?,
            Some(session) => steps.push((session, agents[session].0.push_message(line.as_bytes()))),
        }
        for (session, step) in steps {
            for message in &step.messages {
                match (message, &mut agents[session].1) {
                    (NativeMessage::Spawn { args, .. }, input) => {
                        let mut command = Program::new(program.unwrap_or(&args[0]));
                        command.args(&args[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
                        let mut agent = command.spawn()?;
                        *input = agent.stdin.take();
                        listen(Some(session), agent.stdout.take().expect("a pipe"), lines.clone());
                    }
                    (NativeMessage::Text(text), Some(input)) => writeln!(input, "{}", text.get())?,
                    (NativeMessage::HangUp, input) => *input = None,
                    _ => {}
                }
            }
            step.events.iter().try_for_each(|event| tell(&mut out, &client.event(session, event)))?;
        }
    }
    Ok(())
}

/// Passes on the lines of the client, or of a session's agent; an empty one is the end.
fn listen(from: Option<usize>, input: impl Read + Send + 'static, to: Sender<(Option<usize>, String)>) {
    thread::spawn(move || {
        let lines = BufReader::new(input).lines().map_while(Result::ok).filter(|line| !line.is_empty());
        lines.chain([String::new()]).try_for_each(|line| to.send((from, line)))
    });
}

fn tell(out: &mut impl Write, messages: &[Json]) -> io::Result<()> {
    messages.iter().try_for_each(|message| writeln!(out, "{}", message.get()))?;
    out.flush()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_client_opens_a_session_is_asked_for_leave_and_answered() {
        let (input, mut client) = io::pipe().expect("a pipe");
        let (answers, out) = io::pipe().expect("a pipe");
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../cli/tests/agents/rpc.sh");
        let served = thread::spawn(move || serve(input, out, Some(program)));
        let mut answers = BufReader::new(answers).lines();
        let mut until = |piece: &str| {
            let mut lines = answers.by_ref().map(|line| line.expect("text"));
            lines.find(|line| line.contains(piece)).unwrap_or_else(|| panic!("no {piece}"))
        };
        let mut ask = |line: &str| writeln!(client, "{line}").expect("it reads");
        ask(r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}"#);
        assert_eq!(until(r#""id":1"#), r#"{"jsonrpc":"2.0","id":1,"result":{"sessionId":"t1"}}"#);
        ask(
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"t1","prompt":[{"type":"text","text":"Go"}]}}"#,
        );
        let asked: serde_json::Value =
            serde_json::from_str(&until("session/request_permission")).expect("JSON");
        let option = &asked["params"]["options"][0]["optionId"];
        let outcome = serde_json::json!({"outcome": {"outcome": "selected", "optionId": option}});
        ask(&serde_json::json!({"jsonrpc": "2.0", "id": asked["id"], "result": outcome}).to_string());
        assert!(until(r#""id":2"#).contains("end_turn"));
        drop(client);
        served.join().expect("no panic").expect("no fault");
    }
}
