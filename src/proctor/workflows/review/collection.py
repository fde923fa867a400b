"""A review of a prompt's tests from beginning to end: files, stored runs, a model where one is named."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from proctor.config import Config, RunSettings
from proctor.core.case import Case
from proctor.core.errors import SuiteError
from proctor.core.test_review import CollectionReview
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
from proctor.wiring.models import Rack

__all__ = ["ReviewJob", "review_collection", "write_kept"]

_LAST_RUNS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewJob:
    """What is asked: which prompt's tests, how many to keep, and which model, if any, is to look at them."""

    prompt: Path
    out: Path | None = None
    keep: int | None = None
    model: str | None = None
    run: RunSettings = field(default_factory=RunSettings)

    @property
    def folder(self) -> Path:
        """Where the tests are."""
        return folder_of(self.prompt, self.out)


async def review_collection(config: Config, job: ReviewJob) -> CollectionReview:
    """Review the tests of a prompt; a model is asked only when one is named.

    Raises:
        InputError: the prompt has no tests, or a file of them is wrong.
        ModelError: the model did not answer.
    """
    prompt = load_prompt(job.prompt)
    artefacts = read_artefacts(job.folder)
    if not artefacts.tests:
        hint = f"`proctor generate {job.prompt.name}` makes them"
        raise SuiteError(f"{job.prompt.name} has no tests yet", file=str(job.folder), hint=hint)
    past, runs = _past(config, artefacts.tests)
    spec = artefacts.specification
    findings = review_tests(spec, artefacts.tests, past)
    if job.model is None:
        return _reviewed(prompt, artefacts, job, findings, runs=runs)
    async with Project(config) as project:
        rack = project.rack(job.run)
        model = rack.get(job.model, role="judge")
        brief = Brief(prompt=prompt, spec=spec, instructions=told(prompt).instructions)
        asked = await review_asked(model, brief, artefacts.tests, findings)
        return _reviewed(prompt, artefacts, job, asked, runs=runs, rack=rack, model=model.name)


def write_kept(job: ReviewJob, review: CollectionReview) -> int:
    """Leave only the kept tests in ``tests.yaml``; says how many are gone. The next `generate` keeps it so.

    Raises:
        StoreError: the disk or the folder refused; what was there before is untouched.
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
    """What stored runs say of these tests: an id is a hash of the inputs, so the same id is the same test."""
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
    rack: Rack | None = None,
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
        keep=keep,
        runs=runs,
        spend=rack.spend() if rack else (),
        remarks=tuple(remarks),
    )
