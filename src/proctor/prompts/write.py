"""Edit existing prompt files, and write new ones from a prompt.

An edit changes nothing else: comments, order, unknown keys, the user's own test data, quotes, blocks, line endings
and the byte order mark stay as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from proctor.core.codec import content_id
from proctor.core.errors import PromptError
from proctor.prompts.atomic_file import save_whole
from proctor.prompts.load import is_yaml, parse_prompt, read_text
from proctor.prompts.sections import find_front, sections_of
from proctor.prompts.yaml_edit import edit_yaml
from proctor.prompts.yaml_text import read_yaml
from proctor.text.yaml_dump import to_yaml

__all__ = ["edit_prompt", "with_test_data", "write_prompt"]

_MARK = "\ufeff"


def write_prompt(
    path: str | Path,
    *,
    set_: Mapping[str, Any] | None = None,
    remove: Iterable[str] = (),
    texts: Mapping[int, str] | None = None,
) -> str:
    """Edit a prompt file on disk atomically; return its new text.

    ``set_`` sets top-level keys, ``remove`` removes keys, ``texts`` replaces the text of messages by their number. An
    unchanged file is not written.

    Raises:
        PromptError: the file cannot be read, or the change cannot be made in it.
        StoreError: a disk error.
    """
    path = Path(path)
    source = read_text(path)
    made = edit_prompt(source, file=str(path), set_=set_, remove=remove, texts=texts)
    if made != source:
        save_whole(path, made)
    return made


def edit_prompt(
    source: str,
    *,
    file: str | None,
    set_: Mapping[str, Any] | None = None,
    remove: Iterable[str] = (),
    texts: Mapping[int, str] | None = None,
) -> str:
    """Return the edited text of a prompt file; the ending of ``file`` selects the format.

    Raises:
        PromptError: the text is not a prompt, or the change cannot be made in it.
    """
    mark = _MARK if source.startswith(_MARK) else ""
    text = source.removeprefix(_MARK)
    dropped = set(remove)
    if file is not None and is_yaml(file):
        return mark + _edit_whole(text, dict(set_ or {}), dropped, texts or {}, file)
    return mark + _edit_body(_edit_front(text, dict(set_ or {}), dropped, file), texts or {}, file)


def _edit_whole(text: str, set_: dict[str, Any], dropped: set[str], texts: Mapping[int, str], file: str) -> str:
    data = read_yaml(text, file=file, error=PromptError)
    if not isinstance(data, dict):
        raise PromptError("expected a mapping with a list of `messages`", file=file, field="messages")
    wanted = {key: value for key, value in {**data, **set_}.items() if key not in dropped}
    messages = wanted.get("messages")
    for number, said in texts.items():
        if not isinstance(messages, list) or not 0 <= number < len(messages) or not isinstance(messages[number], dict):
            raise _no_message(number, file)
        messages = [*messages[:number], {**messages[number], "content": said}, *messages[number + 1 :]]
        wanted["messages"] = messages
    return edit_yaml(text, wanted, file=file)


def _no_message(number: int, file: str | None) -> PromptError:
    return PromptError(f"there is no message {number}", file=file, hint="messages are counted from 0")


def _edit_front(text: str, set_: dict[str, Any], dropped: set[str], file: str | None) -> str:
    if not set_ and not dropped:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    match = find_front(text)
    front = None if match is None else read_yaml(match.group(1), file=file, error=PromptError)
    if match is None or not (front is None or isinstance(front, dict)):
        fresh = to_yaml(set_).replace("\n", newline) if set_ else ""
        return f"---{newline}{fresh}---{newline}{text}" if set_ else text
    wanted = {key: value for key, value in {**(front or {}), **set_}.items() if key not in dropped}
    made = edit_yaml(match.group(1), wanted, file=file) if wanted else ""
    if made and not made.endswith("\n"):
        made += newline
    return text[: match.start(1)] + made + text[match.end(1) :]


def _edit_body(text: str, texts: Mapping[int, str], file: str | None) -> str:
    if not texts:
        return text
    match = find_front(text)
    begin = match.end() if match else 0
    sections = sections_of(text[begin:], file=file)
    newline = "\r\n" if "\r\n" in text else "\n"
    made = text
    for number in sorted(texts, reverse=True):
        if not 0 <= number < len(sections):
            raise _no_message(number, file)
        said = texts[number].strip().replace("\r\n", "\n").replace("\n", newline)
        section = sections[number]
        made = made[: begin + section.start] + said + made[begin + section.end :]
    got = parse_prompt(made.replace("\r\n", "\n")).messages
    if len(got) != len(sections) or any(got[n].text != said.strip() for n, said in texts.items()):
        hint = "a line that is only `user:`, `system:` or `assistant:` begins a message: write it another way"
        raise PromptError("the new text would be read as other messages", file=file, hint=hint)
    return made


def with_test_data(
    path: str | Path, rows: Iterable[Mapping[str, Any]], *, evaluators: Iterable[Mapping[str, Any]] = ()
) -> str:
    """Return the text of a GitHub Models file with further test data and evaluators after the existing ones.

    An existing row is not added again, nor is an evaluator of the same name.

    Raises:
        PromptError: the file is not a GitHub Models prompt, or cannot be changed.
    """
    path = Path(path)
    source = read_text(path)
    if not is_yaml(path):
        hint = "export it first: `proctor export FILE --to github-models`"
        raise PromptError("is not a GitHub Models file", file=str(path), hint=hint)
    data = read_yaml(source.removeprefix(_MARK), file=str(path), error=PromptError)
    given = data if isinstance(data, dict) else {}
    set_: dict[str, Any] = {}
    theirs = _list(given, "testData", path)
    seen = {content_id(row) for row in theirs}
    more = {content_id(dict(row)): dict(row) for row in rows}
    if more.keys() - seen:
        set_["testData"] = [*theirs, *(row for key, row in more.items() if key not in seen)]
    judges = _list(given, "evaluators", path)
    names = {judge.get("name") for judge in judges if isinstance(judge, dict)}
    added = [dict(judge) for judge in evaluators if judge.get("name") not in names]
    if added:
        set_["evaluators"] = [*judges, *added]
    return edit_prompt(source, file=str(path), set_=set_)


def _list(given: Mapping[str, Any], field: str, path: Path) -> list[Any]:
    value = given.get(field)
    if value is not None and not isinstance(value, list):
        raise PromptError("expected a list", file=str(path), field=field, hint=f"write `{field}:` and `- …` under it")
    return value or []
