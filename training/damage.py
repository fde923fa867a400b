"""Breaks fluent texts in the ways that answers break: order, agreement, missing words, woven, cut, repeated, garbled.

Every function returns the new text and the spans that are wrong in it. Words are what stands between blanks; where a
script has none, the pieces of the tokenizer.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

__all__ = ["KINDS", "Broken", "broken", "words_of"]

KINDS = ("fluent", "order", "grammar", "woven", "cut", "garbled", "repeated")
Broken = tuple[str, list[tuple[int, int]]]
_NO_BLANKS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_END = re.compile(r"[.!?。！？؟…]+[\"'”»)\]]*$")
_TOKENS = ("</s>", "<|endoftext|>", "[INST]", "<unk>", "&nbsp;", "<br/>", "\\n\\n", "{{name}}", "###", "�", "[MASK]",
           "<div>", "null", "undefined", "%s", "&amp;quot;")  # fmt: skip


def words_of(text: str, offsets: Sequence[tuple[int, int]]) -> list[str]:
    """Return the text as words, each with the blank before it; together they are the text."""
    starts = sorted({0, *(m.start() for m in re.finditer(r"\s+\S", text))})
    if _NO_BLANKS.search(text):
        starts = sorted({*starts, *(a for a, _ in offsets if _NO_BLANKS.match(text[a : a + 1] or " "))})
    return [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True) if a < b]


def broken(
    kind: str, words: list[str], dice: random.Random, others: Sequence[list[str]], forms: Callable[[str], Sequence[str]]
) -> Broken | None:
    """Return the text broken in that way; None where it cannot be."""
    if kind == "order":
        return _order(words, dice)
    if kind == "grammar":
        return _grammar(words, dice, others, forms)
    if kind == "woven":
        return _woven(words, dice, others)
    if kind == "cut":
        return _cut(words, dice)
    if kind == "garbled":
        return _garbled(words, dice)
    return _repeated(words, dice)


def _joined(words: Sequence[tuple[str, bool]]) -> Broken:
    """Put words together again, each with its blank, and mark the wrong ones."""
    text, spans, is_first = "", list[tuple[int, int]](), True
    for word, is_wrong in words:
        shown = word.lstrip() if is_first else word
        start = len(text) + len(shown) - len(shown.lstrip())
        text += shown
        if is_wrong and len(text) > start:
            spans.append((start, len(text)))
        is_first = False
    return text, spans


def _blank(word: str) -> str:
    return word[: len(word) - len(word.lstrip())]


def _swapped(words: list[str], order: Sequence[int]) -> list[tuple[str, bool]]:
    """Return the words in another order; the blanks stay where they were."""
    return [(_blank(words[i]) + words[j].strip(), i != j) for i, j in enumerate(order)]


def _order(words: list[str], dice: random.Random) -> Broken | None:
    n = len(words)
    if n < 4:
        return None
    order = list(range(n))
    if dice.random() < 0.6:
        dice.shuffle(order)
    else:  # in windows
        width = dice.randint(3, 6)
        for start in range(0, n, width):
            part = order[start : start + width]
            dice.shuffle(part)
            order[start : start + width] = part
    if sum(i != j for i, j in enumerate(order)) < n / 3:
        return None
    return _joined(_swapped(words, order))


def _grammar(
    words: list[str], dice: random.Random, others: Sequence[list[str]], forms: Callable[[str], Sequence[str]]
) -> Broken | None:
    n = len(words)
    if n < 4:
        return None
    made = [(word, False) for word in words]
    for _ in range(dice.randint(1, max(1, n // 5))):
        made = _edited(made, dice, others, forms)
    return _joined(made) if any(wrong for _, wrong in made) else None


def _edited(
    made: list[tuple[str, bool]],
    dice: random.Random,
    others: Sequence[list[str]],
    forms: Callable[[str], Sequence[str]],
) -> list[tuple[str, bool]]:
    n, draw = len(made), dice.random()
    at = dice.randrange(n)
    word = made[at][0]
    if draw < 0.4:  # another form of the same word
        places = list(range(n))
        dice.shuffle(places)
        for place in places[:8]:
            found = forms(made[place][0].strip())
            if found:
                made = list(made)
                made[place] = (_blank(made[place][0]) + dice.choice(found), True)
                return made
    if draw < 0.6 and n > 4:  # a missing word, short ones first: they carry the grammar
        places = sorted(dice.sample(range(n), min(n, 3)), key=lambda i: len(made[i][0]))
        at = places[0]
        rest = made[:at] + made[at + 1 :]
        near = min(at, len(rest) - 1)
        rest[near] = (rest[near][0], True)
        return rest
    if draw < 0.85 and n > 3:  # a word in the wrong place
        to = max(0, min(n - 1, at + dice.choice((-4, -3, -2, -1, 1, 2, 3, 4))))
        if to != at:
            order = list(range(n))
            order.insert(to, order.pop(at))
            flags = [made[j][1] or j == at for j in order]
            swapped = _swapped([each for each, _ in made], order)
            return [(text, flag) for (text, _), flag in zip(swapped, flags, strict=True)]
    if draw < 0.92:
        blank = _blank(word) or (" " if any(each.startswith(" ") for each, _ in made) else "")
        return [*made[: at + 1], (blank + word.strip(), True), *made[at + 1 :]]
    other = dice.choice(others)
    return [*made[:at], (_blank(word) + dice.choice(other).strip(), True), *made[at + 1 :]]


def _woven(words: list[str], dice: random.Random, others: Sequence[list[str]]) -> Broken | None:
    other = dice.choice(others)
    if len(words) < 5 or len(other) < 5:
        return None
    made: list[tuple[str, bool]] = []
    first, second, is_own = list(words), list(other), True
    while first and second and len(made) < 60:
        take = dice.randint(2, 4)
        part = first if is_own else second
        made += [(each if each[:1].isspace() or not made else _space(words) + each, not is_own) for each in part[:take]]
        del part[:take]
        is_own = not is_own
    return _joined(made)


def _space(words: Sequence[str]) -> str:
    return " " if any(each.startswith(" ") for each in words) else ""


def _cut(words: list[str], dice: random.Random) -> Broken | None:
    text = "".join(words).strip()
    if len(words) < 6 or not _END.search(text):
        return None
    keep = dice.randint(max(3, len(words) * 2 // 5), len(words) - 2)
    made = "".join(words[:keep]).strip()
    if dice.random() < 0.35 and len(words[keep].strip()) > 4:  # in the middle of a word
        made += _blank(words[keep]) + words[keep].strip()[: dice.randint(2, len(words[keep].strip()) - 2)]
    if _END.search(made) or len(made) < 8:
        return None
    made = made.rstrip(",;:、，")
    return made, [(max(0, made.rfind(" ")), len(made))]


def _garbled(words: list[str], dice: random.Random) -> Broken | None:
    text = "".join(words).strip()
    draw = dice.random()
    if draw < 0.45 and not text.isascii():
        codec = dice.choice(("latin-1", "cp1252"))
        made = text.encode().decode(codec, "replace" if dice.random() < 0.5 else "ignore")
        return (made, [(0, len(made))]) if made != text else None
    if draw < 0.75:
        made_words = [(word, False) for word in words]
        for _ in range(dice.randint(2, 5)):
            at = dice.randrange(len(made_words) + 1)
            made_words.insert(at, (" " + dice.choice(_TOKENS), True))
        return _joined(made_words)
    letters = list(text)
    for _ in range(max(3, len(letters) // dice.randint(4, 9))):
        at = dice.randrange(len(letters))
        letters[at] = dice.choice("�□?¿§þ\\/|#@~^ÃÂâ€")
    made = "".join(letters)
    return made, [(0, len(made))]


def _repeated(words: list[str], dice: random.Random) -> Broken | None:
    text = "".join(words).strip()
    if len(words) < 3:
        return None
    space = _space(words)
    if dice.random() < 0.6:
        made = space.join([text] * dice.randint(2, 4)) if space or _END.search(text) else text * dice.randint(3, 4)
        return made, [(len(text), len(made))]
    start = dice.randrange(max(1, len(words) - 3))
    size = dice.randint(1, 4)
    loop = words[start : start + size]
    times = dice.randint(3, 7)
    made_words = [(w, False) for w in words[: start + size]]
    for _ in range(times):
        made_words += [((w if w[:1].isspace() or not space else space + w), True) for w in loop]
    if dice.random() < 0.5:
        made_words += [(w, False) for w in words[start + size :]]
    return _joined(made_words)
