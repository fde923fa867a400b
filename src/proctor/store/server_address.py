"""Where the servers of a project listen, for commands beside them: each in a file that it locks while it runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from proctor.store.lock import is_held, locked_file, write_in_lock

__all__ = ["server_address", "told_address"]

_MAX_SERVERS: Final = 16  # of one store on this machine that tell their address


@contextlib.contextmanager
def told_address(store: Path) -> Iterator[Callable[[str], None]]:
    """Yield a function that tells the address, in the first of the files that no other server holds.

    Raises:
        StoreError: the file cannot be created.
    """
    with contextlib.ExitStack() as held:
        for path in _paths(store):
            file = held.enter_context(locked_file(path))
            if file is not None:
                break

        def tell(address: str) -> None:
            if file is not None:
                write_in_lock(file, path, address)

        tell("")  # of a server that was killed
        yield tell


def server_address(store: Path) -> str | None:
    """Return where a server of this store listens, the first of several; ``None`` if none runs here."""
    for path in _paths(store):
        if is_held(path):
            with contextlib.suppress(OSError, UnicodeDecodeError):
                if address := path.read_text(encoding="ascii").strip():
                    return address
    return None


def _paths(store: Path) -> list[Path]:
    return [
        store / ("server.lock" if number == 1 else f"server-{number}.lock") for number in range(1, _MAX_SERVERS + 1)
    ]
