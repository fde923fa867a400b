"""Detect whether a question is about a tool's action, by the words of its name, in English and Japanese."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from proctor.text.script_ranges import KANA

__all__ = ["about_action", "action_words", "says_verb"]

_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_A-Za-z]+")
# Words of tool names that do not describe an action.
_EMPTY: Final = re.compile(
    r"an?|and|api|action|agent|by|call|customers?|do|execute|for|from|handle|in|invoke|make|new|of|on|or|perform|"
    r"process"
    r"|request|run|submit|the|to|tool|users?|with"
)
# Actions with several names: words in tool names and English | Japanese.
_DEEDS: Final = (
    ("cancel void terminate revoke", "キャンセル|取り?消|解約"),
    ("refund reimburse repay", "返金|払い?戻|返還"),
    ("book booking reserve reservation", "予約"),
    (
        "change modify update edit alter reschedule move amend adjust switch set",
        "変更|修正|更新|訂正|移動|切り替え|設定",
    ),
    ("delete remove erase drop", "削除|消去"),
    ("send email mail notify message", "送信|送り|お送り|メール|通知|連絡"),
    ("pay payment charge bill", "支払|決済|請求|課金"),
    ("transfer wire send", "振込|振り込|送金|転送"),
    ("return", "返品|返却"),
    ("exchange swap replace", "交換"),
    ("order buy purchase", "注文|購入|発注"),
    ("ship deliver dispatch", "発送|配送|出荷|お届け"),
    ("create open add register enroll file", "作成|登録|追加|開設|起票"),
    ("close deactivate disable suspend", "閉鎖|停止|終了|無効|退会"),
    ("upgrade", "アップグレード"),
    ("downgrade", "ダウングレード"),
    ("subscribe subscription", "購読|契約|定期"),
    ("renew extend extension", "更新|延長"),
    ("reset", "リセット|再設定"),
    ("apply redeem", "適用|利用"),
    ("issue grant give", "発行|付与"),
    ("compensate compensation credit voucher", "補償|クレジット|クーポン|バウチャー"),
    ("escalate handoff", "引き継|エスカレ"),
    ("approve confirm", "承認|確定"),
    ("address", "住所"),
    ("account", "アカウント|口座"),
    ("case ticket complaint", "ケース|チケット|案件|苦情"),
    ("reservation room", "部屋|客室"),
    ("flight", "便|フライト|航空"),
    ("seat", "座席|席"),
)
_READING: Final = re.compile(
    r"\b(?:look(?:ing)? (?:at|up|into|for)|check(?:ing)?(?! ?(?:out|in)\b)|view|search|find|explain|show|review|see"
    r"|read|tell)\b"
    r"|調べ|検索|お?見せ|見て|説明|確認(?:いた)?しましょうか|確認してみ|お伝えし",
    re.IGNORECASE,
)
_JAPANESE: Final = re.compile(f"[{KANA}]")
_ENGLISH: Final = re.compile(r"\b(?:the|you|your|shall|should|would|i can|i will|i['’](?:ll|d))\b", re.IGNORECASE)


def about_action(question: str, tool: str) -> bool:
    """Whether the question mentions the tool's action: by its verb, or by its noun unless it is only about reading.

    Also true if this is unknown: the name has no usable words, or the language is not supported.
    """
    words = action_words(tool)
    if not words:
        return True
    verb, nouns = _pattern(words[:1]), _pattern(words[1:])
    if verb.search(question) or (nouns.search(question) and not _READING.search(question)):
        return True
    if _JAPANESE.search(question):
        return not any(_group(word) or not word.isascii() for word in words)
    return _ENGLISH.search(question) is None


def says_verb(question: str, tool: str) -> bool:
    """Whether the question has the first word of the tool's action, or a synonym of it."""
    return _pattern(action_words(tool)[:1]).search(question) is not None


@lru_cache(maxsize=1024)
def action_words(tool: str) -> tuple[str, ...]:
    """Return the words of a tool's name that describe its action, the verb first if there is one."""
    return tuple(
        word for word in map(str.lower, _WORDS.findall(tool[:200])) if len(word) > 1 and not _EMPTY.fullmatch(word)
    )


def _group(word: str) -> tuple[str, str] | None:
    return next((group for group in _DEEDS if word in group[0].split()), None)


@lru_cache(maxsize=4096)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    parts: list[str] = []
    for word in words:
        same, japanese = _group(word) or (word, "")
        parts += [_forms(each) for each in same.split()]
        parts += [japanese] if japanese else []
    return re.compile("|".join(parts) or "(?!)", re.IGNORECASE)


def _forms(word: str) -> str:
    """Return a regex of a word with its endings: cancel, cancelled, cancellation; modify, modified."""
    if not word.isascii():
        return re.escape(word)
    if len(word) < 4:
        return rf"(?<![a-z]){word}(?:s|ed|ing|ting)?(?![a-z])"
    return rf"(?<![a-z]){word[:-1] if word[-1] in 'ey' else word}[a-z]{{0,6}}(?![a-z])"
