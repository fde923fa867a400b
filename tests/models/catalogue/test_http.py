from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from proctor.core.errors import MalformedError, ReplyError, UnreachableError
from proctor.core.sockets import Catalogue
from proctor.models.catalogue.http import http

if TYPE_CHECKING:
    from tests.models.conftest import KitOf, Served


async def test_each_question_is_one_request(kit_of: KitOf, served: Served) -> None:
    served.says({"data": {"product": {"id": "HD-1", "price": 770}}})
    settings = {"http": f"{served.url}/p/{{{{ key }}}}?v=1", "item": "data.product", "headers": {"X-Key": "s3cret"}}
    catalogue = http(kit_of(settings))
    assert isinstance(catalogue, Catalogue)
    for _ in range(2):
        assert await catalogue.find("宵闇 / 病棟") == {"id": "HD-1", "price": 770}
    assert len(served.requests) == 2
    sent = served.requests[0]
    assert sent.raw_path == "/p/%E5%AE%B5%E9%97%87%20%2F%20%E7%97%85%E6%A3%9F?v=1"
    assert (sent.method, sent.headers["X-Key"], sent.headers["Cache-Control"]) == ("GET", "s3cret", "no-cache")
    assert "s3cret" not in repr(catalogue)


async def test_a_list_is_searched_for_the_key(kit_of: KitOf, served: Served) -> None:
    served.says([{"id": "HD-1", "title": "Other"}, {"id": "HD-2", "title": "The Dusk Ward"}, 3])
    catalogue = http(kit_of({"http": f"{served.url}/?q={{{{key}}}}"}))
    assert (await catalogue.find("the dusk ward") or {})["id"] == "HD-2"
    assert await catalogue.find("nothing") is None


@pytest.mark.parametrize(("status", "data"), [(404, {"error": "no"}), (200, {}), (200, None), (200, [])])
async def test_no_such_product(kit_of: KitOf, served: Served, status: int, data: Any) -> None:
    served.says(data, status=status)
    assert await http(kit_of({"http": f"{served.url}/{{{{ key }}}}"})).find("x") is None


async def test_what_goes_wrong_is_an_error_and_no_answer(kit_of: KitOf, served: Served) -> None:
    catalogue = http(kit_of({"http": f"{served.url}/{{{{ key }}}}"}))
    served.says({"error": "x"}, status=500)
    with pytest.raises(UnreachableError, match="status 500"):
        await catalogue.find("x")
    served.says("<html>")
    with pytest.raises(ReplyError, match="not JSON"):
        await catalogue.find("x")


@pytest.mark.parametrize(
    "settings", [{"http": "ftp://x/{{ key }}"}, {"http": "https://x/"}, {"http": "https://x/{{ key }}", "timeout": 0}]
)
def test_wrong_settings(kit_of: KitOf, settings: dict[str, Any]) -> None:
    with pytest.raises(MalformedError):
        http(kit_of(settings))
