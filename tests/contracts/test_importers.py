"""What every registered importer of logs owes its users, whoever wrote it.

An importer is found by its entry point in the group ``proctor.importers``. That it reads or refuses any JSON is tested
in tests/suites/conversations/test_hostile.py, for every registered one.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
import re
from pathlib import Path

from tests.tables import table

import proctor.suites.conversations
from proctor.suites.conversations.importer import Importer

POINTS = {point.name: point for point in importlib.metadata.entry_points(group="proctor.importers")}
OURS = sorted(name for name, point in POINTS.items() if point.value.startswith("proctor."))
PAGE = (Path(__file__).parents[2] / "docs" / "conversations.md").read_text(encoding="utf-8")


def test_every_importer_of_this_package_is_registered() -> None:
    built_in: dict[str, Importer] = {}
    for module in pkgutil.iter_modules(proctor.suites.conversations.__path__):
        loaded = importlib.import_module(f"proctor.suites.conversations.{module.name}")
        found = {name: part for name, part in vars(loaded).items() if isinstance(part, Importer)}
        built_in |= {f"{module.name}.{name}": part for name, part in found.items()}
    assert built_in
    registered = [POINTS[name].load() for name in OURS]
    missing = [place for place, part in built_in.items() if part not in registered]
    assert not missing, "add it under [project.entry-points.'proctor.importers'] and run `pip install -e .`"


@table("name", sorted(POINTS))
def test_structure(name: str) -> None:
    importer = POINTS[name].load()
    assert isinstance(importer, Importer), "an entry point of this group is an `Importer`"
    assert importer.title.strip(), "the title is what `proctor list importers` shows"
    for data in (None, 1, "text", [], {}, [None], {"messages": 1}):
        assert importer.fits(data) in (True, False), "`fits` gets the first value of any file and never raises"


@table("name", OURS)
def test_the_page_has_a_row_for_it(name: str) -> None:
    assert re.search(rf"(?m)^\| `{name}` \|", PAGE), f"the table of formats in docs/conversations.md needs `{name}`"
