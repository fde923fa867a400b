"""Checks that a sentence of any language asks for: amounts, marks, quoted texts and shapes, each for its part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from proctor.generate.extract.answer_parts import WHOLE, AnswerPart, part_at
from proctor.generate.extract.asked_amounts import AskedAmount, find_amounts
from proctor.generate.extract.banned_words import find_banned, find_form
from proctor.generate.extract.checked_marks import find_denied
from proctor.generate.extract.conditions import blanked, independent_pieces, is_conditional, is_open, without_cases
from proctor.generate.extract.labels import listed
from proctor.generate.extract.limit_subject import is_of_whole, names_answer, unknown_words
from proctor.generate.extract.number_words import in_digits
from proctor.generate.extract.predicate_text import checkable, quoted
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.quantity_words import BEFORE, NEGATION
from proctor.generate.extract.quoted_literals import LiteralRole, QuotedRun, find_runs, literal_role
from proctor.generate.extract.spotted_shapes import find_spotted_shapes
from proctor.text.lazy_pattern import Lazy

__all__ = ["SpottedCheck", "find_checks"]

_EXAMPLE: Final = Lazy(
    r"[(（](?:e\.g\.|for example|such as|like|z\. ?b\.|zum beispiel|par exemple|p\. ?ex\.|por ejemplo|p\. ?ej\.|por "
    r"exemplo|ad esempio|es\.|例如|比如|如|例|例えば)[^)）]*[)）]",
    re.IGNORECASE,
)
_MARKS: Final = ("emoji", "exclamations", "questions", "count ", "numbered items", "bullets", "headings", "links")
_ENDS: Final = ("first line:", "last line:", "first sentence:", "last sentence:")
_NAME_OF: Final = (
    r"\b(?:name|namen?|nom|nombre|nome|naam|imię|nazw\w+)\s+(?:of|des?|du|der|del|della|do|da|van)?\s*(?:the |la |le "
    r"|el |o |a |il |l['’]|het |de )?"
)
_TAGGED: Final = {"paragraphs": "p", "items": "li", "bullets": "li"}
_OF_SUBJECT: Final = ("not (ends", "case is")
_PUT: Final = Lazy(
    r"\b(?:open\w*|close\w*|start\w*|begin\w*|end\w*|sign\w*|write|followed|under it|address\w*|beginn\w*|schreib\w*|"
    r"unterschreib\w*|commence\w*|termine\w*|écri\w+|signe\w*|empiez\w*|termin\w*|escrib\w*|firm\w*|comece\w*|"
    r"escrev\w*|assin\w*|inizi\w*|scriv\w*|firma\w*|begin\w*|schrijf\w*)\b|写|書|始|开头|結び|署名",
    re.IGNORECASE,
)
_RATHER: Final = Lazy(
    r"\W*(?:but|rather|instead|sondern|sino|mais plutôt|mas sim|ma piuttosto|maar)\b[^.;]*[\"“„«「]|\W*(?:而要|"
    r"而是|应)[^。；]*[\"“「]",
    re.IGNORECASE,
)
_TIMES: Final = Lazy(
    rf"\s*(?:(?P<exact>{dict(BEFORE)['=']})|{BEFORE[0][1]})\s*(?:once|one time|ein(?:\s|-)?mal|"
    rf"une (?:seule )?fois|una (?:sola )?vez|"
    r"uma (?:única )?vez|una (?:sola )?volta|[eé]én keer|raz|(?:один )?раз|en gång|én gang|jednou|bir kez?|bir kere|"
    r"一次|[1１]回|한 번|1번)(?!\w)",
    re.IGNORECASE,
)
_AND: Final = Lazy(r"\s+\b(?:and|but|und|aber|et|mais|y|e|ma|mas|en|maar|i|och|og)\s*$", re.IGNORECASE)
_WITH: Final = Lazy(r"\b(?:with|mit|avec|par|con|com|met|z)\s*$", re.IGNORECASE)
_PRONOUN: Final = r"(?:it|they|elle|il|ils|elles|sie|er|es|ella|él|ela|ele|essa|esso|ze|hij|zij)\b"
_NEAR: Final = 12  # characters after a quoted text
_NAME_LENGTH: Final = 3  # characters; shorter texts are endings of words
_ADDRESS: Final = re.compile(r"[\w.-]+\.[\w-]+/[\w/-]+|[\d -]+")
_DENIED_PHRASE: Final = Lazy(rf"(?:^|(?<=[,;，；、]))\s*{NEGATION}[^,;，；、]*[,;，；、]", re.IGNORECASE)
_UNITS_OF_TEXT: Final = ("sentences", "lines", "paragraphs")
_WITHIN: Final = Lazy(
    r"\s*(?:,\s*)?(?:in|im|in der|within|inside|dans|en|em|nel(?:la)?|in het)\s+(?:the|an?|this|that|der|den|dem|la|"
    r"le|les|el|las|los|o|a|os|as|its?|your)?\s*(?!answer|response|reply|output|text|message|antwort|ausgabe|text|"
    r"réponse|texte|respuesta|texto|resposta|risposta|testo)[^\W\d_]{3,}",
    re.IGNORECASE,
)
_BE: Final = Lazy(
    r"(?:\b(?:is|be|reads?|says?|brzmi|luidt|lyder|ist|sei|lautet|sein|heißt|est|être|es|ser|sea|será|é|seja|è|"
    r"essere|sia)(?:\s+(?:always|immer|toujours|siempre|sempre|altijd|zawsze))?|是|为|は|に)\s*:?\s*$",
    re.IGNORECASE,
)
_WORDLIKE: Final = re.compile(r"[A-Za-zÀ-ÿ][\w'’ -]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpottedCheck:
    """A predicate, and the words of the sentence that ask for it."""

    predicate: str
    start: int
    end: int


def find_checks(
    text: str, scope: PromptScope, made: Sequence[str] = (), *, denying: str = ""
) -> tuple[SpottedCheck, ...]:
    """Return what code can check of a sentence; what holds in some cases only, or softly, is left to a judge.

    ``denying`` is the negation of a line above the sentence, if that forbids what the sentence says.
    """
    if denying:
        before = f"{denying} "
        return tuple(
            replace(each, start=max(0, each.start - len(before)), end=each.end - len(before))
            for each in find_checks(before + text, scope, made)
            if each.end > len(before)
        )
    shown = _EXAMPLE.sub(lambda found: " " * len(found.group()), text)
    bare = in_digits(shown, scope.language)
    found: dict[str, SpottedCheck] = {}
    at = 0
    for part in re.split(rf"([;；])(?!\s*{_PRONOUN})", bare):  # ``; it begins with`` is about the part before
        for piece in independent_pieces(without_cases(part)):
            if piece not in ";；" and not is_open(piece):
                for check in _checks(piece, shown[at : at + len(piece)], scope, made):
                    predicate = checkable(_chosen(piece, check))
                    if predicate and predicate not in found:
                        found[predicate] = SpottedCheck(predicate=predicate, start=at + check.start, end=at + check.end)
            at += len(piece)
    return tuple(each for predicate, each in found.items() if f"not ({predicate})" not in found)


def _chosen(text: str, check: SpottedCheck) -> str:
    """Return ``one of`` for ``exactly one word: a, b or c``."""
    match = re.match(r"[^:：.。]{0,50}[:：]\s*(?P<list>[^.。:：]+)[.。]?\s*$", text[check.end :])
    if check.predicate != "words = 1" or match is None:
        return check.predicate
    joined = re.sub(r"\s(?:oder|ou|o|u|of|lub|albo|или|eller|veya)\s|或", " or ", match["list"])
    found = listed(joined)
    one_word = len(found) > 1 and all(len(each.split()) == 1 for each in found)
    return f"one of {quoted(found)} ignoring case" if one_word else check.predicate


def _checks(text: str, written: str, scope: PromptScope, made: Sequence[str]) -> Iterator[SpottedCheck]:
    """Yield the checks of a piece; ``written`` is the same with its numbers as they were written."""
    structured = scope.structured and bool(scope.fields)
    yield from _amounts(text, scope, made, structured=structured)
    yield from _denials(text, scope, made)
    yield from _literals(text, written, scope, made, structured=structured)
    for predicate, start, end in (*find_banned(written), *find_form(text)):
        yield SpottedCheck(predicate=predicate, start=start, end=end)
    yield from _repetitions(written)
    yield from _named_inputs(text, scope)
    yield from _shapes(text, scope, made, structured=structured)


def _denials(text: str, scope: PromptScope, made: Sequence[str]) -> Iterator[SpottedCheck]:
    """Yield the marks and things that the answer must not have."""
    counted = {each.measure for each in find_amounts(text, scope.language)}
    for predicate, start, end in find_denied(text):
        if predicate.endswith(" = 0") and predicate.removesuffix(" = 0") in counted:
            continue  # ``one emoji, or none``
        part = part_at(_AND.sub("", blanked(_DENIED_PHRASE, text[:start])), start, made)  # ``no title, no emoji``
        labelled = part.form is None and not part.placed and _known_label(text, scope) is False
        if (part.form == "" or part.placed or labelled) and not _WITHIN.match(text, end):
            yield SpottedCheck(predicate=predicate, start=start, end=end)
        elif part.form and (inside := part.check(predicate)):
            yield SpottedCheck(predicate=inside, start=start, end=end)


def _repetitions(text: str) -> Iterator[SpottedCheck]:
    """Yield how often a quoted text may occur: ``"please" at most once``."""
    for run in find_runs(text):
        after = _TIMES.match(text, run.end)
        if len(run.texts) == 1 and after:
            form = "=" if after["exact"] else "<="
            predicate = f"count {quoted(run.texts)} {form} 1 ignoring case"
            yield SpottedCheck(predicate=predicate, start=run.start, end=after.end())


def _named_inputs(text: str, scope: PromptScope) -> Iterator[SpottedCheck]:
    """Yield the inputs that the answer must contain: ``Open with the {{name}}``."""
    for name in scope.inputs:
        said = re.search(
            rf"\{{\{{\s*{re.escape(name)}\s*\}}\}}[^\"”」»]{{0,20}}[\"”」»]|{_NAME_OF}{re.escape(name)}\b",
            text,
            re.IGNORECASE,
        )
        if said and _PUT.search(text) and not re.search(NEGATION, text, re.IGNORECASE):
            yield SpottedCheck(predicate=f"contains the input {quoted([name])}", start=said.start(), end=said.end())


def _shapes(text: str, scope: PromptScope, made: Sequence[str], *, structured: bool) -> Iterator[SpottedCheck]:
    """Yield the shapes that a sentence names, and the language."""
    for predicate, start, end in find_spotted_shapes(text, scope):
        if structured and predicate.startswith("language"):  # of a value, and not of the keys
            named = [name for name in scope.fields if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
            if len(named) == 1 and (inner := _field_part(text[:start], scope)):
                yield SpottedCheck(predicate=inner.check(predicate) or predicate, start=start, end=end)
            continue
        part = part_at(text, start, made)
        if not predicate.startswith(_OF_SUBJECT) or (part.form == "" and is_of_whole(text, start, end, made)):
            yield SpottedCheck(predicate=predicate, start=start, end=end)
        elif part.form and (inside := part.check(predicate)):
            yield SpottedCheck(predicate=inside, start=start, end=end)


def _amounts(text: str, scope: PromptScope, made: Sequence[str], *, structured: bool) -> Iterator[SpottedCheck]:
    found = list(find_amounts(text, scope.language))
    for each in found:
        if each.measure == "questions" and each.bare and _WITH.search(text[: each.start]):
            continue  # ``begin with a question``: there may be others
        others = [one for one in found if one is not each and one.measure == each.measure and one.bound != each.bound]
        if others and not part_at(text, each.start, made).form:
            continue  # ``a question of 8 words and an answer of 30``: each is of a part
        if each.bare and each.low > 1 and each.measure in ("words", "characters"):
            continue  # nobody asks for exactly so many without saying so; the bound may be in words that are not read
        denied = re.search(rf"{NEGATION}\s*(?:\w+\s+)?$", text[: each.start], re.IGNORECASE) and each.form != "<="
        part = None if denied else _part_of(text, each, found, scope, made, structured=structured)
        tag = _TAGGED.get(each.measure) if scope.html and part is not None and part.form == "" else None
        asked = f"elements {quoted([tag])} {each.bound}" if tag else _asked(each)
        label = re.search(r"[\"“„「«]\s*(?P<label>[^\"”“」»]{1,30}[:：])\s*[\"”“」»]", text[: each.start])
        if label and part and part.form in _ENDS:  # the limit is of what stands after the label
            asked = f"after {quoted([label['label']])} {asked}"
        if part and (predicate := part.check(asked)):
            yield SpottedCheck(predicate=predicate, start=each.start, end=each.end)


def _part_of(
    text: str,
    each: AskedAmount,
    found: Sequence[AskedAmount],
    scope: PromptScope,
    made: Sequence[str],
    *,
    structured: bool,
) -> AnswerPart | None:
    """Return the part of the answer that an amount is of; None if it is not sure."""
    before = text[: each.start]
    if structured:
        return _field_part(before, scope)
    if tags := set(re.findall(r"<([A-Za-z][\w-]*)>", text)):  # ``inside <why></why> tags, in two sentences``
        return AnswerPart(form=f"each {quoted(tags)}:") if len(tags) == 1 and not scope.html else None
    named = [name for name in scope.line_labels if re.search(rf"\b{re.escape(name)}\b", before, re.IGNORECASE)]
    if named:
        sure = len(named) == 1 and not is_conditional(text)
        return AnswerPart(form=f"each /{re.escape(named[0])}:[ \\t]*([^\\n]*)/:") if sure else None
    part = part_at(text, each.start, made)
    if part.form == "each item:" and each.measure in ("bullets", "items", "numbered items"):
        part = WHOLE  # ``every bullet begins with a verb, at most six bullets``
    if _overlaps(part, each) or ((part.form or "").startswith("each line") and _names_thing(text, part, each, made)):
        return None
    things = scope.each if scope.each[1] else ("", "each json item:") if scope.array else ("", "")
    if not part.form and things[1] and _is_each(before, things[0]):
        return AnswerPart(form=things[1])
    if part.form is None and (governed := _governing(text, each, found)):
        part = part_at(text, governed.start, made)
    mark = each.measure.startswith(_MARKS)
    if part.placed and mark:
        return WHOLE
    sure = part.form != "" or mark or is_of_whole(text, each.start, each.end, made)
    return part if sure else None


def _names_thing(text: str, part: AnswerPart, each: AskedAmount, made: Sequence[str]) -> bool:
    """Whether the clause of an amount names another thing than the part before it: ``每行一个，意思不超过15个字``."""
    begin = max(text.rfind(mark, 0, each.start) for mark in ",，;；") + 1
    return part.at < begin and bool(unknown_words(text[begin : each.start], made))


def _is_each(before: str, noun: str) -> bool:
    """Whether words end with ``each``, or ``each`` and the name of the things that the answer is."""
    return (
        re.search(
            rf"(?:\b(?:each|every|jede\w*|chaque|chacune?|cada(?: un[oa])?|ogni|ciascun[oa]|elke?|każd\w+)|每个?|"
            rf"各)\s*(?:{re.escape(noun[:-1] if noun.isascii() else noun)}\w{{0,2}})?(?:\s+\w+){{0,2}}\s*$",
            before,
            re.IGNORECASE,
        )
        is not None
    )


def _known_label(text: str, scope: PromptScope) -> bool | None:
    """Whether the label before a sentence is one of the answer's; None if there is no label, or an item has it."""
    label = re.match(r"\W*(?P<label>[^\W\d_][^:：\n\"“«]{0,40}?)\**\s*[:：](?=\s|\*)", text)
    if label is None or len(label["label"].split()) < 2:
        return None
    return label["label"].strip() in (*scope.line_labels, *scope.fields)


def _governing(text: str, each: AskedAmount, found: Sequence[AskedAmount]) -> AskedAmount | None:
    """Return the single sentence, line or paragraph that an amount is of: ``one sentence of at most 20 words``."""
    for other in found:
        if other.end <= each.start and other.form == "=" and other.low == 1 and other.measure in _UNITS_OF_TEXT:
            between = text[other.end : each.start]
            if len(between.split()) <= 3 and not re.search(r"[,;:.，；。]", between):
                return other
    return None


def _overlaps(part: AnswerPart, each: AskedAmount) -> bool:
    """Whether the amount is the part's own name: ``one sentence is at most …``, ``each line: lines = 1``."""
    unit = {"each sentence:": "sentences", "each line:": "lines", "each paragraph:": "paragraphs"}.get(part.form or "")
    return unit == each.measure or (
        part.form in ("first line:", "last line:") and each.measure in ("lines", "paragraphs")
    )


def _asked(each: AskedAmount) -> str:
    if each.measure == "questions" and each.bound == "= 1":
        return "questions <= 1"  # nobody must ask in every answer: not in the last one
    if each.bare and each.low == 1 and each.measure in ("emoji", "links", "count /#[^\\s#]+/"):
        return f"{each.measure} >= 1"
    return f"{each.measure} {each.bound}"


def _field_part(before: str, scope: PromptScope) -> AnswerPart | None:
    """Return the field of the JSON that is named last before some words; one inside an array is one of each item."""
    name = _field(before, scope)
    parent = next((field for key, field in scope.nested if key == name and name not in scope.fields), "")
    if not name:
        return None
    path = "each json item: " if scope.array else ""
    if parent:
        return AnswerPart(form=f"{path}json field {quoted([parent])} each json item: json field {quoted([name])}")
    return AnswerPart(form=f"{path}json field {quoted([name])}")


def _field(before: str, scope: PromptScope) -> str:
    """Return the last key of the JSON that is named before an amount."""
    found = []
    for name in (*scope.fields, *(key for key, _ in scope.nested)):
        said = re.escape(name).replace("_", r"[_ ]")
        found += [(match.start(), name) for match in re.finditer(rf"(?<!\w){said}s?(?!\w)", before, re.IGNORECASE)]
    return max(found)[1] if found else ""


def _literals(
    text: str, written: str, scope: PromptScope, made: Sequence[str], *, structured: bool
) -> Iterator[SpottedCheck]:
    for found in find_runs(text):
        read = next(find_runs(written[found.start : found.end]), None)
        run = replace(found, texts=read.texts) if read and len(read.texts) == len(found.texts) else found
        literal = literal_role(text, run)
        part = part_at(text, run.start, made)
        if literal is not None and part.form is None and not part.placed:
            part = part_at(text, literal.start, made)  # its verb is no noun
        if literal is None:
            yield from _equal_ends(text, run, part)
            continue
        if literal.role == "ban":
            if not _is_illustration(text, run):
                asked = _ban(run.texts)
                inside = _field_part(text[: run.start], scope) if structured else None
                asked = inside.check(asked) or asked if inside else asked
                yield SpottedCheck(predicate=asked, start=literal.start, end=run.end)
        elif not structured and (placed := _of_place(text, run, literal, part, made)):
            yield SpottedCheck(predicate=placed, start=literal.start, end=run.end)


def _of_place(text: str, run: QuotedRun, literal: LiteralRole, part: AnswerPart, made: Sequence[str]) -> str | None:
    """Return the predicate of texts that begin or end the answer, or stand in it; None if it is not sure."""
    several = len(run.texts) > 1 and not run.either
    if literal.role == "contain":
        form = "contains any" if run.either else "contains all" if several else "contains"
        whole = part.form in ("", None) and _is_of_answer(text[: literal.start], made)
        return f"{form} {quoted(run.texts)} ignoring case" if whole else None
    if several:  # ``ends with the lines "Kind regards" and "The team"``
        ends = literal.role == "end" and all(len(words) > _NAME_LENGTH for words in run.texts)
        return f"contains all {quoted(run.texts)}" if ends else None
    asked = _at_end(literal.role, [words.strip() for words in run.texts])
    sure = part.placed or is_of_whole(text[: run.end], literal.start, run.end, made)
    edge = part.form == ("first line:" if literal.role.endswith("start") else "last line:")
    return asked if (part.form == "" and sure) or part.placed or edge else part.check(asked)


def _equal_ends(text: str, run: QuotedRun, part: AnswerPart) -> Iterator[SpottedCheck]:
    """Yield the check of a sentence that says what the first or last line is: ``the last line is "Bye."``."""
    if part.form in _ENDS and len(run.texts) == 1 and _BE.search(text[: run.start]):
        how = "starts" if part.form.startswith("first") else "ends"
        asked = f"{part.form} {how} with {quoted([run.texts[0].strip()])}"
        yield SpottedCheck(predicate=asked, start=part.at, end=run.end)


def _ban(texts: Sequence[str]) -> str:
    whole = " as words" if all(_WORDLIKE.fullmatch(words) for words in texts) else ""
    return f"contains none {quoted(texts)} ignoring case{whole}"


def _is_illustration(text: str, run: QuotedRun) -> bool:
    """Whether a text in a negated sentence is not banned: an address that is allowed, a part's, one of a pair."""
    if any(map(_ADDRESS.fullmatch, run.texts)):
        return True  # ``no links but shop.example/help``
    within = _WITHIN.match(text, run.end)
    if within and not re.search(NEGATION, text[run.end : run.end + _NEAR], re.IGNORECASE):
        return True  # ``in the title``; the Dutch ``en ook niet`` goes on denying
    return _RATHER.match(text, run.end) is not None


def _is_of_answer(before: str, made: Sequence[str]) -> bool:
    """Whether the words before a verb name nothing but the answer: ``The context should include`` is about another."""
    said = re.split(r"[,;:，；：]|\band\b|\bund\b|\bet\b|\by\b|\be\b", before)[-1]
    return names_answer(said, made) or not unknown_words(said, made)


def _at_end(role: str, texts: Sequence[str]) -> str:
    """Return the predicate for a beginning or an end that is asked for or denied."""
    asked = f"{'starts' if role.endswith('start') else 'ends'} with {quoted(texts)}"
    return f"not ({asked})" if role.startswith("not ") else asked
