"""Find the prompts of a project, and read one with its rules, its tests and what they cover."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from proctor.config import Config
from proctor.core.errors import InputError, NotFoundError
from proctor.core.generated_test import GeneratedTest
from proctor.core.record import dataclass
from proctor.core.rule import Rule
from proctor.generate.artefacts import RULES, TESTS, Artefacts, folder_of, read_artefacts
from proctor.prompts.load import load_prompt
from proctor.prompts.prompt import Prompt
from proctor.suites.generated import METRIC_ENDING, PROMPT_ENDINGS

__all__ = ["PromptFile", "PromptRules", "find_prompts", "open_prompt_rules", "prompt_named", "suite_names"]

_FOLDER: Final = ".tests"
_CERTAIN: Final = (".prompty", ".prompt.yml", ".prompt.yaml")  # other endings are prompts only with tests beside them
_SKIPPED: Final = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
_MOST_FOLDERS: Final = 5_000
_DEPTH: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFile:
    """A prompt of the project: ``name`` names it in addresses, ``place`` is its path inside the project."""

    name: str
    place: str
    path: Path
    has_tests: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRules:
    """A prompt with its files. ``covered`` counts the tests that aim at each rule.

    ``is_changed`` states that the prompt was edited since its tests were made.
    """

    file: PromptFile
    prompt: Prompt
    artefacts: Artefacts
    covered: Mapping[str, int]
    is_changed: bool

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The positive rules, also those that are disabled."""
        return tuple(rule for rule in self.artefacts.rules if rule.polarity == "positive")

    @property
    def enabled(self) -> tuple[Rule, ...]:
        """The rules that are judged."""
        return self.artefacts.specification.enabled


def find_prompts(config: Config) -> list[PromptFile]:
    """Return the prompts in the folder of the project, by place; hidden folders are left out."""
    found = sorted(_paths(config), key=lambda path: path.as_posix())
    stems = Counter(_stem(path) for path in found)
    made = []
    for path in found:
        place = path.relative_to(config.folder).as_posix()
        folder = folder_of(path)
        made.append(
            PromptFile(
                name=_stem(path) if stems[_stem(path)] == 1 else place,
                place=place,
                path=path,
                has_tests=(folder / TESTS).is_file() or (folder / RULES).is_file(),
            )
        )
    return made


def prompt_named(config: Config, name: str) -> PromptFile:
    """Return the prompt with this name or place.

    Raises:
        NotFoundError: the project has no such prompt.
    """
    for each in find_prompts(config):
        if name in (each.name, each.place):
            return each
    raise NotFoundError(f"there is no prompt {name[:80]!r} in this project", hint="`/ui/prompts` lists them")


def open_prompt_rules(file: PromptFile) -> PromptRules:
    """Read a prompt and what was made from it.

    Raises:
        InputError: a file is invalid; with its name and line.
    """
    prompt, artefacts = load_prompt(file.path), read_artefacts(folder_of(file.path))
    made_of = artefacts.provenance.get("prompt")
    before = made_of.get("hash") if isinstance(made_of, Mapping) else None
    return PromptRules(
        file=file,
        prompt=prompt,
        artefacts=artefacts,
        covered=_covered(artefacts),
        is_changed=before is not None and before != prompt.hash,
    )


def suite_names(config: Config, file: PromptFile) -> tuple[str, ...]:
    """Return the names under which a run may have been given this prompt."""
    named = [
        name
        for name, place in config.settings.suites.items()
        if (config.folder / place).resolve() == file.path.resolve()
    ]
    return (*named, file.path.name)


def _covered(artefacts: Artefacts) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for case in artefacts.tests:
        counts.update(set(GeneratedTest.of(case).rules))
    return dict(counts)


def _paths(config: Config) -> Iterator[Path]:
    root, seen = config.folder, 0
    for place, folders, files in os.walk(root):
        seen += 1
        depth = len(Path(place).relative_to(root).parts)
        kept = [each for each in folders if not each.startswith(".") and each not in _SKIPPED]
        folders[:] = kept if depth < _DEPTH and seen < _MOST_FOLDERS else []
        folders[:] = sorted(each for each in folders if not each.endswith(_FOLDER))
        with_tests = {each.removesuffix(_FOLDER) for each in kept if each.endswith(_FOLDER)}
        for name in files:
            low = name.lower()
            if low.endswith(METRIC_ENDING) or not low.endswith(PROMPT_ENDINGS):
                continue
            path = Path(place) / name
            if low.endswith(_CERTAIN) or _stem(path) in with_tests:
                yield path


def _stem(path: Path) -> str:
    try:
        return folder_of(path).name.removesuffix(_FOLDER)
    except InputError:
        return path.name
