"""Translation equals that of the command, whatever the source is."""

from __future__ import annotations

import asyncio
import io
import pickle
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

import interlingua
from conftest import CAPTURES, ROOT, name, recordings

BASH = CAPTURES / "claude/2.1.332/04-bash/stdout.jsonl"


@pytest.mark.parametrize("path", recordings(), ids=name)
def test_every_recording_is_translated_as_by_the_command(path: Path, command: Callable[..., str]) -> None:
    provider = path.relative_to(CAPTURES).parts[0]
    events = interlingua.translate(path)
    lines = "".join(event.to_json() + "\n" for event in events)
    assert lines == command("translate", path)
    assert events.provider == provider
    assert events.stats["messages"] == sum(events.stats[key] for key in ("translated", "ignored", "unparsed"))


def test_a_source_may_be_anything_that_gives_bytes() -> None:
    expected = [event.to_json() for event in interlingua.translate(str(BASH))]
    content = BASH.read_bytes()

    def bytewise() -> Iterator[bytes]:
        for place in range(len(content)):
            yield content[place : place + 1]

    async def bytes_later() -> AsyncIterator[bytes]:
        for line in content.splitlines(keepends=True):
            await asyncio.sleep(0)
            yield line

    async def collected(source: object) -> list[str]:
        return [event.to_json() async for event in interlingua.translate(source)]  # type: ignore[arg-type]

    with BASH.open("rb") as file:
        assert [event.to_json() for event in interlingua.translate(file)] == expected
    assert [event.to_json() for event in interlingua.translate(content)] == expected
    assert [event.to_json() for event in interlingua.translate(memoryview(content))] == expected
    assert [event.to_json() for event in interlingua.translate(io.BytesIO(content))] == expected
    assert [event.to_json() for event in interlingua.translate(bytewise())] == expected
    assert asyncio.run(collected(bytes_later())) == expected
    assert asyncio.run(collected(BASH)) == expected


def test_stored_events_are_read_as_they_are() -> None:
    stored = "".join(event.to_json() + "\n" for event in interlingua.translate(BASH)).encode()
    events = interlingua.translate(stored.strip())
    assert "".join(event.to_json() + "\n" for event in events).encode() == stored
    assert events.provider is None


def test_an_event_has_what_its_json_has() -> None:
    for event in interlingua.translate(BASH, "claude", session_id="mine", raw=True):
        whole = event.to_dict()
        assert (event.type, event.event_id, event.sequence) == (whole["type"], whole["event_id"], whole["sequence"])
        assert event.session_id == whole["session_id"] == "mine"
        assert event.turn_id == whole.get("turn_id")
        assert list(event.agent_path) == whole["agent_path"]
        assert event.data == whole["data"]
        assert event.origin == whole["origin"]
        native = whole.get("native")
        assert event.line == (native["line"] if native else None)
        if event.raw is not None:
            assert event.raw in BASH.read_bytes()
        assert pickle.loads(pickle.dumps(event)) == event == interlingua.Event.from_json(event.to_dict())
        assert len({event, interlingua.Event.from_json(event.to_json())}) == 1


def test_errors_say_what_to_do() -> None:
    with pytest.raises(interlingua.UnreadableError, match=r"(?s)cannot tell which agent wrote this stream.*help: name the provider"):
        list(interlingua.translate(b'{"hello":"world"}\n' * 200))
    with pytest.raises(interlingua.UnknownProviderError, match=r"(?s)there is no provider `nobody`.*known are"):
        list(interlingua.translate(b"", "nobody"))
    with pytest.raises(interlingua.InterlinguaError, match="the stream of a model"):
        interlingua.Translator("openai-chat")
    with pytest.raises(TypeError, match="binary mode"):
        list(interlingua.translate(io.StringIO("{}")))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="async for"):
        list(interlingua.translate(_nothing()))
    with pytest.raises(FileNotFoundError):
        list(interlingua.translate("no-such-file.jsonl"))
    assert list(interlingua.translate(b"")) == []


async def _nothing() -> AsyncIterator[bytes]:
    if False:
        yield b""


def test_detection() -> None:
    assert interlingua.detect(BASH) == "claude"
    assert interlingua.detect(b'{"hello":"world"}') is None
    assert set(interlingua.providers()) >= {"claude", "codex", "opencode", "amp"}


def test_the_lock_is_released_while_bytes_are_translated() -> None:
    """Several threads give the same as one."""
    from concurrent.futures import ThreadPoolExecutor

    def count(path: Path) -> int:
        return sum(1 for _ in interlingua.translate(path))

    paths = recordings()[:40]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(count, paths)) == [count(path) for path in paths]


def test_a_map_of_ones_own(tmp_path: Path) -> None:
    demo = ROOT / "cli/tests/demo"
    own = interlingua.Map.load(demo / "demo.map")
    assert own.name == "demo"
    events = interlingua.translate(demo / "session.jsonl", own)
    assert "Good morning." in [event.text for event in events if event.type == "item.completed"]
    (tmp_path / "broken.map").write_text((demo / "demo.map").read_text().replace("whole: text", "whole: txet"))
    with pytest.raises(interlingua.MapError, match=r"broken\.map:15:97: unknown path `txet`"):
        interlingua.Map.load(tmp_path / "broken.map", demo / "demo.json")
