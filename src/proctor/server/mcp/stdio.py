"""The gateway for a server of tools that is a command: the agent's lines go in, the server's lines come out."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import BinaryIO, Final

from proctor.core.errors import InputError
from proctor.server.mcp.gateway import Gateway

__all__ = ["MOST_BYTES", "bridge", "lines", "run_stdio"]

MOST_BYTES: Final = 64_000_000  # of one message
_PIECE: Final = 65_536
_GOODBYE: Final = 5.0  # seconds that the server has to end after its input did
Write = Callable[[bytes], Awaitable[None]]


async def run_stdio(gateway: Gateway, command: Sequence[str]) -> int:
    """Put the gateway between this process's own input and output and a server; returns the server's exit code.

    Raises:
        InputError: the command cannot be started.
    """
    return await bridge(gateway, command, _standard_input(sys.stdin.buffer), _written)


async def bridge(gateway: Gateway, command: Sequence[str], agent: AsyncIterator[bytes], write: Write) -> int:
    """The same with the agent's bytes and the way back to it given."""
    try:
        server = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
    except OSError as error:
        hint = "check what stands after --"
        raise InputError(f"{command[0]} cannot be started: {error.strerror}", hint=hint) from None
    assert server.stdin is not None
    assert server.stdout is not None
    inward = asyncio.create_task(_inward(gateway, agent, server.stdin, write))
    outward = asyncio.create_task(_outward(gateway, server.stdout, server.stdin, write))
    try:
        await asyncio.wait({inward, outward}, return_when=asyncio.FIRST_COMPLETED)
        if not outward.done():  # the agent has gone: the server has read all it will
            await asyncio.wait({outward}, timeout=_GOODBYE)
        code = await _ended(server)
        for told in gateway.left(f"the server ended with exit code {code}"):
            await write(told + b"\n")
    finally:
        await _ended(server, patience=0.0)
        for task in (inward, outward):
            task.cancel()
        done = await asyncio.gather(inward, outward, return_exceptions=True)
    for failed in done:
        if isinstance(failed, InputError):
            raise failed
    return code


async def lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Lines with their ends; a last one without an end counts too.

    Raises:
        InputError: a line has more bytes than a message may have.
    """
    held = bytearray()
    async for piece in pieces:
        seen = len(held)
        held += piece
        while (end := held.find(b"\n", seen)) >= 0:
            yield bytes(held[: end + 1])
            del held[: end + 1]
            seen = 0
        if len(held) > MOST_BYTES:
            raise InputError(f"a message has more than {MOST_BYTES:,} bytes")
    if held:
        yield bytes(held)


async def _inward(gateway: Gateway, agent: AsyncIterator[bytes], server: asyncio.StreamWriter, write: Write) -> None:
    with contextlib.suppress(ConnectionError):  # the server has gone; its end is told by the other direction
        async for line in lines(agent):
            if not line.strip():
                continue
            passed = await gateway.from_agent(line)
            if passed.on is not None:
                server.write(passed.on + b"\n")
                await server.drain()
            if passed.back is not None:
                await write(passed.back + b"\n")
        server.close()


async def _outward(gateway: Gateway, server: asyncio.StreamReader, back: asyncio.StreamWriter, write: Write) -> None:
    async for line in lines(_pieces(server)):
        if not line.strip():
            continue
        passed = await gateway.from_server(line)
        for told in (*passed.errors, *([passed.on] if passed.on is not None else [])):
            await write(told + b"\n")
        if passed.back is not None:
            with contextlib.suppress(ConnectionError):
                back.write(passed.back + b"\n")
                await back.drain()


async def _pieces(stream: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while piece := await stream.read(_PIECE):
        yield piece


async def _ended(server: asyncio.subprocess.Process, patience: float = _GOODBYE) -> int:
    """The server's exit code; one that does not end is asked to, and then made to."""
    for seconds, urge in ((patience, server.terminate), (1.0, server.kill)):
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(server.wait(), max(seconds, 0.01))
        with contextlib.suppress(ProcessLookupError):
            urge()
    return await server.wait()


async def _standard_input(stream: BinaryIO) -> AsyncIterator[bytes]:
    """What comes in, read on a thread that nobody waits for: reading cannot be broken off."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        with contextlib.suppress(RuntimeError, OSError):  # the loop has ended
            while piece := os.read(stream.fileno(), _PIECE):
                loop.call_soon_threadsafe(queue.put_nowait, piece)
            loop.call_soon_threadsafe(queue.put_nowait, b"")

    threading.Thread(target=read, name="proctor-mcp-input", daemon=True).start()
    while piece := await queue.get():
        yield piece


async def _written(told: bytes) -> None:
    def write() -> None:
        sys.stdout.buffer.write(told)
        sys.stdout.buffer.flush()

    await asyncio.to_thread(write)
