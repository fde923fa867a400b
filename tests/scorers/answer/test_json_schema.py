from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from proctor.scorers.answer.json_schema import JsonSchema
from tests.scorers.staging import case, said
from tests.tables import table

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "items": {"type": "array", "items": {"type": "integer", "minimum": 1}}},
    "required": ["name"],
    "additionalProperties": False,
}


@table(
    ("scorer", "answer", "value"),
    [
        (JsonSchema(), '{"a": [1, 2.5, null]}', 1.0),
        (JsonSchema(), "3", 1.0),
        (JsonSchema(), "", 0.0),
        (JsonSchema(), "```json\n{}\n```", 0.0),
        (JsonSchema(from_text="loose"), 'Here:\n```json\n{"a": 1,}\n```', 1.0),
        (JsonSchema(), "NaN", 0.0),
        (JsonSchema(), '{"a": Infinity}', 0.0),
        (JsonSchema(), "[" * 100_000, 0.0),
        (JsonSchema(from_text="loose"), "[" * 100_000, 0.0),
        (JsonSchema(), "9" * 10_000, 0.0),
        (JsonSchema(schema=SCHEMA), '{"name": "x", "items": [1]}', 1.0),
        (JsonSchema(schema=SCHEMA), '{"items": [0]}', 0.0),
    ],
)
async def test_json_and_its_schema(scorer: JsonSchema, answer: str, value: float) -> None:
    assert (await scorer.score(case(), said(answer))).value == value


async def test_every_error_has_its_path() -> None:
    score = await JsonSchema(schema=SCHEMA).score(case(), said('{"items": [1, 0, "x"], "other": 1}'))
    assert score.value == 0.0
    assert {each.where for each in score.evidence} == {"$", "$.items[1]", "$.items[2]"}
    assert "(and 3 more)" in score.reason


async def test_text_that_is_no_unicode_is_not_judged_against_a_schema() -> None:
    scorer = JsonSchema(schema={"properties": {"name": {"minLength": 3}}})
    score = await scorer.score(case(), said('{"name": "\\ud800"}'))
    assert score.status == "error"
    assert "could not be held against the schema" in score.reason


async def test_each_turn_can_be_held_to_it() -> None:
    score = await JsonSchema(where="every").score(case(), said("{}", "no"))
    assert score.value == 0.0
    assert score.reason.startswith("turn 2: not JSON")


@pytest.fixture
def fetched() -> Iterator[tuple[str, list[str]]]:
    """A real server that would hand out a schema, and what was asked of it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/schema.json", asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_nothing_is_ever_fetched(fetched: tuple[str, list[str]]) -> None:
    url, asked = fetched
    with pytest.raises(ValueError, match="never fetched"):
        JsonSchema(schema={"$ref": url})
    with pytest.raises(ValueError, match="not a usable JSON schema"):
        JsonSchema(schema={"properties": {"a": {"$ref": "file:///etc/hostname"}}})
    assert asked == []


async def test_references_inside_the_schema_work() -> None:
    scorer = JsonSchema(schema={"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}})
    assert (await scorer.score(case(), said("3"))).value == 1.0
    assert (await scorer.score(case(), said('"3"'))).value == 0.0


def test_a_bad_schema_is_a_wrong_setting() -> None:
    with pytest.raises(ValueError, match="not a usable JSON schema"):
        JsonSchema(schema={"type": "objekt"})


async def test_a_schemas_pattern_cannot_hang() -> None:
    scorer = JsonSchema(schema={"type": "string", "pattern": "^(?=(a+)+$)(a|a)*\\1$"})
    found = await scorer.score(case(), said('"' + "a" * 50_000 + '!"'))
    assert (found.value, found.status) == (None, "error")
    assert "takes too long on 'aaa" in found.reason
    assert "without look-around" in found.reason


async def test_a_limit_met_inside_not_is_no_success() -> None:
    scorer = JsonSchema(schema={"not": {"pattern": "(?:(?=[a-z ]*[0-9])x|(a))*\\1b"}})
    assert (await scorer.score(case(), said('"' + "a" * 5_000 + 'c"'))).status == "error"
    assert (await scorer.score(case(), said('"aab"'))).value == 0.0
    assert (await scorer.score(case(), said('"xyz"'))).value == 1.0


def test_the_validator_is_loaded_only_with_a_schema() -> None:
    code = (
        "import sys; from proctor.scorers.answer.json_schema import JsonSchema; JsonSchema();"
        "assert 'jsonschema_rs' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
