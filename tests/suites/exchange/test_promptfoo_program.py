"""The promptfoo export, validated and run by promptfoo itself where it is installed (`npm install promptfoo`)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.suites.exchange.making import LABEL, OWN, SHORT, bundle

from proctor.prompts.yaml_text import read_yaml
from proctor.suites.exchange.promptfoo_write import write_promptfoo
from proctor.text.yaml_dump import to_yaml

PROGRAM = shutil.which("promptfoo")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="promptfoo is not on the PATH: npm install -g promptfoo")


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    quiet = {"PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_CACHE_ENABLED": "false"}
    own = {"PROMPTFOO_CONFIG_DIR": str(folder / ".promptfoo"), "PROMPTFOO_PYTHON": sys.executable}
    return subprocess.run(
        [str(PROGRAM), *words],
        cwd=folder,
        env={**os.environ, **quiet, **own},  # noqa: TID251 - another program, which needs the PATH
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_promptfoo_finds_the_export_valid(tmp_path: Path) -> None:
    for name, text in write_promptfoo(bundle()).files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = call(tmp_path, "validate", "-c", "promptfooconfig.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Configuration is valid" in done.stdout + done.stderr


def test_promptfoo_judges_rules_with_predicates_as_we_do(tmp_path: Path) -> None:
    sent = bundle(rules=(LABEL, SHORT, OWN), baseline=())
    for name, text in write_promptfoo(sent).files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    config = read_yaml((tmp_path / "promptfooconfig.yaml").read_text())
    config["providers"] = ["echo"]  # answers with the prompt, which breaks the first two rules, and never the third
    config["tests"] = [{key: value for key, value in test.items() if key != "assert"} for test in config["tests"]]
    (tmp_path / "promptfooconfig.yaml").write_text(to_yaml(config))
    done = call(tmp_path, "eval", "-c", "promptfooconfig.yaml", "-o", "out.json", "--no-table", "--no-progress-bar")
    assert (tmp_path / "out.json").is_file(), done.stdout + done.stderr
    results = json.loads((tmp_path / "out.json").read_text())["results"]["results"]
    assert len(results) == len(sent.cases)
    for result in results:
        parts = result["gradingResult"]["componentResults"]
        by_rule = {part["assertion"]["metric"]: part["pass"] for part in parts}
        assert (by_rule[LABEL.text], by_rule[SHORT.text]) == (False, False)
        assert by_rule[OWN.text] is (result["response"]["output"].count("\n") == 0)
