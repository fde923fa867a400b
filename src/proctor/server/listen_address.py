"""Whether a server can listen on an address, asked before it loads what takes long."""

from __future__ import annotations

import errno
import socket

from proctor.core.errors import InputError

__all__ = ["cannot_listen", "check_address"]


def check_address(host: str, port: int) -> None:
    """Bind the address for a moment.

    Raises:
        InputError: something listens there, or the address is none of this machine's.
    """
    if not port:  # the system selects a free one
        return
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, address in found:
            with socket.socket(family, kind, protocol) as tried:
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
                if family == socket.AF_INET6:
                    tried.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                tried.bind(address)
    except OSError as error:
        raise cannot_listen(host, port, error) from None


def cannot_listen(host: str, port: int, error: OSError) -> InputError:
    """Return what a person is told."""
    taken = error.errno == errno.EADDRINUSE
    hint = "choose another --port" if taken else "check --host and --port"
    why = "something listens there already" if taken else str(error.strerror or error)
    return InputError(f"cannot listen on {host}:{port}: {why}", hint=hint)
