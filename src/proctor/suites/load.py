"""Load suites from files and folders: the header at once, the cases as a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from proctor.core.case import Case, Suite
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, Problem, SuiteError
from proctor.core.record import dataclass
from proctor.prompts.file_boundary import FileBoundary, project_around
from proctor.suites.case_shorthand import id_of, make_case, make_checks, make_defaults, merged, raw_checks
from proctor.suites.document import read_document
from proctor.suites.id_filter import Seen
from proctor.suites.jsonl import read_jsonl
from proctor.suites.source import CaseFile, Header, Places, Row
from proctor.suites.suite_problems import BadSuiteError, Problems

__all__ = ["ENDINGS", "LoadedSuite", "open_suite"]

ENDINGS = (".yaml", ".yml", ".json", ".jsonl", ".ndjson", ".csv")
_HEADS = ("suite.yaml", "suite.yml")
_NOT_SUITES = ("proctor.yaml", "proctor.yml")
_PROMPTS = (".prompt.yml", ".prompt.yaml")
_KEPT_BYTES = 16_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One file of a suite and the defaults of its cases."""

    source: CaseFile
    defaults: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSuite:
    """An opened suite: its header, and its cases, which can be iterated repeatedly."""

    path: Path
    suite: Suite
    parts: tuple[Part, ...] = field(repr=False)

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file the cases come from."""
        return tuple(part.source.path for part in self.parts)

    def cases(self) -> Iterator[Case]:
        """Yield the cases; only YAML and JSON files are held whole.

        Raises:
            BadSuiteError: a file has problems; it is read to its end first, so that all are reported.
            SuiteError: a file can no longer be read, or there is no case at all.
        """
        seen, places, any_row = Seen(), Places(), False
        for part in self.parts:
            problems = Problems(part.source.path)
            for row in part.source.rows():
                any_row = True
                case = self._case(part, row, problems, seen, places)
                if case is not None and not problems:
                    yield case
                if problems.full:
                    break
            problems.check()
        if not any_row:
            raise SuiteError("the suite has no cases", file=str(self.path), hint="add `cases:` or `cases_from:`")

    def place(self, case_id: str, path: tuple[str | int, ...] = ()) -> tuple[Path, int | None] | None:
        """Return the file and line of a case, or of something in it; the files are read again for it."""
        return self._place(case_id, path, Places())

    def _place(self, case_id: str, path: tuple[str | int, ...], places: Places) -> tuple[Path, int | None] | None:
        for part in self.parts:
            for row in part.source.rows():
                if row.problem is None and id_of(row.data) == case_id:
                    return part.source.path, places.row(part.source, row, path)
        return None

    def _case(self, part: Part, row: Row, problems: Problems, seen: Seen, places: Places) -> Case | None:
        if row.problem is not None:
            problems.add([row.problem])
            return None
        try:
            case = make_case(row.data, part.defaults, strict=part.source.strict)
        except MalformedError as error:
            problems.add(_placed(error.problems, part.source, row, places))
            return None
        if seen.add(case.id) and (twin := self._twin(part, row, case.id, places)) is not None:
            problems.add(_placed([twin], part.source, row, places))
            return None
        return case

    def _twin(self, part: Part, row: Row, case_id: str, places: Places) -> Problem | None:
        """Return the problem of a duplicate id, unless two ids only have the same hash."""
        first = self._place(case_id, (), places)
        if first is None or first == (part.source.path, places.row(part.source, row)):
            return None
        where = f"line {first[1]}" if first[0] == part.source.path else f"{first[0]}:{first[1]}"
        if isinstance(row.data, Mapping) and row.data.get("id") is not None:
            return Problem(
                ("id",), f"the id {case_id!r} is taken by the case at {where}", "give one of them another id"
            )
        return Problem((), f"the same case is at {where}", "remove one of them, or give each an `id`")


def _placed(problems: list[Problem], source: CaseFile, row: Row, places: Places) -> list[Problem]:
    return [
        Problem((*row.path, *each.path), each.message, each.hint, places.row(source, row, each.path))
        for each in problems
    ]


def open_suite(path: str | Path) -> LoadedSuite:
    """Open a suite file, or a folder of them; the cases are not read yet.

    Raises:
        SuiteError: there is no such file, or its header is invalid.
    """
    path = Path(path)
    gathering = _Gathering()
    if path.is_dir():
        header, scorers = gathering.folder(path)
        name = path.resolve().name
    else:
        header, scorers = gathering.file(path)
        name = path.name.partition(".")[0] or path.name
    suite = Suite(
        name=header.name or name,
        description=header.description,
        target=header.target,
        scorers=scorers,
        tags=header.tags,
        version=header.version,
        metadata=header.metadata,
    )
    return LoadedSuite(path=path, suite=suite, parts=tuple(gathering.parts))


class _Gathering:
    """Finds the files of one suite and reads their headers."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self._known: set[Path] = set()
        self._room = _KEPT_BYTES

    def file(self, path: Path) -> tuple[Header, tuple[Any, ...]]:
        """Add the one file, or the header of a folder; its scorers apply to the suite."""
        source = self._open(path)
        header = _header(source)
        try:
            checks = make_checks(header.scorers, ("scorers",))
            defaults = make_defaults(header.defaults)
        except MalformedError as error:
            raise _told(error, source) from None
        self._take(source, header, defaults, header.target)
        return header, checks

    def folder(self, folder: Path) -> tuple[Header, tuple[Any, ...]]:
        """Add a folder: its header, if there is one, and every suite file below it."""
        head = next((folder / name for name in _HEADS if (folder / name).is_file()), None)
        header, checks = self.file(head) if head else (Header(), ())
        defaults = self.parts[0].defaults if head else {}
        try:
            found = sorted(each for each in folder.rglob("*") if _is_suite(each, folder))
        except OSError as error:
            raise SuiteError(f"cannot be read: {error.strerror}", file=str(folder)) from None
        for path in found:
            if path.resolve() not in self._known:
                self._below(path, defaults, header.target)
        if not self.parts:
            hint = f"put a file into it that ends in {', '.join(ENDINGS)}"
            raise SuiteError("the folder has no suite files", file=str(folder), hint=hint)
        return header, checks

    def _below(self, path: Path, defaults: Mapping[str, Any], target: str | None) -> None:
        """Add a file inside a suite; its header applies to each of its cases."""
        source = self._open(path)
        header = _header(source)
        problems: list[Problem] = []
        if header.target and header.target != target:
            hint = "run the file by itself, or name the target in the suite's own header"
            problems.append(Problem(("target",), "a file inside a suite cannot have its own target", hint))
        own: dict[str, Any] = {}
        try:
            make_checks(header.scorers, ("scorers",))
            own = make_defaults(header.defaults)
        except MalformedError as error:
            problems += error.problems
        if problems:
            raise _told(MalformedError(problems), source)
        shared = {"checks": raw_checks(header.scorers, (), []), "tags": list(header.tags)}
        own = merged(own, {name: value for name, value in shared.items() if value})
        self._take(source, header, merged(own, defaults), target)

    def _take(self, source: CaseFile, header: Header, defaults: Mapping[str, Any], target: str | None) -> None:
        self.parts.append(Part(source=source, defaults=defaults))
        for index, name in enumerate(header.includes):
            path = source.path.parent / name
            place: tuple[str | int, ...] = ("cases_from", index)
            around = FileBoundary(folder=project_around(source.path.parent), source=str(source.path))
            if not around.holds(path):
                hint = "name a file inside the project, the folder with proctor.yaml or .git"
                raise _told(MalformedError([Problem(place, f"{name} is outside of {around.folder}", hint)]), source)
            if path.resolve() in self._known:
                problem = Problem(place, f"{name} is part of the suite already", "name each file once")
                raise _told(MalformedError([problem]), source)
            try:
                self._below(path, defaults, target)
            except SuiteError as error:
                if error.file == str(path) and not path.exists():
                    raise _told(MalformedError([Problem(place, f"no such file: {name}", error.hint)]), source) from None
                raise

    def _open(self, path: Path) -> CaseFile:
        self._known.add(path.resolve())
        ending = path.suffix.lower()
        if path.name.lower().endswith(_PROMPTS):
            raise SuiteError("this is a prompt file, not a suite", file=str(path), hint="give it as the target instead")
        if ending in (".jsonl", ".ndjson"):
            return read_jsonl(path)
        if ending == ".csv":
            from proctor.suites.table import read_table  # noqa: PLC0415 - compiles a large pattern for its columns

            return read_table(path)
        if ending not in ENDINGS and path.exists():
            hint = f"use one of: {', '.join(ENDINGS)}"
            raise SuiteError(f"a suite file cannot end in {ending or 'nothing'}", file=str(path), hint=hint)
        size = path.stat().st_size if path.exists() else 0
        keep = size <= self._room
        if keep:
            self._room -= size
        return read_document(path, keep=keep)


def _is_suite(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    name = path.name.lower()
    other = name in _NOT_SUITES or name.endswith(_PROMPTS)
    return not hidden and not other and name.endswith(ENDINGS) and path.is_file()


def _header(source: CaseFile) -> Header:
    try:
        return decode(Header, source.header, strict=True)
    except MalformedError as error:
        raise _told(error, source) from None


def _told(error: MalformedError, source: CaseFile) -> BadSuiteError:
    places = Places()
    problems = [
        Problem(each.path, each.message, each.hint, each.line or places.line(source, each.path))
        for each in error.problems
    ]
    return BadSuiteError(problems, file=str(source.path))
