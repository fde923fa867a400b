"""Which values count as secrets, and what is left of a text without them."""

from __future__ import annotations

import json

from tests.tables import table

from proctor.text.known_secrets import (
    add_secrets,
    add_settings,
    add_variable,
    has_secret,
    hide_secrets,
    hide_secrets_in_data,
    hide_secrets_in_json,
    known_secrets,
)


@table(
    ("name", "value", "secret"),
    [
        ("AGENT_TOKEN", "abcdef", True),
        ("AGENT_TOKEN", "abcde", False),  # too short
        ("DB_PASSWORD", "password", False),  # a common word
        ("DB_PASSWORD", "correct horse", True),
        ("TENANT", "acme-7741", True),
        ("STAGE", "production", False),
        ("REGION", "eu-west-1", False),
        ("SHOP_MODEL", "gpt-4.1-mini", False),
        ("SHOP_MODEL", "ft9a8b7c6d5e4f3a2b1c", True),  # generated
        ("LIMIT", "1000000", False),
        ("DATA", "./data/rows.csv", False),
    ],
)
def test_which_variables_are_secret(name: str, value: str, secret: bool) -> None:
    add_variable(name, value)
    assert (hide_secrets(f"<{value}>") == "<***>") is secret


def test_of_an_address_only_the_secret_parts_count() -> None:
    add_variable("AGENT_URL", "https://someone:hidden-1@host.example/hooks/T0aB1cD2eF3gH4iJ5kL6?key=q-99-zz")
    assert hide_secrets("host.example hooks hidden-1 q-99-zz T0aB1cD2eF3gH4iJ5kL6") == "host.example hooks *** *** ***"


def test_literal_keys_in_settings_count() -> None:
    add_settings(
        {
            "models": {"m": {"api_key": "literal-key-1", "model": "gpt-5"}},
            "headers": {"Authorization": "Bearer b-12345"},
        }
    )
    assert hide_secrets("literal-key-1 gpt-5 b-12345") == "*** gpt-5 ***"


def test_json_stays_json_where_a_secret_could_begin_in_an_escape() -> None:
    add_secrets(["n123456"])
    text = json.dumps({"a": "x\n123456", "b": "n123456"})
    assert json.loads(hide_secrets_in_json(text)) == {"a": "x\n123456", "b": "***"}


def test_keys_and_nested_values_are_masked() -> None:
    add_secrets(['quo"ted-1'])
    assert hide_secrets_in_data({'quo"ted-1': ['say quo"ted-1', 7]}) == {"***": ["say ***", 7]}
    assert has_secret(json.dumps(json.dumps('quo"ted-1')).encode())


def test_values_too_short_are_not_remembered() -> None:
    add_secrets(["", "abc", "secret"])
    assert known_secrets() == ()
