from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.report import Fingerprint, Result
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory, Turn
from proctor.store.ledger import RunLedger
from proctor.store.run_index import rebuild_index
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore


def _result(case: str, target: str) -> Result:
    turn = Turn(messages=(Message(role="user", content="q"), Message(role="assistant", content="a")))
    part = Score(name="intent_relevance", value=0.5)
    return Result(
        case=Case(id=case, input="q", intent="faq", tags=("x",)),
        target=target,
        trajectory=Trajectory(turns=(turn,)),
        scores=(Score(name="relevance", value=0.5, threshold=0.4, parts=(part,)),),
        outcome="pass",
        value=0.5,
    )


def test_graded_results_have_scores_and_no_conversation_and_come_by_case(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = store.begin("r", name="s", fingerprint=Fingerprint(), settings={}, total=4)
        ledger = RunLedger(store, run)
        kept = [_result(case, target) for case in "ba" for target in ("two", "one")]
        for key, result in enumerate(kept):
            ledger.keep_trajectory(key, case=result.case, target=result.target, sample=0, trajectory=result.trajectory)
            ledger.keep_result(key, result)
        ledger.close()
        reader = RunReader(store, run)
        assert reader.targets() == ("one", "two")
        found = list(reader.graded())
        assert [(each.case.id, each.target) for each in found] == [
            ("a", "one"),
            ("a", "two"),
            ("b", "one"),
            ("b", "two"),
        ]
        assert all(each.scores == kept[0].scores and not each.trajectory.turns for each in found)
        assert found[0].case == Case(id="a", intent="faq")
        assert [each.case for each in reader.graded(target="one", cases=True)] == [kept[3].case, kept[1].case]


def test_results_come_in_the_order_of_the_suite_however_they_finished(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = store.begin("r", name="s", fingerprint=Fingerprint(), settings={}, total=3)
        ledger = RunLedger(store, run)
        for place, case in ((2, "a"), (0, "c"), (1, "b")):
            result = replace(_result(case, "one"), extra={"place": place})
            ledger.keep_trajectory(place, case=result.case, target="one", sample=0, trajectory=result.trajectory)
            ledger.keep_result(place, result)
        ledger.close()
        for _ in range(2):
            reader = RunReader(store, run)
            assert [each.case.id for each in reader.results()] == ["c", "b", "a"]
            assert [each.case.id for each in reader.results(outcome="pass", target="one")] == ["c", "b", "a"]
            assert [row.case_id for row in reader.rows(limit=2, offset=1)] == ["b", "a"]
            rebuild_index(store, run)
