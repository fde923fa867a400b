"""The clauses of prompts with their predicates: written as they are read, and cut into what they ask for."""

from __future__ import annotations

import numpy as np
from training.clauses import SCOPES, average_precision, kinds_of, masked, parts_of, without_own
from training.data import written

from proctor.text.predicates import parse


def test_every_predicate_is_canonical_and_of_the_answer_or_a_part() -> None:
    for row in written("clauses"):
        assert row["scope"] in SCOPES
        assert isinstance(row["when"], bool)
        if row["predicate"] is not None:
            assert parse(row["predicate"]).text == row["predicate"]
            assert row["scope"] in ("answer", "part"), row


def test_a_predicate_is_cut_where_and_joins_its_parts() -> None:
    assert parts_of("words between 1 and 5 and emoji = 0") == ["words between 1 and 5", "emoji = 0"]
    assert parts_of('contains " and " and (each item: words <= 3)') == ['contains " and "', "each item: words <= 3"]
    assert parts_of('starts with "a \\" and b"') == ['starts with "a \\" and b"']


def test_kinds_are_those_of_the_whole_answer() -> None:
    assert kinds_of("words <= 80 and paragraphs = 1") == {"words", "paragraphs"}
    assert kinds_of("emoji = 0 and bullets <= 4") == {"no emoji", "bullets"}
    assert kinds_of("each item: words <= 12") == set()
    assert kinds_of('is json object and json has "a"') == {"is json object", "json has"}
    assert kinds_of('not (starts with "Hi")') == {"no starts"}
    assert kinds_of(None) == set()


def test_what_a_clause_quotes_is_left_out() -> None:
    assert masked("- End with “Over and out.”") == '- End with "…"'
    assert masked("Use **`x`** or 「はい」.") == 'Use "…" or "…" .'


def test_a_row_is_judged_by_the_others() -> None:
    groups = np.repeat(np.eye(2, dtype=np.float32), 4, axis=0)
    wanted = groups[:, :1].copy()
    said = without_own(groups @ groups.T, wanted)
    assert average_precision(wanted[:, 0], said[:, 0]) == 1.0
    wanted[0] = 0.0  # one that does not go with its like
    assert without_own(groups @ groups.T, wanted)[0, 0] > 0.5
