from __future__ import annotations

from pathlib import Path

import pytest

from proctor.core.errors import NotFoundError
from proctor.core.event import Label
from proctor.store.labels import PROCTOR, find_subject, keep_labels, labels_of, people_said
from proctor.store.runs import RunStore


def _label(subject: str, value: str | float, by: str = "kim", note: str = "") -> Label:
    return Label(subject=subject, dimension="escalation", value=value, by=by, note=note)


def test_the_later_word_of_the_same_person_stands(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        keep_labels(store, [_label("a", "knowledge_gap"), _label("a", "explicit_request", "lee")])
        keep_labels(store, [_label("a", "policy_complexity", note="two rules"), _label("b", 0.5)])
    with RunStore(tmp_path) as store:
        found = [(each.subject, each.by, each.value, each.note) for each in labels_of(store, "escalation")]
        assert found == [
            ("a", "kim", "policy_complexity", "two rules"),
            ("a", "lee", "explicit_request", ""),
            ("b", "kim", 0.5, ""),
        ]
        assert list(labels_of(store, "tone")) == []


def test_proctors_own_word_is_kept_apart(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        keep_labels(store, [_label("a", "knowledge_gap", PROCTOR), _label("a", "explicit_request")])
        assert [each.by for each in people_said(store, "escalation")["a"]] == ["kim"]
        assert [each.by for each in labels_of(store, "escalation", subject="a")] == [PROCTOR, "kim"]


def test_a_name_may_be_cut_short_as_long_as_it_is_one(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        keep_labels(store, [_label("talk-1", "x"), _label("talk-12", "x"), _label("other", "x")])
        assert find_subject(store, "escalation", "oth") == "other"
        assert find_subject(store, "escalation", "talk-1") == "talk-1"
        with pytest.raises(NotFoundError, match="2 names begin with"):
            find_subject(store, "escalation", "talk")
        with pytest.raises(NotFoundError, match="did you mean other"):
            find_subject(store, "escalation", "othr")
