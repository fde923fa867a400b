"""Run a command with limits on time and output, and kill it with its children."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from pathlib import Path

from proctor.targets.play_case import AnswerError
from proctor.text.redact import redact

__all__ = ["MOST_OUTPUT", "Process", "run_once"]

MOST_OUTPUT = 8_000_000
_MAX_COMPLAINT_CHARS = 2_000
_MAX_STDERR_BYTES = 8_000  # a secret at the cut must still be complete for redaction
_GRACE_SECONDS = 2.0


class Process:
    """A started command. Its error stream is read continuously, so that it never blocks."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._tail = b""
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, command: Sequence[str] | str, folder: Path) -> Process:
        """Start it in a new process group; a string runs in the shell.

        Raises:
            AnswerError: it cannot be started.
        """
        line = ("/bin/sh", "-c", command) if isinstance(command, str) else tuple(command)
        try:
            made = await asyncio.create_subprocess_exec(
                *line,
                cwd=folder,
                start_new_session=True,
                limit=MOST_OUTPUT,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except (OSError, ValueError) as error:
            raise AnswerError(f"the command cannot be started: {error}") from None
        return cls(made)

    async def _listen(self) -> None:
        assert self._process.stderr is not None
        while part := await self._process.stderr.read(65_536):
            self._tail = (self._tail + part)[-_MAX_STDERR_BYTES:]

    async def write(self, data: bytes, *, last: bool) -> None:
        """Write its input; it is no error if the command does not read it."""
        stdin = self._process.stdin
        assert stdin is not None
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            stdin.write(data)
            await stdin.drain()
            if last:
                stdin.close()
                await stdin.wait_closed()

    async def read_all(self) -> bytes:
        """Read its output until it ends."""
        stdout = self._process.stdout
        assert stdout is not None
        parts: list[bytes] = []
        size = 0
        while part := await stdout.read(65_536):
            size += len(part)
            if size > MOST_OUTPUT:
                raise AnswerError(f"the command wrote more than {MOST_OUTPUT // 1_000_000} MB", raw=_text(parts[0]))
            parts.append(part)
        return b"".join(parts)

    async def read_line(self) -> bytes:
        """Read one line; empty if it has ended."""
        stdout = self._process.stdout
        assert stdout is not None
        try:
            return await stdout.readline()
        except ValueError:
            raise AnswerError(f"the command wrote a line of more than {MOST_OUTPUT // 1_000_000} MB") from None

    async def wait(self) -> int:
        """Return its exit status, after reading its error stream."""
        status = await self._process.wait()
        with contextlib.suppress(TimeoutError):  # a child process may still hold the pipe
            await asyncio.wait_for(asyncio.shield(self._listening), _GRACE_SECONDS)
        return status

    @property
    def complaint(self) -> str:
        """The end of its error stream, without secrets."""
        return redact(self._tail.decode(errors="replace")).strip()[-_MAX_COMPLAINT_CHARS:]

    async def farewell(self) -> None:
        """Close its input, wait a moment for it to end, then kill it."""
        await self.write(b"", last=True)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _GRACE_SECONDS)
        await self.end()

    async def end(self) -> None:
        """Kill it and its children."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        if self._process.returncode is None:
            await self._process.wait()
        self._listening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._listening
        # The transport keeps its pipes until it is collected, which is too late in a long run.
        self._process._transport.close()  # type: ignore[attr-defined]


async def run_once(command: Sequence[str] | str, data: bytes, *, folder: Path, timeout: float) -> bytes:  # noqa: ASYNC109 - it kills the command too
    """Return the command's output for this input.

    Raises:
        AnswerError: it cannot be started, times out, writes too much or has an exit status other than 0.
    """
    process = await Process.start(command, folder)
    feeding = asyncio.create_task(process.write(data, last=True))
    try:
        async with asyncio.timeout(timeout):
            output = await process.read_all()
            status = await process.wait()
    except TimeoutError:
        raise AnswerError(f"no answer within {timeout:g} s", kind="timeout", raw=process.complaint or None) from None
    finally:
        feeding.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await feeding
        await process.end()
    if status != 0:
        raise failed(status, process.complaint, output)
    return output


def failed(status: int, complaint: str, output: bytes = b"") -> AnswerError:
    """Return the error for a command that failed."""
    how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
    said = f": {complaint[-500:]}" if complaint else ""
    return AnswerError(f"the command {how}{said}", raw=_text(output) or None)


def _text(output: bytes) -> str:
    return redact(output[:_MAX_STDERR_BYTES].decode(errors="replace"))[:4_000]
