"""Characters that Python's ``re`` treats as equal if the case is ignored."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

# The engine's own tables, because no public source is exactly the same.
import _sre  # type: ignore[import-not-found]  # isort: skip
from re import _casefix  # type: ignore[attr-defined]  # isort: skip

__all__ = ["case_variants"]

_LAST_CASED: Final = 0x1FFFF  # the last code point with a case is below this


@lru_cache(maxsize=4096)
def case_variants(ranges: tuple[tuple[int, int], ...], *, ascii_only: bool = False) -> tuple[tuple[int, int], ...]:
    """Return every character that equals one in the ranges except for case, as ranges of one."""
    lowered, members = _ascii_cases() if ascii_only else _unicode_cases()
    lows = {low for code, low in lowered.items() if any(first <= code <= last for first, last in ranges)}
    alike = {each for low in lows for each in ((low,) if ascii_only else (low, *_extra(low)))}
    return tuple((code, code) for low in alike for code in members.get(low, (low,)))


def _extra(low: int) -> tuple[int, ...]:
    return tuple(_casefix._EXTRA_CASES.get(low, ()))


@cache
def _unicode_cases() -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
    """Return each cased character with its lowercase form, and each lowercase form with all its variants."""
    members: dict[int, list[int]] = {low: [low] for low in _casefix._EXTRA_CASES}
    for code in range(_LAST_CASED + 1):
        low = _sre.unicode_tolower(code)
        if low != code:
            members.setdefault(low, [low]).append(code)
    return _turned(members)


@cache
def _ascii_cases() -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
    return _turned({code: [code, code - 32] for code in range(ord("a"), ord("z") + 1)})


def _turned(members: dict[int, list[int]]) -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
    lowered = {code: low for low, codes in members.items() for code in codes}
    return lowered, {low: tuple(codes) for low, codes in members.items()}
