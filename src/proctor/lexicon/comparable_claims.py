"""Statements of an answer with the features they are compared by: words, numbers, negation and topic."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from proctor.lexicon.match import words_of
from proctor.text.claims import claims, plain
from proctor.text.content_words import content, negated
from proctor.text.figures import find_figures
from proctor.text.quantities import Quantity, without_quantities
from proctor.text.script_ranges import HAN, KATAKANA

__all__ = ["Saying", "sayings"]

_NAMED = re.compile(r"(?<![\w])[A-ZÀ-Þ][\w'’×-]*(?:[ ](?:(?:of|the|no|to|in|and|x|×|de|la)[ ])?[A-ZÀ-Þ0-9][\w'’×-]*)*")
_CODE = re.compile(r"\b[A-Z]{1,6}-?\d{2,}[A-Z0-9]*\b|\b(?=[A-Z0-9]{10}\b)[A-Z0-9]*\d[A-Z0-9]*\b|#[A-Z]?\d{2,}\b")
_QUOTED = re.compile(r"[『「《“\"]([^』」》”\"\n]{1,60})[』」》”\"]")
_KATAKANA = re.compile(f"[{KATAKANA}・]{{3,}}")
_SORRY = re.compile(
    r"^(?:I['’]m|I am) (?:so |very |really )?sorry,?(?: but)?\s+|^(?:unfortunately|however|yes|no),\s+", re.I
)
_ITEM = re.compile(r"^\s*(?:[-*•・▪●◦|]|\(?\d{1,3}[.)．、]|[①-⑳])")
_LABEL = re.compile(r"^[^:：.。!?]{1,40}[:：](?!(?<=\d.)\d)\s?\S")  # the colon of 09:30 ends no label
# Words about the conversation itself: intentions and actions in progress are not lasting facts.
_PROCESS = re.compile(
    r"\b(?:i|i['’](?:ll|ve|m|d)|let['’]?s|let me|you want(?:ed)?|you(?:['’]d| would) like|please|confirm(?:ed|"
    r"ation)?|proceed"
    r"|you(?:['’]ve| have) (?:requested|asked|chosen|selected|provided|confirmed)|would you|shall|your request|"
    r"as requested)\b"
    r"|承り|ご希望|ご要望|お申し込み|お手続きを",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:has|have|had) (?:now |already |just |also )?been\b|\b(?:is|are) now\b|\b(?:updated|changed|"
    r"cancell?ed|modified"
    r"|exchanged|removed|added|shipped|refunded)\b|なりました|変更|更新|完了|キャンセル|いたしました",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[a-z]+(?:['’-][a-z]+)*")
_RUN = re.compile(f"[{HAN}々]{{3,8}}|[{KATAKANA}]{{4,}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One statement with the features it is compared by.

    ``own`` are the names in it, ``names`` those it is about: its own, or those named before it; ``codes`` are the order
    and product numbers among them. ``kinds`` maps each of its words to the words right before it (what kind of
    delivery). ``subject`` is its first word, because a one-word name is not recognisable there. ``listed``: a list item
    or a label with a value, which is meaningless without its context. ``process``: about the conversation. ``changed``:
    says that something is no longer what it was.
    """

    text: str
    words: frozenset[str]
    quantities: tuple[Quantity, ...]
    denies: bool
    own: frozenset[str]
    names: frozenset[str]
    codes: frozenset[str]
    kinds: Mapping[str, frozenset[str]]
    subject: frozenset[str] = frozenset()
    listed: bool = False
    process: bool = False
    changed: bool = False


def sayings(text: str, *, about: str = "", most: int = 60) -> list[Saying]:
    """Return the statements of a text. One without names is about the last names before it, at first ``about``."""
    names, codes = _names(about), _codes(about)
    items = [" ".join(line.split()) for line in plain(text[:60_000]).split("\n") if _ITEM.match(line)]
    listed = "\n".join(items)
    made: list[Saying] = []
    for claim in claims(text, most=most):
        said = _SORRY.sub("", claim)
        own = _names(said)
        names = own or names
        codes = _codes(said) or codes
        found = find_figures(said)
        made.append(
            Saying(
                text=claim,
                words=content(without_quantities(said, found)),
                quantities=found,
                denies=negated(claim),
                own=own,
                names=names,
                codes=codes,
                kinds=_kinds(said),
                subject=content(said.split(" ", 1)[0]) if said[:1].isupper() else frozenset(),
                listed=_LABEL.match(claim) is not None or claim in listed,
                process=_PROCESS.search(said) is not None,
                changed=_CHANGED.search(said) is not None,
            )
        )
    return made


def _kinds(text: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    before: frozenset[str] = frozenset()
    for token in _TOKEN.findall(text.lower()):
        now = content(token)
        for word in now:
            found.setdefault(word, set()).update(before)
        before = now
    for run in _RUN.findall(text):  # 通常配送, 速達配送: the last two characters are the noun
        found.setdefault(run[-2:], set()).update(content(run[:-2]))
    return {word: frozenset(kinds) for word, kinds in found.items()}


def _codes(text: str) -> frozenset[str]:
    return frozenset(code.casefold() for code in _CODE.findall(text))


def _names(text: str) -> frozenset[str]:
    found = set(_codes(text))
    no_names = words_of("not_a_name")
    for hit in _NAMED.finditer(text):
        said = [word for word in re.split(r"[\s-]+", hit.group().casefold()) if word not in no_names]
        begins = hit.start() == 0 or text[max(0, hit.start() - 2) : hit.start()].strip() in (".", "!", "?", ":")
        alone = begins and not re.search(r"[ ×-]|(?<=.)[A-Z]", hit.group())
        if said and not alone:
            found.update(word.strip("'’") for word in said if len(word) > 2 or word.isdigit())
    if not text.isascii():
        plain_text = unicodedata.normalize("NFKC", text)
        found.update(name.casefold() for name in _QUOTED.findall(plain_text))
        found.update(_KATAKANA.findall(plain_text))
    else:
        for name in _QUOTED.findall(text):
            found.update(word for word in name.casefold().split() if word not in no_names and len(word) > 2)
    return frozenset(found)
