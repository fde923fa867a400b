"""Secrets that a refused call was given never reach the guard's log, whoever quotes them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from proctor.core.step import Point
from proctor.core.verdict import Finding, Verdict
from proctor.guard.chain import Chain, Post
from proctor.guard.engine import Plan
from proctor.guard.gates.permissions import PermissionsGate
from proctor.guard.step import Step
from proctor.store.guard_log import GuardLog
from proctor.store.guard_secrets import mask_named
from proctor.text.secret_names import is_secret_name
from proctor.wiring.guard import Guard
from tests.guard.gates.staging import gate

SECRETS = {
    "api_key": "live4242abcdefzz",
    "password": "correct horse battery",
    "clientSecret": "Zq9!unusual",
    "X-Auth-Token": "tok_" + "q8w7e6r5" * 20,
    "pin": 90817263,
    "otp": "71",
    "private_key": "-----BEGIN\nMIIEvQIBADANBgkqh\n-----END",
    "credentials": {"user": "ada.l", "phrase": ["swordfish-eel"]},
}
ARGUMENTS = {
    "booking": "LT-1",
    **SECRETS,
    "headers": {"Authorization": "Token zxcvbnm98765", "Cookie": "sid=deadbeefcafe"},
    "body": '{"refresh_token": "ref-1234-abcd", "note": "keep me"}',
    "curl": "curl -H 'X-Api-Key: kkkk9999llll' -d 'password=open-sesame-11'",
}
LEAKED = (
    "live4242",
    "correct horse",
    "Zq9!unusual",
    "q8w7e6r5",
    "90817263",
    "MIIEvQIB",
    "ada.l",
    "swordfish",
    "zxcvbnm9",
    "deadbeef",
    "ref-1234",
    "kkkk9999",
    "open-sesame",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Talkative:
    """A gate of somebody else that quotes all it sees."""

    name: ClassVar[str] = "talkative"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("tool_call", "tool_result")

    raises: bool = False

    async def check(self, step: Step) -> Verdict:
        """Refuse, and quote the arguments in every field there is."""
        assert step.call is not None
        given = dict(step.call.arguments)
        if self.raises:
            raise ValueError(f"cannot read {given!r}"[:300])
        finding = Finding(
            kind="odd",
            detector=self.name,
            text=f"called with {given!r}"[:400],
            reason=f"token starts with {given['X-Auth-Token'][:30]}… and pin is {given['pin']}",
            extra={"given": given, "cut": str(given["password"])[:14]},
        )
        return Verdict(
            action="block",
            gate=self.name,
            version=self.version,
            reason=f"key {given['api_key'][:12]} and {given['private_key']!r}",
            findings=(finding,),
            extra={"arguments": given, "list": [given["clientSecret"], given["pin"]]},
        )


def _written(folder: Path) -> str:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file()).decode("utf-8", "replace")


async def test_no_secret_of_a_refused_call_is_in_the_log_folder(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {name: {"type": "boolean"} for name in ARGUMENTS}}
    limits: dict[str, Any] = {"schema": schema, "own": ["api_key", "credentials.user"], "limits": {"pin": 5}}
    limits |= {"allowed": {"password": ["a"], "clientSecret": ["b"]}, "confirm": "named", "sums": {"otp": 5}}
    gates = (
        PermissionsGate(matrix={"a": ("get_policy",)}),
        gate("arguments", tools={"*": limits}),
        Talkative(),
        Talkative(raises=True),
    )
    posts = tuple(Post(gate=each, name=f"gate_{place}") for place, each in enumerate(gates))
    chains = {point: Chain(point=point, posts=posts) for point in ("tool_call",)}
    chains["tool_result"] = Chain(point="tool_result", posts=posts[2:])
    guard = Guard(Plan(chains=chains, sample=1.0), recorder=GuardLog(tmp_path))  # type: ignore[arg-type]
    session = guard.session(customer="c-1")
    assert (await session.tool_call("refund", ARGUMENTS)).action == "block"
    assert (await session.tool_result("refund", "done", ARGUMENTS)).action == "block"
    guard.close()
    written = _written(tmp_path)
    assert "LT-1" in written
    assert "keep me" in written
    assert written.count("gate_1") >= 1
    assert [each for each in LEAKED if each in written] == []


def test_names_of_secrets() -> None:
    for name in ("api_key", "apiKey", "API-KEY", "x-api-key", "key", "clientSecret", "password_hash", "cvv", "PIN"):
        assert is_secret_name(name), name
    for name in ("keyboard", "monkey", "max_tokens", "author", "booking_key_count", "shipping", "tokens", "id", ""):
        assert not is_secret_name(name), name


def test_what_is_written_behind_the_name_of_a_secret_is_masked() -> None:
    assert mask_named("refund(api_key='abc', id='LT-1')") == "refund(api_key=***, id='LT-1')"
    assert mask_named('{"Password": "a b", "n": 1}') == '{"Password": ***, "n": 1}'
    assert mask_named("https://x.test/?access_token=abc&q=1") == "https://x.test/?access_token=***&q=1"
    assert (
        mask_named("I forgot my password, and the shipping: 3 days") == "I forgot my password, and the shipping: 3 days"
    )
