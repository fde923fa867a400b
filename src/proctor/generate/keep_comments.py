"""Rewrite a YAML file without losing the comments that a person wrote into it."""

from __future__ import annotations

from proctor.core.errors import InputError
from proctor.text.yaml_dump import to_yaml

__all__ = ["with_comments"]


def with_comments(old: str, new: str) -> str:
    """Return ``new``; as an edit of ``old`` if that has comments of its own and the edit is possible."""
    theirs = set(old.splitlines()) - set(new.splitlines())
    if not any("#" in line for line in theirs):
        return new
    from proctor.prompts.yaml_edit import edit_yaml  # noqa: PLC0415 - costs 40 ms
    from proctor.prompts.yaml_text import read_yaml  # noqa: PLC0415

    try:
        if old.endswith(to_yaml(read_yaml(old))):  # the sign is in a text, not before a comment
            return new
        return edit_yaml(old, read_yaml(new))
    except InputError:
        return new
