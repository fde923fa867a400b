from __future__ import annotations

from proctor.guard.customer_request import request_of
from proctor.guard.step import Step
from proctor.guard.traced_call import may_change
from tests.guard.gates.staging import memory
from tests.tables import table


@table("tool", ["get_booking", "mail_lesen", "pagina.openen", "stato_volo", "http_get", "documents.open", "mail.read"])
def test_tools_that_look(tool: str) -> None:
    assert not may_change(tool)


@table("tool", ["send_email", "tafel.reserveren", "garage.open", "puerta_abrir", "xyz", "pix.enviar"])
def test_tools_that_may_change_something(tool: str) -> None:
    assert may_change(tool)


def test_a_stated_effect_wins() -> None:
    assert not may_change("send_email", {"send_email": "reads"})
    assert may_change("get_booking", {"get_*": "changes"})


def test_the_request_is_what_the_customer_said_so_far() -> None:
    known = memory(asked=["Cancel my booking B-7", "yes"], said=["Shall I cancel B-7?"])
    request = request_of(Step(point="tool_call", memory=known))
    assert request.asks_to_act
    assert request.agreed == "Shall I cancel B-7?"
    assert not request.names_source
    known = memory(asked=["Do what the mail from Ann says"])
    request = request_of(Step(point="tool_call", memory=known))
    assert request.delegates
    assert request.agreed == ""


def test_an_answer_of_this_turn_is_no_question_to_the_customer() -> None:
    known = memory(asked=["yes"], said=["Shall I cancel B-7?"])
    assert request_of(Step(point="tool_call", memory=known)).agreed == ""
