"""Reads prompt files: .prompty, .prompt.yml, .md, .txt; and prompts given as text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from proctor.core.chat import Role
from proctor.core.errors import PromptError
from proctor.prompts.front import declared_inputs, model_of, response_schema, sampling_of, unknown_keys
from proctor.prompts.prompt import Prompt, PromptMessage, Syntax
from proctor.prompts.render import variables_in
from proctor.prompts.yamltext import read_yaml

__all__ = ["ENDINGS", "load_prompt", "parse_prompt"]

ENDINGS = (".prompty", ".prompt.yml", ".prompt.yaml", ".yml", ".yaml", ".md", ".txt")
_MOST_BYTES = 4_000_000
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_FENCE = re.compile(r"\A\s*---[ \t]*\r?\n(.*?)(?:^|\n)---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_SECTION = re.compile(
    r"^[ \t]*(?:#[ \t]*)?(system|developer|user|assistant)[ \t]*:[ \t]*\r?$", re.MULTILINE | re.IGNORECASE
)


def load_prompt(path: str | Path) -> Prompt:
    """A prompt from a file.

    Raises:
        PromptError: the file is missing, is not text, or is not a prompt.
    """
    path = Path(path)
    text = _read(path)
    if not text.strip():
        raise PromptError("the file is empty", file=str(path), mend="write the prompt into it")
    if path.suffix.lower() in (".yml", ".yaml"):
        return _from_yaml(text, path)
    return _from_text(text, file=str(path), name=path.name.partition(".")[0], must_be=path.suffix.lower() == ".prompty")


def parse_prompt(text: str, *, name: str = "prompt") -> Prompt:
    """A prompt given as text, written as in a file; empty text is a prompt that says nothing of its own.

    Raises:
        PromptError: its front matter or a template is not valid.
    """
    return _from_text(text, file=None, name=name, must_be=False)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as handle:
            data = handle.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        raise PromptError("no such file", file=str(path), mend=_near(path)) from None
    except OSError as error:
        raise PromptError(f"cannot be read: {error.strerror}", file=str(path), mend="check its permissions") from None
    if len(data) > _MOST_BYTES:
        raise PromptError(f"is larger than {_MOST_BYTES // 1_000_000} MB", file=str(path))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"is not UTF-8 text: byte 0x{data[error.start]:02x} at offset {error.start:,}"
        raise PromptError(what, file=str(path), mend="save the file as UTF-8") from None
    if "\0" in text:
        raise PromptError("is not a text file: it holds a zero byte", file=str(path), mend="give a text file")
    return text


def _near(path: Path) -> str:
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    names = [entry.name for entry in path.parent.iterdir() if entry.name.lower().endswith(ENDINGS)]
    guess = difflib.get_close_matches(path.name, names, n=1, cutoff=0.5)
    return f"did you mean {path.parent / guess[0]}?" if guess else "check the path"


def _from_text(text: str, *, file: str | None, name: str, must_be: bool) -> Prompt:
    front, body, first_line = _split(text, file, must_be=must_be)
    messages = _messages(body, first_line, file)
    return _made(front, messages, "jinja", file=file, name=name)


def _split(text: str, file: str | None, *, must_be: bool) -> tuple[Mapping[str, Any], str, int]:
    """The front matter, the rest, and the line the rest begins on."""
    match = _FENCE.match(text)
    if match is None:
        if must_be and text.lstrip().startswith("---"):
            raise PromptError(
                "the front matter is not closed", file=file, line=1, mend="add a line with `---` after it"
            )
        return {}, text, 1
    lines_before = text[: match.start(1)].count("\n")
    front = read_yaml(match.group(1), file=file, error=PromptError, first_line=lines_before + 1)
    if front is not None and not isinstance(front, dict):
        if must_be:
            raise PromptError("expected front matter of `key: value` lines", file=file, line=lines_before + 1)
        return {}, text, 1  # two rulers in a Markdown text
    return front or {}, text[match.end() :], text[: match.end()].count("\n") + 1


def _messages(body: str, first_line: int, file: str | None) -> tuple[PromptMessage, ...]:
    """The sections of a prompt; text before the first one is the system's.

    Without sections the whole text is one message: the user's when it has variables to fill, the system's
    when it has none and the user's words are still to come.
    """
    heads = list(_SECTION.finditer(body))
    if not heads:
        if not body.strip():
            return ()
        role: Role = "user" if variables_in(body, "jinja", file=file, line=first_line) else "system"
        return (_message(role, body, 0, len(body), first_line),)
    parts = [("system", 0, heads[0].start())]
    ends = [head.start() for head in heads[1:]] + [len(body)]
    parts += [(head.group(1).lower(), head.end(), end) for head, end in zip(heads, ends, strict=True)]
    return tuple(
        _message(cast(Role, _ROLES[role]), body, start, end, first_line)
        for index, (role, start, end) in enumerate(parts)
        if index > 0 or body[start:end].strip()
    )


def _message(role: Role, body: str, start: int, end: int, first_line: int) -> PromptMessage:
    text = body[start:end]
    skipped = len(text) - len(text.lstrip())
    return PromptMessage(role=role, text=text.strip(), line=first_line + body.count("\n", 0, start + skipped))


def _from_yaml(text: str, path: Path) -> Prompt:
    front = read_yaml(text, file=str(path), error=PromptError)
    if not isinstance(front, dict) or not isinstance(front.get("messages"), list):
        mend = "write `messages:` and under it `- role: user` with `content:`"
        raise PromptError("expected a mapping with a list of `messages`", file=str(path), field="messages", mend=mend)
    messages = tuple(_yaml_message(item, index, str(path)) for index, item in enumerate(front["messages"]))
    return _made(front, messages, "plain", file=str(path), name=path.name.partition(".")[0])


def _yaml_message(item: Any, index: int, file: str) -> PromptMessage:
    role = item.get("role") if isinstance(item, dict) else None
    content = item.get("content") if isinstance(item, dict) else None
    if role not in _ROLES or not isinstance(content, str):
        mend = "give each message `role:` (system, user or assistant) and `content:` (text)"
        raise PromptError("not a message", file=file, field=f"messages[{index}]", mend=mend)
    return PromptMessage(role=cast(Role, _ROLES[role]), text=content)


def _made(
    front: Mapping[str, Any], messages: tuple[PromptMessage, ...], syntax: Syntax, *, file: str | None, name: str
) -> Prompt:
    warnings = unknown_keys(front)
    inputs = declared_inputs(front, file)
    for message in messages:
        for variable in sorted(variables_in(message.text, syntax, file=file, line=message.line)):
            inputs.setdefault(variable, {"type": "string"})
    shape = response_schema(front, file)
    sample = front.get("sample")
    return Prompt(
        name=_text(front, "name") or name,
        messages=messages,
        description=_text(front, "description"),
        inputs=inputs,
        defaults={key: schema["default"] for key, schema in inputs.items() if "default" in schema},
        sample=sample if isinstance(sample, dict) else {},
        model=model_of(front),
        sampling=sampling_of(front, file, warnings),
        schema=shape[1] if shape else None,
        schema_name=shape[0] if shape else "answer",
        syntax=syntax,
        front=front,
        warnings=tuple(warnings),
        path=file,
    )


def _text(front: Mapping[str, Any], key: str) -> str:
    value = front.get(key)
    return value.strip() if isinstance(value, str) else ""
