"""Extract rules of Japanese prompts: requests with ください, limits in 文字, languages, labels, conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.generate.extract.aspects import Aspect, Kind, checkable, quoted
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.kinds import kind_of, priority_of
from proctor.generate.extract.statements import Statement
from proctor.text.lazy_pattern import Lazy

__all__ = ["is_japanese", "japanese_drafts", "japanese_labels", "japanese_special"]

_KANA: Final = Lazy(r"[\u3041-\u3096\u30a1-\u30fa]")
_ASKED: Final = Lazy(
    r"ください|下さい|こと[。．]?$|べき|必ず|禁止|してはいけ|してはなり|てはならな|しないで|なさい|せよ|しろ[。]?$|と書く[。]?$|のみ|だけ(?:を|で)|以内|以下|以上|ましょう|"
    r"(?:出力|回答|返答|返信|応答|要約|文章|答え)は|(?:出力|回答|返答|翻訳|要約|分類|抽出|生成|作成|説明)(?:する|します|せよ|しなさい)[。]?$"
)
_ROLE: Final = Lazy(r"^(?:あなた|君|きみ|当社|私たち|弊社)は.{0,60}(?:です|である|として)")
_INPUT: Final = Lazy(r"^(?:入力|ユーザー|以下は|次は|これは|与えられ).{0,60}(?:です|ます|されます|与えられます)[。]?$")
_SPECIAL: Final = Lazy(
    r"[「『\"](?P<words>[^」』\"\n]{1,100})[」』\"]\s*(?:と|を|とだけ|のみを?)\s*(?:だけ)?(?:答え|出力|返|回答|記載|書|表示|入力)"
)
_CONDITION: Final = Lazy(r"^(?P<condition>.{1,80}?(?:場合|とき|時|なら|れば|たら))(?:は|には|に)?、?")
_DIGITS: Final = str.maketrans("０１２３４５６７８９", "0123456789")
_LIMIT: Final = Lazy(
    r"(?P<n>\d{1,6})\s*(?P<unit>文字|字|文|行|段落|個|項目|語|単語)(?:の[^、。]{0,8})?(?P<form>以内|以下|まで|未満|以上|ちょうど|で|に)"
)
_UNITS: Final = {
    "文字": "characters",
    "字": "characters",
    "文": "sentences",
    "行": "lines",
    "段落": "paragraphs",
    "語": "words",
    "単語": "words",
}
_FORMS: Final = {
    "以内": "<=",
    "以下": "<=",
    "まで": "<=",
    "未満": "<",
    "以上": ">=",
    "ちょうど": "=",
    "で": "=",
    "に": "=",
}
_TONGUES: Final = {
    "日本語": "ja",
    "英語": "en",
    "中国語": "zh",
    "韓国語": "ko",
    "フランス語": "fr",
    "ドイツ語": "de",
    "スペイン語": "es",
    "イタリア語": "it",
    "ロシア語": "ru",
}
_TONGUE: Final = Lazy(
    rf"(?P<name>{'|'.join(_TONGUES)})(?:で|にて|のみで|に(?=.{{0,3}}(?:翻訳|訳)))(?!書かれた|入力|の(?:文章|質問))"
)
_SHAPES: Final = (
    ("JSONの配列", "is json array", r"JSON\s*(?:形式の)?配列"),
    ("JSON", "is json", r"JSON(?:形式|のみ|で|オブジェクト|を出力|として)"),
    ("箇条書き", "bullets >= 1", r"箇条書き(?:で|に|を使|とし)"),
    ("表", "is table", r"表形式|表で"),
    ("HTML", "is html", r"HTML(?:形式|で)"),
)
_DENIED: Final = (
    ("絵文字", "emoji = 0", r"絵文字(?:は|を|も)?(?:使|含|入|用|禁止|付)"),
    ("マークダウン", "no markdown", r"(?:マークダウン|Markdown|markdown)(?:記法|形式)?(?:は|を|も)?(?:使|含|用|禁止)"),
    ("箇条書き", "bullets = 0", r"箇条書き(?:は|を|も)(?:使|含|用|禁止|し)"),
)
_NO: Final = Lazy(r"ないで|禁止|ない(?:こと|よう)|ません|いけ|なら(?:な|ず)|ず(?:に|、)")
_START: Final = Lazy(r"[「『](?P<words>[^」』\n]{1,80})[」』](?:という\S{1,6})?(?:で|から)(?:始|はじ|書き始)")
_STOP: Final = Lazy(r"[「『](?P<words>[^」』\n]{1,80})[」』](?:という\S{1,6})?で(?:終|締め|おわ)")
_ONE: Final = Lazy(r"(?:一|1|ひとつの)文で")
_LISTED: Final = Lazy(
    r"(?:カテゴリー?|ラベル|分類先?|選択肢|次のいずれか|以下のいずれか|クラス|候補)[^：:\n。]{0,12}[：:]\s*(?P<list>[^。\n]+)"
)
_EITHER: Final = Lazy(
    r"(?P<list>(?:[「『\"]?[^、。「」『』\"\s]{1,15}[」』\"]?(?:、|・|か|または|，|,\s*|"
    r"(?<=[」』])(?=[「『]))){1,12}[「『\"]?[^、。「」『』\"\s]{1,15}?[」』\"]?)の(?:いずれか|どれか|どちらか)"
)
# ``部屋は「桜」「楓」のどれか``: the choice is of what は marks.
_SUBJECT: Final = Lazy(r"(?:^|[、。\s])(?P<subject>[^、。「」『』\s]{1,12})は$")
_WHOLE: Final = Lazy(r"回答|出力|答え|結果|返答|返事|返信|応答|ラベル|カテゴリ|分類|クラス|感情|判定")


def is_japanese(text: str) -> bool:
    """Whether a statement is in Japanese, by its kana."""
    return len(_KANA.findall(text)) >= 3


def japanese_labels(text: str) -> tuple[str, ...]:
    """Return the labels that a statement lists."""
    match = _LISTED.search(text) or _EITHER.search(text)
    if match is None or ((part := _SUBJECT.search(text[: match.start()])) and not _WHOLE.search(part["subject"])):
        return ()
    pieces = re.split(r"[、，,・/／|]|または|(?<=[」』])か|(?<=[」』])(?=[「『])", match.group("list"))
    labels = [piece.strip(" 　「」『』\"'") for piece in pieces]
    labels = [label for label in labels if label]
    return tuple(dict.fromkeys(labels)) if len(labels) >= 2 and all(len(label) <= 15 for label in labels) else ()


def japanese_special(text: str) -> str | None:
    """Return the answer that is named for a case: ``その他の場合は「不明」と答えて``."""
    match = _SPECIAL.search(text)
    return match.group("words") if match and _CONDITION.match(text) else None


def japanese_drafts(statement: Statement) -> Iterator[Draft]:
    """Yield the rules of one Japanese sentence."""
    text = statement.text.strip()
    if _ROLE.match(text) and not re.search(r"ください|こと", text):
        return
    wanted = (
        _ASKED.search(text)
        or (statement.item and text.startswith("【"))
        or (statement.section in ("rules", "never", "output") and statement.item)
    )
    if not wanted or _INPUT.match(text):
        return
    bare = text.rstrip("。．.!！ ")
    condition = _CONDITION.match(text)
    if condition and condition.group("condition") != text:
        yield _draft(
            statement,
            f"出力は次を守る：{bare}。",
            kind=kind_of(text, condition=condition.group("condition"), special=True),
        )
        return
    aspects = [each for each in _aspects(text.translate(_DIGITS)) if checkable(each.predicate)]
    if not aspects or _rest(text, aspects) > 4:
        yield _draft(statement, f"出力は次を守る：{bare}。", kind=kind_of(text))
    for aspect in aspects:
        yield _draft(statement, aspect.text, kind="format", predicate=checkable(aspect.predicate))


def _draft(statement: Statement, text: str, *, kind: Kind, predicate: str | None = None) -> Draft:
    return Draft(
        text=text,
        start=statement.start,
        end=statement.end,
        kind=kind,
        priority=priority_of(statement.text),
        predicate=predicate,
    )


def _rest(text: str, aspects: list[Aspect]) -> int:
    """Return how many characters of the sentence no predicate covers."""
    text = re.sub(r"^(?:回答|出力|返答|文章|最後)は|必ず|、", "", text)
    left = len(
        re.sub(
            r"(?:書いて|出力して|終わって|にして|回答して|答えて|して|使って|使わないで|用いて|まとめて|は|を|で)?(?:ください|下さい|こと)?[。．\s]*$",
            "",
            text,
        )
    )
    return left - sum(aspect.end - aspect.start for aspect in aspects)


def _aspects(text: str) -> Iterator[Aspect]:
    denied = bool(_NO.search(text))
    for match in _LIMIT.finditer(text):
        unit = _UNITS.get(match.group("unit"))
        if unit and not denied and not re.match(r"程度|くらい|ほど", text[match.end("unit") :]):
            n, form = match.group("n"), match.group("form")
            said = f"{n}{match.group('unit')}{form if form not in 'でに' else ''}"
            yield _made(f"出力は{said}である。", f"{unit} {_FORMS[form]} {n}", match)
    if not denied and (tongue := _TONGUE.search(text)):
        yield _made(f"出力は{tongue.group('name')}である。", f"language is {_TONGUES[tongue.group('name')]}", tongue)
    if one := _ONE.search(text):
        yield _made("出力は一文である。", "sentences = 1", one)
    for name, predicate, shape in _DENIED if denied else _SHAPES:
        if found := re.search(shape, text):
            yield _made(f"出力に{name}はない。" if denied else f"出力は{name}である。", predicate, found)
            break
    for pattern, form, verb in ((_START, "starts with", "始まる"), (_STOP, "ends with", "終わる")):
        if (end := pattern.search(text)) and not denied:
            words = end.group("words")
            yield _made(f"出力は「{words}」で{verb}。", f"{form} {quoted([words])}", end)


def _made(text: str, predicate: str, match: re.Match[str]) -> Aspect:
    return Aspect(text=text, predicate=predicate, start=match.start(), end=match.end())
