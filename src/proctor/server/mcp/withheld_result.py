"""What an agent reads in place of a result that was withheld."""

from __future__ import annotations

from typing import Any

from proctor.server.mcp.messages import REFUSED, error

__all__ = ["told", "withheld"]


def withheld(id: Any, method: str, result: Any, text: str) -> dict[str, Any]:
    """The answer to a request, with a text in place of its result; an error where no result holds a text.

    ``method`` may be empty: then the shape of the result says what was asked for.
    """
    shape = result if isinstance(result, dict) else {}
    made: dict[str, Any]
    if method == "resources/read" or (not method and "contents" in shape):
        made = {"contents": [{"uri": "proctor:withheld", "mimeType": "text/plain", "text": text}]}
        made |= {"resultType": "complete"} if "resultType" in shape else {}
        made |= {"ttlMs": 0} if "ttlMs" in shape else {}
        made |= {"cacheScope": "private"} if "cacheScope" in shape else {}
    elif method == "prompts/get" or (not method and "messages" in shape):
        made = {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}
        made |= {"resultType": "complete"} if "resultType" in shape else {}
    elif method in ("tools/call", "tasks/result") or (not method and "content" in shape):
        made = told(text)
    else:
        return error(id, REFUSED, text)
    return {"jsonrpc": "2.0", "id": id, "result": made}


def told(text: str) -> dict[str, Any]:
    """A failure as the result of a call; older protocols do not know ``resultType``, newer ones need it."""
    return {"content": [{"type": "text", "text": text}], "isError": True, "resultType": "complete"}
