"""Load judges' prompts: Markdown files beside the code, in parts, with placeholders."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from proctor.text.prompt_parts import PromptParts, prompt_parts

__all__ = ["prompt_file"]


@cache
def prompt_file(name: str) -> PromptParts:
    """Return the prompt of that name, cached."""
    return prompt_parts(files("proctor.scorers").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8"))
