"""What holds of every step predicate: read back as written, flipped by negation, and never at a loss."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.core.chat import Message, ToolCall
from proctor.core.trajectory import Trajectory, Turn
from proctor.scorers.conversation.steps import StepPredicate, parse_steps, vocabulary
from proctor.text.predicates import PredicateError

EXAMPLES = tuple(entry.example for entry in vocabulary())
WORDS = sorted({word for example in EXAMPLES for word in example.split()})

quoted = st.text(max_size=20).map(lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"')
names = st.sampled_from(["get_booking", "answer", "write", "Search.v2", "`odd name`", "confirmation", "x*", "`with`"])
steps = st.one_of(
    names,
    quoted,
    st.builds("failed {}".format, names),
    st.builds("{} with {} > {}".format, names, quoted, st.integers(-5, 500)),
    st.builds("{} without {}".format, names, quoted),
    st.builds("{} saying {}".format, names, quoted),
    st.builds("any of {}, {}".format, names, names),
)
atoms = st.one_of(
    st.sampled_from(EXAMPLES),
    st.builds("{} before {}".format, steps, steps),
    st.builds("{} after {} in the same turn".format, steps, steps),
    st.builds("never {}".format, steps),
    st.builds("{} happens <= {} times for each {}".format, steps, st.integers(0, 9), quoted),
    st.builds("every {}: words <= {}".format, steps, st.integers(0, 9)),
)
predicates = st.recursive(
    atoms.map(lambda atom: f"({atom})"),
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("(not {})".format, inner),
        st.builds("(when {}: {})".format, inner, inner),
    ),
    max_leaves=5,
)
values = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=9), st.lists(st.integers(), max_size=2))
calls = st.builds(
    ToolCall,
    name=st.sampled_from(["get_booking", "refund", "search", "", "escalate", "Ü"]),
    arguments=st.dictionaries(st.sampled_from(["id", "amount", "reason"]), values, max_size=3),
    result=st.one_of(values, st.just('{"status": "ok"}'), st.dictionaries(st.just("status"), values)),
    error=st.sampled_from([None, None, "no"]),
)
messages = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant", "tool", "system"]),
    content=st.sampled_from(["", "yes", "complaint?", "It is done.", "\ud800", "返金"]),
    tool_calls=st.lists(calls, max_size=2).map(tuple),
)
runs = st.lists(
    st.builds(
        Turn, messages=st.lists(messages, max_size=4).map(tuple), tool_calls=st.lists(calls, max_size=2).map(tuple)
    ),
    max_size=3,
).map(lambda turns: Trajectory(turns=tuple(turns)))


def read(text: str) -> StepPredicate | None:
    try:
        return parse_steps(text)
    except PredicateError:
        return None


@settings(deadline=None)
@given(predicates)
def test_a_predicate_is_read_back_as_it_is_written(text: str) -> None:
    predicate = read(text)
    if predicate is not None:
        assert parse_steps(predicate.text) == predicate
        assert parse_steps(predicate.text).root == predicate.root


@settings(deadline=None)
@given(predicates, runs)
def test_every_conversation_gets_an_answer_and_the_opposite_gets_the_opposite(text: str, run: Trajectory) -> None:
    predicate = read(text)
    if predicate is None:
        return
    found, turned = predicate.check(run), parse_steps(f"not ({predicate.text})").check(run)
    assert found.reason
    assert turned.ok is (None if found.ok is None else not found.ok)
    assert all(step.turn < len(run.turns) for step in found.steps)


@settings(deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)))
def test_any_text_is_read_or_refused_with_a_place_in_it(text: str) -> None:
    if read(text) is None:
        with pytest.raises(PredicateError) as caught:
            parse_steps(text)
        assert 0 <= caught.value.position <= len(text)
        assert caught.value.message
