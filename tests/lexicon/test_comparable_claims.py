from __future__ import annotations

from proctor.lexicon.comparable_claims import sayings


def test_a_statement_without_a_name_is_about_what_was_named_before() -> None:
    first, second = sayings("It has 23 volumes. We also have Spy×Family in stock.", about="How long is Demon Slayer?")
    assert first.names == {"demon", "slayer"}
    assert first.own == frozenset()
    assert second.own == second.names == {"spy×family"}


def test_items_of_lists_and_labels_are_marked() -> None:
    made = sayings("We have two:\n- Berserk, 41 volumes\n- Monster, 18 volumes\nPrice: $9.99\nBoth are in stock.")
    assert [each.listed for each in made] == [True, True, True, False]


def test_words_of_the_conversation_and_changes_are_marked() -> None:
    asked, done, fact = sayings("You want to cancel it. Order B-1001 has been cancelled. Returns take 15 days.")
    assert asked.process
    assert done.changed
    assert not fact.process
    assert not fact.changed
    assert fact.quantities
