from __future__ import annotations

import pytest

from proctor.lexicon.requested_acts import verb_of_tool
from proctor.lexicon.tool_verbs import asks_by_name, denies_by_name


@pytest.mark.parametrize(
    ("tool", "verb"),
    [
        ("pr.merge", "merge"),
        ("git_clone", "clone"),
        ("download_file_through_url", "download"),
        ("mail.send", "send"),
        ("cart_add_product", ""),  # a cart is a thing
        ("file_tool", ""),
        ("", ""),
    ],
)
def test_the_verb_of_a_tool(tool: str, verb: str) -> None:
    assert verb_of_tool(tool) == verb


def test_a_message_with_the_verb() -> None:
    assert asks_by_name("pr.merge", "Merge it, please")
    assert not asks_by_name("pr.merge", "Who can merge it?")
    assert not asks_by_name("pr.merge", "Do not merge it")
    assert not asks_by_name("pr.merge", "The merger is done")


def test_a_message_that_denies_the_verb() -> None:
    assert denies_by_name("gate.unlock", "Don't unlock the side gate. Is he close?")
    assert not denies_by_name("gate.unlock", "Unlock the gate, but don't unlock the door")
    assert not denies_by_name("gate.unlock", "Is he close?")
