"""Load the goals of a campaign from YAML files, with every problem named by file, goal and field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from proctor.core.attack import Goal
from proctor.core.decode import decode
from proctor.core.errors import InputError, MalformedError, Problem
from proctor.prompts.yaml_text import lines_in_yaml, read_yaml
from proctor.redteam.goal_problems import problems_in_goal

__all__ = ["goals_in", "load_goals"]


def load_goals(paths: Iterable[Path | str]) -> tuple[Goal, ...]:
    """Load all goals of these files; a folder stands for the ``*.yaml`` files in it.

    Raises:
        InputError: a file cannot be read, is no list of goals, or has no goal.
        MalformedError: a goal is wrong; lists every problem of the file with its path, line and hint.
    """
    goals: list[Goal] = []
    places: dict[str, str] = {}
    for path in _files(paths):
        for goal in goals_in(_text(path), file=str(path)):
            if goal.id in places:
                raise InputError(
                    f"the goal {goal.id!r} is also in {places[goal.id]}", file=str(path), hint="give one another id"
                )
            places[goal.id] = str(path)
            goals.append(goal)
    if not goals:
        raise InputError("the campaign has no goals", hint="name at least one file with `goals:`")
    return tuple(goals)


def goals_in(text: str, *, file: str | None = None) -> tuple[Goal, ...]:
    """Return the goals of one file's text: a list, or a mapping with ``goals:``.

    Raises:
        InputError: the text is no YAML or no list of goals.
        MalformedError: a goal is wrong.
    """
    data = read_yaml(text, file=file)
    entries, prefix = _entries(data, file)
    goals: list[Goal] = []
    problems: list[Problem] = []
    for index, entry in enumerate(entries):
        path: tuple[str | int, ...] = (*prefix, index)
        try:
            goal = decode(Goal, entry, strict=True)
        except MalformedError as wrong:
            problems += (_named(problem, path, _id_of(entry)) for problem in wrong.problems)
            continue
        problems += (_named(problem, path, goal.id) for problem in problems_in_goal(goal))
        if any(goal.id == other.id for other in goals):
            problems.append(_named(Problem(("id",), "occurs twice in this file", "give one another id"), path, goal.id))
        goals.append(goal)
    if problems:
        line_of = lines_in_yaml(text)
        raise MalformedError([_with_line(problem, line_of(problem.path)) for problem in problems], file=file)
    return tuple(goals)


def _files(paths: Iterable[Path | str]) -> list[Path]:
    found: list[Path] = []
    for each in paths:
        path = Path(each)
        found += sorted(path.glob("*.yaml")) if path.is_dir() else [path]
    return list(dict.fromkeys(found))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", file=str(path), hint="check the path in `goals:`") from error


def _entries(data: Any, file: str | None) -> tuple[list[Any], tuple[str, ...]]:
    if isinstance(data, list):
        return data, ()
    if isinstance(data, Mapping) and isinstance(data.get("goals"), list) and len(data) == 1:
        return data["goals"], ("goals",)
    raise InputError("expected a list of goals", file=file, hint="begin the file with `goals:` and a list below it")


def _id_of(entry: Any) -> str:
    return str(entry.get("id", "")) if isinstance(entry, Mapping) else ""


def _named(problem: Problem, path: tuple[str | int, ...], goal: str) -> Problem:
    message = f"goal {goal!r}: {problem.message}" if goal else problem.message
    return Problem((*path, *problem.path), message, problem.hint)


def _with_line(problem: Problem, line: int | None) -> Problem:
    return Problem(problem.path, problem.message, problem.hint, line)
