"""Mask known secrets in all output: reports, messages, logs and tracebacks; outlive the reader of a pipe."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TextIO

from proctor.text.known_secrets import hide_secrets

__all__ = ["has_reader", "masked_output"]


class _Masked:
    """A text stream that masks written text; other attributes are those of the stream.

    Once the reader of a pipe (head, less) is gone, what is written goes nowhere: a verb still writes its files and
    returns its own exit code.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.has_reader = True

    def write(self, text: str) -> int:
        masked = hide_secrets(text)
        self._outliving(lambda: self._stream.write(masked))
        return len(masked)

    def flush(self) -> None:
        self._outliving(self._stream.flush)

    def _outliving(self, work: Callable[[], object]) -> None:
        try:
            work()
        except BrokenPipeError:
            self.has_reader = False
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())  # also for what is still in the stream's buffer
            os.close(nowhere)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stream)


def has_reader() -> bool:
    """Return whether somebody may still read the standard output; a verb without an end stops when nobody does."""
    return bool(getattr(sys.stdout, "has_reader", True))


@contextmanager
def masked_output() -> Iterator[None]:
    """Mask both output streams inside the context, and tracebacks until the process ends."""
    out, err, hook = sys.stdout, sys.stderr, sys.excepthook
    if out is not None:  # a process may have no output stream
        sys.stdout = _Masked(out)
    if err is not None:
        sys.stderr = _Masked(err)
    if hook is sys.__excepthook__:
        sys.excepthook = _print_masked
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, _Masked):
                stream.flush()  # here, where a reader that is gone does no harm
        sys.stdout, sys.stderr = out, err


def _print_masked(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print a masked traceback; Python's own hook would not use the masked `sys.stderr`."""
    sys.stderr.write(hide_secrets("".join(traceback.format_exception(kind, error, trace))))
