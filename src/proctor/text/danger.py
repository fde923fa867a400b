"""Words after which a person must take over: threats of law or press, danger to somebody, self-harm."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from proctor.text.needles import Haystack

__all__ = ["DANGERS", "Danger", "dangers", "without_set_phrases"]

DANGERS: Final = ("self_harm", "safety_incident", "legal_threat", "media_complaint")
_LONGEST: Final = 100_000
_ENDS: Final = ".!?？！。؟।\n"
_NAME: Final = re.compile(r"<([A-Z]+)>")
_SECTION: Final = re.compile(r"\[((?:not |harmless )?[a-z_]+)\]")
_ASKED: Final = re.compile(r"[?？؟]\s*[\"'”’」』)）]*\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Danger:
    """Words that call for a person: of which kind, and where."""

    kind: str
    start: int
    end: int


def dangers(text: str) -> Iterator[Danger]:
    """The first place of each kind in a text; questions about rules and set phrases do not count."""
    source = text[:_LONGEST]
    wording = _wording()
    seen: set[str] = set()
    for number, hit in wording.dangers.find(source):
        kind = wording.kinds[number]
        if kind not in seen and _is_meant(kind, _sentence(source, hit.start())):
            seen.add(kind)
            yield Danger(kind=kind, start=hit.start(), end=hit.end())


def without_set_phrases(text: str) -> str:
    """The text without the sentences that a classifier may take amiss, though their words mean another thing."""
    source = text[:_LONGEST]
    wording = _wording()
    places = [hit.start() for words in (*wording.ruled_out.values(), wording.harmless) for _, hit in words.find(source)]
    for begin, end in sorted({_bounds(source, place) for place in places}, reverse=True):
        source = f"{source[:begin]} {source[end:]}"
    return source + text[_LONGEST:]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wording:
    """What says each kind, and under its name what rules it out; questions about rules rule out most."""

    dangers: Haystack
    kinds: tuple[str, ...]  # of each pattern
    ruled_out: Mapping[str, Haystack]
    harmless: Haystack
    questions: Haystack


@cache
def _wording() -> _Wording:
    sections = _sections(files("proctor.text").joinpath("danger.txt").read_text(encoding="utf-8"))
    told = [(kind, pattern) for kind in DANGERS for pattern in sections[kind]]
    return _Wording(
        dangers=Haystack(tuple(pattern for _, pattern in told)),
        kinds=tuple(kind for kind, _ in told),
        ruled_out={kind: Haystack(tuple(sections[f"not {kind}"])) for kind in DANGERS},
        harmless=Haystack(tuple(pattern for kind in DANGERS for pattern in sections[f"harmless {kind}"])),
        questions=Haystack(tuple(sections["questions"])),
    )


def _sections(text: str) -> Mapping[str, list[str]]:
    """The patterns under each heading, names replaced by what they stand for."""
    names: dict[str, str] = {}
    made: dict[str, list[str]] = {}
    section = ""
    for line in text.splitlines():
        if not line or line.startswith("# "):
            continue
        if (headed := _SECTION.fullmatch(line)) is not None:
            section = headed[1]
        elif not section and (named := _NAME.match(line)) is not None:
            names[named[1]] = line[named.end() :].removeprefix(" = ")
        else:
            made.setdefault(section, []).append(_NAME.sub(lambda hit: names[hit[1]], line))
    return made


def _is_meant(kind: str, sentence: str) -> bool:
    wording = _wording()
    if any(True for _ in wording.ruled_out[kind].find(sentence)):
        return False
    if kind == "self_harm" or _ASKED.search(sentence) is None:
        return True
    return not any(True for _ in wording.questions.find(sentence))


def _sentence(text: str, place: int) -> str:
    """The sentence in which a place stands."""
    begin, end = _bounds(text, place)
    return text[begin:end]


def _bounds(text: str, place: int) -> tuple[int, int]:
    begin = max(text.rfind(sign, 0, place) for sign in _ENDS) + 1
    after = [at for sign in _ENDS if (at := text.find(sign, place)) >= 0]
    return begin, min(min(after, default=len(text)) + 1, len(text))
