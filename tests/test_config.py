from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from proctor.config import Environment, RunSettings, cache_folder, expand, find_config, load_config, read_environment
from proctor.core.errors import ConfigError, MalformedError
from tests.tables import table

EMPTY = Environment(values={})


def _write(folder: Path, text: str | bytes) -> Path:
    path = folder / "proctor.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_with_no_file_everything_has_its_default(tmp_path: Path) -> None:
    config = load_config(None, EMPTY, start=tmp_path)
    assert config.settings.run == RunSettings()
    assert config.store == tmp_path / ".proctor"
    assert config.origin("model") == "default"


def test_every_setting_knows_the_line_it_came_from(tmp_path: Path) -> None:
    path = _write(tmp_path, "model: a:b\nrun:\n  repeat: 3\nstore: results\n")
    config = load_config(path, EMPTY, start=tmp_path)
    assert (config.settings.model, config.settings.run.repeat) == ("a:b", 3)
    assert config.store == tmp_path / "results"
    assert config.origin("model") == "proctor.yaml:1"
    assert config.origin("run.repeat") == "proctor.yaml:3"
    assert config.origin("run.seed") == "default"


def test_an_environment_variable_beats_the_file_and_says_so(tmp_path: Path) -> None:
    path = _write(tmp_path, "model: a:b\n")
    config = load_config(path, Environment(values={"PROCTOR_MODEL": "c:d"}), start=tmp_path)
    assert config.settings.model == "c:d"
    assert config.origin("model") == "environment PROCTOR_MODEL"


def test_all_that_is_wrong_is_said_with_line_and_mend(tmp_path: Path) -> None:
    path = _write(tmp_path, "modle: a:b\nrun:\n  repeat: many\n  unscored: 2\nintents:\n  faq: {treshold: 0.7}\n")
    with pytest.raises(MalformedError) as caught:
        load_config(path, EMPTY, start=tmp_path)
    problems = {problem.where: problem for problem in caught.value.problems}
    assert (problems["modle"].line, problems["modle"].hint) == (1, "did you mean `model`?")
    assert problems["run.repeat"].line == 3
    assert problems["intents.faq.treshold"].line == 6
    assert caught.value.file == str(path)


@table(
    ("run", "word"),
    [("repeat: 0", "repeat"), ("unscored: 1.5", "unscored"), ("timeout: 0", "timeout"), ("budget: -1", "budget")],
)
def test_a_value_out_of_range_is_refused(tmp_path: Path, run: str, word: str) -> None:
    path = _write(tmp_path, f"run:\n  {run}\n")
    with pytest.raises(MalformedError, match=word):
        load_config(path, EMPTY, start=tmp_path)


@table("text", ["a: [1", "a: b: c", b"\xff\xfe\x00", "- just\n- a list\n", "plain text"])
def test_a_file_that_is_no_mapping_is_named(tmp_path: Path, text: str | bytes) -> None:
    path = _write(tmp_path, text)
    with pytest.raises((ConfigError, MalformedError)) as caught:
        load_config(path, EMPTY, start=tmp_path)
    assert caught.value.file == str(path)
    assert caught.value.exit_code == 2


def test_an_unknown_section_of_monitor_is_refused_with_its_line_and_a_guess(tmp_path: Path) -> None:
    path = _write(tmp_path, "monitor:\n  history: {masking: names}\n  hsitory: {masking: none}\n")
    with pytest.raises(MalformedError) as caught:
        load_config(path, EMPTY, start=tmp_path)
    (problem,) = caught.value.problems
    assert (problem.where, problem.line, problem.hint) == ("monitor.hsitory", 3, "did you mean `history`?")


def test_every_section_of_monitor_is_kept_as_it_is_written(tmp_path: Path) -> None:
    path = _write(tmp_path, "monitor: {ingest: {}, history: {}, scoring: false, digest: {}, floors: {}, state: here}\n")
    monitor = load_config(path, EMPTY, start=tmp_path).settings.monitor
    assert (monitor.history, monitor.scoring, monitor.state) == ({}, False, "here")


def test_an_empty_file_is_all_defaults(tmp_path: Path) -> None:
    assert load_config(_write(tmp_path, ""), EMPTY, start=tmp_path).settings.run == RunSettings()


def test_the_file_is_found_upwards(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert find_config(deep) is None
    path = _write(tmp_path, "")
    assert find_config(deep) == path


def test_dotenv_is_found_upwards_and_never_beats_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("A_SECRET=from-file\nB_SECRET=from-file\nexport C='x y' # note\n")
    monkeypatch.setenv("A_SECRET", "from-environment")
    for name in ("B_SECRET", "C"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    deep = tmp_path / "a"
    deep.mkdir()
    environment = read_environment(deep)
    assert [environment.get(name) for name in ("A_SECRET", "B_SECRET", "C")] == ["from-environment", "from-file", "x y"]
    assert environment.origin("A_SECRET") == "environment A_SECRET"
    assert environment.origin("B_SECRET") == str(tmp_path / ".env")
    assert os.environ["B_SECRET"] == "from-file"  # noqa: TID251 - agents under test see it too


@table(
    ("value", "expected"),
    [
        ("${KEY}", "k"),
        ("Bearer ${KEY}!", "Bearer k!"),
        ("${NONE:-default}", "default"),
        ({"a": ["${KEY}", 3]}, {"a": ["k", 3]}),
        ("$KEY and {KEY}", "$KEY and {KEY}"),
    ],
)
def test_references_to_the_environment_are_replaced(value: Any, expected: Any) -> None:
    assert expand(value, Environment(values={"KEY": "k"})) == expected


def test_a_variable_that_is_not_set_is_named_with_its_place() -> None:
    with pytest.raises(MalformedError, match=r"models\.a\.api_key: the environment variable NOPE is not set"):
        expand({"api_key": "${NOPE}"}, EMPTY, ("models", "a"))


def test_the_cache_folder_can_be_chosen() -> None:
    assert cache_folder(Environment(values={"PROCTOR_CACHE": "/x"})) == Path("/x")
    assert cache_folder(Environment(values={"XDG_CACHE_HOME": "/y"})) == Path("/y/proctor")


@table(
    ("url", "proxy"),
    [
        ("https://api.example.com/v1", "http://proxy:3128"),
        ("http://api.example.com/v1", None),
        ("https://inner.example.org/", None),
        ("https://example.org/", None),
        ("https://notexample.org/", "http://proxy:3128"),
        ("https://localhost:8000/", None),
    ],
)
def test_proxies_come_from_the_environment(url: str, proxy: str | None) -> None:
    environment = Environment(values={"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": ".example.org, other.com"})
    assert environment.proxy_for(url) == proxy
    assert Environment(values={"https_proxy": "http://p", "no_proxy": "*"}).proxy_for(url) is None
