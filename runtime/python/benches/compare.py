"""Translation beside `json.loads` and pandas over the same lines: `python benches/compare.py FOLDER…`.

Of each folder, all recordings are read, each by a translator of its own, as streams come. A row has the best of several runs, in MB of
native input per second, and in front of it the ratio to `json.loads` of the same run. Install a release build before
(`maturin develop --release`).
"""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

import interlingua

RUNS = 7
#: About how many bytes a run reads.
BYTES = 5_000_000
COLUMNS = ("json.loads", "events", "type and text", "as dicts", "pandas")


def best(work: Callable[[], object]) -> float:
    def once() -> float:
        begin = time.perf_counter()
        work()
        return time.perf_counter() - begin

    return min(once() for _ in range(RUNS))


def main(folders: list[str]) -> None:
    print("| recordings of | " + " | ".join(COLUMNS) + " |\n|---" * 1 + "|---" * len(COLUMNS) + "|")
    for folder in folders:
        recordings = [path.read_bytes() for path in sorted(Path(folder).rglob("*.jsonl")) if path.name in ("stdout.jsonl", "session.jsonl")]
        size = sum(map(len, recordings))
        recordings *= max(1, BYTES // size)
        provider = interlingua.detect(recordings[0])
        lines = [content.splitlines() for content in recordings]

        def looked_at() -> None:
            for content in recordings:
                for event in interlingua.translate(content, provider):
                    event.type, event.text

        def as_frames() -> None:
            for content in recordings:
                pd.read_json(io.BytesIO(content), lines=True)

        rows = [
            best(lambda: [[json.loads(line) for line in some] for some in lines]),
            best(lambda: [list(interlingua.translate(content, provider)) for content in recordings]),
            best(looked_at),
            best(lambda: [[event.to_dict() for event in interlingua.translate(content, provider)] for content in recordings]),
        ]
        try:
            rows.append(best(as_frames))
        except ValueError:
            # Lines with numbers or shapes that pandas does not take.
            rows.append(float("nan"))
        megabytes = sum(map(len, recordings)) / 1e6
        cells = " | ".join(f"{rows[0] / row:.2f} ({megabytes / row:.0f} MB/s)" for row in rows)
        print(f"| {Path(folder).name} | {cells} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
