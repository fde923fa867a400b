from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from proctor.config import Config, Environment, RunSettings, Settings
from proctor.core.case import Case, Check, Suite
from proctor.core.chat import Message, Request
from proctor.core.decode import decode
from proctor.core.errors import BudgetError, ConfigError, InputError, MalformedError, SuiteError
from proctor.models.pool import Pool
from proctor.store.calls import CallLog
from proctor.targets.twin_target import Twinned
from proctor.wiring.models import ModelPool
from proctor.wiring.scorers import PRIMARY, GraderFactory
from proctor.wiring.targets import make_targets
from tests.tables import table

ASK = Request(messages=(Message(role="user", content="hi"),))


def _config(folder: Path, environment: dict[str, str] | None = None, **settings: Any) -> Config:
    (folder / "brain.py").write_text("def answer(request):\n    return 'said: ' + request.messages[-1].content\n")
    return Config(
        settings=decode(Settings, settings, strict=True),
        folder=folder,
        environment=Environment(values=environment or {}),
        path=folder / "proctor.yaml",
    )


def _model_pool(config: Config, run: RunSettings | None = None, **more: Any) -> ModelPool:
    return ModelPool(config=config, run=run or config.settings.run, http=Pool(), **more)


async def test_a_model_is_found_by_its_name_or_by_provider_and_model(tmp_path: Path) -> None:
    model_pool = _model_pool(_config(tmp_path, models={"brain": "rule:brain.py:answer"}, model="brain"))
    for name in ("brain", "rule:brain.py:answer", None):
        assert (await model_pool.get(name).complete(ASK)).text == "said: hi"
    assert model_pool.get("brain") is model_pool.get("brain")
    (spend,) = model_pool.spend()
    assert (spend.calls, spend.cost, spend.role) == (3, 0.0, "target")


def test_what_is_wrong_with_a_model_is_named(tmp_path: Path) -> None:
    config = _config(tmp_path, models={"a": {"provider": "rule", "model": "brain.py:answer", "rate": 3}})
    with pytest.raises(ConfigError, match=r"models\.a"):
        _model_pool(config).get("a")
    with pytest.raises(ConfigError, match="no model is called 'b'"):
        _model_pool(config).get("b")
    with pytest.raises(ConfigError, match="no judge is set"):
        _model_pool(config).get(None, role="judge")
    missing = _config(tmp_path, models={"a": {"provider": "compatible", "model": "m", "base_url": "${NOWHERE}"}})
    with pytest.raises(MalformedError, match="NOWHERE is not set"):
        _model_pool(missing).get("a")


async def test_a_first_leg_writes_its_log_and_a_second_reads_it(tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text("n = [0]\ndef answer(request):\n    n[0] += 1\n    return str(n[0])\n")
    config = _config(tmp_path, model="rule:count.py:answer")
    with closing(CallLog(tmp_path / "calls.ndjson")) as log:
        first = _model_pool(config, log=log).get(None)
        assert [(await first.complete(ASK)).text for _ in range(2)] == ["1", "2"]  # asked twice, answered twice
    with closing(CallLog(tmp_path / "calls.ndjson")) as log:
        second = _model_pool(config, log=log, resumed=True)
        reply = await second.get(None).complete(ASK)
        assert (reply.text, reply.cached) == ("2", True)
        assert (second.spend()[0].calls, second.spend()[0].cached) == (1, 1)


async def test_a_budget_is_shared_by_all_models_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "dear.py").write_text(
        "from proctor.core.chat import Reply\ndef answer(request):\n    return Reply(text='x', cost=1.0)\n"
    )
    config = _config(tmp_path, models={name: {"provider": "rule", "model": "dear.py:answer"} for name in "ab"})
    model_pool = _model_pool(config, RunSettings(budget=2.5))
    for name in "aba":
        await model_pool.get(name).complete(ASK)
    with pytest.raises(BudgetError):
        await model_pool.get("b").complete(ASK)


def test_a_budget_is_refused_where_a_price_is_not_known(tmp_path: Path) -> None:
    here = {"provider": "compatible", "base_url": "http://127.0.0.1:9/v1"}
    config = _config(
        tmp_path, models={"a": {**here, "model": "x"}, "b": {**here, "model": "x", "price": {"input": 1, "output": 1}}}
    )
    model_pool = _model_pool(config, RunSettings(budget=2.5))
    with pytest.raises(ConfigError, match="the price of compatible:x is not known") as caught:
        model_pool.get("a")
    assert "prices: {'compatible:x'" in str(caught.value.hint)
    model_pool.get("b")
    _model_pool(config).get("a")  # without a budget nobody need know


def test_models_of_one_endpoint_and_key_share_a_quota(tmp_path: Path) -> None:
    def model(name: str, port: int = 1, key: str = "KEY_1") -> dict[str, Any]:
        url = f"http://127.0.0.1:{port}/v1"
        return {"provider": "compatible", "base_url": url, "model": name, "api_key_env": key}

    models = {"a": model("x"), "b": model("y"), "key": model("x", key="KEY_2"), "port": model("x", port=2)}
    model_pool = _model_pool(_config(tmp_path, {"KEY_1": "one", "KEY_2": "two"}, models=models))
    for name in models:
        model_pool.get(name)
    quotas = [id(model_pool.limiter(name).quota) for name in models]
    assert quotas[0] == quotas[1]
    assert len(set(quotas)) == 3


def _targets(config: Config, names: list[str], models: list[str]) -> list[str]:
    made = make_targets(names, models, config=config, model_pool=_model_pool(config), http=Pool())
    return [target.name for target in made]


def test_a_prompt_is_one_target_for_each_model(tmp_path: Path) -> None:
    config = _config(
        tmp_path,
        model="rule:brain.py:answer",
        targets={"desk": {"prompt": "Be brief."}, "code": {"python": "brain.py:answer"}},
    )
    two = ["rule:brain.py:answer", "scripted:x"]
    assert _targets(config, ["desk"], []) == ["desk"]
    assert _targets(config, [], []) == ["rule:brain.py:answer"]
    with pytest.raises(ConfigError, match="replies"):
        _targets(config, ["desk"], two)
    several = [two[0], "rule:proctor.models.fake:rule"]
    assert _targets(config, ["desk", "code"], several) == [f"desk@{several[0]}", f"desk@{several[1]}", "code"]


def test_what_is_wrong_with_a_target_is_named(tmp_path: Path) -> None:
    config = _config(tmp_path, targets={"a": {"timeout": 3}, "b": {"python": "x:y", "http": "z"}, "c": "nothing"})
    for name, words in (
        ("a", "names no kind"),
        ("b", "is of 2 kinds"),
        ("c", "no target is called 'nothing'"),
        ("cc", "did you mean"),
    ):
        with pytest.raises(ConfigError, match=words):
            _targets(config, [name], [])
    with pytest.raises(ConfigError, match="nothing to test"):
        _targets(config, [], [])
    bad = _config(tmp_path, targets={"a": {"http": "http://127.0.0.1:1", "timeot": 3}})
    with pytest.raises(InputError, match=r"targets\.a\.timeot"):
        _targets(bad, ["a"], [])


def test_what_a_target_shows_is_declared_with_it(tmp_path: Path) -> None:
    code = {"python": "brain.py:answer"}
    targets = {"a": code, "b": {**code, "shows": ["words", "state"]}, "c": {**code, "shows": ["sounds"]}}
    config = _config(tmp_path, targets=targets)
    model_pool = _model_pool(config)
    plain, both = make_targets(["a", "b"], [], config=config, model_pool=model_pool, http=model_pool.http)
    assert isinstance(plain, Twinned)
    assert isinstance(both, Twinned)
    assert (plain.shows, both.shows) == (("words",), ("words", "state"))
    assert "shows" not in both.spec  # what it shows does not change what it does
    with pytest.raises(InputError, match=r"targets\.c\.shows"):
        make_targets(["c"], [], config=config, model_pool=model_pool, http=model_pool.http)


def test_a_target_named_twice_is_refused(tmp_path: Path) -> None:
    config = _config(tmp_path, targets={"a": {"python": "brain.py:answer"}})
    with pytest.raises(ConfigError, match="named twice"):
        _targets(config, ["a", "a"], [])


def test_equal_checks_share_one_grader(tmp_path: Path) -> None:
    grader_factory = GraderFactory(Suite(name="s", scorers=(Check(scorer="forbidden"),)), None)
    check = Check(scorer="contains", settings={PRIMARY: "x"}, threshold=0.5, name="has x", weight=2)
    one, two = (grader_factory.graders(Case(id=name, checks=(check,))) for name in "ab")
    assert one[1] is two[1]
    assert (one[1].name, one[1].threshold, one[1].weight, one[1].asks) == ("has x", 0.5, 2, False)
    assert one[0].name == "forbidden"
    assert grader_factory.specs() == {"contains": "1", "forbidden": "1"}


def test_a_bench_holds_no_more_graders_than_it_needs(tmp_path: Path) -> None:
    grader_factory = GraderFactory(Suite(name="s"), None)
    for number in range(5000):
        grader_factory.grader(Check(scorer="exact", settings={PRIMARY: str(number)}))
    assert len(grader_factory._made) <= 4096


@table(
    ("check", "words"),
    [
        (Check(scorer="exct"), "did you mean 'exact'"),
        (Check(scorer="exact", settings={"valu": 1}), "did you mean `value`"),
        (Check(scorer="length", settings={"at_most": "many"}), "whole number"),
        (Check(scorer="json_schema", settings={PRIMARY: 3}), "named settings only"),
    ],
)
def test_what_is_wrong_with_a_check_is_named(check: Check, words: str) -> None:
    with pytest.raises((SuiteError, MalformedError), match=words):
        GraderFactory(Suite(name="s"), None).grader(check)


def test_a_judge_is_filled_in_by_name(tmp_path: Path) -> None:
    config = _config(tmp_path, judge="rule:brain.py:answer", models={"other": "rule:brain.py:answer"})
    grader_factory = GraderFactory(Suite(name="s"), _model_pool(config))
    grader = grader_factory.grader(Check(scorer="judge", settings={"rubric": "good?"}))
    assert grader.asks
    assert grader.scorer.judge.name == "rule:brain.py:answer"  # type: ignore[attr-defined]
    grader_factory.grader(Check(scorer="judge", settings={"rubric": "good?", "judge": "other"}))
    assert grader_factory.specs()["judge"].startswith("1+")
