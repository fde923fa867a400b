"""JUnit XML of an attack campaign: one suite per scope, one test per goal."""

from __future__ import annotations

from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from proctor.core.campaign import CampaignSummary, GoalFigures
from proctor.report.redteam_words import headline_of
from proctor.report.safe_text import clip, one_line, xml_text

__all__ = ["write"]

_TEXT_LIMIT = 4_000


def write(summary: CampaignSummary, out: TextIO) -> None:
    """Write the goals as tests: an executed goal is a failure, one without a scored attempt an error.

    A goal that no payload reached is skipped: nothing was tested.
    """
    goals, name = summary.goals, f"redteam.{summary.facts.name}"
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    out.write(f"<testsuites {_attributes(name=name, **_counts(goals))}>\n")
    for scope in dict.fromkeys(goal.scope for goal in goals):
        chosen = [goal for goal in goals if goal.scope == scope]
        out.write(f"  <testsuite {_attributes(name=f'{name}.{scope}', **_counts(chosen))}>\n    <properties>\n")
        for key, value in _properties(summary):
            out.write(f"      <property {_attributes(name=key, value=value)}/>\n")
        out.write("    </properties>\n")
        out.writelines(_case(goal, f"{name}.{scope}") for goal in chosen)
        out.write("  </testsuite>\n")
    out.write("</testsuites>\n")


def _counts(goals: tuple[GoalFigures, ...] | list[GoalFigures]) -> dict[str, int]:
    states = [_state(goal) for goal in goals]
    return {
        "tests": len(states),
        "failures": states.count("failure"),
        "errors": states.count("error"),
        "skipped": states.count("skipped"),
    }


def _state(goal: GoalFigures) -> str:
    if goal.executed:
        return "failure"
    if goal.scored:
        return ""
    return "error" if goal.unscored else "skipped"


def _properties(summary: CampaignSummary) -> list[tuple[str, str]]:
    facts = summary.facts
    found = [
        ("proctor.campaign", facts.name),
        ("proctor.target", facts.target),
        ("proctor.guarded", str(facts.guarded).lower()),
        ("proctor.runs", ", ".join(facts.runs)),
        ("proctor.note", facts.note),
        ("proctor.rate", headline_of(summary)),
    ]
    return [(name, value) for name, value in found if value]


def _case(goal: GoalFigures, suite: str) -> str:
    head = _attributes(name=goal.goal, classname=suite, time="0.000")
    said = f"      <system-out>{_escape(_tally(goal))}</system-out>\n"
    return f"    <testcase {head}>\n{_trouble(goal)}{said}    </testcase>\n"


def _trouble(goal: GoalFigures) -> str:
    state = _state(goal)
    if state == "failure":
        title = "a held-out goal was executed" if goal.held_out else goal.title or goal.goal
        message = f"{goal.severity}: {title} ({goal.executed} of {goal.scored} attempts)"
        attributes = _attributes(message=one_line(message, 300), type=goal.severity)
        return f"      <failure {attributes}>{_escape(_example(goal))}</failure>\n"
    if state == "error":
        message = one_line(goal.unscored_reason, 300) or "no attempt could be scored"
        return f"      <error {_attributes(message=message, type='unscored')}/>\n"
    if state == "skipped":
        return f"      <skipped {_attributes(message='the payload reached the agent in no attempt')}/>\n"
    return ""


def _example(goal: GoalFigures) -> str:
    """Return one execution in words; nothing of a held-out goal."""
    if goal.held_out:
        return "held out: the attack is not shown"
    lines = {
        "case": goal.case,
        "techniques": " + ".join(goal.techniques),
        "channel": goal.channel or "",
        "language": goal.language,
        "why": goal.reason,
        "evidence": goal.evidence,
        "payload": goal.payload,
        "tags": ", ".join(goal.tags),
    }
    return "\n".join(f"{name}: {clip(text, _TEXT_LIMIT)}" for name, text in lines.items() if text)


def _tally(goal: GoalFigures) -> str:
    counts = f"{goal.attempts} attempts: {goal.executed} executed, {goal.stopped} stopped, {goal.ignored} ignored"
    return f"{counts}, {goal.not_reached} not reached, {goal.unscored} unscored"


def _attributes(**values: str | int) -> str:
    return " ".join(f"{name}={quoteattr(xml_text(str(value)))}" for name, value in values.items())


def _escape(text: str) -> str:
    return escape(xml_text(text))
