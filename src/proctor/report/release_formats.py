"""Which file a decision is written to, by its name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from proctor.core.codec import encode
from proctor.report import release_html, release_markdown
from proctor.report.formats import check_ending, save_by_ending
from proctor.report.release_view import ReleaseView

__all__ = ["ENDINGS", "check_name", "save_release"]


def _json(view: ReleaseView, out: TextIO) -> None:
    text = json.dumps({"word": view.word, **encode(view)}, ensure_ascii=False, indent=1)
    out.write(text.encode("utf-8", "replace").decode() + "\n")  # half a surrogate pair has no UTF-8


_WRITERS: dict[str, Callable[[ReleaseView, TextIO], None]] = {
    ".html": release_html.write,
    ".json": _json,
    ".md": release_markdown.write,
}
ENDINGS = tuple(_WRITERS)


def check_name(path: Path) -> None:
    """Say before anything is done whether a decision can be written under this name.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
    """
    check_ending("decision", path, ENDINGS)


def save_release(view: ReleaseView, path: Path) -> None:
    """Write the decision in the format the file's name asks for; the file is whole or is not there.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
        StoreError: the disk or the folder refused.
    """
    save_by_ending("decision", view, path, _WRITERS)
