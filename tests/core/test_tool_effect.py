from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.text.tool_names import only_reads


@pytest.mark.parametrize(
    "name", ["get_booking", "getOrderStatus", "list-orders", "search_products", "check_refund", "ViewCart", "lookup"]
)
def test_names_that_only_look(name: str) -> None:
    assert only_reads(name)


@pytest.mark.parametrize(
    "name",
    [
        *("modify_booking", "get_or_create", "check_out", "checkout", "find_and_delete", "run_query", "refund", ""),
        *("getter", "取得する", "fetch" * 50, "readThenUpdate", "123", "__"),
    ],
)
def test_where_the_name_does_not_tell_it_may_change_something(name: str) -> None:
    assert not only_reads(name)


@given(st.text(max_size=50))
def test_any_name_is_told(name: str) -> None:
    assert only_reads(name) in (True, False)
