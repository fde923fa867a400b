"""Locks after a fork: what another thread of the parent held is open in the child."""

from __future__ import annotations

import subprocess
import sys

from tests.tables import table

LOCKS = {
    "bare": "from proctor.core.fork_lock import ForkLock; lock = ForkLock()",
    "views": "from proctor.text.normalise.views import _memory; lock = _memory._lock",
    "needles": "from proctor.text.pattern_prefilter import _adding as lock",
    "network": "from proctor.models.local.network import Network; kept = Network(None, None, ''); lock = kept._lock",
    "batcher": "from proctor.models.local.batcher import Batcher; kept = Batcher(list); lock = kept._lock",
}
FORKED = """
import os, signal, threading
{made}

held, go_on = threading.Event(), threading.Event()

def hold():
    with lock:
        held.set()
        go_on.wait(30)

thread = threading.Thread(target=hold)
thread.start()
held.wait(30)
child = os.fork()
if not child:
    signal.alarm(10)
    with lock:
        os._exit(0)
ended = os.waitpid(child, 0)[1]
go_on.set()
thread.join()
with lock:
    assert ended == 0, ended
"""


@table("made", LOCKS.values(), ids=LOCKS)
def test_a_child_finds_it_open(made: str) -> None:
    program = FORKED.format(made=made)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr
