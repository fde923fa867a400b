from __future__ import annotations

from time import monotonic

from proctor.cli.demo_project import _VERB_SECONDS, DEMO_COMMANDS, _Steps


def test_what_is_left_is_estimated_from_the_pace_of_the_steps_before() -> None:
    lines: list[str] = []
    steps = _Steps([1.0, 3.0, 1.0], lines.append, begun=monotonic() - 20.0)  # twenty times as slow as usual
    steps.done("first")
    steps.done("second")
    steps.done("third")
    assert lines == [" 1 of 3  first, about 80 s left", " 2 of 3  second, about 5 s left", " 3 of 3  third, 20 s"]


def test_every_verb_of_the_demo_has_a_share_of_the_time() -> None:
    assert {line.split()[0] for line in DEMO_COMMANDS} == set(_VERB_SECONDS)
