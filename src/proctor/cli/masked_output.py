"""Mask known secrets in all output: reports, messages, logs and tracebacks; outlive the reader of a pipe."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TextIO, cast

from proctor.core.errors import StoreError
from proctor.text.known_secrets import hide_secrets

__all__ = ["has_reader", "masked_output"]


class _Masked:
    """A text stream that masks written text; other attributes are those of the stream.

    Once the reader of a pipe (head, less) is gone, what is written goes nowhere: a verb still writes its files and
    returns its own exit code. After any other failed write, as on a full disk, it does so too, and ``failure`` is set.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.has_reader = True
        self.failure: OSError | None = None

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
            self._discard()
        except OSError as error:
            self.failure = error
            self._discard()

    def _discard(self) -> None:
        """Send everything to nowhere from now on, also what is still in the stream's buffer."""
        self.has_reader = False
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
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
    """Mask both output streams inside the context, and tracebacks until the process ends.

    A stream that the caller closed (``>&-``) is replaced by one that goes nowhere.

    Raises:
        StoreError: at the end, if the standard output could not be written.
    """
    _occupy_descriptors()
    out, err, hook = sys.stdout, sys.stderr, sys.excepthook
    streams = [_Masked(each if each is not None else _nowhere()) for each in (out, err)]
    sys.stdout, sys.stderr = cast(list[TextIO], streams)
    if hook is sys.__excepthook__:
        sys.excepthook = _print_masked
    try:
        yield
    finally:
        for stream in streams:
            stream.flush()  # here, where a reader that is gone does no harm
        sys.stdout, sys.stderr = out, err
        if (failure := streams[0].failure) is not None:
            hint = "free some space, or write to another place"
            raise StoreError(f"the output cannot be written: {failure.strerror}", hint=hint) from None


def _occupy_descriptors() -> None:
    """Open the standard descriptors that the caller closed.

    Otherwise the next file, such as the database, would get the number, and what a library prints would go into it.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


def _print_masked(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print a masked traceback; Python's own hook would not use the masked `sys.stderr`."""
    sys.stderr.write(hide_secrets("".join(traceback.format_exception(kind, error, trace))))
