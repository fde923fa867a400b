# ruff: noqa: E501 - words in many languages
"""Tell the calls that did something from those that only looked something up, in whatever language a tool is named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from proctor.core.chat import ToolCall
from proctor.core.tool_effect import StatedEffect, tool_effect
from proctor.core.transcript import failed, parse_loosely
from proctor.lexicon.requested_acts import acts_of_tool, looks_only

__all__ = ["did_act", "is_act", "is_waiting", "may_have_acted", "was_refused"]

_REFUSED: Final = re.compile(
    r"^(?:reject|declin|den(?:y|ied)|refus|fail|error|invalid|not[ _]|unavail|timeout|timed[ _-]?out|abgelehnt|fehl|refusé|fout|"
    r"geweigerd|"
    r"échec|rechaz"
    r"|error|rifiut|fallit|recus|falh|odrzuc|błąd|отказ|ошибк|reddedil|avvisad|afgewezen|mislukt|拒|失败|不可|不能|無効|满|"
    r"満|불가|エラー|却下|거절|실패|مرفوض|فشل)",
    re.IGNORECASE,
)
_WAITING: Final = re.compile(
    r"^(?:pending|await|waiting|open|received|assigned|submitted|queued|requested|in[ _]review|needs[ _]|offen|wartet|"
    r"eingereicht|en[ _]attente|pendiente|pendente|in[ _]attesa|oczek|ожида|bekl|in[ _]behandeling|提交|已提交|待|受付|審査中|"
    r"대기|접수|قيد)",
    re.IGNORECASE,
)
_STATES: Final = (
    "status", "state", "result", "outcome", "estado", "statut", "stato", "statut_demande", "ergebnis", "résultat", "resultat", "resultado",
    "risultato", "resultaat", "wynik", "результат", "статус", "sonuç", "durum", "結果", "状態", "结果", "状态", "결과", "상태", "نتيجة", "حالة",
)  # fmt: skip
_DONE: Final = frozenset({"ok", "success", "done", "created", "confirmed", "saved"})
_FEW_FIELDS: Final = 6


def is_act(call: ToolCall, stated: Mapping[str, StatedEffect] | None = None) -> bool:
    """Whether a call changes something or hands over: by its name, or by a result that only reports an act."""
    effect = tool_effect(call.name, stated)
    if effect != "unknown":
        return effect != "reads"
    if looks_only(call.name) or _lists_only(call):
        return False
    return bool(acts_of_tool(call.name)) or _reports_act(call)


def did_act(call: ToolCall, stated: Mapping[str, StatedEffect] | None = None) -> bool:
    """Whether a call changed something, and its tool does not say that it was refused."""
    return is_act(call, stated) and not was_refused(call)


def may_have_acted(call: ToolCall, stated: Mapping[str, StatedEffect] | None = None) -> bool:
    """Whether a call changed something, or may have: its name says nothing, and it was given more than an id."""
    if did_act(call, stated):
        return True
    unknown = tool_effect(call.name, stated) == "unknown" and not looks_only(call.name) and not _lists_only(call)
    return unknown and len(call.arguments) > 1 and not was_refused(call)


def was_refused(call: ToolCall) -> bool:
    """Whether a call failed, or its result says that nothing was done."""
    if failed(call):
        return True
    data = parse_loosely(call.result) if isinstance(call.result, str) else call.result
    if isinstance(data, str):
        return _REFUSED.match(data.strip()) is not None
    if not isinstance(data, Mapping):
        return False
    if any(data.get(key) is False for key in ("ok", "success", "accepted", "created", "saved", "done")):
        return True
    return _has_state(data, _REFUSED)


def is_waiting(call: ToolCall) -> bool:
    """Whether a result says that the matter still waits for somebody: a ticket is open, a refund is in review."""
    data = parse_loosely(call.result) if isinstance(call.result, str) else call.result
    return isinstance(data, Mapping) and _has_state(data, _WAITING)


def _has_state(data: Mapping[str, object], states: re.Pattern[str]) -> bool:
    return any(states.match(value.strip()) for key in _STATES if isinstance(value := data.get(key), str))


def _lists_only(call: ToolCall) -> bool:
    """Whether a result has only lists beside what was asked: free times, rooms, offers. An act reports an outcome."""
    data = parse_loosely(call.result) if isinstance(call.result, str) else call.result
    if isinstance(data, (list, tuple)):
        return True
    if not isinstance(data, Mapping) or not data:
        return False
    given = {str(each).casefold() for each in call.arguments.values()}
    new = [each for each in data.values() if isinstance(each, Mapping) or str(each).casefold() not in given]
    return bool(new) and all(isinstance(each, (list, tuple)) for each in new)


def _reports_act(call: ToolCall) -> bool:
    """Whether a small result says only that something was done: {"ok": true}, {"status": "created", "id": …}."""
    data = parse_loosely(call.result) if isinstance(call.result, str) else call.result
    if not isinstance(data, Mapping) or len(data) > _FEW_FIELDS:
        return False
    return any(data.get(key) is True for key in ("ok", "success", "created", "saved", "done")) or any(
        str(data.get(key, "")).casefold() in _DONE for key in _STATES
    )
