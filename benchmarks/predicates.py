"""Measures predicates: 10,000 tests × rules on one core, each family alone, reading them, and hostile texts.

Run ``python -m benchmarks.predicates``. Nothing is read from outside; the texts are made here from a seed.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence

from benchmarks.table import Row, markdown
from proctor.text.predicates import Predicate, parse, vocabulary

__all__ = ["RULES", "main", "outputs"]

PAIRS = 10_000
BOUND_S = 2.0
SEED = 5

# A prompt's worth of rules: what people ask of an answer, one of each sort.
RULES = (
    "words <= 80 and paragraphs = 1",
    "characters between 10 and 2000",
    "sentences <= 6",
    "items between 3 and 5 or items = 0",
    "emoji = 0 and links = 0 and exclamations = 0",
    'one of "World", "Sports", "Business", "Sci/Tech" ignoring case ignoring punctuation',
    'contains none "guarantee", "as an AI", "I cannot" ignoring case',
    'contains any "thou", "hath", "thee" ignoring case as words',
    'starts with "Dear", "Hello", "Hi" ignoring case',
    r"matches /\b[A-Z]{2,3}-\d{4,6}\b/",
    "is json array of strings and no duplicates",
    'json has "name", "price"',
    'json schema {"type": "object", "required": ["name"], "properties": {"price": {"type": "number"}}}',
    'tags "p" >= 3 and each "p": tags "strong" = 1 and tags "em" >= 2',
    'fields in order "Company names:", "People names:"',
    "no markdown",
    "no extra text",
    "language is en",
    "no new numbers",
    'when input contains "?": each sentence: words <= 15',
)
_WORDS = """
    the order of your refund is on its way and we will write again when it has arrived please wait three days or reply
    here with number so that someone can look into this matter because parcels from abroad take longer than those sent
    within country thank you for patience green window quiet river market evening lantern bridge harbour morning
"""
_FRENCH = "Le colis est parti ce matin et vous le recevrez dans les trois jours. " * 9
_OPENINGS = (
    "",
    "",
    "Dear Ann, ",
    "I cannot say. ",
    "Sure! ",
    _FRENCH,
    "Thou art late. ",
    "Order AB-12345: ",
    "See https://a.example 👍 ",
)
_STRESSED = (" <em>b</em>", " <em>b</em> <em>c</em>", " <em>b</em> <em>c</em>", " <em>b</em> <em>c</em> <em>d</em>")


def outputs(count: int, *, seed: int = SEED) -> Iterator[str]:
    """Answers of the usual shapes and lengths: prose, lists, JSON, HTML, labels."""
    dice = random.Random(seed)
    words = _WORDS.split()
    for _ in range(count):
        prose = dice.choice(_OPENINGS) + " ".join(_sentence(dice, words) for _ in range(dice.randint(1, 9)))
        yield dice.choice(
            (
                prose,
                f"{prose}\n\n{prose}",
                "\n".join(f"- {_sentence(dice, words)}" for _ in range(dice.randint(2, 7))),
                "".join(
                    f"<p>{_sentence(dice, words)} <strong>a</strong>{dice.choice(_STRESSED)}</p>\n" for _ in range(3)
                ),
                '{"name": "lamp", "price": %d, "note": "%s"}' % (dice.randint(1, 99), prose),  # noqa: UP031
                '["alpha", "beta", "%s"]' % dice.choice(words),  # noqa: UP031
                f"Company names: {dice.choice(words)}\nPeople names: {dice.choice(words)}",
                dice.choice(("World", "Sports.", "business", "**Sci/Tech**")),
            )
        )


def _sentence(dice: random.Random, words: Sequence[str]) -> str:
    return " ".join(dice.choices(words, k=dice.randint(5, 18))).capitalize() + dice.choice(".!?..")


def checking(rules: Sequence[Predicate], texts: Sequence[str]) -> float:
    """Seconds of processor time to check every rule on every text."""
    inputs = {"question": "Where is order AB-12345 of 3 May?"}
    begin = time.process_time()
    for text in texts:
        for rule in rules:
            rule.check(text, inputs)
    return time.process_time() - begin


def main() -> None:
    begin = time.process_time()
    rules = [parse(text) for text in RULES]
    reading = time.process_time() - begin
    texts = list(outputs(PAIRS // len(rules)))
    spent = checking(rules, texts)
    figures = {"Proctor": f"{spent:.2f} s"}
    rows = [
        Row(measure=f"{PAIRS:,} tests × rules", bound=f"< {BOUND_S:.0f} s", kept=spent < BOUND_S, figures=figures),
        Row(measure="one check, mean", bound="", kept=None, figures={"Proctor": f"{spent / PAIRS * 1e6:.0f} µs"}),
        Row(measure=f"reading {len(RULES)} rules", bound="", kept=None, figures={"Proctor": f"{reading * 1e3:.1f} ms"}),
    ]
    print(markdown(rows, ["Proctor"]))
    print("\n| family | µs a check, slowest form | form |\n|---|---|---|")
    for family, micro, form in _families(texts[:200]):
        print(f"| {family} | {micro:.0f} | `{form}` |")
    print("\n| hostile text | seconds, slowest form | form |\n|---|---|---|")
    for name, seconds, form in _hostile():
        print(f"| {name} | {seconds:.2f} | `{form}` |")


def _families(texts: Sequence[str]) -> Iterator[tuple[str, float, str]]:
    slowest: dict[str, tuple[float, str]] = {}
    for entry in vocabulary():
        micro = checking([parse(entry.example)], texts) / len(texts) * 1e6
        slowest[entry.family] = max(slowest.get(entry.family, (0.0, "")), (micro, entry.example))
    for family, (micro, form) in slowest.items():
        yield family, micro, form


def _hostile() -> Iterator[tuple[str, float, str]]:
    texts = {
        "150,000 full stops": "." * 150_000 + "x",
        "150,000 opening brackets": "[" * 150_000,
        "50,000 open tags": "<p>" * 50_000,
        "10 MB of words": "word " * 2_000_000,
        "60,000 blank lines": "\n \t" * 60_000,
        "20,000 digits and signs": "1,2.3-" * 20_000,
    }
    for name, text in texts.items():
        slowest = (0.0, "")
        for entry in vocabulary():
            begin = time.process_time()
            parse(entry.example).check(text, {"text": text, "language": text})
            slowest = max(slowest, (time.process_time() - begin, entry.example))
        yield name, *slowest


if __name__ == "__main__":
    main()
