"""How often somebody may try something."""

from __future__ import annotations

from proctor.server.pages.sign_in import AttemptLimit


def test_tries_are_counted_by_place_and_forgotten_after_the_period() -> None:
    now = [0.0]
    tries = AttemptLimit(3, 60.0, clock=lambda: now[0])
    assert [tries.take("a", "b") for _ in range(4)] == [True, True, True, False]
    assert tries.take("c")
    assert not tries.take("c", "a")
    now[0] = 61.0
    assert tries.take("a")


def test_one_that_was_given_back_does_not_count() -> None:
    tries = AttemptLimit(1, 60.0, clock=lambda: 0.0)
    for _ in range(5):
        assert tries.take("a")
        tries.give_back("a")


def test_many_made_up_names_do_not_fill_the_memory() -> None:
    tries = AttemptLimit(3, 60.0, clock=lambda: 0.0)
    for number in range(30_000):
        tries.take(f"name {number}")
    assert len(tries._made) <= 10_000
