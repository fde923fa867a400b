"""Save a prompt that was given as text, so that its tests can be run and the prompt be edited."""

from __future__ import annotations

from pathlib import Path

from proctor.core.codec import content_id
from proctor.core.errors import PromptError, StoreError

__all__ = ["save_inline_prompt"]

_NAME = "prompt"
_DIGITS = 8


def save_inline_prompt(text: str, out: Path | None, folder: Path) -> Path:
    """Write the prompt and return its path: in the folder ``out``, or in ``folder`` under a name made from the text.

    The same text gets the same name, so that the same command continues its work.

    Raises:
        PromptError: the text is empty.
        StoreError: the file cannot be written.
    """
    if not text.strip():
        raise PromptError("the prompt is empty", hint="give its text after --prompt, or on standard input with `-`")
    plain = text.replace("\r\n", "\n")
    name = _NAME if out is not None else f"{_NAME}-{content_id(plain, length=_DIGITS)}"
    path = (out or folder) / f"{name}.prompty"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != plain:
            path.write_text(plain, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"cannot be written: {error.strerror}", file=str(path)) from None
    return path
