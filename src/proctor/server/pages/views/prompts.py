"""Prompts: their rules where they stand in the prompt, what the tests cover, verdicts, and the mutation score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from proctor.core.errors import InputError
from proctor.server.pages.page import Page, PageRequest, Reply, Route, View, later
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import PER_PAGE, Cell, Chip, Column, Link, Share, Table, number_columns
from proctor.server.pages.views.run_cells import rate_cell, run_address
from proctor.store.run_search import runs_of_suite

if TYPE_CHECKING:
    from proctor.workflows.generate.prompt_files import PromptFile

__all__ = ["PAGE"]

_COLUMNS = (
    Column("Prompt"),
    Column("For", "long"),
    *number_columns("Rules", "By code", "Tests", "Rules with a test", "Mutation score"),
    Column("Last run"),
    Column("Pass rate", "number"),
    Column("State"),
)
_EMPTY = (
    "No prompt in the project's folder. `proctor generate FILE.prompty` reads the rules of a prompt and makes tests."
)


def _show(stores: PageStores, request: PageRequest) -> Reply:
    """Show the prompts of the project."""
    from proctor.workflows.generate.prompt_files import find_prompts  # noqa: PLC0415 - the server starts without it

    found = find_prompts(stores.config)
    wanted = request.text("q").lower()
    found = [each for each in found if wanted in each.place.lower()]
    page = request.page
    part = found[(page - 1) * PER_PAGE : page * PER_PAGE]
    table = Table(
        columns=_COLUMNS,
        rows=[_row(stores, each) for each in part],
        total=len(found),
        page=page,
        every=lambda: (_row(stores, each) for each in found),
        empty="No prompt fits." if wanted else _EMPTY,
    )
    return View(template="prompts.html", title="Prompts", tables={"prompts": table})


def _row(stores: PageStores, file: PromptFile) -> Sequence[Cell]:
    from proctor.workflows.generate.prompt_files import open_prompt_rules, suite_names  # noqa: PLC0415
    from proctor.workflows.mutate.kept_adequacy import kept_adequacy  # noqa: PLC0415

    to = f"/ui/prompts/{quote(file.name, safe='/')}"
    try:
        read = open_prompt_rules(file)
    except InputError as error:
        problem = Chip("fail", "cannot be read")
        return (Link(file.name, to), error.message[:200], None, None, None, None, None, None, None, problem)
    rules = read.enabled
    covered = sum(bool(read.covered.get(rule.id)) for rule in rules)
    mutation = kept_adequacy(stores.config, file.path)
    last = next(iter(runs_of_suite(stores.runs, suite_names(stores.config, file), limit=1)), None)
    about = read.artefacts.intent or read.prompt.description
    state = (
        Chip("unscored", "no tests yet") if not file.has_tests
        else Chip("unscored", "edited since") if read.is_changed
        else Chip("pass", "up to date")
    )  # fmt: skip
    return (
        Link(file.name, to),
        f"{about[:197]}…" if len(about) > 200 else about,
        len(rules) if file.has_tests else None,
        sum(rule.is_checked for rule in rules) if file.has_tests else None,
        len(read.artefacts.tests) if file.has_tests else None,
        Share(covered / len(rules), n=len(rules)) if rules else None,
        Share(mutation.score.value, mutation.score.low, mutation.score.high) if mutation else None,
        Link(last.id, run_address(last.id)) if last else None,
        rate_cell(stores.runs.counts(last)) if last else None,
        state,
    )


PAGE = Page(
    title="Prompts",
    path="/prompts",
    order=80,
    routes=(
        Route(path="/prompts", answer=_show),
        Route(path="/prompts/{name:.+}", answer=later("prompt_page", "show_prompt")),
    ),
)
