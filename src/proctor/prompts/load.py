"""Read prompt files: .prompty, .prompt.yml, .md, .txt; and prompts given as text."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proctor.core.errors import PromptError
from proctor.prompts.front_matter import model_of, response_schema, sampling_of, syntax_of
from proctor.prompts.inputs import declared_inputs
from proctor.prompts.keys import is_metric, notes_on_keys
from proctor.prompts.prompt import Prompt, PromptMessage, Syntax
from proctor.prompts.prompt_warnings import notes_on_names, notes_on_sections, notes_on_variables
from proctor.prompts.render import variables_in
from proctor.prompts.sample_rows import named_file, read_rows
from proctor.prompts.sections import ROLES, find_front, sections_of
from proctor.prompts.yaml_text import read_yaml

__all__ = ["ENDINGS", "is_yaml", "load_prompt", "parse_prompt", "read_text"]

ENDINGS = (".prompty", ".prompt.yml", ".prompt.yaml", ".yml", ".yaml", ".md", ".txt")
_MAX_BYTES = 4_000_000


def load_prompt(path: str | Path) -> Prompt:
    """Load a prompt from a file.

    Raises:
        PromptError: the file is missing, is not text, or is not a prompt.
    """
    path = Path(path)
    text = _plain(read_text(path))
    if not text.strip():
        raise PromptError("the file is empty", file=str(path), hint="write the prompt into it")
    if is_yaml(path):
        return _from_yaml(text, path)
    return _from_text(text, file=str(path), name=path.name.partition(".")[0], must_be=path.suffix.lower() == ".prompty")


def parse_prompt(text: str, *, name: str = "prompt") -> Prompt:
    """Parse a prompt given as text, in the format of a file; empty text is a prompt without messages.

    Raises:
        PromptError: its front matter or a template is not valid.
    """
    return _from_text(_plain(text), file=None, name=name, must_be=False)


def _plain(text: str) -> str:
    """Normalise the text on every platform: no byte order mark, and one kind of line ending."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def is_yaml(path: str | Path) -> bool:
    """Return whether the whole file is YAML, as in GitHub Models."""
    return str(path).lower().endswith((".yml", ".yaml"))


def read_text(path: Path) -> str:
    """Return the text of a prompt file as it is on disk, with byte order mark and line endings.

    Raises:
        PromptError: the file is missing, is too large, or is not text.
    """
    try:
        with path.open("rb") as handle:
            data = handle.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        raise PromptError("no such file", file=str(path), hint=_near(path)) from None
    except IsADirectoryError:
        raise PromptError("this is a folder", file=str(path), hint="name the prompt file in it") from None
    except OSError as error:
        raise PromptError(f"cannot be read: {error.strerror}", file=str(path), hint="check its permissions") from None
    if len(data) > _MAX_BYTES:
        hint = "a prompt of this size is data: put it into a suite"
        raise PromptError(f"is larger than {_MAX_BYTES // 1_000_000} MB", file=str(path), hint=hint)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        what = f"is not UTF-8 text: byte 0x{data[error.start]:02x} at offset {error.start:,}"
        raise PromptError(what, file=str(path), hint="save the file as UTF-8") from None
    if "\0" in text:
        raise PromptError("is not a text file: it holds a zero byte", file=str(path), hint="give a text file")
    return text


def _near(path: Path) -> str:
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    names = [entry.name for entry in path.parent.iterdir() if entry.name.lower().endswith(ENDINGS)]
    guess = difflib.get_close_matches(path.name, names, n=1, cutoff=0.5)
    return f"did you mean {path.parent / guess[0]}?" if guess else "check the path"


def _from_text(text: str, *, file: str | None, name: str, must_be: bool) -> Prompt:
    front, body, first_line = _split(text, file, must_be=must_be)
    messages = _messages(body, first_line, file, syntax_of(front, []))
    return _made(front, messages, file=file, name=name)


def _split(text: str, file: str | None, *, must_be: bool) -> tuple[Mapping[str, Any], str, int]:
    """Return the front matter, the rest, and the line where the rest begins."""
    match = find_front(text)
    if match is None:
        if must_be and text.lstrip().startswith("---"):
            raise PromptError(
                "the front matter is not closed", file=file, line=1, hint="add a line with `---` after it"
            )
        return {}, text, 1
    lines_before = text[: match.start(1)].count("\n")
    front = read_yaml(match.group(1), file=file, error=PromptError, first_line=lines_before + 1)
    if front is not None and not isinstance(front, dict):
        if must_be:
            raise PromptError("expected front matter of `key: value` lines", file=file, line=lines_before + 1)
        return {}, text, 1  # two rulers in a Markdown text
    return front or {}, text[match.end() :], text[: match.end()].count("\n") + 1


def _messages(body: str, first_line: int, file: str | None, syntax: Syntax) -> tuple[PromptMessage, ...]:
    """Return the messages of a prompt, one for each section.

    Without sections the whole text is one message: a user message if it has variables, a system message
    if it has none and the user's text is still to come.
    """
    made = []
    for section in sections_of(body, first_line=first_line, file=file):
        text = body[section.start : section.end]
        role = section.role
        if role is None:
            role = "user" if variables_in(text, syntax, file=file, line=section.line) else "system"
        made.append(PromptMessage(role=role, text=text, line=section.line))
    return tuple(made)


def _from_yaml(text: str, path: Path) -> Prompt:
    front = read_yaml(text, file=str(path), error=PromptError)
    if not isinstance(front, dict) or not isinstance(front.get("messages"), list):
        hint = "write `messages:` and under it `- role: user` with `content:`"
        raise PromptError("expected a mapping with a list of `messages`", file=str(path), field="messages", hint=hint)
    messages = tuple(_yaml_message(item, index, str(path)) for index, item in enumerate(front["messages"]))
    return _made(front, messages, "plain", file=str(path), name=path.name.partition(".")[0])


def _yaml_message(item: Any, index: int, file: str) -> PromptMessage:
    role = item.get("role") if isinstance(item, dict) else None
    content = item.get("content") if isinstance(item, dict) else None
    if role not in ROLES or not isinstance(content, str):
        hint = "give each message `role:` (system, user or assistant) and `content:` (text)"
        why = f": the role {role!r} is not known" if isinstance(role, str) and role not in ROLES else ""
        raise PromptError(f"not a message{why}", file=file, field=f"messages[{index}]", hint=hint)
    return PromptMessage(role=ROLES[role], text=content)


def _made(
    front: Mapping[str, Any],
    messages: tuple[PromptMessage, ...],
    syntax: Syntax | None = None,
    *,
    file: str | None,
    name: str,
) -> Prompt:
    warnings = notes_on_keys(front)
    templated = syntax is None and syntax_of(front, warnings) == "plain"
    syntax = syntax or ("plain" if templated else "jinja")
    declared = declared_inputs(front, file, warnings)
    found = (variables_in(message.text, syntax, file=file, line=message.line) for message in messages)
    variables = tuple(dict.fromkeys(name for names in found for name in names))
    sample = _sample(front, declared, file)
    texts = [message.text for message in messages]
    if not is_metric(file, front):  # a judge's prompt may leave out some of its inputs
        warnings += notes_on_variables(texts, variables, declared, sample)
    warnings += notes_on_names(texts) if syntax == "jinja" else notes_on_sections(texts) if templated else []
    inputs = {**declared, **{name: _undeclared(sample.get(name)) for name in variables if name not in declared}}
    shape = response_schema(front, file, warnings)
    return Prompt(
        name=_text(front, "name") or name,
        messages=messages,
        description=_text(front, "description"),
        inputs=inputs if variables else {},
        defaults={key: schema["default"] for key, schema in inputs.items() if "default" in schema},
        sample=sample,
        model=model_of(front),
        sampling=sampling_of(front, file, warnings),
        schema=shape[1] if shape else None,
        schema_name=shape[0] if shape else "answer",
        syntax=syntax,
        front=front,
        warnings=tuple(warnings),
        path=file,
    )


def _undeclared(sample: Any) -> dict[str, Any]:
    """Return the schema of an undeclared variable: text, unless the sample has a list or a mapping."""
    return {"type": "array" if isinstance(sample, list) else "object" if isinstance(sample, dict) else "string"}


def _sample(front: Mapping[str, Any], declared: Mapping[str, Mapping[str, Any]], file: str | None) -> dict[str, Any]:
    """Return one set of inputs to try the prompt with: written out, in a file, or from the examples of each input."""
    given = front.get("sample")
    name = named_file(given)
    if name is not None:
        rows = read_rows(name, prompt=file, field="sample")
        given = rows[0] if rows else {}
    if given is not None and not isinstance(given, dict):
        hint = "write `sample:` and under it `input: value`, or name a CSV, JSON or YAML file beside the prompt"
        raise PromptError("expected a sample of each input", file=file, field="sample", hint=hint)
    if given:
        return given
    return {name: schema["examples"][0] for name, schema in declared.items() if schema.get("examples")}


def _text(front: Mapping[str, Any], key: str) -> str:
    value = front.get(key)
    return value.strip() if isinstance(value, str) else ""
