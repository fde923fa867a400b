"""proctor generate: generate tests from a prompt."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from proctor.cli.command_line import command_line
from proctor.cli.context import project
from proctor.cli.generation_progress import GenerationLine, span

__all__ = ["verb"]

INTERRUPTED = 130
_STAGES = ("intent", "inputs", "rules", "inverse", "tests", "expand", "baseline", "groundtruth")
_EFFORTS = ("min", "low", "medium", "high")
_SHOWN = 12
_END_AFTER_SECONDS = 1.0  # after the second Ctrl-C
# Options that only a model can carry out, by parameter.
_MODEL_ONLY = {
    "judges": "--judge",
    "stage_models": "--stage-model",
    "rules_per_call": "--rules-per-call",
    "generations": "--generations",
    "expansions": "--expansions",
    "baseline": "--baseline",
    "agreement": "--agreement",
    "no_cross_check": "--no-cross-check",
    "instructions": "--instruction",
    "budget": "--budget",
}
_BASELINE = 10


@click.command("generate")
@click.argument("prompt", type=click.Path(path_type=Path, allow_dash=True), required=False)
@click.option(
    "--prompt", "inline", metavar="TEXT", help="The prompt itself, in place of a file; `-` reads it from stdin."
)
@click.option(
    "-m", "--model", help="Model that writes; default: `model:` of the project. Without one, code makes the tests."
)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    help="Model that checks rules and tests; default: the one that writes. Several grade expected outputs together.",
)
@click.option("--no-model", is_flag=True, help="Call no model: rules by the extractor, tests by code.")
@click.option("--groundtruth", metavar="MODEL", help="Model that answers each test, for its expected output.")
@click.option(
    "--stage-model", "stage_models", multiple=True, metavar="STAGE=MODEL", help="Model that writes at this stage alone."
)
@click.option("--effort", type=click.Choice(_EFFORTS), help="How much to generate; default: medium.")
@click.option("--plan", "plan_only", is_flag=True, help="Show calls, tokens and cost, without calling a model.")
@click.option("--resume", is_flag=True, help="Continue an interrupted generation (also the default).")
@click.option("--from", "start", type=click.Choice(_STAGES), help="Make this stage and all later stages again.")
@click.option("--force", is_flag=True, help="Make everything again, except what a person locked, added or edited.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="Folder to write; default: NAME.tests next to PROMPT."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed; another seed gives other tests.")
@click.option("--budget", type=float, help="Maximum cost in dollars.")
@click.option(
    "-j", "--concurrency", type=click.IntRange(1, 1000), default=64, show_default=True, help="Concurrent calls."
)
@click.option("--most-rules", type=int, help="Maximum number of rules.")
@click.option("--tests-per-rule", type=int, help="Tests of each rule, and of its opposite, in each scenario.")
@click.option("--rules-per-call", type=int, help="Rules per call for tests.")
@click.option("--generations", type=int, help="Maximum number of attempts while tests are missing.")
@click.option("--expansions", type=int, help="How often each test is made longer.")
@click.option("--baseline/--no-baseline", default=None, help="Tests from the prompt alone, for comparison.")
@click.option(
    "--most-tests", type=click.IntRange(1), help="Keep this number of tests, evenly over rules and strategies."
)
@click.option(
    "--agreement", is_flag=True, help="Run each test with intent and rules in place of the prompt, and compare."
)
@click.option("--no-cross-check", is_flag=True, help="Leave out rules that only the extractor found.")
@click.option("--instruction", "instructions", multiple=True, metavar="STAGE=TEXT", help="Instructions for a stage.")
@click.option("--samples", type=click.IntRange(0), help="Use at most this number of the author's samples.")
@click.option("--shuffle-samples", is_flag=True, help="Choose the samples in random order, by the seed.")
@click.option("--cache", is_flag=True, help="Use and fill the project's cache of answers, the one of `run --cache on`.")
@click.option("-q", "--quiet", is_flag=True, help="Print only the written files.")
@click.pass_context
def verb(ctx: click.Context, /, **flags: Any) -> int:
    """Generate tests from a prompt: its intent, inputs, rules, and tests for every rule.

    The folder NAME.tests next to the prompt has one file for each of them, to be read and edited. After an edit of the
    prompt or of a file, run it again: everything still valid is kept.
    """
    if flags["force"] and (flags["resume"] or flags["start"]):
        raise click.UsageError("--force regenerates everything: leave out --resume and --from.")
    if flags["no_model"] and (flags["model"] or flags["judges"] or flags["groundtruth"]):
        raise click.UsageError("--no-model asks no model: leave --model, --judge and --groundtruth out.")
    config = project(ctx)
    flags["prompt"], stored = _prompt_path(flags["prompt"], flags["inline"], flags["out"])
    wish = _wish(flags, needing_model=_needing_model(ctx))
    if flags["plan_only"]:
        return _show_plan(config, wish)
    again = command_line(ctx, without=("prompt", "inline") if stored else ())
    if stored:
        again += f" {shlex.quote(str(flags['prompt']))}"
    return _carry_out(config, wish, quiet=flags["quiet"], again=again)


def _prompt_path(path: Path | None, inline: str | None, out: Path | None) -> tuple[Path, bool]:
    """Return the prompt's file, and whether it was written now because the prompt was given as text."""
    if path is not None and inline is not None:
        raise click.UsageError("The prompt is given twice: leave the file or --prompt out.")
    if path is None and inline is None:
        raise click.UsageError("Name the prompt's file, or give its text with --prompt, or on stdin with `-`.")
    if path is not None and str(path) != "-":
        return path, False
    from proctor.workflows.generate.inline_prompt import save_inline_prompt  # noqa: PLC0415

    text = inline if inline is not None and inline != "-" else sys.stdin.read()
    saved = save_inline_prompt(text, out, Path())
    click.echo(f"prompt written to {saved}", err=True)
    return saved, True


def _needing_model(ctx: click.Context) -> tuple[str, ...]:
    """Return the given options that only a model can carry out."""
    given = [name for name in _MODEL_ONLY if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    return tuple(_MODEL_ONLY[name] for name in given if ctx.params.get(name) not in (False, 0))


def _wish(flags: dict[str, Any], *, needing_model: tuple[str, ...]) -> Any:
    from proctor.generate.effort import DEFAULT, PRESETS  # noqa: PLC0415
    from proctor.workflows.generate.generation import GenerationJob  # noqa: PLC0415

    names = ("most_rules", "tests_per_rule", "rules_per_call", "generations", "expansions")
    numbers = {name: flags[name] for name in names}
    if flags["baseline"] is not None:
        numbers["baseline"] = (PRESETS[flags["effort"] or DEFAULT].baseline or _BASELINE) if flags["baseline"] else 0
    same = "out model judges groundtruth no_model effort start force resume seed budget samples shuffle_samples cache"
    return GenerationJob(
        prompt=flags["prompt"],
        numbers=numbers,
        concurrency=flags["concurrency"],
        cross_check=not flags["no_cross_check"],
        most_tests=flags["most_tests"],
        agreement=flags["agreement"],
        instructions=_by_stage(flags["instructions"], "--instruction takes STAGE=TEXT"),
        stage_models=_stage_models(flags["stage_models"]),
        needing_model=needing_model,
        **{name: flags[name] for name in same.split()},
    )


def _stage_models(given: Sequence[str]) -> dict[str, str]:
    made = _by_stage(given, "--stage-model takes STAGE=MODEL")
    if "groundtruth" in made:
        raise click.UsageError("--stage-model groundtruth=MODEL: name it with --groundtruth.")
    return made


def _by_stage(given: Sequence[str], usage: str) -> dict[str, str]:
    made: dict[str, str] = {}
    for each in given:
        stage, equals, text = each.partition("=")
        if not equals or stage not in _STAGES or not text.strip():
            known = ", ".join(_STAGES)
            raise click.UsageError(f"{usage}, not {each!r}; stages: {known}.")
        made[stage] = f"{made[stage]}\n{text.strip()}" if stage in made else text.strip()
    return made


def _show_plan(config: Any, wish: Any) -> int:
    from proctor.workflows.generate.generation import plan_generation  # noqa: PLC0415

    plan = asyncio.run(plan_generation(config, wish))
    width = max([20, *(len(row.model) for row in plan.rows)])
    click.echo(f"{'stage':<14}{'model':<{width}}{'calls':>7}{'at most':>9}{'input':>10}{'output':>9}{'cost':>10}")
    for row in plan.rows:
        click.echo(
            f"{row.stage:<14}{row.model:<{width}}{row.calls:>7}{row.most:>9}{row.usage.input:>10,}"
            f"{row.usage.output:>9,}{_money(row.cost):>10}"
        )
    usage = plan.usage
    click.echo(
        f"{'together':<14}{'':<{width}}{plan.calls:>7}{plan.most:>9}{usage.input:>10,}{usage.output:>9,}"
        f"{_money(plan.cost):>10}"
    )
    baseline = f", {plan.baseline} baseline tests" if plan.baseline else ""
    click.echo(f"for about {plan.rules} rules: {plan.tests} tests{baseline}. Tokens are estimates; nothing was asked.")
    if any(row.cost is None for row in plan.rows):
        click.echo("A price that is not known can be given under `prices:` in proctor.yaml.")
    _show_time(config, plan)
    return 0


def _show_time(config: Any, plan: Any) -> None:
    from proctor.workflows.generate.generation_speed import is_local, planned_seconds  # noqa: PLC0415

    if not any(is_local(row.model) for row in plan.rows):
        return
    seconds = planned_seconds(config.store, plan)
    if seconds is None:
        click.echo("How long the local model takes is shown after its first answers, and here after its first use.")
    else:
        click.echo(f"The local model takes about {span(seconds)} on this machine, by earlier generations.")


def _carry_out(config: Any, wish: Any, *, quiet: bool, again: str) -> int:
    from proctor.workflows.generate.generation import carry_out_generation  # noqa: PLC0415
    from proctor.workflows.generate.generation_models import GenerationProgress  # noqa: PLC0415

    def begun(answers: int) -> None:
        if answers and not quiet:
            click.echo(f"going on: {answers} answers are there from before", err=True)

    def warned(text: str) -> None:
        click.echo(f"warning: {text}", err=True)

    watching = GenerationProgress(warned=warned, begun=begun)
    line = GenerationLine(watching, shown=not quiet)
    watching.planned = None if quiet else line.planned
    kept = f"interrupted; every answer is kept: go on with `{again}`"
    try:
        outcome = _until_asked_to_stop(carry_out_generation(config, wish, watching), watching, line, kept)
    finally:
        line.clear()
    if outcome is None:
        click.echo(kept, err=True)
        return INTERRUPTED
    if quiet:
        click.echo(f"wrote {outcome.folder}" if outcome.made else f"{outcome.folder} is up to date")
        return 0
    _tell(outcome)
    return 0


def _until_asked_to_stop(work: Any, watching: Any, line: GenerationLine, kept: str) -> Any:
    """Run to the end; Ctrl-C or SIGTERM finishes open calls, a second one cancels them and gives no result.

    A local model cannot be stopped in the middle of a step, so the second one ends the process if that takes longer.
    """

    async def guarded() -> Any:
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(work)
        asked = 0

        def stop() -> None:
            nonlocal asked
            asked += 1
            word = "finishing what is under way; once more to drop it" if asked == 1 else "dropping what is under way"
            click.echo(f"\nstopping: {word}", err=True)
            if asked == 1:
                task.cancel()
                watching.stop()
            else:
                watching.drop()
                end = threading.Timer(_END_AFTER_SECONDS, _end, (kept,))
                end.daemon = True
                end.start()

        following = asyncio.ensure_future(line.follow())
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop)
        try:
            return await task
        except asyncio.CancelledError:
            if not asked:
                raise
            return None
        finally:
            following.cancel()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)

    return asyncio.run(guarded())


def _end(kept: str) -> None:
    """End the process at once: every answer is on disk already."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"{kept}\n")
        sys.stderr.flush()
        sys.stdout.flush()
    os._exit(INTERRUPTED)


def _tell(outcome: Any) -> None:
    artefacts, made = outcome.artefacts, outcome.made
    _tell_rules(artefacts)
    _tell_tests(artefacts)
    if made is not None:
        _tell_doubts(made)
        _tell_changes(made.changes)
    _tell_spend(artefacts.provenance)
    click.echo(f"wrote {outcome.folder}" if made else f"{outcome.folder} is up to date: nothing to make")


def _tell_rules(artefacts: Any) -> None:
    enabled = artefacts.specification.enabled
    predicates = sum(rule.is_checked for rule in enabled)
    tentative = sum(rule.tentative is True for rule in enabled)
    off = sum(rule.disabled for rule in artefacts.rules if rule.polarity == "positive")
    more = f"; {off} switched off" if off else ""
    click.echo(f"intent  {artefacts.intent or '(none)'}")
    judged = len(enabled) - predicates - tentative
    unsure = f"{tentative} by a tentative predicate (confirm it in rules.yaml), " if tentative else ""
    click.echo(f"rules   {len(enabled)}: {predicates} checked by code, {unsure}{judged} need a judge{more}")
    if artefacts.provenance.get("mode") == "offline":
        click.echo("        found by the extractor: no model was asked")


def _tell_tests(artefacts: Any) -> None:
    from proctor.generate.collect_tests import uncovered_rules  # noqa: PLC0415
    from proctor.generate.provenance import by_strategy  # noqa: PLC0415

    counts = ", ".join(f"{count} {name}" for name, count in by_strategy(artefacts.tests).items())
    click.echo(f"tests   {len(artefacts.tests)}" + (f": {counts}" if counts else ""))
    if artefacts.baseline:
        click.echo(f"        {len(artefacts.baseline)} baseline tests beside them")
    from proctor.core.generated_test import GeneratedTest  # noqa: PLC0415

    if given := [truth for case in artefacts.tests if (truth := GeneratedTest.of(case).groundtruth)]:
        accepted = sum(bool(each.get("accepted")) for each in given)
        click.echo(f"        expected output accepted for {accepted} of {len(given)}")
    if agreement := artefacts.provenance.get("counts", {}).get("agreement"):
        told = agreement["ok"] + agreement["err"]
        more = f"; {agreement['unknown']} could not be told" if agreement["unknown"] else ""
        click.echo(f"        intent and rules alone answer {agreement['ok']} of {told} as the prompt wants{more}")
    enabled = artefacts.specification.enabled
    missing = uncovered_rules(artefacts.rules, artefacts.tests)
    click.echo(f"covered {len(enabled) - len(missing)} of {len(enabled)} rules")
    _list("no test aims at", (rule.text for rule in missing), sign="!")


def _tell_doubts(made: Any) -> None:
    if made.invalid:
        click.echo(f"        left out: {_tests(made.invalid)} without a valid input")
    if made.repeats:
        click.echo(f"        left out: {_tests(made.repeats)} with the content of another")
    _list("found by the extractor and not by the model", (rule.text for rule in made.only_code))
    _list("found by the model and not by the extractor", (rule.text for rule in made.only_model))
    for note in made.notes:
        click.echo(f"note    {note}")


def _tests(count: int) -> str:
    return f"{count} test{'' if count == 1 else 's'}"


def _tell_changes(changes: Any) -> None:
    if not (changes.rules_kept or changes.rules_dropped or changes.tests_kept or changes.tests_dropped):
        return  # first generation: everything is new
    _list(f"rules: {len(changes.rules_kept)} kept; added", changes.rules_added, sign="+")
    _list("rules dropped", changes.rules_dropped, sign="-")
    added, kept, dropped = len(changes.tests_added), len(changes.tests_kept), len(changes.tests_dropped)
    click.echo(f"changed {kept} tests kept, {added} added, {dropped} dropped")


def _tell_spend(provenance: Any) -> None:
    for each in provenance.get("spend", ()):
        click.echo(
            f"spent   {each['model']}: {each['calls']} calls, {each['input']:,} + {each['output']:,} tokens, "
            f"{_money(each['cost'])}"
        )


def _list(title: str, texts: Iterable[str], *, sign: str = "·") -> None:
    lines = list(texts)
    if not lines:
        return
    click.echo(f"        {title} {len(lines)}:")
    for text in lines[:_SHOWN]:
        click.echo(f"          {sign} {text if len(text) <= 100 else text[:99] + '…'}")
    if len(lines) > _SHOWN:
        click.echo(f"          … and {len(lines) - _SHOWN} more")


def _money(cost: float | None) -> str:
    return "?" if cost is None else f"${cost:.4f}"
