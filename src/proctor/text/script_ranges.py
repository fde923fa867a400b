"""Ranges of characters by script, for use inside a character class: ``re.compile(f"[{KANA}{HAN}]")``."""

from __future__ import annotations

from typing import Final

__all__ = [
    "EAST_ASIAN",
    "HALFWIDTH_KATAKANA",
    "HAN",
    "HANGUL",
    "HAN_COMPATIBILITY",
    "HIRAGANA",
    "KANA",
    "KATAKANA",
    "THAI",
    "THAI_LETTERS",
    "UNSPACED",
]

HIRAGANA: Final = "\u3041-\u3096"  # letters only
KATAKANA: Final = "\u30a1-\u30fa\u30fc"  # letters and the long vowel mark
KANA: Final = "\u3040-\u30ff"  # both blocks, with their marks
HALFWIDTH_KATAKANA: Final = "\uff66-\uff9f"
HAN: Final = "\u3400-\u9fff"  # the iteration mark 々 is not among them
HAN_COMPATIBILITY: Final = "\uf900-\ufaff"
HANGUL: Final = "\uac00-\ud7af"
THAI: Final = "\u0e00-\u0e7f"
THAI_LETTERS: Final = "\u0e01-\u0e4e"  # without digits
EAST_ASIAN: Final = KANA + HAN + HANGUL

# Letters of scripts without spaces between words: Thai, Lao, Myanmar, Khmer, kana, bopomofo, Han. Korean has spaces.
UNSPACED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3"
    "\u3005-\u3007\u3031-\u3035\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
)
