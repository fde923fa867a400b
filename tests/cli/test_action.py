"""The GitHub Action does what its page says: its own script is run here, against the local server."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from proctor.prompts.yaml_text import read_yaml
from tests.cli.conftest import Project

ROOT = Path(__file__).parent.parent.parent
ACTION: dict[str, Any] = read_yaml((ROOT / "action.yml").read_text(encoding="utf-8"))


def step() -> dict[str, Any]:
    return next(each for each in ACTION["runs"]["steps"] if each.get("id") == "run")


def run(project: Project, **inputs: str) -> subprocess.CompletedProcess[str]:
    values = {name: str(told.get("default", "")) for name, told in ACTION["inputs"].items()} | inputs
    env = {
        key: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match.group(1)], text)
        for key, text in step()["env"].items()
    }
    program = project.write(
        "bin/proctor", f'#!/bin/sh\nexec {sys.executable} -c "from proctor.cli.main import main; main()" "$@"\n'
    )
    program.chmod(0o755)
    files = {"GITHUB_OUTPUT": str(project.folder / "output"), "GITHUB_STEP_SUMMARY": str(project.folder / "summary")}
    told = project.variables()
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step()["run"]],
        cwd=project.folder,
        env={**told, **env, **files, "PATH": f"{program.parent}:{told['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_run_passes_and_leaves_its_reports(project: Project, suite_of: Any) -> None:
    arguments = "--case\nc1\n"
    done = run(project, run=suite_of(3, bad=(0,)), models="stub", arguments=arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    output = dict(line.split("=", 1) for line in (project.folder / "output").read_text().splitlines())
    assert output == {"exit-code": "0", "reports": "proctor-report", "report": "proctor-report/report.md"}
    assert "PASSED" in (project.folder / "summary").read_text()
    names = {path.name for path in (project.folder / "proctor-report").iterdir()}
    assert names == {"report.html", "report.md", "results.junit.xml", "results.json"}


def test_failed_quality_and_a_mistake_have_their_own_codes(project: Project, suite_of: Any) -> None:
    failed = run(project, run=suite_of(2, bad=(1,)), models="stub")
    assert failed.returncode == 1
    assert "exit-code=1" in (project.folder / "output").read_text()
    assert run(project, run="nowhere.yaml", models="stub").returncode == 2


def test_with_a_gate_the_check_goes_by_the_baseline(project: Project) -> None:
    project.write("proctor.yaml", "target: agent\ntargets: {agent: {python: 'agent.py:answer'}}\n")
    project.write("agent.py", "def answer(text):\n    return text\n")
    rows = [f"  - {{id: c{n}, input: a{n}, checks: [exact: {'other' if n == 0 else f'a{n}'}]}}" for n in range(8)]
    suite = str(project.write("golden.yaml", "\n".join(["cases:", *rows, ""])).name)
    project.run("run", suite, "-q", code=1)
    project.run("bless", "last", code=0)
    kept = run(project, run=suite, gate="true")
    output = dict(line.split("=", 1) for line in (project.folder / "output").read_text().splitlines())
    assert kept.returncode == 0, "a failure that the baseline has too does not hold: " + kept.stdout + kept.stderr
    assert (output["decision"], output["report"]) == ("ship", "proctor-report/gate.md")
    summary = (project.folder / "summary").read_text()
    assert "SHIP" in summary
    assert "FAILED" in summary, "the run's own report follows"
    (project.folder / "output").unlink()
    project.write("agent.py", "def answer(text):\n    return 'no'\n")
    broken = run(project, run=suite, gate="baselines/golden.json")
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert "decision=hold" in (project.folder / "output").read_text()
    assert "1 cause to hold" in (project.folder / "proctor-report/gate.md").read_text()
    assert run(project, run=suite, gate="nowhere.json").returncode == 2
    assert run(project, run="nowhere.yaml", gate="true").returncode == 2


def test_no_input_becomes_a_command(project: Project) -> None:
    hostile = "$(touch made) `touch made`; touch made"
    assert run(project, run=hostile, models=hostile, judge=hostile, arguments=hostile, gate=hostile).returncode == 2
    assert not (project.folder / "made").exists()
    for each in ACTION["runs"]["steps"]:
        assert "${{" not in each.get("run", "")


def test_every_input_is_used_and_is_on_its_page() -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    for name in ACTION["inputs"]:
        assert f"inputs.{name} " in text
        assert f"`{name}`" in page
