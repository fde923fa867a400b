"""Compute an upper bound on the work of a regex on a text.

Python's engine tries every way a pattern can match, and cannot be stopped once it runs. So the ways are counted
beforehand, on the parsed pattern: adjacent parts that can match the same character multiply the ways; others add to
them. The bound errs on the high side.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from re import _constants as sre  # type: ignore[attr-defined,unused-ignore]  # isort: skip
from re import _parser as parser  # type: ignore[attr-defined,unused-ignore]  # isort: skip

__all__ = ["compiled", "most_steps"]

MOST_FACTOR: Final = 10_000
MOST_POWER: Final = 6
MAX_LOOKS: Final = 120_000  # visits to parts of a pattern while its steps are counted: some tenths of a second
_LATIN: Final = tuple(map(chr, range(0x180)))
_SAMPLES: Final = (*_LATIN, *"ء٠１あア漢가😀\u2003\u3000")

Node = tuple[Any, Any]
First = tuple[Node, ...] | None  # the nodes that may match the next character; None: unknown

_ONE_CHARACTER = frozenset({sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN})
_REPEATS = frozenset({sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT})
_LOOKS = frozenset({sre.ASSERT, sre.ASSERT_NOT})


class _UnboundedError(Exception):
    """The work may exceed a small power of the text's length, or takes too long to count."""


class _Counting(threading.local):
    looks_left: int = MAX_LOOKS


_counting: Final = _Counting()


def _look() -> None:
    """Count one visit: nested groups and long alternatives are visited many times."""
    _counting.looks_left -= 1
    if _counting.looks_left < 0:
        raise _UnboundedError


class _Work(NamedTuple):
    """Ways through a sequence: ``factor`` times n to the ``power``; steps to the end: n to ``steps``."""

    factor: int
    power: int
    steps: int
    first: First


def compiled(pattern: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    """Compile the pattern.

    Raises:
        ValueError: it is not a regex; with the reason and the position.
    """
    try:
        return re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except re.error as error:
        place = f" at character {error.pos + 1}" if error.pos is not None else ""
        raise ValueError(f"{pattern!r} is not a regular expression: {error.msg}{place}") from None
    except (RecursionError, OverflowError):
        raise ValueError("the regular expression is nested too deeply or counts too far") from None


def most_steps(pattern: str, length: int, *, anywhere: bool = True) -> float:
    """Return an upper bound on the engine's steps on a text of ``length`` characters; may be infinite.

    ``anywhere`` is whether the match may begin anywhere, as in a search.
    """
    worst = _worst(pattern, anywhere)
    return math.inf if worst is None else float(worst[0] * math.comb(length + worst[1], worst[1]))


@lru_cache(maxsize=512)
def _worst(pattern: str, anywhere: bool) -> tuple[int, int] | None:
    """Return the factor and the power of the text's length; None if there is no bound. Cached."""
    _counting.looks_left = MAX_LOOKS
    try:
        return _counted(pattern, anywhere)
    except (_UnboundedError, RecursionError):
        return None


def _counted(pattern: str, anywhere: bool) -> tuple[int, int]:
    parsed = parser.parse(pattern)
    items: list[Node] = list(parsed)
    work = _walk(items, (), 0)
    power = max(1, work.steps)
    begins = bool(items) and items[0][0] is sre.AT and items[0][1] in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING)
    if anywhere and not (begins and not parsed.state.flags & re.MULTILINE):
        power = work.steps + 1
    if work.factor > MOST_FACTOR or power > MOST_POWER:
        raise _UnboundedError
    return work.factor, power


def _walk(items: Sequence[Node], follow: First, tail: int) -> _Work:
    """Return the work of a sequence, from end to beginning; ``tail`` is the power of the steps after it."""
    factor, power, steps, first = 1, 0, tail, follow
    for node in reversed(items):
        one = _node(node, first, steps)
        factor, power, steps, first = factor * one.factor, power + one.power, one.steps, one.first
    return _Work(factor, power, steps, first)


def _node(node: Node, follow: First, tail: int) -> _Work:
    _look()
    kind, value = node
    if kind in _ONE_CHARACTER:
        return _Work(1, 0, tail, (node,))
    if kind is sre.AT:
        return _Work(1, 0, tail, follow)
    if kind is sre.SUBPATTERN:
        return _walk(list(value[3]), follow, tail)
    if kind is sre.ATOMIC_GROUP:
        return _walk(list(value), follow, tail)
    if kind is sre.BRANCH:
        return _branch([list(choice) for choice in value[1]], follow, tail)
    if kind in _REPEATS:
        return _repeat(value[0], value[1], list(value[2]), follow, tail)
    if kind in _LOOKS:  # the rest is tried only after it, so no character excludes it beforehand
        inside = _walk(list(value[1]), (), 0)
        return _Work(inside.factor, 0, max(inside.steps, tail), None)
    if kind is sre.GROUPREF:
        return _Work(1, 0, max(1, tail), None)
    raise _UnboundedError


def _branch(choices: list[list[Node]], follow: First, tail: int) -> _Work:
    works = [_walk(choice, follow, tail) for choice in choices]
    firsts = [work.first for work in works]
    apart = not any(_overlap(one, other) for at, one in enumerate(firsts) for other in firsts[at + 1 :])
    factors = [work.factor for work in works]
    return _Work(
        max(factors) if apart else sum(factors),
        max(work.power for work in works),
        max(work.steps for work in works),
        _union(firsts),
    )


def _repeat(least: int, most: int, body: list[Node], follow: First, tail: int) -> _Work:
    # _END stands for the end of the body: it is among the first nodes only if the body may be empty.
    starts = _walk(body, (_END,), 0).first
    may_be_empty = starts is None or _END in starts
    first = _union([starts, follow]) if least == 0 or may_be_empty else starts
    overlap = _overlap(starts, follow)
    if most == 1:
        once = _walk(body, follow, tail)
        factor = once.factor + 1 if overlap and least == 0 else once.factor
        return _Work(factor, once.power, max(once.steps, tail), _without_end(first, follow))
    if may_be_empty:
        raise _UnboundedError
    inside = _walk(body, _union([starts, follow]), 0)
    if inside.factor > 1 or inside.power:
        return _ambiguous(least, most, inside, tail, first)
    if most > MOST_FACTOR:  # practically unbounded
        return _Work(1, int(overlap), max(1, inside.steps, tail + overlap), first)
    choices = most - least + 1 if overlap else 1
    return _Work(choices, 0, max(inside.steps, tail), first)


def _ambiguous(least: int, most: int, inside: _Work, tail: int, first: First) -> _Work:
    """Return the work of a repeat whose body is ambiguous: the ways multiply with each round."""
    if most * max(1, inside.power) > MOST_POWER:
        raise _UnboundedError
    power = inside.power * most
    return _Work(inside.factor**most * (most - least + 1), power, max(inside.steps, tail) + power, first)


# --- which characters a node may match ------------------------------------------------------------

_END: Final[Node] = ("end", None)


def _union(firsts: Iterable[First]) -> First:
    nodes: list[Node] = []
    for first in firsts:
        if first is None:
            return None
        nodes.extend(first)
    return tuple(nodes)


def _without_end(first: First, follow: First) -> First:
    """Replace the end of a body by what follows the body."""
    if first is None or _END not in first:
        return first
    return _union([tuple(node for node in first if node is not _END), follow])


def _overlap(one: First, other: First) -> bool:
    if one is None or other is None:
        return True
    return any(_share(left, right) for left in one for right in other)


def _share(left: Node, right: Node) -> bool:
    """Whether one character can match both nodes."""
    _look()
    if left is _END or right is _END:
        return False
    if sre.ANY in (left[0], right[0]):
        return True
    if left[0] is right[0] is sre.LITERAL:
        return not _cases(left[1]).isdisjoint(_cases(right[1]))
    if _sampled(*_key(left)) & _sampled(*_key(right)):
        return True
    ends = [end for end in (*_ends(left), *_ends(right)) if ord(end) >= len(_LATIN)]  # the others are among the samples
    if ends and (_has_class(left) or _has_class(right)):
        return True  # too many characters to sample: assume an overlap
    return any(_takes(left, sign) and _takes(right, sign) for sign in ends)


@lru_cache(maxsize=4096)
def _cases(code: int) -> frozenset[str]:
    """Return the character in each case."""
    return frozenset({chr(code), chr(code).lower(), chr(code).upper()})


def _key(node: Node) -> tuple[Any, Any]:
    kind, value = node
    return kind, tuple(value) if kind is sre.IN else value


@lru_cache(maxsize=4096)
def _sampled(kind: Any, value: Any) -> int:
    """Return the samples that a node matches, one bit each."""
    return sum(1 << bit for bit, sign in enumerate(_SAMPLES) if _takes((kind, value), sign))


def _ends(node: Node) -> list[str]:
    """Return the characters a node names; two ranges overlap only if one contains an end of the other."""
    kind, value = node
    if kind in (sre.LITERAL, sre.NOT_LITERAL):
        return [chr(value)]
    found = []
    for item, detail in value:
        if item is sre.LITERAL:
            found.append(chr(detail))
        elif item is sre.RANGE:
            found.extend((chr(detail[0]), chr(detail[1])))
    return found


def _has_class(node: Node) -> bool:
    return node[0] is sre.IN and any(item in (sre.CATEGORY, sre.NEGATE) for item, _ in node[1])


def _takes(node: Node, sign: str) -> bool:
    """Whether the node matches the character in any case, regardless of flags."""
    return any(_takes_exactly(node, form) for form in {sign, sign.lower(), sign.upper()} if len(form) == 1)


def _takes_exactly(node: Node, sign: str) -> bool:
    kind, value = node
    if kind is sre.LITERAL:
        return bool(ord(sign) == value)
    if kind is sre.NOT_LITERAL:
        return bool(ord(sign) != value)
    negated = value[0][0] is sre.NEGATE
    return negated != any(_in_item(item, detail, sign) for item, detail in value if item is not sre.NEGATE)


_CATEGORIES: Final[dict[Any, Callable[[str], bool]]] = {
    sre.CATEGORY_DIGIT: str.isdecimal,
    sre.CATEGORY_SPACE: str.isspace,
    sre.CATEGORY_WORD: lambda sign: sign.isalnum() or sign == "_",
    sre.CATEGORY_NOT_DIGIT: lambda sign: not sign.isdecimal(),
    sre.CATEGORY_NOT_SPACE: lambda sign: not sign.isspace(),
    sre.CATEGORY_NOT_WORD: lambda sign: not (sign.isalnum() or sign == "_"),
}


def _in_item(item: Any, detail: Any, sign: str) -> bool:
    if item is sre.LITERAL:
        return bool(ord(sign) == detail)
    if item is sre.RANGE:
        return bool(detail[0] <= ord(sign) <= detail[1])
    return _CATEGORIES[detail](sign)
