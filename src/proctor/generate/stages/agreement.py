"""Check whether the specification can replace the prompt: its answers are judged against the prompt."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from proctor.core.case import Case
from proctor.core.chat import Message, Request
from proctor.core.errors import ModelError
from proctor.core.sockets import Model
from proctor.generate.build_case import Brief
from proctor.generate.stages.model_stage import Question, ask, stage_prompt
from proctor.generate.stages.validate_artefacts import shown_inputs, verdict_reader, verdict_schema

__all__ = ["SpecificationAnswer", "check_agreement"]

_VERDICTS = ("ok", "err", "unsure")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecificationAnswer:
    """The specification's answer to one test, and whether judges accept it as the prompt's answer.

    ``ok`` is ``None`` if no judge could decide, or if they are split.
    """

    case: str
    output: str
    ok: bool | None
    reason: str = ""
    judges: tuple[str, ...] = ()


async def check_agreement(model: Model, judges: Sequence[Model], brief: Brief, case: Case) -> SpecificationAnswer:
    """Answer the test by intent and rules instead of the prompt, and judge whether that fits the prompt.

    Raises:
        ModelError: the model did not answer.
    """
    system = stage_prompt("agreement").fill(
        "specification",
        intent=brief.spec.intent or "answer as the rules say",
        rules="\n".join(f"- {rule.text}" for rule in brief.spec.enabled),
    )
    messages = (Message(role="system", content=system), Message(role="user", content=shown_inputs(case)))
    output = (await model.complete(Request(messages=messages, sampling=brief.prompt.sampling))).text.strip()
    opinions = await asyncio.gather(*(_opinion(judge, brief, case, output) for judge in judges))
    votes = Counter(opinion[0] for opinion in opinions if opinion and opinion[0] != "unsure")
    ok = None if votes["ok"] == votes["err"] else votes["ok"] > votes["err"]
    word = {True: "ok", False: "err", None: ""}[ok]
    reason = next((opinion[1] for opinion in opinions if opinion and opinion[0] == word), "no verdict")
    return SpecificationAnswer(
        case=case.id, output=output, ok=ok, reason=reason, judges=tuple(judge.name for judge in judges)
    )


async def _opinion(judge: Model, brief: Brief, case: Case, output: str) -> tuple[str, str] | None:
    question = Question(
        stage="agreement",
        material=[
            ("prompt under test", brief.prompt.text),
            ("input", shown_inputs(case)),
            ("answer", output or "(empty)"),
        ],
        schema=verdict_schema(_VERDICTS),
        holes={},
    )
    try:
        verdict: tuple[str, str] = await ask(judge, question, verdict_reader(_VERDICTS))
    except ModelError:
        return None
    return verdict
