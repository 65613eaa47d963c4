"""What each project cost in the last weeks, and which tools failed most there: `python costs.py [FOLDER]`.

Without a folder, it reads the sessions of this machine.
"""

from __future__ import annotations

import sys
import tempfile

import duckdb

import interlingua


def main(folders: list[str]) -> None:
    with tempfile.TemporaryDirectory() as tables:
        for reason in interlingua.export_parquet(tables, folders, ["sessions", "usage", "tool_calls"]):
            print(f"left out: {reason}", file=sys.stderr)
        database = duckdb.connect()
        for name in ("sessions", "usage", "tool_calls"):
            database.execute(f"create view {name} as select * from '{tables}/{name}.parquet'")
        print("cost by project and week")
        costs = database.execute(
            """select date_trunc('week', reported_at)::date, cwd, round(sum(cost), 4), count(*)
            from usage join sessions using (session_id) where not is_copy group by all order by 1 desc, 3 desc nulls last"""
        )
        for week, project, cost, calls in costs.fetchall():
            print(f"  {week}  {project}: {'unknown' if cost is None else f'${cost}'} for {calls} calls")
        print("tools that fail")
        failures = database.execute(
            """select name, count(*) filter (status = 'failed') as failed, count(*) from tool_calls
            group by name having failed > 0 order by failed desc limit 10"""
        )
        for tool, failed, calls in failures.fetchall():
            print(f"  {tool}: {failed} of {calls}")


if __name__ == "__main__":
    main(sys.argv[1:])
