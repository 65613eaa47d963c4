import os
from collections.abc import Sequence
from typing import Any, TypedDict

from typing_extensions import Self

from . import types
from ._output import Output

class InterlinguaError(Exception):
    """The base of all exceptions of this package. The text says what went wrong, where, and what to do about it."""

class UnknownProviderError(InterlinguaError):
    """There is no provider or target of this name."""

class MapError(InterlinguaError):
    """A term map has faults, each with its line and column, or cannot be read."""

class CommandError(InterlinguaError):
    """A command cannot be given to the agent."""

class UnreadableError(InterlinguaError):
    """The input cannot be read as what it should be."""

class Map:
    """A compiled term map: a bundled provider's, or one from a file."""

    @staticmethod
    def bundled(name: str) -> Map: ...
    @staticmethod
    def load(path: str | os.PathLike[str], schema: str | os.PathLike[str] | None = None) -> Map:
        """A map of your own. ``schema`` is the provider's schema, if it is not where the map says."""
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...

class Event:
    """A universal event. Its members are read when they are asked for."""

    @property
    def type(self) -> str:
        """The event's type, such as ``item.completed``."""
    @property
    def event_id(self) -> str:
        """The event's name, ``{session_id}:{sequence}``."""
    @property
    def sequence(self) -> int: ...
    @property
    def session_id(self) -> str: ...
    @property
    def native_session_id(self) -> str | None: ...
    @property
    def turn_id(self) -> str | None: ...
    @property
    def agent_path(self) -> tuple[str, ...]:
        """The tool calls that lead to the sub-agent that acted; empty for the main agent."""
    @property
    def origin(self) -> str:
        """``agent``, or ``daemon`` for what the translation concluded."""
    @property
    def time(self) -> str | None:
        """When it happened, as RFC 3339 text in UTC."""
    @property
    def line(self) -> int | None:
        """The line of the native message, from 1."""
    @property
    def raw(self) -> bytes | None:
        """The exact bytes of the native message, if they were asked for."""
    @property
    def item_id(self) -> str | None: ...
    @property
    def text(self) -> str | None:
        """The text of a delta, or of the item that was started, updated or completed."""
    @property
    def data(self) -> dict[str, Any]:
        """What happened."""
    def to_dict(self) -> types.Event: ...
    def to_json(self) -> str: ...
    @staticmethod
    def from_json(json: str | bytes | types.Event | dict[str, Any]) -> Event: ...

class Stats(TypedDict):
    messages: int
    translated: int
    ignored: int
    unparsed: int
    events: int

class Translator:
    """Translates the native bytes of one stream, pushed in slices of any size, split anywhere."""

    def __new__(cls, map: Map | str, session_id: str = "s1", raw: bool = False) -> Self: ...
    def push(self, bytes: bytes) -> list[Event]: ...
    def push_message(self, message: bytes) -> list[Event]: ...
    def idle(self) -> list[Event]:
        """The agent has been silent for a while: a turn end that is held comes now."""
    def finish(self) -> list[Event]:
        """The end of the stream: everything that is open ends."""
    @property
    def stats(self) -> Stats: ...

class Detector:
    """Finds out who wrote a stream, while it arrives."""

    def __new__(cls) -> Self: ...
    def push(self, bytes: bytes) -> str | None:
        """``None`` while it is undecided; else the provider's name, ``universal``, or ``unknown``."""
    def finish(self) -> str | None: ...
    def candidates(self) -> list[str]: ...

class Session:
    """One agent in both directions: native bytes and commands in, events and native messages out."""

    def __new__(cls, map: Map | str, session_id: str = "s1", raw: bool = False) -> Self: ...
    def push(self, bytes: bytes) -> Output: ...
    def push_message(self, message: bytes) -> Output: ...
    def command(self, command: types.Command | dict[str, Any] | str) -> Output:
        """Gives the agent a command. One that needs what is not known yet waits, and gives no output."""
    def idle(self) -> Output: ...
    def finish(self) -> Output: ...
    @property
    def open_requests(self) -> int:
        """How many requests of the agent wait for an answer."""

class Transcript:
    """The current state of the sessions of a stream: turns, items, requests, changed files, tokens and cost."""

    def __new__(cls, keep_turns: int | None = None) -> Self: ...
    def push(self, event: Event | types.Event | dict[str, Any] | str | bytes) -> None: ...
    def to_dict(self) -> types.Transcript: ...
    def to_json(self) -> str: ...
    @property
    def sessions(self) -> list[types.TranscriptSession]: ...
    def usage(self) -> types.Usage | None:
        """What all sessions used together; ``None`` when nothing is known."""

class Speaker:
    """Writes events as the messages of a target."""

    def __new__(cls, target: Map | str) -> Self: ...
    def push(self, event: Event | types.Event | dict[str, Any] | str | bytes) -> list[dict[str, Any]]: ...
    def finish(self) -> list[dict[str, Any]]: ...

class Checker:
    """Checks a stream of events against the laws."""

    def __new__(cls) -> Self: ...
    def push(self, event: Event | types.Event | dict[str, Any] | str | bytes) -> list[dict[str, str]]: ...
    def finish(self) -> list[dict[str, str]]: ...

class ArrowStream:
    """The rows of a table as a stream of Arrow, which can be read once."""

    def __len__(self) -> int:
        """How many rows there are."""
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class TableBuilder:
    """Collects the rows of tables, source by source."""

    def __new__(cls, tables: Sequence[str] | None = None, map: Map | str | None = None) -> Self: ...
    def add_file(self, path: str | os.PathLike[str]) -> str | None:
        """Adds a file. One that cannot be read has a row in ``sources``, and its reason is given back."""
    def add_bytes(self, name: str, bytes: bytes) -> str | None:
        """Adds bytes, under a name of their source."""
    def take(self, table: str) -> ArrowStream:
        """Takes the rows of a table so far."""

class Request(TypedDict):
    """The request body of a provider."""

    path: str
    body: dict[str, Any]
    degradations: list[types.Degradation]

def request(
    conversation: Sequence[types.Message] | types.ModelRequest | dict[str, Any] | list[Any] | str,
    to: Map | str,
    model: str | None = None,
) -> Request:
    """A conversation as the request body of a model's provider."""

def providers() -> list[str]:
    """The names of the bundled providers."""

def targets() -> list[str]:
    """The names of the bundled targets."""

def target(name: str) -> Map: ...
def sessions(
    agent: str | None = None, since: str | None = None, cwd: str | os.PathLike[str] | None = None
) -> list[dict[str, Any]]:
    """The sessions of this machine, newest first, with the members of ``interlingua sessions --json``. ``since`` is a day,
    a time, or such as ``2d`` for two days ago."""

def export_parquet(
    folder: str | os.PathLike[str], files: Sequence[str | os.PathLike[str]], tables: Sequence[str] | None = None
) -> list[str]: ...
def table_columns() -> list[tuple[str, list[tuple[str, str, str]]]]: ...
def vocabulary_schema() -> str: ...
