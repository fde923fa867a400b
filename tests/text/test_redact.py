from __future__ import annotations

import base64
import json
from urllib.parse import quote

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.redact import redact, redact_data

SECRET = "s3cr3t/with+odd chars=é"


@table(
    "form",
    [
        SECRET,
        quote(SECRET),
        quote(SECRET, safe=""),
        quote(SECRET, safe="").lower(),
        json.dumps(SECRET),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode().rstrip("="),
    ],
)
def test_every_form_of_a_secret_is_masked(form: str) -> None:
    text = redact(f"before {form} after", [SECRET])
    assert "***" in text
    assert "s3cr3t" not in text
    assert form not in text
    assert text.startswith("before ")
    assert text.endswith(" after")


@table("user", ["", "a", "ab", "abc", "user:"])
def test_a_secret_inside_longer_base64_is_masked(user: str) -> None:
    secret = "correct-horse-battery"
    whole = base64.b64encode(f"{user}{secret}:tail".encode()).decode()
    shown = redact(f"token={whole};", [secret])
    # What is left must not give back any longer piece of the secret.
    for start in range(len(secret) - 5):
        assert base64.b64encode(secret[start : start + 6].encode()).decode() not in shown
    assert "***" in shown


@table(
    "key",
    [
        "sk-abcdefgh12345678",
        "sk-proj-abc_def-12345678",
        "sk-abcd************wxyz",
        "AKIAIOSFODNN7EXAMPLE",
        "xoxb-123456-abcdef",
        "ghp_0123456789abcdefghij",
        "AIzaSyA0123456789abcdefghijklmnop",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    ],
)
def test_what_looks_like_a_key_is_masked_even_if_unknown(key: str) -> None:
    assert redact(f"Incorrect API key provided: {key}. See docs") == "Incorrect API key provided: ***. See docs"


def test_schemes_and_logins_are_masked_but_still_named() -> None:
    assert redact("Authorization: Bearer abc.def-123 rejected") == "Authorization: Bearer *** rejected"
    assert redact("authorization: basic dXNlcjpwYXNz") == "authorization: basic ***"
    assert redact("https://user:pass@host/v1") == "https://***@host/v1"


@table("text", ["a task-management list", "risk-averse", "the model gpt-4o-mini is unknown", ""])
def test_ordinary_words_are_left_alone(text: str) -> None:
    assert redact(text, ["abc", ""]) == text


def test_the_longer_of_two_secrets_leaves_no_remains() -> None:
    assert redact("key-12345678-long", ["key-1234", "key-12345678-long"]) == "***"


@settings(deadline=None)
@given(st.text(min_size=4, max_size=40), st.text(max_size=60), st.text(max_size=60))
def test_no_secret_survives(secret: str, before: str, after: str) -> None:
    shown = redact(before + secret + after, [secret])
    assert secret not in shown or secret in "***" or all(c == "*" for c in secret)


@settings(deadline=None)
@given(st.text(max_size=300), st.lists(st.text(max_size=20), max_size=3))
def test_any_text_and_any_secrets_are_taken(text: str, secrets: list[str]) -> None:
    assert isinstance(redact(text, secrets), str)


def test_data_is_masked_by_name_and_by_value() -> None:
    data = {
        "api_key": "abcd",
        "authentication": {"key": "efgh", "type": "api_key"},
        "max_tokens": 5,
        "list": ["sk-abcdefgh12345678", 1, None],
        "note": "hidden hunter22",
        "key": 7,
    }
    assert redact_data(data, ["hunter22"]) == {
        "api_key": "***",
        "authentication": {"key": "***", "type": "api_key"},
        "max_tokens": 5,
        "list": ["***", 1, None],
        "note": "hidden ***",
        "key": 7,
    }
