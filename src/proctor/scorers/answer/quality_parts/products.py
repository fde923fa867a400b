"""Find the products an answer mentions: by id or by title in any script, with the help of the catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Catalogue
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import last_expectation, quoted
from proctor.text.titles import candidates, mentions, texts_of, title_key

__all__ = [
    "NAME",
    "Product",
    "expected_products",
    "known_products",
    "looked_up",
    "mentioned_products",
    "names_of",
    "product_relevance",
]

NAME: Final = "product_relevance"
MOST_LOOKUPS: Final = 24
_ID = re.compile(r"(?<![\w-])(?=[A-Z0-9-]*\d)[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*\d[A-Z0-9]*(?![\w-])")
_ID_FIELD = re.compile(r"(?:^|_)(?:id|asin|sku|isbn|code|number)$", re.IGNORECASE)
_TITLE_FIELD = re.compile(
    r"(?:^|_)(?:title|name|romaji|romani[sz]ed|original|english|japanese)s?(?:_[a-z]{2,9})?$", re.IGNORECASE
)
_NOT_TITLE = re.compile(r"author|artist|publisher|file|user|customer|first_?name|last_?name|carrier", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A product: the ``key`` used to look it up, all its names, and its ``row`` of data if known."""

    key: str
    names: tuple[str, ...]
    row: Mapping[str, Any] | None = None
    live: bool = False


def names_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ids and titles of a row, whatever its column names."""
    found: list[str] = []
    for column, value in row.items():
        if _NOT_TITLE.search(str(column)):
            continue
        if _ID_FIELD.search(str(column)) or _TITLE_FIELD.search(str(column)):
            found += [text for text in texts_of(value) if 1 < len(text.strip()) <= 200]
    return tuple(dict.fromkeys(found))


def known_products(run: Trajectory) -> list[Product]:
    """Return the products found in the run: in tool results and in sources with a title."""
    found: list[Product] = []
    for call in run.tool_calls:
        for row in _rows(call.result):
            names = names_of(row)
            if len(names) > 1:
                found.append(Product(key=names[0], names=names, row=row))
    found += [
        Product(key=source.id, names=(source.id, source.title)) for source in run.sources if source.title is not None
    ]
    return found[:MOST_LOOKUPS]


def expected_products(case: Case, run: Trajectory) -> tuple[str, ...]:
    """Return the expected product ids or titles."""
    return tuple(dict.fromkeys(name for expect in last_expectation(case, run) for name in expect.products))


async def looked_up(keys: Iterable[str], run: Trajectory, catalogue: Catalogue | None) -> list[Product]:
    """Return each key with all its names: from the live catalogue, else from the run, else the key alone."""
    known = known_products(run)
    made = []
    for key in keys:
        row = await catalogue.find(key) if catalogue is not None else None
        if row is not None:
            made.append(Product(key=key, names=(key, *names_of(row)), row=row, live=True))
            continue
        wanted = title_key(key)
        same = next((one for one in known if any(title_key(name) == wanted for name in one.names)), None)
        made.append(
            Product(key=key, names=(key, *same.names), row=same.row) if same else Product(key=key, names=(key,))
        )
    return made


async def mentioned_products(
    answer: str, run: Trajectory, catalogue: Catalogue, extra: Sequence[str] = ()
) -> list[Product]:
    """Return the catalogue products that the answer names, without duplicates and in no particular order.

    Possible titles are guessed from the text; the catalogue decides which of them are real.
    """
    guesses = [name for name in extra if mentions(name, answer, most=1)]
    guesses += [match.group() for match in _ID.finditer(answer[:50_000])]
    guesses += [name for one in known_products(run) for name in one.names if mentions(name, answer, most=1)]
    guesses += [one.quote for one in candidates(answer)]
    found: list[Product] = []
    for guess in list(dict.fromkeys(guesses))[:MOST_LOOKUPS]:
        if any(mentions(guess, name, most=1) for one in found for name in one.names):
            continue
        row = await catalogue.find(guess)
        if row is not None:
            found.append(Product(key=guess, names=tuple(dict.fromkeys((guess, *names_of(row)))), row=row, live=True))
    return found


def product_relevance(products: Sequence[Product], answer: str) -> Score:
    """Return the share of the expected products that the answer names, by id or by title in any script."""
    evidence, found = [], 0
    for product in products:
        hit = next((hit for name in product.names for hit in mentions(name, answer, most=1)), None)
        if hit is not None:
            found += 1
            evidence.append(Evidence(quote=quoted(hit.quote), note=f"names {quoted(product.key, 60)}"))
        else:
            names = " / ".join(product.names[:3])
            evidence.append(Evidence(note=f"missing: {quoted(names, 120)}"))
    missing = [product.key for product in products if not any(mentions(n, answer, most=1) for n in product.names)]
    said = ", ".join(quoted(key, 60) for key in missing[:5])
    live = any(product.live for product in products)
    # Without a catalogue only the literal id can be found, not the title, so the confidence is lower.
    bare = [product for product in products if product.key in missing and len(product.names) == 1]
    return Score(
        name=NAME,
        value=found / len(products),
        reason=f"{found} of {len(products)} expected products are named" + (f"; missing: {said}" if missing else ""),
        confidence=1.0 if not bare else max(0.4, 1 - 0.6 * len(bare) / len(products)),
        producer="catalogue" if live else "rule",
        evidence=tuple(evidence[:20]),
    )


def _rows(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
        if depth < 4:
            for each in value.values():
                yield from _rows(each, depth + 1)
    elif isinstance(value, (list, tuple)) and depth < 4:
        for each in value[:50]:
            yield from _rows(each, depth + 1)
