"""Check the rules of an agent's prompt over recorded conversations, and count the verdicts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from proctor.config import Config, RunSettings
from proctor.core.case import Case
from proctor.core.errors import InputError
from proctor.core.rule import Rule, RuleVerdict
from proctor.core.sockets import Model
from proctor.generate.extract_traces import extract_trace_rules, tools_in
from proctor.generate.rules_file import read_rules
from proctor.generate.stages.trace_rules import find_trace_rules
from proctor.project import Project
from proctor.prompts.load import load_prompt
from proctor.scorers.conversation.steps import parse_rule, vocabulary
from proctor.scorers.conversation.trace_rules import TraceRules, judged_by
from proctor.suites.conversations import open_conversations
from proctor.text.predicates import PredicateError
from proctor.wiring.models import ModelPool

__all__ = ["Broken", "RuleTally", "TraceJob", "TraceReport", "check_trace_rules", "read_trace_rules"]

_LOOKED_AT = 200  # conversations read to find the tool names
_AT_ONCE = 16  # conversations judged concurrently
_EXAMPLES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceJob:
    """The request: the rules, the recordings, and the models that may help."""

    recordings: tuple[Path, ...] = ()
    prompt: Path | None = None
    rules: Path | None = None
    format: str = "auto"
    model: str | None = None
    judges: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    light: bool = False
    run: RunSettings = field(default_factory=RunSettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A conversation that broke a rule, and the step; turns are counted from 0."""

    conversation: str
    turn: int | None
    step: str
    reason: str


@dataclass(slots=True, kw_only=True)
class RuleTally:
    """One rule, how it is decided, and in how many conversations it was kept, broken, n/a or not judged."""

    rule: Rule
    decided_by: str
    kept: int = 0
    broken: int = 0
    not_applicable: int = 0
    unknown: int = 0
    examples: list[Broken] = field(default_factory=list)
    unknown_because: str = ""

    def count(self, conversation: str, verdict: RuleVerdict) -> None:
        """Add one verdict."""
        match verdict.outcome:
            case "ok":
                self.kept += 1
            case "na":
                self.not_applicable += 1
            case "unknown":
                self.unknown += 1
                self.unknown_because = self.unknown_because or verdict.reason
            case _:
                self.broken += 1
                if len(self.examples) < _EXAMPLES:
                    self.examples.append(_broken(conversation, verdict))


@dataclass(slots=True, kw_only=True)
class TraceReport:
    """All rules with their counts; ``failed`` conversations broke at least one rule."""

    rules: list[RuleTally]
    conversations: int = 0
    failed: int = 0
    cost: float | None = None

    @property
    def judged(self) -> int:
        """The number of ok and err verdicts."""
        return sum(each.kept + each.broken for each in self.rules)


Heard = Callable[[Case, Rule, RuleVerdict], None]


async def read_trace_rules(config: Config, job: TraceJob) -> tuple[Rule, ...]:
    """Return the rules of the rule file, or else of the prompt; with a model also those that only it finds.

    Raises:
        InputError: neither is named, or one of them cannot be read.
        ModelError: the named model found no usable rule.
    """
    async with _model_pool(config, job) as model_pool:
        return await _rules(job, model_pool)


async def check_trace_rules(config: Config, job: TraceJob, heard: Heard | None = None) -> TraceReport:
    """Check every rule over every conversation; conversations are streamed.

    Raises:
        InputError: the rules or a recording cannot be read, or there is no rule to check.
        ModelError: the model found no rules.
    """
    async with _model_pool(config, job) as model_pool:
        rules = await _rules(job, model_pool)
        # Without judges, judged rules count as unknown; with the scorer's `light` they would not be counted at all.
        scorer = TraceRules(
            rules=rules,
            writes=job.writes,
            reads=job.reads,
            tool_effects=config.settings.tools,
            judges=_judges(config, job, model_pool),
        )
        report = TraceReport(rules=[RuleTally(rule=rule, decided_by=judged_by(rule)) for rule in rules])
        tallies = {each.rule.id: each for each in report.rules}
        cases = _cases(job)
        while group := list(islice(cases, _AT_ONCE)):
            checked = await asyncio.gather(*(_verdicts(scorer, case) for case in group))
            for case, verdicts in zip(group, checked, strict=True):
                _count(report, tallies, case, verdicts, heard)
        if not report.conversations:
            raise InputError("there is no conversation in it", file=str(job.recordings[0]) if job.recordings else None)
        return report


async def _verdicts(scorer: TraceRules, case: Case) -> list[tuple[Rule, RuleVerdict]]:
    rules = scorer.in_force(Case(id=case.id))  # the rules of the job, not those of the case
    if case.recorded is None or not rules:
        return []
    return list(zip(rules, await scorer.verdicts(rules, case, case.recorded), strict=True))


def _count(
    report: TraceReport,
    tallies: dict[str, RuleTally],
    case: Case,
    verdicts: Sequence[tuple[Rule, RuleVerdict]],
    heard: Heard | None,
) -> None:
    report.conversations += 1
    report.failed += any(verdict.outcome == "err" for _, verdict in verdicts)
    for rule, verdict in verdicts:
        tallies[rule.id].count(case.id, verdict)
        if (cost := verdict.extra.get("cost")) is not None:
            report.cost = (report.cost or 0.0) + cost
        if heard is not None:
            heard(case, rule, verdict)


def _broken(conversation: str, verdict: RuleVerdict) -> Broken:
    first = verdict.evidence[0] if verdict.evidence else None
    return Broken(
        conversation=conversation,
        turn=first.turn if first else None,
        step=first.quote if first else "",
        reason=verdict.reason,
    )


async def _rules(job: TraceJob, model_pool: ModelPool) -> tuple[Rule, ...]:
    if job.prompt is None and job.rules is None:
        raise InputError("there are no rules to check", hint="name the agent's prompt with --prompt, or --rules FILE")
    rules: tuple[Rule, ...] = ()
    if job.rules is not None:
        rules, _ = read_rules(job.rules, reads=parse_rule)
    elif job.prompt is not None:
        prompt = load_prompt(job.prompt)
        tools = sorted({*tools_in(prompt), *_tools_called(job)})
        rules = extract_trace_rules(prompt, readable=_readable, tools=tools)
        if job.model is not None:
            forms = [entry.example for entry in vocabulary() if entry.family != "steps"]
            model = model_pool.get(job.model, role="judge")
            found = await find_trace_rules(
                model, prompt, readable=_readable, forms=forms, tools=tools, known=[r for r in rules if r.predicate]
            )
            rules = _together(rules, found)
    in_force = tuple(rule for rule in rules if not rule.disabled and rule.inverse_of is None)
    if not in_force:
        source = job.rules or job.prompt
        raise InputError("no rule was found in it", file=str(source), hint="write rules yourself: docs/trace_rules.md")
    return in_force


def _together(rules: Sequence[Rule], found: Sequence[Rule]) -> tuple[Rule, ...]:
    """Return the rules by code and by the model; for the same source text, the one with a predicate is kept."""
    checked = [rule for rule in found if rule.predicate]
    left = [rule for rule in rules if rule.predicate or not any(_overlap(rule, each) for each in checked)]
    taken = {rule.predicate for rule in left if rule.predicate}
    new = [each for each in checked if each.predicate not in taken]
    new += [each for each in found if not each.predicate and not any(_overlap(each, rule) for rule in left)]
    return tuple({rule.id: rule for rule in (*left, *new)}.values())


def _overlap(one: Rule, other: Rule) -> bool:
    if one.source is None or other.source is None:
        return False
    return one.source.start < other.source.end and other.source.start < one.source.end


def _readable(text: str) -> str | None:
    try:
        return parse_rule(text).text
    except PredicateError:
        return None


def _cases(job: TraceJob) -> Iterator[Case]:
    for recording in job.recordings:
        yield from open_conversations(recording, job.format)


def _tools_called(job: TraceJob) -> set[str]:
    looked = (case.recorded for case in islice(_cases(job), _LOOKED_AT) if case.recorded is not None)
    return {call.name for run in looked for call in run.tool_calls if call.name}


def _judges(config: Config, job: TraceJob, model_pool: ModelPool) -> tuple[Model, ...]:
    if job.light:
        return ()
    own = config.settings.judge
    named = job.judges or ((own,) if own else ())
    return tuple(model_pool.get(None if name == "default" else name, role="judge") for name in dict.fromkeys(named))


@asynccontextmanager
async def _model_pool(config: Config, job: TraceJob) -> AsyncIterator[ModelPool]:
    async with Project(config) as project:
        yield project.model_pool(job.run)
