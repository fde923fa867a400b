from __future__ import annotations

from proctor.core.report import Outcome
from proctor.release.changed_cases import changed_cases
from proctor.release.compare import compare
from proctor.release.measures import Baseline, CaseMeasure


def _case(name: str, outcome: Outcome, value: float | None, content: str = "") -> CaseMeasure:
    return CaseMeasure(
        case=name,
        intent="faq",
        outcome=outcome,
        value=value,
        dimensions={"relevance": value, "fluency": 0.5},
        content=content,
    )


def test_every_kind_of_change_has_its_word_and_its_place() -> None:
    before = Baseline(
        run="a",
        cases=(
            _case("broke", "pass", 0.9),
            _case("broke more", "pass", 1.0),
            _case("fell", "pass", 0.9),
            _case("gone", "pass", 1.0),
            _case("mended", "fail", 0.1),
            _case("now judged", "unscored", None),
            _case("lost its judge", "fail", 0.2),
            _case("rose", "fail", 0.1),
            _case("same", "pass", 0.9),
            _case("written anew", "pass", 0.9, content="old"),
        ),
    )
    after = Baseline(
        run="b",
        cases=(
            _case("broke", "fail", 0.3),
            _case("broke more", "fail", 0.0),
            _case("fell", "pass", 0.7),
            _case("mended", "pass", 0.9),
            _case("new", "fail", 0.0),
            _case("now judged", "pass", 0.9),
            _case("lost its judge", "unscored", None),
            _case("rose", "fail", 0.4),
            _case("same", "pass", 0.85),
            _case("written anew", "fail", 0.1, content="new"),
        ),
    )
    found = changed_cases(compare(before, after))
    assert [(each.case, each.kind) for each in found] == [
        ("broke more", "newly failing"),
        ("broke", "newly failing"),
        ("lost its judge", "no longer judged"),
        ("fell", "worse"),
        ("mended", "newly passing"),
        ("now judged", "judged now"),
        ("rose", "better"),
        ("written anew", "rewritten"),
        ("gone", "missing"),
        ("new", "added"),
    ]
    worst = found[0]
    assert (worst.figure, worst.was, worst.now, worst.difference) == ("relevance", 1.0, 0.0, -1.0)
    gone = found[-2]
    assert (gone.before, gone.after, gone.difference) == ("pass", None, None)
