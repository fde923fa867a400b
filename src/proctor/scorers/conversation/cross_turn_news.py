"""Find why an answer may differ from an earlier one: a correction, or new information from a tool or the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from proctor.core.chat import ToolCall
from proctor.core.codec import dumps
from proctor.lexicon.comparable_claims import Saying
from proctor.scorers.conversation.cross_turn_statements import Pair, Spoken
from proctor.text.claims import statements
from proctor.text.content_words import content
from proctor.text.quantities import find_quantities
from proctor.text.user_patterns import UserPattern

__all__ = ["KNOWLEDGE_TOOLS", "News", "corrects"]

# Tools whose data does not change during a conversation: a different answer is a contradiction, not new information.
KNOWLEDGE_TOOLS: Final = r"polic|faq|knowledge|article|handbook|guideline|terms|document|help_cent|think|calculate"
_LONGEST: Final = 20_000
_DIGITS: Final = re.compile(r"\d+(?:\.\d+)?")

_CORRECTS = re.compile(
    r"\b(?:correction\b|(?:to|let me|i (?:need|have) to|i must|i should) correct|i was (?:wrong|mistaken|incorrect)"
    r"|i misspoke|i (?:made|realize i made) (?:a|an) (?:mistake|error)|my (?:mistake|error)\b|i stand corrected"
    r"|(?:sorry|apologies|apologi[sz]e|regret) (?:for|about) (?:the|my|any|that)?\s?(?:earlier |previous |initial )?"
    r"(?:confusion|mistake|error|misunderstanding|oversight|misinformation|incorrect)"
    r"|(?:what i|i) (?:said|told you|stated|mentioned) (?:earlier|before|previously) (?:was|is) (?:wrong|incorrect|not)"
    r"|my (?:earlier|previous|last) (?:answer|statement|message|response|information) was"
    r"|(?:earlier|previously),? i (?:incorrectly|mistakenly|wrongly))"
    r"|訂正|先ほど(?:の(?:説明|回答|案内))?.{0,12}誤|間違えて|間違っており|誤った(?:情報|案内|回答)",
    re.IGNORECASE,
)
# What a customer reports that somebody said is a claim to check, not new information.
_REPORTED = re.compile(
    r"\b(?:(?:you|he|she|they|someone|somebody|agent|colleague|representative|website|site|page|chat|email|"
    r"support|desk)"
    r"\s+(?:just |already |also |had |have |has )*(?:said|say|says|told|tell|promised?|approved?|agreed?|confirmed?"
    r"|assured?|mentioned|stated|guaranteed|wrote)|(?:i was|i['’]?ve been|we were) (?:told|promised|assured)"
    r"|according to|i (?:thought|heard|read|understood|believe|assume))\b"
    r"|(?:言われ|聞き|約束|承認|仰|おっしゃ)",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:i|i['’](?:m|ve|d|ll)|my|mine|we|we['’](?:re|ve)|our|actually|it(?:['’]s| is| was)|there (?:is|was|were))\b"
    r"|私|僕|実は|うち|です|ます",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\W*(?:(?:so|and|but|ok(?:ay)?|then)\W+)*(?:what|how|when|where|which|who|why|can|could|is|are|do|does|will|"
    r"would)\b",
    re.IGNORECASE,
)
_NO_LONGER = re.compile(r"\b(?:false|no|not|none|null|0|unavailable|sold|closed|cancell?ed|failed|denied|expired)\b")
_COMMON: Final = content(
    "day time date hour question answer help thank booking order ticket money back refund cancel change return price"
    " cost policy customer understand wait ask think sure right wrong call problem thing way case yes okay information"
)


def corrects(answer: str) -> bool:
    """Whether an answer openly says that an earlier one was wrong."""
    return _CORRECTS.search(answer) is not None


@dataclass(frozen=True)
class News:
    """The new information in a conversation and when it appeared."""

    said: Sequence[Spoken]
    knowledge_tools: UserPattern

    def excuse(self, pair: Pair, *, exact: bool) -> str | None:
        """Return why the later statement may differ from the earlier; ``None`` if nothing new came between them."""
        if corrects(pair.later.answer):
            return "openly corrected"
        since = self.said[pair.earlier.at + 1 : pair.later.at + 1]
        if (told := self._told_by_tool(pair, since)) is not None:
            return f"a tool said something new: {told}"
        if exact and self._gave_both(pair):
            return "tools gave both figures"
        if (told := self._told_by_user(pair, since)) is not None:
            return f"the user said something new: {told}"
        if not exact and (told := _other_case(pair)) is not None:
            return f"asked about another case: {told}"
        return None

    def _told_by_tool(self, pair: Pair, since: Sequence[Spoken]) -> str | None:
        for spoken in since:
            for call in spoken.tool_calls:
                result = _text(call)
                if not result or call.error is not None or self.knowledge_tools.search(call.name):
                    continue
                if self._first_told[_call(call)] <= pair.earlier.at or _of_another(call, spoken, pair):
                    continue
                if _speaks_for(result, pair):
                    return call.name
        return None

    def _gave_both(self, pair: Pair) -> bool:
        """Whether tools gave the figures of both statements: they are of two things, or one was found out later."""
        known = {
            digits
            for spoken in self.said[: pair.later.at + 1]
            for call in spoken.tool_calls
            if call.error is None and not self.knowledge_tools.search(call.name) and not _of_another(call, spoken, pair)
            for digits in _DIGITS.findall(_text(call).replace(",", ""))
        }
        one, two = _figures(pair.one), _figures(pair.two)
        return bool(one - two) and bool(two - one) and one | two <= known

    @cached_property
    def _first_told(self) -> Mapping[tuple[str, str, str], int]:
        """When each result first appeared: the same result to the same call is not new."""
        found: dict[tuple[str, str, str], int] = {}
        for spoken in self.said:
            for call in spoken.tool_calls:
                found.setdefault(_call(call), spoken.at)
        return found

    def _told_by_user(self, pair: Pair, since: Sequence[Spoken]) -> str | None:
        before = (pair.earlier, *self.said[max(0, pair.earlier.at - 8) : pair.earlier.at])
        known = frozenset[str]().union(*(content(each.asked[:_LONGEST]) for each in before))
        known |= content(pair.earlier.answer[:_LONGEST]) | _COMMON
        taken_up = content(pair.later.answer[:_LONGEST])
        figures = {found.quote for each in before for found in find_quantities(each.asked[:_LONGEST])}
        for claim in _own_claims(since):
            new = content(claim) - known
            counted = {each.quote for each in find_quantities(claim) if each.unit} - figures
            if new & taken_up or any(quote in pair.later.answer for quote in counted):
                return claim[:120]
        return None


def _own_claims(since: Sequence[Spoken]) -> Iterator[str]:
    """Yield users' claims about themselves and their case, without questions and reported speech."""
    for spoken in since:
        for each in statements(spoken.asked[:_LONGEST], most=20):
            asks = _ASKS.match(each.text) is not None  # a question is often written without its sign
            if each.kind == "claim" and not asks and _OWN.search(each.text) and not _REPORTED.search(each.text):
                yield each.text


def _call(call: ToolCall) -> tuple[str, str, str]:
    return call.name, dumps(call.arguments).decode(), _text(call)


def _text(call: ToolCall) -> str:
    if call.result is None:
        return ""
    result = call.result if isinstance(call.result, str) else dumps(call.result).decode()
    return result[:_LONGEST]


def _of_another(call: ToolCall, spoken: Spoken, pair: Pair) -> bool:
    """Whether a call in between was about something mentioned in its own turn but in neither statement's turn."""
    if spoken.at == pair.later.at:
        return False
    there = content(f"{spoken.asked}\n{spoken.answer}"[:_LONGEST])
    ours = content(f"{pair.earlier.asked}\n{pair.earlier.answer}\n{pair.later.asked}\n{pair.later.answer}"[:_LONGEST])
    asked_for = content(" ".join(str(value) for value in call.arguments.values())[:_LONGEST])
    return bool(asked_for & there - ours)


def _speaks_for(result: str, pair: Pair) -> bool:
    """Whether a result contains what the later statement says and the earlier does not."""
    low = result.casefold()
    figures = _figures(pair.two) - _figures(pair.one)
    if figures:
        return bool(figures & frozenset(_DIGITS.findall(low.replace(",", ""))))
    new = (pair.two.words | pair.two.own) - pair.one.words
    if new:
        return any(word in low for word in new)
    about = [word for word in pair.two.words | pair.two.own | pair.two.codes if word in low]
    return len(about) >= 2 and _NO_LONGER.search(low) is not None


def _figures(saying: Saying) -> frozenset[str]:
    return frozenset(digits for each in saying.quantities for digits in _DIGITS.findall(each.quote.replace(",", "")))


def _other_case(pair: Pair) -> str | None:
    """Return a number or date that the later question introduces, such as "what about two days?"."""
    known = {
        each.quote.casefold() for each in find_quantities(f"{pair.earlier.asked}\n{pair.earlier.answer}"[:_LONGEST])
    }
    for each in find_quantities(pair.later.asked[:_LONGEST]):
        if each.quote.casefold() not in known:
            return each.quote.strip()
    return None
