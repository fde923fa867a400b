"""The newest mutation result of each prompt, kept in the store for those who look later."""

from __future__ import annotations

from pathlib import Path

from proctor.config import Config
from proctor.core.codec import content_id, dumps, loads
from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.report.adequacy import Adequacy
from proctor.store.private_files import replace_private

__all__ = ["keep_adequacy", "kept_adequacy"]


def keep_adequacy(config: Config, prompt: Path, adequacy: Adequacy) -> None:
    """Keep the result in place of the one before.

    Raises:
        OSError: the store cannot be written.
    """
    replace_private(_path(config, prompt), dumps(adequacy) + b"\n")


def kept_adequacy(config: Config, prompt: Path) -> Adequacy | None:
    """Return the newest result of a prompt; ``None`` if there is none, or it is of another format."""
    try:
        return decode(Adequacy, loads(_path(config, prompt).read_bytes()))
    except (OSError, ValueError, RecursionError, MalformedError):
        return None


def _path(config: Config, prompt: Path) -> Path:
    """Return the file of a prompt: by its place in the project, wherever that is."""
    whole, folder = prompt.resolve(), config.folder.resolve()
    place = whole.relative_to(folder) if whole.is_relative_to(folder) else whole
    return config.store / "mutation" / f"{content_id(place.as_posix())}.json"
