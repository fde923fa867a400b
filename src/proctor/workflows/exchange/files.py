"""Export prompts with their tests to the files of other tools, and import such files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from proctor.core.case import Case
from proctor.core.codec import dumps, loads
from proctor.core.errors import InputError
from proctor.core.generated_test import GeneratedTest
from proctor.generate.artefacts import Artefacts, folder_of, read_artefacts, write_artefacts
from proctor.generate.spec import InputSpec
from proctor.prompts.load import load_prompt
from proctor.prompts.prompt import Prompt
from proctor.report.formats import whole_or_nothing
from proctor.suites.exchange.bundle import Bundle, Notes, Outgoing, Recorded
from proctor.suites.exchange.formats import BARE, kind_of, only_folder_inside, read_any, writer_for
from proctor.suites.load import open_suite
from proctor.text.yaml_dump import to_yaml

__all__ = ["ImportedFiles", "bundle_of", "import_files", "made_for", "save_files"]

PROMPTS = (".prompty", ".prompt.yml", ".prompt.yaml", ".md", ".txt")
_UNSAFE = re.compile(r"[^\w.-]+")


def bundle_of(path: Path, *, models: Sequence[str] = (), baseline: bool = False, tests: Path | None = None) -> Bundle:
    """Return a prompt with its tests, or a suite alone; tests marked invalid are left out.

    Raises:
        InputError: there is no such prompt, it has no tests yet, or one of its files is wrong.
    """
    if not path.name.lower().endswith(PROMPTS) and not _is_prompt(path):
        return _suite_bundle(path, models)
    prompt = load_prompt(path)
    folder = folder_of(path, tests)
    found = read_artefacts(folder)
    if not found.tests and not (baseline and found.baseline):
        hint = f"make them with `proctor generate {path}` (--no-model needs no key)"
        raise InputError(f"the prompt has no tests: there are none in {folder.name}", file=str(path), hint=hint)
    notes = Notes()
    kept = _valid(found.tests, notes)
    return Bundle(
        name=_stem(path),
        description=prompt.description,
        prompt=prompt,
        file=(path.name.removeprefix(_stem(path)), path.read_text("utf-8-sig")),
        intent=found.intent,
        inputs={spec.name: spec.statements for spec in found.inputs if spec.statements},
        rules=found.rules,
        cases=kept,
        baseline=_valid(found.baseline, notes) if baseline else (),
        models=tuple(models),
        notes=notes.tell(),
    )


def _is_prompt(path: Path) -> bool:
    if path.suffix.lower() not in (".yml", ".yaml") or not path.is_file():
        return False
    try:
        return kind_of(path) == "github-models"
    except InputError:
        return False


def _stem(path: Path) -> str:
    return folder_of(path).name.removesuffix(".tests")


def _valid(cases: Sequence[Case], notes: Notes) -> tuple[Case, ...]:
    kept = tuple(case for case in cases if GeneratedTest.of(case).is_usable)
    if len(kept) < len(cases):
        notes.add(f"tests that were found invalid and left out: {len(cases) - len(kept)}")
    return kept


def _suite_bundle(path: Path, models: Sequence[str]) -> Bundle:
    loaded = open_suite(path)
    return Bundle(
        name=_file_name(loaded.suite.name),
        description=loaded.suite.description,
        checks=loaded.suite.scorers,
        cases=tuple(loaded.cases()),
        models=tuple(models),
    )


def made_for(tool: str, bundle: Bundle, *, judge: str | None = None) -> Outgoing:
    """Return the files for a tool, and notes on what they cannot express; ``judge`` grades what code cannot.

    Raises:
        InputError: the tool is not known, or cannot take this prompt.
    """
    made = writer_for(tool)(replace(bundle, judge=judge) if judge else bundle)
    return Outgoing(files=made.files, notes=(*bundle.notes, *made.notes))


def save_files(files: Mapping[str, str], folder: Path, *, force: bool = False) -> list[Path]:
    """Write all files into the folder, or none; an existing file with other content is an error.

    Raises:
        InputError: a file already exists.
        StoreError: a file cannot be written.
    """
    goals = {folder / name: text for name, text in files.items()}
    if not force:
        _refuse(path for path, text in goals.items() if _differs(path, text))
    with ExitStack() as stack:
        for path, text in goals.items():
            stack.enter_context(whole_or_nothing(path)).write(text)
    return list(goals)


def _differs(path: Path, text: str) -> bool:
    try:
        return path.exists() and (path.is_dir() or path.read_bytes() != text.encode("utf-8", "surrogatepass"))
    except OSError:
        return True


def _refuse(there: Iterable[Path]) -> None:
    for path in there:
        raise InputError("is there already", file=str(path), hint="give --force to replace it, or -o another place")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedFiles:
    """The result of one import: counts, paths, and what was left out."""

    name: str
    kind: str
    files: tuple[Path, ...]
    rules: int = 0
    tests: int = 0
    baseline: int = 0
    recorded: int = 0
    models: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def import_files(
    source: Path,
    out: Path,
    *,
    kind: str | None = None,
    prompt: Path | None = None,
    force: bool = False,
    allow_outside: bool = False,
) -> tuple[ImportedFiles, ...]:
    """Import the file or folder of another tool as prompts, rules and tests.

    Files that it refers to are read only inside its own folder, unless ``allow_outside``.

    Raises:
        InputError: it cannot be read, or an output file already exists; nothing was written.
    """
    source = source if kind else only_folder_inside(source)
    chosen = kind or kind_of(source)
    bundles = _bare(source) if chosen == BARE else read_any(source, chosen, prompt=prompt, allow_outside=allow_outside)
    if not bundles:
        raise InputError("there is nothing in it to bring over", file=str(source))
    plans = [_Plan(bundle, out, source) for bundle in bundles]
    if not force:
        _refuse(path for plan in plans for path in plan.taken())
    return tuple(
        ImportedFiles(
            name=plan.bundle.name,
            kind=chosen,
            files=tuple(plan.write()),
            rules=len(plan.bundle.enabled),
            tests=len(plan.bundle.cases),
            baseline=len(plan.bundle.baseline),
            recorded=len(plan.bundle.recorded),
            models=plan.bundle.models,
            notes=plan.bundle.notes,
        )
        for plan in plans
    )


def _bare(source: Path) -> tuple[Bundle, ...]:
    """Return a prompt that is plain text as a prompt file with declared inputs."""
    from proctor.prompts.plain_prompt import import_bare  # noqa: PLC0415 - one of many kinds

    if source.suffix.lower() == ".prompty" and load_prompt(source).front:
        hint = f"use it as it is: `proctor generate {source}`"
        raise InputError("is a prompt file of ours already", file=str(source), hint=hint)
    text, notes = import_bare(source)
    return (Bundle(name=_stem(source), file=(".prompty", text), notes=notes),)


def _file_name(text: str) -> str:
    """Return a name that is safe as part of a path; imported names must not lead out of the folder."""
    return _UNSAFE.sub("-", text).strip("-.")[:100] or "unnamed"


def _recordings(recorded: Sequence[Recorded]) -> dict[str, str]:
    """Return one recording per model, as for `-t recording:FILE`, with a file name made from the model's name."""
    lines: dict[str, list[str]] = {}
    for each in recorded:
        name = _file_name(each.model)
        extra = {"judged_elsewhere": dict(each.verdicts)} if each.verdicts else {}
        row = {"id": each.case, "sample": each.sample, "answer": each.answer, "target": each.model, **extra}
        lines.setdefault(name, []).append(dumps(row).decode() + "\n")
    return {name: "".join(rows) for name, rows in lines.items()}


class _Plan:
    """The output paths of a bundle: the prompt, its tests, and recorded answers."""

    def __init__(self, bundle: Bundle, out: Path, source: Path) -> None:
        self.bundle = bundle = replace(bundle, name=_file_name(bundle.name))
        self.texts: dict[Path, str] = {}
        name, file = bundle.name, bundle.file
        self.prompt = out / f"{name}{file[0]}" if file else None
        if self.prompt and file and not _same_file(self.prompt, source):
            self.texts[self.prompt] = file[1]
        has_tests = bool(bundle.rules or bundle.cases or bundle.baseline)
        self.folder = out / f"{name}.tests" if has_tests and (file or bundle.rules) else None
        if self.folder is None and bundle.cases:
            self.texts[out / f"{name}.yaml"] = _suite_text(bundle)
        for model, text in _recordings(bundle.recorded).items():
            self.texts[out / f"{name}.recorded" / f"{model}.jsonl"] = text

    def taken(self) -> list[Path]:
        """Return the existing files that would be replaced."""
        found = [path for path, text in self.texts.items() if _differs(path, text)]
        if self.folder and self.folder.exists() and any(self.folder.iterdir()):
            found.append(self.folder)
        return found

    def write(self) -> list[Path]:
        """Write all files."""
        for path, text in self.texts.items():
            with whole_or_nothing(path) as out:
                out.write(text)
        if self.folder is None:
            return list(self.texts)
        loaded = self.bundle.prompt
        written = Artefacts(
            intent=self.bundle.intent,
            inputs=_specs(self.bundle, loaded),
            rules=self.bundle.rules,
            tests=tuple(self._judged(case) for case in self.bundle.cases),
            baseline=tuple(self._judged(case) for case in self.bundle.baseline),
        )
        seen = f"../{self.prompt.name}" if self.prompt else ""
        write_artefacts(self.folder, written, name=self.bundle.name, prompt=seen, hash=loaded.hash if loaded else "")
        return [*self.texts, self.folder]

    def _judged(self, case: Case) -> Case:
        """Return the case with the checks of the whole suite, because generated tests have no suite header."""
        return replace(case, checks=(*self.bundle.checks, *case.checks)) if self.bundle.checks else case


def _same_file(path: Path, source: Path) -> bool:
    return path.exists() and source.is_file() and path.samefile(source)


def _specs(bundle: Bundle, prompt: Prompt | None) -> tuple[InputSpec, ...]:
    declared = dict(prompt.inputs) if prompt else {name: {} for name in bundle.inputs if name}
    shared = bundle.inputs.get("", ())
    return tuple(
        InputSpec(
            name=name,
            type=str(schema.get("type", "string")),
            description=str(schema.get("description", "")),
            statements=bundle.inputs.get(name, shared),
        )
        for name, schema in declared.items()
    )


def _suite_text(bundle: Bundle) -> str:
    suite = {"name": bundle.name, "description": bundle.description}
    head = {key: value for key, value in suite.items() if value}
    scorers = {"scorers": [loads(dumps(check)) for check in bundle.checks]} if bundle.checks else {}
    return to_yaml({**head, **scorers, "cases": [loads(dumps(case)) for case in bundle.cases]})
