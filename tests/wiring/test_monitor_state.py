from __future__ import annotations

from pathlib import Path

import pytest

from proctor.config import Config, load_config, read_environment
from proctor.core.errors import MalformedError
from proctor.store.audit import AuditStore
from proctor.text.known_secrets import hide_secrets
from proctor.wiring.monitor_state import open_audit_store, open_event_database, state_url


def config_of(folder: Path, text: str) -> Config:
    path = folder / "proctor.yaml"
    path.write_text(text)
    return load_config(path, read_environment(folder), start=folder)


def test_without_the_setting_the_state_is_in_the_store(tmp_path: Path) -> None:
    config = config_of(tmp_path, "monitor: {}\n")
    assert state_url(config) is None
    assert open_event_database(config) is None
    with open_audit_store(config) as store:
        assert type(store) is AuditStore


def test_the_password_comes_from_the_environment_and_is_masked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_PASSWORD", "open-sesame-77")
    config = config_of(tmp_path, "monitor:\n  state: postgresql://me:${DB_PASSWORD}@db/x\n")
    assert state_url(config) == "postgresql://me:open-sesame-77@db/x"
    assert hide_secrets("it was open-sesame-77") == "it was ***"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("postgresql://me:${NOT_SET_AT_ALL}@db/x", "NOT_SET_AT_ALL is not set"),
        ("mysql://me:secret-word@db/x", "is no URL of a PostgreSQL database"),
        ("[a]", "is no URL of a PostgreSQL database"),
    ],
)
def test_what_is_wrong_names_file_line_and_field_but_not_the_value(tmp_path: Path, written: str, told: str) -> None:
    config = config_of(tmp_path, f"monitor:\n  state: {written}\n")
    with pytest.raises(MalformedError, match=told) as error:
        state_url(config)
    assert "proctor.yaml:2: monitor.state" in str(error.value)
    assert "secret-word" not in str(error.value)
