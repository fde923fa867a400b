from __future__ import annotations

import pytest
from tests.tables import table

from proctor.text.secret_names import is_secret_field, is_secret_name, is_secret_variable


@table("name", ["api_key", "X-Auth-Token", "clientSecret", "password_hash", "JWT", "OTP"])
def test_a_secret_of_a_tool_is_one_in_settings_too(name: str) -> None:
    assert is_secret_name(name)
    assert is_secret_variable(name)


@pytest.mark.parametrize("name", ["sort_key", "primary_key", "STRIPE_KEY"])
def test_any_key_is_secret_in_settings_but_not_in_the_arguments_of_a_tool(name: str) -> None:
    assert not is_secret_name(name)
    assert is_secret_variable(name)
    assert is_secret_field(name)


@table("name", ["keyboard", "max_tokens", "author", "id", ""])
def test_ordinary_names_are_not_secret(name: str) -> None:
    assert not any(check(name) for check in (is_secret_name, is_secret_variable, is_secret_field))
