"""Split a prompt into statements: sentences and items with offsets, without examples and data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from proctor.generate.extract.layout import PromptBlock, blocks_of
from proctor.generate.extract.reply_words import LITERAL_LINE
from proctor.generate.extract.sections import Section, section_of
from proctor.prompts.prompt import Prompt, PromptMessage

__all__ = ["ASIDE_SECTIONS", "Statement", "protected", "statements_of", "trimmed"]

ASIDE_SECTIONS: Final = ("example", "input", "tools")  # sections that ask nothing of the answer
LONGEST: Final = 3_000  # a longer text is not a sentence, and its end is not read
_CACHED_PROMPTS: Final = 8
_MANY: Final = 3  # examples that need no place of the input to be known
_SHOWS_PLACE: Final = re.compile(r"\{\{|<[^<>\n]+>|\s\|\s")
_NEAR_LINES: Final = 2  # line ends between an example and its answer
_MARKER: Final = re.compile(r"\s*(?:[-*+•‣▪◦–・●○■]\s+|[・●]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)）]\s+|[①-⑳]\s*)?")
_END: Final = re.compile(r"[.!?]+[\"'”“’»)\]*_]*(?=\s|$)|[。！？]+[」』）]*")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|Mr|Mrs|Ms|Dr|approx|incl|bijv|bzw|ggf|např|napr|np|напр|ej|ecc|örn|fx|jf|stk|resp)|"
    r"\b[b-hj-z])\.$",
    re.IGNORECASE,
)
# ``max. 280``: a word of a few characters with a full stop before a number is an abbreviation
_BEFORE_NUMBER: Final = re.compile(r"\b(?:max|min|máx|mín|maks|approx|aprox|ca|nr|art)\. ?\d", re.IGNORECASE)
_AFTER_NUMBER: Final = re.compile(r"\d[  ]?[^\W\d_]{1,3}\. [a-zà-ÿ]")  # ``12.500 kr. uden ører``
_PROTECTED: Final = re.compile(
    r"`[^`\n]{1,200}`|\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|「[^」\n]{1,300}」|\([^()\n]{1,200}\)|（[^）\n]{1,200}）|"
    r"\[[^\[\]\n]{1,200}\]|(?<![\w])'(?:[^'\n]|(?<=\w)'(?=\w)){4,300}'(?!\w)|„[^“”\n]{1,300}[“”]|«[^»\n]{1,300}»"
)
_LABEL: Final = re.compile(r"(?:\*\*)?[^\s:：][^:：\n]{0,40}?(?:\*\*)?\s*[:：]\s*")
_FIELD: Final = re.compile(r"\s*(?:\*\*)?[^\s:：][^:：.]{0,40}?(?:\*\*)?\s*[:：]|\s*[<\[{]")
_VARIABLE: Final = re.compile(r"\{\{.*?\}\}")
_INPUT_TAG: Final = re.compile(r"</?[A-Za-z][\w-]*>(?=\s*\{\{|\W*$)")  # ``<note>{{note}}</note>``
# A sentence that only shows an example: by its words, or by a label that announces one (``Örnek: …``).
_EXAMPLE_SENTENCE: Final = re.compile(r"\W*(?:for example|for instance|an example\b|e\.g\.|例えば)", re.IGNORECASE)
_ANNOUNCED: Final = re.compile(r"\W*(?P<label>[^\W\d_][^\n:：.!?。]{0,30})[:：]\s*\S")
_LONGEST_LABEL: Final = 3  # words
_LONGEST_TITLE: Final = 5  # words
_LABELLED: Final = re.compile(
    r"(?m)^[ \t]*(?:\*\*)?(?P<label>[^\W\d_][^\n:：.{}<>\"]{0,24}?)(?:\*\*)?[ \t]*[:：](?P<said>[^\n]*)$"
)
# ``send_mail(to, text)``: the call of a tool.
_CALL: Final = re.compile(
    r"\W*[A-Za-z_]\w*(?:\([\w\s,:=\"'?|.\[\]]*\)\W{0,3}(?:$|[-–—:].*)|\[[a-z_]\w*\] [-–—] .*)|"
    r"(?:\s*[A-Za-z_]\w*\([\w\s,]*\)){2,}\W*",  # lines of a schema: ``book(id, title)``
    re.DOTALL,
)
_DATA: Final = re.compile(r"<(?P<tag>[A-Za-z][\w-]*)\s[^<>\n]*>[^\n]*</(?P=tag)>")
_EDGE: Final = " \t\r\n*_"
_DESCRIBED: Final = re.compile(r"(?:a|an|the|one|two|only|just|either|json|your|each|all|no)\b|[<\[{]", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence or item: ``text`` is exactly the text between its offsets."""

    start: int
    end: int
    text: str
    section: Section = "plain"
    lead: str = ""
    item: bool = False
    code: bool = False
    user: bool = False
    opens: bool = True  # the first sentence of its paragraph or item
    last: bool = False  # the last sentence, below a list


def protected(text: str) -> list[tuple[int, int]]:
    """Return the spans in quotes, brackets or backticks, inside which no sentence ends."""
    return [match.span() for match in _PROTECTED.finditer(text)]


def trimmed(text: str, start: int, end: int, edge: str = _EDGE) -> tuple[int, int]:
    """Return the offsets without spaces and emphasis marks at the ends."""
    while start < end and text[start] in edge:
        start += 1
    while end > start and text[end - 1] in edge:
        end -= 1
    return start, end


def statements_of(prompt: Prompt) -> tuple[Statement, ...]:
    """Return all statements that may contain a rule, in order."""
    return _statements_of(prompt.messages, prompt.text)


@lru_cache(maxsize=_CACHED_PROMPTS)  # the tests of every rule read them again
def _statements_of(messages: tuple[PromptMessage, ...], text: str) -> tuple[Statement, ...]:
    blocks = blocks_of(messages)
    shown = _shown(text, blocks)
    found: list[Statement] = []
    for number, block in enumerate(blocks):
        if number in shown or block.kind == "heading":
            continue
        found.extend(_statements(text, block))
    told = [each for each in found if not each.user]
    if told and not told[-1].item and any(each.item for each in told):
        found[found.index(told[-1])] = replace(told[-1], last=True)
    return tuple(found)


def _shown(text: str, blocks: Sequence[PromptBlock]) -> set[int]:
    """Return which blocks are examples: those under such a heading, and questions with their answers."""
    found = {number for number, block in enumerate(blocks) if block.section == "example" and block.kind != "heading"}
    repeated = _repeated_labels(text)
    for number, block in enumerate(blocks):
        if any(low <= block.start < high for low, high in repeated):
            found.add(number)
    run: list[int] = []
    for number in range(len(blocks) + 1):
        if number < len(blocks) and blocks[number].kind == "pair":
            run.append(number)
            continue
        if len(run) > 1 and _is_dialogue([text[blocks[each].start : blocks[each].end] for each in run]):
            found.update(run)
        run = []
    return found


def _repeated_labels(text: str) -> list[tuple[int, int]]:
    """Return the spans of lines that are an input with its answer: ``Text: … / Code: …``.

    Their labels come again in the same order, with the place of the input behind the first one, or three times and
    more.
    Labels that describe the parts of one answer come once, or twice with an example of it.
    """
    lines = list(_LABELLED.finditer(text))
    pairs: dict[tuple[str, str], list[int]] = {}
    for at, (one, other) in enumerate(pairwise(lines)):
        labels = (one["label"].strip().lower(), other["label"].strip().lower())
        if text.count("\n", one.end(), other.start()) <= _NEAR_LINES and labels[0] != labels[1]:
            pairs.setdefault(labels, []).append(at)
    spans: list[tuple[int, int]] = []
    for found in pairs.values():
        asked = any("{{" in lines[at]["said"] for at in found)
        shown = [at for at in found if not _SHOWS_PLACE.search(lines[at]["said"] + lines[at + 1]["said"])]
        if (asked and len(found) > 1) or len(shown) >= _MANY:  # without it, the first may describe the others
            spans += [(lines[at].start(), lines[at + 1].end()) for at in (shown if asked else shown[1:])]
    return spans


def _is_dialogue(texts: Sequence[str]) -> bool:
    bodies = [_LABEL.sub("", text.strip(), count=1).strip() for text in texts]
    return (
        bool(bodies[1]) and not any(_VARIABLE.search(body) for body in bodies[:2]) and not _DESCRIBED.match(bodies[1])
    )


def _statements(text: str, block: PromptBlock) -> Iterator[Statement]:
    start, end = block.start, block.end
    if block.kind == "code":
        yield _statement(text, start, end, block)
        return
    if block.kind == "item" and (marker := _MARKER.match(text, start, end)):
        start = marker.end()
    listed = block.kind == "item" and block.section in ("labels", "fields")
    if listed or (block.section == "format" and _shows(text[start:end])):
        first, last = trimmed(text, start, end, " \t\r\n")
        if first < last:
            yield _statement(text, first, last, block)
        return
    opens = True
    for first, last in _sentences(text, start, end):
        piece = text[first:last]
        if opens and _is_run_in_heading(text, first, last, end):
            continue
        if _shows_example(piece) or _CALL.fullmatch(piece) or _DATA.match(piece):
            continue
        if _VARIABLE.sub("", _INPUT_TAG.sub("", piece)).strip(_EDGE + "\"'`"):
            yield _statement(text, first, last, block, opens=opens)
            opens = False


def _is_run_in_heading(text: str, first: int, last: int, end: int) -> bool:
    """Whether a few words in bold begin a paragraph as its title: ``**How you talk.** Be brief.``."""
    bold = text[:first].endswith("**") and text[last : last + 2] == "**" and bool(text[last + 2 : end].strip())
    return bold and text[last - 1 : last] in ".:：。" and len(text[first:last].split()) <= _LONGEST_TITLE


def _shows_example(piece: str) -> bool:
    """Whether a sentence is an example: ``For example, …``, ``Exemple de ligne : …``."""
    label = _ANNOUNCED.match(piece)
    named = label is not None and len(label["label"].split()) <= _LONGEST_LABEL
    return _EXAMPLE_SENTENCE.match(piece) is not None or (
        named and label is not None and section_of(label["label"]) == "example"
    )


def _shows(text: str) -> bool:
    """Whether each line of a block is a field or a placeholder, as in a shown format."""
    return all(_FIELD.match(line) for line in text.split("\n") if line.strip())


def _statement(text: str, start: int, end: int, block: PromptBlock, *, opens: bool = True) -> Statement:
    end = min(end, start + LONGEST)
    return Statement(
        start=start,
        end=end,
        text=text[start:end],
        section=block.section,
        lead=block.lead,
        item=block.kind == "item",
        code=block.kind == "code",
        user=block.role == "user",
        opens=opens,
    )


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    body = text[start:end]
    lines = [match.span("line") for match in LITERAL_LINE.finditer(body)]
    safe = sorted([*protected(body), *lines])[::-1]  # the next one last
    begin = 0
    for match in _END.finditer(body):
        if match.group().startswith(".") and (
            _ABBREVIATION.search(body, max(begin, match.start() - 8), match.start() + 1)
            or _BEFORE_NUMBER.search(body, max(begin, match.start() - 7), match.end() + 3)
            or _AFTER_NUMBER.search(body, max(begin, match.start() - 7), match.end() + 3)
        ):
            continue
        after = body[match.end() : match.end() + 3]
        dated = match.group() == "." and re.search(r"(?<!\d)\d{1,2}$", body[max(0, match.start() - 3) : match.start()])
        if dated and re.match(r" [^\W\d_A-Z]", after) and after[1:2].islower():
            continue  # ``14. května``
        if match.group().startswith("?") and re.match(r"[ \t]+[a-zà-ÿ]", after):
            continue  # ``member cancelled? answer SKIP``
        if (
            match.group() == "."
            and re.search(r"[,(] ?\d{1,2}$", body[max(0, match.start() - 4) : match.start()])
            and after[:1] == " "
        ):
            continue  # ``…, 7. Klasse``
        while safe and safe[-1][1] <= match.start():
            safe.pop()
        if safe and safe[-1][0] < match.start() < safe[-1][1] - 1 and match.end() < safe[-1][1]:
            continue
        if (
            match.group()[-1] in "」』）"
            and not body[match.end() : match.end() + 1].isspace()
            and match.end() < len(body)
        ):
            continue  # the quotation ends there, not the sentence
        if match.group()[-1] in "\"'”“’»)]" and re.match(r"\s+[a-zà-ÿ]", body[match.end() : match.end() + 3]):
            continue  # the quotation ends there, and the sentence goes on
        yield from _kept(text, start + begin, start + match.end())
        begin = match.end()
    yield from _kept(text, start + begin, end)


def _kept(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first, last = trimmed(text, start, end)
    if any(map(str.isalnum, text[first:last])):
        yield first, last
