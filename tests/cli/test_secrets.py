"""No secret of a project is in anything it writes, whatever its targets and models repeat."""

from __future__ import annotations

import base64
import os
import stat
from pathlib import Path
from urllib.parse import quote

import pytest
from aiohttp import web

from tests.cli.conftest import Project
from tests.cli.server import KEY

TOKEN = "tok/7f3a 9c+21d8&e4"  # changes when it is URL-encoded
PATH_PART = "hook9f8e7d6c5b4a3f2e1d0c"
FROM_FILE = "fromdotenv-5521-cc"
COMMAND_KEY = 'cmd"quoted"-998877'  # changes when it is JSON-escaped
LITERAL = "written-in-yaml-4711"
ALL = (TOKEN, PATH_PART, FROM_FILE, COMMAND_KEY, LITERAL, KEY)

_SUITE = """\
cases:
- {id: plain, input: hello, checks: [{contains: nothing like it}]}
- {id: fails, input: fail please, checks: [{contains: nothing like it}]}
"""
_AGENT = """\
import os
def answer(text):
    seen = " ".join((os.environ["FROM_FILE"], os.environ["COMMAND_KEY"], os.environ["STUB_KEY"]))
    if "fail" in text:
        raise RuntimeError("x" * 1970 + " cannot log in with " + seen)
    return {"answer": seen, "tool_calls": [{"name": "login", "arguments": {seen: [seen]}}]}
"""
_COMMAND = """\
import json, os, sys
asked = json.load(sys.stdin)
if "fail" in asked["text"]:
    sys.stderr.write("a" * 1900 + os.environ["COMMAND_KEY"] + "b" * 1990 + os.environ["FROM_FILE"])
    sys.exit(3)
print(json.dumps({"answer": json.dumps({"key": os.environ["COMMAND_KEY"]}) + os.environ["FROM_FILE"]}))
"""


class _Echo:
    """An HTTP agent that repeats all it was sent, encoded in several ways."""

    def __call__(self, question: str, times: int) -> web.StreamResponse | None:
        if "fail" in question:
            said = f"bad {KEY} {TOKEN} {base64.b64encode(f'Bearer {KEY}'.encode()).decode()}"
            return web.json_response({"error": {"message": said}}, status=400)
        told = f"{KEY} {TOKEN} {quote(TOKEN)} {base64.b64encode(TOKEN.encode()).decode()} {COMMAND_KEY}"
        return web.json_response({"choices": [{"message": {"content": told}}], "usage": {}})


@pytest.fixture
def leaking(project: Project, http_echo: str) -> Project:
    project.environment.update(AGENT_VALUE=TOKEN, HOOK=PATH_PART, COMMAND_KEY=COMMAND_KEY)
    project.write(".env", f"FROM_FILE={FROM_FILE}\n")
    project.write("agent.py", _AGENT)
    project.write("agent_command.py", _COMMAND)
    project.write("suite.yaml", _SUITE)
    project.write(
        "proctor.yaml",
        f"""\
model: stub
models:
  stub: {{provider: compatible, base_url: "{project.server.url}", model: stub, api_key_env: STUB_KEY, attempts: 1}}
targets:
  web:
    http: "{http_echo}/${{HOOK}}/chat"
    headers: {{Authorization: "Bearer {LITERAL}", X-Agent: "v-${{AGENT_VALUE}}"}}
    request: {{question: "{{{{ text }}}}", key: "${{AGENT_VALUE}}"}}
    reply: answer
  py: {{python: "agent.py:answer"}}
  cmd: {{command: "python3 agent_command.py"}}
  bare: {{prompt: "", model: stub}}
""",
    )
    project.server.misbehave = _Echo()
    return project


def _hits(text: bytes) -> list[str]:
    forms = {
        form: secret
        for secret in ALL
        for form in (
            secret,
            quote(secret, safe=""),
            secret.replace('"', '\\"'),
            secret.replace('"', '\\\\\\"'),
            secret.replace('"', "&quot;").replace("&e4", "&amp;e4"),
            base64.b64encode(secret.encode()).decode(),
            secret[: len(secret) - 3],  # half a secret at a cut
        )
    }
    return sorted({f"{secret} as {form}" for form, secret in forms.items() if form.encode() in text})


def test_no_secret_is_in_any_file_or_output(leaking: Project) -> None:
    reports = [f"out/report.{ending}" for ending in ("html", "json", "csv", "md", "junit.xml", "jsonl")]
    outputs = [word for each in reports for word in ("-o", each)]
    targets = [word for name in ("web", "py", "cmd", "bare") for word in ("-t", name)]
    done = leaking.run("run", "suite.yaml", *targets, *outputs, "--cache", "on", "--record", "out/calls.ndjson")
    assert done.returncode in (1, 3), done.stdout + done.stderr
    printed = [done]
    for case in ("plain", "fails"):
        printed.append(leaking.run("show", "last", case))
    printed.append(leaking.run("show", "last", "--page", "1"))
    printed.append(leaking.run("doctor"))
    found = {"printed": _hits("".join(each.stdout + each.stderr for each in printed).encode())}
    files = [*(leaking.folder / ".proctor").rglob("*"), *(leaking.folder / "out").rglob("*")]
    kept = [path for path in files if path.is_file()]
    assert len(kept) > 8
    found |= {str(path.relative_to(leaking.folder)): _hits(path.read_bytes()) for path in kept}
    assert {name: hits for name, hits in found.items() if hits} == {}
    assert "***" in (leaking.folder / "out/report.json").read_text()


def test_what_is_not_a_secret_stays_readable(leaking: Project) -> None:
    leaking.environment.update(STAGE="production", SHOP_MODEL="gpt-5-mini", SHORT_KEY="abc")
    leaking.write(
        "agent.py", "import os\ndef answer(text):\n    return 'production gpt-5-mini abc ' + os.environ['STAGE']\n"
    )
    config = leaking.folder / "proctor.yaml"
    config.write_text(
        config.read_text() + '  env: {python: "agent.py:answer", settings: {a: "${STAGE} ${SHOP_MODEL}"}}\n'
    )
    leaking.run("run", "suite.yaml", "-t", "env", code=1)
    assert "production gpt-5-mini abc production" in leaking.run("show", "last", "plain").stdout


def test_the_store_is_private(leaking: Project) -> None:
    leaking.run("run", "suite.yaml", "-t", "py", "--cache", "on", "-o", "out/report.json")
    store = leaking.folder / ".proctor"
    for path in (store, *store.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)  # as an older version left it
    before = set((store / "runs").iterdir())
    leaking.run_process("run", "suite.yaml", "-t", "py", "--cache", "on", preexec_fn=lambda: os.umask(0))
    (newest,) = set((store / "runs").iterdir()) - before
    private = [store, store / "runs", newest, *newest.rglob("*"), *store.glob("*.db*")]
    assert {str(path): oct(_mode(path)) for path in private if _mode(path) & 0o077} == {}
    assert _mode(leaking.folder / "out" / "report.json") & 0o044  # what the user asked for follows the umask


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_working_folder_of_the_shell_is_no_password(project: Project) -> None:
    project.environment["PWD"] = str(project.folder)
    project.write("agent.py", "def answer(question):\n    return 'yes'\n")
    project.write("proctor.yaml", "targets: {agent: {python: 'agent:answer'}}\ntarget: agent\n")
    project.write("s.yaml", "cases:\n  - {id: a, input: hi, checks: [contains: 'yes']}\n")
    done = project.run("run", "s.yaml", "-o", str(project.folder / "r.html"), code=0)
    assert "***" not in done.stdout + done.stderr
    assert str(project.folder) in done.stdout + done.stderr
