from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from proctor.config import open_config
from proctor.core.errors import InputError
from proctor.core.step import POINTS
from proctor.guard.engine import Plan
from proctor.guard.threshold_levels import cut
from proctor.wiring.guard import Guard
from proctor.wiring.guard_profiles import PROFILES, ProfileName
from proctor.wiring.guard_settings import DEFAULTS, make_plan
from tests.tables import table

THRESHOLDS = ("block", "escalate", "indirect_block", "indirect_escalate")


def plan(folder: Path, text: str) -> Plan:
    (folder / "proctor.yaml").write_text(f"guard: {text}\n", "utf-8")
    return make_plan(open_config(folder), strict=True)


def gates(made: Plan) -> dict[str, dict[str, Any]]:
    return {point: {post.name: post.gate for post in chain.posts} for point, chain in made.chains.items()}


@table("profile", get_args(ProfileName))
def test_no_gate_acts_below_a_probability_of_a_half(tmp_path: Path, profile: str) -> None:
    seen = 0
    for gate in (each for some in gates(plan(tmp_path, f"{{profile: {profile}}}")).values() for each in some.values()):
        for name in THRESHOLDS:
            if hasattr(gate, name):
                seen += 1
                model = getattr(gate, "injection", None) or getattr(gate, "intents", None)
                assert cut(getattr(gate, name), model) >= 0.5, (profile, gate.name, name)
    assert seen >= 8


def test_general_is_the_default(tmp_path: Path) -> None:
    written, left_out = gates(plan(tmp_path, "{profile: general}")), gates(plan(tmp_path, "{}"))
    assert written == left_out
    assert {point: tuple(some) for point, some in written.items()} == DEFAULTS


def test_each_profile_differs_from_the_others(tmp_path: Path) -> None:
    plans = {name: plan(tmp_path, f"{{profile: {name}}}") for name in PROFILES}
    assert len({made.version for made in plans.values()}) == len(PROFILES)
    agent, strict = gates(plans["agent"]), gates(plans["strict"])
    assert list(agent["input"]) == ["injection"]
    assert "rate" in agent["tool_call"]
    assert set(agent["output"]) == {"leak", "links"}
    assert strict["output"]["links"].data == "escalate"
    assert gates(plans["support"])["output"]["links"].unknown == "redact"
    assert gates(plans["general"])["output"]["links"].unknown is None


def test_own_settings_come_before_those_of_the_profile(tmp_path: Path) -> None:
    made = gates(plan(tmp_path, "{profile: strict, output: [links: {hosts: [acme.example], data: block}]}"))
    links = made["output"]["links"]
    assert (links.hosts, links.data, links.images) == (("acme.example",), "block", "hosts")
    assert list(made["output"]) == ["links"]
    by_list = gates(plan(tmp_path, "{profile: strict, output: [links: [acme.example]]}"))["output"]["links"]
    assert (by_list.hosts, by_list.images) == (("acme.example",), "hosts")


def test_one_own_threshold_replaces_the_pair_of_the_profile(tmp_path: Path) -> None:
    made = gates(plan(tmp_path, "{profile: agent, input: [injection: {block: 0.6}]}"))["input"]["injection"]
    assert (made.block, made.escalate) == (0.6, "1%")


def test_an_unknown_profile_is_an_error_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="general"):
        plan(tmp_path, "{profile: loose}")


async def test_profiles_decide_differently(tmp_path: Path) -> None:
    text = "See [this](https://en.wikipedia.org/wiki/Parcel)."
    seen = {}
    for name in ("general", "support"):
        (tmp_path / "proctor.yaml").write_text(f"guard: {{profile: {name}, input: [], tool_result: []}}\n", "utf-8")
        guard = Guard.from_config(tmp_path, record=False, reload=False)
        seen[name] = (await guard.session().output(text)).action
        guard.close()
    assert seen == {"general": "allow", "support": "redact"}
    assert set(POINTS) == set(DEFAULTS)
