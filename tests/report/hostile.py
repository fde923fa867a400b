"""Runs that no report should have to bear: markup, controls, broken Unicode, great length, great number."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from proctor.core.case import Case, Expectation
from proctor.core.chat import Message, ToolCall, Usage
from proctor.core.report import Outcome, Result
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Intent, Source, Trajectory, Turn

__all__ = ["HOSTILE", "hostile_results", "many_results"]

HOSTILE = {
    "script": "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>",
    "closing": "</script></title></style><!-- --> ]]> <![CDATA[ &amp; &lt;",
    "control": "bell \x07 escape \x1b[31mred\x1b[0m \x1b]8;;http://x\x07link nul \x00 delete \x7f next-line \x85",
    "direction": "\u202eturned\u202c and \u2066isolated\u2069, עברית, مرحبا",
    "surrogate": "half \ud83d of a pair, and the other \ude00",
    "line ends": "a\u2028b\u2029c\r\nd\re\nf\tg",
    "markup": "[bold red]not bold[/] [link=http://x]l[/link] :smile: {{data}} {{styles}} ${x} `code` *b* _i_ | cell",
    "mention": "@octocat see #12 and GH-3 at https://github.com/o/r/issues/1 or www.example.com",
    "formula": '=HYPERLINK("http://x","y")',
    "plus": "+1+1",
    "minus": "-2+3",
    "at": "@SUM(A1)",
    "tab": "\t=1+1",
    "long": "長い文章と words " * 6_000,
    "japanese": "返品は30日以内です。㍿髙﨑、絵文字👨‍👩‍👧も。",
    "empty": "",
}


def hostile_results() -> Iterator[Result]:
    """One result for each hostile text, with that text everywhere a text can be; all three outcomes."""
    for place, (name, text) in enumerate(HOSTILE.items()):
        yield _everywhere(f"{name} {text[:60]}", text, place)


def _everywhere(name: str, text: str, place: int) -> Result:
    outcomes: tuple[Outcome, ...] = ("fail", "unscored", "pass")
    outcome = outcomes[place % 3]
    low = outcome == "fail"
    score = Score(
        name=text[:40] or "unnamed",
        value=0.1 if low else 0.9,
        threshold=0.5,
        reason=text,
        evidence=(Evidence(quote=text, turn=0, note=text),),
        parts=(Score(name=text[:40], value=0.1, threshold=0.5, reason=text),),
        producer=text[:40],
    )
    broken = Score(name="judge", status="error", reason=text, raw=text)
    turn = Turn(
        messages=(Message(role="user", content=text), Message(role="assistant", content=text)),
        intents=(Intent(name=text[:40]),),
        tool_calls=(ToolCall(name=text[:40], arguments={text[:40]: text}, result={"k": [text]}, error=text or None),),
        sources=(Source(id=text[:40], text=text, date=text[:40]),),
        latency=0.5,
        usage=Usage(input=3, output=4),
        cost=0.001,
    )
    return Result(
        case=Case(
            id=name,
            input=text,
            intent=text[:40] or None,
            tags=(text[:40],),
            expect=Expectation(reference=text, facts=(text,)),
            metadata={text[:40]: {"deep": [text]}},
        ),
        target=f"target {text[:30]}",
        trajectory=Trajectory(turns=(turn,), error=text if outcome == "unscored" else None),
        scores=(score, broken) if outcome == "unscored" else (score,),
        outcome=outcome,
        value=0.5,
        reason=text,
    )


@cache
def _parts(place: int) -> tuple[Trajectory, tuple[Score, ...]]:
    turn = Turn(
        messages=(Message(role="user", content="どこですか？"), Message(role="assistant", content="明日届きます。")),
        latency=0.2 + place / 100,
        cost=0.0005,
    )
    scores = (Score(name="facts", value=0.2 if place % 10 == 0 else 0.9, threshold=0.7, reason="as found"),)
    return Trajectory(turns=(turn,)), scores


def many_results(count: int) -> Iterator[Result]:
    """So many results, one after the other; one in ten fails, one in fifty could not be judged."""
    for place in range(count):
        trajectory, scores = _parts(place % 50)
        failed, unscored = place % 10 == 0, place % 50 == 7
        yield Result(
            case=Case(id=f"case-{place}", input=f"question {place}", intent="delivery", tags=(f"tag-{place % 7}",)),
            target=f"target-{place % 2}",
            trajectory=trajectory,
            scores=() if unscored else scores,
            outcome="fail" if failed else "unscored" if unscored else "pass",
            value=None if unscored else scores[0].value,
            duration=1.5,
        )
