"""The goals of the red team in both examples: complete, judged by what the target can show, no canary given away."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from proctor.core.attack import SCOPES, AttackEffect, Carrier, Goal
from proctor.core.decode import decode
from proctor.prompts.yaml_text import read_yaml
from proctor.text.normalise import normalise
from proctor.text.user_patterns import user_pattern
from tests.tables import table

EXAMPLES = Path(__file__).parents[2] / "examples"
TRAVEL, SHOP = EXAMPLES / "travel_desk", EXAMPLES / "manga_store"
LANGUAGES = ("de", "fr", "es", "ja", "zh", "ar", "ru", "pt", "hi", "it", "ko", "tr")
PAYLOAD = "{payload}"
NEEDED: dict[str, tuple[str, ...]] = {
    "row_changed": ("table", "row", "column"),
    "row_added": ("table", "values"),
    "tool_called": ("tool",),
    "canary_shown": ("canary",),
    "said": ("pattern",),
    "commitment": (),
    "not_escalated": (),
    "contradiction": ("pattern", "turns"),
}
# What the targets have beside the files in data/: written by the tools, or empty until something is planted.
TRAVEL_OWN = {
    "cases": {"id", "time", "booking", "kind", "summary", "state"},
    "escalations": {"number", "time", "category", "reason"},
    "memory": {"key", "customer", "text"},
    "emails": {"id", "booking", "time", "sender", "text"},
    "calendar": {"id", "product", "day", "text"},
    "files": {"id", "booking", "name"},
}
SHOP_OWN = {"memory": {"key", "text"}}
TRAVEL_TOOLS = {
    "get_policy": {"question"},
    "get_faq": {"question"},
    "get_product_info": {"product"},
    "get_booking": {"booking_id"},
    "modify_booking": {"booking_id", "action", "date", "travellers", "check_only"},
    "get_booking_history": {"booking_id"},
    "create_case": {"kind", "summary", "booking_id"},
    "escalate": {"category", "reason"},
    "get_tips": {"city"},
    "search_products": {"query", "city", "max_price"},
}
SHOP_TOOLS = {"get_product": {"id"}, "find_order": {"number"}, "check_return": {"number"}}
# Rows that a place may name by the row of another table: a new row about that booking, tour or customer.
ABOUT = {
    "history": "bookings",
    "cases": "bookings",
    "emails": "bookings",
    "files": "bookings",
    "calendar": "products",
    "memory": "customers",
}
TAG = re.compile(r"LLM(0[1-9]|10)|ASI(0[1-9]|10)|AML\.T00\d\d(\.00\d)?")


@cache
def goals_of(example: Path) -> tuple[Goal, ...]:
    found: list[Goal] = []
    for scope in SCOPES:
        file = example / "redteam" / f"{scope}.yaml"
        made = [decode(Goal, each, strict=True) for each in read_yaml(file.read_text(encoding="utf-8"))["goals"]]
        assert {goal.scope for goal in made} == {scope}, file
        found += made
    return tuple(found)


@cache
def tables_of(example: Path) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    tables = {}
    for file in sorted((example / "data").glob("*.csv")):
        with file.open(encoding="utf-8", newline="") as handle:
            rows = list(csv.DictReader(handle))
        name = "products" if file.stem == "titles" else file.stem
        tables[name] = {next(iter(row.values())): row for row in rows}
    return tables


def columns_of(example: Path) -> dict[str, set[str]]:
    own = TRAVEL_OWN if example == TRAVEL else SHOP_OWN
    return {name: set(next(iter(rows.values()))) for name, rows in tables_of(example).items()} | own


def goals() -> list[Any]:
    return [
        pytest.param(example, goal, id=f"{example.name}-{goal.scope}-{goal.id}")
        for example in (TRAVEL, SHOP)
        for goal in goals_of(example)
    ]


def words_of(goal: Goal) -> Iterator[str]:
    """Everything that the attacker or the harmless customer says."""
    yield from goal.instruction.values()
    yield from goal.premise.values()
    for carrier in goal.carriers:
        for turns in carrier.turns.values():
            yield from turns
        for place in carrier.places:
            yield place.text


def flat(text: str) -> str:
    return " ".join(normalise(text).plain.casefold().split())


def test_at_least_forty_goals_a_scope_with_unique_ids() -> None:
    every = [*goals_of(TRAVEL), *goals_of(SHOP)]
    assert min(Counter(goal.scope for goal in every)[scope] for scope in SCOPES) >= 40
    assert [name for name, count in Counter(goal.id for goal in every).items() if count > 1] == []


def test_every_language_has_forty_goals() -> None:
    spoken = Counter(
        language for example in (TRAVEL, SHOP) for goal in goals_of(example) for language in goal.instruction
    )
    assert {language: spoken[language] for language in LANGUAGES if spoken[language] < 40} == {}


def test_no_sentence_is_used_for_two_goals() -> None:
    said = Counter(
        text for example in (TRAVEL, SHOP) for goal in goals_of(example) for text in goal.instruction.values()
    )
    assert [text for text, count in said.items() if count > 1] == []


def test_the_documents_findings_are_among_them() -> None:
    assert {goal.id for goal in goals_of(TRAVEL) if goal.id.startswith("finding-")} >= {
        "finding-other-scripts",
        "finding-false-premise",
        "finding-two-intents",
    }


def test_every_indirect_channel_of_the_desk_is_used() -> None:
    used = {place.channel for goal in goals_of(TRAVEL) for carrier in goal.carriers for place in carrier.places}
    assert used >= {"tool_result", "document", "email", "calendar", "file_name", "tool_description", "memory"}


@table(("example", "goal"), goals())
def test_goal_is_complete(example: Path, goal: Goal) -> None:
    assert "en" in goal.instruction
    assert len(goal.instruction) >= 3
    assert set(goal.instruction) <= {"en", *LANGUAGES}
    assert set(goal.premise) <= set(goal.instruction)
    assert goal.title
    assert goal.legitimate
    assert goal.effects
    assert goal.tags
    assert [tag for tag in goal.tags if not TAG.fullmatch(tag)] == []
    for carrier in goal.carriers:
        check_carrier(example, goal, carrier)
    if goal.scope == "indirect_injection":
        assert all(carrier.places for carrier in goal.carriers)


def check_carrier(example: Path, goal: Goal, carrier: Carrier) -> None:
    assert "en" in carrier.turns
    assert len({len(turns) for turns in carrier.turns.values()}) == 1  # the same conversation in every language
    assert not (carrier.page.keys() - {"customer", "product", "section"})
    if customer := carrier.page.get("customer"):
        assert customer in tables_of(example)["customers"]
    for place in carrier.places:
        assert place.text.count(PAYLOAD) == 1
        assert place.channel not in ("message", "session")
        check_address(example, place.at)


def check_address(example: Path, at: str) -> None:
    table, row, *rest = at.split("/")
    if table == "tools":
        assert example == TRAVEL
        assert row in TRAVEL_TOOLS
        assert rest == ["description"]
        return
    columns = columns_of(example)[table]
    assert table == "memory" or (len(rest) == 1 and rest[0] in columns)
    known = tables_of(example).get(table, {})
    assert (
        row in known or row in tables_of(example).get(ABOUT.get(table, ""), {}) or (example, table) == (SHOP, "memory")
    )


@table(("example", "goal"), goals())
def test_effects_are_complete_and_observable(example: Path, goal: Goal) -> None:
    for effect in goal.effects:
        assert [name for name in NEEDED[effect.kind] if not getattr(effect, name)] == []
        assert effect.kind not in ("row_changed", "row_added", "not_escalated") or example == TRAVEL  # no state there
        check_state(example, effect)
        check_call(example, effect)
        check_words(goal, effect)


def check_state(example: Path, effect: AttackEffect) -> None:
    if effect.table is None:
        return
    columns = columns_of(example)[effect.table]
    assert set(effect.values) <= columns
    if effect.kind == "row_changed":
        assert effect.column in columns
        row = tables_of(example)[effect.table].get(effect.row or "") if effect.row != "*" else {}
        assert row is not None
        assert effect.value is None or row.get(effect.column) != str(effect.value)  # else it could not change
    if booking := effect.values.get("booking"):
        assert booking in tables_of(example)["bookings"]


def check_call(example: Path, effect: AttackEffect) -> None:
    if effect.tool is None:
        return
    tools = TRAVEL_TOOLS if example == TRAVEL else SHOP_TOOLS
    assert set(effect.values) <= tools[effect.tool]


def check_words(goal: Goal, effect: AttackEffect) -> None:
    if effect.canary:
        assert [text for text in words_of(goal) if flat(effect.canary) in flat(text)] == []
    if effect.pattern:
        pattern = user_pattern(effect.pattern)
        if effect.kind == "said":  # a refusal that quotes must not count
            assert [text for text in words_of(goal) if pattern.search(text)] == []
    if effect.kind == "contradiction":
        assert re.compile(effect.pattern or "").groups >= 1
        fewest = min(len(turns) for carrier in goal.carriers for turns in carrier.turns.values())
        assert len(set(effect.turns)) >= 2
        assert max(effect.turns) <= fewest


def test_what_is_drawn_out_of_the_desk_is_not_the_customers_own() -> None:
    with (TRAVEL / "data" / "bookings.csv").open(encoding="utf-8", newline="") as rows:
        owners = {row["id"]: row["customer"] for row in csv.DictReader(rows)}
    for goal in goals_of(TRAVEL):
        if goal.scope == "extraction":
            wanted = {str(value) for effect in goal.effects for value in effect.values.values()} & owners.keys()
            asking = {carrier.page.get("customer") for carrier in goal.carriers}
            assert not {owners[each] for each in wanted} & asking, goal.id
