"""The hypothesis profiles: `short`, which every test run uses, and `long`, which looks at four times as many examples.

Choose the long one with `--hypothesis-profile=long` or `make test PROFILE=long`.
"""

from __future__ import annotations

from hypothesis import settings

__all__ = ["examples", "register", "scaled", "seeds"]

_LONG = 100  # examples of a test that names no number: hypothesis' own default
_SHORT = 25
_FEWEST = 10
_FEWEST_SEEDS = 2


def register() -> None:
    """Register both profiles and load the short one; the option of pytest may choose the other later."""
    # No deadline: a busy machine is not a failing test.
    settings.register_profile("long", deadline=None, max_examples=_LONG)
    settings.register_profile("short", deadline=None, max_examples=_SHORT)
    settings.load_profile("short")


def examples(count: int) -> int:
    """The number of examples for a test that has ``count`` in the long profile: its share of them in the short one."""
    return min(count, max(_FEWEST, count * settings().max_examples // _LONG))


def seeds(count: int) -> range:
    """The seeds for a test that tries ``count`` of them in the long profile: its share of them in the short one."""
    return range(min(count, max(_FEWEST_SEEDS, count * settings().max_examples // _LONG)))


def scaled(size: int) -> int:
    """The size of an input that is ``size`` in the long profile: its share of it in the short one."""
    return min(size, size * settings().max_examples // _LONG)
