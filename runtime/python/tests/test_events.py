"""What is made of events: transcripts, other protocols, findings, and commands back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import interlingua
from conftest import CAPTURES, ROOT, name, recordings
from interlingua.types import Command

BASH = CAPTURES / "claude/2.1.332/04-bash/stdout.jsonl"


@pytest.mark.parametrize("path", recordings()[::7], ids=name)
def test_a_transcript_equals_that_of_the_command(path: Path, command: Callable[..., str]) -> None:
    transcript = interlingua.transcript(interlingua.translate(path))
    assert transcript.to_dict() == json.loads(command("transcript", path))
    assert transcript.sessions == transcript.to_dict()["sessions"]


def test_a_transcript_tells_what_was_used() -> None:
    assert interlingua.transcript([]).usage() is None
    usage = interlingua.transcript(interlingua.translate(BASH)).usage()
    assert usage is not None and usage["output"] > 0
    # Events may come from anywhere: as objects, as dicts, as JSON.
    events = list(interlingua.translate(BASH))
    forms = [events, [event.to_dict() for event in events], [event.to_json() for event in events]]
    assert len({interlingua.transcript(form).to_json() for form in forms}) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("target", interlingua.targets())
@pytest.mark.parametrize("path", recordings()[::19], ids=name)
def test_another_protocol_is_spoken_as_by_the_command(path: Path, target: str, command: Callable[..., str]) -> None:
    messages = list(interlingua.emit(interlingua.translate(path), target))
    expected = [json.loads(line) for line in command("translate", "--to", target, path).splitlines()]
    assert messages == expected


@pytest.mark.parametrize("path", recordings()[::3], ids=name)
def test_no_recording_breaks_a_law(path: Path) -> None:
    assert interlingua.check(interlingua.translate(path)) == []


def test_a_broken_law_is_found() -> None:
    events = [event for event in interlingua.translate(BASH) if event.sequence != 3]
    found = interlingua.check(events)
    assert found[0].event == "s1:4" and "the sequence is 4, and 3 was due" in found[0].message
    assert found[0].law == "law 1 (order)"


def test_both_directions_of_an_agent() -> None:
    session = interlingua.Session("claude")
    asked = session.push_message(
        b'{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool",'
        b'"tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t1"}}'
    )
    assert "permission.requested" in [event.type for event in asked["events"]]
    assert session.open_requests == 1
    allow: Command = {"type": "permission.reply", "permission_id": "r1", "outcome": "allow-once"}
    [message] = session.command(allow)["messages"]
    assert message["kind"] == "text"
    assert json.loads(message["text"])["response"]["response"]["behavior"] == "allow"
    assert session.open_requests == 0
    with pytest.raises(interlingua.CommandError, match="the request `r1` was settled before, as `allow-once`"):
        session.command(allow)
    with pytest.raises(interlingua.CommandError, match="this is no command"):
        session.command({"type": "coffee.make"})
    [spawn, *_] = interlingua.Session("codex").command({"type": "session.start", "prompt": "Hi"})["messages"]
    assert spawn["kind"] == "spawn" and spawn["args"][0] == "codex"
    assert [event.type for event in session.finish()["events"]][-1] == "session.ended"


def test_a_conversation_becomes_a_request_as_by_the_command(tmp_path: Path, command: Callable[..., str]) -> None:
    conversation = [{"id": "m1", "role": "user", "source": {"kind": "user"}, "content": [{"type": "text", "text": "Hi"}]}]
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(conversation))
    for provider in ("anthropic-messages", "gemini", "openai-responses"):
        written = interlingua.request(conversation, provider, "m-1")
        expected = json.loads(command("request", "--to", provider, "--model", "m-1", "--json", file))
        assert written == expected
    with pytest.raises(interlingua.InterlinguaError, match="model"):
        interlingua.request(conversation, "openai-chat")
    with pytest.raises(interlingua.UnreadableError, match="no conversation"):
        interlingua.request("[]", "gemini")


def test_the_sessions_of_this_machine(monkeypatch: pytest.MonkeyPatch, command: Callable[..., str]) -> None:
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(variable, raising=False)
    home = ROOT / "cli/tests/homes/forks/home"
    monkeypatch.setenv("HOME", str(home))
    sessions = interlingua.sessions()
    assert sessions and sessions == [json.loads(line) for line in command("sessions", "--json").splitlines()]
    agent = sessions[0]["provider"]
    assert {session["provider"] for session in interlingua.sessions(agent=agent)} == {agent}
    with pytest.raises(interlingua.UnreadableError, match="(?s)help: "):
        interlingua.sessions(since="the other day")


def test_a_target_is_no_provider() -> None:
    with pytest.raises(interlingua.UnknownProviderError, match="there is no target `nobody`"):
        interlingua.Speaker("nobody")
    with pytest.raises(interlingua.UnknownProviderError, match="is a provider, and no target"):
        interlingua.Speaker(interlingua.Map.bundled("claude"))
