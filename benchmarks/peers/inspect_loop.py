"""The job with inspect-ai: a task of samples, its generate solver and its model-graded scorer."""

from __future__ import annotations

import tempfile

from inspect_ai import Task, eval  # type: ignore[import-not-found]
from inspect_ai.dataset import MemoryDataset, Sample  # type: ignore[import-not-found]
from inspect_ai.model import GenerateConfig, get_model  # type: ignore[import-not-found]
from inspect_ai.scorer import model_graded_fact  # type: ignore[import-not-found]
from inspect_ai.solver import generate  # type: ignore[import-not-found]

from benchmarks.peers.options import Options, read_options, tell
from benchmarks.replies import question, reference


def _run(options: Options) -> tuple[int, int]:
    model = get_model(
        "openai-api/stub/stub",
        base_url=options.base_url,
        api_key="none",
        config=GenerateConfig(max_connections=options.concurrency),
    )
    samples = [Sample(id=number, input=question(number), target=reference(number)) for number in range(options.cases)]
    task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=model_graded_fact(model=model))
    with tempfile.TemporaryDirectory() as folder:
        (log,) = eval(
            task,
            model=model,
            display="none",
            log_dir=folder,
            max_samples=options.concurrency,
            max_connections=options.concurrency,
        )
        # Its samples are read from the log file when they are asked for.
        grades = [score.value for sample in log.samples or [] for score in (sample.scores or {}).values()]
    return grades.count("C"), len(grades)


if __name__ == "__main__":
    tell(*_run(read_options()))
