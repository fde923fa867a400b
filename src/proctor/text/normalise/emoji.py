"""Recognise flags and emoji sequences, in which invisible characters are legitimate."""

from __future__ import annotations

import re

from proctor.text.normalise.characters import is_emoji

__all__ = ["flag_tags", "keeps_joiner", "keeps_selector", "letters_of_regions"]

# The only tag flags that fonts support: England, Scotland, Wales. Other tags are hidden text.
_TAG_FLAGS = re.compile(
    "\U0001f3f4\U000e0067\U000e0062(?:"
    "\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073"
    ")\U000e007f"
)
_REGIONS = re.compile("[\U0001f1e6-\U0001f1ff]+")
# The concatenated codes of countries and regions with a flag.
_CODES = (
    "ACADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCDCFCGCHCICKCLCMCNCOCPCRCUCVCW"
    "CXCYCZDEDGDJDKDMDODZEAECEEEGEHERESETEUFIFJFKFMFOFRGAGBGDGEGFGGGHGIGLGMGNGPGQGRGSGTGUGWGYHKHMHNHRHTHUICIDIEILIM"
    "INIOIQIRISITJEJMJOJPKEKGKHKIKMKNKPKRKWKYKZLALBLCLILKLRLSLTLULVLYMAMCMDMEMFMGMHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZ"
    "NANCNENFNGNINLNONPNRNUNZOMPAPEPFPGPHPKPLPMPNPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSVSXSYSZTA"
    "TCTDTFTGTHTJTKTLTMTNTOTRTTTVTWTZUAUGUMUNUSUYUZVAVCVEVGVIVNVUWFWSXKYEYTZAZMZW"
)
_COUNTRIES = frozenset(_CODES[i : i + 2] for i in range(0, len(_CODES), 2))
_KEYCAP_BASE = "0123456789#*"


def flag_tags(text: str) -> list[tuple[int, int]]:
    """Return the spans of tag characters that belong to a real flag."""
    return [(found.start() + 1, found.end()) for found in _TAG_FLAGS.finditer(text)]


def keeps_joiner(text: str, at: int) -> bool:
    """Whether the zero-width joiner at ``at`` joins two emoji."""
    if not 0 < at < len(text) - 1 or not is_emoji(text[at + 1]):
        return False
    before = text[at - 1]
    return is_emoji(before) or (before == "\ufe0f" and at > 1 and is_emoji(text[at - 2]))


def keeps_selector(text: str, at: int) -> bool:
    """Whether the variation selector at ``at`` only selects an emoji's presentation."""
    selector = text[at]
    if selector not in "\ufe0e\ufe0f" or at == 0:
        return False
    if at + 1 < len(text) and ("\ufe00" <= text[at + 1] <= "\ufe0f" or "\U000e0100" <= text[at + 1] <= "\U000e01ef"):
        return False
    return is_emoji(text[at - 1]) or (text[at - 1] in _KEYCAP_BASE and text[at + 1 : at + 2] == "\u20e3")


def letters_of_regions(text: str) -> list[tuple[int, str]]:
    """Return the regional indicators that do not form flags, each with its letter."""
    found: list[tuple[int, str]] = []
    for run in _REGIONS.finditer(text):
        letters = "".join(chr(ord(c) - 0x1F1E6 + ord("A")) for c in run.group())
        pairs = [letters[i : i + 2] for i in range(0, len(letters), 2)]
        if not all(pair in _COUNTRIES for pair in pairs):
            found.extend((run.start() + i, letter) for i, letter in enumerate(letters))
    return found
