"""What the tests share: the recordings of the repository, and the command to compare with."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CAPTURES = ROOT / "resources" / "captures"

#: The streams of agents; those of models have chunks and no events.
MODELS = {"anthropic-messages", "deepseek-chat", "gemini", "openai-chat", "openai-responses"}
NAMES = {"stdout.jsonl", "session.jsonl", "events.sse", "export.json"}


def recordings() -> list[Path]:
    """Every bundled recording of an agent."""
    found = [path for path in CAPTURES.rglob("*") if path.name in NAMES]
    return sorted(path for path in found if path.relative_to(CAPTURES).parts[0] not in MODELS)


def name(path: Path) -> str:
    return str(path.relative_to(CAPTURES))


@pytest.fixture(scope="session")
def command() -> Callable[..., str]:
    """Runs the command `interlingua`, built from the same sources, and gives its standard output."""
    subprocess.run(["cargo", "build", "--quiet", "--locked", "--package", "interlingua-cli"], cwd=ROOT, check=True)
    about = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )
    program = Path(json.loads(about.stdout)["target_directory"]) / "debug" / "interlingua"

    def run(*arguments: str | Path, env: dict[str, str] | None = None) -> str:
        ran = subprocess.run(
            [program, *arguments], capture_output=True, text=True, timeout=60, cwd=ROOT, env={**os.environ, **(env or {})}
        )
        assert ran.returncode in (0, 1), ran.stderr
        return ran.stdout

    return run
