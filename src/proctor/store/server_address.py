"""Where the server of a project listens, for commands beside it: in a file that it holds a lock on while it runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from proctor.store.lock import is_held, locked_file, write_in_lock

__all__ = ["server_address", "told_address"]

_FILE: Final = "server.lock"


@contextlib.contextmanager
def told_address(store: Path) -> Iterator[Callable[[str], None]]:
    """Yield a function that tells the address; of several servers of one store, that of the first is told.

    Raises:
        StoreError: the file cannot be created.
    """
    with locked_file(store / _FILE) as file:

        def tell(address: str) -> None:
            if file is not None:
                write_in_lock(file, store / _FILE, address)

        tell("")  # of a server that was killed
        yield tell


def server_address(store: Path) -> str | None:
    """Return where a server of this store listens; ``None`` if none runs here."""
    path = store / _FILE
    if not is_held(path):
        return None
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return path.read_text(encoding="ascii").strip() or None
    return None
