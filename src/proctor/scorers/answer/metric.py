"""Score the answer with a custom metric: a `.metric.prompty` file that judges follow."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from statistics import fmean
from typing import Any, ClassVar

from proctor.core.case import Case
from proctor.core.chat import Message, Request
from proctor.core.codec import dumps
from proctor.core.errors import ModelError, PromptError
from proctor.core.score import Score
from proctor.core.sockets import Model, socket
from proctor.core.trajectory import Trajectory
from proctor.prompts.load import parse_prompt
from proctor.prompts.render import CompiledPrompt, compile_prompt
from proctor.scorers.checked_answers import last_expectation, no_answer, quoted, skipped, unjudged
from proctor.scorers.judge_rule import inputs_of
from proctor.scorers.metric_reply import read_score, read_word
from proctor.scorers.prompt_file import prompt_file
from proctor.text.delimiters import fence

__all__ = ["VARIABLES", "Metric"]

VARIABLES = ("prompt", "intent", "inputSpec", "rules", "input", "output", "groundtruth")
_TRUTH = "groundtruth"
_ASKS_FOR_TRUTH = re.compile(r"\{%-?\s*(?:el)?if\b[^%]*\bgroundtruth\b")
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"explanation": {"type": "string"}, "score": {"type": "number"}},
    "required": ["explanation", "score"],
    "additionalProperties": False,
}
_RAW = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """Judges score the answer by a custom prompt, from 0 to 100 or as OK or ERR."""

    name: ClassVar[str] = "metric"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = None
    primary: ClassVar[str | None] = "prompt"

    prompt: str
    about: Mapping[str, str] = field(default_factory=dict)
    judges: tuple[Model, ...] | None = socket(optional=True)

    def __post_init__(self) -> None:
        try:
            compiled = _compiled(self.prompt)
        except PromptError as error:
            raise ValueError(f"the metric is no prompt: {error}") from error
        if not compiled.prompt.messages:
            raise ValueError("the metric is empty: write what makes an answer good")
        unknown = sorted(compiled.variables - set(VARIABLES) - compiled.prompt.defaults.keys())
        if unknown:
            raise ValueError(f"the metric asks for {', '.join(unknown)}; it may ask for {', '.join(VARIABLES)}")
        if wrong := sorted(set(self.about) - set(VARIABLES)):
            raise ValueError(f"about has {', '.join(wrong)}, which is none of {', '.join(VARIABLES)}")

    @property
    def revision(self) -> str:
        """Return the version with the hash of the metric, so that scores from different texts differ in it."""
        return f"{self.version}+{_compiled(self.prompt).prompt.hash[:8]}+{prompt_file('metric').hash}"

    @property
    def scores(self) -> bool:
        """Whether the metric scores from 0 to 100 (tag `scorer`); otherwise the result is OK or ERR."""
        tags = _compiled(self.prompt).prompt.front.get("tags")
        return isinstance(tags, Sequence) and "scorer" in tags

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Ask every judge once; return the mean of the valid scores and their spread."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        values = self._values(case, run)
        if not values[_TRUTH] and _needs_truth(self.prompt):
            return skipped(self, "it compares with a groundtruth, and the test has none")
        if not self.judges:
            return unjudged(self, "it takes a judge, and there is none")
        try:
            request = self._request(values)
        except PromptError as error:
            return unjudged(self, f"the metric cannot be filled in: {quoted(str(error))}")
        parts = await asyncio.gather(*(self._asked(judge, request) for judge in self.judges))
        return parts[0] if len(parts) == 1 else self._together(parts)

    def _values(self, case: Case, run: Trajectory) -> dict[str, str]:
        """Return the template variables; texts about the tested prompt come from the settings."""
        inputs = inputs_of(case, run)
        truth = next((each.reference for each in last_expectation(case, run) if each.reference), "")
        own = {
            "input": next(iter(inputs.values())) if len(inputs) == 1 else dumps(inputs).decode() if inputs else "",
            "output": run.answer,
            _TRUTH: truth,
        }
        return {name: own.get(name, self.about.get(name, "")) for name in VARIABLES}

    def _request(self, values: Mapping[str, str]) -> Request:
        """Build the request with every value fenced, so that no answer can address the judge; empty values stay."""
        blocks, code = fence([(name, text) for name, text in values.items() if text])
        fenced = {found.group(1): found.group() for found in _blocks(blocks, code)}
        compiled = _compiled(self.prompt)
        filled = compiled.render({**dict.fromkeys(VARIABLES, ""), **fenced})
        return Request(
            messages=_with_note(filled, prompt_file("metric").fill("note", code=code)),
            schema=_SCHEMA if self.scores else None,
            schema_name="score",
            sampling=compiled.prompt.sampling,
        )

    async def _asked(self, judge: Model, request: Request) -> Score:
        signed: dict[str, Any] = {"name": self.name, "version": self.revision, "producer": f"judge:{judge.name}"}
        try:
            reply = await judge.complete(request)
        except ModelError as error:
            raw = quoted(getattr(error, "raw", ""), _RAW) or None
            reason = f"no score from the judge: {quoted(error.message, 500)}"
            return Score(**signed, status="error", reason=reason, raw=raw)
        signed |= {"cost": reply.cost, "raw": quoted(reply.text, _RAW) or None}
        if self.scores:
            score, said, wrong = read_score(reply.data)
            if score is None:
                return Score(**signed, status="error", reason=wrong)
            return Score(**signed, value=score / 100, measured=score, reason=quoted(said, 1000) or "no explanation")
        word, wrong = read_word(reply.text)
        if word is None:
            return Score(**signed, status="error", reason=wrong)
        reason = quoted(reply.text.strip(), 1000)
        return Score(**signed, value=float(word == "ok"), label=word, reason=reason)

    def _together(self, parts: Sequence[Score]) -> Score:
        """Return the mean of the judges that gave a score, with the spread between them."""
        named = tuple(_renamed(part) for part in parts)
        costs = [part.cost for part in parts if part.cost is not None]
        told: dict[str, Any] = {"name": self.name, "version": self.revision, "parts": named}
        told["producer"] = "judge:" + "+".join(dict.fromkeys(part.name for part in named))
        told["cost"] = sum(costs) if len(costs) == len(parts) else None
        values = [part.value for part in parts if part.value is not None]
        if not values:
            return Score(**told, status="error", reason=f"none of {len(parts)} judges gave a score: {parts[0].reason}")
        mean, spread = fmean(values), max(values) - min(values)
        lost = len(parts) - len(values)
        reason = f"mean of {len(values)} judges, {spread * 100:.0f} points apart" + (
            f"; {lost} gave none" if lost else ""
        )
        return Score(
            **told,
            value=min(1.0, max(0.0, mean)),  # rounding can move a mean slightly out of range
            measured=mean * 100 if self.scores else None,
            confidence=(1 - spread) * len(values) / len(parts),
            reason=reason,
        )


def _renamed(part: Score) -> Score:
    return replace(part, name=part.producer.removeprefix("judge:"))


def _blocks(blocks: str, code: str) -> Iterator[re.Match[str]]:
    """Iterate over the fenced values; the code occurs in none of them, so no block ends early."""
    return re.finditer(rf"<<<{code} (\w+)\n.*?\n{code}>>>", blocks, re.DOTALL)


def _with_note(messages: Sequence[Message], note: str) -> tuple[Message, ...]:
    """Append the note to the system message: some models accept only one system message."""
    if messages and messages[0].role == "system":
        return (replace(messages[0], content=f"{messages[0].content}\n\n{note}"), *messages[1:])
    return (Message(role="system", content=note), *messages)


@lru_cache(maxsize=64)
def _compiled(text: str) -> CompiledPrompt:
    """Parse and compile the metric once for all answers."""
    return compile_prompt(parse_prompt(text, name="metric"))


@lru_cache(maxsize=64)
def _needs_truth(text: str) -> bool:
    """Whether the metric needs a groundtruth: it uses the variable without testing that it is set."""
    return _TRUTH in _compiled(text).variables and not _ASKS_FOR_TRUTH.search(text)
