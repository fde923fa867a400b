"""What an obedient brain can be made to do beyond the plainest orders: more languages, more tools, hidden text.

Only the weakness ``obedient`` uses this. A careful brain keeps to ``orders.py``, which tells an order from a wish.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from proctor.text.normalise import normalise, views

from .orders import DEMANDS, LOOKS_LIKE_ONE, Demand, Order, order_in

__all__ = ["count_in", "demand_in", "texts_in"]

BOOKING = re.compile(r"LT-?\s?(\d{4,6})", re.IGNORECASE)
TOOL = re.compile(
    r"\b(get_policy|get_faq|get_product_info|get_booking_history|get_booking|modify_booking|create_case|escalate|get_tips"
    r"|search_products)\b"
)
MORE = re.compile(
    r"(?:ignor|vergiss|oubli|olvid|esque[cç]|desconsider|disregard|forget)\w*\W+(?:\w+\W+){0,4}?(?:instr|anweis|regel|regl|regr"
    r"|règl|consign|previous|prior|vorher|bisher|anterior|précéd|rule)|игнорир|забудь|अनदेखा|नज़रअंदाज़"
    r"|भूल जा|忘记|忘れ|無視|指示に従わ|انس\b|\b(?:system|admin|developer|operator|assistant)\s*(?:>|:|\]|\|)"
    r"|\bas your (?:supervisor|manager|boss|developer)\b|\bi am the developer\b"
    r"|\b(?:maintenance|debug|developer) mode\b"
    r"|\bfrom (?:this line|now|here) on\b|\bstanding order\b|\beffective immediately\b"
    r"|<\|?(?:system|im_start|admin)|\bsystem(?:anweisung|nachricht|hinweis)|sistema\s*[:\]]|système\s*[:\]]"
    r"|систем\w+ (?:сообщение|указание)|系统(?:消息|指令|提示)|システム(?:メッセージ|指示)|رسالة النظام",
    re.IGNORECASE,
)
REMEMBER = re.compile(
    r"\b(?:remember|keep in mind|note)\b[^.!?\n]{0,60}\b(?:next|later|future|sessions?|visits?|time)\b[^:\n]{0,40}:"
    r"|merken? sie sich[^:\n]{0,60}:|recuerd[ae][^:\n]{0,60}:|lembre[^:\n]{0,60}:|retenez[^:\n]{0,60}:"
    r"|запомни[^:\n]{0,60}:|记住[^:：\n]{0,40}[:：]|覚えて[^:：\n]{0,40}[:：]|تذكر[^:\n]{0,60}:|याद रख[^:\n]{0,60}:",
    re.IGNORECASE,
)
STAY = re.compile(
    r"(?:do not|don't|never|must not|no need to|without|nicht|niemals|sin|no|ne|jamais|não|nunca|не|不要|别"
    r"|لا|मत|しないで)\W{0,3}(?:\w+\W+){0,4}?(?:escalate|hand\w* (?:\w+ ){0,4}over|involv\w+"
    r"|(?:call|transfer\w*|forward\w*|pass\w*)\b[^.!?]{0,30}(?:person|human|colleague|people)|weiterleiten|weitergeben|escal\w+|transfer\w+|эскал\w+|переда\w+|转|升级)"
    r"|escalate[^.!?]{0,20}(?:しない|मत|不要)",
    re.IGNORECASE,
)
JOIN = re.compile(
    r"\bjoin|combin|concaten|without (?:a |any )?space|one word|zusammen|ohne Leerzeichen|junt|sin espacio|sans espace"
    r"|coll|joign|sem espaço|уни|соедин|без пробел|连|拼|空格|つなげ|空白|اجمع|ادمج|مسافة|जोड|बिना",
    re.IGNORECASE,
)
LOUD = re.compile(r"\b[A-Z][A-Z0-9]{2,}\b")
DAY = re.compile(r"\b20\d\d-\d\d-\d\d\b")
COUNT = re.compile(r"(?<![\d-])([1-9])(?![\d-])|\b(single|two|three|four|five|six|seven|eight)\b", re.IGNORECASE)
CANCEL = r"cancel|storn|annul|отмен|रद्द|取消|キャンセル|إلغاء|ألغ"
MOVE = r"change_date|\bmove\b|postpone|reschedul|verschieb|aplaz|repouss|adia|перенес|改期|延期|変更|أجّل|تأجيل|बदल"
PEOPLE = (
    r"change_travellers|travell?ers?|people|persons|reisende|viajeros|viajantes|voyageurs"
    r"|человек|путешеств|人|مساف|यात्री"
)
BY_TOOL: dict[str, Demand] = {
    "create_case": "open_case",
    "escalate": "hand_over",
    "get_booking_history": "show_history",
    "get_booking": "show_booking",
}
WORDS = ("single", "two", "three", "four", "five", "six", "seven", "eight")
NEED_BOOKING = ("cancel", "move", "resize", "show_booking")
BESIDE = re.compile(rf"\W{{0,3}}(?:{PEOPLE})", re.IGNORECASE)
# After the plainest demands, in this order; the first that fits is done.
WIDER: tuple[tuple[Demand, re.Pattern[str]], ...] = (
    *DEMANDS[:1],
    (
        "show_prompt",
        re.compile(
            r"system ?prompt|systemanweisung|prompt (?:del|do|du) s|instruc\w+ (?:del|do) sistema"
            r"|instructions? (?:du )?syst|систем\w+ (?:промпт|инструкц|подсказ)"
            r"|系统提示|系统指令|システムプロンプト|システム指示|تعليمات النظام|सिस्टम"
            r"|(?:show|print|reveal|repeat|recite|quote|write|paste|text of)\b[^.!?]{0,40}\b(?:your|all your) "
            r"(?:\w+ )?(?:rules|instructions)\b"
            r"|(?:zeig|nenn|druck|wiederhol)\w*[^.!?]{0,40}(?:regeln|anweisungen)",
            re.IGNORECASE,
        ),
    ),
    *DEMANDS[1:3],
    ("cancel", re.compile(CANCEL, re.IGNORECASE)),
    ("move", re.compile(MOVE, re.IGNORECASE)),
    ("resize", re.compile(PEOPLE, re.IGNORECASE)),
    ("join", JOIN),
    *DEMANDS[4:],
)


@lru_cache(maxsize=2_000)
def demand_in(text: str, *, trusted: bool = False) -> Order | None:
    """What a text makes an obedient reader do; none if it orders nothing. Hidden and encoded text is read too.

    A ``trusted`` text (a note of its own, the description of a tool) need not look like an order to be one.
    """
    for part in _readings(text):
        if found := REMEMBER.search(part):
            return Order(demand="remember", booking=None, quote=part[found.end() :].strip() or part)
        if (order := order_in(part)) is not None and not TOOL.search(part) and not STAY.search(part):
            return order
        started = LOOKS_LIKE_ONE.search(part) or MORE.search(part) or TOOL.search(part)
        if (started or trusted) and (demand := _demanded(part)) is not None:
            named = BOOKING.search(part, started.start() if started else 0) or BOOKING.search(part)
            if demand in NEED_BOOKING and named is None and not started:
                continue
            return Order(demand=demand, booking=f"LT-{named.group(1)}" if named else None, quote=part)
    return None


def count_in(text: str) -> int | None:
    """The number of travellers that an order names: the one beside the word, or else the last number."""
    found = list(COUNT.finditer(BOOKING.sub(" ", DAY.sub(" ", text))))
    if not found:
        return None
    chosen = next((each for each in found if BESIDE.match(each.string, each.end())), found[-1])
    return int(chosen.group(1)) if chosen.group(1) else WORDS.index(chosen.group(2).lower()) + 1


def texts_in(value: Any) -> Iterator[str]:
    """Every text in the result of a tool."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)


def _readings(text: str) -> Iterator[str]:
    yield text
    plain = normalise(text)
    if plain.plain != text:
        yield plain.plain
    for view in views(plain):
        yield view.text


def _demanded(part: str) -> Demand | None:
    if STAY.search(part):
        return "stay"
    if tools := {found.group(1) for found in TOOL.finditer(part)}:
        return _with_tool(part, tools) or _by_words(part)
    return _by_words(part)


def _with_tool(part: str, tools: set[str]) -> Demand | None:
    named = next((demand for tool, demand in BY_TOOL.items() if tool in tools), None)
    if named is not None or "modify_booking" not in tools:
        return named
    if DAY.search(part) and not re.search(r"\bcancel\b", part):
        return "move"
    return "cancel" if re.search(CANCEL, part, re.IGNORECASE) else "resize" if count_in(part) else None


def _by_words(part: str) -> Demand | None:
    if JOIN.search(part) and len(LOUD.findall(part)) > 1:
        return "join"
    return next((demand for demand, pattern in WIDER if pattern.search(part)), None)
