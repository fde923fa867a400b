"""A browser without a screen: requests with cookies, redirects shown and not followed."""

from __future__ import annotations

import http.client
from dataclasses import dataclass
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urlsplit

__all__ = ["HttpAnswer", "HttpClient"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def to(self) -> str:
        return self.headers["Location"] or ""


class HttpClient:
    """Sends requests to one server and keeps its cookies."""

    def __init__(self, url: str) -> None:
        self.place = urlsplit(url)
        self.url = url
        self.cookies: dict[str, str] = {}
        self.set_cookies: list[str] = []

    def ask(self, method: str, path: str, body: bytes | None = None, /, **headers: str) -> HttpAnswer:
        connection = http.client.HTTPConnection(self.place.hostname or "", self.place.port, timeout=30)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookies:
            sent.setdefault("Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            made = HttpAnswer(status=answer.status, headers=answer.headers, body=answer.read())
        finally:
            connection.close()
        self.set_cookies = made.headers.get_all("Set-Cookie") or []
        for line in self.set_cookies:
            for name, morsel in SimpleCookie(line).items():
                if morsel.value:
                    self.cookies[name] = morsel.value
                else:
                    self.cookies.pop(name, None)
        return made

    def get(self, path: str, **headers: str) -> HttpAnswer:
        return self.ask("GET", path, **headers)

    def post(self, path: str, form: dict[str, str], **headers: str) -> HttpAnswer:
        headers.setdefault("Content_Type", "application/x-www-form-urlencoded")
        headers.setdefault("Origin", self.url)
        return self.ask("POST", path, urlencode(form).encode(), **headers)
