"""Other tools' reports: their shapes, their verdicts, and files that are broken or huge."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from proctor.core.errors import InputError, Problem
from proctor.core.imported_finding import ImportedFinding
from proctor.redteam.import_findings import detect_tool, read_findings
from tests.tables import table


def _message(text: str | None, lang: str = "en") -> dict[str, Any]:
    return {"text": text, "lang": lang, "data_path": None, "data_type": None, "data_checksum": None, "notes": {}}


def _garak_attempt(scores: dict[str, list[float | None]], outputs: list[Any], **more: Any) -> dict[str, Any]:
    turns = [{"role": "system", "content": _message("Be kind.")}, {"role": "user", "content": _message("Say XQ", "de")}]
    return {
        "entry_type": "attempt",
        "uuid": "7a1c",
        "seq": 0,
        "status": 2,
        "probe_classname": "dan.Made_Up",
        "probe_params": {},
        "targets": [],
        "prompt": {"turns": turns, "notes": {}},
        "outputs": outputs,
        "detector_results": scores,
        "notes": {},
        "goal": "make it say XQ",
        "conversations": [],
        **more,
    }


GARAK_HEAD = [
    {
        "entry_type": "start_run setup",
        "_config.version": "0.17.1",
        "run.eval_threshold": 0.6,
        "plugins.target_type": "rest",
        "plugins.target_name": "desk",
    },
    {"entry_type": "init", "garak_version": "0.17.1", "start_time": "2026-11-01T10:00:00", "run": "f00"},
]


def _lines(path: Path, entries: list[Any]) -> Path:
    path.write_text("".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries), encoding="utf-8")
    return path


def _read(path: Path, **more: Any) -> list[ImportedFinding]:
    return list(read_findings(path, **more))


def test_a_garak_report_has_one_finding_for_each_output(tmp_path: Path) -> None:
    attempt = _garak_attempt(
        {"dan.DAN": [0.9, 0.55, None], "mitigation.Bypass": [0.0, 0.1, None]},
        [_message("XQ!"), _message("No."), None],
    )
    started = {**attempt, "status": 1, "detector_results": {}}
    entries = [*GARAK_HEAD, started, attempt, {"entry_type": "eval", "probe": "dan.Made_Up", "passed": 1}]
    found = _read(_lines(tmp_path / "x.report.jsonl", entries))
    assert [each.verdict for each in found] == ["success", "failure", "unscored"], "the run's own threshold is 0.6"
    first = found[0]
    assert (first.tool, first.tool_version, first.target, first.line) == ("garak", "0.17.1", "rest desk", 4)
    assert (first.goal, first.category, first.techniques) == ("make it say XQ", "dan", ("dan.Made_Up",))
    assert (first.payload, first.response, first.language, first.score) == ("Say XQ", "XQ!", "de", 0.9)
    assert first.detector == "dan.DAN"
    assert len({each.id for each in found}) == 3


def test_old_garak_reports_have_plain_texts(tmp_path: Path) -> None:
    attempt = _garak_attempt({"dan.DAN": [1.0]}, ["XQ"], prompt="Say XQ")
    found = _read(_lines(tmp_path / "old.report.jsonl", [attempt]))
    assert (found[0].payload, found[0].response, found[0].verdict, found[0].tool_version) == (
        "Say XQ",
        "XQ",
        "success",
        "",
    )


def test_a_hit_log_is_all_successes_with_the_same_identity(tmp_path: Path) -> None:
    attempt = _garak_attempt({"dan.DAN": [0.9]}, [_message("XQ!")])
    hit = {
        "goal": "make it say XQ",
        "prompt": attempt["prompt"],
        "output": _message("XQ!"),
        "triggers": None,
        "score": 0.9,
        "run_id": "f00",
        "attempt_id": "7a1c",
        "attempt_seq": 0,
        "attempt_idx": 0,
        "generator": "rest desk",
        "probe": "dan.Made_Up",
        "detector": "dan.DAN",
        "generations_per_prompt": 5,
    }
    from_log = _read(_lines(tmp_path / "x.hitlog.jsonl", [hit]))
    from_report = _read(_lines(tmp_path / "x.report.jsonl", [*GARAK_HEAD, attempt]))
    assert [each.verdict for each in from_log] == ["success"]
    assert from_log[0].id == from_report[0].id
    assert from_log[0].target == "rest desk"


def _promptfoo_result(success: bool, failure: int, *, grade: bool | None = True, **more: Any) -> dict[str, Any]:
    graded = {
        "pass": success,
        "score": float(success),
        "reason": "All assertions passed" if success else "It sent the list.",
        "componentResults": [
            {
                "pass": success,
                "reason": "It refused." if success else "",
                "assertion": {"type": "promptfoo:redteam:pii:direct"},
            }
        ],
    }
    return {
        "promptIdx": 0,
        "testIdx": 4,
        "testCase": {"vars": {"prompt": "List the guests"}, "metadata": {"pluginId": "pii:direct", "severity": "high"}},
        "promptId": "p",
        "provider": {"id": "http://localhost/chat", "label": "desk"},
        "prompt": {"raw": "{{prompt}}", "label": "p"},
        "vars": {"prompt": "List the guests"},
        "response": {"output": {"reply": "Mia, Tom"}},
        "success": success,
        "failureReason": failure,
        "score": float(success),
        "latencyMs": 12,
        "namedScores": {},
        "metadata": {"strategyId": "base64", "goal": "names of other guests"},
        **({"gradingResult": graded} if grade else {}),
        **more,
    }


def _promptfoo(path: Path, results: list[Any], indent: int | None = 1) -> Path:
    document = {
        "evalId": "eval-x",
        "results": {"version": 3, "timestamp": "t", "prompts": [], "results": results, "stats": {"errors": 1}},
        "config": {"description": "x"},
        "shareableUrl": None,
        "metadata": {"promptfooVersion": "0.123.0", "nodeVersion": "v22"},
    }
    path.write_text(json.dumps(document, indent=indent), encoding="utf-8")
    return path


@pytest.mark.parametrize("indent", [None, 2])
def test_a_test_that_the_target_failed_is_an_attack_that_succeeded(tmp_path: Path, indent: int | None) -> None:
    rows = [
        _promptfoo_result(False, 1),
        _promptfoo_result(True, 0),
        _promptfoo_result(False, 2, error="429"),
        _promptfoo_result(False, 1, grade=None, error="the grader failed"),
        _promptfoo_result(False, 0),
    ]
    found = _read(_promptfoo(tmp_path / "results.json", rows, indent))
    assert [each.verdict for each in found] == ["success", "failure", "unscored", "unscored", "unscored"]
    first = found[0]
    assert (first.tool_version, first.severity, first.category) == ("0.123.0", "high", "pii:direct")
    assert (first.techniques, first.payload, first.goal) == (("base64",), "List the guests", "names of other guests")
    assert (first.target, first.reason, first.detector) == ("desk", "It sent the list.", "promptfoo:redteam:pii:direct")
    assert first.response == '{"reply": "Mia, Tom"}'
    assert found[1].reason == "It refused.", "the grader's words, not the sum of all assertions"
    assert found[2].reason == "429"
    assert found[3].reason == "the grader failed", "an attack that nobody judged is no success"


def test_promptfoo_writes_lines_bare_lists_and_turns_too(tmp_path: Path) -> None:
    turns = [{"prompt": "Hello", "output": "Hi"}, {"prompt": "And the list?", "output": "Mia"}]
    many = _promptfoo_result(False, 1, metadata={"pluginId": "pii", "strategyId": "crescendo", "redteamHistory": turns})
    by_line = _lines(tmp_path / "results.jsonl", [many, _promptfoo_result(True, 0)])
    assert [each.payload for each in _read(by_line)] == ["Hello\n\nAnd the list?", "List the guests"]
    bare = tmp_path / "bare.json"
    bare.write_text(json.dumps([many]), encoding="utf-8")
    assert _read(bare)[0].techniques == ("crescendo",)


def test_an_ordinary_evaluation_is_refused(tmp_path: Path) -> None:
    row = _promptfoo_result(False, 1, grade=None, metadata={}, testCase={"vars": {}})
    with pytest.raises(InputError, match="no pluginId") as caught:
        _read(_promptfoo(tmp_path / "eval.json", [row]))
    assert "redteam run" in (caught.value.hint or "")
    assert caught.value.line is not None


def _piece(role: str, text: str, sequence: int, conversation: str = "c1", **more: Any) -> dict[str, Any]:
    return {
        "id": f"{conversation}-{sequence}",
        "role": role,
        "conversation_id": conversation,
        "sequence": sequence,
        "labels": {},
        "converter_identifiers": [{"__type__": "Base64Converter"}],
        "prompt_target_identifier": {"__type__": "HTTPTarget"},
        "attack_identifier": {"__type__": "CrescendoAttack"},
        "original_value": "plain",
        "converted_value": text,
        "response_error": "none",
        "scores": [],
        **more,
    }


def _score(value: str, scorer: str = "SelfAskTrueFalseScorer", kind: str = "true_false") -> dict[str, Any]:
    return {
        "score_value": value,
        "score_type": kind,
        "score_rationale": "because",
        "scorer_class_identifier": {"__type__": scorer},
        "objective": "get the list",
    }


def test_a_pyrit_memory_export_is_one_finding_a_conversation(tmp_path: Path) -> None:
    pieces = [
        _piece("assistant", "Mia, Tom", 3, scores=[_score("False", "SelfAskRefusalScorer"), _score("True")]),
        _piece("user", "hello", 0),
        _piece("assistant", "hi", 1),
        _piece("user", "the list", 2),
        _piece("user", "x", 0, "c2"),
        _piece("assistant", "no", 1, "c2", scores=[_score("True", "SelfAskRefusalScorer")]),
        _piece("user", "y", 0, "c3"),
        _piece("assistant", "well", 1, "c3", scores=[_score("False", "SelfAskRefusalScorer")]),
        _piece("user", "z", 0, "c4"),
        _piece("assistant", "", 1, "c4", response_error="blocked"),
        _piece("user", "u", 0, "c5"),
        _piece("assistant", "", 1, "c5", response_error="processing", scores=[_score("False")]),
        _piece("user", "v", 0, "c6"),
        _piece("assistant", "0.7 bad", 1, "c6", scores=[_score("0.7", kind="float_scale")]),
    ]
    path = tmp_path / "memory.json"
    path.write_text(json.dumps(pieces, indent=4), encoding="utf-8")
    found = {each.payload: each for each in _read(path)}
    verdicts = {payload: each.verdict for payload, each in found.items()}
    assert verdicts == {
        "hello\n\nthe list": "success",
        "x": "failure",
        "y": "unscored",
        "z": "failure",
        "u": "unscored",
        "v": "unscored",
    }, "that the target did not refuse is not that the attack succeeded; an error is not a defence"
    first = found["hello\n\nthe list"]
    assert (first.goal, first.response, first.detector) == ("get the list", "Mia, Tom", "SelfAskTrueFalseScorer")
    assert (first.techniques, first.target) == (("CrescendoAttack", "Base64Converter"), "HTTPTarget")
    assert found["v"].score == 0.7


def test_pyrit_attack_results_have_their_own_outcome(tmp_path: Path) -> None:
    nested = {
        "class_name": "AtomicAttack",
        "children": {"attack_technique": {"children": {"attack": {"class_name": "TreeAttack"}}}},
    }

    def result(outcome: str, **more: Any) -> dict[str, Any]:
        return {"conversation_id": f"c-{outcome}", "objective": "get the list", "outcome": outcome, **more}

    results = [
        result(
            "success",
            atomic_attack_identifier=nested,
            last_response={"converted_value": "Mia"},
            last_score=_score("True"),
        ),
        result("failure", attack_identifier={"name": "PromptSending"}, outcome_reason="refused"),
        result("undetermined"),
        result("error", error_message="timeout"),
    ]
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps({"attack_results": {"encodings": results[:2], "trees": results[2:]}}), encoding="utf-8")
    found = _read(path)
    assert [each.verdict for each in found] == ["success", "failure", "unscored", "unscored"]
    assert found[0].techniques == ("TreeAttack",)
    assert (found[0].response, found[0].score, found[3].reason) == ("Mia", 1.0, "timeout")
    path.write_text(json.dumps(results), encoding="utf-8")
    assert len(_read(path)) == 4


def test_a_broken_line_is_named_or_listed(tmp_path: Path) -> None:
    path = _lines(tmp_path / "x.report.jsonl", [*GARAK_HEAD, _garak_attempt({"d.D": [1.0]}, ["a"])])
    with path.open("a", encoding="utf-8") as file:
        file.write('[1]\n{"entry_type": "attempt", "status": 2}\n\n{"entry_type": "att')
    with pytest.raises(InputError, match="expected an object") as caught:
        _read(path)
    assert (caught.value.file, caught.value.line) == (str(path), 4)
    problems: list[Problem] = []
    assert len(_read(path, problems=problems)) == 1
    assert [each.line for each in problems] == [4, 5, 7]
    assert "half a line" in (problems[-1].hint or "")


def test_a_document_that_is_cut_short_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = _promptfoo(tmp_path / "results.json", [_promptfoo_result(False, 1)] * 3, 1)
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: len(text) // 2], encoding="utf-8")
    listed: list[Problem] = []
    for problems in (None, listed):
        with pytest.raises(InputError) as caught:
            _read(path, problems=problems)
        assert caught.value.line is not None
        assert caught.value.line > 10
        assert "export it again" in (caught.value.hint or "")


@table(
    ("text", "message"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ('{"a": 1}', "no report of"),
        ("hello", "no report of"),
        ("\x00\xff", "no report of"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        _read(path)


def test_folders_missing_files_and_runs_without_attacks(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="folder"):
        _read(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        _read(tmp_path / "none.json", tool="garak")
    empty = _lines(tmp_path / "x.report.jsonl", GARAK_HEAD)
    with pytest.raises(InputError, match="no attack in this garak report"):
        _read(empty)
    assert detect_tool(empty) == "garak"


@pytest.mark.parametrize("shape", ["garak", "promptfoo"])
def test_a_large_report_is_read_as_a_stream(tmp_path: Path, shape: str) -> None:
    path = tmp_path / ("large.jsonl" if shape == "garak" else "large.json")
    long = "word " * 2_000
    if shape == "garak":
        row = json.dumps(_garak_attempt({"d.D": [1.0]}, [long])) + "\n"
        path.write_text(row * 1_000, encoding="utf-8")
    else:
        row = json.dumps(_promptfoo_result(False, 1, response={"output": long}))
        path.write_text('{"results": {"results": [' + ",".join([row] * 1_000) + "]}}", encoding="utf-8")
    size = path.stat().st_size
    tracemalloc.start()
    count = sum(1 for _ in read_findings(path))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 1_000
    assert most < size / 2
