"""Mask known secrets in all output: reports, messages, logs and tracebacks."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TextIO

from proctor.text.known_secrets import hide_secrets

__all__ = ["masked_output"]


class _Masked:
    """A text stream that masks written text; other attributes are those of the stream."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(hide_secrets(text))

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stream)


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
        sys.stdout, sys.stderr = out, err


def _print_masked(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print a masked traceback; Python's own hook would not use the masked `sys.stderr`."""
    sys.stderr.write(hide_secrets("".join(traceback.format_exception(kind, error, trace))))
