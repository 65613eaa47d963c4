"""How long Spark takes for a growing corpus on this machine: `python benches/on_spark.py CAPTURES [COUNT…]`.

CAPTURES is the repository's `resources/captures`. Sessions of Claude Code and Codex are copied with ids of their own, 500 to a folder, and one
file is broken. Install a release build before (`maturin develop --release`).
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from pathlib import Path

from pyspark.sql import SparkSession

from interlingua import spark as on_spark

#: Ids of calls, messages and sessions, which differ in each copy.
IDS = re.compile(rb"(?:msg|req|resp|toolu|call)_[0-9A-Za-z]{8,}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def generate(captures: Path, folder: Path, count: int) -> int:
    """Writes the sessions, and gives their length in bytes."""
    recordings = [
        path.read_bytes()
        for provider in ("claude-transcript", "codex-rollout")
        for path in sorted((captures / provider).rglob("session.jsonl"))
    ]
    size = 0
    for number in range(count):
        mark = f"{number:06x}".encode()
        content = IDS.sub(lambda found: found[0][:-6] + mark, recordings[number % len(recordings)])
        place = folder / f"{number // 500:04}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number:06}.jsonl").write_bytes(content)
        size += len(content)
    (folder / "broken.jsonl").write_text('{"hello":"world"}\n')
    return size


def main(captures: str, counts: list[int]) -> None:
    # The workers run the same Python as this script.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "8").config("spark.driver.memory", "4g").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    with tempfile.TemporaryDirectory() as temporary:
        warm = Path(temporary, "warm")
        generate(Path(captures), warm, 20)
        on_spark.append(spark, str(warm), f"{temporary}/warm-out")
        for count in counts:
            folder, out = Path(temporary, str(count)), f"{temporary}/{count}-out"
            size = generate(Path(captures), folder, count)
            begin = time.perf_counter()
            read = on_spark.append(spark, str(folder), out)
            appended = time.perf_counter()
            again = on_spark.append(spark, str(folder), out)
            repeated = time.perf_counter()
            tables = on_spark.load(spark, out)
            models = tables["usage"].where("not is_copy").groupBy("model").sum("cost", "output_tokens").collect()
            queried = time.perf_counter()
            broken = tables["sources"].where("error is not null").select("source", "error").collect()
            assert again == 0 and len(broken) == 1
            print(
                f"{count} sessions, {size / 1e6:.0f} MB: {read} files read in {appended - begin:.1f} s "
                f"({(appended - begin) / count * 1e3:.2f} ms each); again, nothing new: {repeated - appended:.1f} s; "
                f"cost by model ({len(models)} models): {queried - repeated:.1f} s; broken: {Path(broken[0]['source']).name}: "
                f"{broken[0]['error'].split('/')[0]}…",
                flush=True,
            )
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], [int(count) for count in sys.argv[2:]] or [1000, 3000, 10000])
