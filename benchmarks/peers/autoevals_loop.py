"""The job with autoevals: its LLM classifier as the judge, the openai SDK for the answers, a loop of our own.

autoevals is a library of scorers and has no runner of its own outside its vendor's service.
"""

from __future__ import annotations

import asyncio

from autoevals import LLMClassifier  # type: ignore[import-not-found]
from openai import AsyncOpenAI, OpenAIError

from benchmarks.peers.options import RUBRIC, Options, read_options, tell
from benchmarks.replies import question, reference

_PROMPT = RUBRIC + "\n\nQuestion: {{input}}\nAnswer: {{output}}\nReference: {{expected}}\n\nIs it right?"


async def _run(options: Options) -> tuple[int, int]:
    # The answers are fetched by this program, not by the peer: its own patience must not spoil the peer's figures.
    patient = AsyncOpenAI(base_url=options.base_url, api_key="none", max_retries=20)
    client = AsyncOpenAI(base_url=options.base_url, api_key="none")
    judge = LLMClassifier(
        name="price",
        prompt_template=_PROMPT,
        choice_scores={"Yes": 1, "No": 0},
        use_cot=True,
        model="stub",
        client=client,
    )
    scores: list[float | None] = []
    numbers = iter(range(options.cases))

    async def work() -> None:
        for number in numbers:
            asked = question(number)
            reply = await patient.chat.completions.create(model="stub", messages=[{"role": "user", "content": asked}])
            answer = reply.choices[0].message.content
            try:
                result = await judge.eval_async(output=answer, expected=reference(number), input=asked)
            except OpenAIError:
                continue  # not judged
            scores.append(result.score)

    await asyncio.gather(*(work() for _ in range(options.concurrency)))
    judged = [score for score in scores if score is not None]
    return sum(score == 1 for score in judged), len(judged)


if __name__ == "__main__":
    tell(*asyncio.run(_run(read_options())))
