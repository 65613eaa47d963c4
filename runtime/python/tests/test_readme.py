"""The examples of the README run, in a folder outside of the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import CAPTURES, ROOT

PAGE = (ROOT / "runtime/python/README.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.+?)^```", PAGE, re.M | re.S)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_runs(number: int, tmp_path: Path) -> None:
    recording = CAPTURES / "claude/2.1.332/06-write-edit/stdout.jsonl"
    shutil.copy(recording, tmp_path / "session.jsonl")
    # A program that writes what Claude Code wrote.
    (tmp_path / "claude").write_text(f'#!/bin/sh\ncat "{tmp_path}/session.jsonl"\n')
    (tmp_path / "claude").chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(ROOT / "cli/tests/homes/forks/home")}
    ran = subprocess.run(
        [sys.executable, "-c", EXAMPLES[number]], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5
