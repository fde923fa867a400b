"""The gateway with the small gate of these tests, before a command."""

from __future__ import annotations

import asyncio
import sys

from proctor.server.mcp.gateway import Gateway
from proctor.server.mcp.stdio import run_stdio
from tests.server.gates import make_guard


async def _main() -> int:
    guard, _ = make_guard()
    try:
        return await run_stdio(Gateway(guard=guard, session=guard.session()), sys.argv[1:])
    finally:
        guard.close()


if __name__ == "__main__":
    sys.exit(asyncio.run(_main()))
