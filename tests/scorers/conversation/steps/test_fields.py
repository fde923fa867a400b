from __future__ import annotations

from typing import Any

from proctor.scorers.conversation.steps.fields import values_of
from tests.tables import table


@table(
    ("data", "name", "wanted"),
    [
        ({"order": {"amount": 99}, "order.amount": 1}, "order.amount", [99, 1]),
        ({"order": [{"amount": 1}, {"amount": 99}]}, "order.amount", [1, 99]),
        ({"amount": 1, "Amount": 99}, "amount", [1, 99]),
        ({"a": {"b": {"amount": 7}}}, "amount", [7]),
        ({"amount": None}, "amount", [None]),
        ({"amount": []}, "amount", [[]]),
        ({}, "amount", []),
    ],
)
def test_every_reading_of_a_name_is_found(data: Any, name: str, wanted: list[Any]) -> None:
    assert values_of(data, name) == wanted
