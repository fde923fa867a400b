"""Answers of labelled lines that a prompt describes line by line: ``REASON: one sentence of at most 25 words``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from proctor.generate.extract.answer_parts import LINE_OF_TEXT, AnswerPart, line_number, part_at
from proctor.generate.extract.asked_amounts import find_amounts
from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.described_fields import value_checks
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.labels import listed
from proctor.generate.extract.limit_subject import PER, names_answer
from proctor.generate.extract.predicate_text import checkable, quoted
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.reply_words import REPLY
from proctor.generate.extract.sections import section_of
from proctor.generate.extract.statements import Statement
from proctor.text.predicates.language_guess import FUNCTION_WORDS

__all__ = [
    "LabelledPart",
    "announcing",
    "described_runs",
    "labelled_parts",
    "line_drafts",
    "part_drafts",
    "place_drafts",
]

_LINE: Final = re.compile(
    r"(?:\*\*)?(?P<label>[^\W\d_](?:[\w /&'’-]{0,28}[\w)])?)(?:\*\*)?\s*(?P<colon>[:：])(?:\*\*)?\s*"
    r"(?P<said>[^\n]{2,300})$"
)
_BARE: Final = re.compile(
    r"(?m)(?:^[ \t]*[^\W\d_][^\n:：.{}()\[\]=]{0,30}[:：][ \t]*\n){2,}|"
    r"(?:^[ \t]*[■□◆◇●▪◼][ \t]*[^\n:：{}]{1,30}[:：]?[ \t]*\n){2,}|"
    r"(?:^[ \t]*#{1,6} [^\n{}]{2,40}\n){2,}"
)
_NO_TEMPLATE: Final = ("example", "input", "tools", "never")
# Names of what a letter is made of; nobody writes them before it.
_PART_NAME: Final = re.compile(
    r"greeting|salutation|opening|body|closing|sign-?off|signature|anrede|einstieg|haupttext|hauptteil|"
    r"schluss\w*|gru(?:ß|ss)\w*|"
    r"unterschrift|formule\b.*|corps|signature|saludo|cuerpo|despedida|firma|saudação|corpo|assinatura|saluto|"
    r"aanhef|romp|groet|"
    r"afsluiting|ondertekening|称呼|正文|落款|开头|结尾|宛名|本文|署名|結び",
    re.IGNORECASE,
)
_MOST_WORDS: Final = 4
_ABOVE: Final = 3  # statements above a run of lines
_NUMBER: Final = re.compile(
    r"(?:the |a |die |eine |le |un |el |o |um |il )?(?:number|nummer|zahl|numéro|nombre|número|numero|数字|番号)\b",
    re.IGNORECASE,
)


def described_runs(statements: Sequence[Statement]) -> tuple[tuple[Statement, ...], ...]:
    """Return the runs of two lines or more that describe one labelled line of the answer each.

    They stand under a line that ends with a colon. Items of a list are labelled lines only if their labels are in
    capitals: ``- Tone: friendly`` names a rule.
    """
    runs: list[list[Statement]] = []
    for each in statements:
        match = None if each.code or each.section in _NO_TEMPLATE else _LINE.fullmatch(each.text.strip())
        fits = (
            match is not None
            and "{{" not in each.text
            and (_asks_for_lines(each.lead) or each.section in ("format", "output"))
            and len(match["label"].split()) <= _MOST_WORDS
            and (not each.item or match["label"].isupper())
            and not line_number(match["label"])
        )
        if not fits:
            runs.append([])
        elif runs and runs[-1] and runs[-1][-1].lead == each.lead:
            runs[-1].append(each)
        else:
            runs.append([each])
    return tuple(
        tuple(run)
        for run in runs
        if len(run) >= 2
        and len({_label(each) for each in run}) == len(run)
        and 2 * sum(map(_is_rule, run)) <= len(run)
        and not any(_PART_NAME.fullmatch(_label(each).rstrip(":： ")) for each in run)
    )


def _asks_for_lines(lead: str) -> bool:
    """Whether a line leads to lines of the answer: it names the answer, or lines, or says to write something."""
    asks = re.search(REPLY, lead, re.IGNORECASE) or names_answer(lead, ()) or LINE_OF_TEXT.search(lead)
    return lead.rstrip("*_ ").endswith((":", "：")) and bool(asks or not lead.isascii() or section_of(lead) != "plain")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPart:
    """A part of the answer under a label or a heading; ``mark`` begins it and ``until`` begins the next one."""

    mark: str
    until: str
    start: int
    end: int

    @property
    def name(self) -> str:
        """The label without its signs."""
        return self.mark.strip("#*:： ")

    def check(self, predicate: str) -> str:
        """Return the predicate for this part: its line, or all of it if it is a heading or has lines of its own."""
        inner = f"({predicate})" if re.search(r"\b(?:and|or)\b", predicate) else predicate
        if not self.mark.startswith("#") and not re.match(
            r"(?:bullets|items|numbered|lines|paragraphs|each)\b", predicate.lstrip("(")
        ):
            return f"{_line_of(self.mark)} {inner}"
        until = f"before {quoted([self.until])} " if self.until else ""
        return f"after {quoted([self.mark])} {until}{inner}"


def labelled_parts(text: str) -> tuple[LabelledPart, ...]:
    """Return the parts that a prompt shows as bare labels or headings, one below the other."""
    for shown in _BARE.finditer(text):
        lines = [line.strip() for line in shown.group().split("\n") if line.strip()]
        if _leads(lines[0], lines[1:], text):
            lines = lines[1:]
        if len({len(line) - len(line.lstrip("#")) for line in lines}) > 1:
            continue  # a heading and the one below it are the prompt's own
        if len(set(lines)) == len(lines) > 1 and "{{" not in text[shown.end() : shown.end() + 40]:
            return tuple(
                LabelledPart(mark=line, until=after, start=shown.start(), end=shown.end())
                for line, after in zip(lines, [*lines[1:], ""], strict=True)
            )
    return ()


def _leads(first: str, others: Sequence[str], text: str) -> bool:
    """Whether the first of several lines that end with a colon announces the others: ``Structure:``."""

    def described(label: str) -> bool:
        return re.search(rf"(?m)^\s*[-*•]\s*\**{re.escape(label.rstrip(':： '))}\**\s*[:：]\**\s*\S", text) is not None

    if described(first) or first.startswith("#"):
        return False
    words = re.findall(r"[^\W\d_]+", first.lower())
    return any(map(described, others)) or section_of(first) != "plain" or any(word in FUNCTION_WORDS for word in words)


def part_drafts(
    parts: Sequence[LabelledPart], statements: Sequence[Statement], text: str, scope: PromptScope
) -> Iterator[tuple[Draft, Statement | None]]:
    """Yield the order of the parts, and what the items that begin with a label say about its part."""
    if not parts:
        return
    begin = text.rfind("\n", 0, len(text[: parts[0].start].rstrip())) + 1
    marks = [part.mark.lstrip("# ") for part in parts]
    if not any(each.code and each.start <= parts[0].start < each.end for each in statements):
        told = f"The output has these parts, in this order: {', '.join(marks)}"
        yield _draft(told, begin, parts[-1].end, f"fields in order {quoted(marks)}", 2), None
    for each in statements:
        match = None if each.code else _LINE.match(each.text.strip())
        part = next((one for one in parts if match and one.name == match["label"].strip()), None)
        if match and part and not is_conditional(match["said"].split(";")[0]):
            asked = value_checks(match["said"].split(";")[0], _alone(scope))
            checks = [part.check(one) for one in asked if "json" not in one]
            predicate = " and ".join(f"({one})" for one in checks) if len(checks) > 1 else "".join(checks)
            yield _draft(f"{each.text.strip().rstrip('.')}.", each.start, each.end, predicate, 1), each


def place_drafts(statements: Sequence[Statement], scope: PromptScope) -> Iterator[tuple[Draft, Statement]]:
    """Yield the rules of items that begin with a place: ``First line: VERDICT: PASS or VERDICT: BLOCK``."""
    for each in statements:
        match = None if each.code else _LINE.match(each.text.strip())
        part = _place(match["label"]) if match else None
        if match is None or part is None:
            continue
        said = match["said"].strip()
        whole = re.fullmatch(r"[\"“„«「](?P<text>[^\"”“»」]+)[\"”“»」]\.?", said)
        if whole:
            asked = [f"is {quoted([whole['text'].strip()])}"]
        elif choice := _choice(said):
            asked = [f"one of {quoted(choice)}"]
        else:
            asked = [one for one in value_checks(said, _alone(scope)) if "json" not in one]
        checks = [found for one in asked if (found := part.check(one))]
        if checks:
            yield _draft(f"{each.text.strip().rstrip('.')}.", each.start, each.end, " and ".join(checks), 1), each


def _place(label: str) -> AnswerPart | None:
    """Return the line of the answer that a label names by its place; None if it names none."""
    if (number := line_number(label)) > 1:
        before = r"[^\n]+\n+" * (number - 1)
        return AnswerPart(form=rf"each /\A{before}([^\n]+)/:")
    part = AnswerPart(form="first line:") if number else part_at(f"{label} ", len(label) + 1)
    return part if (part.form or "").startswith(("first", "last")) else None


def _alone(scope: PromptScope) -> PromptScope:
    return replace(scope, structured=False, fields=(), array=False, blank=())


def _draft(text: str, start: int, end: int, predicate: str, priority: int) -> Draft:
    found = checkable(predicate) if predicate else None
    return Draft(text=text, start=start, end=end, kind="format", priority=priority, predicate=found)


def _is_rule(statement: Statement) -> bool:
    """Whether what stands after a label is a sentence of its own: ``Focus: Keep to one idea.``."""
    match = _LINE.fullmatch(statement.text.strip())
    said = match["said"].strip() if match else ""
    is_sentence = said[:1].isupper() and said.endswith(".") and len(said.split()) > _MOST_WORDS
    return is_sentence and not statement.text[:2].isupper()


def _label(statement: Statement) -> str:
    match = _LINE.fullmatch(statement.text.strip())
    assert match is not None
    return each_text[: match.end("colon")].strip("* ") if (each_text := statement.text.strip()) else ""


def announcing(run: Sequence[Statement], statements: Sequence[Statement], code: str) -> Iterator[tuple[Statement, int]]:
    """Yield the sentence right above the lines that leads to them, with their number if it names it, else 0."""
    at = next(number for number, each in enumerate(statements) if each is run[0])
    for each in reversed(statements[max(0, at - _ABOVE) : at]):
        counted = [
            one.low
            for one in find_amounts(each.text, code)
            if one.measure == "lines" and one.form == "=" and not PER.search(each.text[: one.start])
        ]
        if len(run) in counted:
            yield each, len(run)
            return
        if each.text.rstrip("*_ ").endswith((":", "：")):
            yield each, 0
            return


def line_drafts(run: Sequence[Statement], scope: PromptScope, lead: Statement | None = None) -> Iterator[Draft]:
    """Yield the order of the lines, and what each of them holds; ``lead`` is the sentence that announces them."""
    labels = [_label(each) for each in run]
    begun = [label if not re.search(r"\s[:：]$", label) else label.rstrip(" :：") for label in labels]
    yield Draft(
        text=f"The output has these lines, in this order: {', '.join(labels)}",
        start=lead.start if lead else run[0].start,
        end=run[-1].end,
        kind="format",
        priority=2,
        predicate=checkable(f"fields in order {quoted(begun)}"),
    )
    lone = _alone(scope)
    for each, label, after in zip(run, labels, [*labels[1:], ""], strict=True):
        said = each.text.strip()[len(label) :].strip(" *<>[]")
        whole = f"{each.text.strip().rstrip('.')}."
        asked = [] if is_conditional(said) else [one for one in value_checks(said, lone) if "json" not in one]
        if "<" not in each.text and (choice := _choice(said)):
            asked = [f"one of {quoted(choice)}"]
        elif _NUMBER.match(said) and not asked:
            asked.append("matches /\\d/")
        part = LabelledPart(mark=label, until=after, start=each.start, end=each.end)
        checks = [part.check(one) for one in asked]
        joined = " and ".join(f"({one})" for one in checks) if len(checks) > 1 else "".join(checks)
        found = checkable(joined) if checks else None
        yield Draft(text=whole, start=each.start, end=each.end, kind="format", priority=1, predicate=found)


def _line_of(label: str) -> str:
    name = re.sub(r"([^\w\s:])", r"\\\1", label.replace("：", ":").rstrip(": "))
    return f"each /{name}{' ?' if label.rstrip(':：').endswith(' ') else ''}:[ \\t]*([^\\n]*)/:"


def _slashed(said: str) -> tuple[str, ...]:
    """Return the values between slashes or dots with which a description begins: ``low / high - one of them``."""
    head = re.split(r"\s[–—-]\s|[,;，；、(（。]", said.strip().removeprefix("（").removesuffix("）"))[0].strip()
    pieces = [piece.strip() for piece in re.split(r"\s/\s|・|／", head)]
    return (
        tuple(pieces) if len(pieces) > 1 and all(0 < len(piece.split()) <= _MOST_WORDS - 1 for piece in pieces) else ()
    )


def _choice(said: str) -> tuple[str, ...]:
    """Return the allowed values of a line that is nothing but their list: ``ALLOW, HIDE or BAN``."""
    bare = re.sub(
        r"^(?:one of|either|eines? von|soit|uno? de|um de|uno tra)\s+", "", said.rstrip(". "), flags=re.IGNORECASE
    )
    bare = re.sub(r"\s+(?:oder|ou|o|或|또는|eller|lub|albo|veya|или|або|nebo)\s+|または", " or ", bare)
    if choice := _slashed(bare):
        return choice
    found = listed(bare)
    if re.search(r"[\"”»」`][^\"“«「`]*\w[^\"“«「`]*$", bare) and not re.fullmatch(r"[\"“`«「].*", bare.split()[-1]):
        return ()  # ``"a" or "b" at the end``: more is said of them
    if 0 < len(re.findall(r"[\"“„«「`][^\"“”»」`]+[\"”“»」`]", bare)) < len(found):
        return ()  # ``the number, or "none"``: one of them describes the value
    coded = all(label.isupper() for label in found) or re.search(r"[\"“`|/]", bare) is not None
    return found if len(found) >= 2 and (coded or all(len(label.split()) == 1 for label in found)) else ()
