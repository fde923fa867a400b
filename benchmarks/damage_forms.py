"""Ways to break one predicate for sure: each follows from what the form says, not from asking its check."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping

from benchmarks.obedient.prose import LANGUAGES, Size, prose
from benchmarks.obedient.wishes import Room, parts_of
from proctor.generate.damage import PREAMBLE, REMARK
from proctor.text.predicates import PredicateError, Term, parse

__all__ = ["breaking_damages"]

_ODD = "Zyzzyva"  # a word that is in no list of labels and in no input
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_UNITS: dict[str, str] = {
    "words": " word", "characters": "x", "letters": "x", "sentences": " This is one more.", "lines": "\none more line",
    "paragraphs": "\n\nOne more paragraph.", "items": "\n- one more", "bullets": "\n- one more",
    "numbered items": "\n9. one more", "headings": "\n\n# One more\n\n", "questions": " One more? So.",
    "exclamations": " One more! So.", "links": " https://example.com/more ", "emoji": " 🙂 ",
    "numbers": " 7 and ", "digits": " 7 ",
}  # fmt: skip
_NO_WAY = (  # what a whole sentence in the place of the output is certainly not
    "is number", "is integer", "is date", "is iso date", "is url", "is email", "is yes or no", "is table",
    "has code block", "is xml",
)  # fmt: skip
_FEW = 10_000

Broken = Iterator[tuple[str, str | None]]
Way = Callable[[str, Term, Mapping[str, str]], Broken]


def breaking_damages(output: str, predicate: str, inputs: Mapping[str, str]) -> dict[str, str]:
    """The output damaged once in each way that is sure to break the predicate, by the name of the damage.

    That a damage breaks its predicate follows from how it is made, not from asking the predicate: that is the question.
    """
    try:
        term = parse(predicate).root
    except PredicateError:
        return {}
    found: dict[str, str] = {}
    for part in parts_of([term], inputs):
        for name, text in broken(output, part, inputs):
            if text is not None and text != output and text not in found.values():
                found.setdefault(name, text)
    return found


def broken(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    """The output broken in each way that this form is sure to forbid, with its name; none where none is known."""
    way = _WAYS.get(term.form)
    if way is not None:
        yield from way(output, term, inputs)
    elif term.form.startswith(("is json", "json ")):
        yield from _json(output, term)


def foreign(output: str, language: str) -> str:
    """As long a text in a language, and where it can be a script, that the name does not mean."""
    name = language.lower()
    other = "de" if name in ("en", "english") else "ja" if name == "latin" or name in _WESTERN else "en"
    return prose(Size(words=max(30, len(output.split())), paragraphs=1, language=other))


_WESTERN = frozenset(LANGUAGES) - {"ja", "zh", "ko", "ru"}


def _texts(term: Term) -> list[str]:
    return [text for value in term.values for text in ([value] if isinstance(value, str) else value)]


def _measured(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    unit, room = term.form.removesuffix(" BOUND"), Room().within(term.values[0])
    if room.most < _FEW:
        yield f"too many {unit}", output + _UNITS[unit] * (room.most + 1)
    if room.least > 0:
        yield f"too few {unit}", output[:1] if unit in ("words", "characters") and room.least > 1 else ""


def _counted(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    text, room = term.values[0], Room().within(term.values[-1])
    if isinstance(text, str) and room.most < _FEW:
        yield f"too often {text!r}", f"{output} " + f"{text} " * (room.most + 1)


def _tags(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    name, room = str(term.values[0]).strip(" <>/"), Room().within(term.values[-1])
    if room.most < _FEW:
        yield f"too many <{name}>", output + f"<{name}>more</{name}>" * (room.most + 1)
    if room.least > 0:
        yield f"no <{name}>", _without_tag(output, name)


def _inner_tags(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    outer = term.values[0]
    if not isinstance(outer, str) or not re.search(rf"<{re.escape(outer.strip(' <>/'))}\b", output):
        return
    for part in parts_of(term.inner, inputs):
        if part.form in ("tags TEXT BOUND", "elements TEXT BOUND") and Room().within(part.values[-1]).least > 0:
            name = str(part.values[0]).strip(" <>/")
            yield f"no <{name}> inside", _without_tag(output, name)


def _without_tag(output: str, name: str) -> str:
    return re.sub(rf"</?{re.escape(name)}\b[^>]*>", "", output)


def _one_line(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    """One line broken in a way that leaves it one line."""
    lines = output.splitlines()
    full = [number for number, line in enumerate(lines) if line.strip()]
    if not full:
        return
    at = full[-1] if term.form.startswith("last") else full[0]
    for part in parts_of(term.inner, inputs):
        for name, text in broken(lines[at], part, inputs):
            if text and text.strip() and "\n" not in text:
                yield f"a line with {name}", "\n".join([*lines[:at], text, *lines[at + 1 :]])


def _denied(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    if term.inner[0].form in ("contains TEXT", "contains any TEXTS"):
        yield from _put_in(output, term.inner[0], inputs)


def _wrong_number(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    room = Room().within(term.values[0])
    if room.most < _FEW:
        yield "a number out of range", str(room.most + 1)
    elif room.least > 0:
        yield "a number out of range", str(room.least - 1)


def _wrong_label(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    labels = _texts(term)
    yield "wrong label", _ODD
    yield "two labels", f"{labels[0]} {labels[-1]} {_ODD}"
    yield "label with a remark", f"{output} because of what it says, {_ODD}"


def _begun_otherwise(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    yield "preamble", f"{_ODD} {output}"


def _ended_otherwise(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    yield "closing remark", f"{output} {_ODD}"


def _taken_out(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    yield "what it must contain taken out", _less(output, _texts(term))


def _one_taken_out(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    first = _texts(term)[0]
    yield f"without {first!r}", _less(output, [first])


def _less(output: str, texts: list[str]) -> str | None:
    text = output
    for each in texts:
        text = re.sub(re.escape(each), "", text, flags=re.I)
    return None if any(each.lower() in text.lower() for each in texts) else text


def _put_in(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    first = _texts(term)[0]
    yield f"with {first!r}", f"{output} {first} "


def _framed(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    yield "preamble", PREAMBLE + output
    yield "closing remark", output + REMARK


def _marked_up(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    yield "Markdown", f"# Answer\n\n**{output.strip() or 'text'}**\n\n- one\n- two"


def _strange_tag(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    yield "a tag that is not allowed", output + "<blink>more</blink>"


def _not_html(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    yield "tags taken out", _TAG.sub("", output).replace("<", "").replace(">", "") or _ODD


def _fields(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    names, lines = _texts(term), output.splitlines()
    kept = [line for line in lines if not line.lstrip().startswith(names[0])]
    yield f"without {names[0]!r}", "\n".join(kept) if len(kept) < len(lines) else None
    yield "in the wrong order", "\n".join(reversed(lines)) if len(names) > 1 else None


def _prose_instead(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    yield "prose in its place", prose(Size(words=30, paragraphs=1, language="en"))


def _filled(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    yield "with text", _ODD


def _other_case(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    yield "in another case", "sOmE oTHER case, ALTOGETHER" if output.strip() else None


def _foreign(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    yield "in another language", foreign(output, str(term.values[0]))


def _other_script(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    """In a script that the input is not in: then it is in another language too."""
    source = "\n".join(inputs.values()).strip()
    latin = sum(letter.isascii() and letter.isalpha() for letter in source) * 2 > len(source)
    yield "in another language", prose(Size(words=30, paragraphs=1, language="ja" if latin else "en"))


def _misquoted(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    yield "a quotation that is not in the input", f'{output} "{_ODD} {_ODD.lower()} never said so"'


def _longer(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    source = "\n".join(inputs.values())
    yield "longer than the input", f"{source} {source} {_ODD} {output}"


def _shorter(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    source = "\n".join(inputs.values())
    yield "shorter than the input", source[: len(source) // 3] if len(source) > 30 else None


def _numbers_lost(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    if re.search(r"\d", "\n".join(inputs.values())):
        yield "its numbers taken out", re.sub(r"\d", "", output)


def _new_number(output: str, term: Term, inputs: Mapping[str, str]) -> Broken:
    yield "a number that is not in the input", f"{output} 98765"


def _json(output: str, term: Term) -> Broken:
    text, names = output.strip(), _texts(term) if term.form.endswith("TEXTS") else []
    if term.form.startswith("is json"):
        yield "bracket cut off", text[:-1] if text[-1:] in ("]", "}") else None
    if term.form.startswith(("is json", "json array length")):
        yield "prose in its place", prose(Size(words=20, paragraphs=1, language="en"))
    try:
        data = json.loads(text) if names else None
    except (ValueError, RecursionError):
        return
    if isinstance(data, dict) and "only" in term.form:
        yield "a key that is not allowed", json.dumps({**data, _ODD: 1})
    elif isinstance(data, dict) and names[0] in data:
        yield f"without the key {names[0]!r}", json.dumps({key: data[key] for key in data if key != names[0]})


_WAYS: dict[str, Way] = {
    **{f"{unit} BOUND": _measured for unit in _UNITS},
    **dict.fromkeys(_NO_WAY, _prose_instead),
    **dict.fromkeys(("one of TEXTS", "is TEXT", "only words TEXTS"), _wrong_label),
    **dict.fromkeys(("each line: PRED", "first line: PRED", "last line: PRED"), _one_line),
    **dict.fromkeys(("no extra text", "no framing"), _framed),
    **dict.fromkeys(("language is NAME", "script is NAME"), _foreign),
    **dict.fromkeys(("contains TEXT", "contains any TEXTS"), _taken_out),
    "contains all TEXTS": _one_taken_out,
    "contains none TEXTS": _put_in,
    "not": _denied,
    "count PATTERN BOUND": _counted,
    "tags TEXT BOUND": _tags,
    "elements TEXT BOUND": _tags,
    "tags only TEXTS": _strange_tag,
    "each PATTERN: PRED": _inner_tags,
    "number BOUND": _wrong_number,
    "case is NAME": _other_case,
    "starts with TEXTS": _begun_otherwise,
    "ends with TEXTS": _ended_otherwise,
    "no markdown": _marked_up,
    "is html": _not_html,
    "fields in order TEXTS": _fields,
    "is empty": _filled,
    "quotes the input": _misquoted,
    "from the input": _filled,
    "same language as the input": _other_script,
    "shorter than the input": _longer,
    "longer than the input": _shorter,
    "keeps the numbers of the input": _numbers_lost,
    "no new numbers": _new_number,
}
