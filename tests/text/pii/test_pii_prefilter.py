"""The fast selection of finders is the plain one, on texts of the examples, of many languages, and of chance."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

from proctor.text.pii.find_pii import _FINDERS, _GATES
from proctor.text.pii.pii_prefilter import Needs

EXAMPLES = Path(__file__).parents[3] / "examples"
FRAGMENTS = (
    "+44 20 7946 0958", "a@b.co", "sk-abc123def456", "github_pat_aaaaaaaaaaaa", "xoxb-1234567", "Bearer abcd1234",
    "4111 1111 1111 1111", "DE89370400440532013000", "AB 12 34 56 C", "123-45-6789", "NY 10118", "Hauptstraße 12",
    "パスワードは abc", "口座 1234567", "東京都千代田区1-1", "〒100-0001", "passport no",
    '{"passportNumber": "X1234567"}',
    "A-123456", "s-123456789", "١٢٣٤٥٦٧٨", "１２３４", "İstanbul", "\u212a", "192.168.0.1", "fe80::1",
    "00:1A:2B:3C:4D:5E", "пароль", "тел 8 495 123-45-67", "contraseña", "né le 1.2.1980", "여권 M12345678", "护照",
    "card ending 1234", "****1234", "x", "12 baker street", "john at example dot com", "-----BEGIN PRIVATE KEY-----",
    "where is my order", "Ich heiße", "_id_", "\u2028", "\x1c", "\n",
)  # fmt: skip
WORD = re.compile(r"[^\W\d_]{2,}")
ROW = re.compile(r"\d(?:[ ()./-]{0,2}\d)*+")
STREETS = {"aße", "sse", "str", "weg", "atz", "lee", "amm", "fer", "aat", "aan", "cht", "gen", "tan", "vej", "ade"}


def _texts() -> list[str]:
    rng = random.Random(3)
    files = [path for path in sorted(EXAMPLES.rglob("*")) if path.suffix in (".yaml", ".md", ".jsonl", ".json")]
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    made = rng.sample(lines, min(len(lines), 1_500))
    for _ in range(1_500):
        made.append(rng.choice((" ", "", ", ", "-", "_", "\n")).join(rng.choices(FRAGMENTS, k=rng.randrange(1, 6))))
        made.append("".join(rng.choices('0123456789 -./()+ABXabcx@:=_"é', k=rng.randrange(40))))
    return [*made, "", *FRAGMENTS]


def _plainly_opened(every: Sequence[Needs], text: str) -> list[int]:
    """Try every finder's requirements, one after the other."""
    parted = re.sub("(?<=[a-z])(?=[A-Z])", " ", text) if '"' in text else text
    words = set(WORD.findall(parted.lower()))
    digits = sum(each in "0123456789" for each in text)
    row = max(map(len, ROW.findall(text)), default=0) if digits >= 4 else 0
    codes = [each for each in text.split() if len(each) >= 8 and not each.isalpha() and any(map(str.isdigit, each))]
    code = max(map(len, codes), default=0) if digits >= 4 else 0
    if digits and any(word[-3:] in STREETS for word in words):
        words.add("straße")
    return [
        number
        for number, need in enumerate(every)
        if (not need.words or need.words & words or any(each in text for each in need.written))
        and digits >= need.digits
        and row >= need.row
        and code >= need.code
        and (not need.marks or any(mark in text for mark in need.marks))
    ]


def test_the_same_finders_are_selected() -> None:
    every = [need for _, _, need in _FINDERS]
    for text in _texts():
        assert list(_GATES.opened(text)) == _plainly_opened(every, text), text


def test_texts_that_differ_in_their_digits_only_share_an_answer() -> None:
    assert not any(each.isdigit() for _, _, need in _FINDERS for mark in need.marks for each in mark)
    assert _GATES.opened("A-123456") is _GATES.opened("A-987654")
    assert _GATES.opened("A-123456") is not _GATES.opened("A-12345X")
