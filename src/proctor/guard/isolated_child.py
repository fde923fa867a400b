"""Run one isolated gate in a child process: steps on standard input, verdicts on standard output."""

from __future__ import annotations

import asyncio
import math
import os
import pickle
import sys
from typing import IO, Any

from proctor.core.verdict import Verdict
from proctor.guard.step import Step

__all__ = ["main", "read_frame", "write_frame"]

_PREFIX_BYTES = 8  # the length prefix of a frame


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Return the next frame; None at the end of the stream."""
    size = stream.read(_PREFIX_BYTES)
    if len(size) < _PREFIX_BYTES:
        return None
    length = int.from_bytes(size, "big")
    data = stream.read(length)
    return data if len(data) == length else None


def write_frame(stream: IO[bytes], data: bytes) -> None:
    """Write one frame."""
    stream.write(len(data).to_bytes(_PREFIX_BYTES, "big") + data)
    stream.flush()


def main() -> None:
    """Load the gate, then check one step after the other until standard input ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output printed by the gate must not mix with the verdicts
    source = sys.stdin.buffer
    begin = read_frame(source)
    if begin is None:
        return
    try:
        path, gate_data = pickle.loads(begin)  # noqa: S301 - from the parent, which made the gate
        sys.path[:] = path
        gate = pickle.loads(gate_data)  # noqa: S301
    except BaseException as error:
        write_frame(out, pickle.dumps(("error", f"{type(error).__name__}: {error}")))
        return
    write_frame(out, pickle.dumps(("ready", "")))
    with asyncio.Runner() as runner:
        while (data := read_frame(source)) is not None:
            write_frame(out, runner.run(_answer(gate, data)))


async def _answer(gate: Any, data: bytes) -> bytes:
    try:
        seconds, fields = pickle.loads(data)  # noqa: S301
        _limit_processor(seconds)
        verdict = await gate.check(Step(**fields))
        if not isinstance(verdict, Verdict):
            return pickle.dumps(("error", f"it answered {type(verdict).__name__}, which is no verdict"))
        return pickle.dumps(("verdict", verdict))
    except Exception as error:
        return pickle.dumps(("error", f"{type(error).__name__}: {error}"))


def _limit_processor(seconds: float) -> None:
    """Limit the CPU time, so that this process ends even if its parent is gone."""
    try:
        import resource  # noqa: PLC0415 - not on every system

        used = resource.getrusage(resource.RUSAGE_SELF)
        soft = math.ceil(used.ru_utime + used.ru_stime + seconds) + 5
        resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    except (ImportError, OSError, ValueError):
        pass


if __name__ == "__main__":
    main()
