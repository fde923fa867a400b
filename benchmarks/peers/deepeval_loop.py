"""The job with deepeval: GEval with fixed steps as the judge, the openai SDK for the answers."""

from __future__ import annotations

import asyncio

from deepeval import evaluate  # type: ignore[import-not-found]
from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig  # type: ignore[import-not-found]
from deepeval.metrics import GEval  # type: ignore[import-not-found]
from deepeval.models import LocalModel  # type: ignore[import-not-found]
from deepeval.test_case import LLMTestCase, SingleTurnParams  # type: ignore[import-not-found]
from openai import AsyncOpenAI

from benchmarks.peers.options import RUBRIC, Options, read_options, tell
from benchmarks.replies import question, reference


async def _answers(options: Options) -> list[str]:
    # The answers are fetched by this program, not by the peer: its own patience must not spoil the peer's figures.
    client = AsyncOpenAI(base_url=options.base_url, api_key="none", max_retries=20)
    gate = asyncio.Semaphore(options.concurrency)

    async def ask(number: int) -> str:
        async with gate:
            reply = await client.chat.completions.create(
                model="stub", messages=[{"role": "user", "content": question(number)}]
            )
            return str(reply.choices[0].message.content)

    return await asyncio.gather(*(ask(number) for number in range(options.cases)))


def _run(options: Options) -> tuple[int, int]:
    answers = asyncio.run(_answers(options))
    cases = [
        LLMTestCase(input=question(number), actual_output=answer, expected_output=reference(number))
        for number, answer in enumerate(answers)
    ]
    judge = GEval(
        name="price",
        evaluation_steps=[RUBRIC],
        evaluation_params=[
            SingleTurnParams.INPUT,
            SingleTurnParams.ACTUAL_OUTPUT,
            SingleTurnParams.EXPECTED_OUTPUT,
        ],
        model=LocalModel(model="stub", base_url=options.base_url, api_key="none"),
    )
    result = evaluate(
        test_cases=cases,
        metrics=[judge],
        async_config=AsyncConfig(max_concurrent=options.concurrency),
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
        error_config=ErrorConfig(ignore_errors=True),
    )
    judged = [case for case in result.test_results if not any(each.error for each in case.metrics_data or [])]
    return sum(case.success for case in judged), len(judged)


if __name__ == "__main__":
    tell(*_run(read_options()))
