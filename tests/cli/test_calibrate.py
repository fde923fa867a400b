"""proctor calibrate: check, fit, and the file that an agent loads."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from proctor.calibration import CalibrationMap, load, parse
from tests.cli.conftest import PROGRAM, Project
from tests.monitor.audit_traffic import monday, traffic, write_log
from tests.tables import table


def pairs(project: Project, count: int, *, over: float, name: str = "pairs.jsonl") -> Path:
    source = np.random.default_rng(4)
    given = 1 - source.beta(1.5, 5, count)
    right = source.random(count) < given - over
    lines = [json.dumps({"confidence": float(c), "correct": bool(y)}) for c, y in zip(given, right, strict=True)]
    return project.write(name, "\n".join(lines))


def test_an_overconfident_agent_is_recalibrated_and_then_passes(project: Project) -> None:
    pairs(project, 2500, over=0.15)
    words = ["calibrate", "check", "--pairs", "pairs.jsonl"]
    done = project.run(*words, "-o", "c.svg", "-o", "c.html", "-o", "c.json", "-o", "c.md", code=1)
    assert "recalibrate" in done.stdout
    data = json.loads((project.folder / "c.json").read_text())
    assert data["state"] == "fail"
    assert data["debiased"]["low"] < 0.15 < data["debiased"]["high"]
    assert ElementTree.parse(project.folder / "c.svg").getroot().tag.endswith("svg")
    assert "<svg" in (project.folder / "c.html").read_text()
    fitted = project.run("calibrate", "fit", "--pairs", "pairs.jsonl", "-o", "map.json", "-o", "map.svg", code=0)
    assert "chosen" in fitted.stdout
    mapped = project.run(*words, "--threshold", "0.08", "--mapping", "map.json", "--json", code=0)
    assert json.loads(mapped.stdout)["state"] == "pass"
    calibrated = load(project.folder / "map.json")
    assert calibrated(0.9) == pytest.approx(0.75, abs=0.06)
    assert calibrated.facts["count"] == 2500


def test_a_calibrated_agent_needs_no_mapping_and_few_labels_decide_nothing(project: Project) -> None:
    pairs(project, 2500, over=0.0)
    project.run("calibrate", "check", "--pairs", "pairs.jsonl", code=0)
    assert "leaves them unchanged" in project.run("calibrate", "fit", "--pairs", "pairs.jsonl", code=0).stdout
    pairs(project, 60, over=0.02, name="few.jsonl")
    done = project.run("calibrate", "check", "--pairs", "few.jsonl", code=3)
    assert "too few to decide" in done.stdout
    pairs(project, 20, over=0.0, name="fewer.jsonl")
    assert "too few for a mapping" in project.run("calibrate", "fit", "--pairs", "fewer.jsonl", code=3).stderr


@pytest.mark.parametrize(("over", "code"), [(0.0, 0), (0.15, 1)])
def test_a_closed_pipe_costs_no_file_and_keeps_the_exit_code(project: Project, over: float, code: int) -> None:
    pairs(project, 2500, over=over)
    words = ("calibrate", "check", "--pairs", "pairs.jsonl")
    project.run(*words, code=code)
    reader, writer = os.pipe()
    os.close(reader)
    outputs = ("reliability.svg", "report.html")
    with os.fdopen(writer, "w") as closed:
        done = subprocess.run(
            [*PROGRAM, *words, *(word for name in outputs for word in ("-o", name))],
            cwd=project.folder,
            env=project.variables(),
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == code, done.stderr
    assert "Error" not in done.stderr
    assert all((project.folder / name).stat().st_size for name in outputs)


def test_bins_near_one_have_names_of_their_own_and_p_is_the_same_in_page_and_picture(project: Project) -> None:
    source = np.random.default_rng(4)
    given = 1 - 10.0 ** -source.uniform(0.5, 4.5, 1200)
    right = source.random(1200) < given - 0.1
    lines = [json.dumps({"confidence": float(c), "correct": bool(y)}) for c, y in zip(given, right, strict=True)]
    project.write("pairs.jsonl", "\n".join(lines))
    done = project.run("calibrate", "check", "--pairs", "pairs.jsonl", "-o", "c.html", "-o", "c.svg", code=1)
    names = re.findall(r"^\s*(\d\.\d+–\d\.\d+)\s", done.stdout, re.MULTILINE)
    assert len(names) == 15
    assert len(set(names)) == 15
    assert all(low != high for low, high in (name.split("–") for name in names))
    picture = "".join(ElementTree.parse(project.folder / "c.svg").getroot().itertext())
    assert "· p <0.001" in picture
    assert "p = 0.00" not in (project.folder / "c.html").read_text()


def test_labels_from_outcomes_scores_and_the_audit(project: Project) -> None:
    write_log(project.folder / "e.jsonl", traffic(monday(), 7, per_day=30, over=0.2))
    named = ["--labels", "outcome", "--correct", "solved", "--wrong", "unsolved"]
    done = project.run("calibrate", "check", "e.jsonl", *named, "--json", code=1)
    assert json.loads(done.stdout)["count"] == 210
    done = project.run("calibrate", "check", "e.jsonl", "--labels", "score/judge", "--json", code=1)
    assert json.loads(done.stdout)["count"] == 210
    assert "there are: judge" in project.run("calibrate", "check", "e.jsonl", "--labels", "score/odd", code=2).stderr
    assert "solved, unsolved" in project.run("calibrate", "check", "e.jsonl", "--labels", "outcome", code=2).stderr
    assert "score/NAME" in project.run("calibrate", "check", "e.jsonl", "--labels", "odd", code=2).stderr
    assert "no conversation has both" in project.run("calibrate", "check", code=3).stderr


def test_labels_from_completion_rules(project: Project) -> None:
    write_log(project.folder / "e.jsonl", traffic(monday(), 5, per_day=20, over=0.2))
    config = project.folder / "proctor.yaml"
    config.write_text(
        config.read_text()
        + "\ncompletion: {default: {completed: [outcome/solved], failed: [outcome/unsolved], within: 1 h}}\n"
    )
    done = project.run("calibrate", "check", "e.jsonl", "--labels", "completion", "--json")
    assert done.returncode in (1, 3), done.stderr
    assert json.loads(done.stdout)["count"] > 80


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no pairs"),
        ('{"confidence": 2, "correct": true}', "from 0 to 1"),
        ('{"confidence": 0.5}', "true or false"),
        ("{", "is not JSON"),
        ("3", "is no object"),
        ('{"confidence": 0.5, "correct": 1, "weight": -1}', "more than 0"),
    ],
)
def test_wrong_pairs_are_explained(project: Project, text: str, said: str) -> None:
    project.write("p.jsonl", text)
    assert said in project.run("calibrate", "check", "--pairs", "p.jsonl", code=2).stderr


def test_a_mapping_that_is_none(project: Project) -> None:
    pairs(project, 50, over=0.0)
    words = ["calibrate", "check", "--pairs", "pairs.jsonl", "--mapping"]
    assert "no such file" in project.run(*words, "nosuch.json", code=2).stderr
    project.write("m.json", "{}")
    assert "no calibration file" in project.run(*words, "m.json", code=2).stderr
    project.run("calibrate", "check", "--pairs", "pairs.jsonl", "-o", "x.pdf", code=2)


# --- the door that an agent uses ------------------------------------------------------------------------


def test_the_door_loads_the_standard_library_only() -> None:
    code = (
        "import sys; import proctor.calibration; print([n for n in sys.modules if n in ('numpy', 'click', 'sqlite3')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@table(
    "made",
    [
        CalibrationMap(method="identity"),
        CalibrationMap(method="platt", slope=0.5, intercept=-0.3),
        CalibrationMap(method="temperature", slope=0.7),
        CalibrationMap(method="isotonic", x=(0.2, 0.5, 0.9), y=(0.1, 0.1, 0.8)),
    ],
)
def test_a_mapping_survives_its_file_and_never_falls(made: CalibrationMap) -> None:
    again = parse(json.loads(json.dumps(made.as_data())))
    values = [again(step / 50) for step in range(51)]
    assert values == [made(step / 50) for step in range(51)]
    assert values == sorted(values)
    assert all(0 <= value <= 1 for value in values)
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        made(1.5)


@table(
    "wrong",
    [
        [],
        {"format": "other"},
        {"method": "magic"},
        {"method": "platt", "slope": "1"},
        {"method": "platt", "slope": -1},
        {"method": "platt", "intercept": float("inf")},
        {"method": "isotonic", "x": [0.1], "y": []},
        {"method": "isotonic", "x": [0.5, 0.1], "y": [0.1, 0.2]},
        {"method": "isotonic", "x": [0.1, 0.5], "y": [0.5, 0.2]},
        {"method": "isotonic", "x": "x", "y": [1]},
    ],
)
def test_files_that_are_no_mapping(wrong: object) -> None:
    data = {"format": "proctor calibration 1", **wrong} if isinstance(wrong, dict) else wrong
    with pytest.raises(ValueError, match=r"format|method|slope|intercept|`x`|`y`"):
        parse(data)
