"""Open the cases of a job: a suite by name or path, or a prompt with its generated tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from proctor.config import Config
from proctor.core.decode import closest
from proctor.core.errors import InputError, SuiteError
from proctor.suites.generated import is_prompt, joined
from proctor.suites.load import open_suite
from proctor.workflows.run.suite_source import Opened

__all__ = ["existing_suite_path", "open_tests", "storing_model", "suite_path"]

_SUITES: Final = "suites"  # where `proctor init` and `promote` put them
_SUFFIXES: Final = (".yaml", ".yml", ".jsonl")


def suite_path(name: str, config: Config, folder: Path) -> Path:
    """Return the path of a suite by its name in proctor.yaml or its path."""
    if name in config.settings.suites:
        return config.folder / config.settings.suites[name]
    return folder / name


def existing_suite_path(name: str, config: Config, folder: Path) -> Path:
    """Return the path of a suite; a bare word is looked up in proctor.yaml and named as such when unknown.

    Raises:
        SuiteError: it is a bare word, and neither a suite of the project nor a file.
    """
    path = suite_path(name, config, folder)
    known = tuple(config.settings.suites)
    if name in known or Path(name).suffix or Path(name).name != name or path.exists():
        return path
    if (file := _file_named(name, config, folder)) is not None:
        hint = f"did you mean the file {file}?"
    elif not known:
        return path
    else:
        guess = closest(name, known)
        hint = f"did you mean {guess!r}?" if guess else f"`suites:` has: {', '.join(known)}; or give a path"
    raise SuiteError(f"there is no suite {name!r}, and no such file", file=str(config.path or "") or None, hint=hint)


def _file_named(name: str, config: Config, folder: Path) -> Path | None:
    """Return the suite file of this name, without its suffix, where suites of the project are."""
    there = ((config.folder / each).parent for each in config.settings.suites.values())
    for place in dict.fromkeys((folder, folder / _SUITES, *there)):
        for suffix in _SUFFIXES:
            file = place / f"{name}{suffix}"
            if file.is_file():
                return file.relative_to(folder) if file.is_relative_to(folder) else file
    return None


def open_tests(path: Path, *, metrics: Sequence[Path] = (), baseline: bool = False, judged: bool = True) -> Opened:
    """Open a suite file or folder, or the generated tests of a prompt file.

    Raises:
        InputError: there is no such file, it is invalid, or the prompt has no tests yet.
    """
    if is_prompt(path):
        from proctor.workflows.run.prompt_tests import open_prompt  # noqa: PLC0415 - loads prompts and their templates

        return open_prompt(path, metrics=metrics, baseline=baseline, judged=judged)
    if baseline:
        hint = "leave --baseline out, or name the prompt in the place of the suite"
        raise InputError("only a prompt has baseline tests", file=str(path), hint=hint)
    loaded = open_suite(path)
    if not metrics:
        return Opened(loaded=loaded)
    from proctor.workflows.run.prompt_tests import metric_check  # noqa: PLC0415 - a metric is a prompt

    return Opened(loaded=joined(loaded, (), [metric_check(metric, {}) for metric in metrics]))


def storing_model(prompt: Path | None) -> tuple[str, ...]:
    """Return the model that a prompt's file names for stored completions; empty without one."""
    if prompt is None:
        return ()
    from proctor.prompts.load import load_prompt  # noqa: PLC0415 - loads templates
    from proctor.prompts.test_config import told  # noqa: PLC0415

    named = told(load_prompt(prompt)).options.get("storeModel")
    return (named,) if isinstance(named, str) and named else ()
