"""Where the files of the optional large network lie, and whether they are whole."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Final

from proctor.core.errors import StoreError
from proctor.models.local.weights import HINT, Weights, open_weights

__all__ = [
    "ADAPTER",
    "ADD",
    "FORMAT",
    "INDEX",
    "NUMBERS",
    "TOKENIZER",
    "conversion_folder",
    "is_converted",
    "ready_folder",
]

FORMAT: Final = 1  # raised when the same base and adapter are to be converted in another way
ADAPTER: Final = "large.npz"  # of the weights that ship
TOKENIZER: Final = "multilingual.tokenizer.json"
INDEX: Final = "network.json"  # of a conversion
NUMBERS: Final = "network.bin"
ADD: Final = "proctor models add large"


def conversion_folder(models: Path, weights: Weights | None = None) -> Path:
    """Return where the conversion for these weights lies, whether or not it exists.

    Its name is made from the adapter and the tokenizer: no version runs with the conversion of another.

    Raises:
        StoreError: the weights have no adapter.
    """
    weights = weights or open_weights()
    if ADAPTER not in weights.files:
        file = str(weights.folder / "manifest.json")
        raise StoreError("these weights have no adapter for the large network", file=file, hint=HINT)
    parts = [str(FORMAT), weights.files[ADAPTER], weights.files.get(TOKENIZER, "")]
    return models / f"large-{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:12]}"


def is_converted(folder: Path) -> bool:
    """Return whether a conversion is there and whole, by its size."""
    try:
        size = int(json.loads((folder / INDEX).read_text(encoding="utf-8"))["size"])
        return (folder / NUMBERS).stat().st_size == size
    except (OSError, ValueError, KeyError, TypeError):
        return False


def ready_folder(models: Path, weights: Weights | None = None) -> Path:
    """Return the folder of the conversion.

    Raises:
        StoreError: it is not there; the hint has the command that makes it.
    """
    folder = conversion_folder(models, weights)
    if not is_converted(folder):
        raise StoreError("the large network is not installed for this version", file=str(folder), hint=f"run `{ADD}`")
    return folder
