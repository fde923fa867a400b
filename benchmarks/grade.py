"""Grades many answers offline on all four dimensions, with the models that ship: throughput, and memory as it grows.

Run ``python -m benchmarks.grade [--sizes 1000 10000]``. The answers are recorded ones, made here from parts that vary,
each with its question, a source and an expected fact; every tenth is wrong about a number. No language model is asked.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.processes import measure
from benchmarks.project import proctor

__all__ = ["main", "written"]

_THINGS = (
    "order",
    "parcel",
    "refund",
    "voucher",
    "subscription",
    "gift card",
    "preorder",
    "box set",
    "invoice",
    "return",
)
_PLACES = ("Osaka", "Lyon", "Porto", "Leeds", "Kyoto", "Oslo", "Graz", "Turin", "Bergen", "Sendai")
_ENDINGS = (
    "Please keep the receipt until then.",
    "You will get a message when it is done.",
    "Is there anything else I can help with?",
    "Our team in {place} looks after it.",
    "The number is on the label of the box.",
)

_FAQ = {
    "weights": {"relevance": 0.2, "factual_accuracy": 0.4, "consistency": 0.25, "fluency": 0.15},
    "threshold": 0.85,
}


def written(count: int, seed: int = 1) -> Iterator[dict[str, object]]:
    """Cases that were answered already."""
    dice = random.Random(seed)
    for i in range(count):
        thing, place, days = dice.choice(_THINGS), dice.choice(_PLACES), dice.randint(2, 40)
        told = days if i % 10 else days + dice.randint(1, 9)
        fact = f"Every {thing} to {place} takes {days} days."
        ending = dice.choice(_ENDINGS).format(place=place)
        question = f"How long does my {thing} to {place} take, and what must I do meanwhile? It is number {i}."
        answer = f"Your {thing} to {place} takes {told} days, as with all others. {ending}"
        turn = {
            "messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}],
            "sources": [
                {"id": f"policy-{thing}", "text": f"{fact} Nothing must be done meanwhile.", "date": "2026-04-01"}
            ],
        }
        yield {
            "id": f"case-{i}",
            "input": question,
            "intent": "faq",
            "expect": {"facts": [f"{days} days"]},
            "recorded": {"turns": [turn]},
        }


def main() -> int:
    """Grade runs of growing size and print what each took."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--sizes", type=int, nargs="*", default=[1000, 10000])
    told = ask.parse_args()
    print("| answers | wall s | CPU ms an answer | answers a second | peak MB | passed |\n|---|---|---|---|---|---|")
    for size in told.sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "proctor.yaml").write_text(
                "target: answers\ntargets:\n  answers: {recording: none.jsonl}\n", encoding="utf-8"
            )
            kept = json.dumps({"case": "none", "trajectory": {"turns": []}})  # every case carries its own answer
            (folder / "none.jsonl").write_text(kept + "\n", encoding="utf-8")
            with (folder / "answers.jsonl").open("w", encoding="utf-8") as file:
                file.write(
                    json.dumps({"suite": {"name": "answers", "scorers": [{"quality": {"intents": {"faq": _FAQ}}}]}})
                    + "\n"
                )
                for case in written(size):
                    file.write(json.dumps(case, ensure_ascii=False) + "\n")
            ran = measure(proctor("run", "answers.jsonl", "-q", "-o", "report.json"), folder=folder)
            if ran.code not in (0, 1):
                raise RuntimeError(f"{size} answers: ended with {ran.code}\n{ran.errors}{ran.output}")
            counts = json.loads((folder / "report.json").read_text(encoding="utf-8"))["report"]["counts"]
            print(
                f"| {size:,} | {ran.wall:.0f} | {1000 * ran.cpu / size:.1f} | {size / ran.wall:.0f} | {ran.peak:.0f} "
                f"| {counts['passed']:,} |",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
