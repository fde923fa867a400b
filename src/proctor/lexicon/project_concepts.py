"""What a project adds to the concepts, or puts in their place: read from the files that proctor.yaml names.

One set is in force in a process, that of the proctor.yaml which was read last.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, Protocol

from proctor.core.decode import closest, decode
from proctor.core.errors import ConfigError, MalformedError, Problem
from proctor.lexicon.concept import Concept
from proctor.lexicon.files import concept_names

__all__ = ["NO_CONCEPTS", "ProjectConcepts", "concepts_in_force", "read_project_concepts", "use_concepts"]

_WORDINGS: Final = ("patterns", "folded", "exceptions")
_SAMPLE: Final = "concept: legal_threat\npatterns:\n  en: ['\\btrading standards\\b']"
_ENDINGS: Final = (".yaml", ".yml")

Lines = Callable[[str], Callable[[Sequence[str | int]], int | None]]  # from text to a function from path to line


class Reader(Protocol):
    """Reads YAML text; raises ConfigError with the line."""

    def __call__(self, text: str, *, file: str | None = None) -> Any:
        """Plain data."""
        ...


@dataclass(frozen=True, eq=False)  # compared by identity: what was built from one set is kept with it
class ProjectConcepts:
    """The project's own files, by the concept they are about, and a hash of each."""

    concepts: Mapping[str, tuple[Concept, ...]] = field(default_factory=dict)

    def digest(self, name: str) -> str:
        """A hash of all that the project says about one concept; empty when it says nothing."""
        own = self.concepts.get(name, ())
        said = [{each.name: getattr(concept, each.name) for each in fields(concept)} for concept in own]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest() if own else ""


NO_CONCEPTS: Final = ProjectConcepts()
_in_force: list[ProjectConcepts] = [NO_CONCEPTS]


def concepts_in_force() -> ProjectConcepts:
    """What the project adds, as matchers see it now."""
    return _in_force[0]


def use_concepts(own: ProjectConcepts) -> None:
    """Let every matcher see these additions from now on; equal ones change nothing."""
    if own.concepts != _in_force[0].concepts:
        _in_force[0] = own


def read_project_concepts(places: Iterable[Path], *, read: Reader, lines: Lines) -> ProjectConcepts:
    """Read lexicon files; a folder stands for every YAML file in it.

    Raises:
        ConfigError: a file does not exist, is empty, or is no YAML.
        MalformedError: a field is unknown or has a wrong value, no such concept exists, or a pattern cannot be used.
    """
    found: dict[str, tuple[Concept, ...]] = {}
    for path in (file for place in places for file in _files(place)):
        concept = _concept(path, read, lines)
        before = () if concept.mode == "replace" else found.get(concept.concept, ())
        found[concept.concept] = (*before, concept)
    return ProjectConcepts(found)


def _files(place: Path) -> list[Path]:
    if place.is_dir():
        inside = sorted(path for path in place.iterdir() if path.suffix in _ENDINGS)
        if not inside:
            raise ConfigError("the lexicon folder has no .yaml file", file=str(place), hint=f"write one:\n{_SAMPLE}")
        return inside
    if not place.is_file():
        raise ConfigError("no such lexicon file or folder", file=str(place), hint="check `lexicon` in proctor.yaml")
    return [place]


def _concept(path: Path, read: Reader, lines: Lines) -> Concept:
    text = _text(path)
    data = read(text, file=str(path))
    if data is None:
        raise ConfigError("the lexicon file is empty", file=str(path), hint=f"write for example:\n{_SAMPLE}")
    try:
        concept = decode(Concept, data, strict=True, file=str(path))
        if problems := list(_problems(concept)):
            raise MalformedError(problems, file=str(path))
    except MalformedError as error:
        line_of = lines(text)
        placed = [replace(problem, line=line_of(problem.path)) for problem in error.problems]
        raise MalformedError(placed, file=str(path)) from None
    return concept


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", file=str(path), hint="check its permissions") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"is not UTF-8 text (byte {error.start})", file=str(path), hint="save it as UTF-8") from error


def _problems(concept: Concept) -> Iterable[Problem]:
    """What is wrong with a file whose shape is right."""
    known = concept_names()
    if concept.concept not in known:
        near = closest(concept.concept, known)
        hint = f"did you mean {near}?" if near else f"one of {', '.join(known)}"
        yield Problem(("concept",), f"there is no concept {concept.concept!r}", hint)
    for name in concept.unless:
        if name not in known:
            yield Problem(("unless",), f"{concept.concept}: there is no concept {name!r}", "name one of this lexicon")
    if concept.fragments is not None:
        hint = "write the parts under `names`"
        yield Problem(("fragments",), f"{concept.concept}: only concepts of Proctor share fragments", hint)
    if not any(getattr(concept, each) for each in ("words", *_WORDINGS)):
        yield Problem(("patterns",), f"{concept.concept}: the file adds no word, pattern or exception", _SAMPLE)
    for language, words in concept.words.items():
        for at, word in enumerate(words):
            if not word.strip():
                yield Problem(("words", language, at), f"{concept.concept}: the word is empty", "write a word")
    for wording in _WORDINGS:
        yield from _pattern_problems(concept, wording)


def _pattern_problems(concept: Concept, wording: str) -> Iterable[Problem]:
    from proctor.text.user_patterns import user_pattern  # noqa: PLC0415 - only where a project has a lexicon

    said: Mapping[str, tuple[str, ...]] = getattr(concept, wording)
    places = [(wording, language, at) for language, patterns in said.items() for at in range(len(patterns))]
    for place, (_, pattern) in zip(places, concept.listed(said), strict=True):
        try:
            if user_pattern(pattern, ignore_case=True).fullmatch(""):
                raise ValueError("it matches an empty text, so it would be found everywhere")
        except ValueError as error:
            hint = "bound its repeats, as in {0,40}" if "too long" in str(error) else "put it in single quotes in YAML"
            yield Problem(place, f"{concept.concept}: {error}", hint)
