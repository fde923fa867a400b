"""Locks that a killed process cannot leave behind, because the kernel releases them."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from proctor.core.errors import InputError, StoreError
from proctor.store.private_files import open_private, private_folder

__all__ = ["is_held", "locked_file", "one_at_a_time", "only_one", "sole_writer", "write_in_lock"]

_TRIES = 25  # `is_held` takes the lock for an instant: a writer that meets it tries again
_RETRY_SECONDS = 0.02


@contextmanager
def only_one(path: Path) -> Iterator[bool]:
    """Hold the lock inside the block; yield false if another process holds it.

    Raises:
        StoreError: the file cannot be created.
    """
    file = _opened(path)
    try:
        yield _take(file)
    finally:
        os.close(file)  # closing the file releases the lock


@contextmanager
def one_at_a_time(path: Path, *, seconds: float = 10.0) -> Iterator[None]:
    """Hold the lock inside the block; wait for another thread or process that holds it.

    Raises:
        StoreError: it was not free in time, or the file cannot be created.
    """
    file = _opened(path)
    try:
        until = time.monotonic() + seconds
        while not _take(file):
            if time.monotonic() > until:
                raise StoreError("is held by another process", file=str(path), hint="try again when it has ended")
            time.sleep(_RETRY_SECONDS)
        yield
    finally:
        os.close(file)


@contextmanager
def locked_file(path: Path) -> Iterator[int | None]:
    """Yield the descriptor of a file that this process has locked; ``None`` if another process holds the lock.

    A process that inherits the descriptor keeps the lock for as long as it lives.

    Raises:
        StoreError: the file cannot be created.
    """
    file = _opened(path)
    try:
        yield file if _take(file) else None
    finally:
        os.close(file)


@contextmanager
def sole_writer(path: Path, what: str, *, shown_by: str | None = None) -> Iterator[None]:
    """Be the only process that writes ``what``, such as a run; the file holds the process id for messages to others.

    ``shown_by`` is the command that shows how far it is.

    Raises:
        InputError: another process writes it.
        StoreError: the file cannot be created.
    """
    file = _opened(path)
    try:
        for attempt in range(_TRIES):
            if attempt:
                time.sleep(_RETRY_SECONDS)
            if _take(file):
                break
        else:
            raise _busy(what, os.pread(file, 32, 0), shown_by)
        write_in_lock(file, path, str(os.getpid()))
        yield
    finally:
        os.close(file)


def write_in_lock(file: int, path: Path, line: str) -> None:
    """Replace what a locked file tells others.

    Raises:
        StoreError: the disk is full.
    """
    try:
        os.ftruncate(file, 0)
        os.pwrite(file, f"{line}\n".encode(), 0)
    except OSError as error:
        raise _refused(error, path) from error


def is_held(path: Path) -> bool | None:
    """Return whether a process holds the lock; ``None`` if there is no such file."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        # A shared lock: concurrent readers do not mistake each other for a writer.
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(file)


def _opened(path: Path) -> int:
    try:
        private_folder(path.parent)
        return open_private(path, os.O_RDWR)
    except OSError as error:
        raise _refused(error, path) from error


def _refused(error: OSError, path: Path) -> StoreError:
    hint = "make the folder writable, or name another under `store:`"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        hint = "free some space, then try again"
    return StoreError(f"cannot be written: {error.strerror}", file=str(path), hint=hint)


def _take(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _busy(what: str, written: bytes, shown_by: str | None) -> InputError:
    pid = written.decode("ascii", "replace").strip()
    who = f"process {pid}" if pid.isdecimal() else "another process"
    stop = f", or stop it (kill -INT {pid})" if pid.isdecimal() else ""
    far = f". `{shown_by}` shows how far it is" if shown_by else ""
    return InputError(
        f"{what} is still running: {who} writes it", hint=f"wait until it has ended{stop}; then resume it{far}"
    )
