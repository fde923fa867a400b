from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from proctor.core.chat import Message, Request, Sampling
from proctor.core.errors import ModelError, RateLimitedError, RejectedError, ReplyError
from proctor.models.pool import Pool
from proctor.models.settings import HttpSettings, SamplingSettings
from proctor.models.wire import Wire, count, merged, open_wire, sampling
from tests.tables import table

if TYPE_CHECKING:
    from tests.models.conftest import KitOf, Served

ASK = (Message(role="user", content="q"),)
SECRET = "hunter22"


def wire_to(served: Served, pool: Pool) -> Wire:
    return Wire(who="p:m", url=f"{served.url}/x", headers={"X-Key": SECRET}, secrets=(SECRET,), http=pool)


def test_the_requests_own_sampling_goes_before_the_models() -> None:
    defaults = SamplingSettings(temperature=0.5, top_p=0.9, max_tokens=10, stop=("a",))
    assert sampling(Request(messages=ASK), defaults, 7) == Sampling(
        temperature=0.5, top_p=0.9, max_tokens=10, stop=("a",), seed=7
    )
    asked = Sampling(temperature=0.0, top_p=1.0, max_tokens=5, stop=("b",), seed=1, extra={"k": 2})
    assert sampling(Request(messages=ASK, sampling=asked), defaults, 7) == asked


def test_each_sample_has_a_seed_of_its_own() -> None:
    assert sampling(Request(messages=ASK, sample=3), SamplingSettings(), 7).seed == 10
    assert sampling(Request(messages=ASK, sample=3), SamplingSettings()).seed is None


def test_extra_fields_are_merged_to_any_depth() -> None:
    payload = {"a": 1, "text": {"format": {"type": "x"}, "keep": 1}}
    extra: dict[str, Any] = {"a": 2, "text": {"verbosity": "low", "format": {"strict": True}}, "new": [1]}
    assert merged(payload, extra) == {
        "a": 2,
        "text": {"format": {"type": "x", "strict": True}, "keep": 1, "verbosity": "low"},
        "new": [1],
    }
    assert extra["text"] == {"verbosity": "low", "format": {"strict": True}}


@table(("told", "tokens"), [(5, 5), (-1, 0), (None, 0), ("7", 0), (2.5, 0)])
def test_counts_are_taken_only_where_they_are_counts(told: object, tokens: int) -> None:
    assert count(told) == tokens


def test_the_users_headers_go_before_ours_in_any_case(kit_of: KitOf) -> None:
    settings = HttpSettings(model="m", headers={"authorization": "Token abcdef", "X-More": "one two"})
    made = open_wire(
        kit_of({}), settings, who="p:m", url="u", headers={"Authorization": "Bearer k"}, secrets=("s3cr",), hints={}
    )
    assert made.headers == {"Content-Type": "application/json", "authorization": "Token abcdef", "X-More": "one two"}
    assert set(made.secrets) == {"Token abcdef", "one two", "s3cr"}
    assert "abcdef" not in repr(made)


async def test_json_goes_out_and_comes_back(served: Served, pool: Pool) -> None:
    served.says({"a": "é"})
    data, latency = await wire_to(served, pool).post({"q": "日本 \ud83d", "n": float("nan")})
    assert data == {"a": "é"}
    assert latency > 0
    assert served.bodies == [{"q": "日本 \ud83d", "n": "nan"}]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "an empty answer"),
        (b"  \n", "an empty answer"),
        (b"<html>hunter22</html>", "not a JSON object"),
        (b"[1, 2]", "not a JSON object"),
        (b"\xff\xfe\xfd", "not a JSON object"),
        (b"[" * 200_000, "not a JSON object"),
        (b'{"error": {"message": "bad hunter22"}}', "an error in place of an answer: bad \\*\\*\\*"),
        (b'{"error": "bad"}', "an error in place of an answer: bad"),
    ],
)
async def test_an_answer_that_cannot_be_used_keeps_its_text(
    served: Served, pool: Pool, body: bytes, words: str
) -> None:
    served.says(body)
    with pytest.raises(ReplyError, match=words) as caught:
        await wire_to(served, pool).post({})
    assert SECRET not in f"{caught.value} {caught.value.raw}"
    assert caught.value.raw == body.decode("utf-8", "replace").replace(SECRET, "***")[:2_000]


@pytest.mark.parametrize(("code", "kind"), [(429, RateLimitedError), (400, RejectedError), ("x", ReplyError)])
async def test_a_routers_error_in_a_200_is_told_by_its_code(
    served: Served, pool: Pool, code: object, kind: type[ModelError]
) -> None:
    served.says({"error": {"code": code, "message": "upstream"}})
    with pytest.raises(kind, match="upstream"):
        await wire_to(served, pool).post({})


async def test_a_redirect_tells_where_to(served: Served, pool: Pool) -> None:
    served.says({}, status=301, headers={"Location": "https://elsewhere.test/v1"})
    with pytest.raises(RejectedError) as caught:
        await wire_to(served, pool).post({})
    assert caught.value.hint == "set `base_url` to where the server now is: https://elsewhere.test/v1"
