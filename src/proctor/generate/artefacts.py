"""The files of a prompt's generated tests: a folder for people to read, edit and version.

For ``speech-tag.prompty`` the folder is ``speech-tag.tests/`` beside it, or the one named by ``--out``::

    intent.txt        what the prompt is for, in one sentence, with a line break
    inputs.yaml       inputs: a list of InputSpec (name, type, description, statements, values, examples, schema)
    rules.yaml        rules: a list, see below
    tests.yaml        a suite: name, description, metadata {prompt, prompt_hash}, cases
    baseline.yaml     the same, with tests made from the prompt alone; absent if there are none
    provenance.json   what each file was made from and what was written, with models, seed, counts and spend

A rule in ``rules.yaml`` is one output rule with its opposites inside it::

    rules:
      - id: r-0a1b2c3d4e            # a hash of the text; keep it when you reword the rule (see below)
        text: The answer is one word.
        kind: format                # format | content | refusal | style | safety; may be missing
        predicate: words = 1        # text form of proctor.text.predicates; or `judge: true` in its place
        source: {start: 10, end: 31, quote: Answer with one word.}     # offsets into Prompt.text; may be missing
        weight: 1.0
        priority: 0
        locked: false               # true: never changed or dropped by `proctor generate`
        disabled: false             # true: neither tested nor judged
        groundedness: 1.0           # 0 to 1; missing if it was not checked
        origin: extractor           # extractor | the name of a model | person
        inverse:                    # polarity negative, inverse_of = the id of the rule around it
          - id: r-1b2c3d4e5f
            text: The answer is several words.

Everything but ``text`` may be left out. An inverse may hold any field of a rule; ``kind``, ``source``, ``priority``,
``groundedness`` and ``origin`` are inherited from the rule around it by default. Unknown keys are kept in
``extra``.
``id`` on file is the rule's id at the time of writing and serves as an alias: a reader computes ``Rule.id`` from the
text, and if the two differ (a person reworded the rule, or gave it a custom id) it maps the old id in
``metadata.rules`` of a test to the new one. A rule without an id, or with one that is not the hash, is a person's:
``origin`` becomes ``person`` unless the file says otherwise.

Tests are cases as in any suite (``id``, ``inputs`` or ``input``, ``expect``, ``tags``, ``metadata``). The keys of their
metadata are those of ``proctor.core.generated_test``. A case without ``metadata.origin`` is a person's.

All files of a folder change together: they are written beside it first, and the next reader
finishes a step that a killed process left incomplete (``settle``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor.core.case import Case
from proctor.core.codec import dumps, loads
from proctor.core.errors import InputError
from proctor.core.rule import Rule
from proctor.generate.folder import emptied, read_text, settle, write_together
from proctor.generate.keep_comments import with_comments
from proctor.generate.rules_file import read_rules, rules_text
from proctor.generate.spec import InputSpec, Specification
from proctor.generate.tests_file import inputs_text, read_inputs, read_tests, tests_text

__all__ = [
    "FILES",
    "Artefacts",
    "edited_files",
    "folder_of",
    "persons_files",
    "read_artefacts",
    "write_artefacts",
    "written_files",
]

INTENT, INPUTS, RULES = "intent.txt", "inputs.yaml", "rules.yaml"
BY_PERSON = "by_person"  # the key of the provenance that names the files a person wrote or changed
TESTS, BASELINE, PROVENANCE = "tests.yaml", "baseline.yaml", "provenance.json"
FILES = (INTENT, INPUTS, RULES, TESTS, BASELINE, PROVENANCE)
_ENDINGS = (".prompt.yml", ".prompt.yaml", ".prompt.md", ".prompty", ".md", ".txt", ".yml", ".yaml", ".json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Artefacts:
    """Everything generated from a prompt. ``rules`` holds both polarities, each rule followed by its opposites.

    ``tests`` are the kept ones; ``provenance`` is the JSON of ``provenance.json``, empty if there is none.
    """

    intent: str = ""
    inputs: tuple[InputSpec, ...] = ()
    rules: tuple[Rule, ...] = ()
    tests: tuple[Case, ...] = ()
    baseline: tuple[Case, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def specification(self) -> Specification:
        """Intent, inputs and rules as input for the stages."""
        return Specification(intent=self.intent, inputs=self.inputs, rules=self.rules)


def folder_of(prompt_path: str | Path, out: str | Path | None = None) -> Path:
    """Return the folder of a prompt's generated files: the given one, or ``<stem>.tests`` beside the prompt."""
    if out is not None:
        return Path(out)
    path = Path(prompt_path)
    name = path.name
    if not name or path.is_dir():
        raise InputError("this is a folder", file=str(prompt_path), hint="name the prompt file in it")
    for ending in _ENDINGS:
        if name.lower().endswith(ending) and len(name) > len(ending):
            name = name[: -len(ending)]
            break
    return path.with_name(f"{name}.tests")


def read_artefacts(folder: str | Path) -> Artefacts:
    """Read the folder; a missing file gives an empty part.

    Raises:
        InputError: a file cannot be read or is malformed; with its name and line.
    """
    folder = Path(folder)
    settle(folder)
    rules, aliases = read_rules(folder / RULES)
    return Artefacts(
        intent=_read_intent(folder / INTENT),
        inputs=read_inputs(folder / INPUTS),
        rules=rules,
        tests=read_tests(folder / TESTS, aliases),
        baseline=read_tests(folder / BASELINE, aliases),
        provenance=_read_provenance(folder / PROVENANCE),
    )


def write_artefacts(folder: str | Path, artefacts: Artefacts, *, name: str, prompt: str = "", hash: str = "") -> None:
    """Write all files of the folder atomically: the old content is replaced as a whole or stays.

    ``name`` is the suite's; ``prompt`` the path of the prompt relative to the folder, and ``hash`` its content hash.
    Comments of a person stay where the entry around them does. The hash of each file is stored in the provenance, to
    detect a person's edits later.

    Raises:
        StoreError: the disk or the folder refused; the old content is unchanged.
    """
    texts = written_files(artefacts, name=name, prompt=prompt, hash=hash)
    settle(folder := Path(folder))
    for file in (INPUTS, RULES, TESTS, BASELINE):
        if file in texts and (folder / file).is_file():
            texts[file] = with_comments(read_text(folder / file), texts[file])
    written = {file: _digest(text) for file, text in texts.items()}
    provenance = {**artefacts.provenance, "written": written}
    texts[PROVENANCE] = _json(provenance)
    write_together(folder, texts, gone=[file for file in FILES if file not in texts])


def written_files(artefacts: Artefacts, *, name: str, prompt: str = "", hash: str = "") -> dict[str, str]:
    """Return the text of each file except the provenance."""
    metadata = {key: value for key, value in (("prompt", prompt), ("prompt_hash", hash)) if value}
    texts = {
        INTENT: artefacts.intent.strip() + "\n",
        INPUTS: inputs_text(artefacts.inputs),
        RULES: rules_text(artefacts.rules),
        TESTS: tests_text(artefacts.tests, name=name, description=artefacts.intent, metadata=metadata),
    }
    if artefacts.baseline:
        texts[BASELINE] = tests_text(
            artefacts.baseline, name=f"{name}-baseline", description="Made from the prompt alone.", metadata=metadata
        )
    return texts


def edited_files(folder: str | Path, provenance: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the files that differ from what was written: a person edited or removed them."""
    settle(folder := Path(folder))
    written = provenance.get("written")
    if not isinstance(written, Mapping):
        return ()
    return tuple(file for file in FILES if file in written and written[file] != _digest(read_text(folder / file)))


def persons_files(folder: str | Path, artefacts: Artefacts, edited: Collection[str]) -> tuple[str, ...]:
    """Return the files whose content is a person's: those ``edited`` now, and those edited before an earlier writing.

    A file that is there no more is nobody's and is made again.
    """
    earlier = artefacts.provenance.get(BY_PERSON)
    known = {*edited, *(earlier if isinstance(earlier, list) else ())}
    return tuple(file for file in FILES if file in known and (Path(folder) / file).is_file())


def _read_intent(path: Path) -> str:
    text = read_text(path)
    if not text and path.exists():  # an empty intent is written as a blank line
        raise emptied(path)
    return text.strip()


def _read_provenance(path: Path) -> Mapping[str, Any]:
    text = read_text(path)
    if not path.exists():
        return {}
    try:
        data = loads(text)
    except (ValueError, RecursionError) as error:
        data = error
    if not isinstance(data, dict):
        hint = "restore it, or remove it: the tests are then checked again"
        raise InputError("is no JSON mapping", file=str(path), hint=hint)
    return data


def _json(data: Any) -> str:
    return json.dumps(loads(dumps(data)), ensure_ascii=False, indent=1) + "\n"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
