from __future__ import annotations

import string
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.suites.exchange.making import LABEL, SHORT, bundle

from proctor.core.case import Case
from proctor.suites.exchange.plain_files import write_csv, write_jsonl
from proctor.suites.exchange.portable import Leaf, taken_apart
from proctor.suites.load import open_suite
from proctor.text.predicates import parse


def saved(folder: Path, files: dict[str, str]) -> Path:
    (name,) = files
    path = folder / name
    path.write_bytes(files[name].encode())
    return path


def test_jsonl_is_a_suite_that_is_complete_in_itself(tmp_path: Path) -> None:
    sent = bundle()
    made = write_jsonl(sent)
    loaded = open_suite(saved(tmp_path, dict(made.files)))
    assert loaded.suite.name == "tagger"
    rules = loaded.suite.scorers[0].settings["rules"]
    assert [rule["text"] for rule in rules] == [rule.text for rule in sent.enabled]
    first, doubtful, *rest = loaded.cases()
    assert [first, *rest] == [sent.cases[0], sent.cases[2], *sent.baseline]
    assert doubtful.inputs == sent.cases[1].inputs
    assert doubtful.metadata["groundtruth"] == {"score": 0.4, "model": "m", "accepted": False}
    assert made == write_jsonl(sent)


def test_a_reference_in_doubt_is_never_written(tmp_path: Path) -> None:
    (first, *_) = bundle().cases
    doubtful = Case(
        id=first.id,
        inputs=first.inputs,
        expect=first.expect,
        metadata={"groundtruth": {"accepted": False, "score": 0.1}},
    )
    for write in (write_jsonl, write_csv):
        path = saved(tmp_path, dict(write(bundle(cases=(doubtful,), baseline=())).files))
        assert [case.expect.reference for case in open_suite(path).cases()] == [None]


def test_csv_reads_back_with_its_rules_as_checks(tmp_path: Path) -> None:
    sent = bundle()
    made = write_csv(sent)
    cases = list(open_suite(saved(tmp_path, dict(made.files))).cases())
    assert [dict(case.inputs) for case in cases] == [dict(case.inputs) for case in (*sent.cases, *sent.baseline)]
    assert [case.id for case in cases] == [case.id for case in (*sent.cases, *sent.baseline)]
    assert [case.expect.reference for case in cases] == ["NN", None, None, None]
    assert [check.scorer for check in cases[0].checks] == ["regex", "length", "judge", "judge"]
    assert any("jsonl keeps them" in note for note in made.notes)


def test_inputs_whose_names_mean_something_in_a_table_are_kept_apart(tmp_path: Path) -> None:
    inputs = {"id": "1", "tags": "a;b", "expect.facts": "x", "__expected": "y", "_odd": "z", "plain": "p"}
    sent = bundle(cases=(Case(id="c", inputs=inputs),), baseline=(), rules=(LABEL,))
    (case,) = open_suite(saved(tmp_path, dict(write_csv(sent).files))).cases()
    assert dict(case.inputs) == inputs


def test_predicates_are_taken_apart_only_where_others_mean_the_same() -> None:
    assert taken_apart("words between 3 and 5 and is json") == (Leaf(kind="words", least=3, most=5), Leaf(kind="json"))
    assert taken_apart('contains "x and y"') == (Leaf(kind="all", texts=("x and y",)),)
    assert taken_apart(SHORT.predicate or "") == (Leaf(kind="words", most=2),)
    for ours in (
        "lines = 1",
        'contains "x" as words',
        'not (contains "x")',
        'contains "x" or contains "y"',
        "words <= 3 and lines = 1",
        'when input contains "x": words <= 3',
        'one of "A" ignoring punctuation',
        "words != 3",
        'count "x" = 1',
    ):
        assert taken_apart(parse(ours).text) is None


LETTERS = string.ascii_letters + string.digits + string.punctuation + " \n語é"
texts = st.lists(st.text(LETTERS, min_size=1), min_size=1, max_size=3)


@settings(max_examples=examples(80))
@given(texts.filter(lambda each: all(text.strip() for text in each)), st.booleans())
def test_texts_come_out_of_a_predicate_as_they_went_in(given_texts: list[str], ignore_case: bool) -> None:
    quoted = ", ".join(
        '"' + t.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"' for t in given_texts
    )
    predicate = parse(f"contains any {quoted}{' ignoring case' if ignore_case else ''} and words <= 9")
    leaf = Leaf(kind="any", texts=tuple(given_texts), ignore_case=ignore_case)
    assert taken_apart(predicate.text) == (leaf, Leaf(kind="words", most=9))
