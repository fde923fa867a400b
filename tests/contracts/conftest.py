"""Parts that need an optional network are tried with a rule in its place."""

from __future__ import annotations

import pytest
from tests.marked_faults import marked_faults

from proctor.wiring.local_models import LOCAL


@pytest.fixture(autouse=True)
def _networks_that_are_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LOCAL, "faults", lambda _: marked_faults())
