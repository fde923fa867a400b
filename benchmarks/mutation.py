"""Measures tests by mutation: the eight sample prompts, tests made by code alone, against a script and a small model.

Run ``python -m benchmarks.mutation [--own] [--data DIR] [--model local:smollm2] [--most N] [--tests N]``; with
``--own`` the prompts are those of ``benchmarks/prompts``, else the sample prompts
are read from ``--data`` (default: ``$PROCTOR_DATA``, else the folder ``shared/data`` beside this checkout), folder
``promptpex/samples``. For each prompt the rules and tests are made without a model, then every rule is dropped,
negated, weakened or asked for in another form. The model of ``benchmarks.obedient`` is the default. It is a script that
keeps what the prompt says and nothing else, so a mutant it lets live is one the tests cannot see; a real model shows
how far tests reach when rules are kept by habit.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.obedient.hearing import UNHEARD, damage_noticed, without_unheard
from benchmarks.obedient.model import MODEL
from proctor.config import Config, RunSettings, Settings, read_environment
from proctor.core.share import Share
from proctor.report.adequacy import Adequacy
from proctor.workflows.generate.generation import GenerationJob, carry_out_generation
from proctor.workflows.generate.generation_models import GenerationProgress
from proctor.workflows.mutate.mutation import MutationJob, mutation_plan, run_mutation

__all__ = ["PROMPTS", "Measured", "main", "measured", "table"]

PROMPTS = (
    "speech-tag/speech-tag.prompty",
    "text-to-p/text-to-p.prompty",
    "azure-ai-studio/shakespearean-writing-assistant.prompty",
    "big-prompt-lib/sentence-rewrite.prompty",
    "prompt-guide/extract-names.prompty",
    "openai-examples/elements.prompty",
    "big-prompt-lib/art-prompt.prompty",
    "text-classification/classify-input-text.prompty",
)
_HERE = Path(__file__).resolve()


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one prompt came to with one model, and how long it took."""

    prompt: str
    found: Adequacy
    seconds: float
    damage: Share | None = None


async def measured(prompt: Path, folder: Path, job: MutationJob, *, longest: int | None = None) -> Measured:
    """Make the tests of a prompt by code alone, in a folder of its own, and measure them by mutation.

    ``longest`` is the most tokens of an answer of a model that has such a setting.
    """
    mine = folder / prompt.name
    shutil.copy(prompt, mine)
    models = {str(job.model): {"model": job.model, "max_tokens": longest}} if longest else {}
    config = Config(
        settings=Settings(models=models),
        folder=folder,
        environment=read_environment(folder),
        path=folder / "proctor.yaml",
    )
    await carry_out_generation(config, GenerationJob(prompt=mine, no_model=True), GenerationProgress())
    begun = time.perf_counter()
    job = replace(job, prompt=mine)
    plan = mutation_plan(config, job)
    found = await run_mutation(config, job, plan=plan)
    damage = None
    if job.model == MODEL:
        found, damage = without_unheard(plan, found), await damage_noticed(plan, found.passing)
    return Measured(prompt=prompt.stem, found=found, seconds=time.perf_counter() - begun, damage=damage)


def table(rows: Sequence[Measured]) -> str:
    """The findings as a Markdown table."""
    head = ("prompt", "rules (by predicate)", "tests (passing)", "mutants", "noticed", "survived",
            "not judged (unheard)", "score (95 %)", "shams noticed", "damage noticed", "seconds")  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    for row in rows:
        found = row.found
        checked = sum(bool(rule.predicate) for rule in found.rules)
        cells = (
            row.prompt,
            f"{len(found.rules)} ({checked})",
            f"{found.tests} ({len(found.passing)})",
            str(len(found.mutants)),
            str(found.count("killed")),
            str(found.count("survived")),
            f"{found.count('not judged') + found.count('not run')} ({_unheard(found)})",
            _share(found.score),
            f"{sum(bool(each.failed) for each in found.shams)} / {len(found.shams)}",
            f"{row.damage.hits} / {row.damage.total}" if row.damage else "–",
            f"{row.seconds:.1f}",
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _unheard(found: Adequacy) -> int:
    """Mutants that the script cannot tell from the prompt; the others want a judge, or a passing test."""
    return sum(each.fate == "not judged" and each.reason == UNHEARD for each in found.mutants)


def _share(share: Share) -> str:
    if share.value is None or share.low is None or share.high is None:
        return "–"
    return f"{share.value:.0%} ({share.low:.0%}–{share.high:.0%})"


def main() -> None:
    """Measure and print."""
    default = os.environ.get("PROCTOR_DATA") or _HERE.parents[2] / "shared" / "data"  # noqa: TID251 - a benchmark
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--data", type=Path, default=Path(default))
    flags.add_argument("--own", action="store_true", help="the prompts of benchmarks/prompts, not the samples")
    flags.add_argument("--model", default=MODEL)
    flags.add_argument("--most", type=int, help="most mutants for each prompt")
    flags.add_argument("--tests", type=int, help="most tests for each prompt")
    flags.add_argument("--only", help="only prompts whose name holds this")
    flags.add_argument("--max-tokens", type=int, help="most tokens of an answer, for a small model on a slow machine")
    chosen = flags.parse_args()
    job = MutationJob(
        prompt=Path(), model=chosen.model, most=chosen.most, tests=chosen.tests, run=RunSettings(concurrency=8)
    )
    rows = []
    samples = [chosen.data / "promptpex" / "samples" / name for name in PROMPTS]
    for path in sorted(_HERE.with_name("prompts").glob("*.prompty")) if chosen.own else samples:
        if chosen.only and chosen.only not in str(path):
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows.append(asyncio.run(measured(path, Path(folder), job, longest=chosen.max_tokens)))
            print(f"{rows[-1].prompt}: {rows[-1].seconds:.1f} s", flush=True)
    print(f"\nmodel under test: {chosen.model}\n\n{table(rows)}")


if __name__ == "__main__":
    main()
