"""What the name of a tool tells: whether it can only look, or may change something."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = ["only_reads"]

_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_READS: Final = re.compile(
    r"get|list|search|find|lookup|look|read|fetch|check|view|show|describe|count|retrieve|verify|browse|compare|estimate"
    r"|inspect|summari[sz]e|explain|calculate|compute|consultar|buscar|obtener|listar|ver|leer|mostrar"
)
# Any of these in a name says that something may be changed, whatever the first word is: get_or_create, check_out. Words
# that are names of things as well (order, message, refund) are not among them: get_order only looks.
_CHANGES: Final = re.compile(
    r"create|add|make|insert|update|upsert|set|put|patch|write|edit|modify|alter|replace|rename|move|delete|remove|drop"
    r"|clear|reset|purge|cancel|close|reopen|approve|reject|grant|revoke|pay|capture|send|notify|buy|purchase|reserve"
    r"|submit|save|upload|import|apply|execute|exec|run|start|stop|restart|enable|disable|assign|unassign|merge|sync"
    r"|redeem|ship|out|pop|push|publish|subscribe|unsubscribe|register|enroll|escalate|trigger|reschedule|confirm|mark"
    r"|extend|renew|swap|unlock|ban|book|change"
)


@lru_cache(maxsize=4096)
def only_reads(name: str) -> bool:
    """Whether a tool of this name only looks. Where the name does not tell, it does not only look."""
    if len(name) > 200 or not name.isascii():
        return False
    words = [word.lower() for word in _WORDS.findall(name)]
    return bool(words) and _READS.fullmatch(words[0]) is not None and not any(map(_CHANGES.fullmatch, words))
