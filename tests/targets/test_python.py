from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from proctor.core.case import Ask, Case
from proctor.core.chat import Message
from proctor.core.errors import ConfigError, MalformedError
from proctor.core.sockets import Target
from proctor.core.trajectory import Trajectory
from proctor.models.fake import Scripted
from proctor.targets.python import connect

from .conftest import KitOf

CODE = """
import asyncio, functools, time, threading
from dataclasses import dataclass
from neighbour import WORD
from proctor.core.trajectory import Turn
from proctor.core.chat import Message, Request

@dataclass
class Box:
    x: int = 1

def sync(text): return f"sync {text} {WORD}"
async def later(text):
    await asyncio.sleep(0)
    return f"async {text}"
def mapping(text): return {"answer": text, "tool_calls": [{"name": "f"}], "cost": 0.5}
def a_turn(text): return Turn(messages=(Message(role="assistant", content="turn"),))
def by_name(text, *, messages, session, history, inputs, page, case, state, sample, optional=3):
    state["n"] = state.get("n", 0) + 1
    return f"{len(messages)} {len(history)} {inputs} {page} {case.id} {state['n']} {sample} {optional} {bool(session)}"
def wants_messages(messages): return messages[-1]["content"] + str(len(messages))
def wants_inputs(inputs, page=None): return f"{inputs['city']}"
def positional(text, /, state): return text
def nothing_wanted(): return "constant"
def everything(*args, **kwargs): return f"{args} {kwargs}"
def coroutine_from_sync(text): return later(text)
partial = functools.partial(by_name, optional=9)
class Callable:
    async def __call__(self, text): return f"called {text}"
instance = Callable()
def returns_none(text): return None
def boom(text): raise ValueError("boom " + text)
async def boom_later(text): return inner(text)
def inner(text): return {}["missing"]
def leaves(text): raise SystemExit(3)
def stops(text): raise StopIteration("s")
def own_timeout(text): raise TimeoutError("mine")
def slow(text): time.sleep(20)
async def slow_later(text): await asyncio.sleep(20)
def wants_more(text, database): return text
async def on_model(text, settings, model):
    settings["seen"] = True
    request = Request(messages=(Message(role="user", content=text),))
    return f"{settings['fault']} {(await model.complete(request)).text if model else 'no model'}"
def where(text): return threading.current_thread().name
def spoils(text, messages): messages.clear(); return "x"
number = 5
class Agent:
    closed = 0
    def __init__(self, case=None): self.said = []; self.case = case
    def say(self, text, inputs):
        self.said.append(text)
        return f"{self.case.id} {self.said} {inputs}"
    def close(self): type(self).closed += 1
class Later:
    async def say(self, text): return "later " + text
class Mute: pass
class Breaks:
    def __init__(self): raise RuntimeError("cannot begin")
    def say(self, text): return text
"""


@pytest.fixture
def code(tmp_path: Path) -> Path:
    path = tmp_path / "lib" / "my-agent.py"
    path.parent.mkdir()
    path.write_text(CODE)
    (path.parent / "neighbour.py").write_text("WORD = '言葉'\n")
    return path


@pytest.fixture(autouse=True)
def _forget(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("proctor_target_") or name in ("neighbour", "shop", "shop.agent"):
            del sys.modules[name]


async def run(kit_of: KitOf, name: str, case: Case | None = None, **settings: Any) -> Trajectory:
    target = connect(kit_of({"python": f"lib/my-agent.py:{name}", **settings}))
    return await target.run(case or Case(id="c", input="hi"), sample=4)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("sync", "sync hi 言葉"),
        ("later", "async hi"),
        ("mapping", "hi"),
        ("a_turn", "turn"),
        ("wants_messages", "hi1"),
        ("positional", "hi"),
        ("nothing_wanted", "constant"),
        ("everything", "() {}"),
        ("coroutine_from_sync", "async hi"),
        ("instance", "called hi"),
        ("Later", "later hi"),
    ],
)
async def test_any_callable_will_do(code: Path, kit_of: KitOf, name: str, answer: str) -> None:
    made = await run(kit_of, name)
    assert (made.error, made.answer) == (None, answer)


async def test_a_callable_is_given_what_it_names(code: Path, kit_of: KitOf) -> None:
    case = Case(
        id="c7",
        turns=(Ask(text="a"), Ask(text="b")),
        inputs={"city": "京都"},
        page={"u": 1},
        history=(Message(role="user", content="before"),),
    )
    made = await run(kit_of, "by_name", case)
    assert [turn.answer for turn in made.turns] == [
        "2 1 {'city': '京都'} {'u': 1} c7 1 4 3 True",
        "4 3 {'city': '京都'} {'u': 1} c7 2 4 3 True",
    ]
    assert made.session
    made = await run(kit_of, "partial", case)
    assert made.answer.endswith("4 9 True")
    made = await run(kit_of, "wants_inputs", case)
    assert made.answer == "京都"


async def test_what_a_callable_does_to_its_arguments_stays_there(code: Path, kit_of: KitOf) -> None:
    made = await run(kit_of, "spoils", Case(id="c", turns=(Ask(text="a"), Ask(text="b"))))
    assert [turn.asked for turn in made.turns] == ["a", "b"]


async def test_a_class_is_made_new_for_each_conversation(code: Path, kit_of: KitOf) -> None:
    target = connect(kit_of({"python": "lib/my-agent.py:Agent"}))
    assert isinstance(target, Target)
    case = Case(id="c", turns=(Ask(text="a"), Ask(text="b")))
    first, second = await asyncio.gather(target.run(case), target.run(case))
    assert first.answer == second.answer == "c ['a', 'b'] {}"
    assert target.subject.closed == 2


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("boom", r"ValueError: boom hi \(my-agent\.py:\d+ in boom\)"),
        ("boom_later", r"KeyError: 'missing' \(my-agent\.py:\d+ in inner\)"),
        ("leaves", r"SystemExit: 3 \(my-agent\.py"),
        ("stops", "StopIteration"),
        ("own_timeout", "TimeoutError: mine"),
        ("returns_none", "returned nothing"),
        ("Breaks", "RuntimeError: cannot begin"),
    ],
)
async def test_what_a_callable_raises_is_one_error_record(code: Path, kit_of: KitOf, name: str, what: str) -> None:
    import re

    made = await run(kit_of, name)
    assert re.search(what, made.error or "")
    assert made.error_kind == "target"


@pytest.mark.parametrize("name", ["slow", "slow_later"])
async def test_a_callable_that_hangs(code: Path, kit_of: KitOf, name: str) -> None:
    started = time.monotonic()
    made = await run(kit_of, name, timeout=0.05)
    assert (made.error, made.error_kind) == ("no answer within 0.05 s", "timeout")
    assert time.monotonic() - started < 10


async def test_a_blocking_callable_does_not_hold_up_the_others(code: Path, kit_of: KitOf) -> None:
    made = await run(kit_of, "where")
    assert made.answer == "proctor-target"


async def test_a_module_by_its_name(tmp_path: Path, kit_of: KitOf) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").write_text("")
    (tmp_path / "shop" / "agent.py").write_text(
        "from . import __name__ as n\nclass A:\n    @staticmethod\n    def f(t): return n + t\n"
    )
    made = await connect(kit_of({"python": "shop.agent:A.f"})).run(Case(id="c", input="!"))
    assert made.answer == "shop!"


def test_the_spec_knows_the_code(code: Path, kit_of: KitOf) -> None:
    one = connect(kit_of({"python": "lib/my-agent.py:sync"})).spec
    assert one["source"]
    del sys.modules[next(name for name in sys.modules if name.startswith("proctor_target_"))]
    code.write_text(CODE + "\n# changed\n")
    assert connect(kit_of({"python": "lib/my-agent.py:sync"})).spec["source"] != one["source"]


@pytest.mark.parametrize(
    ("reference", "what"),
    [
        ("nothing", "names no callable"),
        ("lib/my-agent.py", "names no callable"),
        (":f", "names no callable"),
        ("lib/nowhere.py:f", "no such file"),
        ("nowhere.at.all:f", "no module"),
        ("lib/my-agent.py:snyc", "did you mean `sync`"),
        ("lib/my-agent.py:number", "cannot be called"),
        ("lib/my-agent.py:Mute", "no method `say`"),
        ("lib/my-agent.py:wants_more", "wants 'database'"),
        ("lib/broken.py:f", "SyntaxError"),
        ("lib/raises.py:f", "ZeroDivisionError"),
        ("lib/exits.py:f", "SystemExit"),
        ("lib/needs.py:f", "no_such_package"),
    ],
)
def test_what_cannot_be_called_is_told_at_once(code: Path, kit_of: KitOf, reference: str, what: str) -> None:
    (code.parent / "broken.py").write_text("def f(:\n")
    (code.parent / "raises.py").write_text("1 / 0\n")
    (code.parent / "exits.py").write_text("import sys; sys.exit(1)\n")
    (code.parent / "needs.py").write_text("import no_such_package\n")
    with pytest.raises(ConfigError, match=what):
        connect(kit_of({"python": reference}))


def test_wrong_settings_are_told(kit_of: KitOf) -> None:
    with pytest.raises(MalformedError, match="timeout"):
        connect(kit_of({"python": "a:b", "timeuot": 5}))


async def test_a_callable_is_given_settings_and_a_model_of_its_own(code: Path, kit_of: KitOf) -> None:
    asked: list[str | None] = []
    entry = {"python": "lib/my-agent.py:on_model", "settings": {"fault": "none"}, "model": "small"}
    target = connect(kit_of(entry, model=Scripted(replies=("hello",)), asked=asked))
    trajectory = await target.run(Case(id="c", input="hi"))
    assert trajectory.answer == "none hello"
    assert asked == ["small"]
    assert target.spec["settings"] == {"fault": "none"}
    assert target.spec["model"] == Scripted(replies=()).name


async def test_what_decides_a_callable_is_in_its_spec_and_without_a_model_none_is_asked_for(
    code: Path, kit_of: KitOf
) -> None:
    asked: list[str | None] = []
    one, two = (
        connect(kit_of({"python": "lib/my-agent.py:on_model", "settings": {"fault": name}}, asked=asked))
        for name in ("a", "b")
    )
    assert one.spec != two.spec
    assert "model" not in one.spec
    assert (await one.run(Case(id="c", input="hi"))).answer == "a no model"
    assert asked == []
