"""Load the local models once per process, on first use."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import RLock

from proctor.models.local.batcher import inference_executor
from proctor.models.local.network import Network, open_network
from proctor.models.local.tokenizer import END, START, Line, Pieces, open_pieces
from proctor.models.local.weights import Weights, open_weights

__all__ = ["NETWORKS", "network_of", "pieces_of", "warm", "weights_of"]

NETWORKS = ("injection", "nli", "embed", "reader", "fluency")

_door = RLock()  # two threads that request the same network share one, loaded once


def weights_of(folder: Path | None = None) -> Weights:
    """Return the manifest of a folder of weights."""
    with _door:
        return _weights(folder)


def pieces_of(folder: Path | None = None) -> Pieces:
    """Return the tokenizer and the embedding table, shared by all networks of the folder."""
    with _door:
        return _pieces(folder)


def network_of(name: str, folder: Path | None = None, threads: int = 1) -> Network:
    """Return the network, with one session per process."""
    with _door:
        return _network(name, folder, threads)


async def warm(names: Sequence[str] = NETWORKS, *, folder: Path | None = None, threads: int = 1) -> None:
    """Load these networks and run one line through each, so that the first caller does not wait for it.

    Raises:
        StoreError: a weights file is missing or broken.
    """
    for name in names:
        await asyncio.get_running_loop().run_in_executor(inference_executor(), _try, name, folder, threads)


def _try(name: str, folder: Path | None, threads: int) -> None:
    line = Line((START, *pieces_of(folder).numbers(["Where is my parcel?"])[0], END))
    network_of(name, folder, threads).run([line])


# Failures are not cached: once the file is fixed, the next call succeeds.
@cache
def _weights(folder: Path | None) -> Weights:
    return open_weights(folder)


@cache
def _pieces(folder: Path | None) -> Pieces:
    return open_pieces(_weights(folder))


@cache
def _network(name: str, folder: Path | None, threads: int) -> Network:
    return open_network(_weights(folder), name, _pieces(folder), threads=threads)
