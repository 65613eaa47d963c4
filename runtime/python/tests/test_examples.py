"""The examples, with recordings and a program that answers as Claude Code did."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from conftest import CAPTURES, ROOT

EXAMPLES = ROOT / "runtime/python/examples"


def test_costs() -> None:
    folder = CAPTURES / "claude-transcript/2.1.332"
    ran = subprocess.run(
        [sys.executable, EXAMPLES / "costs.py", folder], capture_output=True, text=True, timeout=60, check=True
    )
    assert "/workspace/demo: $" in ran.stdout
    assert "tools that fail\n  " in ran.stdout


def test_an_agent_is_driven(tmp_path: Path) -> None:
    """A program that asks for permission, as Claude Code does, and says what it was told."""
    program = tmp_path / "claude"
    program.write_text(
        f"#!{sys.executable}\n"
        "import json, sys\n"
        "def say(message): print(json.dumps(message), flush=True)\n"
        "say({'type': 'system', 'subtype': 'init', 'session_id': 'n1', 'cwd': '/', 'tools': [], 'model': 'm', 'mcp_servers': [],\n"
        "     'permissionMode': 'default', 'slash_commands': [], 'apiKeySource': 'none', 'uuid': 'u1'})\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'user':\n"
        "        say({'type': 'control_request', 'request_id': 'r1', 'request': {'subtype': 'can_use_tool', 'tool_name': 'Bash',\n"
        "             'input': {'command': 'ls'}, 'tool_use_id': 't1'}})\n"
        "    elif message['type'] == 'control_response' and message['response']['request_id'] == 'r1':\n"
        "        behavior = message['response']['response']['behavior']\n"
        "        say({'type': 'assistant', 'session_id': 'n1', 'parent_tool_use_id': None, 'uuid': 'u2', 'message': {'id': 'm1',\n"
        "             'type': 'message', 'role': 'assistant', 'model': 'm', 'content': [{'type': 'text', 'text': behavior}]}})\n"
        "        say({'type': 'result', 'subtype': 'success', 'is_error': False, 'session_id': 'n1', 'result': behavior, 'uuid': 'u3'})\n"
    )
    program.chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    for answer, behavior in (("y", "allow"), ("n", "deny")):
        ran = subprocess.run(
            [sys.executable, EXAMPLES / "drive.py", "claude", "List the files."],
            input=f"{answer}\n", env=env, capture_output=True, text=True, timeout=60,
        )
        assert ran.returncode == 0, ran.stderr
        assert "May it use Bash?" in ran.stdout and behavior in ran.stdout and "[completed]" in ran.stdout
