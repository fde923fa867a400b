from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import click
import pytest
from tests.suites.conversations.logs import cases, lines
from tests.tables import table
from tests.third_party import install

from proctor.cli.options import format_option
from proctor.core.errors import ConfigError, InputError, SuiteError
from proctor.suites.conversations import open_conversations
from proctor.suites.conversations.detect import importers

CHAT: list[dict[str, Any]] = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]


@table(
    ("row", "form"),
    [
        (CHAT, "openai"),
        ({"messages": CHAT}, "openai"),
        ({"system": "be kind", "messages": CHAT}, "anthropic"),
        ({"messages": CHAT, "task_id": 1, "reward": 0}, "tau_bench"),
        ({"messages": CHAT, "user_task": "u1", "utility": True}, "agentdojo"),
        ({"turns": [{"messages": CHAT}]}, "proctor"),
        ({"resourceSpans": []}, "otel"),
        ({"run_type": "llm", "inputs": {}, "trace_id": "t"}, "langsmith"),
        ({"type": "GENERATION", "trace_id": "t"}, "langfuse"),
    ],
)
def test_a_format_is_known_by_its_first_row(row: Any, form: str) -> None:
    assert next(name for name, each in importers().items() if each.fits(row)) == form


def test_the_verb_offers_every_format() -> None:
    (option,) = click.command()(format_option("none")(lambda: None)).params
    assert isinstance(option.type, click.Choice)
    assert set(option.type.choices) == {"auto", *importers()}


def test_what_is_not_known_is_told(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="colour") as caught:
        cases(lines(tmp_path, {"colour": "red"}))
    assert "--format" in (caught.value.hint or "")
    with pytest.raises(InputError, match="no format") as wrong:
        cases(lines(tmp_path, CHAT), "langfus")
    assert "langfuse" in (wrong.value.hint or "")


def test_ids_are_unique_and_do_not_depend_on_other_conversations(tmp_path: Path) -> None:
    other = [CHAT[0], {"role": "assistant", "content": "no"}]
    rows = [{"id": "a", "messages": CHAT}, {"id": "a", "messages": other}, {"id": "a", "messages": other}]
    first, second, third = (case.id for case in cases(lines(tmp_path, *rows)))
    assert first == "a"
    assert second.startswith("a~")
    assert len({first, second, third}) == 3
    bare = cases(lines(tmp_path, {"messages": CHAT}))[0].id
    assert cases(lines(tmp_path, {"messages": other}, {"messages": CHAT}))[1].id == bare


def test_a_folder_is_read_file_by_file(tmp_path: Path) -> None:
    lines(tmp_path, {"id": "b", "messages": CHAT}, name="b.jsonl.gz")
    (tmp_path / "deep").mkdir()
    lines(tmp_path / "deep", {"messages": CHAT, "task_id": 1, "reward": 0}, name="a.jsonl")
    (tmp_path / "notes.txt").write_text("not this")
    assert [case.id for case in open_conversations(tmp_path)] == ["b", "1"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(SuiteError, match="no conversations"):
        cases(tmp_path / "empty")


def test_a_file_is_never_held_whole(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    row = '{"messages": [{"role": "user", "content": "hi"}]}\n'
    path.write_text(row * 3 + "{broken\n")
    assert len(list(itertools.islice(open_conversations(path), 3))) == 3
    with pytest.raises(SuiteError) as caught:
        cases(path)
    assert caught.value.line == 4


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="no such file"):
        cases(tmp_path / "nothing.jsonl")


IMPORTER = """
from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.trajectory import Trajectory, Turn
from proctor.suites.conversations.importer import Importer


def read(entries):
    for entry in entries:
        asked, answered = entry.data["q"], entry.data["a"]
        said = (Message(role="user", content=asked), Message(role="assistant", content=answered))
        yield Case(id=entry.data["n"], input=asked, recorded=Trajectory(turns=(Turn(messages=said),)))


DESK = Importer(title="Logs of the help desk", fits=lambda data: isinstance(data, dict) and "q" in data, read=read)
GREEDY = Importer(title="Takes everything", fits=lambda data: True, read=read, order=75)
RAISES = Importer(title="Raises", fits=lambda data: data["nothing"], read=read, order=1)
"""


def test_an_importer_of_another_package_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    parts = "desk = stranger:DESK\nraises = stranger:RAISES\nbroken = stranger:Missing\nwrong = stranger:read"
    install(tmp_path / "package", monkeypatch, "stranger", IMPORTER, importers=parts)
    log = lines(tmp_path, {"n": "one", "q": "hi", "a": "ho"})
    for form in ("auto", "desk"):
        (case,) = cases(log, form)
        assert case.recorded is not None
        assert (case.id, case.recorded.turns[0].answer) == ("one", "ho")
    (told,) = [each for each in caplog.messages if "broken" in each]
    assert told.count("cannot be loaded") == 1
    assert "wrong" in caplog.text
    with pytest.raises(ConfigError, match="no Importer"):
        cases(log, "wrong")
    assert cases(lines(tmp_path, {"messages": CHAT}))


def test_what_another_importer_raises_is_an_error_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "package", monkeypatch, "stranger", IMPORTER, importers="desk = stranger:DESK")
    log = lines(tmp_path, {"n": "one", "q": "hi", "a": "ho"}, {"n": "two", "q": "hi"})
    with pytest.raises(SuiteError, match="the importer of Logs of the help desk failed: KeyError: 'a'") as caught:
        cases(log)
    assert (caught.value.file, caught.value.line) == (str(log), 2)


def test_an_importer_that_takes_everything_does_not_take_the_files_of_known_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "stranger", IMPORTER, importers="greedy = stranger:GREEDY")
    row = {"messages": CHAT, "task_id": 1, "reward": 0}
    assert next(name for name, each in importers().items() if each.fits(row)) == "tau_bench"
