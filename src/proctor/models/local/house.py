"""Opens the local models once per process and hands them out; nothing is loaded before it is asked for."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from proctor.models.local.network import Network, open_network
from proctor.models.local.pieces import Pieces, open_pieces
from proctor.models.local.weights import Weights, open_weights

__all__ = ["network_of", "pieces_of", "weights_of"]


@cache
def weights_of(folder: Path | None = None) -> Weights:
    """The manifest of a folder of weights."""
    return open_weights(folder)


@cache
def pieces_of(folder: Path | None = None) -> Pieces:
    """The tokenizer and table, shared by all networks of the folder."""
    return open_pieces(weights_of(folder))


@cache
def network_of(name: str, folder: Path | None = None, threads: int = 1) -> Network:
    """One session per network and process."""
    return open_network(weights_of(folder), name, pieces_of(folder), threads=threads)
