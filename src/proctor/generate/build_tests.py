"""Generate and check the tests of a few rules in one scenario, and retry while some are missing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from proctor.core.case import Case
from proctor.core.generated_test import GeneratedTest, with_metadata
from proctor.core.rule import Rule
from proctor.generate.build_case import Brief
from proctor.generate.deduplicate import without_duplicates
from proctor.generate.generation_request import Makers, Order
from proctor.generate.offline import offline_tests, offline_validity
from proctor.generate.reuse_existing import Kept
from proctor.generate.stages import check_agreement, check_test, expand_test, find_truth, write_tests
from proctor.generate.stages.agreement import SpecificationAnswer
from proctor.generate.task_group import Trouble, both, together

__all__ = ["TestMaker"]

# Expanding a boundary test, or a variant of another test, would spoil it.
_NOT_EXPANDED = ("boundary", "metamorphic", "sample")
_MOST_TRIES = 3


@dataclass(slots=True, kw_only=True)
class TestMaker:
    """Makes tests and counts those left out. ``settled`` returns the brief with the final state of all rules."""

    __test__ = False  # not a pytest class

    order: Order
    makers: Makers
    kept: Kept
    trouble: Trouble
    settled: Callable[[Brief], Awaitable[Brief]]
    invalid: int = 0
    repeats: int = 0
    renamed: dict[str, str] = field(default_factory=dict)

    async def tests_for(self, brief: Brief, rules: Sequence[Rule]) -> list[Case]:
        """Return new tests for the rules, in addition to those kept."""
        want = self.order.effort.tests_per_rule
        stay = [case for case in self.kept.tests if GeneratedTest.of(case).scenario == brief.scenario.name]
        tally = {rule.id: sum(rule.id in GeneratedTest.of(case).made_from for case in stay) for rule in rules}
        seen = [case for case in stay if any(rule.id in GeneratedTest.of(case).made_from for rule in rules)]
        finishing: list[asyncio.Task[Case]] = []
        try:
            for turn in range(self.order.effort.generations + 1):
                last = turn == self.order.effort.generations
                # After the last generation, code makes the tests that a rule needs to be covered at all.
                short = [rule for rule in rules if tally[rule.id] < (1 if last else want)]
                if not short:
                    continue
                need = max((1 if last else want) - tally[rule.id] for rule in short)
                asked = await self._asked(brief, short, need, seen, None if last else turn)
                if not asked and self.makers.writer is None:
                    break  # code makes the same each time
                for case in await self._usable(brief, asked, seen):
                    aim = next((each for each in GeneratedTest.of(case).made_from if each in tally), None)
                    if aim is not None and tally[aim] < want:
                        tally[aim] += 1
                        finishing.append(asyncio.create_task(self.finished(brief, case)))
            return [await task for task in finishing]
        except BaseException:
            for task in finishing:
                task.cancel()
            await asyncio.gather(*finishing, return_exceptions=True)
            raise

    async def checked(self, brief: Brief, case: Case) -> Case:
        """Return the case with its validity: by its types first, then by the judge."""
        valid, why = (None, "") if self.makers.rehearsed else offline_validity(brief, case)
        if valid is not False and self.makers.judge is not None:
            valid, why = await self.trouble.spare(
                "validity", check_test(self.makers.judge, brief, case), (None, "no usable answer")
            )
        return with_metadata(case, valid=valid, validity_reason=why)

    async def finished(self, brief: Brief, case: Case) -> Case:
        """Return the case expanded as often as requested, and with its expected output if requested."""
        first = case.id
        writer = self.makers.writer
        if writer is not None and GeneratedTest.of(case).strategy not in _NOT_EXPANDED:
            for turn in range(self.order.effort.expansions):
                case = await self._longer(brief, case, turn)
        if case.id != first:
            self.renamed[first] = case.id
        return await self.held_against(brief, case)

    async def held_against(self, brief: Brief, case: Case) -> Case:
        """Return the case with its expected output, and with whether the specification answers like the prompt."""
        known, agreement = await both(self.with_truth(brief, case), self._agreement(brief, case))
        if agreement is None:
            return known
        return with_metadata(known, agreement={"ok": agreement.ok, "reason": agreement.reason})

    async def _agreement(self, brief: Brief, case: Case) -> SpecificationAnswer | None:
        writer, judge = self.makers.writer, self.makers.judge
        if not self.order.agreement or writer is None or judge is None or GeneratedTest.of(case).agreement is not None:
            return None
        work = check_agreement(writer, (judge,), await self.settled(brief), case)
        return await self.trouble.spare("agreement", work, None)

    async def with_truth(self, brief: Brief, case: Case) -> Case:
        """Return the case with its expected output, if a model can provide it and none is set."""
        model = self.makers.truth
        if model is None or case.expect.reference is not None or GeneratedTest.of(case).groundtruth is not None:
            return case
        whole = await self.settled(brief)
        work = find_truth(
            model,
            self.makers.truth_judges,
            whole,
            case,
            threshold=self.order.threshold,
            tries=_MOST_TRIES,
            metrics=self.makers.truth_metrics,
        )
        return await self.trouble.spare("groundtruth", work, case)

    async def _asked(
        self, brief: Brief, rules: Sequence[Rule], count: int, seen: Sequence[Case], turn: int | None
    ) -> Sequence[Case]:
        if self.makers.writer is None or turn is None:
            return offline_tests(brief, rules, count=count, avoid=seen, seed=self.order.seed)
        work = write_tests(self.makers.writer_of("tests"), brief, rules, count=count, avoid=seen, sample=turn)
        return await self.trouble.spare("tests", work, ())

    async def _usable(self, brief: Brief, asked: Sequence[Case], seen: list[Case]) -> list[Case]:
        """Return the cases that are new, not removed by a person, and valid; ``seen`` is extended by all new ones."""
        new, repeats = without_duplicates(asked, kept=seen)
        self.repeats += len(repeats)
        seen += new
        new = tuple(case for case in new if case.id not in self.kept.gone)
        checked = await together(*(self.checked(brief, case) for case in new))
        usable = [case for case in checked if GeneratedTest.of(case).is_usable]
        self.invalid += len(checked) - len(usable)
        return usable

    async def _longer(self, brief: Brief, case: Case, turn: int) -> Case:
        work = expand_test(self.makers.writer_of("expand"), brief, case, sample=turn)
        longer = await self.trouble.spare("expand", work, case)
        if longer.id == case.id:
            return case
        longer = await self.checked(brief, longer)
        return longer if GeneratedTest.of(longer).is_usable else case
