"""Joined claims keep the label that their parts give them."""

from training.joined_claims import joined

ROWS = [
    {"p": f"Shop {n} opens at {n}.", "h": f"Come to shop {n} from {n} on", "y": label, "lang": "en", "kind": "x"}
    for n in range(1, 8)
    for label in ("entailment", "contradiction", "neutral")
]  # fmt: skip


def test_every_claim_is_about_a_source_that_is_shown() -> None:
    rows = list(joined(ROWS))
    assert {row["y"] for row in rows} == {"entailment", "contradiction", "neutral"}
    for row in rows:
        assert row["p"].count("opens") in (2, 3)
        for claim in row["h"].split(". "):
            assert f"Shop {claim.split()[3]} opens" in row["p"]


def test_a_language_with_two_sources_has_nothing_to_join() -> None:
    few = [row for row in ROWS if row["p"] in ("Shop 1 opens at 1.", "Shop 2 opens at 2.")]
    assert list(joined(few)) == []


def test_it_repeats() -> None:
    assert list(joined(ROWS)) == list(joined(ROWS))
