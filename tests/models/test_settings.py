from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

from proctor.core.errors import ConfigError
from proctor.models.settings import HttpSettings, address, find_key, read_settings, spec_of
from tests.tables import table

if TYPE_CHECKING:
    from tests.models.conftest import KitOf


def test_settings_are_read_strictly_with_a_guess(kit_of: KitOf) -> None:
    with pytest.raises(ConfigError) as caught:
        read_settings(HttpSettings, kit_of({"model": "x", "temprature": 0.5}))
    assert caught.value.field == "models.m.temprature"
    assert caught.value.hint == "did you mean `temperature`?"


def test_every_problem_is_named_at_once(kit_of: KitOf) -> None:
    with pytest.raises(ConfigError) as caught:
        read_settings(HttpSettings, kit_of({"model": 5, "timeout": "long", "nope": 1}))
    text = str(caught.value)
    assert text.startswith("models.m.nope: unknown key; model: expected text, found 5")
    assert "timeout: expected a number" in text


@table(
    "settings",
    [{"api_key": 123456789}, {"api_key": ["hunter22"]}, {"headers": {"X-Key": 123456789}}, {"headers": "hunter22"}],
)
def test_a_wrong_secret_is_not_shown(kit_of: KitOf, settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError) as caught:
        read_settings(HttpSettings, kit_of({"model": "x", **settings}))
    assert "123456789" not in str(caught.value)
    assert "hunter22" not in str(caught.value)
    assert "expected" in str(caught.value)
    assert caught.value.__cause__ is None


@table(
    ("settings", "words"),
    [
        ({"model": " "}, "model must not be empty"),
        ({"model": "x", "temperature": -1}, "temperature"),
        ({"model": "x", "top_p": 0}, "top_p"),
        ({"model": "x", "max_tokens": 0}, "max_tokens"),
        ({"model": "x", "timeout": 0}, "timeout"),
        ({"model": "x", "max_bytes": 0}, "max_bytes"),
        ({"model": "x", "body": {"stream": True}}, "stream"),
        ({}, "is missing"),
    ],
)
def test_values_that_cannot_be(kit_of: KitOf, settings: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        read_settings(HttpSettings, kit_of(settings))


def test_nothing_secret_in_the_repr() -> None:
    settings = HttpSettings(
        model="x",
        api_key="hunter22",
        base_url="http://u:hunter22@h/",
        headers={"a": "hunter22"},
        body={"k": "hunter22"},
    )
    assert "hunter22" not in repr(settings)


# --- keys -------------------------------------------------------------------------------------------


def test_where_a_key_is_looked_for(kit_of: KitOf) -> None:
    kit = kit_of({}, env={"A_KEY": " from-env\n", "MY_KEY": "mine-123"})

    def found(**settings: str) -> tuple[str | None, str]:
        return find_key(kit, HttpSettings(model="x", **settings), default_env="A_KEY", required=True)  # type: ignore[arg-type]

    assert found() == ("from-env", "A_KEY")
    assert found(api_key_env="MY_KEY") == ("mine-123", "MY_KEY")
    assert found(api_key="told-123", api_key_env="MY_KEY") == ("told-123", "api_key")


def test_a_missing_key_names_the_variable(kit_of: KitOf) -> None:
    with pytest.raises(ConfigError) as caught:
        find_key(kit_of({}), HttpSettings(model="x"), default_env="A_KEY", required=True)
    assert caught.value.hint == "set A_KEY in the environment or .env"
    with pytest.raises(ConfigError, match="MY_KEY is not set"):
        find_key(kit_of({}), HttpSettings(model="x", api_key_env="MY_KEY"), default_env=None, required=False)


def test_a_key_is_not_missed_where_none_is_needed(kit_of: KitOf) -> None:
    assert find_key(kit_of({}), HttpSettings(model="x"), default_env=None, required=False) == (None, "api_key")
    told = HttpSettings(model="x", headers={"AUTHORIZATION": "Bearer x"})
    assert find_key(kit_of({}), told, default_env="A_KEY", required=True)[0] is None


@table("key", ["two words", "line\nbreak", "schlüssel", "\x00abc"])
def test_a_key_that_cannot_be_one_is_refused_and_not_shown(kit_of: KitOf, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find_key(kit_of({}, env={"A_KEY": key}), HttpSettings(model="x"), default_env="A_KEY", required=True)
    assert "A_KEY" in str(caught.value)
    assert key not in str(caught.value)


# --- addresses --------------------------------------------------------------------------------------


def test_an_address_is_shown_without_login_and_query(kit_of: KitOf) -> None:
    found = address(kit_of({}), "https://user:p%40ss@host:8443/v1/?code=hunter22&api-version=1")
    assert found.shown == "https://host:8443/v1"
    assert found.at("/chat", api_version="2") == ("https://host:8443/v1/chat?code=hunter22&api-version=2")
    assert found.headers == {"Authorization": "Basic " + base64.b64encode(b"user:p@ss").decode()}
    assert {"hunter22", "p@ss"} <= set(found.secrets)
    assert "1" not in found.secrets
    assert "hunter22" not in repr(found)


@table("url", ["localhost:8000", "ftp://x/", "http://", "http://[x", "http://h:99999", "sk-abcdefgh12345678"])
def test_what_is_no_address_is_refused(kit_of: KitOf, url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        address(kit_of({}), url)
    assert caught.value.field == "models.m.base_url"
    assert "sk-abcdefgh" not in str(caught.value)


# --- spec -------------------------------------------------------------------------------------------


def test_the_spec_says_what_decides_answers_and_no_secret() -> None:
    settings = HttpSettings(
        model="x",
        temperature=0.0,
        stop=("a",),
        api_key="hunter22",
        headers={"X-Key": "hunter22", "Anthropic-Beta": "b1"},
        body={"effort": "low", "data": {"api_key": "hunter22"}},
    )
    assert spec_of(settings, provider="p", seed=None) == {
        "model": "x",
        "temperature": 0.0,
        "stop": ["a"],
        "headers": {"anthropic-beta": "b1", "x-key": "set"},
        "body": {"effort": "low", "data": {"api_key": "***"}},
        "provider": "p",
    }
