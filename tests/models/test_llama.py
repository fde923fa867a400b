from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from proctor.core.chat import Message, Request, Sampling
from proctor.core.errors import ConfigError, RejectedError
from proctor.core.sockets import Model
from proctor.models.fetch import KNOWN
from proctor.models.llama import local
from tests.models.test_fake import make_kit


def _gguf() -> Path:
    chosen = os.environ.get("PROCTOR_TEST_GGUF")  # noqa: TID251 - a test chooses its file
    return Path(chosen) if chosen else Path.home() / ".cache" / "proctor" / "models" / KNOWN["smollm2"].file


live = [
    pytest.mark.live,
    pytest.mark.skipif(not _gguf().is_file(), reason="no model file here: `proctor models add smollm2`"),
    pytest.mark.xdist_group("llama"),
]


@pytest.fixture(scope="module")
def model() -> Model:
    return local(make_kit({"model": str(_gguf()), "max_tokens": 24, "context": 512}, Path()))


def _ask(text: str, **more: object) -> Request:
    return Request(messages=(Message(role="user", content=text),), **more)  # type: ignore[arg-type]


def test_what_is_missing_is_named_with_its_mend(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="proctor models add smollm2"):
        local(make_kit({"model": "smollm2"}, tmp_path))
    with pytest.raises(ConfigError, match="did you mean 'smollm2'"):
        local(make_kit({"model": "smolm2"}, tmp_path))
    with pytest.raises(ConfigError, match="is not here"):
        local(make_kit({"model": "other.gguf"}, tmp_path))
    (tmp_path / "other.gguf").write_bytes(b"no model")
    with pytest.raises(ConfigError, match="not a GGUF file"):
        local(make_kit({"model": "other.gguf"}, tmp_path))
    with pytest.raises(ConfigError, match="did you mean `context`"):
        local(make_kit({"model": "other.gguf", "contxt": 3}, tmp_path))


class TestLive:
    pytestmark = live

    async def test_it_answers_the_same_at_temperature_nought(self, model: Model) -> None:
        first = await model.complete(_ask("What is the capital of France?"))
        again = await model.complete(_ask("What is the capital of France?"))
        assert first.text.strip()
        assert first.text == again.text
        assert first.usage.input > 0
        assert 0 < first.usage.output <= 24
        assert first.latency > 0

    async def test_it_is_held_to_a_schema(self, model: Model) -> None:
        import json

        schema = {
            "type": "object",
            "properties": {"label": {"enum": ["red", "blue"]}},
            "required": ["label"],
            "additionalProperties": False,
        }
        reply = await model.complete(_ask("Pick a colour.", schema=schema, sampling=Sampling(max_tokens=60)))
        assert json.loads(reply.text)["label"] in ("red", "blue")

    async def test_the_loop_goes_on_while_it_thinks_and_answers_come_side_by_side(self, model: Model) -> None:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.005)

        ticking = asyncio.create_task(tick())
        replies = await asyncio.gather(*(model.complete(_ask(f"Count to {n}.")) for n in (3, 4, 5)))
        ticking.cancel()
        assert all(reply.text for reply in replies)
        assert ticks > 5

    async def test_a_question_longer_than_its_room_is_refused(self, model: Model) -> None:
        with pytest.raises(RejectedError, match="context size"):
            await model.complete(_ask("word " * 2000))

    def test_it_is_quiet_and_ends_with_its_process(self) -> None:
        code = (
            "import asyncio; from pathlib import Path\n"
            "from tests.models.test_fake import make_kit\n"
            "from tests.models.test_llama import _ask, _gguf\n"
            "from proctor.models.llama import local\n"
            "model = local(make_kit({'model': str(_gguf()), 'max_tokens': 4, 'context': 512}, Path()))\n"
            "print(len(asyncio.run(model.complete(_ask('hi'))).text) > 0)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")

    async def test_a_question_that_is_dropped_frees_its_slot(self, model: Model) -> None:
        one = local(make_kit({"model": str(_gguf()), "max_tokens": 2000, "context": 2048, "slots": 1}, Path()))
        await one.complete(_ask("hi", sampling=Sampling(max_tokens=2)))
        dropped = asyncio.create_task(one.complete(_ask("Write a very long story about the sea.")))
        await asyncio.sleep(0.5)
        dropped.cancel()
        async with asyncio.timeout(60):
            assert (await one.complete(_ask("hi", sampling=Sampling(max_tokens=2)))).usage.output <= 2

    async def test_a_schema_the_engine_cannot_take_is_refused(self, model: Model) -> None:
        with pytest.raises(RejectedError, match="unrecognized type"):
            await model.complete(_ask("hi", schema={"type": "nonsense"}))
