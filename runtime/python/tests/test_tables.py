"""Tables: what pyarrow, Polars, pandas and DuckDB read of them, and that their sums are those of `stats`."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import interlingua
from conftest import CAPTURES, ROOT
from interlingua import _native

#: The providers whose recordings are session files, as they lie on a disk.
STORED = ["claude-transcript", "codex-rollout", "pi-session", "gemini-cli-session", "qwen-session"]
FOLDERS = [CAPTURES / provider for provider in STORED]


def rows(query: str) -> list[tuple[Any, ...]]:
    relation = duckdb.sql(query)
    assert relation is not None
    return list(relation.fetchall())


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    assert interlingua.export_parquet(folder, FOLDERS) == []
    return folder


@pytest.mark.parametrize("table", interlingua.TABLES)
def test_all_readers_see_the_same(table: str, exported: Path) -> None:
    file = exported / f"{table}.parquet"
    by_pyarrow = pq.read_table(file)
    assert by_pyarrow.num_rows > 0
    assert by_pyarrow.schema.metadata[b"interlingua.tables_version"] == b"1"
    assert pl.read_parquet(file).to_dicts() == by_pyarrow.to_pylist()
    assert rows(f"select count(*) from '{file}'") == [(by_pyarrow.num_rows,)]
    # Without a file, and without a copy.
    stream = interlingua.tables(FOLDERS, [table])[table]
    assert len(stream) == by_pyarrow.num_rows
    in_memory = pa.table(stream)
    reader = interlingua.read_batches(FOLDERS, table).read_all()
    drop = ["is_copy"] if table == "usage" else []
    assert in_memory.drop(drop).to_pylist() == reader.drop(drop).to_pylist() == by_pyarrow.drop(drop).to_pylist()
    assert pl.from_arrow(interlingua.tables(FOLDERS, [table])[table]).shape[0] == by_pyarrow.num_rows
    with pytest.raises(interlingua.InterlinguaError, match="has been read already"):
        pa.table(stream)


VERSIONS = sorted(version for folder in FOLDERS for version in folder.iterdir())


@pytest.mark.parametrize("folder", VERSIONS, ids=lambda folder: "-".join(folder.parts[-2:]))
def test_sums_are_those_of_the_command(folder: Path, tmp_path: Path, command: Callable[..., str]) -> None:
    """By session, with its sub-agents. Each version by itself: the models of these recordings were scripted, and a script
    gives the calls of two versions the same names.
    """
    expected: dict[str, list[float]] = defaultdict(lambda: [0.0] * 6)
    for line in command("stats", "--json", folder).splitlines():
        record = json.loads(line)
        usage = record["usage"] or {}
        counts = [usage.get(key) or 0 for key in ("input", "cache_read", "cache_write", "output", "reasoning")]
        for place, value in enumerate([*counts, (record["cost"] or {}).get("amount") or 0]):
            expected[record["native_session_id"]][place] += value
    interlingua.export_parquet(tmp_path, folder, ["sessions", "usage"])
    found = rows(
        f"""select coalesce(s.native_parent_id, s.native_session_id), sum(u.input_tokens), sum(u.cache_read_tokens),
            sum(u.cache_write_tokens), sum(u.output_tokens), sum(u.reasoning_tokens), sum(u.cost)
        from '{tmp_path}/sessions.parquet' s left join '{tmp_path}/usage.parquet' u
            on s.session_id = u.session_id and not u.is_copy
        group by 1"""
    )
    sums_of = {native: [float(value or 0) for value in sums] for native, *sums in found}
    assert sums_of.keys() == expected.keys()
    for native, sums in sums_of.items():
        assert sums == pytest.approx(expected[native], abs=1e-9), native


def test_what_cannot_be_read_is_a_row(tmp_path: Path) -> None:
    (tmp_path / "strange.jsonl").write_text('{"hello":"world"}\n')
    (tmp_path / "empty.jsonl").write_text("")
    content = (CAPTURES / "claude/2.1.332/04-bash/stdout.jsonl").read_bytes()
    (tmp_path / "cut.jsonl").write_bytes(content[: len(content) - 20])
    sources = pa.table(interlingua.tables([tmp_path, tmp_path / "gone.jsonl"], ["sources"])["sources"]).to_pylist()
    errors = {Path(row["source"]).name: (row["error"], row["unparsed"]) for row in sources}
    assert "cannot tell which agent wrote" in str(errors["strange.jsonl"][0])
    assert "is empty" in str(errors["empty.jsonl"][0])
    assert "cannot read" in str(errors["gone.jsonl"][0])
    assert errors["cut.jsonl"] == (None, 1)
    reasons = interlingua.export_parquet(tmp_path / "out", [tmp_path, tmp_path / "gone.jsonl"], ["sources"])
    assert len(reasons) == 1 and "gone.jsonl" in reasons[0]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["sources.parquet"]


def test_unknown_is_null_and_never_zero() -> None:
    content = b'{"type":"thread.started","thread_id":"t-1"}\n{"type":"turn.started"}\n'
    builder = _native.TableBuilder()
    assert builder.add_bytes("run", content) is None
    [turn] = pa.table(builder.take("turns")).to_pylist()
    assert (turn["input_tokens"], turn["agent_cost"], turn["started_at"], turn["position"]) == (None, None, None, 0)
    assert pa.table(builder.take("usage")).num_rows == 0


def test_a_table_has_a_name() -> None:
    with pytest.raises(interlingua.UnreadableError, match=r"(?s)there is no table `cost`.*known are sources, sessions"):
        interlingua.tables([], ["cost"])


def test_the_page_describes_every_column() -> None:
    page = (ROOT / "docs/tables.md").read_text()
    for table, columns in _native.table_columns():
        assert f"## `{table}`" in page
        for name, kind, _ in columns:
            assert f"| `{name}` | {kind} |" in page


QUERIES = re.findall(r"^## (.+?)\n.*?```sql\n(.+?)```", (ROOT / "docs/queries.md").read_text(), re.M | re.S)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("everything")
    interlingua.export_parquet(folder / "tables", [CAPTURES / "claude", CAPTURES / "codex", *FOLDERS])
    return folder


@pytest.mark.parametrize(("question", "query"), QUERIES, ids=[question for question, _ in QUERIES])
def test_the_queries_of_the_page_answer(
    question: str, query: str, everything: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(everything)
    assert rows(query), question


def test_there_are_ten_queries() -> None:
    assert len(QUERIES) >= 10
