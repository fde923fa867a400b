"""Read PromptPex output: rules, inverse rules, tests, verdicts and answers, linked by their content."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor.core.case import Case, Expectation
from proctor.core.errors import PromptError
from proctor.core.generated_test import GeneratedTest
from proctor.core.rule import Rule
from proctor.prompts.load import load_prompt, parse_prompt
from proctor.prompts.prompt import Prompt
from proctor.suites.exchange.bundle import Bundle, Notes, Recorded, case_id
from proctor.suites.exchange.promptpex_context import own_bundle
from proctor.suites.exchange.promptpex_files import PexFiles, read_files, rule_lines

__all__ = ["ACCEPTED", "ORIGIN", "read_promptpex"]

ORIGIN = "promptpex"
ACCEPTED = 80  # of 100: PromptPex exports references both below and above it
_KEYS = (
    "ruleid testid expectedoutput reasoning testinput testinputOriginal scenario generation baseline inverse testuid "
    "groundtruth groundtruthModel groundtruthScore rule proctor"
)
_OWN = frozenset(_KEYS.split())
_BETWEEN = "==="


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbered:
    """Rules by PromptPex's numbers: rules first, then inverse rules, each list cut at a cap."""

    rules: tuple[Rule, ...]
    inverse: tuple[Rule, ...]
    cap: int | None = None

    def get(self, number: Any) -> Rule | None:
        try:
            index = int(str(number)) - 1
        except ValueError:
            return None
        both = (*self.rules[: self.cap], *self.inverse[: self.cap])
        return both[index] if 0 <= index < len(both) else None


def read_promptpex(path: Path, *, prompt: Path | None = None) -> Bundle:
    """Read a PromptPex run: its output folder or its saved context.

    ``prompt`` is the prompt's file if the run does not contain it.

    Raises:
        SuiteError: it is not from PromptPex, or one of its files is broken.
        PromptError: the prompt cannot be read.
    """
    notes = Notes()
    files = read_files(path)
    if (own := own_bundle(files)) is not None:
        return own
    found, ending, text = _prompt(files, prompt, notes)
    name = _name(files, prompt)
    rules, inverse = _rules(files, notes)
    rows = _test_rows(files, notes)
    numbered = _Numbered(rules=rules, inverse=inverse, cap=_cap(files, rows, notes))
    declared = files.context.get("inputs")
    inputs = list(found.inputs) if found else list(declared) if isinstance(declared, Mapping) else []
    tests = _Tests(numbered, inputs, _validity(files, notes), notes)
    for row in rows:
        tests.add(row)
    for part in files.texts.get("baselineTests", "").split(_BETWEEN):
        if part.strip() and part.strip() not in tests.by_key:
            tests.add({"testinput": part.strip(), "baseline": True})
    tests.finish()
    spec = rule_lines(files.texts.get("inputSpec", ""))
    return Bundle(
        name=name,
        description=found.description if found else "",
        prompt=found,
        file=(ending, text) if text else None,
        intent=files.texts.get("intent", "").strip(),
        inputs={inputs[0] if len(inputs) == 1 else "": spec} if spec else {},
        rules=(*rules, *inverse),
        cases=tuple(tests.cases.values()),
        baseline=tuple(tests.baseline.values()),
        recorded=tuple(_recorded(files, tests, notes)),
        models=_models(files),
        notes=notes.tell(),
    )


def _name(files: PexFiles, prompt: Path | None) -> str:
    if prompt is not None:
        return prompt.name.partition(".")[0]
    told = files.context.get("name")
    return str(told) if told else (files.path.name if files.path.is_dir() else files.path.stem)


def _prompt(files: PexFiles, given: Path | None, notes: Notes) -> tuple[Prompt | None, str, str]:
    """Return the prompt, the ending of its file, and its text."""
    if given is None and files.path.is_dir():
        beside = (files.path.parent / f"{files.path.name}{ending}" for ending in (".prompty", ".prompt.yml", ".md"))
        given = next((each for each in beside if each.is_file()), None)
    if given is not None:
        loaded = load_prompt(given)
        return loaded, given.name.removeprefix(given.name.partition(".")[0]), given.read_text("utf-8-sig")
    saved = files.context.get("prompt")
    text = saved.get("content") if isinstance(saved, Mapping) else None
    if not isinstance(text, str) or not text.strip():
        notes.add("the prompt itself is not among the files: give it with --prompt, and run the import again")
        return None, "", ""
    try:
        return parse_prompt(text, name=_name(files, None)), ".prompty", text
    except PromptError as error:
        notes.add(f"the prompt in the context cannot be read and is written as it is: {error.message}")
        return None, ".prompty", text


def _rules(files: PexFiles, notes: Notes) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    """Return the rules and inverse rules; if there are equally many, the n-th belong together."""
    grounded = {str(row.get("rule", "")).strip(): row.get("grounded") for row in files.rows("ruleEvals", notes)}
    shares = {"ok": 1.0, "err": 0.0}
    rules = tuple(
        Rule(text=text, groundedness=shares.get(str(grounded.get(text))), origin=ORIGIN)
        for text in files.lines("rules")
    )
    opposites = files.lines("inverseRules")
    paired = len(opposites) == len(rules)
    if opposites and not paired:
        notes.add(
            f"{len(opposites)} inverse rules for {len(rules)} rules: which belongs to which is not known, and they "
            "are kept without a link"
        )
    inverse = tuple(
        Rule(text=text, polarity="negative", inverse_of=rules[index].id if paired else None, origin=ORIGIN)
        for index, text in enumerate(opposites)
    )
    return rules, inverse


def _test_rows(files: PexFiles, notes: Notes) -> list[dict[str, Any]]:
    """Return the tests; the saved context's list adds the groundtruth that the file lacks."""
    rows = files.rows("tests", notes)
    saved = files.context.get("promptPexTests")
    own = [row for row in saved if isinstance(row, dict)] if isinstance(saved, list) else []
    if not rows:
        return own
    by_uid = {str(row["testuid"]): row for row in own if row.get("testuid")}
    by_input = {str(row.get("testinput")): row for row in own}
    merged = []
    for row in rows:
        more = by_uid.get(str(row.get("testuid"))) or by_input.get(str(row.get("testinput"))) or {}
        merged.append({**more, **row})
    known = {str(row.get("testinput")) for row in rows}
    return merged + [row for row in own if row.get("baseline") and str(row.get("testinput")) not in known]


def _cap(files: PexFiles, rows: Sequence[Mapping[str, Any]], notes: Notes) -> int | None:
    """Return the number of rules that the rule numbers of the tests count.

    If the tests mark which of them are inverse, it follows from them. The cap in the saved options is that of the last
    command, which may not have made the tests: it is ignored if the tests exceed it.
    """
    numbered = [
        (int(number), row.get("inverse") is True)
        for row in rows
        if (number := str(row.get("ruleid", ""))).isdigit() and not row.get("baseline")
    ]
    first = min((number for number, inverse in numbered if inverse), default=0)
    if first > 1 and all(inverse == (number >= first) for number, inverse in numbered):
        return first - 1
    options = files.context.get("options")
    cap = options.get("maxRules") if isinstance(options, Mapping) else None
    if not isinstance(cap, int) or cap < 1 or not numbered:
        return None
    reach = sum(min(cap, len(files.lines(part))) for part in ("rules", "inverseRules"))
    last = max(numbered)[0]
    if last > reach:
        notes.add(f"the saved options count {cap} rules, but the tests name number {last}: all rules are counted")
        return None
    return cap


def _validity(files: PexFiles, notes: Notes) -> dict[str, tuple[bool | None, str]]:
    """Return the verdicts on test inputs, by test and by input."""
    found: dict[str, tuple[bool | None, str]] = {}
    for row in files.rows("testEvals", notes):
        valid = {"ok": True, "err": False}.get(str(row.get("validity")))
        for key in (row.get("testuid"), row.get("input")):
            if key:
                found.setdefault(str(key), (valid, str(row.get("validityText") or "").strip()))
    return found


class _Tests:
    """Tests being converted to cases; a duplicate test targets the rules of both."""

    def __init__(
        self, rules: _Numbered, inputs: Sequence[str], valid: Mapping[str, tuple[bool | None, str]], notes: Notes
    ) -> None:
        self._rules, self._inputs, self._valid, self._notes = rules, inputs, valid, notes
        self.cases: dict[str, Case] = {}
        self.baseline: dict[str, Case] = {}
        self.by_key: dict[str, Case] = {}
        self._twice = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Add one row of the tests."""
        inputs, text = self._values(row)
        scenario = str(row.get("scenario") or "")
        baseline = row.get("baseline") in (True, "true", "True")
        wanted = case_id(inputs or text or "", scenario)
        group = self.baseline if baseline else self.cases
        metadata = self._metadata(row, scenario, baseline=baseline)
        reference = str(row["groundtruth"]) if _accepted(metadata) and row.get("groundtruth") else None
        if wanted in group:
            before = group[wanted]
            self._twice += 1
            aimed = [*GeneratedTest.of(before).rules, *metadata.get("rules", ())]
            metadata = {**metadata, **before.metadata, "rules": list(dict.fromkeys(aimed))}
            metadata = {key: value for key, value in metadata.items() if value != []}
            reference = before.expect.reference or reference
        tags = ["baseline"] if baseline else []
        case = Case(
            id=wanted,
            input=text,
            inputs=inputs,
            expect=Expectation(reference=reference),
            tags=(*tags, scenario) if scenario else tuple(tags),
            metadata=metadata,
        )
        group[wanted] = case
        for key in (row.get("testuid"), row.get("testinput")):
            if key:
                self.by_key[str(key)] = case

    def finish(self) -> None:
        """Add a note about duplicates."""
        if self._twice:
            self._notes.add(f"tests with an input that was there before, each one test with it now: {self._twice}")

    def _values(self, row: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
        """Return the inputs by name; for a prompt without inputs, the text alone."""
        own = {key: value for key, value in row.items() if key not in _OWN}
        named = {key: value for key, value in own.items() if key in self._inputs} if self._inputs else own
        if named and (len(named) == len(self._inputs) or not self._inputs):
            return named, None
        text = row.get("testinput")
        said = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False) if text is not None else ""
        if len(self._inputs) > 1:
            try:
                data = json.loads(said)
            except (ValueError, RecursionError):
                data = None
            if isinstance(data, dict) and set(data) <= set(self._inputs):
                return {**named, **data}, None
            self._notes.add(
                "the prompt has several inputs and a test has one text: it is kept as the case's `input`", said[:40]
            )
            return named, said
        return ({self._inputs[0]: said}, None) if self._inputs else ({}, said)

    def _metadata(self, row: Mapping[str, Any], scenario: str, *, baseline: bool) -> dict[str, Any]:
        kept = row.get("proctor")
        metadata: dict[str, Any] = {"origin": ORIGIN, **(kept if isinstance(kept, Mapping) else {})}
        rule = None if baseline else self._rules.get(row.get("ruleid"))
        if rule is not None:
            metadata.setdefault("rules", [rule.id])
            metadata.setdefault("polarity", rule.polarity)
        elif not baseline:
            self._notes.add("a test names a rule that is not there: it aims at none", f"rule {row.get('ruleid')}")
        if baseline:
            metadata["strategy"] = "baseline"
        valid, reason = self._valid.get(str(row.get("testuid")), self._valid.get(str(row.get("testinput")), (None, "")))
        texts = {
            "scenario": scenario,
            "reasoning": str(row.get("reasoning") or "").strip(),
            "expected_by_generator": str(row.get("expectedoutput") or "").strip(),
            "validity_reason": reason,
        }
        metadata |= {key: text for key, text in texts.items() if text}
        if valid is not None:
            metadata["valid"] = valid
        if row.get("groundtruth") and "groundtruth" not in metadata:
            metadata["groundtruth"] = _truth(row)
        return metadata


def _accepted(metadata: Mapping[str, Any]) -> bool:
    truth = metadata.get("groundtruth")
    return isinstance(truth, Mapping) and truth.get("accepted") is True


def _truth(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of an expected answer; one with no score or a low score is not accepted."""
    score = row.get("groundtruthScore")
    known = isinstance(score, (int, float)) and not isinstance(score, bool)
    share = max(0.0, min(1.0, float(score) / 100)) if known and score is not None else None
    accepted = bool(known and score is not None and score >= ACCEPTED)
    made = {"score": share, "model": str(row.get("groundtruthModel") or ""), "accepted": accepted}
    return made if accepted else {**made, "text": str(row["groundtruth"])}


def _recorded(files: PexFiles, tests: _Tests, notes: Notes) -> list[Recorded]:
    """Return the answers of the models under test, each with its verdict."""
    made: list[Recorded] = []
    times = Counter[tuple[str, str]]()
    for index, row in enumerate(files.rows("testOutputs", notes)):
        if row.get("isGroundtruth") in (True, "true"):
            continue
        if row.get("error") or not isinstance(row.get("output"), str):
            notes.add("a result holds an error in place of an answer and was left out", f"row {index + 1}")
            continue
        keys = (row.get("testuid"), row.get("testinput"), row.get("input"))
        case = next((tests.by_key[str(key)] for key in keys if str(key) in tests.by_key), None)
        if case is None:
            notes.add("an answer belongs to no test and was left out", f"row {index + 1}")
            continue
        model = str(row.get("model") or "model")
        verdicts = {key: row[key] for key in ("compliance", "complianceText", "metrics") if row.get(key)}
        sample = times[case.id, model]
        times[case.id, model] += 1
        made.append(Recorded(case=case.id, model=model, answer=row["output"], sample=sample, verdicts=verdicts))
    return made


def _models(files: PexFiles) -> tuple[str, ...]:
    options = files.context.get("options")
    named = options.get("modelsUnderTest") if isinstance(options, Mapping) else None
    return tuple(str(each) for each in named) if isinstance(named, list) else ()
