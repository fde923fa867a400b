"""Check whether the agent's question named what a call would do: the action, the record and the numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from proctor.core.chat import ToolCall
from proctor.guard.tool_settings import shown
from proctor.text.money import find_money
from proctor.text.numbers import find_numbers
from proctor.text.split import sentences
from proctor.text.tool_mentions import about_action, action_words

__all__ = ["not_named"]

_MAX_VALUES: Final = 200  # values of a call that are checked
_NAME: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_A-Za-z]+")
_MINOR: Final = frozenset(("cents", "cent", "pence"))
_AMOUNT: Final = re.compile(
    r"amount|price|total|sum|fee|cost|charge|payment|refund|credit|discount|deposit|compensation|cents?|pence|"
    r"euros?|eur"
    r"|dollars?|usd|yen|jpy|pounds|gbp|金額|返金額|価格|料金|合計|割引"
)
_NOT_AMOUNT: Final = re.compile(r"ids?|number|code|type|currency|unit|count")
_ID: Final = re.compile(r"(?<![a-z0-9])[a-z]{1,8}[-_]?[0-9][a-z0-9]*(?:[-_][a-z0-9]+)*(?![a-z0-9])")


@dataclass(frozen=True, slots=True)
class _Given:
    """One argument of a call: a number or a text."""

    name: str
    value: Any
    number: Decimal | None
    amount: bool = False

    @property
    def text(self) -> str:
        return _plain(str(self.value)).lstrip("#")

    def said_in(self, money: Collection[Decimal], numbers: Collection[Decimal]) -> bool:
        """Return whether the money amounts, or the numbers if there are none, include it; 500 cents are 5 euros."""
        if self.number is None:
            return False
        minor = not _MINOR.isdisjoint(_words(self.name))
        return (self.number / 100 if minor else self.number) in money or (not money and self.number in numbers)


def not_named(call: ToolCall, said: str) -> str | None:
    """Return what the agent's question leaves open or contradicts about the call; None if a yes covers the call."""
    words = _plain(said)
    if not about_action(words, call.name):
        return f"that question must say what is done ({', '.join(action_words(call.name)[:4])})"
    given = list(_given(call.arguments))
    texts = [each for each in given if each.number is None or isinstance(each.value, str)]
    named = [each for each in texts if len(each.text) >= 2 and _stands(each.text, words)]
    ids = [each for each in texts if _ID.fullmatch(each.text)]
    if ids and not any(each in named for each in ids) and _ID.search(words):
        return f"that question names another record than {ids[0].name[:40]} {shown(ids[0].value, name=ids[0].name)}"
    wrong = _wrong_number(given, _asked_part(call.name, words), [each.text for each in named])
    if wrong is not None:
        return wrong
    stated = {number.value for number in find_numbers(words)}
    if named or any(each.number in stated for each in given if each.number is not None):
        return None
    return "that question must name a value of the call"


def _wrong_number(given: list[_Given], asked: str, named: list[str]) -> str | None:
    """Return the first number of the call that the question contradicts, or an amount that it omits."""
    for text in sorted(named, key=len, reverse=True):  # the 17 of order 17 is no amount
        if not _is_number(text):
            asked = asked.replace(text, " _ ")
    money = {each.amount for each in find_money(asked) if each.high is None}
    numbers = [each.value for each in find_numbers(asked)]
    plain = [each for each in given if each.number is not None and not each.amount]
    amounts = [each for each in given if each.amount]
    left = list(numbers)
    for each in plain:
        if each.number in left:
            left.remove(each.number)
    for each in amounts:
        if not each.said_in(money, left) and each.text not in named:
            return _told(each, sorted(money) if money else left)
    left = [number for number in left if number not in money and not any(each.number == number for each in amounts)]
    for each in plain:
        if not isinstance(each.value, str) and each.number not in numbers and left:
            return _told(each, left)
    return None


def _told(given: _Given, numbers: list[Decimal]) -> str:
    says = f"says {', '.join(map(str, numbers[:3]))}" if numbers else "does not say so"
    return f"{given.name[:40]} is {shown(given.value, name=given.name)}, and that question {says}"


def _asked_part(tool: str, words: str) -> str:
    """Return the text from the last sentence about the action that a number follows: an order's price is no refund."""
    parts = sentences(words)
    for start in range(len(parts) - 1, -1, -1):
        rest = " ".join(parts[start:])
        if about_action(parts[start], tool) and find_numbers(rest):
            return rest
    return words


def _given(arguments: Mapping[str, Any]) -> Iterator[_Given]:
    """Yield each scalar value with its name, nested ones included."""
    waiting: list[tuple[str, Any]] = list(arguments.items())
    for _ in range(_MAX_VALUES):
        if not waiting:
            return
        name, value = waiting.pop(0)
        if isinstance(value, Mapping):
            waiting += [(str(inner), each) for inner, each in value.items()]
        elif isinstance(value, (list, tuple)):
            waiting += [(name, each) for each in value]
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
            if isinstance(value, int) and value.bit_length() > 128:
                value = shown(value)
            amount = _is_amount(str(name))
            yield _Given(str(name), value, _number(value) if not amount else _only_number(value), amount)
    if waiting:  # the customer cannot have confirmed more values than are checked
        yield _Given("the call", "more than is looked at", None, True)


def _is_amount(name: str) -> bool:
    words = _words(name)
    if not words or _NOT_AMOUNT.fullmatch(words[-1]):
        return False
    return _AMOUNT.fullmatch(words[-1]) is not None or "amount" in words or "price" in words


def _words(name: str) -> list[str]:
    return [word.lower() for word in _NAME.findall(unicodedata.normalize("NFKC", name[:100]))]


def _stands(value: str, words: str) -> bool:
    """Return whether the value occurs as a whole word: LT-1 is not in LT-17."""
    if value not in words:
        return False
    before = r"(?<![a-z0-9])(?<![a-z0-9][-_])" if value[0].isascii() and value[0].isalnum() else ""
    after = r"(?![a-z0-9]|[-_.][a-z0-9])" if value[-1].isascii() and value[-1].isalnum() else ""
    return re.search(before + re.escape(value) + after, words) is not None


def _is_number(text: str) -> bool:
    return _number(text) is not None


def _number(value: Any) -> Decimal | None:
    try:
        number = Decimal(str(value).strip().replace(",", "")) if len(str(value)) <= 40 else None
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() else None


def _only_number(value: Any) -> Decimal | None:
    """Return the number of an amount, which may be written with its currency: 95 EUR."""
    number = _number(value)
    if number is None and isinstance(value, str) and len(found := find_numbers(value[:60])) == 1:
        return found[0].value
    return number


def _plain(text: str) -> str:
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
