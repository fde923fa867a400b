"""Split an answer into statements, and separate claims from greetings, questions and offers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, Literal

from proctor.text.split import sentences

__all__ = [
    "LONGEST_STATEMENT",
    "MOST_CLAIMS",
    "AnswerStatement",
    "Kind",
    "claims",
    "plain",
    "sentences_of",
    "statements",
]

Kind = Literal["claim", "question", "offer", "courtesy", "heading"]

# Maximum statements read from the beginning of an answer, because each may need a network call.
MOST_CLAIMS: Final = 60
LONGEST_STATEMENT: Final = 600  # characters; a longer sentence is cut
_READ: Final = 60_000

_FENCE = re.compile(r"^\s*(?:```|~~~).*$", re.MULTILINE)
_RULE_SIGNS: Final = "-*_="
_LEAST_RULE_SIGNS: Final = 3
_RULE = re.compile(r"^\s*(?:[-*_=]\s*){3,}$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]\n]{0,300})\]\([^)\n]{0,500}\)")
_MARK_SIGNS: Final = "*_~`"
_MARK = re.compile(r"\*\*|__|~~|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_LEAD = re.compile(r"^\s*(?:#{1,6}\s+|>\s?|(?:[-*•・▪◦●○]|\(?\d{1,3}[.)．、]|[①-⑳])(?!\d)\s*)+")
_ROW_EDGE = re.compile(r"^\s*\||\|\s*$", re.MULTILINE)

_QUESTION = re.compile(r"[?？]\s*[\"'”’」』)）]*\s*$|(?:ですか|ますか|でしょうか|ませんか|ましょうか)[。.\s]*$")
_OFFER = re.compile(
    r"^(?:(?:please\s+)?(?:feel free|let me know|don'?t hesitate|tell me)\b"
    r"|if you(?:'d| would| want| need| have| like)\b"
    r"(?=.{0,200}\b(?:let me know|just ask|tell me|reach out|contact|i can|i'?ll|happy to|help)\b)"
    r"|i(?:'d| would) be (?:happy|glad)|i can (?:also )?help|happy to help|is there anything)"
    r"|(?:お気軽に|ご不明な点|お知らせください|お申し付けください|お手伝いします|お手伝いできます|ご相談ください)",
    re.IGNORECASE,
)
# A greeting, thanks or an apology alone; one with content ("Sorry, your order is late") is a claim.
_COURTESY = re.compile(
    r"^(?:"
    r"(?:yes|no|sure|of course|certainly|absolutely|great|okay|ok|got it|understood|gladly|no problem"
    r"|(?:great|good|big) news)"
    r"(?: thing| question"
    r"| choice)?"
    r"|(?:hi|hello|hey|welcome|good (?:morning|afternoon|evening)"
    r"|thanks?|thank you|you(?:'re| are) (?:very )?welcome|enjoy"
    r"|happy reading|have a (?:nice|great|good)|goodbye|bye|i hope (?:this|that) helps)\b[^.!。,:\d]{0,60}"
    r"|(?:sorry|i(?:'m| am) (?:very |so |really )?sorry|my apologies|i apologi[sz]e)"
    r"(?: (?:to hear|about|for)\b[^.!。,:\d]{0,60})?"
    r"|(?:こんにちは|こんばんは|おはよう|いらっしゃいませ|ようこそ)[^。、\d]{0,20}"
    r"|[^。、\d]{0,20}(?:ありがとうござい(?:ます|ました))"
    r"|はい|いいえ|もちろん(?:です)?|かしこまりました|承知(?:いたし|し)ました|申し訳(?:ござい|あり)ません|すみません|どういたしまして"
    r")[\s.!?。！~〜]*$",
    re.IGNORECASE,
)
_HEADING = re.compile(r"[:：]\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStatement:
    """One sentence or list item of an answer; ``at`` is its start as a share of the text, from 0 to 1."""

    text: str
    kind: Kind
    at: float
    share: float


def plain(text: str) -> str:
    """Return a text without its Markdown: marks, link addresses, fences and table edges are removed.

    An escaped line break, as in a JSON string, is converted.
    """
    text = text.replace("\\n", "\n")
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("", text)
    if sum(map(text.count, _RULE_SIGNS)) >= _LEAST_RULE_SIGNS:
        text = _RULE.sub("\n", text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "|" in text:
        text = _ROW_EDGE.sub("", text)
    if not any([sign in text for sign in _MARK_SIGNS]):
        return text
    return "\n".join(_MARK.sub("", line) for line in text.split("\n"))


def statements(text: str, *, most: int = MOST_CLAIMS) -> list[AnswerStatement]:
    """Return the sentences and list items in order, with their kind; at most ``most``.

    Only the beginning of a very long text is read.
    """
    return list(_statements(text[:_READ], most))


@lru_cache(maxsize=16)  # three gates in turn read the same draft
def _statements(text: str, most: int) -> tuple[AnswerStatement, ...]:
    found: list[tuple[str, Kind]] = []
    for piece in sentences_of(plain(text), most=most):
        found.append((piece, _kind(piece)))
    total = sum(len(piece) for piece, _ in found) or 1
    made, before = [], 0
    for piece, kind in found:
        made.append(AnswerStatement(text=piece, kind=kind, at=before / total, share=len(piece) / total))
        before += len(piece)
    return tuple(made)


def claims(text: str, *, most: int = MOST_CLAIMS) -> list[str]:
    """Return the claims of a text in order, without duplicates."""
    return list(dict.fromkeys(each.text for each in statements(text, most=most) if each.kind == "claim"))


def sentences_of(text: str, *, most: int = MOST_CLAIMS) -> list[str]:
    """Return the sentences and list items of a ``plain`` text, each on one line; at most ``most``."""
    return list(islice(_pieces(text), most))


def _pieces(text: str) -> Iterator[str]:
    """Yield sentences, each on one line; a line of a list or table is split separately."""
    for line in text.split("\n"):
        for sentence in sentences(_LEAD.sub("", line)):
            piece = " ".join(sentence.split())[:LONGEST_STATEMENT]
            if any(map(str.isalnum, piece)):
                yield piece


@lru_cache(maxsize=1024)  # sentences of a streamed answer repeat in each chunk and in the whole
def _kind(piece: str) -> Kind:
    if _QUESTION.search(piece):
        return "question"
    if _OFFER.search(piece):
        return "offer"
    if _COURTESY.search(piece):
        return "courtesy"
    return "heading" if _HEADING.search(piece) else "claim"
