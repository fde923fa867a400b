"""Record the provenance of a folder: sources, models, settings and cost.

It contains no time, so the same prompt, settings and answers give the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from proctor.core.case import Case
from proctor.core.codec import content_id, encode
from proctor.core.generated_test import PERSON, GeneratedTest
from proctor.generate.artefacts import BY_PERSON, INPUTS, INTENT, Artefacts
from proctor.generate.generation_request import Made, Makers, Order
from proctor.generate.reuse_existing import case_digest, made_from

__all__ = ["by_strategy", "order_id", "provenance_of"]

FORMAT = 1
_BY_CODE = "extractor-1"
_STAGES = (
    "intent",
    "inputs",
    "rules",
    "opposites",
    "tests",
    "expand",
    "baseline",
    "groundedness",
    "validity",
    "truth",
    "agreement",
)


def order_id(order: Order, makers: Makers) -> str:
    """Return a hash of everything that determines the result: the same order on the same files has nothing to do."""
    return content_id(
        [
            order.prompt.hash,
            made_from(order),
            asdict(order.effort),
            [order.seed, order.cross_check, order.most_tests, order.threshold, order.agreement],
            [encode(scenario) for scenario in order.scenarios],
            dict(order.instructions),
            _names(makers),
            _versions(makers),
        ]
    )


def provenance_of(
    order: Order,
    makers: Makers,
    made: Made,
    before: Artefacts,
    spend: Sequence[Mapping[str, Any]],
    *,
    edited: Collection[str] = (),
) -> dict[str, Any]:
    """Return the content of ``provenance.json`` without the file hashes, which are added when they are written.

    ``edited`` are the files whose content is a person's. Intent and inputs hold no origin of their own, so the files
    are named; rules and tests say it themselves.
    """
    by_person = [file for file in (INTENT, INPUTS) if file in edited]
    artefacts = made.artefacts
    rules = [rule for rule in artefacts.rules if rule.polarity == "positive"]
    enabled = [rule for rule in rules if not rule.disabled]
    cases = (*artefacts.tests, *artefacts.baseline)
    mode = "model" if makers.writer is not None else str(before.provenance.get("mode", "offline"))
    return {
        "format": FORMAT,
        "mode": mode,
        "order": order_id(order, makers),
        "prompt": {"name": order.prompt.name, "hash": order.prompt.hash, "text": content_id(order.prompt.text)},
        "made_from": made_from(order),
        "models": {role: name for role, name in _names(makers).items() if name},
        "stages": _versions(makers),
        "effort": asdict(order.effort),
        "seed": order.seed,
        "counts": {
            "rules": len(rules),
            "enabled": len(enabled),
            "predicates": sum(rule.is_checked for rule in enabled),
            "tentative": sum(rule.tentative is True for rule in enabled),
            "judged": sum(rule.predicate is None for rule in enabled),
            "tests": len(artefacts.tests),
            "strategies": by_strategy(artefacts.tests),
            "baseline": len(artefacts.baseline),
            **_agreement(artefacts.tests),
            "invalid": made.invalid,
            "repeats": made.repeats,
        },
        "uncovered": [rule.id for rule in made.uncovered],
        "cross_check": {
            "only_extractor": [rule.id for rule in made.only_code],
            "only_model": [rule.id for rule in made.only_model],
        },
        "notes": list(made.notes),
        **(
            {"unusable_answers": {stage: dict(causes) for stage, causes in made.unusable.items()}}
            if made.unusable
            else {}
        ),
        "spend": [dict(each) for each in spend],
        **({BY_PERSON: by_person} if by_person else {}),
        "rules": {rule.id: rule.inverse_of for rule in artefacts.rules},
        "cases": {case.id: case_digest(case) for case in cases if GeneratedTest.of(case).origin != PERSON},
        "removed": _removed(before, artefacts),
    }


def _agreement(tests: Sequence[Case]) -> dict[str, Any]:
    """Count how often the specification, used instead of the prompt, answered as required."""
    asked = [found["ok"] for case in tests if (found := GeneratedTest.of(case).agreement)]
    if not asked:
        return {}
    return {"agreement": {"ok": asked.count(True), "err": asked.count(False), "unknown": asked.count(None)}}


def by_strategy(tests: Sequence[Case]) -> dict[str, int]:
    """Count the tests by strategy; a person's own tests are a separate kind."""
    known = map(GeneratedTest.of, tests)
    counts = Counter(test.strategy or test.origin or PERSON for test in known)
    return dict(sorted(counts.items()))


def _removed(before: Artefacts, after: Artefacts) -> list[str]:
    """Return ids that a person removed and that must not come back: they were written once and are gone."""
    old = before.provenance
    there = {rule.id for rule in before.rules} | {case.id for case in (*before.tests, *before.baseline)}
    taken_out = ({*old.get("rules", {}), *old.get("cases", {})} - there) | set(old.get("removed", ()))
    now = {rule.id for rule in after.rules} | {case.id for case in (*after.tests, *after.baseline)}
    return sorted(taken_out - now)


def _names(makers: Makers) -> dict[str, str]:
    roles = {"generator": makers.writer, "judge": makers.judge, "groundtruth": makers.truth}
    names = {role: model.name if model is not None else "" for role, model in roles.items()}
    names |= {"groundtruth_judges": ", ".join(model.name for model in makers.truth_judges)}
    names |= {stage: model.name for stage, model in sorted(makers.for_stage.items())}
    graded = ", ".join(f"{metric.name}#{metric.version}" for metric in makers.truth_metrics)
    return names | {"groundtruth_metrics": graded} if graded else names


def _versions(makers: Makers) -> dict[str, str]:
    if makers.writer is None:
        return dict.fromkeys(("intent", "inputs", "rules", "opposites", "tests"), _BY_CODE)
    from proctor.generate.stages import stage_version  # noqa: PLC0415

    return {stage: stage_version(stage) for stage in _STAGES} | {"extractor": _BY_CODE}
