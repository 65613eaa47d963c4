"""Sources of bytes, and the events of them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, Union

from . import _native
from ._native import Detector, Event, Map, Translator, UnreadableError

if TYPE_CHECKING:
    from ._native import Stats
    from .types import Event as EventDict

#: How many bytes are read at once. A pipe gives what is there.
CHUNK = 256 * 1024


class Readable(Protocol):
    """A file object that gives bytes."""

    def read(self, size: int = ..., /) -> bytes: ...


#: What can be translated: a path, bytes, a file object, or an iterable of bytes.
Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, Readable, Iterable[bytes]]

#: An event, or what it is as JSON or as a dict.
AnyEvent = Union[Event, "EventDict", dict[str, Any], str, bytes]


def chunks(source: Source) -> Iterator[bytes]:
    """The bytes of a source, piece by piece."""
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            yield from _of_file(file)
    elif isinstance(source, (bytes, bytearray, memoryview)):
        yield bytes(source)
    elif hasattr(source, "read"):
        yield from _of_file(source)
    elif isinstance(source, Iterable):
        for piece in source:
            if isinstance(piece, str):
                raise TypeError("a source gives bytes, and no text: open the file in binary mode, or encode the text")
            yield bytes(piece)
    else:
        raise TypeError(
            f"a source is a path, bytes, a file object or an iterable of bytes, and no {type(source).__name__}"
        )


def _of_file(file: Any) -> Iterator[bytes]:
    # `read1` gives what is there, and does not wait until the buffer is full.
    read = getattr(file, "read1", file.read)
    while piece := read(CHUNK):
        if isinstance(piece, str):
            raise TypeError("a source gives bytes, and no text: open the file in binary mode")
        yield piece


async def _async_chunks(source: Any) -> AsyncIterator[bytes]:
    if isinstance(source, AsyncIterable):
        async for piece in source:
            yield piece
        return
    pieces = chunks(source)
    # Reading may wait, so it happens in a thread.
    while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
        yield piece


class _Feeder:
    """Bytes in, events out. The provider is found out from the first messages."""

    def __init__(self, name: str, map: Map | str | None, session_id: str, raw: bool) -> None:
        self.name = name
        self.session_id, self.raw = session_id, raw
        self.begin = b""
        self.is_universal = False
        self.detector: Detector | None = None
        self.translator: Translator | None = None
        if map is None:
            self.detector = Detector()
        else:
            self.provider: str | None = map if isinstance(map, str) else map.name
            self.translator = Translator(map, session_id, raw)
            return
        self.provider = None

    def push(self, piece: bytes) -> list[Event]:
        if self.translator is not None:
            return self.translator.push(piece)
        if self.is_universal:
            return self._stored(piece)
        assert self.detector is not None
        self.begin += piece
        return self._decided(self.detector.push(piece))

    def _decided(self, found: str | None) -> list[Event]:
        if found is None:
            return []
        begin, self.begin = self.begin, b""
        if found == "universal":
            self.is_universal = True
            return self._stored(begin)
        if found == "unknown":
            if not begin.strip():
                return []
            assert self.detector is not None
            fits = self.detector.candidates()
            names = " or ".join(fits[:3]) if fits else ", ".join(_native.providers())
            raise UnreadableError(
                f"cannot tell which agent wrote {self.name}\n  help: name the provider: "
                + (f"it could be {names}" if fits else f"known are {names}")
            )
        self.provider = found
        self.translator = Translator(found, self.session_id, self.raw)
        return self.translator.push(begin)

    def _stored(self, piece: bytes) -> list[Event]:
        *lines, self.begin = (self.begin + piece).split(b"\n")
        return [Event.from_json(line) for line in lines if line.strip()]

    def finish(self) -> list[Event]:
        events: list[Event] = []
        if self.translator is None and not self.is_universal:
            assert self.detector is not None
            events = self._decided(self.detector.finish())
        if self.translator is not None:
            events += self.translator.finish()
        elif self.begin.strip():
            events.append(Event.from_json(self.begin))
            self.begin = b""
        return events


class Events:
    """The events of a source, for one ``for`` or one ``async for``."""

    def __init__(self, source: Any, map: Map | str | None, session_id: str, raw: bool) -> None:
        name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else "this stream"
        self._source = source
        self._feeder = _Feeder(name, map, session_id, raw)
        self._iterator: Iterator[Event] | None = None

    @property
    def provider(self) -> str | None:
        """The provider that wrote the source; ``None`` until that is known, and for stored events."""
        return self._feeder.provider

    @property
    def stats(self) -> Stats:
        """How many messages were translated, ignored and unparsed so far."""
        translator = self._feeder.translator
        if translator is None:
            return {"messages": 0, "translated": 0, "ignored": 0, "unparsed": 0, "events": 0}
        return translator.stats

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        if self._iterator is None:
            self._iterator = self._all()
        return next(self._iterator)

    def _all(self) -> Iterator[Event]:
        if isinstance(self._source, AsyncIterable):
            raise TypeError("this source is asynchronous: use `async for`")
        for piece in chunks(self._source):
            yield from self._feeder.push(piece)
        yield from self._feeder.finish()

    async def __aiter__(self) -> AsyncIterator[Event]:
        async for piece in _async_chunks(self._source):
            for event in self._feeder.push(piece):
                yield event
        for event in self._feeder.finish():
            yield event


def translate(
    source: Source | AsyncIterable[bytes],
    provider: Map | str | None = None,
    *,
    session_id: str = "s1",
    raw: bool = False,
) -> Events:
    """The universal events of what an agent wrote.

    ``source`` is a path, bytes, a file object, or an iterable of bytes, which may be asynchronous. ``provider`` is the name
    of a bundled provider, or a map of your own (``Map.load``); without it, the first messages tell. Stored events are
    read as they are. With ``raw``, each event has the exact native bytes in ``event.raw``.

    >>> [event.type for event in translate(b'{"type":"thread.started","thread_id":"t-1"}\\n')]
    ['session.started', 'session.ended']
    """
    return Events(source, provider, session_id, raw)


def detect(source: Source) -> str | None:
    """The name of the provider that wrote a source; ``None`` when no bundled one did.

    >>> detect(b'{"type":"thread.started","thread_id":"t-1"}\\n')
    'codex'
    """
    detector = Detector()
    found = None
    for piece in chunks(source):
        found = detector.push(piece)
        if found is not None:
            break
    found = found or detector.finish()
    return None if found in ("unknown", "universal") else found


__all__ = ["AnyEvent", "Events", "Source", "chunks", "detect", "translate"]
