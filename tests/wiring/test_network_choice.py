"""`networks: large` puts the large network in the second place wherever two are weighed; without it nothing changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proctor.config import Environment, load_config
from proctor.core.case import Check, Suite
from proctor.core.errors import ConfigError, MalformedError
from proctor.core.network_choice import BUNDLED, NetworkChoice, networks_in_force, use_networks
from proctor.models.local import large_files
from proctor.models.local.weights import open_weights
from proctor.scorers.conversation.cross_turn import CrossTurn
from proctor.wiring import local_models
from proctor.wiring.guard_settings import make_plan, read_settings
from proctor.wiring.local_models import FAST, LOCAL, local_model
from proctor.wiring.scorer_hash import scorer_hash
from proctor.wiring.scorers import GraderFactory, with_fast_models


@pytest.fixture(autouse=True)
def _choice() -> Iterator[None]:
    yield
    use_networks(BUNDLED)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder for weights that have an adapter, whatever ships."""
    shipped = open_weights()
    opened = replace(shipped, files={**shipped.files, "large.npz": "0" * 64})
    monkeypatch.setattr(large_files, "open_weights", lambda *_: opened)
    return tmp_path / "cache"


def _install(cache: Path) -> None:
    folder = large_files.conversion_folder(cache / "models")
    folder.mkdir(parents=True)
    (folder / "network.json").write_text(json.dumps({"size": 0}))
    (folder / "network.bin").write_bytes(b"")


def _load(cache: Path, text: str) -> Any:
    path = cache.parent / "proctor.yaml"
    path.write_text(text)
    return load_config(path, Environment(values={"PROCTOR_CACHE": str(cache)}), start=cache.parent)


def test_the_project_that_was_read_last_decides(cache: Path) -> None:
    _load(cache, "networks: large\n")
    assert networks_in_force() == NetworkChoice(cache / "models")
    _load(cache, "networks: bundled\n")
    assert networks_in_force() == BUNDLED
    _load(cache, "networks: large\n")
    load_config(None, Environment(values={}), start=cache.parent)
    assert networks_in_force() == BUNDLED
    with pytest.raises(MalformedError, match="networks"):
        _load(cache, "networks: huge\n")


@pytest.mark.parametrize("role", ["injection", "intents", "promises", "entailer", "grounder"])
def test_what_is_not_installed_is_an_error_with_the_command(cache: Path, role: str) -> None:
    _load(cache, "networks: large\n")
    with pytest.raises(ConfigError, match="not installed") as caught:
        local_model(role)
    assert caught.value.hint == "run `proctor models add large`"
    assert caught.value.field == "networks"


def test_a_guard_without_it_is_not_made(cache: Path) -> None:
    config = _load(cache, "networks: large\nguard: {input: [injection], tool_call: [], tool_result: [], output: []}\n")
    with pytest.raises(MalformedError, match="not installed") as caught:
        make_plan(config)
    assert caught.value.problems[0].hint == "run `proctor models add large`"
    _install(cache)
    (post,) = make_plan(config).chains["input"].posts
    gate: Any = post.gate
    assert gate.injection.large == cache / "models"


def test_models_that_two_networks_weigh_get_it(cache: Path) -> None:
    _install(cache)
    _load(cache, "networks: large\n")
    for role in ("injection", "intents", "promises"):
        assert local_model(role)._model().large == cache / "models"
    for role in ("entailer", "grounder"):
        assert local_model(role).large == cache / "models"
        assert type(local_model(role, fast=True)) is FAST[role]
    assert local_model("faults").large == cache / "models"
    for role in set(LOCAL) - {"injection", "intents", "promises", "entailer", "grounder", "faults"}:
        assert not hasattr(local_model(role), "large")


def test_without_it_models_are_what_they_were(cache: Path) -> None:
    _install(cache)
    _load(cache, "")
    assert local_model("injection")._model().large is None
    assert local_model("faults") is None
    assert local_model("injection")._model() is local_models._opened("injection", "InjectionClassifier", None)
    assert local_model("grounder").large is None
    assert isinstance(local_model("entailer"), FAST["entailer"])  # type: ignore[arg-type]


def test_conversations_ask_it_and_gates_that_wait_do_not(cache: Path) -> None:
    _install(cache)
    check = Check(scorer="cross_turn")
    small: Any = GraderFactory(Suite(name="s"), None).grader(check).scorer
    _load(cache, "networks: large\n")
    large: Any = GraderFactory(Suite(name="s"), None).grader(check).scorer
    fast: Any = GraderFactory(Suite(name="s"), None).grader(with_fast_models(check)).scorer
    assert type(small.entailer) is type(fast.entailer) is FAST["entailer"]
    assert large.entailer.large == cache / "models"


def test_a_score_names_the_network(cache: Path) -> None:
    before = scorer_hash(CrossTurn)
    _install(cache)
    _load(cache, "networks: large\n")
    assert scorer_hash(CrossTurn) != before
    _load(cache, "")
    assert scorer_hash(CrossTurn) == before


def test_gates_have_the_time_that_it_needs(cache: Path) -> None:
    assert read_settings(_load(cache, "guard: {}\n")).timeout == 0.5
    assert read_settings(_load(cache, "networks: large\nguard: {}\n")).timeout == 10
    assert read_settings(_load(cache, "networks: large\nguard: {timeout: 2}\n")).timeout == 2
