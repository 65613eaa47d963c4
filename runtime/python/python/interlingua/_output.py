"""What calls on a session give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict, Union

if TYPE_CHECKING:
    from . import types
    from ._native import Event


class SpawnMessage(TypedDict):
    """Start the agent's program."""

    kind: Literal["spawn"]
    #: The program and its arguments.
    args: list[str]
    cwd: str | None


class TextMessage(TypedDict):
    """Write this line to the agent's input."""

    kind: Literal["text"]
    text: str


class HangUpMessage(TypedDict):
    """Close the agent's input, and see that its program ends."""

    kind: Literal["hang-up"]


class HttpMessage(TypedDict):
    """Make a request of the agent's HTTP interface."""

    kind: Literal["http"]
    method: str
    path: str
    body: str | None


#: What to do to reach the agent.
Message = Union[SpawnMessage, TextMessage, HangUpMessage, HttpMessage]


class Output(TypedDict):
    """What a call on a session leads to."""

    events: list[Event]
    #: What to do to reach the agent, in this order.
    messages: list[Message]
    #: What the agent does not support of the commands.
    degradations: list[types.Degradation]
    #: Commands that failed later, each with the reason.
    refused: list[tuple[types.Command, str]]
