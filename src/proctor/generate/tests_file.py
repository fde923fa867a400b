"""Read and write ``tests.yaml``, ``baseline.yaml`` and ``inputs.yaml``: generated tests and input specifications."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from proctor.core.case import Case
from proctor.core.codec import content_id, dumps, loads
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, Problem
from proctor.core.generated_test import GeneratedTest, with_metadata
from proctor.core.recorded_shorthand import recorded_answer
from proctor.generate.folder import emptied, read_text
from proctor.generate.spec import InputSpec
from proctor.text.yaml_dump import to_yaml

__all__ = ["inputs_text", "read_inputs", "read_tests", "tests_text"]

Noun = TypeVar("Noun")

_PRIMARY = ""  # the setting that only the scorer can name
_BESIDE = ("name", "threshold", "weight")

_TESTS_HEAD = """\
# Tests made from the prompt, a suite like any other. Add your own under `cases`, edit and remove: a case that
# you add or change is yours, and `proctor generate` keeps it. `metadata.rules` are the ids of the rules in rules.yaml
# that a test aims at; every enabled rule is judged on every test.
"""
_INPUTS_HEAD = """\
# What a valid value of each input is. Tests are made from this; edit it, and `proctor generate` uses what you wrote.
"""


def tests_text(cases: Sequence[Case], *, name: str, metadata: Mapping[str, Any], description: str = "") -> str:  # noqa: PT028
    """Return the text of a suite file with these cases."""
    suite: dict[str, Any] = {"name": name}
    if description:
        suite["description"] = description
    if metadata:
        suite["metadata"] = dict(metadata)
    return _TESTS_HEAD + to_yaml({**suite, "cases": [_written(case) for case in cases]})


def inputs_text(inputs: Sequence[InputSpec]) -> str:
    """Return the text of ``inputs.yaml``."""
    return _INPUTS_HEAD + to_yaml({"inputs": [loads(dumps(spec)) for spec in inputs]})


def read_tests(path: Path, aliases: Mapping[str, str]) -> tuple[Case, ...]:
    """Return the cases of a suite file, with targeted rules under their present ids.

    Raises:
        InputError: the file is not YAML, or not a suite; with every problem and its line.
    """
    return tuple(_re_aimed(case, aliases) for case in _read(path, "cases", _case))


def read_inputs(path: Path) -> tuple[InputSpec, ...]:
    """Return the input specifications.

    Raises:
        InputError: the file is not YAML, or not a list of inputs; with every problem and its line.
    """
    return _read(path, "inputs", lambda data: decode(InputSpec, data))


def _read(path: Path, key: str, made: Callable[[Any], Noun]) -> tuple[Noun, ...]:
    text = read_text(path)
    if not path.exists():
        return ()
    from proctor.prompts.yaml_text import lines_in_yaml, read_yaml  # noqa: PLC0415 - costs 40 ms

    data = read_yaml(text, file=str(path))
    if data is None:
        raise emptied(path)
    entries = data.get(key) if isinstance(data, Mapping) else data
    prefix: tuple[str | int, ...] = (key,) if isinstance(data, Mapping) else ()
    if entries is None:
        return ()
    problems: list[Problem] = []
    nouns: list[Noun] = []
    if not isinstance(entries, list):
        problems.append(Problem((key,), "expected a list", f"write `{key}:` and a list"))
        entries = []
    for index, entry in enumerate(entries):
        try:
            nouns.append(made(entry))
        except MalformedError as error:
            problems += [Problem((*prefix, index, *each.path), each.message, each.hint) for each in error.problems]
    if problems:
        line = lines_in_yaml(text)
        raise MalformedError([replace(each, line=line(each.path)) for each in problems], file=str(path))
    return tuple(nouns)


def _case(data: Any) -> Case:
    """Decode a case in any of the notations of a suite."""
    raw: Any = {"input": data} if isinstance(data, str) else data
    if not isinstance(raw, Mapping):
        raise MalformedError([Problem((), "expected a case: a mapping, or the text of its input")])
    raw = dict(raw)
    if isinstance(raw.get("checks"), list):
        raw["checks"] = [_check(each) for each in raw["checks"]]
    if raw.get("id") is None:
        raw["id"] = "c-" + content_id(data, length=12)
    elif type(raw["id"]) is int:
        raw["id"] = str(raw["id"])
    problems: list[Problem] = []
    if raw.get("recorded") is not None:
        raw["recorded"] = recorded_answer(raw, problems)
    if problems:
        raise MalformedError(problems)
    return decode(Case, raw)


def _written(case: Case) -> dict[str, Any]:
    """Return the entry of a case, with a check and a recorded answer as short as a person writes them."""
    data: dict[str, Any] = loads(dumps(case))
    if data.get("checks"):
        data["checks"] = [_short(check) for check in data["checks"]]
    if case.recorded is not None:
        said = [turn.messages[-1].content if turn.messages else "" for turn in case.recorded.turns]
        text = said[0] if len(said) == 1 else said
        if recorded_answer({**data, "recorded": text}, []) == case.recorded:
            data["recorded"] = text
    return data


def _short(check: dict[str, Any]) -> dict[str, Any]:
    """Return ``scorer: contains`` with its primary setting alone as ``contains: text``; see ``_check``."""
    settings = check.get("settings")
    if not isinstance(settings, dict) or list(settings) != [_PRIMARY]:
        return check
    if settings[_PRIMARY] is None or isinstance(settings[_PRIMARY], dict):  # these are read as settings
        return check
    rest = {key: value for key, value in check.items() if key not in ("scorer", "settings")}
    beside = {key: rest[key] for key in _BESIDE if key in rest}
    return {check["scorer"]: settings[_PRIMARY], **beside} if rest == beside else check


def _check(item: Any) -> Any:
    """Convert ``- contains: text`` to a check's settings; only the scorer knows the name of its setting."""
    if isinstance(item, str):
        return {"scorer": item}
    if not isinstance(item, Mapping) or "scorer" in item:
        return item
    beside = {key: item[key] for key in _BESIDE if key in item}
    names = [key for key in item if key not in beside]
    if len(names) != 1:
        return item
    value = item[names[0]]
    settings = value if isinstance(value, Mapping) else {} if value is None else {_PRIMARY: value}
    return {"scorer": names[0], "settings": settings, **beside}


def _re_aimed(case: Case, aliases: Mapping[str, str]) -> Case:
    aimed = GeneratedTest.of(case).rules
    if not any(each in aliases for each in aimed):
        return case
    return with_metadata(case, rules=list(dict.fromkeys(aliases.get(each, each) for each in aimed)))
