"""The tables of a corpus that outgrows one machine, on Apache Spark.

The files may lie wherever Spark reads from: a local folder, HDFS, S3. Each is read by one task, whole, so that a file of
1 GB needs that much memory. A file that cannot be read is a row of the table ``sources`` with the reason in ``error``,
and no failed job.

>>> from interlingua import spark as tables                                     # doctest: +SKIP
>>> usage = tables.read(session, "s3a://corpus/sessions")["usage"]              # doctest: +SKIP
>>> usage.groupBy("model").sum("cost").show()                                   # doctest: +SKIP
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from . import _native
from ._native import TableBuilder
from ._tables import TABLES

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

#: The endings of the files that are read.
PATTERN = "*.{jsonl,json,sse}"

#: The names of Spark's types for the kinds of columns.
_TYPES = {
    "text": "string",
    "JSON text": "string",
    "list of texts": "array<string>",
    "integer": "bigint",
    "number": "double",
    "boolean": "boolean",
    "timestamp": "timestamp",
}


def schema(table: str) -> str:
    """The schema of a table, as Spark's DDL."""
    columns = dict(_native.table_columns())[table]
    return ", ".join(f"`{name}` {_TYPES[kind]}" for name, kind, _ in columns)


def _files(spark: SparkSession, path: str | Iterable[str], pattern: str) -> DataFrame:
    """A row for each file: `path`, `modificationTime`, `length` and, if it is asked for, `content`."""
    paths = [path] if isinstance(path, str) else list(path)
    reader = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    return reader.option("pathGlobFilter", pattern).load(paths)


def _rows(files: DataFrame, table: str) -> DataFrame:
    return files.select("path", "content").mapInArrow(partial(_read, table), schema(table))


def _read(table: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of one table."""
    import pyarrow as pa

    builder = TableBuilder([table])
    for batch in batches:
        for path, content in zip(batch.column("path"), batch.column("content")):
            builder.add_bytes(path.as_py(), content.as_py())
            yield from pa.RecordBatchReader.from_stream(builder.take(table))


class Tables(Mapping[str, "DataFrame"]):
    """The tables of some files: a ``DataFrame`` for each name. A table reads the files when it is used, and keeps nothing:
    to use several tables of a large corpus, write them once with :func:`append`.
    """

    def __init__(self, frames: Mapping[str, DataFrame]) -> None:
        self._frames = dict(frames)

    def __getitem__(self, name: str) -> DataFrame:
        return self._frames[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._frames)

    def __len__(self) -> int:
        return len(self._frames)


def read(spark: SparkSession, path: str | Iterable[str], *, pattern: str = PATTERN) -> Tables:
    """The tables of all files below a path, or several.

    A call of a model that several files have, since sessions were forked or resumed, is a copy in all but one of them:
    ``is_copy`` of the table ``usage`` says which.
    """
    files = _files(spark, path, pattern)
    frames = {table: _rows(files, table) for table in TABLES}
    return Tables({**frames, "usage": _marked(frames["usage"])})


def _marked(usage: DataFrame) -> DataFrame:
    """The table `usage` with its column `is_copy`: of the rows with one key, the earliest counts."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    earliest = Window.partitionBy("key").orderBy(f.col("reported_at").asc_nulls_last(), "source", "session_id")
    is_copy = f.when(f.col("key").isNull(), f.lit(False)).otherwise(f.row_number().over(earliest) > 1)
    return usage.withColumn("is_copy", is_copy)


def append(spark: SparkSession, path: str | Iterable[str], out: str, *, pattern: str = PATTERN) -> int:
    """Reads the files that are new or have changed since the last time, and appends their rows to the tables below
    ``out``, as Parquet files. Gives the number of files that were read.

    A job that fails half way leaves nothing that :func:`load` sees, and the next one repeats it.
    """
    from pyspark.sql import functions as f
    from pyspark.storagelevel import StorageLevel

    run = time.time_ns() // 1000
    found = _files(spark, path, pattern)
    known = _stored(spark, out, "sources")
    if known is not None:
        latest = known.groupBy("source").agg(f.max_by(f.struct("bytes", "file_modified"), "run").alias("latest"))
        same = (f.col("path") == f.col("source")) & (
            f.struct(f.col("length"), f.col("modificationTime")) == f.col("latest")
        )
        # The contents are not read for this: Spark reads only the columns that are used.
        new = found.select("path", "modificationTime", "length").join(latest, same, "left_anti")
        found = found.join(new.select("path"), "path", "left_semi")
    packed = found.select("path", "modificationTime", "length", "content").mapInArrow(
        _pack, "path string, modified timestamp, length bigint, name string, rows binary"
    )
    packed = packed.persist(StorageLevel.DISK_ONLY)
    try:
        count = packed.filter(f.col("name") == "sources").count()
        if count == 0:
            return 0
        # The sources come last: rows of a run that they do not name are not seen.
        for table in (*(name for name in TABLES if name != "sources"), "sources"):
            rows = packed.filter(f.col("name") == table)
            rows = rows.select("modified", "length", "rows").mapInArrow(
                _unpack, f"{schema(table)}, file_modified timestamp, file_length bigint"
            )
            if table == "sources":
                rows = rows.withColumn("bytes", f.col("file_length"))
            else:
                rows = rows.drop("file_modified")
            rows.drop("file_length").withColumn("run", f.lit(run)).write.mode("append").parquet(f"{out}/{table}")
    finally:
        packed.unpersist()
    return count


def load(spark: SparkSession, out: str) -> Tables:
    """The tables that :func:`append` has written. Of a file that was read several times, the last time counts."""
    from pyspark.sql import functions as f

    sources = _stored(spark, out, "sources")
    if sources is None:
        raise FileNotFoundError(f"there are no tables below {out}: `append` writes them")
    latest = sources.groupBy("source").agg(f.max("run").alias("run"))
    frames = {}
    for table in TABLES:
        rows = _stored(spark, out, table)
        if rows is None:
            rows = spark.createDataFrame([], schema(table) + ", run bigint")
        rows = rows.join(latest, ["source", "run"], "left_semi").drop("run", "file_modified")
        frames[table] = _marked(rows) if table == "usage" else rows
    return Tables(frames)


def _stored(spark: SparkSession, out: str, table: str) -> DataFrame | None:
    from pyspark.errors import AnalysisException

    try:
        return spark.read.parquet(f"{out}/{table}")
    except AnalysisException as error:
        # Nothing was written yet.
        if error.getCondition() in ("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA"):
            return None
        raise


def _pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """All tables of each file, each as bytes, so that a file is read once."""
    import pyarrow as pa

    builder = TableBuilder()
    for batch in batches:
        for path, modified, length, content in zip(*(batch.column(place) for place in range(4))):
            builder.add_bytes(path.as_py(), content.as_py())
            names, rows = [], []
            for table in TABLES:
                reader = pa.RecordBatchReader.from_stream(builder.take(table))
                sink = pa.BufferOutputStream()
                with pa.ipc.new_stream(sink, reader.schema) as writer:
                    for part in reader:
                        writer.write_batch(part)
                names.append(table)
                rows.append(sink.getvalue().to_pybytes())
            count = len(names)
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array([path.as_py()] * count, pa.string()),
                    pa.array([modified.as_py()] * count, batch.schema.field(1).type),
                    pa.array([length.as_py()] * count, pa.int64()),
                    pa.array(names, pa.string()),
                    pa.array(rows, pa.binary()),
                ],
                names=["path", "modified", "length", "name", "rows"],
            )


def _unpack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of one table, with when the file was changed and its length."""
    import pyarrow as pa

    for batch in batches:
        for modified, length, rows in zip(*(batch.column(place) for place in range(3))):
            for part in pa.ipc.open_stream(rows.as_buffer()):
                count = part.num_rows
                fields = [*part.schema, batch.schema.field(0).with_name("file_modified"), pa.field("file_length", pa.int64())]
                facts = [
                    pa.array([modified.as_py()] * count, batch.schema.field(0).type),
                    pa.array([length.as_py()] * count, pa.int64()),
                ]
                yield pa.RecordBatch.from_arrays([*part.columns, *facts], schema=pa.schema(fields))
