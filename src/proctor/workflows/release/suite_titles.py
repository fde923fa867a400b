"""Find the runs of a suite by its title, or by the name or path that `proctor run` takes."""

from __future__ import annotations

from contextlib import suppress

from proctor.config import Config
from proctor.core.decode import closest
from proctor.core.errors import InputError, NotFoundError
from proctor.store.run_search import run_choices, runs_of_suite
from proctor.store.runs import RunStore
from proctor.workflows.run.prompt_suite import open_tests, suite_path

__all__ = ["suite_title"]


def suite_title(store: RunStore, config: Config, named: str | None) -> str | None:
    """Return the title under which the runs of a suite are stored.

    A title goes first, then that in the file which a name in proctor.yaml or a path stands for. Without such a file, it
    is the title of the newest run that was started with this name.

    Raises:
        NotFoundError: no run is of such a suite; the hint names those that there are.
    """
    titles = run_choices(store)["suite"]
    if named is None or named in titles or not titles:
        return named
    suites = config.settings.suites
    same = [name for name, path in suites.items() if path == suites.get(named, named)]
    if (title := _title_in_file(config, named)) in titles:
        return title
    for run in runs_of_suite(store, [named, *same, *filter(None, [suites.get(named)])], limit=1):
        return run.name
    if named in suites:
        raise NotFoundError(f"the suite {named!r} has no run yet", hint=f"`proctor run {named}` makes the first")
    guess = closest(named, (*titles, *suites))
    known = f"the store has runs of {', '.join(map(repr, titles))}"
    hint = f"did you mean {guess!r}? {known}" if guess else known
    raise NotFoundError(f"no run is of a suite {named!r}", hint=hint)


def _title_in_file(config: Config, named: str) -> str | None:
    with suppress(InputError):  # the runs are there, whatever has become of the file
        return open_tests(suite_path(named, config, config.folder)).loaded.suite.name
    return None
