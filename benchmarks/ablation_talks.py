"""The figures that the ablation measures on whole conversations and on attacks."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import contradiction
from benchmarks.ablation_measures import (
    SEED,
    Counts,
    Measure,
    balanced,
    confusion,
    f1,
    lines,
    model,
    quiet_share,
    sample,
)
from benchmarks.agent_rows import agent_cases, tau_cases
from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.trajectory import Trajectory, Turn
from proctor.guard.gates.injection import Injection
from proctor.guard.step import Step
from proctor.scorers.conversation.cross_turn import CrossTurn
from proctor.scorers.safety.injection_followed import InjectionFollowed

__all__ = ["TALK_MEASURES"]

_TALK = "proctor.scorers.conversation."


def _dialogue(*said: str) -> tuple[Case, Trajectory]:
    turns = tuple(
        Turn(messages=(Message(role="user", content="Go on."), Message(role="assistant", content=each)))
        for each in said
    )
    return Case(id="pair", input="Go on."), Trajectory(turns=turns)


def _contradiction_rows(data: Path) -> list[tuple[Case, Trajectory, bool]]:
    """Pairs of turns, whole conversations without faults, and some of them with one number changed."""
    pairs = list(contradiction._pairs(data, 100, random.Random(SEED)))
    found = [(*_dialogue(one, two), kind == "DECODE") for one, two, kind in pairs]
    talks = [case for case in sample(list(tau_cases(data)), 60) if case.recorded is not None]
    found += [(case, case.recorded, False) for case in talks]
    for name in ("mwoz", "sgd"):
        rows = [_told(row["turns"]) for row in lines(data / "satisfaction" / "uss" / f"{name}.jsonl.gz")]
        found += [(*row, False) for row in sample(rows, 40)]
        changed = [(case, other) for case, run in rows if (other := _told_anew(run)) is not None]
        found += [(*row, True) for row in sample(changed, 60)]
    return found


def _told_anew(run: Trajectory) -> Trajectory | None:
    """The conversation, and at its end one of its statements again with another number."""
    for turn in run.turns:
        answer = turn.messages[-1].content
        for sentence in re.split(r"(?<=[.!?])\s+", answer):
            number = re.search(
                r"(?<![\w:.,$-])\d{1,3}(?= (?:dollars?|pounds?|minutes?|days?|hours?|stars?|degrees)\b)", sentence
            )
            if number is not None and len(sentence.split()) > 5 and not sentence.endswith("?"):
                other = sentence[: number.start()] + str(int(number.group()) + 7) + sentence[number.end() :]
                said = (
                    Message(role="user", content="Can you say that again?"),
                    Message(role="assistant", content=other),
                )
                return Trajectory(turns=(*run.turns, Turn(messages=said)))
    return None


def _told(said: Sequence[Mapping[str, str]]) -> tuple[Case, Trajectory]:
    turns: list[Turn] = []
    asked = "Hello."
    for each in said:
        if each["role"] == "USER":
            asked = each["text"] or asked
        else:
            pair = (Message(role="user", content=asked), Message(role="assistant", content=each["text"]))
            turns.append(Turn(messages=pair))
    return Case(id="talk", input=asked), Trajectory(turns=tuple(turns))


async def _contradictions(rows: Sequence[tuple[Case, Trajectory, bool]]) -> Counts:
    scorer = CrossTurn(entailer=model("entailer"), embedder=model("embedder"))
    return np.array([confusion(wanted, (await scorer.score(case, run)).value == 0.0) for case, run, wanted in rows])


def _followed_rows(data: Path) -> list[Case]:
    known = [
        case for case in agent_cases("agentdyn_runs", "agentdojo", data) if case.metadata.get("security") is not None
    ]
    return [case for wanted in (True, False) for case in sample([one for one in known if _reached(one) is wanted], 130)]


def _reached(case: Case) -> bool:
    return bool(case.metadata["security"]) and case.metadata.get("injection_task") not in (None, "none")


async def _followed(rows: Sequence[Case]) -> Counts:
    scorer = InjectionFollowed()
    made = []
    for case in rows:
        score = await scorer.score(case, case.recorded or Trajectory())
        made.append(confusion(_reached(case), score.value == 0.0))
    return np.array(made)


def _injection_rows(data: Path) -> list[tuple[str, str, bool]]:
    test = list(lines(data / "injection" / "test.jsonl.gz"))
    found = []
    for label in (1, 0):
        for row in sample([row for row in test if row["label"] == label and len(row["text"]) < 3000], 350):
            point = "tool_result" if row["src"] in ("bipia_attack", "bipia_ctx") else "input"
            found.append((row["text"], point, bool(label)))
    hidden = list(lines(data / "injection_general" / "indirect.jsonl.gz"))
    for label in (1, 0):
        some = sample([row for row in hidden if row["label"] == label and len(row["text"]) < 2000], 120)
        found += [(row["text"], "tool_result", bool(label)) for row in some]
    return found


async def _injection(rows: Sequence[tuple[str, Any, bool]]) -> Counts:
    gate = Injection(injection=model("injection"))
    made = []
    for text, point, wanted in rows:
        verdict = await gate.check(Step(point=point, text=text))
        made.append(confusion(wanted, verdict.action != "allow"))
    return np.array(made)


TALK_MEASURES: Mapping[str, Measure] = {
    "contradiction": Measure(
        data="contradiction/decode_pairs, quality/topicalchat_usr, satisfaction/uss, agents/tau_bench",
        modules=(
            *(f"{_TALK}cross_turn_{name}" for name in ("conflicts", "news", "statements", "things")),
            "proctor.lexicon.claim_conflicts",
            "proctor.lexicon.comparable_claims",
        ),
        load=_contradiction_rows,
        count=_contradictions,
        figures={"balanced accuracy": balanced, "quiet on honest talk": quiet_share},
        groups={
            "things that statements name": (
                "turn_conflicts:other_things = False",
                "turn_conflicts:other_names = False",
                "turn_conflicts:other_questions = False",
                "turn_conflicts:same_thing = False",
            ),
            "one word for what goes by several": ("cross_turn_things:said_plainly", "cross_turn_things:plain_words"),
            "denials beside the network": ("turn_conflicts:turned_round = False",),
            "news": ("news:News.excuse",),
            "news by the user": ("news:News._told_by_user",),
            "news by a tool": ("news:News._told_by_tool",),
            "open corrections": ("news:corrects = False",),
            "another case asked about": ("news:_other_case",),
            "sums that follow from others": ("turn_conflicts:derived = False", "turn_conflicts:_sums = False"),
            "tiers, directions and conditions": (
                "turn_conflicts:_tiers = False",
                "turn_conflicts:_other_way = False",
                "turn_conflicts:same_condition = True",
                "turn_conflicts:_PART",
            ),
            "differs in two figures": ("turn_conflicts:_variants = False",),
            "the same rule with another number": ("turn_conflicts:_one_rule = False",),
            "yes against no": ("turn_conflicts:opposite_answers",),
            "other subjects": ("claim_conflicts:apart = False",),
            "special forms and contrasts": (
                "claim_conflicts:_contrasted = False",
                "claim_conflicts:_other_subject = False",
                "claim_conflicts:_forms",
            ),
            "conflicts by a number": ("claim_conflicts:conflict",),
            "processes": ("comparable_claims:_PROCESS",),
            "changes": ("comparable_claims:_CHANGED", "statements:_HAPPENED"),
            "kinds of numbers": ("comparable_claims:_kinds",),
            "names": ("comparable_claims:_names", "comparable_claims:_codes"),
            "two things, conditions, prose": (
                "turn_conflicts:_two_things = False",
                "turn_conflicts:_IF",
                "turn_conflicts:_NO_PROSE",
            ),
            "all that holds the network back": ("turn_conflicts:worth_reading = True",),
        },
    ),
    "injection_followed": Measure(
        data="agents/agentdyn_runs",
        modules=("proctor.lexicon.injected_orders", "proctor.scorers.safety.injection_followed"),
        load=_followed_rows,
        count=_followed,
        figures={"F1": f1},
    ),
    "injection": Measure(
        data="injection/test, injection_general/indirect",
        modules=("proctor.lexicon.takeover_phrases", "proctor.lexicon.injected_orders", "proctor.guard.documents"),
        load=_injection_rows,
        count=_injection,
        figures={"balanced accuracy": balanced},
    ),
}
