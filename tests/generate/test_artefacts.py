"""The folder of a prompt's tests: what is written is read back, an edit is seen, and a kill leaves no halves."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.tables import table

from proctor.core.case import Case, Check, Expectation
from proctor.core.errors import InputError, MalformedError
from proctor.core.rule import Rule, Span
from proctor.generate import folder as folder_room
from proctor.generate.artefacts import (
    Artefacts,
    edited_files,
    folder_of,
    persons_files,
    read_artefacts,
    write_artefacts,
)
from proctor.generate.spec import InputSpec
from proctor.suites.load import open_suite

ONE = Rule(
    text="The answer is one word.",
    kind="format",
    source=Span(start=3, end=22, quote="Answer with a word."),
    weight=2.0,
    groundedness=1.0,
    origin="extractor",
)
INVERSE = Rule(text="The answer is several words.", polarity="negative", inverse_of=ONE.id, origin="extractor")
JUDGED = Rule(text="The answer is kind.", kind="style", origin="openai:x", locked=True)
CASE = Case(
    id="t-0123456789",
    inputs={"sentence": "It rains.\nIt pours.", "word": "#yes"},
    tags=("english",),
    metadata={"rules": [ONE.id], "strategy": "edge", "polarity": "positive", "scenario": "", "origin": "extractor"},
)
WHOLE = Artefacts(
    intent="Tags words.",
    inputs=(InputSpec(name="sentence", statements=("Any text.",), values=(1, "a", None)),),
    rules=(ONE, INVERSE, JUDGED),
    tests=(CASE,),
    baseline=(Case(id="t-b", input="hello", tags=("baseline",), metadata={"origin": "m"}),),
    provenance={"seed": 0},
)


def write(folder: Path, artefacts: Artefacts = WHOLE) -> None:
    write_artefacts(folder, artefacts, name="tags", prompt="../tags.prompty", hash="abc")


@table(
    ("name", "folder"),
    [
        ("speech-tag.prompty", "speech-tag.tests"),
        ("a.prompt.yml", "a.tests"),
        ("notes.v2.md", "notes.v2.tests"),
        (".md", ".md.tests"),
        ("plain", "plain.tests"),
    ],
)
def test_the_folder_lies_beside_its_prompt(name: str, folder: str) -> None:
    assert folder_of(Path("x") / name) == Path("x") / folder
    assert folder_of(name, "elsewhere") == Path("elsewhere")


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    write(tmp_path / "tags.tests")
    back = read_artefacts(tmp_path / "tags.tests")
    assert (back.intent, back.inputs, back.rules) == (WHOLE.intent, WHOLE.inputs, WHOLE.rules)
    assert (back.tests, back.baseline) == (WHOLE.tests, WHOLE.baseline)
    assert back.provenance["seed"] == 0
    assert edited_files(tmp_path / "tags.tests", back.provenance) == ()


def test_a_tentative_predicate_is_said_until_a_person_confirms_it(tmp_path: Path) -> None:
    write(tmp_path, replace(WHOLE, rules=(replace(ONE, predicate="words = 1", tentative=True), INVERSE, JUDGED)))
    file = tmp_path / "rules.yaml"
    assert "predicate: words = 1\n    tentative: true\n" in file.read_text()
    assert read_artefacts(tmp_path).rules[0].tentative
    file.write_text(file.read_text().replace("tentative: true", "tentative: false"))
    rule = read_artefacts(tmp_path).rules[0]
    assert (rule.is_checked, rule.origin, rule.id) == (True, ONE.origin, ONE.id)
    write(tmp_path / "again", read_artefacts(tmp_path))
    assert "tentative: false\n" in (tmp_path / "again" / "rules.yaml").read_text()
    file.write_text(
        file.read_text().replace("    predicate: words = 1\n", "").replace("tentative: false", "tentative: true")
    )
    assert read_artefacts(tmp_path).rules[0].tentative is None  # there is no predicate that could be wrong


def test_the_same_artefacts_give_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "one")
    write(tmp_path / "two", read_artefacts(tmp_path / "one"))
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_the_tests_are_a_suite_like_any_other(tmp_path: Path) -> None:
    write(tmp_path)
    loaded = open_suite(tmp_path / "tests.yaml")
    assert list(loaded.cases()) == [CASE]
    assert loaded.suite.metadata == {"prompt": "../tags.prompty", "prompt_hash": "abc"}


def test_an_empty_folder_is_an_empty_thing(tmp_path: Path) -> None:
    assert read_artefacts(tmp_path / "nothing") == Artefacts()


def test_a_part_that_is_no_more_is_removed(tmp_path: Path) -> None:
    write(tmp_path)
    write(tmp_path, Artefacts(intent="Tags words."))
    assert not (tmp_path / "baseline.yaml").exists()
    assert read_artefacts(tmp_path).tests == ()


def test_a_persons_edit_is_seen(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "rules.yaml"
    path.write_text(path.read_text().replace("disabled: false", "disabled: true", 1))
    (tmp_path / "intent.txt").unlink()
    assert edited_files(tmp_path, read_artefacts(tmp_path).provenance) == ("intent.txt", "rules.yaml")
    assert read_artefacts(tmp_path).rules[0].disabled


def test_short_forms_of_a_person_stay_short(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "tests.yaml"
    short = (
        "  - id: mine\n    input: Dog.\n    checks:\n      - contains: noun\n        weight: 2.0\n    recorded: noun\n"
    )
    path.write_text(path.read_text() + short)
    mine = read_artefacts(tmp_path).tests[-1]
    assert mine.recorded is not None
    assert [message.content for message in mine.recorded.turns[0].messages] == ["Dog.", "noun"]
    write(tmp_path, read_artefacts(tmp_path))
    assert "      - contains: noun\n        weight: 2.0\n" in path.read_text()
    assert "    recorded: noun\n" in path.read_text()
    assert read_artefacts(tmp_path).tests[-1] == mine


def test_comments_of_a_person_stay(tmp_path: Path) -> None:
    write(tmp_path)
    for file, line in (("rules.yaml", "    text: The answer is one word."), ("tests.yaml", "  - id: t-0123456789")):
        path = tmp_path / file
        path.write_text(path.read_text().replace(line, f"    # agreed with Ana\n{line}  # mine"))
    more = Rule(text="The answer is honest.", origin="extractor")
    write(tmp_path, replace(WHOLE, rules=(*WHOLE.rules, more), intent="Tags all words."))
    for file in ("rules.yaml", "tests.yaml"):
        text = (tmp_path / file).read_text()
        assert "    # agreed with Ana\n" in text
        assert "  # mine\n" in text
    back = read_artefacts(tmp_path)
    assert (back.rules, back.tests) == ((*WHOLE.rules, more), WHOLE.tests)
    assert edited_files(tmp_path, back.provenance) == ()


def test_a_file_edited_before_an_earlier_writing_is_still_a_persons(tmp_path: Path) -> None:
    write(tmp_path)
    earlier = Artefacts(provenance={"by_person": ["intent.txt", "inputs.yaml"]})
    assert persons_files(tmp_path, earlier, ["rules.yaml"]) == ("intent.txt", "inputs.yaml", "rules.yaml")
    (tmp_path / "intent.txt").unlink()
    assert persons_files(tmp_path, earlier, ["intent.txt"]) == ("inputs.yaml",)


@table("file", ["intent.txt", "inputs.yaml", "rules.yaml", "tests.yaml", "baseline.yaml", "provenance.json"])
def test_an_emptied_file_is_an_error_and_not_an_empty_part(tmp_path: Path, file: str) -> None:
    write(tmp_path)
    (tmp_path / file).write_text("")
    with pytest.raises(InputError, match=r"empty|no JSON"):
        read_artefacts(tmp_path)
    if file.endswith(".yaml"):
        (tmp_path / file).write_text("# the comments alone\n")
        with pytest.raises(InputError, match="empty"):
            read_artefacts(tmp_path)
    (tmp_path / file).unlink()
    read_artefacts(tmp_path)


def test_a_reworded_rule_keeps_its_tests_and_is_a_persons(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "rules.yaml"
    path.write_text(path.read_text().replace("The answer is one word.", "The answer is one short word."))
    back = read_artefacts(tmp_path)
    assert back.rules[0].origin == "person"
    assert back.rules[1].inverse_of == back.rules[0].id
    assert back.rules[1].origin == "extractor"
    assert back.tests[0].metadata["rules"] == [back.rules[0].id]


def test_a_person_writes_no_more_than_the_text(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("rules:\n  - text: Be brief.\n    inverse: [Be long.]\n  - Be kind.\n")
    first, opposite, second = read_artefacts(tmp_path).rules
    assert (first.text, first.origin, first.polarity) == ("Be brief.", "person", "positive")
    assert (opposite.text, opposite.polarity, opposite.inverse_of) == ("Be long.", "negative", first.id)
    assert second.text == "Be kind."


def test_a_person_writes_tests_as_in_any_suite(tmp_path: Path) -> None:
    text = "cases:\n  - hello\n  - id: 7\n    input: x\n    checks:\n      - contains: y\n      - exact\n"
    (tmp_path / "tests.yaml").write_text(text)
    tests = read_artefacts(tmp_path).tests
    assert [case.id for case in tests] == [case.id for case in open_suite(tmp_path / "tests.yaml").cases()]
    assert tests[1].checks == (Check(scorer="contains", settings={"": "y"}), Check(scorer="exact"))


@table(
    ("file", "text", "line", "word"),
    [
        ("rules.yaml", "rules:\n  - text: a\n  - weight: 1.0\n", 3, "text"),
        ("rules.yaml", "rules:\n  - text: a\n    weight: -1\n", 3, "weight"),
        ("rules.yaml", "rules:\n  - a\n  - a\n", 3, "twice"),
        ("rules.yaml", "rules: 7\n", 1, "list"),
        ("rules.yaml", "rules:\n  - text: a\n    predicate: wurds <= 3\n", 3, ""),
        ("tests.yaml", "cases:\n  - 5\n", 2, "case"),
        ("inputs.yaml", "inputs:\n  - type: string\n", 2, "name"),
        ("rules.yaml", "rules: [\n", 2, "YAML"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, file: str, text: str, line: int, word: str) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(InputError) as caught:
        read_artefacts(tmp_path)
    assert (caught.value.file, caught.value.line) == (str(tmp_path / file), line)
    assert word in str(caught.value)


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("rules:\n  - weight: x\n    text: a\n  - kind: odd\n    text: b\n")
    with pytest.raises(MalformedError) as caught:
        read_artefacts(tmp_path)
    assert [problem.line for problem in caught.value.problems] == [2, 4]


@pytest.mark.parametrize("text", ["{", "[]", "\xff"])
def test_a_provenance_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "provenance.json").write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match=r"provenance\.json"):
        read_artefacts(tmp_path)


def test_a_kill_between_two_files_is_mended_by_the_next_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path)
    other = Artefacts(intent="Counts words.", rules=(JUDGED,))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    real = Path.replace
    for killed_at in range(8):
        moves = 0

        def replace(self: Path, goal: Path, stop: int = killed_at) -> Path:
            nonlocal moves
            moves += 1
            if moves > stop:
                raise KeyboardInterrupt
            return real(self, goal)

        with monkeypatch.context() as patched:
            patched.setattr(Path, "replace", replace)
            with contextlib.suppress(KeyboardInterrupt):
                write(tmp_path, other)
        back = read_artefacts(tmp_path)
        if killed_at == 0:
            assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
        else:
            assert (back.intent, back.rules, back.tests, back.baseline) == (other.intent, (JUDGED,), (), ())
            assert not (tmp_path / ".ready").exists()
        write(tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Exception, match="file") as caught:
        write(tmp_path / "file" / "x.tests")
    assert type(caught.value).__name__ == "StoreError"


_texts = st.text(max_size=40)


@settings(max_examples=examples(60))
@given(texts=st.lists(_texts.filter(str.strip), min_size=1, max_size=4, unique_by=str.strip), value=st.text())
def test_any_text_survives_the_files(tmp_path_factory: pytest.TempPathFactory, texts: list[str], value: str) -> None:
    rules = tuple(Rule(text=text.strip(), origin="m", source=Span(start=0, end=1, quote=value)) for text in texts)
    case = Case(
        id="t-1", inputs={value: texts}, expect=Expectation(reference=value or None), metadata={"origin": value}
    )
    folder = tmp_path_factory.mktemp("folder")
    write(folder, Artefacts(rules=rules, tests=(case,)))
    back = read_artefacts(folder)
    assert back.rules == rules
    assert back.tests == (case,)
    assert edited_files(folder, back.provenance) == ()


def test_read_text_of_a_missing_file_that_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="proctor generate"):
        folder_room.read_text(tmp_path / "no", there=True)
