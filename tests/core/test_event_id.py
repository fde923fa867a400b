from __future__ import annotations

from typing import Any

from proctor.core.event_id import id_of_content
from tests.tables import table


def test_what_says_the_same_has_the_same_id() -> None:
    made = id_of_content({"kind": "turn", "time": "2026-11-17T10:00:00Z", "session": "s"})
    assert made == id_of_content({"session": "s", "id": None, "time": "2026-11-17T11:00:00+01:00", "kind": "turn"})
    assert made != id_of_content({"kind": "turn", "time": "2026-11-17T10:00:01Z", "session": "s"})


@table("time", ["0001-01-01T00:00:00+05:00", "soon", 12, ["x"], "\ud800"])
def test_wrong_data_has_an_id_too(time: Any) -> None:
    assert id_of_content({"time": time, "value": 10**40}).startswith("e-")
