"""Rows from our own templates and lists (``training/wording/entities.*``): support messages, chat, e-mails, forms."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

from training.entity_rows import Row, joined

__all__ = ["English", "Japanese", "lists", "pieced", "templated"]

WORDING = Path(__file__).parent / "wording"


@cache
def lists(lang: str) -> dict[str, list[str]]:
    """The fillers of a language, by section."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in (WORDING / f"entities.{lang}.lists.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
            found[name] = []
        elif line and not line.startswith("#"):
            found[name] += line.split("|")
    return found


def _templates(lang: str) -> tuple[list[str], list[str]]:
    """The templates with entities, and those without."""
    text = (WORDING / f"entities.{lang}.templates.txt").read_text(encoding="utf-8")
    head, _, tail = text.partition("# no entity")
    first, rest = head.splitlines()[1:], tail.splitlines()[1:]
    return [t.replace("\\n", "\n") for t in first if t], [t.replace("\\n", "\n") for t in rest if t]


def pieced(template: str) -> list[str]:
    """The template cut at its slots: text, slot, text, slot, …, text."""
    return re.split(
        r"\{(PERSON|FIRST|LAST|KANA|HALFKANA|ROMAJI|FOREIGN|PLACE|ORG|ADDRESS|POSTCODE"
        r"|order|date|product|phone|email|amount)\}", template)  # fmt: skip


SLOTS = {s: "PERSON" for s in ("PERSON", "FIRST", "LAST", "KANA", "HALFKANA", "ROMAJI", "FOREIGN")} | {
    "PLACE": "PLACE", "ORG": "ORG", "ADDRESS": "ADDRESS", "POSTCODE": "ADDRESS"}  # fmt: skip


def templated(lang: str, count: int, seed: int = 0) -> Iterator[Row]:
    """Rows made from our own templates; a fifth of them without any entity."""
    rng = random.Random(f"{lang}{seed}")
    filler: English | Japanese = English(rng) if lang == "en" else Japanese(rng)
    full, empty = _templates(lang)
    for number in range(count):
        group = empty if number % 5 == 0 else full
        chosen = [rng.choice(group)]
        if rng.random() < 0.2:  # longer messages: two or three in one
            chosen += [rng.choice(full + empty) for _ in range(rng.choice((1, 1, 2)))]
        glue = rng.choice((" ", " ", "\n")) if lang == "en" else rng.choice(("", "\n"))
        parts: list[tuple[str, str | None]] = []
        for template in chosen:
            if parts:
                parts.append((glue, None))
            for i, part in enumerate(pieced(template)):
                parts.append((filler.fill(part), SLOTS.get(part)) if i % 2 else (part, None))
        yield joined(filler.cased(parts), lang, f"template_{lang}")


def _digits(rng: random.Random, shapes: str | Sequence[str]) -> str:
    """A number of that shape, or of one of the shapes: # is a digit, % one that is not 0."""
    shape = shapes if isinstance(shapes, str) else rng.choice(shapes)
    return "".join(str(rng.randint(0, 9)) if c == "#" else str(rng.randint(1, 9)) if c == "%" else c for c in shape)


class English:
    """Fills slots in English."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.lists = rng, lists("en")

    def pick(self, name: str) -> str:
        """A filler of that list."""
        return self.rng.choice(self.lists[name])

    def fill(self, slot: str) -> str:
        """A filler for the slot."""
        made: dict[str, Callable[[], str]] = {
            "PERSON": self.person, "FIRST": lambda: self.pick("first"), "LAST": lambda: self.pick("last"),
            "ROMAJI": self.person, "KANA": self.person, "FOREIGN": self.person, "HALFKANA": self.person,
            "PLACE": lambda: self.pick("place"), "ORG": self.org, "ADDRESS": self.address, "POSTCODE": self.postcode,
            "product": lambda: self.pick("product"), "date": lambda: self.pick("date"),
            "order": lambda: _digits(self.rng, ("#%####", "%#######", "ORD-%####", "INV-2024-###")),
            "phone": lambda: _digits(self.rng, ("+44 7### ######", "(%##) ###-####", "+91 9#########")),
            "email": self.email,
            "amount": lambda: _digits(self.rng, ("$%#.99", "£%##", "€%#,50", "Rs. %###", "%# dollars")),
        }  # fmt: skip
        return made[slot]()

    def person(self) -> str:
        """A name in one of its forms."""
        first, last = self.pick("first"), self.pick("last")
        forms = [f"{first} {last}"] * 7 + [
            f"{first} {self.rng.choice('ABCDEFGHJKLMNPRST')}. {last}", f"{first[0]}. {last}", first,
            f"{first} {self.pick('first')} {last}", f"{first} {last}-{self.pick('last')}", f"{last}, {first}",
        ]  # fmt: skip
        return self.rng.choice(forms)

    def org(self) -> str:
        """A company, known or made up."""
        roll = self.rng.random()
        if roll < 0.45:
            return self.pick("org")
        if roll < 0.85:
            return f"{self.pick('orgword')} {self.pick('orgtail')}"
        if roll < 0.92:
            return f"{self.pick('last')} & {self.rng.choice((self.pick('last'), 'Sons', 'Co.', 'Partners'))}"
        return f"{self.pick('orgword')} {self.pick('orgword')} {self.pick('orgtail')}"

    def postcode(self) -> str:
        """A postcode alone."""
        return self.rng.choice((self.pick("ukpost"), _digits(self.rng, "%####"), _digits(self.rng, "%#####")))

    def address(self) -> str:
        """A postal address, whole or only its street."""
        rng, number = self.rng, str(self.rng.randint(1, 9999 if self.rng.random() < 0.4 else 199))
        street = f"{number}{rng.choice(('', '', '', 'A', 'b'))} {self.pick('street')} {self.pick('streettail')}"
        flat = rng.choice(("", "", "", f"Apt {rng.randint(1, 40)}", f"Flat {rng.randint(1, 20)}",
                           f"#{rng.randint(1, 999)}", f"Unit {rng.randint(1, 60)}",
                           f"Suite {rng.randint(100, 900)}"))  # fmt: skip
        us = [f"{self.pick('uscity')}, {self.pick('state')} {_digits(rng, '%####')}"]
        uk = [self.pick("ukcity"), self.pick("ukpost")]
        far = [
            rng.choice(
                (f"{_digits(rng, '%####')} {self.pick('place')}", f"{self.pick('place')} {_digits(rng, '%#####')}")
            )
        ]
        parts = rng.choice((
            [street, flat, *us], [street, flat, *us], [flat, street, *uk], [street, *uk], [street], [street, flat],
            [self.pick("foreignstreet"), *far], [self.pick("foreignstreet"), self.pick("place")],
            [f"PO Box {rng.randint(10, 9999)}", *rng.choice((us, uk))], [street, self.pick("place")],
        ))  # fmt: skip
        glue = rng.choice((", ", ", ", ", ", "\n", " "))
        return glue.join(part for part in parts if part)

    def email(self) -> str:
        """An address of e-mail."""
        host = self.rng.choice(("example.com", "gmail.com", "mail.co.uk"))
        return f"{self.pick('nick')}{self.rng.randint(1, 99)}@{host}"

    def cased(self, parts: list[tuple[str, str | None]]) -> list[tuple[str, str | None]]:
        """The message as people type it: sometimes all in lower case, sometimes only the names, sometimes shouted."""
        roll = self.rng.random()
        if roll < 0.2:
            return [(text.lower(), kind) for text, kind in parts]
        if roll < 0.23:
            return [(text.upper(), kind) for text, kind in parts]
        if roll < 0.32:
            return [(text.lower() if kind else text, kind) for text, kind in parts]
        return [(text.upper() if kind == "PERSON" and roll > 0.98 else text, kind) for text, kind in parts]


class Japanese:
    """Fills slots in Japanese."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.lists = rng, lists("ja")
        self.english = English(rng)

    def pick(self, name: str) -> str:
        """A filler of that list."""
        return self.rng.choice(self.lists[name])

    def fill(self, slot: str) -> str:
        """A filler for the slot."""
        made: dict[str, Callable[[], str]] = {
            "PERSON": self.person, "FIRST": lambda: self.names(0)[1], "LAST": lambda: self.names(0)[0],
            "KANA": self.kana, "HALFKANA": self.half, "ROMAJI": self.romaji, "FOREIGN": lambda: self.pick("foreign"),
            "PLACE": lambda: self.pick("place"), "ORG": self.org, "ADDRESS": self.address, "POSTCODE": self.postcode,
            "product": lambda: self.pick("product"), "date": lambda: self.pick("date"), "email": self.english.email,
            "order": lambda: _digits(self.rng, ("注文番号%#####", "#%####", "A-%####", "No.%###")),
            "phone": lambda: _digits(self.rng, ("090-####-####", "03-%###-####", "０９０ー%###ー####")),
            "amount": lambda: _digits(self.rng, ("%,###円", "%###円", "￥%#,###", "%万円")),
        }  # fmt: skip
        return made[slot]()

    def names(self, form: int) -> tuple[str, str]:
        """Last and first name: 0 as written, 1 in katakana, 2 in romaji."""
        return self.pick("last").split("/")[form], self.pick("first").split("/")[form]

    def person(self) -> str:
        """A full name in one of its forms."""
        roll = self.rng.random()
        if roll < 0.8:
            return self.rng.choice(("", "", "", " ", "　")).join(self.names(0))
        if roll < 0.86:
            return self.kana()
        if roll < 0.92:
            return self.pick("foreign")
        if roll < 0.95:
            kana = "".join(chr(ord(c) - 0x60) if "ァ" <= c <= "ヶ" else c for c in self.kana())
            return kana
        return self.romaji()

    def kana(self) -> str:
        """A name in katakana."""
        return self.rng.choice((" ", "　", "", "・")).join(self.names(1))

    def half(self) -> str:
        """A name in half-width katakana."""
        table = {unicodedata.normalize("NFKC", chr(c)): chr(c) for c in range(0xFF66, 0xFF9E)}
        marks = {"゙": "ﾞ", "゚": "ﾟ"}
        loose = unicodedata.normalize("NFD", " ".join(self.names(1)))
        return "".join(marks.get(c, table.get(c, c)) for c in loose)

    def romaji(self) -> str:
        """A name in Latin letters."""
        last, first = self.names(2)
        return self.rng.choice(
            (f"{first} {last}", f"{last} {first}", f"{first.upper()} {last.upper()}", f"{last.upper()} {first}")
        )

    def org(self) -> str:
        """A company, known or made up."""
        if self.rng.random() < 0.45:
            return self.pick("org")
        made = self.pick("orgword") + self.pick("orgkind")
        roll = self.rng.random()
        front = self.pick("orgfront")
        return (
            made
            if roll < 0.2
            else front + made
            if roll < 0.7
            else made + front
            if front in "株式会社（株）(株)㈱"
            else front + made
        )

    def postcode(self) -> str:
        """A postcode alone."""
        return _digits(self.rng, ("〒%##-####", "%##-####", "〒%######", "%######"))

    def address(self) -> str:
        """A postal address in one of its forms."""
        rng = self.rng
        a, b, c = rng.randint(1, 9), rng.randint(1, 40), rng.randint(1, 30)
        block = rng.choice((
            f"{a}-{b}-{c}", f"{a}-{b}-{c}", f"{a}丁目{b}番{c}号", f"{a}丁目{b}-{c}", f"{b}番地{c}", f"{b}番地の{a}",
            f"{a}-{b}", f"{'一二三四五六七八九'[a - 1]}丁目{b}番{c}号", f"{a}−{b}−{c}", f"{a}ー{b}ー{c}",
        ))  # fmt: skip
        if rng.random() < 0.2:
            block = "".join(chr(ord(d) + 0xFEE0) if d.isdigit() and d.isascii() else d for d in block)
        post = rng.choice(
            ("", "", _digits(rng, "〒%##-#### "), _digits(rng, "〒%##-####\n"), _digits(rng, "%##-#### "))
        )
        house = rng.choice(
            ("", "", "", " " + self.pick("building"), "　" + self.pick("building"), self.pick("building"))
        )
        pref = rng.choice((self.pick("pref"), self.pick("pref"), ""))
        return f"{post}{pref}{self.pick('city')}{self.pick('town')}{block}{house}"

    def cased(self, parts: list[tuple[str, str | None]]) -> list[tuple[str, str | None]]:
        """The message as it is: Japanese has no case."""
        return parts
