from __future__ import annotations

import json
from email.utils import formatdate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.core.errors import (
    ModelError,
    OverloadedError,
    RateLimitedError,
    RefusedError,
    RejectedError,
    ReplyError,
    UnknownModelError,
)
from proctor.models.failures import failure, retry_after, said
from tests.tables import table

NOW = 1_800_000_000.0
MENDS = {"key": "check the key in SHOP_KEY", "model": "check `model`"}


def made(status: int, body: bytes | str = b"", headers: dict[str, str] | None = None) -> ModelError:
    return failure(status, headers or {}, body, who="openai:m", secrets=["hunter22"], hints=MENDS)


@table(
    ("status", "kind"),
    [
        (400, RejectedError),
        (401, RefusedError),
        (402, RefusedError),
        (403, RefusedError),
        (404, UnknownModelError),
        (408, OverloadedError),
        (413, RejectedError),
        (422, RejectedError),
        (429, RateLimitedError),
        (500, OverloadedError),
        (501, RejectedError),
        (502, OverloadedError),
        (503, OverloadedError),
        (529, OverloadedError),
        (302, RejectedError),
        (199, ReplyError),
    ],
)
def test_a_status_has_its_place_in_the_tree(status: int, kind: type[ModelError]) -> None:
    error = made(status, b'{"error": {"message": "no"}}')
    assert type(error) is kind
    assert error.status == status
    assert error.hint
    assert str(error).startswith(f"openai:m: HTTP {status}: no")


def test_an_empty_purse_is_not_a_rate_limit() -> None:
    body = json.dumps({"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}})
    error = made(429, body.encode())
    assert type(error) is RefusedError
    assert error.hint == "add credit to the account"
    assert type(made(400, "Your credit balance is too low to access the API")) is RefusedError


def test_a_model_that_is_not_known_may_hide_in_a_400() -> None:
    assert type(made(400, '{"error": {"message": "x/y is not a valid model ID"}}')) is UnknownModelError


def test_mends_are_the_wires_own() -> None:
    assert made(401).hint == "check the key in SHOP_KEY"
    assert made(404).hint == "check `model`"
    assert made(307, headers={"location": "https://u:pass@other/v1?k=v"}).hint == (
        "set `base_url` to where the server now is: https://***@other/v1"
    )


@table(
    ("complaint", "hint"),
    [
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_completion_tokens`"),
        ("Unknown field max_completion_tokens", "`token_field: max_tokens`"),
        ("Invalid parameter: 'response_format' of type 'json_schema'", "structured: prompt"),
        ("Unsupported value: 'temperature' does not support 0", "sampling setting"),
        ("This model's maximum context length is 8192 tokens", "shorten the input"),
        ("Something else", "the model's settings"),
    ],
)
def test_a_known_complaint_has_a_mend_of_its_own(complaint: str, hint: str) -> None:
    error = made(400, json.dumps({"error": {"message": complaint}}))
    assert hint in str(error.hint)


@table(
    ("body", "message"),
    [
        ('{"error": {"message": "a"}}', "a"),
        ('{"error": "b"}', "b"),
        ('{"message": "c"}', "c"),
        ('{"detail": [{"loc": ["body"], "msg": "d"}]}', "d"),
        ('[{"error": {"message": "e"}}]', "e"),
        ("<html><h1>502 Bad Gateway</h1>\n<hr>nginx</html>", "502 Bad Gateway nginx"),
        ("plain  words\n\nhere", "plain words here"),
        ("", ""),
        ("\ufffd\x00", "\ufffd\x00"),
    ],
)
def test_the_servers_words_are_found(body: str, message: str) -> None:
    assert said(body, []) == message
    assert said(body.encode(), []) == message


def test_the_servers_words_are_short_and_hold_no_secret() -> None:
    words = said(json.dumps({"error": {"message": "wrong key hunter22 " + "x" * 5000}}), ["hunter22"])
    assert words.startswith("wrong key *** xxx")
    assert len(words) == 300


@settings(deadline=None)
@given(st.binary(max_size=400), st.integers(100, 999))
def test_any_body_makes_an_error(body: bytes, status: int) -> None:
    assert isinstance(made(status, body), ModelError)


# --- how long to wait -------------------------------------------------------------------------------


@table(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": formatdate(NOW + 30, usegmt=True)}, 30.0),
        ({"retry-after": formatdate(NOW - 30, usegmt=True)}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "soon", "x-ratelimit-reset": "12"}, 12.0),
        ({"x-ratelimit-reset": str(int(NOW) + 40)}, 40.0),
        ({"x-ratelimit-reset": str((int(NOW) + 40) * 1000)}, 40.0),
        ({"x-ratelimit-reset-requests": "1m30s", "x-ratelimit-remaining-requests": "0"}, 90.0),
        (
            {
                "x-ratelimit-reset-requests": "6m0s",
                "x-ratelimit-remaining-requests": "10",
                "x-ratelimit-reset-tokens": "20ms",
                "x-ratelimit-remaining-tokens": "0",
            },
            0.02,
        ),
        ({"x-ratelimit-reset-requests": "2s", "x-ratelimit-reset-tokens": "9s"}, 2.0),
        ({"anthropic-ratelimit-tokens-reset": "2027-01-15T08:00:25Z"}, 25.0),
    ],
)
def test_the_wait_the_server_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=NOW) == (None if seconds is None else pytest.approx(seconds))


def test_a_date_is_measured_by_the_servers_own_clock() -> None:
    headers = {"date": formatdate(5_000, usegmt=True), "retry-after": formatdate(5_012, usegmt=True)}
    assert retry_after(headers) == 12.0


def test_a_date_without_a_clock_is_measured_by_ours() -> None:
    wait = retry_after({"retry-after": formatdate(None, usegmt=True)})
    assert wait is not None
    assert 0 <= wait < 5


@settings(deadline=None)
@given(st.text(max_size=30), st.sampled_from(["retry-after", "retry-after-ms", "x-ratelimit-reset-tokens", "date"]))
def test_no_header_breaks_it(value: str, name: str) -> None:
    wait = retry_after({name: value})
    assert wait is None or wait >= 0


def test_both_kinds_carry_the_wait() -> None:
    for status in (429, 503):
        error = made(status, headers={"retry-after": "3"})
        assert isinstance(error, (RateLimitedError, OverloadedError))
        assert error.retry_after == 3.0
