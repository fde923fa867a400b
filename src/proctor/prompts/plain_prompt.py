"""Convert a plain text prompt to a .prompty file with declared inputs, without a model."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor.core.errors import PromptError
from proctor.prompts.compose import prompty_text
from proctor.prompts.load import is_yaml, parse_prompt, read_text
from proctor.prompts.prompt import Prompt
from proctor.prompts.prompt_warnings import single_braces
from proctor.prompts.render import variables_in

__all__ = ["Bare", "import_bare", "make_prompty"]

_INPUT = "input"
_MAX_DESCRIPTION_CHARS = 120
_MARK = re.compile(r"\{\{\s*[A-Za-z_]\w*\s*\}\}|\{\{|\{%|\{#")
_SENTENCE = re.compile(r"(?<=[.!?。！？])(?=\s|[^\x00-\x7f])|\n\s*\n")
_LIGHT = re.compile(r"[#*_`>\s]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bare:
    """A new .prompty file: its text, its inputs, and notes on the changes."""

    text: str
    inputs: tuple[str, ...]
    notes: tuple[str, ...] = ()


def import_bare(source: str | Path, *, keep: Collection[str] = ()) -> tuple[str, tuple[str, ...]]:
    """Return the text of a .prompty file made from a plain text file, and notes on the changes.

    Names in single braces become variables, unless ``keep`` lists them.

    Raises:
        PromptError: the file cannot be read, is empty, or already has front matter.
    """
    path = Path(source)
    text = read_text(path).removeprefix("\ufeff").replace("\r\n", "\n")
    if not text.strip():
        raise PromptError("the file is empty", file=str(path), hint="write the prompt into it")
    if is_yaml(path):
        raise PromptError("is YAML, not bare text", file=str(path), hint="GitHub Models files are used as they are")
    made = make_prompty(text, name=path.name.partition(".")[0], keep=keep, file=str(path))
    return made.text, made.notes


def make_prompty(text: str, *, name: str = "", keep: Collection[str] = (), file: str | None = None) -> Bare:
    """Convert plain text to a .prompty file.

    Raises:
        PromptError: the text already has front matter.
    """
    notes: list[str] = []
    offered = [each for each in single_braces(text) if each not in keep]
    body = text.strip()
    if not _variables(body):
        body = _doubled(body, offered, notes)
    elif offered:
        shown = ", ".join(f"`{{{each}}}`" for each in offered)
        notes.append(f"{shown}: left as text, because the prompt writes its variables in double braces")
    if _variables(body) is None:
        body = _MARK.sub(_escaped, body)
        notes.append("braces that are no variables were escaped")
    prompt = parse_prompt(body)
    if prompt.front:
        raise PromptError("has front matter already", file=file, hint="save it with the ending .prompty")
    messages: list[tuple[str, str]] = [(message.role, message.text) for message in prompt.messages]
    if not prompt.inputs:
        notes.append(f"no variable was found: what the user says goes in as `{{{{{_INPUT}}}}}`")
        messages.append(("user", f"{{{{{_INPUT}}}}}"))
    inputs = tuple(prompt.inputs) or (_INPUT,)
    front: dict[str, Any] = {"name": _title(name), "description": _first_sentence(prompt)}
    front = {key: value for key, value in front.items() if value}
    front["inputs"] = {each: {"type": "string"} for each in inputs}
    return Bare(text=prompty_text(front, messages), inputs=inputs, notes=tuple(notes))


def _variables(text: str) -> tuple[str, ...] | None:
    """Return the variables in double braces; None if the text is not a valid template."""
    try:
        return variables_in(text, "jinja")
    except PromptError:
        return None


def _doubled(text: str, names: list[str], notes: list[str]) -> str:
    """Convert single braces to double ones; existing double braces become single, as in Python's format."""
    if not names:
        return text
    wanted = "|".join(map(re.escape, names))
    braces = re.compile(rf"\{{\{{|\}}\}}|(?<![$\\])\{{({wanted})\}}")
    shown = ", ".join(f"`{{{name}}}`" for name in names)
    notes.append(f"{shown} in single braces: made a variable; check that it is one")
    return braces.sub(lambda match: f"{{{{{match.group(1)}}}}}" if match.group(1) else match.group()[0], text)


def _escaped(match: re.Match[str]) -> str:
    mark = match.group()
    return mark if mark.endswith("}}") else f"{{{{ '{mark}' }}}}"


def _title(name: str) -> str:
    words = re.sub(r"[-_\s]+", " ", name).strip()
    return words[:1].upper() + words[1:]


def _first_sentence(prompt: Prompt) -> str:
    """Return the first sentence of the prompt as an initial description."""
    said = next((message.text for message in prompt.messages if message.text), "")
    first = _SENTENCE.split(said[: _MAX_DESCRIPTION_CHARS * 4], maxsplit=1)[0]
    line = _LIGHT.sub(" ", first.replace("{", " ").replace("}", " ")).strip()
    if len(line) <= _MAX_DESCRIPTION_CHARS:
        return line
    return line[:_MAX_DESCRIPTION_CHARS].rpartition(" ")[0].rstrip(",;:") + " …"
