"""Collect what a person needs to judge a queued case: the question, both answers, the expectation."""

from __future__ import annotations

from dataclasses import dataclass, field

from proctor.config import Config
from proctor.core.attack_mask import HIDDEN, is_held_out, masked_result
from proctor.core.errors import InputError, NotFoundError
from proctor.core.trajectory import Trajectory
from proctor.store.answers import answers_path, read_answers
from proctor.store.decisions import baseline_of
from proctor.store.review import ReviewItem
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.workflows.release.baseline import baseline_file, open_baseline
from proctor.workflows.release.case_facts import answers_in, expected_lines, found_lines, questions_in

__all__ = ["ReviewCase", "review_case"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewCase:
    """One case to judge; ``missing`` lists what is no longer stored, and why."""

    question: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    missing: tuple[str, ...] = field(default=())


def review_case(config: Config, store: RunStore, item: ReviewItem) -> ReviewCase:
    """Return the case of an item, with the answers of the run and of the baseline, and the expectation.

    A held-out attempt is shown without its texts.
    """
    try:
        reader = RunReader(store, store.get(item.run))
        results = reader.find(item.case_id, target=item.target)
    except NotFoundError as error:
        return ReviewCase(missing=(f"the answer: {error.message}",))
    result = next((each for each in results if each.outcome == "fail"), results[0])
    if is_held_out(result):
        hidden = masked_result(result)
        return ReviewCase(
            question=(HIDDEN,), found=tuple(found_lines(hidden)), missing=(f"the conversation: {HIDDEN}",)
        )
    before, why = _before(config, store, reader, item)
    return ReviewCase(
        question=questions_in(result.case),
        answer=answers_in(result.trajectory),
        before=answers_in(before) if before is not None else (),
        expected=tuple(expected_lines(result.case)),
        found=tuple(found_lines(result)),
        missing=(why,) if why else (),
    )


def _before(config: Config, store: RunStore, reader: RunReader, item: ReviewItem) -> tuple[Trajectory | None, str]:
    """Return the baseline's answer: from its run if stored, else from the answers file of the baseline."""
    run = baseline_of(store, run=item.run, target=item.target)
    if run is None:
        return None, ""
    try:
        other = RunReader(store, store.get(run))
        target = item.target if item.target in other.targets() else None
        return other.find(item.case_id, target=target)[0].trajectory, ""
    except NotFoundError:
        pass
    try:
        path = baseline_file(config, reader, item.target)
        baseline = open_baseline(path)
        if baseline.run == run and baseline.answers:
            for case, _, trajectory in read_answers(answers_path(path), baseline.answers):
                if case == item.case_id:
                    return trajectory, ""
    except InputError as error:
        return None, f"the answer before: {error.message}"
    return None, f"the answer before: run {run} is not on record here, and no answers lie beside the baseline"
