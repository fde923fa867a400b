"""Find the recorded answers of a baseline: in the file beside it, or in its run."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.core.errors import InputError, NotFoundError
from proctor.store.answers import Answer, answers_path, read_answers
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.workflows.release.baseline import Side

__all__ = ["baseline_answers"]


def baseline_answers(side: Side, store: RunStore) -> Iterator[Answer]:
    """Return the answers of a baseline: from its answers file, or from its run in the store.

    Raises:
        InputError: they are in neither place.
    """
    figures = side.figures
    if side.path is not None and figures.answers:
        file = answers_path(side.path)
        if file.is_file():
            return read_answers(file, figures.answers)
    try:
        reader = RunReader(store, store.get(figures.run))
        if reader.targets():
            # The target may have been renamed; a run with one target needs no name.
            named = figures.name if figures.name in reader.targets() else None
            return ((each.case.id, each.sample, each.trajectory) for each in reader.results(target=named))
    except NotFoundError:
        pass
    place = str(answers_path(side.path)) if side.path else None
    raise InputError(
        f"the answers of the baseline are neither in a file beside it nor in run {figures.run}",
        file=place,
        hint="run the version that it came from again and bless that run",
    )
