"""Figures of finished campaign runs, one JSON file each: counting thousands of attempts again would take seconds."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from proctor.core.codec import content_id, encode
from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.store.masked_json import masked_data, masked_line
from proctor.store.private_files import replace_private

__all__ = ["keep_figures", "read_figures"]

_FOLDER: Final = "redteam"
_FORMAT: Final = 1  # raised when figures are counted in another way: older files are not read
_NOT_IN_NAMES: Final = re.compile(r"[^\w.-]+")
Figures = TypeVar("Figures")


def read_figures(
    store: Path, campaign: str, name: str, kind: type[Figures], *, part: Sequence[str] = ()
) -> Figures | None:
    """Return figures that were kept, or a part of them; ``None`` if there are none, or another version wrote them."""
    try:
        data = masked_data(_path(store, campaign, name).read_bytes())
        for each in part:
            data = data[each]
        return decode(kind, data)
    except (OSError, ValueError, LookupError, MalformedError):
        return None


def keep_figures(store: Path, campaign: str, name: str, figures: Any) -> None:
    """Keep figures; if they cannot be written they are counted again the next time."""
    with contextlib.suppress(OSError):
        replace_private(_path(store, campaign, name), masked_line(encode(figures)))


def _path(store: Path, campaign: str, name: str) -> Path:
    # Two names may differ only in characters that no file name has.
    folder = f"{_NOT_IN_NAMES.sub('-', campaign).strip('-.')[:60]}-{content_id(campaign, length=6)}"
    return store / _FOLDER / "figures" / folder / f"{name}-v{_FORMAT}.json"
