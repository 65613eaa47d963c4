"""What is made of events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ._native import Checker, Map, Speaker, Transcript
from ._stream import AnyEvent


class Violation(NamedTuple):
    """A law that a stream breaks."""

    #: The law, with its number and name.
    law: str
    #: The event that breaks it, ``{session_id}:{sequence}``.
    event: str
    #: What is wrong.
    message: str


def check(events: Iterable[AnyEvent]) -> list[Violation]:
    """The laws of the vocabulary that a whole stream of events breaks.

    >>> import interlingua
    >>> check(interlingua.translate(b'{"type":"thread.started","thread_id":"t-1"}\\n'))
    []
    """
    checker = Checker()
    found = [violation for event in events for violation in checker.push(event)]
    return [Violation(**violation) for violation in found + checker.finish()]


def emit(events: Iterable[AnyEvent], target: Map | str) -> Iterator[dict[str, Any]]:
    """Events as the messages of another protocol, such as ``ag-ui``; ``targets()`` lists those that are bundled.

    >>> import interlingua
    >>> events = interlingua.translate(b'{"type":"turn.started"}\\n', "codex")
    >>> [message["type"] for message in emit(events, "ag-ui")][0]
    'RUN_STARTED'
    """
    speaker = Speaker(target)
    for event in events:
        yield from speaker.push(event)
    yield from speaker.finish()


def transcript(events: Iterable[AnyEvent], *, keep_turns: int | None = None) -> Transcript:
    """What a stream of events amounts to: sessions with turns, items, changed files, tokens and cost.

    With ``keep_turns``, only so many of the turns that have ended are kept; the totals include the others.

    >>> import interlingua
    >>> done = transcript(interlingua.translate(b'{"type":"thread.started","thread_id":"t-1"}\\n'))
    >>> done.sessions[0]["native_session_id"]
    't-1'
    """
    fold = Transcript(keep_turns)
    for event in events:
        fold.push(event)
    return fold
