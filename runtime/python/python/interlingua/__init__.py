"""One universal stream of events for every coding agent, translated from its native output.

>>> import interlingua
>>> for event in interlingua.translate(b'{"type":"thread.started","thread_id":"t-1"}\\n'):
...     print(event.type, event.native_session_id)
session.started t-1
session.ended t-1
"""

from . import types
from ._events import Violation, check, emit, transcript
from ._native import (
    ArrowStream,
    Checker,
    CommandError,
    Detector,
    Event,
    InterlinguaError,
    Map,
    MapError,
    Session,
    Speaker,
    Transcript,
    Translator,
    UnknownProviderError,
    UnreadableError,
    providers,
    request,
    sessions,
    targets,
)
from ._output import Output
from ._stream import AnyEvent, Events, Source, detect, translate
from ._tables import TABLES, export_parquet, read_batches, tables

__all__ = [
    "TABLES",
    "AnyEvent",
    "ArrowStream",
    "Checker",
    "CommandError",
    "Detector",
    "Event",
    "Events",
    "InterlinguaError",
    "Map",
    "MapError",
    "Output",
    "Session",
    "Source",
    "Speaker",
    "Transcript",
    "Translator",
    "UnknownProviderError",
    "UnreadableError",
    "Violation",
    "check",
    "detect",
    "emit",
    "export_parquet",
    "providers",
    "read_batches",
    "request",
    "sessions",
    "tables",
    "targets",
    "transcript",
    "translate",
    "types",
]
