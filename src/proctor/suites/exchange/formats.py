"""Select the writer for a tool, and the reader for a file or folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from proctor.core.errors import InputError, SuiteError
from proctor.prompts.file_boundary import FileBoundary
from proctor.prompts.yaml_text import read_yaml
from proctor.suites.exchange.bundle import Bundle, Outgoing
from proctor.suites.exchange.own_export import has_changed, read_record
from proctor.suites.exchange.promptfoo_files import json_of
from proctor.suites.files import lines_of, near, read_text

__all__ = ["TOOLS", "kind_of", "only_folder_inside", "read_any", "writer_for"]

# Value of --to -> module in this package and its function.
_WRITERS: Mapping[str, tuple[str, str]] = {
    "promptfoo": ("promptfoo_write", "write_promptfoo"),
    "openai-evals": ("evals_write", "write_openai_evals"),
    "azure-evals": ("evals_write", "write_azure_evals"),
    "github-models": ("github_write", "write_github_models"),
    "pytest": ("pytest_file", "write_pytest"),
    "promptpex": ("promptpex_write", "write_promptpex"),
    "jsonl": ("plain_files", "write_jsonl"),
    "csv": ("plain_files", "write_csv"),
}
TOOLS = tuple(_WRITERS)
BARE = "text"
_MOST = 32_000_000
_PEX = ("promptpex_context.json", "rules.txt", "tests.json", "tests.csv", "inverse_rules.txt")
_FOO = ("promptfooconfig.yaml", "promptfooconfig.yml", "promptfooconfig.json")
_RECORDED = ("promptfoo", "openai-evals")  # formats whose export has a record beside it
_TEXTS = (".prompty", ".md", ".txt")


def writer_for(tool: str) -> Callable[[Bundle], Outgoing]:
    """Return the function that writes a bundle for a tool.

    Raises:
        InputError: no tool of that name is known.
    """
    if tool not in _WRITERS:
        raise InputError(f"no files can be written for {tool!r}", hint=f"one of: {', '.join(TOOLS)}")
    module, function = _WRITERS[tool]
    writer: Callable[[Bundle], Outgoing] = getattr(import_module(f"proctor.suites.exchange.{module}"), function)
    return writer


def kind_of(path: Path) -> str:
    """Detect the format: ``promptpex``, ``promptfoo``, ``github-models``, ``openai-evals``, or ``text``.

    Raises:
        SuiteError: it does not exist, cannot be read, or has no known format.
    """
    if not path.exists():
        raise SuiteError("no such file or folder", file=str(path), hint=near(path))
    if path.is_dir():
        return _kind_of_folder(path)
    ending = path.suffix.lower()
    if ending in (".yaml", ".yml"):
        kind = _kind_of_data(read_yaml(read_text(path, most=_MOST, instead=""), file=str(path), error=SuiteError))
    elif ending == ".json":
        kind = _kind_of_data(json_of(read_text(path, most=8 * _MOST, instead=""), path))
    elif ending in (".jsonl", ".ndjson"):
        first = next((line for _, line, _ in lines_of(path) if line.strip()), b"null")
        kind = _kind_of_data(json_of(first.decode("utf-8", "replace"), path))
    else:
        kind = BARE if ending in _TEXTS or not ending else None
    if path.name in _PEX and kind in (None, BARE):
        return "promptpex"
    if kind is None:
        hint = "known are: a PromptPex folder or context, promptfoo's YAML, .prompt.yml, OpenAI evals, a prompt as text"
        if ending in (".csv", ".jsonl", ".ndjson"):
            hint = f"a suite needs no import: `proctor run {path}`; {hint}"
        raise SuiteError("it cannot be told whose file this is", file=str(path), hint=hint)
    return kind


def only_folder_inside(path: Path) -> Path:
    """Return the one folder inside that can be imported, as an export leaves it; else the path itself."""
    if not path.is_dir() or _known_folder(path) is not None:
        return path
    inside = _folders_inside(path)
    return inside[0] if len(inside) == 1 else path


def _folders_inside(path: Path) -> list[Path]:
    return [each for each in sorted(path.iterdir()) if each.is_dir() and _known_folder(each) is not None]


def _kind_of_folder(path: Path) -> str:
    kind = _known_folder(path)
    if kind is not None:
        return kind
    hint = (
        "give a PromptPex folder, one with promptfooconfig.yaml, with .prompt.yml files, or with an OpenAI eval's JSON"
    )
    if inside := _folders_inside(path):
        hint = f"give one of the folders inside it: {', '.join(map(str, inside[:5]))}"
    raise SuiteError("nothing that can be imported is in the folder", file=str(path), hint=hint)


def _known_folder(path: Path) -> str | None:
    names = {each.name for each in path.iterdir()}
    if len(names & set(_PEX)) > 1 or _PEX[0] in names:
        return "promptpex"
    if names & set(_FOO):
        return "promptfoo"
    if any(name.endswith((".prompt.yml", ".prompt.yaml")) for name in names):
        return "github-models"
    for file in sorted(path.rglob("*.json*"))[:50]:
        with suppress(SuiteError):  # a file of something else beside it
            if file.is_file() and kind_of(file) == "openai-evals":
                return "openai-evals"
    return None


def _kind_of_data(data: Any) -> str | None:
    from proctor.suites.exchange.github_models import is_github_models  # noqa: PLC0415 - readers are loaded on demand
    from proctor.suites.exchange.openai_evals import is_openai_evals  # noqa: PLC0415
    from proctor.suites.exchange.openai_registry import is_registry, is_sample  # noqa: PLC0415
    from proctor.suites.exchange.promptfoo_config import is_promptfoo  # noqa: PLC0415
    from proctor.suites.exchange.promptpex_files import is_context  # noqa: PLC0415

    tests: tuple[tuple[Callable[[Any], bool], str], ...] = (
        (is_context, "promptpex"),
        (is_promptfoo, "promptfoo"),
        (is_github_models, "github-models"),
        (is_openai_evals, "openai-evals"),
        (is_registry, "openai-registry"),
        (is_sample, "openai-samples"),
    )
    return next((kind for known, kind in tests if known(data)), None)


def read_any(path: Path, kind: str, *, prompt: Path | None = None, allow_outside: bool = False) -> tuple[Bundle, ...]:
    """Read a file or folder of that format; files outside its folder are read only with ``allow_outside``.

    Raises:
        SuiteError: it cannot be read, or names a file outside of its folder.
        PromptError: its prompt cannot be read.
    """
    folder = path if path.is_dir() else path.parent
    if (own := _own(path, kind)) is not None:
        return (own,)
    found = _read_foreign(path, kind, prompt=prompt, allow_outside=allow_outside)
    if _may_be_own(path, kind) and has_changed(folder):
        note = "edited since `proctor export` wrote it: read as it stands, without the record of its rules"
        found = tuple(replace(each, notes=(*each.notes, note)) for each in found)
    return found


def _may_be_own(path: Path, kind: str) -> bool:
    return kind in _RECORDED and (path.is_dir() or path.name in _FOO)


def _own(path: Path, kind: str) -> Bundle | None:
    """Return what our own export was made from, if none of its files was edited."""
    return read_record(path if path.is_dir() else path.parent) if _may_be_own(path, kind) else None


def _read_foreign(path: Path, kind: str, *, prompt: Path | None, allow_outside: bool) -> tuple[Bundle, ...]:
    boundary = FileBoundary(
        folder=path if path.is_dir() else path.parent,
        source=str(path),
        hint="copy the file into that folder, or give --allow-outside if you trust what names it",
        lifted=allow_outside,
    )
    if kind == "promptpex":
        from proctor.suites.exchange.promptpex import read_promptpex  # noqa: PLC0415

        whole = path if path.is_dir() or path.name not in _PEX[1:] else path.parent
        for each in whole.iterdir() if whole.is_dir() else ():
            if each.is_file():
                boundary.check(each)
        return (read_promptpex(whole, prompt=prompt),)
    if kind == "promptfoo":
        from proctor.suites.exchange.promptfoo_config import read_promptfoo  # noqa: PLC0415

        file = next(path / name for name in _FOO if (path / name).is_file()) if path.is_dir() else path
        return read_promptfoo(file, boundary)
    if kind == "github-models":
        from proctor.suites.exchange.github_models import read_github_models  # noqa: PLC0415

        files = sorted([*path.glob("*.prompt.yml"), *path.glob("*.prompt.yaml")]) if path.is_dir() else [path]
        return tuple(read_github_models(boundary.check(each) if path.is_dir() else each) for each in files)
    if kind == "openai-evals":
        from proctor.suites.exchange.openai_evals import read_openai_evals  # noqa: PLC0415

        return (read_openai_evals(path, boundary),)
    from proctor.suites.exchange.openai_registry import read_registry, read_samples  # noqa: PLC0415

    return read_registry(path, boundary) if kind == "openai-registry" else (read_samples(path),)
