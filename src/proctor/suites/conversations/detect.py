"""Recorded conversations as cases, whichever tool wrote them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from proctor.core.case import Case
from proctor.core.codec import content_id
from proctor.core.decoding import closest
from proctor.core.errors import InputError, SuiteError
from proctor.suites.conversations.agentdojo import is_agentdojo, read_agentdojo
from proctor.suites.conversations.chat import is_anthropic, is_openai, read_chat
from proctor.suites.conversations.entries import ENDINGS, Entry, entries_of
from proctor.suites.conversations.langfuse import is_langfuse, read_langfuse
from proctor.suites.conversations.langsmith import is_langsmith, read_langsmith
from proctor.suites.conversations.otel import is_otel, read_otel
from proctor.suites.conversations.own import is_own, read_own
from proctor.suites.conversations.tau_bench import is_tau_bench, read_tau_bench
from proctor.suites.seen import Seen

__all__ = ["AUTO", "FORMATS", "Format", "conversation_files", "open_all", "open_conversations"]

AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One tool's way to write conversations down; ``fits`` looks at the first value of a file."""

    title: str
    fits: Callable[[Any], bool]
    read: Callable[[Iterator[Entry]], Iterator[Case]]


# In the order in which they are tried: what has marks of its own goes before what is only a list of messages.
FORMATS: dict[str, Format] = {
    "tau_bench": Format(title="tau-bench and tau2-bench results", fits=is_tau_bench, read=read_tau_bench),
    "agentdojo": Format(title="AgentDojo and AgentDyn runs", fits=is_agentdojo, read=read_agentdojo),
    "otel": Format(title="OpenTelemetry GenAI spans", fits=is_otel, read=read_otel),
    "langsmith": Format(title="LangSmith runs", fits=is_langsmith, read=read_langsmith),
    "langfuse": Format(title="Langfuse observations and traces", fits=is_langfuse, read=read_langfuse),
    "proctor": Format(title="Proctor's own results and recordings", fits=is_own, read=read_own),
    "anthropic": Format(title="Anthropic message logs", fits=is_anthropic, read=read_chat),
    "openai": Format(title="OpenAI message logs", fits=is_openai, read=read_chat),
}


def open_conversations(path: str | Path, format: str = AUTO) -> Iterator[Case]:
    """The conversations of a file, or of a folder of files, each as a case with its recording.

    They are read one after the other and never held together. Ids are unique: a second conversation of the same name
    gets the hash of what was said in it behind its name.

    Raises:
        SuiteError: a file cannot be read, or something in it is no conversation; with the line and the field.
        InputError: there is no such format.
    """
    return open_all([Path(path)], format)


def open_all(paths: Iterable[Path], format: str = AUTO) -> Iterator[Case]:
    """The conversations of several files or folders, as `open_conversations` reads one.

    Raises:
        SuiteError: as `open_conversations` does.
        InputError: there is no such format.
    """
    chosen = _format(format)
    taken = Seen()
    for path in paths:
        for file in conversation_files(path):
            for case in _cases(file, chosen):
                yield _named_once(case, taken)


def conversation_files(path: Path) -> list[Path]:
    """The files that conversations come from: the one that was named, or those of a folder.

    Raises:
        SuiteError: the folder has none.
    """
    if not path.is_dir():
        return [path]
    found = sorted(each for each in path.rglob("*") if each.name.lower().endswith(ENDINGS) and each.is_file())
    found = [each for each in found if not any(part.startswith(".") for part in each.relative_to(path).parts)]
    if not found:
        mend = f"put a file into it that ends in {', '.join(ENDINGS)}"
        raise SuiteError("the folder has no conversations", file=str(path), mend=mend)
    return found


def _format(name: str) -> Format | None:
    if name == AUTO:
        return None
    if name not in FORMATS:
        guess = closest(name, FORMATS)
        known = ", ".join((AUTO, *FORMATS))
        mend = f"did you mean {guess!r}?" if guess else f"known: {known}"
        raise InputError(f"there is no format {name!r}", field="--format", mend=mend)
    return FORMATS[name]


def _cases(file: Path, chosen: Format | None) -> Iterator[Case]:
    entries = entries_of(file)
    first = next(entries, None)
    if first is None:
        raise SuiteError("the file holds no conversation", file=str(file), mend="export some first")
    chosen = chosen or _detected(first)
    any_case = False
    for case in chosen.read(chain([first], entries)):
        any_case = True
        yield case
    if not any_case:
        raise SuiteError("the file holds no conversation", file=str(file), mend="export some first")


def _detected(first: Entry) -> Format:
    for form in FORMATS.values():
        if form.fits(first.data):
            return form
    keys = ", ".join(list(first.data)[:8]) if isinstance(first.data, dict) else type(first.data).__name__
    raise first.wrong(
        f"no format is known by what comes first here ({keys})", mend=f"name it with --format: {', '.join(FORMATS)}"
    )


def _named_once(case: Case, taken: Seen) -> Case:
    if not taken.add(case.id):
        return case
    name = f"{case.id}~{content_id(case.recorded, length=8)}"
    number = 2
    while taken.add(name):  # word for word the same conversation: it is kept, and told apart by its number
        name = f"{case.id}~{number}"
        number += 1
    return replace(case, id=name)
