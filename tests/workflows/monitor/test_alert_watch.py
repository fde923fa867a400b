"""From an event to a message: engine, state, spool and a receiver of one project."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from aiohttp import web

from proctor.config import load_config, read_environment
from proctor.core.errors import StoreError
from proctor.core.event_row import EventRow
from proctor.monitor.alert_engine import AlertEngine
from proctor.monitor.alert_rules import rules_of
from proctor.project import Project
from proctor.report.exposition import alert_metrics, exposition, live_metrics
from proctor.store.alert_state import AlertState
from proctor.workflows.monitor.alert_watch import AlertWatch

START = 1_700_000_400.0


async def test_events_become_a_page_and_its_end(tmp_path: Path) -> None:
    got: list[str] = []

    async def hook(request: web.Request) -> web.Response:
        body = await request.json()
        got.extend(f"{each['status']} {each['labels']['alertname']}" for each in body["alerts"])
        return web.Response()

    app = web.Application()
    app.router.add_post("/hook", hook)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    (tmp_path / "proctor.yaml").write_text(
        f"""
alerts:
  webhook: http://127.0.0.1:{port}/hook
  rules:
    broken: {{in_a_row: gate/broken, count: 3, tier: critical}}
    latency: {{limit: 5 s}}
"""
    )
    config = load_config(tmp_path / "proctor.yaml", read_environment(tmp_path), start=tmp_path)
    rng = random.Random(1)
    async with Project(config) as project:
        watch = AlertWatch(config, project.http)
        time = START
        for number in range(900):
            time += 1
            signals = ("gate/broken",) if 300 <= number < 310 else ()
            latency = rng.lognormvariate(0.0, 0.5)
            row = EventRow(line=b"", id=str(number), kind="turn", time=time, latency=latency, signals=signals)
            watch.observe(row, time)
            if number % 10 == 0:
                await watch.tick(time)
        metrics = watch.metrics(time)
        limits = {each.rule: each for each in watch.limits(time)}
        watch.close(time)
    await runner.cleanup()
    assert got == ["firing broken", "resolved broken"]
    assert 'proctor_events_total{kind="turn"} 900' in metrics
    assert 'proctor_signals_total{signal="gate/broken"} 10' in metrics
    assert "proctor_alert_messages_waiting 0" in metrics
    assert limits["broken"].smallest == 3
    latency_limit = limits["latency"].smallest
    assert latency_limit
    assert 0.05 < latency_limit < 0.3
    with AlertState(config.store) as state:
        assert {each.rule for each in state.status()} == set(limits)
        assert [each.told for each in state.alerts()] == ["resolved"]
    _check_with_promtool(metrics)


async def test_a_page_that_the_disk_refused_is_sent_when_it_takes_again(tmp_path: Path) -> None:
    (tmp_path / "proctor.yaml").write_text(
        """
alerts:
  webhook: http://127.0.0.1:9/hook
  rules:
    broken: {in_a_row: gate/broken, count: 3, tier: critical}
"""
    )
    config = load_config(tmp_path / "proctor.yaml", read_environment(tmp_path), start=tmp_path)
    async with Project(config) as project:
        watch = AlertWatch(config, project.http)
        for number in range(3):
            row = EventRow(line=b"", id=str(number), kind="turn", time=START, signals=("gate/broken",))
            watch.observe(row, START)
        folder = watch.notifier.spool.folder
        folder.write_text("a file stands where the folder should")
        with pytest.raises(StoreError):
            await watch.tick(START + 1)
        folder.unlink()
        assert [each.kind for each in await watch.tick(START + 2)] == ["fired"]
        assert [each.channel for each in watch.notifier.spool.waiting()] == ["webhook"]
        watch.close(START + 3)


def _check_with_promtool(metrics: str) -> None:
    if (promtool := shutil.which("promtool")) is None:
        pytest.skip("needs promtool")
    done = subprocess.run([promtool, "check", "metrics"], input=metrics, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_hour_of_scraping_adds_no_series(tmp_path: Path) -> None:
    rng = random.Random(2)
    pages: list[set[str]] = []
    with AlertState(tmp_path) as state:
        engine = AlertEngine(rules_of({}), state, save_every=600.0)
        for second in range(0, 3 * 3600, 3):
            time = START + second
            signals = tuple(name for name in ("gate/injection", "escalation") if rng.random() < 0.05)
            row = EventRow(
                line=b"", id=str(second), kind="turn", time=time, session=f"s{second}", customer=f"c{second}",
                intent=f"intent {second % 50}", latency=rng.random(), signals=signals,
            )  # fmt: skip
            engine.observe(row, time)
            if second % 30 == 0:
                engine.tick(time)
                if second >= 2 * 3600 + 300:
                    page = exposition([*live_metrics(engine.figures()), *alert_metrics([], engine.status(time))])
                    pages.append({line.rpartition(" ")[0] for line in page.splitlines() if not line.startswith("#")})
    assert len(pages) > 100
    assert len(pages[-1]) < 100
    assert pages[0] == pages[-1]
