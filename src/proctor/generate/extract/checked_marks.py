"""Things that an answer must not have, in the words of many languages, each with its predicate."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from proctor.generate.extract.limit_subject import unknown_words
from proctor.generate.extract.quantity_words import NEGATION
from proctor.text.lazy_pattern import Lazy

__all__ = ["denies_unread", "find_denied"]

# Of two names at one place the longer one counts (``列表`` is no ``表``), then the one that stands first here.
_THINGS: Final[tuple[tuple[str, str], ...]] = (
    (
        "emoji = 0",
        r"[ée]mojis?|emoticon(?:s|es)?|émotic[oô]nes?|smileys?|表情(?:符号)?|絵文字|эмодзи|이모지|이모티콘|"
        r"emoj[eio]\w*|emotikon\w*|смайлик\w*|इमोजी|إيموجي|الرموز التعبيرية|biểu tượng cảm xúc",
    ),
    (
        "exclamations = 0",
        r"exclamation (?:marks?|points?)|exclamaç(?:ões|ão)|esclamazion[ei]|ausrufezeichen|"
        r"points? d['’]exclamation|signos? de exclamación|"
        r"exclamaciones|pontos? de exclamação|punt[oi] esclamativ[oi]|uitroeptekens?|uitroepteken|wykrzyknik\w*|"
        r"utropstecken|udråbstegn|感叹号|感嘆符|느낌표|感嘆符|vykřičník\w*|восклицательн\w+ знак\w*|ünlem(?: "
        r"işaret\w*)?|علامات? التعجب|tanda seru|dấu chấm than|विस्मय\S*|[「“\"]?[!！][」”\"]?(?=は)",
    ),
    (
        "questions = 0",
        r"question marks?|interrogaciones|interrogações|fragezeichen|points? d['’]interrogation|"
        r"signos? de interrogación|pontos? de interrogação|"
        r"punt[oi] interrogativ[oi]|vraagtekens?|问号|疑問符|znak\w* zapytania|frågetecken|otazník\w*|"
        r"вопросительн\w+ знак\w*|soru işaret\w*|물음표",
    ),
    ("count /#[^\\s#]+/ = 0", r"hash-?tags?|话题标签|ハッシュタグ|해시태그|хештег\w*|hashtag\w*"),
    (
        "not (has code block)",
        r"(?:markdown |fenced )*code (?:fences?|blocks?)|markdown[- ]fences?|fences|(?:triple )?backticks|"
        r"codebl[öo]cke?|blocs? de code|bloques? de código|blocos? de código|blocch[io] di codice|"
        r"`{3}(?:[- ]?\w+)?|代码块|"
        r"コードブロック",
    ),
    (
        "no markdown",
        r"markdown(?:[- ]?(?:formatting|format|syntax|formatierung(?:en)?))?|标记语言|マークダウン(?:記法)?",
    ),
    ("not (matches /[\\w.+-]+@[\\w-]+\\.[A-Za-z]{2,}/)", r"e-?mail addresses|e-?mails"),
    (
        "not (matches /(?<![\\w.-])\\+?\\(?\\d{2,5}\\)?(?:[ .-]?\\d{2,4}){2,4}(?![\\w-])/)",
        r"(?:tele)?phone numbers?",
    ),
    ("not (is table)", r"tables?|tabellen?|tableaux?|tablas?|tabelas?|tabelle|表格|表"),
    (
        "headings = 0",
        r"headings?|headers?|section titles|überschriften?|intertitres|encabezados|cabeçalhos|subtítulos|"
        r"小标题|見出し|nagłówk\w*|nadpis\w*|заголовк\w*|rubrik(?:er)?|overskrift\w*|başlık\w*|titels?(?= en| of)|"
        r"koppen|머리글|소제목|عناوين",
    ),
    (
        "bullets = 0",
        r"bullet(?:ed)?[- ]?(?:points?|lists?)|bullets|stichpunkten?|aufzählungszeichen|puces|viñetas|marcadores|"
        r"elenchi puntati|listes à puces|项目符号|箇条書き|wypunktowa\w*|punktor\w*|odráž\w*|маркер\w*|punktlist\w*|"
        r"opsommingstekens?|madde işaret\w*|글머리\S*",
    ),
    (
        "numbered items = 0",
        r"numbering|number(?= the| them| your)|nummerierung(?:en)?|numérotation|numeración|numeração|"
        r"numerazione|序号|编号|番号",
    ),
    (
        "items = 0",
        r"lists?(?! of| price)|listen|aufzählungen?|listes|listas|elenchi|liste|opsommingen|列表|リスト|lister|"
        r"listor|wylicze\w+|список|списк\w+|목록|सूची|قوائم|seznam\w*",
    ),
    (
        "links = 0",
        r"links?|urls?|hyperlinks?|web addresses|liens?|enlaces?|链接|リンク|网址|länk(?:ar)?|lenker|link\w{0,3}|"
        r"odkaz\w*|odnośnik\w*|ссыл(?:ки|ок)|посилан\w+|bağlantı\w*|링크|روابط|liên kết|tautan",
    ),
    (
        'contains none "**", "__", "<b>", "<strong>"',
        r"(?:markdown[- ]?)?(?:bold(?: (?:type|text|face|formatting))?|fettdruck|fettschrift|fett|gras|"
        r"negritas?|negrito(?: com asteriscos)?|grassetto|vetgedrukt\w*)|(?:markdown)?(?:加粗|粗体)|太字",
    ),
    (
        'contains none "\\"", "“", "”", "„", "«", "»", "「", "」"',
        r"quotation marks?|quote marks|anführungszeichen|guillemets|comillas|aspas|virgolette|aanhalingstekens|引号",
    ),
    (
        'contains none ":", "："',
        r"colons|doppelpunkte?|deux-points|dos puntos|dois[- ]pontos|due punti|dubbele punten?|冒号",
    ),
    (
        'contains none "…", "..."',
        r"ellips[ei]s|auslassungspunkte|points de suspension|puntos suspensivos|reticências|puntini(?: di "
        r"sospensione)?|beletseltekens?|wielokrop\w+|省略号|三点リーダー",
    ),
    (
        "not (matches /[A-Za-z]/)",
        r"latin letters|roman letters|lateinische buchstaben|lettres latines|letras latinas|lettere latine|英文字母|"
        r"拉丁字母|アルファベット",
    ),
    (
        'not (ends with ".", "。")',
        r"full stops?|(?:final|trailing|closing) (?:period|dot)s?|schlusspunkt|point final|punto final(?:e)?|"
        r"ponto final|punktum|(?:period|dot|punkt|point|punto|ponto|punt|kropk\w+|точк\w+|tečk\w+|"
        r"крапк\w+)\s+(?:at the (?:very )?end|am "
        r"(?:ende|schluss)|à la fin|al final|no final|alla fine|(?:aan|op) het einde?|i slutet|na końcu|(?:в|на) конце|"
        r"na konci|(?:в|у|на) кінці)|(?:period|punkt|punt|kropk\w+|точк\w+)(?=\s*(?:[.;]|$))|"
        r"sonuna nokta|句点|句号|句點|마침표",
    ),
    ("letters = 0", r"letters|buchstaben|lettres|letras|lettere|字母"),
    ('contains none ";"', r"semi-?colons?|semikolons?|points?-virgules?|punto y coma|ponto e vírgula|分号"),
    ('contains none "—"', r"em[- ]dash(?:es)?|geviertstrich\w*|破折号"),
    (
        'contains none "(", ")", "（", "）", "[", "]"',
        r"(?:round )?brackets|parenthes[ei]s|klammern|parenthèses|paréntesis|parênteses|parentesi|括号",
    ),
    (
        "not (matches /\\n[ \\t]*\\n/)",
        r"(?:blank|empty) lines?|leerzeilen?|lignes? vides?|líneas? en blanco|"
        r"linhas? em branco|righe vuote|witregels?|lege regels?|puste(?:go)? (?:linie|wiersze\w*)|tomma rader|空行",
    ),
    (
        "lines = 1",
        r"line ?breaks?|newlines?|retours? à la ligne|radbryt\w*|linjeskift|zeilenumbr(?:uch|üche\w*)|a capo|"
        r"regeleindes?|sauts? de ligne|"
        r"saltos? de línea|quebras? de linha|换行|改行",
    ),
    ('contains none " "', r"leerzeichen|spaces|espaces|espacios|espaços|spazi|spaties|空格|空白|スペース"),
    (
        "digits = 0",
        r"(?:arabic )?(?:digits|numerals)|ziffern|chiffres|dígitos|cifre|(?:阿拉伯)?数字|cifr[ae]|chiffre|cijfers?|"
        r"siffror|cyfr\w*|číslic\w*|цифр\w*|algarismos?|rakam\w*",
    ),
    (
        'contains none "*"',
        r"asterisks?|sternchen|astérisques?|asteriscos?|asterischi|sterretjes|gwiazdk\w+|hvězdičk\w+|зв[её]здоч\w+|"
        r"yıldız\w*|星号|アスタリスク|तारांकन(?: चिह्न)?|별표",
    ),
    ('contains none "/"', r"slash(?:es)?|schrägstrich\w*|barres? obliques?|barras? inclinadas?|schuine strep\w*"),
    (
        'contains none "€"',
        r"euro[- ]?signs?|euro-?zeichen|signes? euro|símbolos? de euro|simbol[oi] dell['’]euro|euroteken\w*",
    ),
    ('contains none "$"', r"dollar signs?|dollarzeichen|signes? dollar"),
    ("not (matches /\\\\(?:frac|text|sqrt|begin)\\b|\\$\\$|\\\\[(\\[]/)", r"latex"),
    ("not (matches /<\\/?[a-z][^<>]*>/)", r"html(?:[- ]tags?)?"),
)
_CLAUSE_END: Final = re.compile(r"[.;:。；：!?！？(（)）]")
# Things that an input may be, too: ``not in the list``.
_GIVEN_TOO: Final = ("items = 0", "not (is table)", "links = 0")
_DEFINITE: Final = Lazy(
    r"\b(?:the|this|that|your|de[mr]|die|diese[rmn]?|la|le|l['’]|cette|el|esta|los|las|na|da|nella|della|"
    r"il|de|het)\s*$",
    re.IGNORECASE,
)
# Where the phrase around a thing ends: a mark, or a word that joins it to another thing.
_PHRASE: Final = Lazy(
    r"[,，;；:：.。!！(（)）、・]|\s[–—-]\s|\b(?:or|and|nor|oder|und|noch|ou|et|ni|o|y|u|e|né|nem|of|en|i|lub|ani|"
    r"och|eller|og|ve|veya)\b|[和或及や与]|(?<=[一-鿿ァ-ヿー])[はをもと]",
    re.IGNORECASE,
)
_NAMES: Final = Lazy(
    "|".join(rf"(?<![A-Za-zÀ-ÿ])(?:{pattern})(?![A-Za-zÀ-ÿ])" for _, pattern in _THINGS), re.IGNORECASE
)
_EXCEPT: Final = Lazy(
    r"\b(?:unless|except|other than|apart from|außer|es sei denn|ausgenommen|sauf|à moins|hormis|excepto|salvo|a "
    r"menos|exceto|tranne|eccetto|a meno|behalve|more than|too many|excessive|overus\w*|zu viele|trop de|demasiad\w*|"
    r"muit[oa]s|tropp[oi]|mehr als|plus de|más de|mais de|più di|start|begin|end)\b|除非|除了|以外|太多|超过",
    re.IGNORECASE,
)
_LISTED: Final = Lazy(r"[,，、]|\b(?:or|nor|oder|noch|ou|ni|o|nem|né|of)\b", re.IGNORECASE)
# Where another thing of the list begins that is denied or bounded by itself.
_NEXT: Final = Lazy(
    rf"[,，、;；](?=\s*(?:and |or |und |et |y |e |en )?{NEGATION})|"
    r"\b(?:or|nor|oder|noch|ou|ni|o|nem|né|of)\b(?=\s+(?:more than|mehr als|plus d|más de|mais de|più di|meer dan))",
    re.IGNORECASE,
)
_AFTER: Final = Lazy(
    r"(?:\s+\w+){0,2}?\s*(?:(?:is|are|sind|ist|sont|son|são|sono)\s+)?(?:(?:not |nicht |no |não |non )(?:allowed|"
    r"permitted|wanted|erlaubt|erwünscht|gestattet|autorisé|permitid|ammess|consentit)\w*|forbidden|prohibited|"
    r"banned|verboten|untersagt|tabu|vermeiden|interdit\w*|prohibid\w*|proibid\w*|vietat\w*)|"
    r"(?:[（(][^（()）]{1,8}[)）])?(?:[・、,やと]\S{1,10}?){0,3}(?:は|を|も|の使用は)?(?:一切)?(?:使わ|使用し|用い|"
    r"入れ|含め|つけ|付け|書か)(?:ない|ず)|(?:를|을|는|은|이|가|도)?\s*(?:와 \S+|과 \S+)?(?:를|을|는|"
    r"은)?\s*(?:절대\s*)?(?:(?:쓰|사용하|넣|붙이|달|찍)지\s*(?:않|말|마)|금지|없이|없음)|(?:\s*(?:,|ve|veya|ya "
    r"da)\s*[^\W\d_]+(?:\s+işaret\w*)?){0,3}\s*(?:kullanma\w*|yazma\w*|ekleme\w*|koyma\w*|olmasın|yok|yasak)|"
    r"(?:\s*(?:,|या|और)\s*\S+(?:\s+चिह्न)?){0,3}\s*(?:बिल्कुल )?(?:नहीं|न\s+\S+|मत)|"
    r"(?:[・、,やと]\S{1,6}?){0,3}(?:は|の使用は)?(?:禁止|不要|なし)|(?:は|を)?し(?:ない|ません|ず)|"
    # ``quotation marks break the import, so use none``
    r"[^.;]{0,60},[^,.;]{0,25}(?<![\"“„«`'])\b(?:none|keine?s?|aucune?|ningun[oa]|nenhuma?|nessun[oa]|geen|żadnych)\W*$",
    re.IGNORECASE,
)


# ``"seamless" is banned, and so are emojis``
_SO_ARE: Final = re.compile(
    r"\b(?:banned|forbidden|prohibited|not allowed|taboo|off[- ]limits)\b[^.;]*\bso (?:are|is) (?:all |any )?$",
    re.IGNORECASE,
)


# ``Do not repeat skills or tables``: the things may be there.
_DOES_ELSE: Final = re.compile(
    r"(?:n['’]t|not|never|nicht|niemals|nunca|jamais)\s+(?:repeat|change|copy|translate|remove|delete|edit|modify|count|"
    r"reorder|rename|touch|summari[sz]e|mention|discuss)\b",
    re.IGNORECASE,
)


def find_denied(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the predicate of everything that a sentence forbids, with where it stands."""
    for predicate, matches in _named_things(text):
        for match in matches:
            start = _negated(text, match.start())
            end = match.end()
            if start is None and (after := _AFTER.match(text, match.end())):
                start, end = match.start(), after.end()
            if (
                start is not None
                and not _DOES_ELSE.match(text, start)
                and not (predicate in _GIVEN_TOO and _DEFINITE.search(text[: match.start()]))
                and not _is_excepted(text, start, match.start(), match.end())
                and not _is_qualified(text, start, match.start(), end)
            ):
                yield predicate, start, match.end()
                break


def denies_unread(text: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a ban on several things names one that no predicate is for: ``no tables and no images``.

    ``spans`` are the parts of the sentence that are checked.
    """
    things = [match for _, matches in _named_things(text) for match in matches]
    bans = [each for each in spans if any(each[1] == thing.end() and _is_within(thing, each) for thing in things)]
    read = [thing.span() for thing in things if any(_is_within(thing, ban) for ban in bans)]
    read += [each for each in spans if each not in bans]
    for start, end in bans:
        low = max((mark.end() for mark in _CLAUSE_END.finditer(text[:start])), default=0)
        mark = _CLAUSE_END.search(text, end)
        for begin, upto in _members(text, low, mark.start() if mark else len(text)):
            alone = not any(at < upto and begin < last for at, last in read)
            if alone and unknown_words(re.sub(NEGATION, " ", text[begin:upto], flags=re.IGNORECASE), ()):
                return True
    return False


def _is_within(thing: re.Match[str], span: tuple[int, int]) -> bool:
    return span[0] <= thing.start() and thing.end() <= span[1]


def _members(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield the spans between the marks and words that join the things of a list."""
    at = low
    for joint in _PHRASE.finditer(text[:high], low):
        yield at, joint.start()
        at = joint.end()
    yield at, high


def _named_things(text: str) -> Iterator[tuple[str, list[re.Match[str]]]]:
    """Yield each predicate with the things that it is for; a name inside a longer one is none."""
    found = [(predicate, match) for predicate, pattern in _compiled() for match in pattern.finditer(text)]
    taken: list[tuple[int, int]] = []
    kept: dict[str, list[re.Match[str]]] = {}
    for predicate, match in sorted(found, key=lambda each: each[1].start() - each[1].end()):
        if not any(low < match.end() and match.start() < high for low, high in taken):
            taken.append(match.span())
            kept.setdefault(predicate, []).append(match)
    for predicate, _ in _compiled():
        if predicate in kept:
            yield predicate, sorted(kept[predicate], key=lambda match: match.start())


def _is_excepted(text: str, start: int, at: int, end: int) -> bool:
    """Whether words in the phrase of a thing, or after it, allow some of it: ``no more than``, ``except``.

    What another negation of the list governs is not read: ``no emoji, no capitals except in names``.
    """
    before = text[max(0, start - 5) : at]
    own = _PHRASE.split(before)[-1] if _LISTED.search(before) else before
    return _EXCEPT.search(own) is not None or _EXCEPT.search(_NEXT.split(text[end:])[0]) is not None


def _is_qualified(text: str, start: int, at: int, end: int) -> bool:
    """Whether words that are not read stand with a thing: ``letters for unknowns``, ``repeat the same emoji``.

    Then the ban may be of some of these things, or of something else.
    """
    before = _PHRASE.split(text[start:at])[-1] if start < at else ""
    beside = f"{before} {_PHRASE.split(text[end:])[0]}"
    return bool(unknown_words(_NAMES.sub(" ", re.sub(NEGATION, " ", beside, flags=re.IGNORECASE)), ()))


@cache
def _compiled() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (predicate, re.compile(rf"(?<![^\W\d_])(?:{pattern})(?![^\W\d_一-鿿])|{_han(pattern)}", re.IGNORECASE))
        for predicate, pattern in _THINGS
    )


def _han(pattern: str) -> str:
    """Return the names without spaces around them, as Chinese and Japanese write them."""
    names = [name for name in pattern.split("|") if re.fullmatch(r"[^\x00-\x7f]+(?:\([^()]*\)\?)?", name)]
    return "|".join(names) or r"(?!)"


def _negated(text: str, at: int) -> int | None:
    """Return where the negation of the words at this place begins; it reaches over a list, not over another verb."""
    begin = max(text.rfind(mark, 0, at) for mark in (".", ";", "。", "；", ":", "：", "!", "("))
    head = text[begin + 1 : at]
    found = [match for match in re.finditer(NEGATION, head, re.IGNORECASE)]
    for match in reversed(found):
        between = head[match.end() :]
        words = re.findall(r"[^\W\d_]+", between)
        if re.search(r"\b(?:but|instead|sondern|mais|sino|mas|ma|aber|rather)\b|而是|而要", between, re.IGNORECASE):
            return None
        if (
            len(words) <= 3
            or (len(words) <= 6 and not unknown_words(between, ()))
            or ("," in between and all(len(piece.split()) <= 4 for piece in between.split(",")))
            or (len(words) <= 7 and re.search(r"\b(?:or|and|oder|und|ou|et|ni|o|y|e|nem|né|of|en)\b|、|和|或", between))
        ):
            return begin + 1 + match.start()
        return None
    also = _SO_ARE.search(head)
    return begin + 1 + also.start() if also else None
