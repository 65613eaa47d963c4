"""Sessions as tables of Arrow."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Union

from . import _native
from ._native import ArrowStream, Map, TableBuilder

if TYPE_CHECKING:
    import pyarrow as pa

#: The names of the tables.
TABLES: tuple[str, ...] = tuple(name for name, _ in _native.table_columns())

#: A file or a folder of them, or several of these.
Files = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]

#: The endings of the files that are read in a folder.
ENDINGS = {".jsonl", ".json", ".sse"}


def _files(sources: Files) -> Iterator[Path]:
    """The files, and those below folders, sorted."""
    if isinstance(sources, (str, os.PathLike)):
        sources = [sources]
    for source in map(Path, sources):
        if source.is_dir():
            yield from sorted(path for path in source.rglob("*") if path.suffix in ENDINGS and path.is_file())
        else:
            yield source


def tables(
    sources: Files, names: Iterable[str] | None = None, *, provider: Map | str | None = None
) -> dict[str, ArrowStream]:
    """The tables of files and folders. Each is a stream of Arrow, which pyarrow, Polars, DuckDB and pandas read without
    a copy, once.

    ``names`` are the wanted tables; the default is all of ``TABLES``. A file that cannot be read has a row in the table
    ``sources``, with the reason in ``error``.
    """
    wanted = list(names) if names is not None else list(TABLES)
    builder = TableBuilder(wanted, provider)
    for path in _files(sources):
        builder.add_file(path)
    return {name: builder.take(name) for name in wanted}


def read_batches(sources: Files, table: str, *, provider: Map | str | None = None) -> pa.RecordBatchReader:
    """One table of files and folders as a ``pyarrow.RecordBatchReader``. It reads a file when its rows are asked for,
    so that memory does not grow with the number of files.
    """
    import pyarrow as pa

    builder = TableBuilder([table], provider)
    schema = pa.schema(builder.take(table))

    def batches() -> Iterator[pa.RecordBatch]:
        for path in _files(sources):
            builder.add_file(path)
            yield from pa.RecordBatchReader.from_stream(builder.take(table))

    return pa.RecordBatchReader.from_batches(schema, batches())


def export_parquet(folder: str | os.PathLike[str], sources: Files = (), names: Iterable[str] | None = None) -> list[str]:
    """Writes the tables of files and folders as Parquet files into a folder, on all cores; without sources, those of all
    sessions of this machine. The files appear when all of them are complete.

    Gives the reasons of the sources that could not be read.
    """
    files = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
    return _native.export_parquet(folder, files, None if names is None else list(names))
