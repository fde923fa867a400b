"""The doors of the dashboard: who gets in, with what, and what keeps others out."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from proctor.core.person import Person
from proctor.server.pages.sign_in import cookie_name, own_address
from proctor.store.people import People
from tests.server.pages.http_client import HttpClient
from tests.server.pages.served import ServedDashboard

PASSWORD = "correct horse"


@pytest.fixture
def door(empty_dashboard: ServedDashboard) -> HttpClient:
    """A browser before the door; ada is on the list."""
    with People(empty_dashboard.store) as people:
        people.add("ada", "admin", PASSWORD, time.time())
    return HttpClient(empty_dashboard.url)


def _link(dashboard: ServedDashboard) -> str:
    with People(dashboard.store) as people:
        return people.make_link(Person(name="root", role="admin"), time.time(), is_guest=True)


def _sign_in(door: HttpClient, **more: str) -> int:
    return door.post("/ui/sign-in", {"name": "ada", "password": PASSWORD, **more}).status


@pytest.mark.parametrize(
    "path", ["/ui/", "/ui/alerts?state=open", "/ui/no-such-page", "/ui/enterprise", "/ui/sign-in/x"]
)
def test_somebody_unknown_is_led_to_the_door_and_back(door: HttpClient, path: str) -> None:
    answer = door.get(path)
    assert (answer.status, answer.to.split("?")[0]) == (303, "/ui/sign-in")
    assert door.get(answer.to).status == 200
    assert door.get("/ui/live?topics=alerts").status == 401
    assert door.get("/ui").to == door.get("/").to == "/ui/"


def test_the_door_names_the_command_for_a_link_to_its_own_address(door: HttpClient) -> None:
    assert f"proctor people link --url {door.url}<" in door.get("/ui/sign-in").text
    forwarded = door.get("/ui/sign-in", **{"X-Forwarded-For": "203.0.113.9"}).text
    assert door.url not in forwarded
    assert "and the address of this page" in forwarded


def test_password_leads_to_where_one_wanted_to_go(door: HttpClient, empty_dashboard: ServedDashboard) -> None:
    answer = door.post("/ui/sign-in", {"name": "ada", "password": PASSWORD, "next": "/ui/?a=1"})
    assert (answer.status, answer.to) == (303, "/ui/?a=1")
    (cookie,) = door.set_cookies
    assert cookie.startswith(cookie_name(empty_dashboard.store))
    for word in ("HttpOnly", "SameSite=Strict", "Path=/ui"):
        assert word in cookie
    assert "Secure" not in cookie  # plain HTTP on this machine
    assert door.get("/ui/").status == 200


def test_behind_a_proxy_with_tls_the_cookie_is_for_tls_only(door: HttpClient) -> None:
    host = door.url.removeprefix("http://")
    answer = door.post("/ui/sign-in", {"name": "ada", "password": PASSWORD}, Origin=f"https://{host}")
    assert answer.status == 303
    assert "Secure" in door.set_cookies[0]


@pytest.mark.parametrize(
    "wanted",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "/ui/\\evil", "/ui/\r\nSet-Cookie: a=b",
     "javascript:1", "/uix", "", "/ui/" + "x" * 5000],
)  # fmt: skip
def test_no_way_out_leads_elsewhere(door: HttpClient, wanted: str) -> None:
    assert own_address(wanted) == "/ui/"
    assert door.post("/ui/sign-in", {"name": "ada", "password": PASSWORD, "next": wanted}).to == "/ui/"


def test_a_link_opens_once_also_for_somebody_who_is_signed_in(
    door: HttpClient, empty_dashboard: ServedDashboard
) -> None:
    key = _link(empty_dashboard)
    assert door.get(f"/ui/enter?key={key}").status == 200  # looking at it uses nothing up
    assert _sign_in(door) == 303
    assert door.post("/ui/enter", {"key": key}).status == 303
    assert "root" in door.get("/ui/").text
    assert HttpClient(door.url).post("/ui/enter", {"key": key}).status == 401


def test_a_session_that_was_planted_is_not_taken_over(door: HttpClient, empty_dashboard: ServedDashboard) -> None:
    name = cookie_name(empty_dashboard.store)
    planted = HttpClient(door.url)
    assert _sign_in(planted) == 303
    door.cookies[name] = planted.cookies[name]
    assert door.post("/ui/enter", {"key": _link(empty_dashboard)}).status == 303
    assert door.cookies[name] != planted.cookies[name]
    assert planted.get("/ui/").status == 303  # the old one has ended


def test_signing_out_ends_the_session_here_and_there(door: HttpClient) -> None:
    assert _sign_in(door) == 303
    same = HttpClient(door.url)
    same.cookies = dict(door.cookies)
    assert door.post("/ui/sign-out", {}).status == 403  # without the token of the form
    token = re.search(r'name="form_token" value="(\w{64})"', door.get("/ui/").text)
    assert token is not None
    assert door.post("/ui/sign-out", {"form_token": token[1]}).status == 303
    assert not door.cookies
    assert same.get("/ui/").status == 303


def test_another_site_and_another_name_of_this_machine_are_refused(door: HttpClient) -> None:
    form = {"name": "ada", "password": PASSWORD}
    assert door.post("/ui/sign-in", form, Origin="https://evil.example").status == 403
    assert door.post("/ui/sign-in", form, Origin="null").status == 403
    assert door.get("/ui/sign-in", Host="evil.example").status == 403
    assert door.get("/ui/sign-in", Host="127.0.0.1:99999").status == 400
    assert door.get("/ui/sign-in", Sec_Fetch_Site="cross-site").status == 403


def test_guessing_ends_after_ten_tries_for_everybody_who_guesses(door: HttpClient) -> None:
    wrong = [door.post("/ui/sign-in", {"name": "ada", "password": f"guess number {n}"}).status for n in range(12)]
    assert wrong == [401] * 10 + [429] * 2
    assert _sign_in(door) == 429
    assert door.post("/ui/sign-in", {"name": "ben", "password": "x"}).status == 429  # the address is the same


def test_too_many_forms_in_a_minute_are_refused(door: HttpClient) -> None:
    codes = {door.post("/ui/enter", {"key": "x"}).status for _ in range(245)}
    assert codes == {401, 429}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"name=%FF%FE&password=x", "application/x-www-form-urlencoded"),
        (b"\xff\xfe", "application/x-www-form-urlencoded"),
        (b"name=a", "application/x-www-form-urlencoded; charset=no-such"),
        (b"&".join(b"a=1" for _ in range(2000)), "application/x-www-form-urlencoded"),
        (b'{"name": "ada"}', "application/json"),
        (b"--x\r\n", "multipart/form-data; boundary=x"),
        (b"", "application/x-www-form-urlencoded"),
    ],
)
def test_a_form_that_is_none_is_no_fault_of_the_server(door: HttpClient, body: bytes, kind: str) -> None:
    for path in ("/ui/sign-in", "/ui/enter", "/ui/sign-out", "/ui/"):
        answer = door.ask("POST", path, body, Content_Type=kind, Origin=door.url)
        assert answer.status in (303, 400, 401)


def test_a_form_that_is_too_large_is_refused(door: HttpClient) -> None:
    answer = door.ask(
        "POST", "/ui/sign-in", b"name=" + b"x" * 1_100_000, Content_Type="application/x-www-form-urlencoded",
        Origin=door.url,
    )  # fmt: skip
    assert answer.status == 413


@pytest.mark.parametrize("cookie", ["\xff\xfe", "x" * 5000, '"', "=;=;", "a" * 43])
def test_a_cookie_that_is_none_lets_nobody_in(door: HttpClient, empty_dashboard: ServedDashboard, cookie: str) -> None:
    assert door.get("/ui/", Cookie=f"{cookie_name(empty_dashboard.store)}={cookie}").status == 303


def test_every_answer_keeps_to_itself(door: HttpClient) -> None:
    _sign_in(door)
    for path in ("/ui/", "/ui/sign-in", "/ui/no-such-page", "/ui/static/ui.js", "/ui/?csv=nothing", "/ui/?page=x"):
        headers = door.get(path).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert (headers["X-Content-Type-Options"], headers["X-Frame-Options"]) == ("nosniff", "DENY")
        assert path.startswith("/ui/static/") or headers["Cache-Control"] == "no-store"


def test_a_senders_token_opens_no_page_and_a_session_reads_no_api(tmp_path: Path) -> None:
    from tests.server.pages.served import served

    (tmp_path / "proctor.yaml").write_text("monitor: {ingest: {tokens: {desk: '${DESK}'}, read_token: '${READ}'}}\n")
    (tmp_path / ".env").write_text("DESK=token-of-a-sender\nREAD=token-of-a-reader\n")
    with served(tmp_path) as running:
        key = running.session()
        client = HttpClient(running.url)
        for token in ("token-of-a-sender", "token-of-a-reader"):
            assert client.get("/ui/", Authorization=f"Bearer {token}").status == 303
        client.cookies[cookie_name(running.store)] = key
        assert client.get("/ui/").status == 200
        assert client.get("/api/alerts").status == 401
        assert client.get("/api/alerts", Authorization="Bearer token-of-a-reader").status == 200
