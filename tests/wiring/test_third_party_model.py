from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proctor.config import Config, Environment, RunSettings, Settings
from proctor.core.chat import Message, Request
from proctor.core.errors import ConfigError
from proctor.models.pool import Pool
from proctor.store.calls import CallLog
from proctor.wiring.models import ModelPool
from tests.third_party import install

# A provider as docs/plugins.md shows it: without `spec`.
CODE = """
from proctor.core.chat import Reply


class Shouting:
    name = "shouting:v1"

    def __init__(self, end):
        self.end = end

    async def complete(self, request):
        return Reply(text=request.messages[-1].content.upper() + self.end, model=self.name)


def connect(kit):
    return Shouting(kit.settings.get("end", ""))
"""
ASK = Request(messages=(Message(role="user", content="hi"),))


def _pool(folder: Path, cache: CallLog | None = None, **models: Mapping[str, Any]) -> ModelPool:
    config = Config(settings=Settings(models=models), folder=folder, environment=Environment(values={}))
    return ModelPool(config=config, run=replace(RunSettings(), cache="on"), http=Pool(), cache=cache)


async def test_replies_are_kept_by_the_settings_of_a_model_that_reports_no_spec(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "stranger", CODE, models="shouting = stranger:connect")
    for end in ("!", "?", "!"):
        with closing(CallLog(tmp_path / "calls.ndjson")) as cache:
            pool = _pool(tmp_path, cache, loud={"provider": "shouting", "end": end})
            assert (await pool.get("loud").complete(ASK)).text == f"HI{end}"
    assert pool.spend()[0].cached == 1
    both = _pool(tmp_path, loud={"provider": "shouting", "end": "!"}, asks={"provider": "shouting", "end": "?"})
    assert both.limiter("loud") is not both.limiter("asks")
    assert len(set(both.specs().values())) == 2


def test_a_factory_that_fails_is_named_with_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = CODE.replace('kit.settings.get("end", "")', 'kit.settings["driver"]')
    install(tmp_path, monkeypatch, "stranger", broken, models="shouting = stranger:connect")
    with pytest.raises(
        ConfigError, match="'shouting' of package stranger cannot be made: KeyError: 'driver'"
    ) as caught:
        _pool(tmp_path, loud={"provider": "shouting"}).get("loud")
    assert caught.value.hint == "stranger:connect raised this; look at the settings of 'loud'"
