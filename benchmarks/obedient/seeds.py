"""Outputs to begin with: one or more for each kind of thing a predicate may ask for, most demanding first."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence

from benchmarks.obedient.as_json import Write, json_seeds
from benchmarks.obedient.from_pattern import matching
from benchmarks.obedient.prose import LANGUAGES, Size, prose
from benchmarks.obedient.wishes import Wishes
from proctor.text.predicates.term import Term
from proctor.text.predicates.values import Pattern

__all__ = ["seeds"]

_MOST_LABELS = 60
_PLAIN_KINDS = {
    "is empty": "",
    "is number": "42",
    "is integer": "7",
    "is date": "2024-05-17",
    "is iso date": "2024-05-17",
    "is url": "https://example.com/page",
    "is email": "someone@example.com",
    "is yes or no": "Yes",
    "is xml": "<answer><item>text</item></answer>",
    "is html": "<p>Some text.</p>",
    "is csv": "name,count\nalpha,1\nbeta,2",
    "is table": "| a | b |\n|---|---|\n| 1 | 2 |",
    "has code block": "```python\nprint(1)\n```",
}
_CASED = {
    "camel": "someOldHarbour", "pascal": "SomeOldHarbour", "snake": "some_old_harbour", "kebab": "some-old-harbour",
    "upper": "SOME OLD HARBOUR", "lower": "some old harbour", "title": "Some Old Harbour",
    "sentence": "Some old harbour",
}  # fmt: skip
_MARKS = {
    "digits": "7", "numbers": "7 and", "emoji": "🙂 so", "questions": "Why?", "exclamations": "Yes!",
    "links": "https://example.com/page", "headings": "\n# Heading\n",
}  # fmt: skip
_SCRIPTS = {"japanese": "ja", "hiragana": "ja", "katakana": "ja", "han": "zh", "hangul": "ko", "cyrillic": "ru"}


def seeds(wishes: Wishes, source: str, write: Write) -> Iterator[str]:
    """First tries at keeping all wishes; which of them does is for the predicates to say.

    ``write`` makes a text that keeps the terms it is given: for what is asked of a part of the output.
    """
    bodies = itertools.chain(
        _labels(wishes),
        _kinds(wishes),
        json_seeds(wishes, source, write),
        _fields(wishes),
        _tagged(wishes, source),
        _by_parts(wishes, write),
        _lists(wishes),
        _marked(wishes),
        _patterns(wishes),
        _of_input(wishes, source),
        _prose(wishes),
    )
    for body in bodies:
        yield from _framed(body, wishes)


def _labels(wishes: Wishes) -> Iterator[str]:
    for values in wishes.find("one of TEXTS", "is TEXT", "only words TEXTS"):
        for value in values:
            yield from ([value] if isinstance(value, str) else value[:_MOST_LABELS])


def _kinds(wishes: Wishes) -> Iterator[str]:
    if not (number := wishes.room("number")).open:
        yield str(number.edge(7))
    for form, values in wishes.said:
        if form in _PLAIN_KINDS:
            yield _PLAIN_KINDS[form]
        if form.startswith("case is"):
            yield _CASED.get(str(values[0] if values else form.split()[-1]), "")


def _about_mark(wishes: Wishes, write: Write) -> Iterator[str]:
    """What stands before a mark and what after it, where both are asked for: a score, a colon, a sentence."""
    sides: dict[str, dict[str, list[Term]]] = {}
    for form, values in wishes.said:
        side = form.split(" ", 1)[0]
        if side in ("before", "after"):
            terms = [value for value in values if isinstance(value, Term)]
            sides.setdefault(str(values[0]), {}).setdefault(side, []).extend(terms)
    number = wishes.room("number")
    for mark, asked in sides.items():
        after = write(asked["after"]) if "after" in asked else prose(Size(words=12, paragraphs=1))
        first = [str(number.edge(7))] * (not number.open) + [write(asked["before"]) if "before" in asked else "text"]
        yield from (f"{each}{mark} {after}" for each in first)


def _parted_list(wishes: Wishes, inner: Sequence[Term], write: Write) -> Iterator[str]:
    part = " ".join(write(inner).split())
    for unit in ("bullets", "numbered items", "items"):
        room = wishes.room(unit)
        if not room.open and room.edge(3):
            yield "\n".join(_lead(unit, at) + part for at in range(1, min(room.edge(3), 500) + 1))
    yield "\n".join(f"- {part}" for _ in range(4))


def _by_parts(wishes: Wishes, write: Write) -> Iterator[str]:
    yield from _about_mark(wishes, write)
    for form, values in wishes.said:
        inner = [value for value in values if isinstance(value, Term)]
        if not inner:
            continue
        if form.startswith("each item"):
            yield from _parted_list(wishes, inner, write)
            continue
        part, rest = write(inner), prose(Size(words=40, paragraphs=1, language=_language(wishes)))
        if form.startswith("each "):
            part = " ".join(part.split())  # each of many is one: it has no break of its own
            count = max(wishes.room("lines").edge(3), 1)
            yield "\n\n".join([part] * 3)
            yield "\n".join([part] * min(count, 200))
            yield part
        elif form.startswith("first "):
            yield f"{part}\n{rest}"
        elif form.startswith("last "):
            yield f"{rest}\n{part}"
        elif form.startswith("before "):
            yield f"{part}{values[0]} {rest}"
        elif form.startswith("after "):
            yield f"{rest.split()[0]}{values[0]} {part}"
        elif form.startswith("json field"):
            yield json.dumps({str(values[0]): part}, ensure_ascii=False)


def _fields(wishes: Wishes) -> Iterator[str]:
    names = [name for name in wishes.texts("fields in order TEXTS", "has fields TEXTS") if name]
    if names:
        yield "\n".join(f"{name} alpha, beta" for name in names)
        yield "\n".join(f"{name} {prose(Size(words=6, paragraphs=1, language=_language(wishes)))}" for name in names)


def _tagged(wishes: Wishes, source: str) -> Iterator[str]:
    """Elements in elements: those that others are asked for inside go outside."""
    outer = [name for name in wishes.inside] or [name for name in wishes.tags]
    only = wishes.texts("tags only TEXTS")
    outer = outer or only[:1]
    for name in outer[:1]:
        count = max(1, wishes.tags[name].edge(4) if name in wishes.tags else 4)
        inner = _tags_inside(wishes, name)
        block = f"<{name}>{prose(Size(words=6, paragraphs=1, language=_language(wishes)))} {inner}</{name}>"
        rest = "".join(
            f"<{tag}>text</{tag}>" * wishes.tags[tag].edge(1) for tag in wishes.tags if tag not in (name, *_in(inner))
        )
        yield "\n".join([block] * min(count, 200)) + rest
        sentences = re.findall(r"[^.!?]+[.!?]?", source)[: min(count, 200)] or ["Text."]
        yield "\n".join(f"<{name}>{each.strip()} {inner}</{name}>" for each in sentences)


def _tags_inside(wishes: Wishes, name: str) -> str:
    from benchmarks.obedient.wishes import gather

    within = gather(wishes.inside.get(name, ()), {})
    return " ".join(f"<{tag}>word</{tag}>" for tag, room in within.tags.items() for _ in range(min(room.edge(1), 50)))


def _in(markup: str) -> set[str]:
    return set(re.findall(r"<(\w+)>", markup))


def _lists(wishes: Wishes) -> Iterator[str]:
    for unit in ("items", "bullets", "numbered items", "lines"):
        room = wishes.room(unit)
        if room.open or not room.edge(3):
            continue
        count = min(room.edge(3), 500)
        words = _words(wishes, usual=8 * count) // count
        text = prose(Size(words=max(words - (unit != "lines"), 1), sentences=1, language=_language(wishes)))
        yield "\n".join(_lead(unit, at) + text for at in range(1, count + 1))


def _marked(wishes: Wishes) -> Iterator[str]:
    """Prose with so many of what may stand in prose."""
    asked = [(unit, wishes.room(unit)) for unit in _MARKS if not wishes.room(unit).open]
    if asked:
        marks = " ".join(_MARKS[unit] for unit, room in asked for _ in range(min(room.edge(0), 200)))
        words = max(_words(wishes, usual=40) - len(marks.split()), 1)
        text = prose(Size(words=words, paragraphs=1, language=_language(wishes)))
        yield f"{text} {marks}".strip()
        yield f"{text}\n{marks}".strip()


def _lead(unit: str, number: int) -> str:
    return {"numbered items": f"{number}. ", "lines": ""}.get(unit, "- ")


def _patterns(wishes: Wishes) -> Iterator[str]:
    for values in wishes.find("is REGEX", "matches REGEX", "only characters REGEX"):
        for value in values:
            if isinstance(value, Pattern):
                text = matching(value.compiled.pattern)
                number = str(wishes.room("number").edge(7))
                yield text
                yield re.sub(r"\d+(?:\.\d+)?", number, text, count=1)
                yield re.sub(r"\d+(?:\.\d+)?", number, text, count=1) + prose(
                    Size(words=12, paragraphs=1, language="en")
                )
                yield text * 30


def _of_input(wishes: Wishes, source: str) -> Iterator[str]:
    if not any("the input" in form for form, _ in wishes.said) or not source.strip():
        return
    words = source.split()
    yield source
    room = wishes.room("words")
    yield " ".join(words[: max(1, room.edge(len(words) // 2 or 1))])
    yield words[0].strip(".,;:!?")
    yield " ".join(words[: max(1, len(words) // 2)])
    numbers = " ".join(re.findall(r"\d[\d.,]*\d|\d", source))
    yield f"{prose(Size(words=10, paragraphs=1, language=_language(wishes)))} {numbers}"
    yield f"{source} {prose(Size(words=12, paragraphs=1, language=_language(wishes)))}"


def _prose(wishes: Wishes) -> Iterator[str]:
    language = _language(wishes)
    sentences = wishes.room("sentences")
    paragraphs = wishes.room("paragraphs")
    characters = wishes.room("characters")
    lines = None if wishes.room("lines").open else max(wishes.room("lines").edge(3), 1)
    count = None if sentences.open else max(sentences.edge(3), 1)
    words = _words(wishes, usual=12 * count if count else 180)
    for spoken in dict.fromkeys((language, "en")):
        for most in dict.fromkeys((max(paragraphs.edge(3), 1), 1)):
            yield prose(
                Size(
                    words=words,
                    sentences=count or max(most, round(words / 13)),
                    paragraphs=most,
                    lines=lines,
                    characters=None if characters.open else characters.edge(500),
                    language=spoken,
                )
            )


def _words(wishes: Wishes, *, usual: int) -> int:
    room = wishes.room("words")
    if room.open and not (letters := wishes.room("characters")).open:
        usual = max(letters.edge(500) // 4, 1)
    return min(room.edge(usual), 20_000)


def _language(wishes: Wishes) -> str:
    for form, values in wishes.said:
        if form.startswith(("language is", "script is")):
            name = str(values[0] if values else form.split()[-1]).lower()
            return name if name in LANGUAGES else _SCRIPTS.get(name, "en" if name == "latin" else "")
    return "en" if any("same language" in form for form, _ in wishes.said) else ""


def _framed(body: str, wishes: Wishes) -> Iterator[str]:
    """The body as it is, and with what it must begin with, end with and contain."""
    yield body
    needed = [text for text in wishes.texts("contains TEXT", "contains all TEXTS") if text not in body]
    needed += wishes.texts("contains any TEXTS")[:1] if wishes.asks("contains any TEXTS") else []
    for text, room in wishes.counts.items():
        needed += [text] * max(0, min(room.edge(0), 1000) - body.count(text))
    starts, ends = wishes.texts("starts with TEXTS")[:1], wishes.texts("ends with TEXTS")[:1]
    if not (needed or starts or ends):
        return
    words = body.split(" ")
    extra = sum(len(each.split()) for each in (*needed, *starts, *ends))
    for kept in dict.fromkeys((len(words), max(len(words) - extra, 0))):
        middle = " ".join([*needed, *words[:kept]])
        first = next((start for start in starts if not middle.startswith(start)), "")
        last = next((end for end in ends if not middle.endswith(end)), "")
        gap = "" if not first or first[-1:].isspace() or not middle else " "
        yield f"{first}{gap}{middle}{' ' if last and last[0].isalnum() else ''}{last}"
