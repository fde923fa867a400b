"""Write a pytest file: each test of the prompt becomes a pytest test, judged by Proctor."""

from __future__ import annotations

from proctor.core.errors import InputError
from proctor.suites.exchange.bundle import Bundle, Outgoing
from proctor.suites.exchange.plain_files import write_jsonl

__all__ = ["write_pytest"]

_FILE = '''\
"""Tests of the prompt {name}, written by `proctor export`.

    pip install proctor pytest
    PROCTOR_TEST_MODEL=openai:gpt-5-mini pytest {file}

The model is the one in PROCTOR_TEST_MODEL (several with commas between them), else that of the export (`models=`),
else `model:` in proctor.yaml.
PROCTOR_TEST_JUDGE names the model that judges rules no code can check; without one, such a test is skipped.
More than ALLOWED_UNJUDGED of the tests skipped for that reason fail the run: green must not mean "not looked at".
"""

import pytest

from proctor.workflows.exchange.pytest_suite import PytestSuite

ALLOWED_UNJUDGED = 0.1
SUITE = PytestSuite(__file__, suite={suite!r}, prompt={prompt!r}{models})


@pytest.mark.parametrize("model", SUITE.models)
@pytest.mark.parametrize("case", SUITE.case_ids)
def test_{function}(case, model):
    verdict = SUITE.check(case, model)
    if verdict.unscored:
        pytest.skip(verdict.reason)
    assert verdict.passed, verdict.reason


def test_{function}_is_judged():
    """Runs last: how many of the tests above could not be judged."""
    share = SUITE.unjudged_share
    if share is None:
        pytest.skip("none of the tests was run")
    assert share <= ALLOWED_UNJUDGED, SUITE.unjudged_reason
'''


def write_pytest(bundle: Bundle) -> Outgoing:
    """Write a test file, with its suite and prompt beside it.

    Raises:
        InputError: there is no prompt to run.
    """
    if bundle.prompt is None or bundle.file is None:
        raise InputError("there is no prompt to test", hint="export a prompt file, not a suite")
    function = "".join(letter if letter.isalnum() else "_" for letter in bundle.name.lower()).strip("_") or "prompt"
    file, prompt = f"test_{function}.py", f"{bundle.name}{bundle.file[0]}"
    made = write_jsonl(bundle)
    (suite,) = made.files
    models = f", models={list(bundle.models)!r}" if bundle.models else ""
    text = _FILE.format(name=repr(bundle.name), file=file, suite=suite, prompt=prompt, function=function, models=models)
    return Outgoing(files={file: text, **made.files, prompt: bundle.file[1]}, notes=made.notes)
