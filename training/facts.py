"""Composes pairs about facts of everyday services: the same in other words, a twin that contradicts it, one left open.

Prices, fees, lengths of time, limits, opening hours, dates, what counts per person, what is allowed, conditions, days
of the week, order and stock, in nine languages (``fact_words``) and across two of them. Sentences are drawn from a
grammar with values, so no two runs of a kind share their numbers; every fifth wording of a kind is kept out of
training and used only when ``held`` is asked for.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from training.fact_words import DAYS, LENGTHS, MONTHS, NUMBERS, TENS, TONGUES, WORDS

__all__ = ["KINDS", "Said", "compose", "number_forms", "time_forms"]

Fact = tuple[
    Callable[["Said"], str], list[tuple[str, Callable[["Said"], str]]]
]  # a source, and claims with their label

SIGNS: dict[str, list[tuple[str, ...]]] = {
    "en": [("${n}", "{n} dollars", "{n} USD"), ("£{n}", "{n} pounds"), ("€{n}", "{n} euros"), ("¥{n}", "{n} yen")],
    "de": [("{n} €", "{n} Euro", "{n},00 Euro"), ("{n} CHF", "{n} Franken")],
    "fr": [("{n} €", "{n} euros", "{n},00 €"), ("{n} CHF", "{n} francs")],
    "es": [("{n} €", "{n} euros", "{n},00 euros"), ("{n} MXN", "{n} pesos")],
    "it": [("{n} €", "{n} euro", "{n},00 euro")],
    "pt": [("{n} €", "{n} euros"), ("R$ {n}", "{n} reais", "R$ {n},00")],
    "ru": [("{n} ₽", "{n} руб.", "{n} рублей"), ("{n} €", "{n} евро")],
    "ja": [("{n}円", "¥{n}", "{n} 円"), ("{n}ドル", "${n}")],
    "zh": [("{n}元", "¥{n}", "{n}块钱", "{n}元人民币"), ("{n}美元", "${n}")],
}
CURRENCY = {"en": 3, "ja": 0}  # the sign both languages of a crossed pair share: yen


class Said:
    """Says things in one language: picks a wording, not the one of the call before, and fills its slots."""

    def __init__(self, tongue: str, dice: random.Random, held: bool) -> None:
        self.tongue, self.dice, self.held = tongue, dice, held
        self.words = WORDS[tongue]
        self.before: dict[str, str] = {}

    def __call__(self, kind: str, **slots: Any) -> str:
        """A sentence of that kind."""
        forms = self.words[kind]
        if len(forms) > 4:  # the last of five wordings is held out
            kept = [f for i, f in enumerate(forms) if (i % 5 == 4) == self.held] if not self.held else forms
            forms = kept or forms
        others = [f for f in forms if f != self.before.get(kind)] or forms
        form = self.dice.choice(others)
        self.before[kind] = form
        found = form
        for slot, value in slots.items():
            found = found.replace("{" + slot + "}", str(value)).replace("{" + slot.upper() + "}", _upper(str(value)))
        return _upper(found)

    def money(self, amount: int, sign: int) -> str:
        """An amount in one of its forms."""
        forms = SIGNS[self.tongue][sign % len(SIGNS[self.tongue])]
        form = self.dice.choice(forms)
        if form.endswith(("{n} dollars", "pounds", "euros", "yen", "Euro", "euro", "pesos", "reais")):
            return form.replace("{n}", self.dice.choice(number_forms(self.tongue, amount)))
        return form.replace("{n}", _grouped(self.tongue, amount, self.dice))

    def length(self, row: int) -> str:
        """A length of time in one of its forms."""
        return self.dice.choice(LENGTHS[self.tongue][row][1])

    def number(self, number: int) -> str:
        """A number in digits or in words."""
        return self.dice.choice(number_forms(self.tongue, number))

    def time(self, hour: int, half: bool = False) -> str:
        """A time of day."""
        return self.dice.choice(time_forms(self.tongue, hour, half))

    def day(self, day: date) -> str:
        """A date."""
        return self.dice.choice(_dates(self.tongue, day))


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _grouped(tongue: str, number: int, dice: random.Random) -> str:
    if number < 1000 or dice.random() < 0.3:
        return str(number)
    mark = {"en": ",", "ja": ",", "zh": ",", "de": ".", "es": ".", "it": ".", "pt": "."}.get(tongue, " ")
    return f"{number:,}".replace(",", mark)


def number_forms(tongue: str, number: int) -> list[str]:
    """A number in digits, and in words where these are few."""
    found = [str(number)]
    if 1 < number <= 20:
        found.append(NUMBERS[tongue][number - 1])
    elif number in range(30, 101, 10):
        word = TENS[tongue][number // 10 - 3]
        found.append(f"a {word}" if word == "hundred" else word)
    return found


def time_forms(tongue: str, hour: int, half: bool = False) -> list[str]:
    """A whole or half hour as clocks and people say it."""
    minutes = "30" if half else "00"
    small = hour % 12 or 12
    word = NUMBERS[tongue][small - 1]
    clock = f"{hour}:{minutes}"
    early = hour < 12
    if tongue == "en":
        said = f"half past {word}" if half else word
        part = "in the morning" if early else "in the afternoon" if hour < 18 else "in the evening"
        return [clock, f"{small}{':30' if half else ''} {'am' if early else 'pm'}", f"{said} {part}"]
    if tongue == "de":
        part = "morgens" if early else "nachmittags" if hour < 18 else "abends"
        said = f"halb {NUMBERS[tongue][small % 12]}" if half else f"{small} Uhr"
        return [f"{clock} Uhr", f"{hour}{' Uhr 30' if half else ' Uhr'}", f"{said} {part}"]
    if tongue == "fr":
        part = "du matin" if early else "de l'après-midi" if hour < 18 else "du soir"
        one = "une" if small == 1 else word
        return [
            f"{hour}h{minutes}",
            f"{hour} h{' 30' if half else ''}",
            f"{one} heure{'s' if small > 1 else ''}{' et demie' if half else ''} {part}",
        ]
    if tongue in ("es", "pt", "it"):
        part = {
            "es": ("de la mañana", "de la tarde", "de la noche"), "pt": ("da manhã", "da tarde", "da noite"),
            "it": ("di mattina", "del pomeriggio", "di sera"),
        }[tongue][0 if early else 1 if hour < 18 else 2]  # fmt: skip
        one = {"es": "una", "pt": "uma", "it": "una"}[tongue] if small == 1 else word
        tail = {"es": " y media", "pt": " e meia", "it": " e mezza"}[tongue] if half else ""
        return [clock, f"{one}{tail} {part}"]
    if tongue == "ru":
        return [clock, f"{hour}:{minutes}"]
    part = ("午前" if early else "午後") if tongue == "ja" else ("上午" if early else "下午" if hour < 18 else "晚上")
    mark = "時" if tongue == "ja" else "点"
    tail = "半" if half else ""
    return [clock, f"{hour}{mark}{tail}", f"{part}{small}{mark}{tail}"]


def _dates(tongue: str, day: date) -> list[str]:
    month, number, year = MONTHS[tongue][day.month - 1], day.day, day.year
    if tongue == "en":
        return [f"{number} {month} {year}", f"{month} {number}, {year}", day.isoformat()]
    if tongue in ("ja", "zh"):
        return [f"{year}年{month}{number}日", f"{year}/{day.month}/{number}"]
    if tongue == "de":
        return [f"{number}. {month} {year}", f"{number:02}.{day.month:02}.{year}"]
    if tongue == "ru":
        return [f"{number} {month} {year} года", f"{number:02}.{day.month:02}.{year}"]
    of = " de " if tongue in ("es", "pt") else " "
    return [f"{number}{of}{month}{of}{year}", f"{number:02}/{day.month:02}/{year}"]


def _noun(said: Said, kind: str, at: int) -> str:
    return str(said.words[kind][at % len(said.words[kind])])


def _amount(dice: random.Random, sign: int) -> int:
    if sign == 3:
        return dice.choice([dice.randint(2, 99) * 10, dice.randint(5, 90) * 100 + 80, dice.randint(1, 30) * 110])
    return dice.choice([dice.randint(2, 20), dice.randint(2, 20), dice.randint(3, 10) * 10, dice.randint(21, 2500)])


def _other(dice: random.Random, number: int) -> int:
    """Another number, often a near one."""
    near = [number + 1, number - 1, number * 2, number + 5, number * 10, number + 10, max(2, number // 2), number + 2]
    return dice.choice([n for n in near if n != number and n > 1])


def price(dice: random.Random) -> Fact:
    """What something costs."""
    x, sign = dice.randrange(22), dice.randrange(4)
    m = _amount(dice, sign)
    wrong, elsewhere = _other(dice, m), (x + dice.randint(1, 21)) % 22

    def at(amount: int, noun: int = x) -> Callable[[Said], str]:
        return lambda s: s("price", x=_noun(s, "fee", noun), m=s.money(amount, sign))

    claims = [
        ("entailment", at(m)),
        ("contradiction", at(wrong)),
        ("neutral", at(m, elsewhere)),
        ("neutral", lambda s: s("neutral", x=_noun(s, "fee", x))),
        ("contradiction", lambda s: s("free", x=_noun(s, "fee", x))),
        ("entailment", lambda s: s("paid", x=_noun(s, "fee", x))),
    ]
    return at(m), claims


def free(dice: random.Random) -> Fact:
    """What costs nothing, or something."""
    x = dice.randrange(22)
    other = (x + dice.randint(1, 21)) % 22
    one, two = ("free", "paid") if dice.random() < 0.6 else ("paid", "free")
    sign = dice.randrange(4)
    m = _amount(dice, sign)
    claims = [
        ("entailment", lambda s: s(one, x=_noun(s, "fee", x))),
        ("contradiction", lambda s: s(two, x=_noun(s, "fee", x))),
        ("neutral", lambda s: s(one, x=_noun(s, "fee", other))),
        ("neutral", lambda s: s("neutral", x=_noun(s, "fee", x))),
        (
            "contradiction" if one == "free" else "neutral",
            lambda s: s("price", x=_noun(s, "fee", x), m=s.money(m, sign)),
        ),
    ]
    return (lambda s: s(one, x=_noun(s, "fee", x))), claims


def length(dice: random.Random) -> Fact:
    """How long something lasts."""
    x, row = dice.randrange(14), dice.randrange(23)
    wrong = dice.choice([r for r in range(max(0, row - 4), min(23, row + 5)) if r != row])

    def at(r: int, noun: int = x) -> Callable[[Said], str]:
        return lambda s: s("lasts", x=_noun(s, "last", noun), d=s.length(r))

    return at(row), [
        ("entailment", at(row)),
        ("entailment", at(row)),
        ("contradiction", at(wrong)),
        ("neutral", at(row, (x + dice.randint(1, 13)) % 14)),
    ]


def limit(dice: random.Random) -> Fact:
    """How many fit."""
    n = dice.choice([*range(3, 21), 30, 40, 50, 60, 80, 100])
    fewer, more = dice.randint(2, n - 1), n + dice.choice([1, 2, 3, 5, 10, 20])
    wrong = _other(dice, n)
    return (lambda s: s("max", n=s.number(n))), [
        ("entailment", lambda s: s("max", n=s.number(n))),
        ("contradiction", lambda s: s("max", n=s.number(wrong))),
        ("entailment", lambda s: s("may", n=s.number(fewer))),
        ("contradiction", lambda s: s("may", n=s.number(more))),
        ("entailment", lambda s: s("maynot", n=s.number(more))),
        ("contradiction", lambda s: s("maynot", n=s.number(fewer))),
        ("neutral", lambda s: s("price", x=_noun(s, "fee", fewer), m=s.money(n, 0))),
    ]


def hours(dice: random.Random) -> Fact:
    """From when to when."""
    start, stop = dice.randint(6, 11), dice.randint(15, 22)
    half = dice.random() < 0.3
    inside, outside = dice.randint(start + 1, stop - 1), dice.choice([start - 1, start - 2, stop + 1])
    other = dice.choice([h for h in (start - 1, start + 1, start + 2) if h > 4])
    late = dice.choice([stop - 2, stop - 1, stop + 1])
    return (lambda s: s("hours", t=s.time(start, half), u=s.time(stop, half))), [
        ("entailment", lambda s: s("openat", t=s.time(inside))),
        ("contradiction", lambda s: s("closedat", t=s.time(inside))),
        ("contradiction", lambda s: s("openat", t=s.time(outside))),
        ("entailment", lambda s: s("closedat", t=s.time(outside))),
        ("entailment", lambda s: s("opens", t=s.time(start, half))),
        ("contradiction", lambda s: s("opens", t=s.time(other, half))),
        ("entailment", lambda s: s("closes", t=s.time(stop, half))),
        ("contradiction", lambda s: s("closes", t=s.time(late, half))),
        ("entailment", lambda s: s("hours", t=s.time(start, half), u=s.time(stop, half))),
    ]


def until(dice: random.Random) -> Fact:
    """Until which day."""
    last = date(2025, 1, 1) + timedelta(days=dice.randrange(900))
    before, after = last - timedelta(days=dice.randint(1, 40)), last + timedelta(days=dice.randint(1, 40))
    return (lambda s: s("until", c=s.day(last))), [
        ("entailment", lambda s: s("until", c=s.day(last))),
        ("contradiction", lambda s: s("until", c=s.day(dice.choice([before, after])))),
        ("entailment", lambda s: s("stillon", c=s.day(dice.choice([before, last])))),
        ("contradiction", lambda s: s("stillon", c=s.day(after))),
        ("entailment", lambda s: s("notanymore", c=s.day(after))),
        ("contradiction", lambda s: s("notanymore", c=s.day(before))),
    ]


def per(dice: random.Random) -> Fact:
    """For each person, or for all together."""
    x, sign = dice.randrange(22), dice.randrange(4)
    m = _amount(dice, sign)
    one, two = ("perp", "perb") if dice.random() < 0.5 else ("perb", "perp")
    both = 2 * m if one == "perp" else m
    wrong = m if one == "perp" else 2 * m
    return (lambda s: s(one, x=_noun(s, "fee", x), m=s.money(m, sign))), [
        ("entailment", lambda s: s(one, x=_noun(s, "fee", x), m=s.money(m, sign))),
        ("contradiction", lambda s: s(two, x=_noun(s, "fee", x), m=s.money(m, sign))),
        ("entailment", lambda s: s("two", x=_noun(s, "fee", x), m=s.money(both, sign))),
        ("contradiction", lambda s: s("two", x=_noun(s, "fee", x), m=s.money(wrong, sign))),
        ("contradiction", lambda s: s("free", x=_noun(s, "fee", x))),
    ]


def allowed(dice: random.Random) -> Fact:
    """What may be done."""
    a = dice.randrange(16)
    one, two = ("allow", "forbid") if dice.random() < 0.5 else ("forbid", "allow")
    other = (a + dice.randint(1, 15)) % 16
    return (lambda s: s(one, a=_noun(s, "act", a))), [
        ("entailment", lambda s: s(one, a=_noun(s, "act", a))),
        ("contradiction", lambda s: s(two, a=_noun(s, "act", a))),
        ("neutral", lambda s: s(one, a=_noun(s, "act", other))),
    ]


def condition(dice: random.Random) -> Fact:
    """Free for some, or only in time."""
    if dice.random() < 0.4:
        row = dice.randrange(6, 18)
        wrong = dice.choice([r for r in range(4, 20) if r != row])
        return (lambda s: s("within", d=s.length(row))), [
            ("entailment", lambda s: s("within", d=s.length(row))),
            ("contradiction", lambda s: s("always")),
            ("contradiction", lambda s: s("never", d=s.length(row))),
            ("contradiction", lambda s: s("within", d=s.length(wrong))),
        ]
    x, g, sign = dice.randrange(22), dice.randrange(5), dice.randrange(4)
    m = _amount(dice, sign)
    wrong_m, other = _other(dice, m), (g + dice.randint(1, 4)) % 5

    def slots(s: Said, amount: int = m, group: int = g) -> dict[str, str]:
        return {"x": _noun(s, "fee", x), "g": _noun(s, "who", group), "m": s.money(amount, sign)}

    return (lambda s: s("cond", **slots(s))), [
        ("entailment", lambda s: s("freeg", **slots(s))),
        ("contradiction", lambda s: s("paidg", **slots(s))),
        ("contradiction", lambda s: s("freeall", **slots(s))),
        ("entailment", lambda s: s("otherspay", **slots(s))),
        ("contradiction", lambda s: s("otherspay", **slots(s, wrong_m))),
        ("contradiction", lambda s: s("freeg", **slots(s, m, other))),
        ("contradiction", lambda s: s("free", x=_noun(s, "fee", x))),
        ("contradiction", lambda s: s("price", x=_noun(s, "fee", x), m=s.money(wrong_m, sign))),
    ]


def days(dice: random.Random) -> Fact:
    """Every day but one."""
    w, other = dice.sample(range(7), 2)
    return (lambda s: s("closed", w=DAYS[s.tongue][w])), [
        ("entailment", lambda s: s("closedon", w=DAYS[s.tongue][w])),
        ("contradiction", lambda s: s("openon", w=DAYS[s.tongue][w])),
        ("entailment", lambda s: s("openon", w=DAYS[s.tongue][other])),
        ("contradiction", lambda s: s("closedon", w=DAYS[s.tongue][other])),
        ("contradiction", lambda s: s("closed", w=DAYS[s.tongue][other])),
        ("entailment", lambda s: s("closed", w=DAYS[s.tongue][w])),
    ]


def order(dice: random.Random) -> Fact:
    """What comes first."""
    a, b, c = dice.sample(range(6), 3)

    def at(one: int, two: int) -> Callable[[Said], str]:
        return lambda s: s("order", a=_noun(s, "steps", one), b=_noun(s, "steps", two))

    return at(a, b), [("entailment", at(a, b)), ("contradiction", at(b, a)), ("neutral", at(a, c))]


def stock(dice: random.Random) -> Fact:
    """What is to be had."""
    x = dice.randrange(10)
    one, two = ("avail", "soldout") if dice.random() < 0.5 else ("soldout", "avail")
    return (lambda s: s(one, x=_noun(s, "goods", x))), [
        ("entailment", lambda s: s(one, x=_noun(s, "goods", x))),
        ("contradiction", lambda s: s(two, x=_noun(s, "goods", x))),
        ("neutral", lambda s: s(one, x=_noun(s, "goods", x + 1))),
    ]


def scene(dice: random.Random) -> Fact:
    """Sentences with what follows from them and what contradicts them."""
    at = dice.randrange(10)

    def part(number: int) -> Callable[[Said], str]:
        return lambda s: str(s.words["tri"][at][number])

    first, second = dice.choice([(0, 1), (1, 0)])
    return part(first), [
        ("entailment" if first == 0 else "neutral", part(second)),
        ("contradiction", part(2)),
        ("neutral", part(3)),
    ]


def record(dice: random.Random) -> Fact:
    """Fields of a record, as a program keeps them."""
    n, sign = dice.randint(2, 20), dice.choice([0, 2])
    m, day = dice.randint(3, 2500), date(2025, 1, 1) + timedelta(days=dice.randrange(900))
    x, row, flag = dice.randrange(22), dice.randrange(23), dice.random() < 0.5
    code = {0: "USD", 2: "EUR"}[sign]
    name = "".join(dice.choice("BCDFGHKLMNPRSTVZ") for _ in range(3)) + str(dice.randint(100, 9999))

    def source(s: Said) -> str:
        kept: dict[str, Any] = {
            "id": name,
            "item": _noun(s, "fee", x),
            "amount": m,
            "currency": code,
            "until": day.isoformat(),
            "max_people": n,
            "free": False,
        }
        if flag:
            kept = {
                "offer": {"valid_until": day.isoformat()},
                "room": {"max_people": n},
                "fees": {_noun(s, "fee", x): f"{m} {code}"},
            }
        return json.dumps(kept, ensure_ascii=dice.random() < 0.1)

    euro = {"en": 2, "de": 0, "fr": 0, "es": 0, "it": 0, "pt": 0, "ru": 1}

    def cost(amount: int) -> Callable[[Said], str]:
        def said(s: Said) -> str:
            if code == "EUR" and s.tongue in euro:
                return s("price", x=_noun(s, "fee", x), m=s.money(amount, euro[s.tongue]))
            return s("price", x=_noun(s, "fee", x), m=f"{amount} {code}")

        return said

    return source, [
        ("entailment", cost(m)),
        ("contradiction", cost(_other(dice, m))),
        ("entailment", lambda s: s("until", c=s.day(day))),
        ("contradiction", lambda s: s("until", c=s.day(day + timedelta(days=dice.randint(1, 30))))),
        ("contradiction", lambda s: s("free", x=_noun(s, "fee", x))),
        ("entailment", lambda s: s("max", n=s.number(n))),
        ("contradiction", lambda s: s("max", n=s.number(_other(dice, n)))),
        ("neutral", lambda s: s("lasts", x=_noun(s, "last", x), d=s.length(row))),
    ]


KINDS: dict[str, Callable[[random.Random], Fact]] = {
    "price": price, "free": free, "length": length, "limit": limit, "hours": hours, "until": until, "per": per,
    "allowed": allowed, "condition": condition, "days": days, "order": order, "stock": stock, "scene": scene,
    "record": record,
}  # fmt: skip
SHARES = {
    "price": 3,
    "length": 3,
    "condition": 3,
    "free": 2,
    "per": 2,
    "allowed": 2,
    "scene": 2,
    "hours": 2,
    "limit": 2,
}


def _around(said: Said, dice: random.Random, kind: str, text: str) -> str:
    """The source among other sentences, as it stands on a page."""
    more = dice.choices([0, 1, 2, 3], [5, 3, 2, 1])[0]
    parts = [text]
    names = [k for k in KINDS if k not in (kind, "scene", "record") and {k, kind} not in _CLOSE]
    for name in dice.sample(names, more):
        parts.insert(dice.randint(0, len(parts)), KINDS[name](dice)[0](said))
    return ("" if said.tongue in ("ja", "zh") else " ").join(parts)


# kinds that speak of the same things: one beside the other could contradict it
_CLOSE = [{"price", "free"}, {"price", "per"}, {"price", "condition"}, {"free", "per"}, {"free", "condition"},
          {"per", "condition"}, {"hours", "days"}, {"limit", "price"}]  # fmt: skip
_MONEY = ("price", "free", "per", "condition")


def compose(most: int, seed: int = 61, held: bool = False) -> Iterator[dict[str, Any]]:
    """Pairs with label, language and kind; of each fact two to four claims."""
    dice = random.Random(seed)
    names = list(KINDS)
    weights = [SHARES.get(n, 1) for n in names]
    made = 0
    while made < most:
        kind = dice.choices(names, weights)[0]
        tongue = dice.choice(TONGUES)
        other = (
            dice.choice(TONGUES) if dice.random() < 0.12 and kind not in ("price", "per", *_MONEY, "record") else tongue
        )
        source, claims = KINDS[kind](dice)
        said, told = Said(tongue, dice, held), None
        text = source(said)
        told = said if other == tongue else Said(other, dice, held)
        # a claim that money is asked for is no longer open when another sentence says so
        premise = text if kind == "record" else _around(said, dice, kind, text)
        said.before.update({})
        by: dict[str, list[Callable[[Said], str]]] = {}
        for label, claim in claims:
            by.setdefault(label, []).append(claim)
        chosen: Sequence[tuple[str, Callable[[Said], str]]] = [(label, dice.choice(many)) for label, many in by.items()]
        for label, claim in chosen:
            if label == "neutral" and dice.random() < 0.3:
                continue
            hypothesis = claim(told)
            if hypothesis in premise and label != "entailment":
                continue
            made += 1
            yield {
                "p": premise,
                "h": hypothesis,
                "y": label,
                "src": f"facts/{kind}",
                "lang": tongue if other == tongue else f"{tongue}-{other}",
            }


def main() -> None:
    """Write ``facts.jsonl.gz`` into a folder."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("out", type=Path)
    ask.add_argument("--most", type=int, default=60000)
    ask.add_argument("--held", type=int, default=3000)
    told = ask.parse_args()
    for name, most, seed, held in (("facts", told.most, 61, False), ("facts-held", told.held, 62, True)):
        with gzip.open(told.out / f"{name}.jsonl.gz", "wt", encoding="utf-8") as out:
            for row in compose(most, seed, held):
                out.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
