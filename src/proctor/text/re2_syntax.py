r"""Translate a Python regex to RE2 syntax with the same matches; reject what has no equivalent.

The pattern is parsed by Python's own parser and written node by node. Classes, cases and anchors are expanded because
RE2 reads them differently: its ``\b`` and ``\w`` are ASCII only, and its ``$`` does not match before a final newline.
Look-around is supported at the two ends of a pattern, where it becomes text beside the one group that is the match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from proctor.text.character_cases import case_variants
from proctor.text.character_classes import Ranges, digit_ranges, inverted, is_word, ranges_of, space_ranges, word_ranges

from re import _constants as sre  # type: ignore[attr-defined,unused-ignore]  # isort: skip
from re import _parser as parser  # type: ignore[attr-defined,unused-ignore]  # isort: skip

__all__ = ["Re2Pattern", "UntranslatableError", "to_re2"]

MAX_REPEAT_COUNT: Final = 1000  # RE2's limit
Node = tuple[Any, Any]


class UntranslatableError(Exception):
    """RE2 has no equivalent; the message names the construct."""


class Re2Pattern(NamedTuple):
    """A pattern for RE2: ``body`` is the match, ``before`` and ``after`` must match beside it.

    ``before`` is for a match after the first character, ``at_start`` for one that may begin with it.
    """

    body: str
    at_start: str = ""
    before: str = ""
    after: str = ""

    @property
    def looks_back(self) -> bool:
        """Whether the character before a match is read."""
        return bool(self.before)

    @property
    def first(self) -> str:
        """For a search from the start of the text; its first group is the match."""
        return f"{self.at_start}({self.body}){self.after}"

    @property
    def later(self) -> str:
        """For a match that has a character before it; the search begins at that character."""
        return f"{self.before}({self.body}){self.after}"

    @property
    def whole(self) -> str:
        """For a match of the whole text."""
        return rf"{self.at_start}\A({self.body})\z{self.after}"


def to_re2(pattern: str, flags: int = 0) -> Re2Pattern:
    """Translate the pattern to RE2 syntax.

    Raises:
        UntranslatableError: it has something that RE2 does not support.
    """
    parsed = parser.parse(pattern, flags)
    if parsed.getwidth()[0] == 0:
        raise UntranslatableError("a pattern that matches nothing at all")
    items, state = list(parsed), int(parsed.state.flags)
    at_start = before = after = ""
    if (looks := _leading(items, state)) is not None:
        (at_start, before), items = looks, items[1:]
    if (written := _trailing(items, state)) is not None:
        after, items = written, items[:-1]
    return Re2Pattern(_sequence(items, state), at_start, before, after)


def _leading(items: Sequence[Node], flags: int) -> tuple[str, str] | None:
    """Return what must precede a match: at the start of the text, and elsewhere."""
    kind, value = items[0]
    if kind is sre.AT and value is sre.AT_BOUNDARY:
        words = _category(sre.CATEGORY_WORD, flags)
        wordly = _known(_edge(items[1:], 0, flags))
        written = _class(inverted(words) if wordly else words)
        return (rf"(?:\A|{written})" if wordly else written), written
    if kind in _LOOKS and value[0] < 0:
        taken = _one_character(value[1], flags)
        written = _class(taken if kind is sre.ASSERT else inverted(taken))
        return (written if kind is sre.ASSERT else rf"(?:\A|{written})"), written
    return None


def _trailing(items: Sequence[Node], flags: int) -> str | None:
    kind, value = items[-1]
    if kind is sre.AT and value is sre.AT_BOUNDARY:
        words = _category(sre.CATEGORY_WORD, flags)
        wordly = _known(_edge(items[:-1], -1, flags))
        return rf"(?:\z|{_class(inverted(words))})" if wordly else _class(words)
    if kind is sre.AT and value is sre.AT_END and not flags & re.MULTILINE:
        return r"\n?\z"
    if kind is sre.ASSERT and value[0] > 0:
        return f"(?:{_sequence(list(value[1]), flags)})"
    if kind is sre.ASSERT_NOT and value[0] > 0:
        return rf"(?:\z|{_class(inverted(_one_character(value[1], flags)))})"
    return None


def _one_character(items: Any, flags: int) -> Ranges:
    nodes = list(items)
    if len(nodes) != 1 or nodes[0][0] not in (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY):
        raise UntranslatableError("look-around of more than one character")
    return _characters(nodes[0], flags)


def _sequence(items: Sequence[Node], flags: int) -> str:
    parts = []
    for place, node in enumerate(items):
        if node[0] is sre.AT and node[1] in (sre.AT_BOUNDARY, sre.AT_NON_BOUNDARY):
            sides = {_known(_edge(items[:place], -1, flags)), _known(_edge(items[place + 1 :], 0, flags))}
            if (len(sides) == 2) != (node[1] is sre.AT_BOUNDARY):
                raise UntranslatableError("a word boundary that never holds")
            continue
        parts.append(_node(node, flags))
    return "".join(parts)


def _node(node: Node, flags: int) -> str:
    kind, value = node
    if kind in (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY):
        return _class(_characters(node, flags))
    if kind is sre.BRANCH:
        return f"(?:{'|'.join(_sequence(list(each), flags) for each in value[1])})"
    if kind is sre.SUBPATTERN:
        return f"(?:{_sequence(list(value[3]), (flags | value[1]) & ~value[2])})"
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        least, most, body = value
        return _repeat(least, most, body, flags, lazy=kind is sre.MIN_REPEAT)
    if kind is sre.AT and value in _ANCHORS:
        return _ANCHORS[value][bool(flags & re.MULTILINE)] or _refused("`$` inside the pattern")
    return _refused(_NAMES.get(kind, "look-around inside the pattern" if kind in _LOOKS else str(kind).lower()))


def _repeat(least: int, most: int, body: Any, flags: int, *, lazy: bool) -> str:
    if body.getwidth()[0] == 0 and (least, most) != (0, 1):
        raise UntranslatableError("a repeat of what may be empty")
    endless = most is sre.MAXREPEAT
    if max(least, 0 if endless else most) > MAX_REPEAT_COUNT:
        raise UntranslatableError(f"a repeat of more than {MAX_REPEAT_COUNT}")
    times = {(0, True): "*", (1, True): "+"}.get((least, endless))
    if times is None:
        times = f"{{{least},}}" if endless else "?" if (least, most) == (0, 1) else f"{{{least},{most}}}"
    return f"(?:{_sequence(list(body), flags)}){times}{'?' if lazy else ''}"


def _refused(what: str) -> str:
    raise UntranslatableError(what)


_LOOKS: Final = frozenset({sre.ASSERT, sre.ASSERT_NOT})
_NAMES: Final = {
    sre.GROUPREF: "a back-reference",
    sre.GROUPREF_EXISTS: "a condition",
    sre.ATOMIC_GROUP: "an atomic group",
    sre.POSSESSIVE_REPEAT: "a possessive repeat",
}
_ANCHORS: Final = {  # without MULTILINE, with it
    sre.AT_BEGINNING: (r"\A", "(?m:^)"),
    sre.AT_BEGINNING_STRING: (r"\A", r"\A"),
    sre.AT_END: ("", "(?m:$)"),
    sre.AT_END_STRING: (r"\z", r"\z"),
}


# --- characters -----------------------------------------------------------------------------------


def _characters(node: Node, flags: int) -> Ranges:
    """Return the code points that one node matches."""
    kind, value = node
    if kind is sre.ANY:
        return inverted(() if flags & re.DOTALL else ((10, 10),))
    if kind is not sre.IN:
        taken = _set([(sre.LITERAL, value)], flags)
        return inverted(taken) if kind is sre.NOT_LITERAL else taken
    negated = bool(value) and value[0][0] is sre.NEGATE
    taken = _set(value[negated:], flags)
    return inverted(taken) if negated else taken


def _set(items: Sequence[Node], flags: int) -> Ranges:
    named: list[tuple[int, int]] = []
    taken: list[tuple[int, int]] = []
    for kind, value in items:
        if kind is sre.LITERAL:
            named.append((value, value))
        elif kind is sre.RANGE:
            named.append((value[0], value[1]))
        elif kind is sre.CATEGORY:
            taken += _category(value, flags)
        else:
            _refused(str(kind).lower())
    if flags & re.IGNORECASE:
        taken += case_variants(tuple(named), ascii_only=bool(flags & re.ASCII))
    return ranges_of([*named, *taken])


def _category(kind: Any, flags: int) -> Ranges:
    name, negated = _CATEGORIES[kind]
    ranges = name(bool(flags & re.ASCII))
    return inverted(ranges) if negated else ranges


_CATEGORIES: Final[dict[Any, tuple[Callable[[bool], Ranges], bool]]] = {
    sre.CATEGORY_DIGIT: (digit_ranges, False),
    sre.CATEGORY_SPACE: (space_ranges, False),
    sre.CATEGORY_WORD: (word_ranges, False),
    sre.CATEGORY_NOT_DIGIT: (digit_ranges, True),
    sre.CATEGORY_NOT_SPACE: (space_ranges, True),
    sre.CATEGORY_NOT_WORD: (word_ranges, True),
}


def _class(ranges: Ranges) -> str:
    if not ranges:
        raise UntranslatableError("a set without a character")
    return "[" + "".join(f"\\x{{{low:x}}}-\\x{{{high:x}}}" for low, high in ranges) + "]"


# --- whether a sequence begins or ends with a word character -----------------------------------------


def _known(wordly: bool | None) -> bool:
    if wordly is None:
        raise UntranslatableError("a word boundary beside what may or may not be part of a word")
    return wordly


def _edge(items: Sequence[Node], end: int, flags: int) -> bool | None:
    """Return whether the first (``end`` 0) or last (-1) character is a word character; None if it varies."""
    if not items:
        return None
    (kind, value), rest = items[end], items[1:] if end == 0 else items[:-1]
    if kind in (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY):
        return is_word(_characters((kind, value), flags), ascii_only=bool(flags & re.ASCII))
    beside: Callable[[Any], list[Node]] = (
        (lambda inner: [*inner, *rest]) if end == 0 else (lambda inner: [*rest, *inner])
    )
    if kind is sre.SUBPATTERN:
        within = (flags | value[1]) & ~value[2]
        return _edge(beside(value[3]) if within == flags else list(value[3]), end, within)
    if kind is sre.BRANCH:
        found = {_edge(beside(each), end, flags) for each in value[1]}
        return found.pop() if len(found) == 1 else None
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        inside = _edge(beside(value[2]), end, flags)
        return inside if value[0] or inside == _edge(rest, end, flags) else None
    return None
