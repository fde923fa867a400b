"""The verb proxy and the gateway for tools, as a user runs them."""

from __future__ import annotations

import json
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cli.conftest import Project, interrupt
from tests.cli.server import KEY

SETTINGS = """\
guard:
  timeout: 20
  input: [{banned: [casino]}]
  tool_call: [{permissions: {matrix: {faq: [get_faq]}}}]
  tool_result: [{banned: [casino]}]
  output: [{banned: [casino]}]
"""


UNKNOWN = "guard:\n  output: []\n  input:\n    - pii\n    - injektion\n"
WRONG = "proctor.yaml:5: guard.input[1].injektion: "


def _ask(address: str, text: str) -> tuple[str, str]:
    body = json.dumps({"model": "stub", "messages": [{"role": "user", "content": text}]}).encode()
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}/v1/chat/completions", body, headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read())["choices"][0]["message"]["content"], answer.headers["X-Proctor-Verdict"]


def test_a_client_is_guarded_until_the_proxy_is_interrupted(project: Project) -> None:
    project.write("proctor.yaml", SETTINGS)
    process = project.start("proxy", "--upstream", project.server.url, "--port", "0")
    line = process.stderr.readline()
    address = line.split()[-1]
    assert line.startswith("guarding 127.0.0.1:")
    assert _ask(address, "say hello") == ("hello", "allow")
    reply, verdict = _ask(address, "where is the casino")
    assert reply == "I am sorry, I cannot help with that."
    assert verdict.startswith("block; input; banned")
    assert dict(project.server.asked) == {"say hello": 1}
    out, errors = interrupt(process)
    stopping = "stopping; streams have ten seconds; again to break off\n"
    assert (process.returncode, out, errors) == (130, "", stopping)
    kept = b"".join(path.read_bytes() for path in (project.folder / ".proctor").rglob("*") if path.is_file())
    assert b"banned" in kept
    assert KEY.encode() not in kept


def test_the_client_gets_its_own_data_back_and_nobody_keeps_it(project: Project) -> None:
    project.write("proctor.yaml", "guard:\n  timeout: 20\n  input: [{pii: {names: false}}]\n  output: []\n")
    process = project.start("proxy", "--upstream", project.server.url, "--port", "0", "--restore", "answers")
    address = process.stderr.readline().split()[-1]
    assert _ask(address, "say anna@berg-mail.com")[0] == "anna@berg-mail.com"
    assert dict(project.server.asked) == {"say [EMAIL]": 1}
    interrupt(process)
    kept = b"".join(path.read_bytes() for path in (project.folder / ".proctor").rglob("*") if path.is_file())
    assert b"[EMAIL]" in kept
    assert b"anna@" not in kept


@pytest.mark.parametrize(
    ("settings", "words", "told"),
    [
        (SETTINGS, ["proxy"], "no upstream is named"),
        (SETTINGS, ["proxy", "--upstream", "api.openai.com"], "must begin with http"),
        (SETTINGS, ["proxy", "--upstream", "https://"], "names no host"),
        (SETTINGS, ["proxy", "--upstream", "http://x", "--token-env", "NO_SUCH_TOKEN"], "NO_SUCH_TOKEN is not set"),
        (SETTINGS, ["guard", "mcp", "--upstream", "http://x", "--token-env", "NO_TOKEN"], "NO_TOKEN is not set"),
        ("guard: {proxy: {allow: [v1/rerank]}}\n", ["proxy", "--upstream", "http://x"], "allow takes paths"),
        ("guard: {serve: {origins: [desk]}}\n", ["guard", "serve"], "origins takes addresses"),
        ("guard: {proxy: {stream: words}}\n", ["proxy", "--upstream", "http://x"], "guard.proxy.stream"),
        ("guard: {proxy: {hold: 0}}\n", ["proxy", "--upstream", "http://x"], "hold must be at least 1"),
        ("guard: {serve: {token: x}}\n", ["validate"], "token"),
        (UNKNOWN, ["proxy", "--upstream", "http://x"], WRONG),
        (UNKNOWN, ["guard", "serve", "--port", "0"], WRONG),
        (UNKNOWN, ["guard", "mcp", "--", "true"], WRONG),
        (UNKNOWN, ["guard", "mcp", "--upstream", "http://x"], WRONG),
        (UNKNOWN, ["guard", "check", "hello"], WRONG),
        (SETTINGS, ["guard", "mcp"], "give a server's command after --"),
        (SETTINGS, ["guard", "mcp", "--", "no_such_command"], "no_such_command cannot be started"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_started(
    project: Project, settings: str, words: list[str], told: str
) -> None:
    project.write("proctor.yaml", settings)
    done = project.run(*words, code=2)
    assert told in done.stderr + done.stdout
    assert settings is not UNKNOWN or "hint: did you mean" in done.stderr.replace("Did", "did")


@pytest.mark.parametrize("words", [["proxy", "--upstream", "http://u:secret-word@x"], ["guard", "serve"]])
def test_a_door_that_other_machines_reach_without_a_token_is_warned_of(project: Project, words: list[str]) -> None:
    project.write("proctor.yaml", SETTINGS)
    process = project.start(*words, "--host", "0.0.0.0", "--port", "0")
    told = [process.stderr.readline() for _ in range(3)]
    assert told[0].startswith("warning: listening on 0.0.0.0 without a token")
    assert told[1].startswith("hint: name a token with --token-env")
    assert "secret-word" not in "".join(told)
    address = told[2].split()[-1].replace("0.0.0.0", "127.0.0.1")
    path = "/v1/health" if words[0] == "guard" else "/proctor/health"
    with urllib.request.urlopen(address + path, timeout=30) as answer:
        assert "without a token" in json.loads(answer.read())["warning"]
    interrupt(process)
    project.write("proctor.yaml", SETTINGS + "  proxy: {token_env: DOOR_TOKEN}\n  serve: {token_env: DOOR_TOKEN}\n")
    project.write(".env", "DOOR_TOKEN=t0ken\n")
    process = project.start(*words, "--host", "0.0.0.0", "--port", "0")
    assert process.stderr.readline().startswith("guarding")
    interrupt(process)


def test_nothing_that_is_printed_has_the_password_of_the_upstream(project: Project) -> None:
    for upstream in ("ftp://u:secret-word@x/y", "https://u:secret-word@", "http://u:secret-word@x/?k=secret-word"):
        project.write("proctor.yaml", SETTINGS + f"  proxy: {{upstream: '{upstream}'}}\n")
        asked = [["doctor"], ["validate"]]
        if not upstream.startswith("http:"):  # it would start
            asked += [["proxy", "--port", "0"], ["proxy", "--upstream", upstream, "--port", "0"]]
        for words in asked:
            done = project.run(*words, code=2 if words[0] == "proxy" else None)
            assert "secret-word" not in done.stdout + done.stderr, (upstream, words)


def test_settings_that_break_while_it_runs_are_told_once_and_the_old_ones_stay(project: Project) -> None:
    project.write("proctor.yaml", SETTINGS)
    process = project.start("proxy", "--upstream", project.server.url, "--port", "0")
    address = process.stderr.readline().split()[-1]
    project.write("proctor.yaml", SETTINGS + "  outputs: [[\n")
    with ThreadPoolExecutor(1) as reading:
        told = reading.submit(process.stderr.readline)
        while not told.done():
            assert _ask(address, "where is the casino")[1].startswith("block; input; banned")
    _ask(address, "say hello")
    _, rest = interrupt(process)
    assert "the old ones stay" in told.result()
    assert "proctor.yaml:8" in told.result()
    assert rest.splitlines() == ["stopping; streams have ten seconds; again to break off"]


def test_a_server_of_tools_stands_behind_the_gateway(project: Project) -> None:
    project.write("proctor.yaml", SETTINGS)
    server = Path(__file__).parents[1] / "server" / "mcp" / "tool_server.py"
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "drop_all", "arguments": {}}}
    done = project.run(
        "guard", "mcp", "--intent", "faq", "--", sys.executable, str(server), input=json.dumps(call) + "\n", code=0
    )
    told = json.loads(done.stdout)
    assert told["result"]["isError"]
    assert "drop_all" in told["result"]["content"][0]["text"]
