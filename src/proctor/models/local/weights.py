"""Find the bundled weights, and reject a file that is missing or has another hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from proctor.core.errors import InputError, StoreError

__all__ = ["HINT", "Weights", "open_weights"]

HINT = "install Proctor again, or put back the file from its wheel; a changed file is never used"


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A folder of weights with its manifest: file name to SHA-256, and settings per model."""

    folder: Path
    files: dict[str, str]
    settings: dict[str, Any]

    def path(self, name: str) -> Path:
        """Return the path of a file after verifying its hash."""
        expected = self.files.get(name)
        file = self.folder / name
        if expected is None:
            raise StoreError("the weights manifest does not list this file", file=str(file), hint=HINT)
        if not file.is_file():
            raise StoreError("a weights file is missing", file=str(file), hint=HINT)
        if _digest(str(file), file.stat().st_mtime_ns) != expected:
            raise StoreError("a weights file is not the one that was measured", file=str(file), hint=HINT)
        return file

    def of(self, model: str) -> Mapping[str, Any]:
        """Return the settings of one model."""
        found = self.settings.get(model)
        if not isinstance(found, Mapping):
            raise StoreError(
                f"the weights manifest has no settings for {model}", file=str(self.folder / "manifest.json"), hint=HINT
            )
        return found

    def threshold(self, model: str, level: str) -> float:
        """Return the probability threshold with that false positive rate on harmless support messages."""
        known = self.of(model).get("thresholds") or {}
        if not known:
            raise StoreError(
                f"the weights manifest has no thresholds for {model}",
                file=str(self.folder / "manifest.json"),
                hint=HINT,
            )
        if level not in known:
            raise InputError(f"there is no threshold for {level!r}", hint=f"use one of: {', '.join(known)}")
        return float(known[level])


@cache
def _digest(file: str, _changed: int) -> str:
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def open_weights(folder: Path | None = None) -> Weights:
    """Open the weights in the folder, or those that ship with the package."""
    place = folder or Path(__file__).parent / "weights"
    manifest = place / "manifest.json"
    try:
        kept = json.loads(manifest.read_text(encoding="utf-8"))
        return Weights(folder=place, files=dict(kept["files"]), settings=dict(kept["settings"]))
    except FileNotFoundError:
        raise StoreError("the weights manifest is missing", file=str(manifest), hint=HINT) from None
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError) as broken:
        raise StoreError(f"the weights manifest cannot be read: {broken}", file=str(manifest), hint=HINT) from None
