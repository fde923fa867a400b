"""A local server of the evals API, and of stored answers, that checks the shape of all it is sent as services do."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jsonschema_rs

__all__ = ["EvalsServer"]

KEY = "sk-evals-0123456789abcdef-secret"
METADATA = {
    "type": "object",
    "maxProperties": 16,
    "propertyNames": {"maxLength": 64},
    "additionalProperties": {"type": "string", "maxLength": 512},
}
MESSAGE = {
    "type": "object",
    "properties": {"role": {"enum": ["system", "developer", "user", "assistant"]}, "content": {"type": "string"}},
    "required": ["role", "content"],
    "additionalProperties": False,
}


def _grader(kind: str, properties: dict[str, Any]) -> dict[str, Any]:
    shape = {"type": {"const": kind}, "name": {"type": "string", "minLength": 1}, **properties}
    return {"type": "object", "properties": shape, "required": list(shape), "additionalProperties": False}


TEXT = {"type": "string", "minLength": 1}
OPERATION = {"enum": ["eq", "ne", "like", "ilike"]}
GRADERS = [
    _grader("string_check", {"input": TEXT, "reference": TEXT, "operation": OPERATION}),
    _grader("python", {"source": TEXT, "pass_threshold": {"type": "number"}}),
    _grader(
        "label_model",
        {
            "model": TEXT,
            "input": {"type": "array", "items": MESSAGE, "minItems": 1},
            "labels": {"type": "array", "items": TEXT, "minItems": 2},
            "passing_labels": {"type": "array", "items": TEXT, "minItems": 1},
        },
    ),
]
EVAL = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "data_source_config": {
            "type": "object",
            "properties": {
                "type": {"const": "custom"},
                "item_schema": {"type": "object"},
                "include_sample_schema": {"type": "boolean"},
            },
            "required": ["type", "item_schema"],
            "additionalProperties": False,
        },
        "testing_criteria": {"type": "array", "items": {"anyOf": GRADERS}, "minItems": 1},
        "metadata": METADATA,
    },
    "required": ["data_source_config", "testing_criteria"],
    "additionalProperties": False,
}
TEMPLATE = {
    "type": "object",
    "properties": {"type": {"const": "template"}, "template": {"type": "array", "items": MESSAGE, "minItems": 1}},
    "required": ["type", "template"],
    "additionalProperties": False,
}
REFERENCE = {
    "type": "object",
    "properties": {"type": {"const": "item_reference"}, "item_reference": {"type": "string", "pattern": "^item\\."}},
    "required": ["type", "item_reference"],
    "additionalProperties": False,
}
CONTENT = {
    "type": "object",
    "properties": {"item": {"type": "object"}, "sample": {"type": "object"}},
    "required": ["item"],
    "additionalProperties": False,
}
SOURCE = {
    "type": "object",
    "properties": {"type": {"const": "file_content"}, "content": {"type": "array", "items": CONTENT, "minItems": 1}},
    "required": ["type", "content"],
    "additionalProperties": False,
}
PARAMETERS = ("temperature", "top_p", "max_completion_tokens", "seed", "response_format")
RUN = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "metadata": METADATA,
        "data_source": {
            "type": "object",
            "properties": {
                "type": {"const": "completions"},
                "model": TEXT,
                "input_messages": {"anyOf": [TEMPLATE, REFERENCE]},
                "source": SOURCE,
                "sampling_params": {"type": "object", "propertyNames": {"enum": list(PARAMETERS)}},
            },
            "required": ["type", "source"],
            "additionalProperties": False,
        },
    },
    "required": ["data_source"],
    "additionalProperties": False,
}
_NAMES = re.compile(r"\{\{\s*(item|sample)\.(\w+)\s*\}\}")


class EvalsServer:
    """Answers as the service does; ``requests`` keeps every path with what was sent to it."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, Any]] = []
        self.evals: dict[str, Any] = {}
        self.models: set[str] = {"gpt-5", "gpt-5-mini"}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(size))
                told = self.headers.get("Authorization") or self.headers.get("api-key") or ""
                outer.requests.append((self.path, body))
                status, answer = outer.answer(self.path, body, told.removeprefix("Bearer "))
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> EvalsServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, path: str, body: Any, key: str) -> tuple[int, Any]:
        if key != KEY:
            return 401, {"error": {"message": f"Incorrect API key provided: {key}"}}
        plain = path.partition("?")[0]
        if plain.endswith("/chat/completions"):
            return self._complete(body)
        if plain.endswith("/evals"):
            return self._create(body)
        if match := re.search(r"/evals/([^/]+)/runs$", plain):
            return self._run(match.group(1), body)
        return 404, {"error": {"message": f"no such path {plain}"}}

    def _create(self, body: Any) -> tuple[int, Any]:
        if wrong := _wrong(EVAL, body):
            return wrong
        schema = body["data_source_config"]["item_schema"]
        if lost := _lost(body["testing_criteria"], schema):
            return 400, {"error": {"message": f"graders refer to {lost}, which items do not have"}}
        name = f"eval_{len(self.evals) + 1}"
        self.evals[name] = body
        return 201, {"object": "eval", "id": name, **body}

    def _run(self, name: str, body: Any) -> tuple[int, Any]:
        if name not in self.evals:
            return 404, {"error": {"message": f"no eval {name}"}}
        if wrong := _wrong(RUN, body):
            return wrong
        source = body["data_source"]
        schema = self.evals[name]["data_source_config"]["item_schema"]
        if source.get("model") not in self.models:
            return 400, {"error": {"message": f"the model {source.get('model')} does not exist"}}
        if lost := _lost(source["input_messages"], schema):
            return 400, {"error": {"message": f"the template refers to {lost}, which items do not have"}}
        for row in source["source"]["content"]:
            if wrong := _wrong(schema, row["item"]):
                return wrong
        run = f"run_{len(self.requests)}"
        return 201, {"object": "eval.run", "id": run, "report_url": f"https://example.com/{run}"}

    def _complete(self, body: Any) -> tuple[int, Any]:
        if (body.get("store") is not None or "metadata" in body) and (
            body.get("store") is not True or _wrong(METADATA, body.get("metadata"))
        ):
            return 400, {"error": {"message": "metadata must be at most 16 pairs of short texts, with store: true"}}
        said = {"role": "assistant", "content": "NN"}
        return 200, {"model": body["model"], "choices": [{"index": 0, "finish_reason": "stop", "message": said}]}


def _wrong(schema: Any, data: Any) -> tuple[int, Any] | None:
    error = next(jsonschema_rs.validator_for(schema).iter_errors(data), None)
    return (400, {"error": {"message": error.message[:300]}}) if error else None


def _lost(data: Any, schema: Any) -> list[str]:
    names = _NAMES.findall(json.dumps(data))
    return [name for space, name in names if space == "item" and name not in schema.get("properties", {})]
