from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DESK = Path(__file__).parents[2] / "examples" / "help_desk"
PROCTOR = Path(sys.executable).with_name("proctor")


def _demo(folder: Path) -> subprocess.CompletedProcess[str]:
    """The demo over a copy of the example; no local model is found, so only the agent is asked."""
    return subprocess.run(
        ["sh", str(folder / "demo.sh"), str(PROCTOR)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "PROCTOR_CACHE": str(folder / "cache")},
    )


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    folder = tmp_path / "help_desk"
    shutil.copytree(DESK, folder, ignore=shutil.ignore_patterns("out", ".proctor", "__pycache__"))
    return folder


def test_a_demo_whose_answers_fail_says_that_the_install_works_and_where_to_look(desk: Path) -> None:
    done = _demo(desk)
    assert done.returncode == 0, done.stderr
    assert "FAILED  1 of 13 failed" in done.stdout
    last = done.stdout.split("FAILED  1 of 13 failed")[1]
    assert "Proctor works here" in last
    assert "not of the installation:\nthe example agent gave answers" in last
    assert "exit code 1" in last
    assert "examples/help_desk/out/report.html" in last
    assert (desk / "out" / "report.html").is_file()


def test_a_demo_that_passes_speaks_of_no_failure(desk: Path) -> None:
    suite = desk / "suites" / "desk.yaml"
    cases = suite.read_text(encoding="utf-8").split("\n  - id: ")
    suite.write_text("\n  - id: ".join(each for each in cases if not each.startswith("shipping-japanese")), "utf-8")
    done = _demo(desk)
    assert done.returncode == 0, done.stderr
    assert "Proctor works here" in done.stdout
    assert "FAILED" not in done.stdout


def test_a_demo_that_cannot_run_is_no_success(desk: Path) -> None:
    (desk / "suites" / "desk.yaml").write_text("cases: 5\n", "utf-8")
    done = _demo(desk)
    assert done.returncode == 2
    assert "Proctor works here" not in done.stdout
