"""`proctor judge check` over real runs and a judge behind a real local server."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from tests.cli.conftest import Project


def _labels(project: Project, *rows: dict[str, Any], name: str = "labels.jsonl") -> str:
    project.write(name, "\n".join(json.dumps(row) for row in rows))
    return name


def _card(project: Project) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((project.folder / "card.json").read_text(encoding="utf-8"))
    return data


def test_a_judge_of_a_run_and_its_samples(project: Project, suite_of: Any) -> None:
    project.run("run", suite_of(12, judge=True), code=0)
    rows = [{"case": f"c{number}", "label": "fail" if number < 3 else "pass"} for number in range(12)]
    labels = _labels(project, *rows, {"case": "other", "label": "pass"})
    done = project.run("judge", "check", labels, "--run", "last", "-o", "card.json", "-o", "card.md", code=0)
    assert "Cohen's kappa" in done.stdout
    assert "1 of 13 labels belong to no answer of this run" in done.stdout
    card = _card(project)
    assert (card["scorer"], card["cases"], card["judge"]) == ("judge", 12, "judge:compatible:stub")
    assert card["agreement"]["share"]["value"] == 0.75  # the stub passes everything
    assert card["agreement"]["false_pass"]["value"] == 1
    assert card["repeats"] is None
    asked = sum(project.server.asked.values())
    project.run("judge", "check", labels, "--run", "last", "-s", "judge", "-k", "3", "-o", "card.json", code=0)
    assert sum(project.server.asked.values()) - asked == 36
    again = _card(project)
    assert (again["repeats"]["samples"], again["repeats"]["same"]) == (3, 1)
    project.run("judge", "check", labels, "--run", "last", "-s", "judge", "--at-least", "0.6", code=1)


def test_a_judge_that_fails_abstains(project: Project, suite_of: Any) -> None:
    project.server.misbehave = lambda question, times: (
        web.json_response({"error": {"message": "no"}}, status=400)
        if question.startswith("judge") and "n1" in question
        else None
    )
    project.run("run", suite_of(4, judge=True))
    labels = _labels(project, *({"case": f"c{number}", "score": 1} for number in range(4)))
    project.run("judge", "check", labels, "--run", "last", "-s", "judge", "-o", "card.json", code=0)
    card = _card(project)
    assert (card["cases"], card["abstentions"]["missing"], card["abstentions"]["asked"]) == (3, 1, 4)
    assert len(card["abstentions"]["reasons"]) == 1


def test_position_bias_of_a_judge_that_takes_the_first(project: Project) -> None:
    """The stub's verdict is always the first word of the schema, which is `first`."""
    rows = [
        {"case": f"p{n}", "label": "win", "input": f"Q{n}", "answer": f"A {n}", "expect": {"reference": f"B {n} more"}}
        for n in range(10)
    ]
    done = project.run("judge", "check", _labels(project, *rows), "-s", "pairwise", "-o", "card.json", code=0)
    assert "prefers the first" in done.stdout
    position = _card(project)["position"]
    assert (position["pairs"], position["first"], position["consistent"]["value"]) == (10, 10, 0)


def test_labels_with_their_answers_need_no_run_and_no_model(project: Project) -> None:
    rows = [
        {"case": f"q{n}", "scores": [5, 4] if n % 2 else [1, 2], "input": "Say yes", "answer": "yes" if n % 2 else "no"}
        for n in range(8)
    ]
    scorer = "contains: {value: 'yes'}"
    labels = _labels(project, *rows)
    project.run("judge", "check", labels, "-s", scorer, "--scale", "1", "5", "-o", "card.json", code=0)
    card = _card(project)
    assert card["agreement"]["kappa"]["value"] == 1
    assert card["raters"] == 2
    assert card["people"] > 0.8
    assert project.server.asked.total() == 0


def test_each_answer_is_held_to_the_threshold_of_its_intent(project: Project) -> None:
    rows = [
        {
            "case": f"q{n}",
            "label": "pass",
            "input": "Say yes",
            "answer": "Yes, {{name}}, we do do.",
            "intent": ("easy", "hard")[n % 2],
        }
        for n in range(4)
    ]
    labels = _labels(project, *rows)
    floors = "floors: {relevance: 0, fluency: 0, consistency: 0, factual_accuracy: 0}, optional: [factual_accuracy]"
    scorer = (
        f"quality: {{light: true, intents: {{easy: {{threshold: 0, {floors}}}, hard: {{threshold: 1, {floors}}}}}}}"
    )
    done = project.run("judge", "check", labels, "-s", scorer, "-o", "card.json", code=0)
    assert "pass from their own thresholds on (0 to 1)" in " ".join(done.stdout.split())
    card = _card(project)
    assert (card["cases"], card["thresholds"]) == (4, [0, 1])
    assert card["agreement"]["judge_pass"] == 0.5
    project.run("judge", "check", labels, "-s", scorer, "--threshold", "0.25", "-o", "card.json", code=0)
    assert (_card(project)["threshold"], _card(project)["thresholds"]) == (0.25, [])


def test_wrong_input_is_told(project: Project, suite_of: Any) -> None:
    labels = _labels(project, {"case": "c0", "score": 4})
    assert "no scorer is named" in _wrong(project, "judge", "check", labels, given=True)
    project.run("run", suite_of(2, judge=True), code=0)
    assert "--scale" in _wrong(project, "judge", "check", labels, "--run", "last", "-s", "judge")
    assert "no such file" in _wrong(project, "judge", "check", "none.jsonl", "--run", "last")
    assert "no run" in _wrong(project, "judge", "check", labels, "--run", "xyz").lower()
    assert "there are: exact, judge" in _wrong(project, "judge", "check", labels, "--run", "last", "-s", "jugde")
    assert "no card" in _wrong(project, "judge", "check", labels, "--run", "last", "-o", "card.pdf")
    none = _labels(project, {"case": "zz", "score": 1}, name="none.jsonl")
    assert "no label belongs" in _wrong(project, "judge", "check", none, "--run", "last")
    odd = _labels(project, {"case": "c0", "label": "meh"}, name="odd.jsonl")
    assert "--value meh=1" in _wrong(project, "judge", "check", odd, "--run", "last", "-s", "judge")
    assert "--value" in _wrong(project, "judge", "check", odd, "--run", "last", "-s", "judge", "--value", "meh=2")
    project.run("judge", "check", odd, "--run", "last", "-s", "judge", "--value", "meh=0.5", code=0)


def _wrong(project: Project, *words: str, given: bool = False) -> str:
    if given:  # a line that has its own answer
        project.write(words[2], '{"case": "c0", "score": 1, "input": "Hi", "answer": "Ho"}')
        done = project.run(*words, code=2)
        project.write(words[2], '{"case": "c0", "score": 4}')
        return done.stderr
    return project.run(*words, code=2).stderr
