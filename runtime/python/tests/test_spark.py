"""The tables on Spark, on this machine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import interlingua
from conftest import CAPTURES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java 17")


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").config("spark.sql.session.timeZone", "UTC").getOrCreate()
    yield session
    session.stop()


def corpus(folder: Path) -> Path:
    """A few sessions, a forked one, and a broken file."""
    folder.mkdir()
    for number, path in enumerate(sorted((CAPTURES / "claude-transcript/2.1.332").rglob("session.jsonl"))[:6]):
        shutil.copy(path, folder / f"{number}.jsonl")
    shutil.copy(folder / "0.jsonl", folder / "copy-of-0.jsonl")
    (folder / "broken.jsonl").write_text('{"hello":"world"}\n')
    return folder


def test_the_tables_are_those_of_one_machine(spark: SparkSession, tmp_path: Path) -> None:
    from interlingua import spark as on_spark

    folder = corpus(tmp_path / "corpus")
    frames = on_spark.read(spark, str(folder))
    assert list(frames) == list(interlingua.TABLES)
    local = interlingua.tables(folder)
    for table in interlingua.TABLES:
        rows = pa.table(local[table])
        assert frames[table].count() == rows.num_rows, table
        assert frames[table].columns == rows.column_names
    [broken] = frames["sources"].filter("error is not null").collect()
    assert broken["source"].endswith("broken.jsonl") and "cannot tell which agent wrote" in broken["error"]
    copies = frames["usage"].filter("is_copy").count()
    assert 0 < copies == pa.table(interlingua.tables(folder / "0.jsonl", ["usage"])["usage"]).num_rows


def test_a_repeated_job_reads_only_what_is_new(spark: SparkSession, tmp_path: Path) -> None:
    from interlingua import spark as on_spark

    folder, out = corpus(tmp_path / "corpus"), str(tmp_path / "out")
    with pytest.raises(FileNotFoundError, match="`append` writes them"):
        on_spark.load(spark, out)
    assert on_spark.append(spark, str(folder), out) == 8
    assert on_spark.append(spark, str(folder), out) == 0
    before = on_spark.load(spark, out)["turns"].count()
    # One session goes on, and one is new.
    one = (folder / "1.jsonl").read_bytes()
    (folder / "1.jsonl").write_bytes(one + one.splitlines(keepends=True)[-1])
    shutil.copy(folder / "2.jsonl", folder / "new.jsonl")
    assert on_spark.append(spark, str(folder), out) == 2
    stored, direct = on_spark.load(spark, out), on_spark.read(spark, str(folder))
    for table in interlingua.TABLES:
        assert stored[table].count() == direct[table].count(), table
    assert stored["turns"].count() > before
    assert sorted(stored["usage"].columns) == sorted(direct["usage"].columns)
