"""The API is what its document says: schemathesis asks it everything, and nothing is a fault of the server."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from proctor.server.ingest.openapi import api_document
from tests.profiles import examples
from tests.server.pages.served import ServedDashboard, served
from tests.server.pages.simulated_store import make_store

_OPERATIONS = [(path, method) for path, methods in json.loads(api_document())["paths"].items() for method in methods]


@pytest.fixture(scope="module")
def schema() -> Any:
    """The document, as schemathesis reads it; the module takes seconds to import, so only these tests do."""
    import schemathesis

    @schemathesis.serializer("application/x-protobuf", "application/x-ndjson")
    def as_it_is(ctx: Any, value: Any) -> bytes:
        """Send bytes and texts as they are."""
        if isinstance(value, str):
            return value.encode("utf-8", "replace")
        return value if isinstance(value, bytes) else json.dumps(value, default=repr).encode()

    return schemathesis.openapi.from_dict(json.loads(api_document()))


@pytest.fixture(scope="module")
def served_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedDashboard]:
    with served(make_store(tmp_path_factory.mktemp("api") / "project")) as running:
        yield running


@pytest.mark.parametrize(("path", "method"), _OPERATIONS)
def test_whatever_is_asked_the_answer_is_in_the_document(
    path: str, method: str, schema: Any, served_api: ServedDashboard
) -> None:
    from schemathesis import checks

    kept = [checks.not_a_server_error, checks.status_code_conformance]
    kept += [checks.content_type_conformance, checks.response_schema_conformance]

    @settings(
        max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck), derandomize=True,
        database=None, phases=[Phase.explicit, Phase.generate],
    )  # fmt: skip
    @given(schema[path][method].as_strategy())
    def ask(case: Any) -> None:
        case.validate_response(case.call(base_url=served_api.url, timeout=30), checks=kept)

    ask()


def test_the_document_is_valid_and_needs_no_token(tmp_path: Path) -> None:
    from openapi_spec_validator import validate

    (tmp_path / "proctor.yaml").write_text("monitor: {ingest: {tokens: {desk: '${DESK}'}}}\n")
    (tmp_path / ".env").write_text("DESK=token-of-a-sender\n")
    with served(tmp_path) as running, urllib.request.urlopen(f"{running.url}/api/openapi.json", timeout=10) as answer:
        document = json.loads(answer.read())
    validate(document)
    assert document["openapi"].startswith("3.1")


def test_every_path_of_the_server_is_in_the_document(served_api: ServedDashboard) -> None:
    named = set(json.loads(api_document())["paths"])
    for path in sorted(named):
        asked = path.replace("{session}", "none")
        with pytest.raises(urllib.error.HTTPError) as found:
            urllib.request.urlopen(urllib.request.Request(f"{served_api.url}{asked}", method="PUT"), timeout=10)
        assert found.value.code == 405, f"{path} is in the document, and the server does not know it"
        found.value.close()
