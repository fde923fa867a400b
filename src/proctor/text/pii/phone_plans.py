"""Determine the country of a phone number, by the numbering plans of the library ``phonenumbers``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from proctor.text.lazy_pattern import Lazy
from proctor.text.script_ranges import HAN, HANGUL, KANA, THAI

__all__ = ["REGIONS", "proven", "proven_abroad", "regions_for"]

# Order in which a number without a country code is tried; countries of the text's script come first.
REGIONS: Final = ("US", "GB", "JP", "DE", "FR", "ES", "IT", "IN", "AU", "NL", "BR", "SE", "PL", "SG")
_BY_SCRIPT: Final = (
    (Lazy(f"[{KANA}]"), ("JP",)),
    (Lazy(f"[{HANGUL}]"), ("KR",)),
    (Lazy(f"[{HAN}]"), ("CN", "JP", "TW", "HK")),
    (Lazy("[\u0400-\u04ff]"), ("RU", "UA", "KZ", "BG")),
    (Lazy("[\u0600-\u06ff]"), ("SA", "AE", "EG", "IR")),
    (Lazy("[\u0900-\u0d7f]"), ("IN",)),
    (Lazy(f"[{THAI}]"), ("TH",)),
    (Lazy("[\u0370-\u03ff]"), ("GR",)),
    (Lazy("[\u0590-\u05ff]"), ("IL",)),
)
_READ: Final = 2_000  # characters used to detect the script


def regions_for(text: str, regions: Sequence[str] = REGIONS) -> tuple[str, ...]:
    """Return the countries to try for numbers in this text, those of its script first."""
    if text.isascii():
        return tuple(regions)
    head = text[:_READ]
    first = next((found for script, found in _BY_SCRIPT if script.search(head)), ())
    return tuple(dict.fromkeys((*first, *regions)))


def proven(digits: str, regions: Sequence[str]) -> str | None:
    """Return the first of these countries in which this national number is valid."""
    library = _library()
    for region in regions:
        plan = _plan(region)
        if plan is None:
            continue
        code, prefix, shape = plan
        inside = digits[len(prefix) :] if prefix and digits.startswith(prefix) else digits
        if shape.fullmatch(inside) and _valid(library, code, inside):
            return region
    return None


def proven_abroad(digits: str) -> str | None:
    """Return the country of a valid number that begins with its country code."""
    library = _library()
    codes = library.COUNTRY_CODE_TO_REGION_CODE
    for length in (1, 2, 3):
        regions = codes.get(int(digits[:length])) if digits[:length].isdigit() else None
        if regions:
            inside = digits[length:]
            plain = inside[1:] if inside.startswith("0") else inside  # +44 (0)20 …
            for national in dict.fromkeys((inside, plain)):
                if national and _valid(library, int(digits[:length]), national):
                    return str(regions[0])
    return None


def _valid(library: Any, code: int, national: str) -> bool:
    zeros = len(national) - len(national.lstrip("0"))
    number = library.PhoneNumber(
        country_code=code,
        national_number=int(national),
        italian_leading_zero=zeros > 0 or None,
        number_of_leading_zeros=zeros if zeros > 1 else None,
    )
    return bool(library.is_valid_number(number))


@lru_cache(maxsize=300)
def _plan(region: str) -> tuple[int, str, re.Pattern[str]] | None:
    """Return a country's code, its national prefix, and the pattern of its numbers."""
    plan = _library().PhoneMetadata.metadata_for_region(region, None)
    if plan is None or plan.general_desc is None or plan.country_code is None:
        return None
    return plan.country_code, plan.national_prefix or "", re.compile(plan.general_desc.national_number_pattern)


@lru_cache(maxsize=1)
def _library() -> Any:
    # The import takes 50 ms, so it happens only for a text with a possible phone number.
    import phonenumbers  # noqa: PLC0415

    return phonenumbers
