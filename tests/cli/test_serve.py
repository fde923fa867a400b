"""proctor serve: what it refuses at the start."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.cli.in_process import call
from tests.server.ingest.servers import environment
from tests.tables import table


def _serve(folder: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return call(["serve", "--port", "0", *words], folder=folder, env=environment(**env))


def test_another_address_needs_tokens(tmp_path: Path) -> None:
    done = _serve(tmp_path, "--host", "0.0.0.0")
    assert (done.returncode, "no token is set" in done.stderr) == (2, True)
    assert not (tmp_path / ".proctor").exists()


@table(
    ("settings", "field"),
    [
        ("{setle: 3}", "monitor.ingest.setle"),
        ("{tokens: {desk: 'secret'}}", "monitor.ingest"),
        ("{tokens: {desk: '${NOT_SET}'}}", "monitor.ingest.tokens.desk"),
        ("{tokens: {desk: '${SAME}', shop: '${SAME}'}}", "monitor.ingest"),
        ("{rate: 0}", "monitor.ingest"),
    ],
)
def test_a_wrong_setting_is_named_and_no_token_is_shown(tmp_path: Path, settings: str, field: str) -> None:
    (tmp_path / "proctor.yaml").write_text(f"monitor: {{ingest: {settings}}}\n")
    done = _serve(tmp_path, SAME="the-same-token")
    assert done.returncode == 2
    assert f"proctor.yaml:1: {field}: " in done.stderr
    assert "secret" not in done.stderr
    assert "the-same-token" not in done.stderr
