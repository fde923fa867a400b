"""What every registered provider keeps to, ours and strangers' alike."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from tests.tables import table

from proctor.core.codec import dumps
from proctor.core.errors import InputError
from proctor.core.sockets import Kit, Model
from proctor.models.pool import Pool

ROOT = Path(__file__).parents[2]
NAMES = sorted(point.name for point in entry_points(group="proctor.models"))
SECRET = "sk-contract-0123456789-secret"
KEYS = {
    "OPENAI_API_KEY": SECRET,
    "AZURE_OPENAI_API_KEY": SECRET,
    "AZURE_OPENAI_ENDPOINT": "https://example.openai.azure.com",
    "ANTHROPIC_API_KEY": SECRET,
    "OPENROUTER_API_KEY": SECRET,
    "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_REGION": "us-east-1",
}


def _kit(settings: Mapping[str, Any], folder: Path, keys: Mapping[str, str] = KEYS) -> Kit:
    def model(name: str | None) -> Model:
        raise AssertionError("a provider asks for no other model")

    return Kit(
        name="m", settings=settings, folder=str(folder), env=keys.get, http=Pool(), model=model, cache=str(folder)
    )


def _connect(name: str, kit: Kit) -> Model:
    (point,) = entry_points(group="proctor.models", name=name)
    model: Model = point.load()(kit)
    return model


def _settings(name: str, folder: Path) -> dict[str, Any]:
    (folder / "brain.py").write_text("def answer(request):\n    return 'x'\n")
    (folder / "calls.jsonl").write_text("")
    (folder / "tiny.gguf").write_bytes(b"GGUF" + bytes(64))
    chosen: dict[str, dict[str, Any]] = {
        "compatible": {"model": "m", "base_url": "http://127.0.0.1:9/v1", "api_key": SECRET},
        "local": {"model": "tiny.gguf"},
        "replay": {"model": "calls.jsonl"},
        "rule": {"model": "brain.py:answer"},
        "scripted": {"replies": ["x"]},
    }
    return chosen.get(name, {"model": "m"})


@pytest.mark.parametrize("name", NAMES)
def test_connecting_sends_nothing_and_shows_no_secret(name: str, tmp_path: Path) -> None:
    model = _connect(name, _kit(_settings(name, tmp_path), tmp_path))
    assert ":" in model.name
    assert isinstance(model, Model)
    assert hasattr(model, "spec"), "`spec` holds the settings that decide the answers, without secrets"
    spec = dumps(dict(model.spec))
    assert SECRET not in repr(model) + spec.decode()


@table("name", NAMES)
def test_a_provider_has_a_line_and_a_row(name: str) -> None:
    (point,) = entry_points(group="proctor.models", name=name)
    assert (point.load().__doc__ or "").strip(), "the first line of the docstring is what `proctor list models` shows"
    assert f"`{name}`" in (ROOT / "docs" / "providers.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("scripted", "rule", "replay")])
def test_an_unknown_setting_is_named(name: str, tmp_path: Path) -> None:
    settings = {**_settings(name, tmp_path), "temprature": 1}
    # `read_settings` of proctor.models.settings does this.
    with pytest.raises(InputError, match="temprature"):
        _connect(name, _kit(settings, tmp_path))


@pytest.mark.parametrize("name", ["openai", "azure", "anthropic", "openrouter"])
def test_a_missing_key_names_its_variable(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"_API_KEY|_ENDPOINT"):
        _connect(name, _kit({"model": "m"}, tmp_path, {}))
