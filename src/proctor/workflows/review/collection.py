"""Review a prompt's tests, using its files, stored runs and optionally a model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from proctor.config import Config, RunSettings
from proctor.core.case import Case
from proctor.core.errors import SuiteError
from proctor.core.test_review import TOPIC, VALID, CollectionReview
from proctor.generate.artefacts import TESTS, Artefacts, folder_of, read_artefacts
from proctor.generate.build_case import Brief
from proctor.generate.folder import write_together
from proctor.generate.model_review import review_asked
from proctor.generate.review import Findings, Past, keep_best, review_tests
from proctor.generate.tests_file import tests_text
from proctor.project import Project
from proctor.prompts.load import load_prompt
from proctor.prompts.prompt import Prompt
from proctor.prompts.test_config import told
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.suites.load import open_suite
from proctor.wiring.models import ModelPool

__all__ = ["ReviewJob", "review_collection", "write_kept"]

_LAST_RUNS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewJob:
    """The request: the prompt, how many tests to keep, and the model to use, if any."""

    prompt: Path
    out: Path | None = None
    keep: int | None = None
    model: str | None = None
    run: RunSettings = field(default_factory=RunSettings)

    @property
    def folder(self) -> Path:
        """The folder of the tests."""
        return folder_of(self.prompt, self.out)


async def review_collection(config: Config, job: ReviewJob) -> CollectionReview:
    """Review the tests of a prompt; a model is called only if one is named.

    Raises:
        InputError: the prompt has no tests, or a file of them is wrong.
        ModelError: the model did not answer.
    """
    prompt = load_prompt(job.prompt)
    artefacts = read_artefacts(job.folder)
    if not artefacts.tests:
        hint = f"`proctor generate {job.prompt.name}` makes them"
        if artefacts.provenance:
            hint = "no realistic inputs could be made: add samples to the prompt file, or generate with -m"
        raise SuiteError(f"{job.prompt.name} has no tests yet", file=str(job.folder), hint=hint)
    past, runs = _past(config, artefacts.tests)
    spec = artefacts.specification
    findings = review_tests(spec, artefacts.tests, past, prompt=prompt)
    if job.model is None:
        return _reviewed(prompt, artefacts, job, findings, runs=runs)
    async with Project(config) as project:
        model_pool = project.model_pool(job.run)
        model = model_pool.get(job.model, role="judge")
        brief = Brief(prompt=prompt, spec=spec, instructions=told(prompt).instructions)
        asked = await review_asked(model, brief, artefacts.tests, findings)
        return _reviewed(prompt, artefacts, job, asked, runs=runs, model_pool=model_pool, model=model.name)


def write_kept(job: ReviewJob, review: CollectionReview) -> int:
    """Keep only the kept tests in ``tests.yaml``; return how many were removed. The next `generate` keeps it so.

    Raises:
        StoreError: the file cannot be written; the old one is unchanged.
    """
    if review.keep is None:
        return 0
    tests = read_artefacts(job.folder).tests
    kept = [case for case in tests if case.id in set(review.keep)]
    header = open_suite(job.folder / TESTS).suite
    text = tests_text(kept, name=header.name, metadata=header.metadata)
    write_together(job.folder, {TESTS: text})
    return len(tests) - len(kept)


def _past(config: Config, tests: tuple[Case, ...]) -> tuple[Past, int]:
    """Return the stored results of these tests; ids are hashes of the inputs, so an id identifies a test."""
    if not config.store.is_dir():
        return Past(), 0
    ids = {case.id for case in tests}
    runs: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    read = 0
    with RunStore(config.store) as store:
        for record in store.list(limit=_LAST_RUNS):
            reader = RunReader(store, record)
            failed = reader.case_ids("fail") & ids
            judged = failed | reader.case_ids("pass") & ids
            runs.update(judged)
            failures.update(failed)
            read += bool(judged)
    return Past(runs=runs, failures=failures), read


def _reviewed(
    prompt: Prompt,
    artefacts: Artefacts,
    job: ReviewJob,
    findings: Findings,
    *,
    runs: int,
    model_pool: ModelPool | None = None,
    model: str = "",
) -> CollectionReview:
    spec = artefacts.specification
    keep = None
    if job.keep is not None:
        keep = keep_best(spec, artefacts.tests, findings.notes, most=job.keep)
    remarks = []
    if not model:
        remarks.append(
            "ways to fail and importance are by rule, from a table for each kind of rule; no model was asked"
        )
    if not spec.enabled:
        remarks.append("the prompt has no rule, so its tests have no score: write rules into rules.yaml")
    elif any(name in findings.parts and findings.parts[name] is None for name in (TOPIC, VALID)):
        remarks.append("whether most tests are valid and on topic is not known without a model: generate them with -m")
    if not runs:
        remarks.append("no stored run has these tests: how often they failed is not known and counts neither way")
    return CollectionReview(
        prompt=prompt.name,
        prompt_hash=prompt.hash,
        created=datetime.now(UTC),
        model=model,
        tests=len(artefacts.tests),
        rules=spec.enabled,
        modes=findings.modes,
        notes=findings.notes,
        parts=findings.parts,
        unknown=findings.unknown,
        keep=keep,
        runs=runs,
        spend=model_pool.spend() if model_pool else (),
        remarks=tuple(remarks),
    )
