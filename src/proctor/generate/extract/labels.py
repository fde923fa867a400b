"""Extract the allowed answers: listed labels, quoted choices, and special answers named in conditions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from proctor.generate.extract.limit_subject import names_answer
from proctor.generate.extract.predicate_text import quoted
from proctor.generate.extract.reply_words import ONLY
from proctor.generate.extract.statements import Statement
from proctor.generate.extract.vocabulary import worded
from proctor.text.lazy_pattern import Lazy

__all__ = [
    "LabelSet",
    "asks_one_label",
    "ignoring_case",
    "label_of_item",
    "label_sets",
    "labels_in",
    "listed",
    "special_answer",
]

_MOST: Final = 200
_EXAMPLES: Final = Lazy(r"\b(?:examples?|e\.g\.?|such as|like)\W*$", re.IGNORECASE)
_CHOICE: Final = Lazy(r"\bor\b|[/|]|,(?!\s*and\b)", re.IGNORECASE)
_MOST_BEFORE: Final = 2  # words before the verb of a command
_CODES: Final = Lazy(r"(?:(?<=[:,;]\s)|(?<=[:,;])|^)\s*([A-Z][\w$/+-]{0,14})\s*(?::|=|–)\s+(?=\S)")
_AFTER_COLON: Final = Lazy(
    r"\b(?:categor(?:y|ies)|labels?|classes|tags?|intents?|sentiments?|options|choices|values|topics|genres|levels|"
    r"(?:one|any) of (?:the following|these)(?: [\w-]+){0,3}|choose (?:from|"
    r"between))\b[^:.\n]{0,60}[:：]\s*(?P<list>[^\n]+(?:\n(?!\n)[^\n]+)*)",
    re.IGNORECASE,
)
_AS: Final = Lazy(
    r"\b(?:classif(?:y|ies|ied)|categoriz(?:e|es|ed)|categoris(?:e|ed)|label(?:s|led|ed)?|tag(?:s|ged)?|mark(?:ed)?|"
    r"determine|decide|judge|identify|predict|rate|assess|detect|say|sort|assign)\b[^.:;]{0,120}?\b(?:as(?: either| "
    r"one of)?|into(?: one of| either)?|whether (?:it|the \w+|this \w+) is|is(?: either)?|to be|one of|"
    r"either)\b:?\s+(?P<list>[^.;\n]+)",
    re.IGNORECASE,
)
_GIVEN: Final = Lazy(
    r"\b(?:respond|reply|answer|return|outputs? (?:is|are) limited to|output|say|print|write|choose|pick|select|be|"
    r"is|use|provide|give)\b(?:\s+(?:with|using|only|just|exactly|either|one of|from|as|a single|one word|the "
    r"(?:word|words|label|labels|value|values|string|strings)|single|word|of|the|following|between|"
    r"and)\b:?)*\s+(?P<list>(?:\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”|`[^`\n]{1,60}`|'[^'\n]{1,60}')(?:(?:\s*,\s*(?:or |"
    r"and )?|\s+or\s+|\s*/\s*|\s+and\s+)(?:\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”|`[^`\n]{1,60}`|'[^'\n]{1,60}'))+)",
    re.IGNORECASE,
)
_LETTERS: Final = Lazy(
    r"\b(?:respond|reply|answer|return|output)\b(?:\s+(?:only|just))?\s+(?:with\s+)?(?:only\s+|"
    r"just\s+)?(?:a|an|one|the|exactly one)\s+(?:single\s+)?(?:[\w-]+\s+)?"
    r"(?:letter|word|label|number|value|option|category|verdict|class|tag)s?:\s*(?P<list>[^.;\n]+)",
    re.IGNORECASE,
)
_WHICH: Final = Lazy(
    r"\b(?:which|what|whether|decide|choose|pick|classify|assign|select|sort)\b[^.:\n]{0,80}:\s*"
    r"(?P<list>[\w-]+(?: [\w-]+)?(?:\s*[/|]\s*[\w-]+(?: [\w-]+)?){1,20})\s*[.?]?\s*$",
    re.IGNORECASE,
)
_ALTERNATIVE: Final = Lazy(
    r"\b(?i:answer|respond|reply|return|output|say|print)\b(?:\s+(?:with|only|just|either|the word))*\s+"
    r"(?P<one>[\"“`'][^\"”`'\n]{1,40}[\"”`']|[A-Z][A-Z_]{1,30})\s+(?:if|"
    r"when)\b[^.;\n]{2,200}?(?:,\s*(?:and |or |otherwise )?|"
    r"\band |\bor |;\s*otherwise,?\s+)(?:with\s+|say\s+)?(?P<other>[\"“`'][^\"”`'\n]{1,40}[\"”`']|[A-Z][A-Z_]{1,30})"
    r"(?=\s+(?:if|when|otherwise|in all other)\b|\s*[.;]|\s*$)",
)
_YES_NO: Final = Lazy(
    r"\b(?:answer|respond|reply|return|output|say)\b[^.;]{0,40}?[\"'“`]?\byes\b[\"'”`]?\s*(?:or|/)\s*[\"'“`]?no\b",
    re.IGNORECASE,
)
_DENIED: Final = Lazy(r"\b(?:do not|don[’']t|never|avoid|must not|should not|without)\b[^.;]{0,30}$", re.IGNORECASE)
_JOIN: Final = Lazy(r"\s*[,;/|、]\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+", re.IGNORECASE)
_COMMAS: Final = Lazy(r"\s*[,;|、]\s*(?:or\s+|and\s+)?|\s+or\s+|(?<=,)\s*and\s+|\s+and\s+(?=[A-Z\"'`][^,]*$)")
_ITEM_LABEL: Final = Lazy(
    r"\s*(?:\*\*|`|\"|“|')?(?P<label>[^\n*`\"“”]{1,60}?)(?:\*\*|`|\"|”|')?\s*(?:[:：]|\s[-–—]\s|\(|（|=|→|$)"
)
_FILLER: Final = Lazy(r"^(?:a|an|the|either|one of|being|exactly|just|only)\s+", re.IGNORECASE)
_WORDY: Final = Lazy(
    r"\b(?:the|a|an|of|is|are|that|which|based|whether|not|your|it|its|etc|using|with|to|by|from|on|per)\b",
    re.IGNORECASE,
)
_LITERAL_LINE: Final = Lazy(
    r"\b(?:return|respond|reply|answer|output|say|write|print)\b(?:\s+(?:with|only|just))*\s+(?:exactly|only|"
    r"just)\s*:\s*(?P<line>[^\n\"“`'{\[]{2,80})$",
    re.IGNORECASE,
)
_SPECIAL: Final = Lazy(
    r"\b(?:return|respond|reply|answer|output|say|write|print|give|choose|label (?:it|them)|classify (?:it|them|the "
    r"\w+)|mark (?:it|them)|be)\b(?:\s+(?:with|as|only|just|exactly|simply|a|an|the|single|word|string|value|message|"
    r"text|phrase|label|category|tag|empty|it|them|be|by|saying|following|sentence|"
    r"line)\b:?)*\s*(?:(?P<quoted>\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|`[^`\n]{1,300}`|'[^'\n]{2,300}')|"
    r"(?P<array>\[\s*\\?\"?[^\]\n]{0,40}\])|(?P<object>\{[^{}\n]{0,160}\})|(?P<bare>[A-Z][A-Za-z0-9_/-]{0,30}|"
    r"-?\d{1,6}|null|none|unknown|nothing|true|false|n/a|undefined)(?=\s*[.,;!)]|\s*$|\s+and\b))",
    re.IGNORECASE,
)


_QUOTE: Final = re.compile(
    r"\"([^\"\n]{1,400})\"|“([^”\n]{1,400})”|„([^“”\n]{1,400})[“”]|«\s*([^»\n]{1,400}?)\s*»|`([^`\n]{1,400})`|"
    r"「([^」\n]{1,200})」|『([^』\n]{1,200})』|(?<!\w)'([^'\n]{1,200})'(?!\w)"
)
# ``une seule étiquette parmi : …``: one of the labels that follow is the answer, in any language.
_LABEL_NOUN: Final = (
    r"(?:labels?|categor(?:y|ies)|class(?:es)?|tags?|codes?|intents?|verdict|étiquettes?|catégories?|kategori\w*|"
    r"kürzel|etikett\w*|schlagw\w+|etiquetas?|categorías?|códigos?|categorias?|rótulos?|etichett[ae]|codic[ei]|"
    r"categorie|etykiet\w*|kod\w*|код\w*|категори\w*|метк\w*|štít\w+|标签|类别|分类|ラベル|カテゴリー?|コード|분류|"
    r"라벨|카테고리|코드|word|wort|mot|palabra|palavra|parola|woord|słow\w+|слов\w+)"
)
_SINGLE: Final = (
    r"(?:one|a single|genau ein\w*|ein(?:e[mns]?)? einzig\w*|une? seule?|un[oa]? sol[ao]|uma? únic[ao]|um só|uma só|"
    r"precies één|één|dokładnie jed\w+|jedn\w+|одн\w+|exakt en|ett|tek|bir|一个|1つ|一つ|하나)"
)
_ONE_LABEL: Final = Lazy(
    rf"(?:{ONLY}|{_SINGLE})\W+(?:[^\W\d_]+\W+){{0,3}}?{_LABEL_NOUN}(?![^\W\d_])|{_LABEL_NOUN}(?:だけ|のみ|만)|"
    rf"只[^，。]{{0,4}}{_LABEL_NOUN}",
    re.IGNORECASE,
)
_CODE: Final = r"[A-ZÀ-ÖØ-Þ][A-ZÀ-ÖØ-Þ0-9]*(?:[_-][A-ZÀ-ÖØ-Þ0-9]+)*"
_CODES_IN_LINE: Final = Lazy(
    rf"(?P<list>{_CODE}(?:\s*[,、/|]\s*(?:\w{{1,4}}\s+)?{_CODE}|\s+\w{{1,4}}\s+{_CODE}){{1,40}})(?![\w-])"
)
_CODED_LINE: Final = re.compile(
    rf"(?m)^[ \t]*(?:[-*•][ \t]*)?(?:\|[ \t]*)?[`*\"]{{0,3}}(?P<code>{_CODE})[`*\"]{{0,3}}[ \t]*(?:=|→|"
    rf"[–—-](?=[ \t])|[:：]|\|)[ \t]*\S[^\n]*$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSet:
    """Labels and where they are listed; ``alone`` is whether the label is the whole output."""

    labels: tuple[str, ...]
    start: int
    end: int
    alone: bool = False
    yes_no: bool = False

    def predicate(self, special: Iterable[str], *, alone: bool, ignoring_case: bool) -> str:
        """Return the set as a predicate, with the special answers among the labels."""
        every = tuple(dict.fromkeys((*self.labels, *special)))
        ending = " ignoring case" if ignoring_case else ""
        if alone:
            return f"one of {quoted(every)}{ending}"
        return f"contains any {quoted(every)} as words{ending}"


def labels_in(statement: Statement) -> LabelSet | None:
    """Return the labels that a statement lists; what it forbids are none."""
    found = _found_labels(statement)
    if found and _DENIED.search(statement.text[: max(0, found.start - statement.start) + 12]):
        return None
    return found


def _found_labels(statement: Statement) -> LabelSet | None:
    return _single_label(statement) or _listed_labels(statement)


def _single_label(statement: Statement) -> LabelSet | None:
    text, base = statement.text, statement.start
    if match := _YES_NO.search(text):
        return LabelSet(labels=("Yes", "No"), start=base + match.start(), end=base + len(text), alone=True, yes_no=True)
    if match := _ALTERNATIVE.search(text):
        labels = tuple(match.group(name).strip("\"“”`'") for name in ("one", "other"))
        whole = {label.lower() for label in labels} == {"yes", "no"}
        return LabelSet(labels=labels, start=base + match.start(), end=base + match.end(), alone=True, yes_no=whole)
    if match := _WHICH.search(text):
        labels = listed(match.group("list").replace("|", "/"))
        if len(labels) >= 2:
            return LabelSet(labels=labels, start=base, end=base + len(text))
    if match := _LETTERS.search(text):
        labels = listed(match.group("list"))
        if len(labels) >= 2:
            return LabelSet(labels=labels, start=base + match.start(), end=base + match.end(), alone=True)
    return None


def _listed_labels(statement: Statement) -> LabelSet | None:
    text, base = statement.text, statement.start
    if match := _GIVEN.search(text):
        if not _is_asked(text, match):
            return None
        labels = tuple(quoted_texts(match.group("list")))
        return LabelSet(labels=labels, start=base + match.start(), end=base + match.end(), alone=True)
    if (match := _AFTER_COLON.search(text)) and not _EXAMPLES.search(text[: match.start("list")]):
        labels = _coded(match.group("list")) or listed(match.group("list"))
        if len(labels) >= 2:
            return LabelSet(labels=labels, start=base, end=base + len(text))
    if (match := _AS.search(text)) and _CHOICE.search(match["list"]):  # ``whether it is fast and secure`` is none
        labels = listed(match.group("list"))
        if len(labels) >= 2:
            return LabelSet(labels=labels, start=base + match.start(), end=base + match.end())
    return None


def _is_asked(text: str, match: re.Match[str]) -> bool:
    """Whether a choice of quoted texts is asked of the answer: by a word such as ``only``, the answer, or a command.

    ``Suppliers write "Stk" or "pz"`` has another subject.
    """
    before, after = re.split(r"[,;:.]", text[: match.start()])[-1], text[match.end() :]
    return (
        re.search(ONLY, match.group(), re.IGNORECASE) is not None
        or names_answer(before, ())
        or (
            len(before.split()) <= _MOST_BEFORE
            and not re.match(r"\s+(?!if|when|for|and|or|depending|based)[a-z]", after)
        )
    )


def _coded(text: str) -> tuple[str, ...]:
    """Return the codes of ``CC: Coordinating conjunction, CD: Cardinal number``, without their meanings."""
    found = tuple(dict.fromkeys(match.group(1) for match in _CODES.finditer(text)))
    return found[:_MOST] if len(found) >= 3 else ()


def listed(text: str) -> tuple[str, ...]:
    """Parse ``positive, negative, or neutral``; empty if one of them is more than a short name."""
    text = re.sub(r"\([^)]*\)", "", text).strip().rstrip(".!;:")
    marked = quoted_texts(text)
    if len(marked) >= 2:
        return tuple(dict.fromkeys(marked))[:_MOST]
    slashes = "," not in text and " or " not in text
    pieces = [_FILLER.sub("", piece.strip(" *\"'`")) for piece in (_JOIN if slashes else _COMMAS).split(text)]
    pieces = [piece for piece in pieces if piece]
    if any(_unbalanced(piece) for piece in pieces):
        return ()
    if len(pieces) < 2 or any(
        len(piece.split()) > 4 or len(piece) > 40 or (len(piece) > 1 and _WORDY.search(piece)) for piece in pieces
    ):
        return ()
    return tuple(dict.fromkeys(pieces))[:_MOST]


def _unbalanced(piece: str) -> bool:
    """Whether a bracket of a piece, or a tag, is closed in another: it is cut out of a description."""
    return any(piece.count(one) != piece.count(other) for one, other in ("()", "（）", "[]", "「」", "<>"))


def label_of_item(text: str) -> str | None:
    """Return the label of an item in a list of labels, without its explanation."""
    match = _ITEM_LABEL.match(text)
    label = match.group("label").strip() if match else ""
    return label if label and "{{" not in text and len(label.split()) <= 6 else None


def special_answer(clause: str) -> str | None:
    """Return the answer that a conditional clause names: ``return Unknown``."""
    if line := _LITERAL_LINE.search(clause):
        return line["line"].strip()
    match = _SPECIAL.search(clause)
    if match is None or re.match(
        r"\s*(?:inside|within|in the|for the|as the|to the)\b", clause[match.end() :], re.IGNORECASE
    ):
        return None
    if words := match.group("quoted"):
        return words[1:-1]
    if words := match.group("array") or match.group("object"):
        return words.replace('\\"', '"')
    word = match.group("bare")
    return word if word is not None and (not word.islower() or word in _LITERALS) else None


_LITERALS: Final = worded("null none unknown true false n/a undefined")


def ignoring_case(labels: Sequence[str]) -> bool:
    """Whether labels are ordinary lowercase words, whose case does not matter."""
    return all(label.islower() for label in labels)


def quoted_texts(text: str) -> Sequence[str]:
    """Return the texts in quotes or backticks."""
    return [next(group for group in match.groups() if group is not None) for match in _QUOTE.finditer(text)]


def asks_one_label(text: str) -> bool:
    """Whether a sentence of any language asks for a single label."""
    return _ONE_LABEL.search(text) is not None


def label_sets(text: str, statements: Sequence[Statement]) -> Iterator[LabelSet]:
    """Yield the labels one of which is the whole answer, in any language.

    A sentence asks for a single label, and it or a list of lines names them: codes in capitals, or quoted words.
    """
    asked = [each for each in statements if not each.code and _ONE_LABEL.search(each.text)]
    for each in asked:
        rest = each.text[_ONE_LABEL.search(each.text).end() :]  # type: ignore[union-attr]
        codes = _CODES_IN_LINE.search(rest)
        if codes:
            found = tuple(dict.fromkeys(re.findall(_CODE, codes["list"])))
        else:
            found = tuple(dict.fromkeys(quoted_texts(rest)))
        if len(found) >= 2:
            yield LabelSet(labels=found, start=each.start, end=each.end, alone=True)
            return
    lines = list(_CODED_LINE.finditer(text))
    if asked and len(lines) >= _LEAST_LINES:
        found = tuple(dict.fromkeys(match["code"] for match in lines))
        yield LabelSet(labels=found, start=asked[0].start, end=max(asked[0].end, lines[-1].end()), alone=True)


_LEAST_LINES: Final = 3
