"""Faults made of clean conversations: a value of an act exchanged, an act whose call failed or never was.

What is made this way is plainer than what people write, so it teaches the network to compare; ``renamed`` changes the
digits of every code, so that no value is learnt by heart.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from proctor.core.tool_effect import tool_effect

__all__ = ["renamed", "swapped_talks"]

_CODE = re.compile(r"(?<![\w.,:/-])[A-Za-z]{0,5}-?\d[\d-]{3,11}\d(?![\w.,:/]|-\d)")
_VALUE = re.compile(r"(?<![\w.,:/-])(?:[A-Za-z]{1,5}-?)?\d+(?:[.,:/-]\d+)*(?![\w])")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_DIGITS = re.compile(r"\d")
FEWEST_DIGITS = 4  # of a code

Row = dict[str, Any]


def renamed(row: Row, dice: random.Random) -> Row:
    """The conversation with other digits in every code, the same code always the same way."""
    text = json.dumps([row["messages"], row.get("sources") or []], ensure_ascii=False)
    codes = {m.group() for m in _CODE.finditer(text) if len(_DIGITS.findall(m.group())) > FEWEST_DIGITS}
    codes = {code for code in codes if not _DAY.match(code) and not code.startswith(("19", "20"))}
    digits = [str(n) for n in range(10)]
    turned = digits[:]
    dice.shuffle(turned)
    table = str.maketrans("".join(digits[1:]), "".join(d if d != "0" else "7" for d in turned[1:]))
    for code in sorted(codes, key=len, reverse=True):
        text = text.replace(code, code.translate(table))
    messages, sources = json.loads(text)
    return row | {"messages": messages, "sources": sources}


def swapped_talks(rows: Iterable[Row], most: int = 2, seed: int = 17) -> Iterator[Row]:
    """Up to ``most`` faulty conversations of each clean one, and the clean one with other codes."""
    dice = random.Random(seed)
    for row in rows:
        if row["label"] != "clean":
            continue
        yield renamed(row, dice)
        ways: list[Callable[[Row, random.Random], Row | None]] = [
            _other_value, _other_value, _other_argument, _failed_call, _no_call,
        ]  # fmt: skip
        dice.shuffle(ways)
        made = 0
        for way in ways:
            found = way(copy.deepcopy(row), dice) if made < most else None
            if found is not None:
                made += 1
                yield found


def _values(row: Row) -> list[str]:
    text = json.dumps([row["messages"], row.get("sources") or []], ensure_ascii=False)
    return sorted({m.group() for m in _VALUE.finditer(text)})


def _shape(value: str) -> str:
    return _DIGITS.sub("0", value)


def _other(value: str, row: Row, dice: random.Random) -> str | None:
    """Another value of that shape from the conversation, else the value with a digit changed or two exchanged."""
    alike = [each for each in _values(row) if each != value and _shape(each) == _shape(value)]
    if alike and dice.random() < 0.6:
        return dice.choice(alike)
    places = [at for at, c in enumerate(value) if c.isdigit()]
    found = list(value)
    if len(places) > 2 and dice.random() < 0.4:
        at = dice.randrange(len(places) - 1)
        one, two = places[at], places[at + 1]
        found[one], found[two] = found[two], found[one]
    else:
        at = dice.choice(places)
        found[at] = (
            str((int(found[at]) + dice.randint(1, 8)) % 10) if at or len(places) == 1 else dice.choice("123456789")
        )
    near = "".join(found)
    return near if near != value and not near.startswith("0") else None


def _faulty(row: Row, turn: int, fault: str | None) -> Row:
    return row | {"label": "faulty", "turn": turn, "fault": fault or ""}


def _other_value(row: Row, dice: random.Random) -> Row | None:
    """One value of a message of the agent is another, where something before it gave the right one."""
    given = json.dumps(row.get("sources") or [], ensure_ascii=False)
    places: list[tuple[int, str]] = []
    for at, message in enumerate(row["messages"]):
        text = message.get("content") or ""
        if message["role"] == "assistant":
            places += [(at, value.group()) for value in _VALUE.finditer(text) if value.group() in given]
        given += " " + text + json.dumps(message.get("tool_calls") or [], ensure_ascii=False)
    if not places:
        return None
    at, value = dice.choice(places)
    other = _other(value, row, dice)
    if other is None:
        return None
    message = row["messages"][at]
    message["content"] = _once(message["content"], value, other)
    said = any(value in (each.get("content") or "") for each in row["messages"][:at] if each["role"] == "assistant")
    stated = any(
        value in str(each.get("text", each) if isinstance(each, dict) else each) for each in row.get("sources") or ()
    )
    return _faulty(row, at + 1, "invented_policy" if stated else "contradiction" if said else None)


def _once(text: str, value: str, other: str) -> str:
    return re.sub(rf"(?<![\w.,:/-]){re.escape(value)}(?![\w])", other.replace("\\", ""), text, count=1)


def _other_argument(row: Row, dice: random.Random) -> Row | None:
    """A changing call has another code than the one that was given."""
    places = []
    for at, message in enumerate(row["messages"]):
        for number, call in enumerate(message.get("tool_calls") or ()):
            if isinstance(call.get("arguments"), dict) and tool_effect(call["name"]) == "changes":
                places += [
                    (at, number, name)
                    for name, value in call["arguments"].items()
                    if len(_DIGITS.findall(str(value))) >= FEWEST_DIGITS
                    and isinstance(value, str | int)
                    and not isinstance(value, bool)
                    and not _DAY.match(str(value))
                ]
    if not places:
        return None
    at, number, name = dice.choice(places)
    call = row["messages"][at]["tool_calls"][number]
    value = call["arguments"][name]
    other = _other(str(value), row, dice)
    if other is None:
        return None
    call["arguments"][name] = int(other) if isinstance(value, int) else other
    return _faulty(row, at + 1, "wrong_id")


def _told_after(row: Row, at: int) -> int | None:
    """The message that tells what the call of a message did, if the agent goes on after it."""
    if row["messages"][at].get("content"):
        return None
    after = at + 1
    if after < len(row["messages"]) and row["messages"][after]["role"] == "assistant":
        told = row["messages"][after]
        return after if told.get("content") and not told.get("tool_calls") else None
    return None


def _changing(row: Row) -> list[int]:
    return [
        at
        for at, message in enumerate(row["messages"])
        if len(message.get("tool_calls") or ()) == 1
        and tool_effect(message["tool_calls"][0]["name"]) == "changes"
        and _told_after(row, at) is not None
    ]


_ERRORS = (
    {"error": "timeout"},
    {"error": "not_permitted"},
    {"status": "failed", "reason": "locked"},
    {"ok": False, "error": "service unavailable"},
    {"error": "validation_error", "message": "record is closed"},
)


def _failed_call(row: Row, dice: random.Random) -> Row | None:
    """A call that changes something fails, and the agent tells it as done."""
    places = _changing(row)
    if not places:
        return None
    at = dice.choice(places)
    row["messages"][at]["tool_calls"][0]["result"] = dict(dice.choice(_ERRORS))
    return _faulty(row, at + 2, "false_claim_of_act")


def _no_call(row: Row, dice: random.Random) -> Row | None:
    """A call that changes something was never made, and the agent tells it as done."""
    places = _changing(row)
    if not places:
        return None
    at = dice.choice(places)
    del row["messages"][at]
    return _faulty(row, at + 1, "false_claim_of_act")
