from __future__ import annotations

from proctor.core.errors import InputError, TimedOutError
from proctor.guard.verdict_validation import failure
from tests.tables import table

KEY = "sk-proj-" + "aB3" * 12


@table(
    ("error", "told"),
    [
        (None, "the gate pii failed (no answer)"),
        (ValueError("it is none"), "the gate pii failed (it is none)"),
        (KeyError("x"), "the gate pii failed (KeyError: 'x')"),
        (
            InputError("5,000,000 letters are too many", hint="split it"),
            "the gate pii failed (5,000,000 letters are too many): split it",
        ),
        (InputError("is empty", file="a.txt", line=3), "the gate pii failed (a.txt:3: is empty)"),
        (TimedOutError("no answer in time"), "the gate pii failed (no answer in time)"),
        (
            TimeoutError("no answer within 2 s"),
            "the gate pii failed (no answer within 2 s): shorten the text, or raise"
            " `timeout` of pii or of the whole guard in proctor.yaml",
        ),
        (ValueError(f"{KEY} is refused"), "the gate pii failed (*** is refused)"),
    ],
)
def test_a_failure_says_its_cause_and_what_mends_it(error: Exception | None, told: str) -> None:
    made = failure("pii", "1", "block", error)
    assert (made.reason, made.findings[0].reason) == (told, told)
    assert (made.action, made.broken, made.findings[0].kind) == ("block", True, "gate_failed")
