"""Read the prompts of a promptfoo configuration: text, chat messages, files and folders."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor.core.errors import PromptError
from proctor.prompts.load import parse_prompt
from proctor.prompts.prompt import Prompt
from proctor.prompts.yaml_text import read_yaml
from proctor.suites.exchange.bundle import Notes
from proctor.suites.exchange.promptfoo_files import CODE, PREFIX, Folder

__all__ = ["FooPrompt", "prompts_of", "sections"]

_TEXT = (".txt", ".md", ".j2", ".json", ".yaml", ".yml", ".csv", ".prompty")
_BETWEEN = re.compile(r"^---[ \t]*$", re.MULTILINE)
_ROLES = ("system", "developer", "user", "assistant")
_SLUG = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FooPrompt:
    """One prompt: as our file, with the names that promptfoo's tests use for it."""

    text: str
    ending: str = ".prompty"
    prompt: Prompt | None = None
    label: str = ""
    id: str = ""

    @property
    def slug(self) -> str:
        """The label as a part of a file name."""
        return _SLUG.sub("-", self.label or self.id).strip("-").lower()[:40]


def sections(messages: list[Mapping[str, Any]]) -> str:
    """Return chat messages as the text of a prompt file."""
    return "\n\n".join(f"{message['role']}:\n{str(message['content']).strip()}" for message in messages) + "\n"


def prompts_of(given: Any, folder: Folder, notes: Notes) -> tuple[FooPrompt, ...]:
    """Return every prompt that the configuration names; those that are code are noted."""
    made = []
    for place, text, label, name in _written(given, folder, notes):
        prompt = _read(text, place, label, name, notes)
        if prompt is not None:
            made.append(prompt)
    return tuple(made)


Written = tuple[str, str, str, str]  # place, text, label, id


def _written(given: Any, folder: Folder, notes: Notes) -> Iterator[Written]:
    if isinstance(given, Mapping):
        given = [{"raw": path, "label": label} for path, label in given.items()]
    for index, item in enumerate(given if isinstance(given, (list, tuple)) else [given] if given else []):
        place = f"prompts[{index}]"
        label = name = ""
        raw: Any = item
        if isinstance(item, Mapping):
            label, name = str(item.get("label") or ""), str(item.get("id") or "")
            raw = item.get("raw", item.get("id"))
            for key in item:
                if key not in ("raw", "label", "id", "display"):
                    notes.add(f"`{key}` of a prompt was not brought over", place)
        if not isinstance(raw, str):
            notes.add("a prompt that is no text", place)
        elif _is_path(raw, folder):
            for path in folder.find(raw, place):
                yield from _from_file(path, folder, label, name)
        elif raw.startswith("exec:"):
            notes.add("a prompt that is a program was not brought over", place)
        else:
            yield place, raw, label, name


def _is_path(raw: str, folder: Folder) -> bool:
    if raw.startswith(PREFIX):
        return True
    if "\n" in raw or "{{" in raw or len(raw) > 500:
        return False
    return raw.lower().endswith((*_TEXT, *CODE)) or ("*" in raw and "/" in raw) or (folder.path / raw).is_file()


def _from_file(path: Path, folder: Folder, label: str, name: str) -> Iterator[Written]:
    text = folder.text(path)
    if path.suffix.lower() == ".csv":
        for number, row in enumerate(csv.DictReader(io.StringIO(text))):
            yield f"{path.name}[{number}]", str(row.get("prompt") or ""), str(row.get("label") or ""), name
        return
    own = label or path.name.partition(".")[0]
    parts = _BETWEEN.split(text) if path.suffix.lower() == ".txt" else [text]
    for number, part in enumerate(each for each in parts if each.strip()):
        yield path.name, part.strip("\n"), own if len(parts) == 1 else f"{own}-{number + 1}", name


def _read(text: str, place: str, label: str, name: str, notes: Notes) -> FooPrompt | None:
    messages = _chat(text)
    body = sections(messages) if messages else text.strip() + "\n"
    if text.lstrip().startswith("---\n") and not messages:
        body = text  # a .prompty file
    try:
        return FooPrompt(text=body, prompt=parse_prompt(body, name=label or "prompt"), label=label, id=name)
    except PromptError as error:
        notes.add(f"a prompt that cannot be read here was not brought over: {error.message}", place)
        return None


def _chat(text: str) -> list[Mapping[str, Any]]:
    """Return the messages of a prompt written as JSON or YAML chat; empty if it is plain text."""
    start = text.lstrip()[:1]
    data: Any = None
    if start == "[":
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            data = None
    if data is None and start in "-[":
        try:
            data = read_yaml(text, error=PromptError)
        except PromptError:
            return []
    if not isinstance(data, list) or not data:
        return []
    right = all(isinstance(m, Mapping) and m.get("role") in _ROLES and isinstance(m.get("content"), str) for m in data)
    return data if right else []
