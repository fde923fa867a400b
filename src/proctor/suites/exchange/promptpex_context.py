"""Write the context that PromptPex saves and loads again, with a record of what it cannot hold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from proctor.core.codec import content_id
from proctor.suites.exchange.bundle import Bundle
from proctor.suites.exchange.own_export import bundle_from, content_hash, record_of
from proctor.suites.exchange.promptpex_files import PexFiles

__all__ = ["context_text", "own_bundle"]

# Part of the context -> its file. PromptPex takes each of them for granted when it loads a context.
_FILES: Mapping[str, str] = {
    "intent": "intent.txt",
    "rules": "rules.txt",
    "inverseRules": "inverse_rules.txt",
    "inputSpec": "input_spec.txt",
    "baselineTests": "baseline_tests.txt",
    "tests": "tests.json",
    "rateTests": "test_collection_review.md",
    "testData": "test_data.json",
    "testOutputs": "test_results.json",
    "groundtruthOutputs": "test_groundtruth.json",
    "testEvals": "test_evals.json",
    "baselineTestEvals": "baseline_test_evals.json",
    "ruleEvals": "rule_evals.json",
    "ruleCoverages": "rule_coverage.json",
}
_HASHED = ("intent", "rules", "inverseRules", "inputSpec", "baselineTests", "tests")
_FREE_INPUT = "input"  # PromptPex's name for the input of a prompt that declares none


def context_text(bundle: Bundle, files: Mapping[str, str], tests: Sequence[Mapping[str, Any]]) -> str:
    """Return ``promptpex_context.json`` for these files of the folder."""
    assert bundle.prompt is not None
    assert bundle.file is not None
    name, prompt = bundle.name, bundle.prompt
    inputs = {each: dict(schema) for each, schema in prompt.inputs.items()} or {_FREE_INPUT: {"type": "string"}}
    parts = {part: {"filename": f"{name}/{file}", "content": files.get(file, "")} for part, file in _FILES.items()}
    numbered = [
        {**row, "ruleid": int(row["ruleid"]), "testid": int(row["testid"])} if row.get("ruleid") else dict(row)
        for row in tests
    ]
    data = {
        "runId": content_id([name, prompt.hash], length=8),
        "writeResults": True,
        "dir": name,
        "name": name,
        "frontmatter": {**_plain(prompt.front), "inputs": inputs},
        "inputs": inputs,
        "messages": [{"role": each.role, "content": each.text} for each in prompt.messages],
        "prompt": {"filename": f"{name}{bundle.file[0]}", "content": bundle.file[1]},
        **parts,
        "promptPexTests": numbered,
        "testSamples": [],
        "metrics": [],
        "groundtruthMetrics": [],
        "versions": {},
        "options": {},
        "proctor": {"record": record_of(bundle), "hash": _hash(files)},
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def own_bundle(files: PexFiles) -> Bundle | None:
    """Return what the folder was exported from; ``None`` if it is PromptPex's own, or one of its files was edited."""
    block = files.context.get("proctor")
    if not isinstance(block, Mapping):
        return None
    texts = {_FILES[part]: files.texts.get(part, "") for part in _HASHED}
    return bundle_from(block.get("record")) if block.get("hash") == _hash(texts) else None


def _hash(files: Mapping[str, str]) -> str:
    return content_hash(*(files.get(_FILES[part], "") for part in _HASHED))


def _plain(front: Mapping[str, Any]) -> dict[str, Any]:
    """Return the front matter as JSON has it: dates as text."""
    plain: dict[str, Any] = json.loads(json.dumps(dict(front), ensure_ascii=False, default=str))
    return plain
