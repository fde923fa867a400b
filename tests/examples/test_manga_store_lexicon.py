"""The words of the manga shop: its lexicon files keep what they promise, and scorers read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from proctor.config import load_config, read_environment
from proctor.lexicon.claim_conflicts import conflict
from proctor.lexicon.comparable_claims import sayings
from proctor.lexicon.match import find
from proctor.lexicon.ordinals import references
from proctor.lexicon.project_concepts import NO_CONCEPTS, concepts_in_force, use_concepts
from tests.tables import table

_FOLDER = Path(__file__).parents[2] / "examples" / "manga_store"


@pytest.fixture(autouse=True)
def _shop() -> Iterator[None]:
    load_config(_FOLDER / "proctor.yaml", read_environment(_FOLDER), start=_FOLDER)
    yield
    use_concepts(NO_CONCEPTS)


def test_examples_match_and_counterexamples_do_not() -> None:
    files = [each for many in concepts_in_force().concepts.values() for each in many]
    assert len(files) == len(list((_FOLDER / "lexicon").iterdir()))
    for file in files:
        assert file.examples
        assert file.counterexamples
        missed = [each for many in file.examples.values() for each in many if not list(find(file.concept, each))]
        wrong = [each for many in file.counterexamples.values() for each in many if list(find(file.concept, each))]
        assert not missed + wrong, (file.concept, missed, wrong)


@table(
    ("text", "index"),
    [
        ("the second manga you recommended", 1),
        ("the last series", -1),
        ("最初の作品は何巻までありますか", 0),
        ("the last name", None),
    ],
)
def test_what_the_shop_lists_is_pointed_at(text: str, index: int | None) -> None:
    assert [each.index for each in references(text)] == ([] if index is None else [index])


def test_a_series_has_one_number_of_volumes_and_a_deluxe_edition_its_own_price() -> None:
    def differ(left: str, right: str) -> bool:
        return conflict(sayings(left)[0], sayings(right)[0]) is not None

    assert differ("The story of Vinland Saga runs for 27 volumes.", "Vinland Saga contains 28 volumes.")
    assert not differ("Vinland Saga costs $9.99.", "The Vinland Saga deluxe edition costs $24.99.")
    use_concepts(NO_CONCEPTS)
    assert not differ("The story of Vinland Saga runs for 27 volumes.", "Vinland Saga contains 28 volumes.")
    assert differ("Vinland Saga costs $9.99.", "The Vinland Saga deluxe edition costs $24.99.")
