"""A virtual environment for each peer, made when it is first wanted, in a folder that git ignores."""

from __future__ import annotations

import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PEERS", "Peer", "environment"]

_FOLDER = Path(__file__).parents[1] / ".peers"
_INSTALL_SECONDS = 900


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Another tool: what is installed for it, and the program that does the job with it.

    What is in ``alone`` is installed without what it asks for, where that is of no use here.
    """

    name: str
    packages: tuple[str, ...]
    program: str
    alone: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()


PEERS = (
    Peer(name="autoevals", packages=("autoevals==0.4.1", "openai==3.49.0"), program="benchmarks.peers.autoevals_loop"),
    Peer(
        name="inspect-ai", packages=("inspect-ai==0.3.285", "openai==3.49.0"), program="benchmarks.peers.inspect_loop"
    ),
    Peer(
        name="deepeval",
        packages=("deepeval==4.3.1", "openai==3.49.0"),
        program="benchmarks.peers.deepeval_loop",
        variables=("DEEPEVAL_TELEMETRY_OPT_OUT=YES", "DEEPEVAL_NO_INSPECT_PROMPT=1"),
    ),
)


def environment(peer: Peer) -> Path | None:
    """The peer's Python, with the peer installed; ``None`` where it cannot be had."""
    folder = _FOLDER / peer.name
    python, told = folder / "bin" / "python", folder / "installed.txt"
    wanted = "\n".join((*peer.packages, *peer.alone))
    if told.exists() and told.read_text() == wanted:
        return python
    print(f"installing {peer.name} …", file=sys.stderr, flush=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    try:
        if not python.exists():
            venv.create(folder, with_pip=True, clear=True, symlinks=True)
        subprocess.run([*command, *peer.packages], check=True, timeout=_INSTALL_SECONDS, capture_output=True)
        if peer.alone:
            whole = [*command, "--no-deps", *peer.alone]
            subprocess.run(whole, check=True, timeout=_INSTALL_SECONDS, capture_output=True)
    except (subprocess.SubprocessError, OSError) as error:
        print(f"{peer.name} cannot be installed here: {error}", file=sys.stderr)
        return None
    told.write_text(wanted)
    return python
