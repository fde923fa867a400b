"""Ranges of characters by script."""

from __future__ import annotations

import re
import unicodedata

from tests.tables import table

from proctor.text import script_ranges as ranges

# The names that Unicode gives the letters of a range begin with one of these words.
SCRIPTS = {
    "HIRAGANA": ("HIRAGANA",),
    "KATAKANA": ("KATAKANA", "KATAKANA-HIRAGANA"),
    "HALFWIDTH_KATAKANA": ("HALFWIDTH",),
    "HAN": ("CJK",),
    "HAN_COMPATIBILITY": ("CJK",),
    "HANGUL": ("HANGUL",),
    "THAI_LETTERS": ("THAI",),
    "UNSPACED": (
        *("THAI", "LAO", "MYANMAR", "KHMER", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HALFWIDTH"),
        *("BOPOMOFO", "CJK", "IDEOGRAPHIC", "VERTICAL"),
    ),
}


def _members(name: str) -> list[str]:
    pattern = re.compile(f"[{getattr(ranges, name)}]")
    return [letter for letter in map(chr, range(0x40000)) if pattern.match(letter) and letter.isalpha()]


@table("name", SCRIPTS)
def test_a_range_has_letters_of_its_scripts_only(name: str) -> None:
    members = _members(name)
    assert members
    strange = [each for each in members if unicodedata.name(each, "CJK").split()[0].split(",")[0] not in SCRIPTS[name]]
    assert strange == []


@table(
    ("name", "inside", "outside"),
    [
        ("KANA", "あアー・", "漢한a"),
        ("EAST_ASIAN", "あア漢한", "กaя"),
        ("UNSPACED", "あ漢々กາမក", "한aя・๕"),
        ("THAI", "ก๕", "ກ"),
        ("THAI_LETTERS", "ก", "๕"),
        ("KATAKANA", "アヺー", "あ・"),
    ],
)
def test_what_a_range_holds(name: str, inside: str, outside: str) -> None:
    members = re.compile(f"[{getattr(ranges, name)}]")
    assert [letter for letter in inside if not members.match(letter)] == []
    assert [letter for letter in outside if members.match(letter)] == []
