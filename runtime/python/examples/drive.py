"""Drives any agent from Python: one prompt, every permission asked on the terminal.

`python drive.py AGENT "PROMPT"`, where AGENT is such as `claude` or `codex`.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process

import interlingua
from interlingua.types import Command


class Agent:
    """A program that is started, written to and read, as its map says."""

    def __init__(self, name: str) -> None:
        self.session = interlingua.Session(name)
        self.process: Process | None = None

    async def give(self, command: Command) -> None:
        """Gives the agent a command, and shows what comes of it."""
        await self._do(self.session.command(command))

    async def _do(self, output: interlingua.Output) -> None:
        for message in output["messages"]:
            if message["kind"] == "spawn":
                program, *arguments = message["args"]
                self.process = await asyncio.create_subprocess_exec(
                    program, *arguments, cwd=message["cwd"], stdin=PIPE, stdout=PIPE
                )
            elif message["kind"] == "text":
                assert self.process is not None and self.process.stdin is not None
                self.process.stdin.write(message["text"].encode())
                await self.process.stdin.drain()
            elif message["kind"] == "hang-up":
                assert self.process is not None and self.process.stdin is not None
                self.process.stdin.close()
            else:
                raise NotImplementedError("this agent is reached by HTTP: `interlingua run` drives it")
        for event in output["events"]:
            await self._show(event)

    async def _show(self, event: interlingua.Event) -> None:
        whole = event.to_dict()
        if whole["type"] == "item.delta" and whole["data"]["channel"] == "text":
            print(whole["data"]["delta"], end="", flush=True)
        elif whole["type"] == "permission.requested":
            asked = whole["data"]
            answer = await asyncio.to_thread(input, f"\nMay it use {asked['action']['name']}? [y/n] ")
            outcome: interlingua.types.PermissionOutcome = "allow-once" if answer.strip() == "y" else "reject"
            await self.give({"type": "permission.reply", "permission_id": asked["permission_id"], "outcome": outcome})
        elif whole["type"] == "error":
            print(f"\nerror: {whole['data']['message']}", file=sys.stderr)
        elif whole["type"] == "turn.ended":
            print(f"\n[{whole['data']['reason']['kind']}]")
            await self.give({"type": "session.end"})

    async def run(self, prompt: str) -> None:
        await self.give({"type": "session.start", "prompt": prompt})
        assert self.process is not None and self.process.stdout is not None
        while piece := await self.process.stdout.read(1 << 16):
            await self._do(self.session.push(piece))
        await self._do(self.session.finish())
        await self.process.wait()


if __name__ == "__main__":
    asyncio.run(Agent(sys.argv[1]).run(sys.argv[2]))
