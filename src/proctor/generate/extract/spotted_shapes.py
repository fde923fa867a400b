"""Shapes of the whole answer in the words of many languages: a table, a code block, JSON alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.generate.extract.answer_language import find_language
from proctor.generate.extract.asked_amounts import JOINT
from proctor.generate.extract.number_words import COUNT, count_of
from proctor.generate.extract.predicate_text import quoted
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.quoted_headings import find_quoted_headings
from proctor.generate.extract.reply_words import ONLY, REPLY
from proctor.generate.extract.vocabulary import worded
from proctor.text.lazy_pattern import Lazy

__all__ = ["find_spotted_shapes"]

_IN_A: Final = (
    r"(?:\b(?:in|as|als|in form|sous forme d|dans|en|como|em|come|sotto forma di)|以|用)[\s一-鿿e'’]{0,3}\s*"
    r"(?:(?:an?|une?|einer?|una?|uma?|de|di)\b)?\s*"
    r"(?:(?!the|der|die|das|la|le|el|il|o\b|a\b|this|that|each)\w+\s+)?"
)
_TABLE: Final = Lazy(
    rf"{_IN_A}(?:markdown[- ]?)?(?:table|tabelle|tableau|tabla|tabela|tabella|tabel|表格)(?![^\W\d_])(?!\s+(?:names?|"
    rf"of|columns?|rows?|above|below|oben|unten|ci-dessus|de arriba|acima|sopra))|表形式",
    re.IGNORECASE,
)
_FOREIGN_TABLE: Final = re.compile(r"\b(?:CSV|HTML|LaTeX|TSV)[- ]\w+$", re.IGNORECASE)  # of another format
_COLUMNS: Final = Lazy(
    r"(?:columns?|spalten|colonnes|columnas|colunas|colonne|kolommen|列)\s*(?:are\s*)?[:：]?\s*[(:：]?\s*"
    r"(?P<list>[^\W\d_][\w %€$/-]{1,30}?(?:\s*(?:[,、，|]|\band\b|\bund\b|\bet\b|\by\b|"
    r"\be\b)\s*[^\W\d_][\w %€$/-]{1,30}?){1,9})\s*(?:[.;)）\n]|$)",
    re.IGNORECASE,
)
_BLOCK: Final = Lazy(
    r"\b(?:fenced |single |one |markdown )*(?:code ?block|code fence|codeblock|fenced block|bloc de code|"
    r"bloque de código|bloco "
    r"de código|blocco di codice|codeblok\w*|blok\w* kodu|блок\w* кода|kodblock\w*|kodeblok\w*|kod bloğu)\b|代码块|"
    r"コードブロック",
    re.IGNORECASE,
)
_MARKED: Final = Lazy(
    r"`{3}(?P<fence>\w+)|\b(?:marked|tagged|labelled|labeled|markiert|gekennzeichnet|language|langage|"
    r"lenguaje)\W+(?:as |with |mit )?[`\"“](?P<name>\w+)[`\"”]",
    re.IGNORECASE,
)
_PLAIN: Final = Lazy(
    r"\bplain[- ]text\b|\b(?:reine[rnms]?|einfache[rnms]?) (?:flie(?:ß|ss))?text\b|\bklartext\b|\btexte (?:brut|"
    r"simple)\b|\btexto (?:plano|simples|puro)\b|"
    r"\btesto (?:semplice|normale)\b|\bplatte tekst\b|纯文本|プレーンテキスト",
    re.IGNORECASE,
)
_ALONE: Final = Lazy(
    r"\bnothing (?:else|more|before|after|but)\b|\b(?:no|without) (?:any )?(?:other|extra|additional|surrounding|"
    r"further) (?:text|words|output)\b|\bno (?:commentary|comments|explanations?|preamble|prose)\b|\bonly (?:the |"
    r"valid |raw )*json\b|\bjson only\b|not contain anything else\b|\bsonst nichts\b|\bnichts (?:weiter|anderes|"
    r"sonst)\b|\bnur (?:das |gültiges |reines )*json\b|\b(?:kein|ohne) (?:weiteren?|zusätzlichen?) text\b|\brien "
    r"d['’]autre\b|\buniquement (?:le |du |un )*(?:objet )?json\b|\bsans (?:aucun )?(?:autre )?(?:texte|"
    r"commentaire)\b|\bnada m[áa]s\b|\b(?:solo|únicamente) (?:el |un )*(?:objeto )?json\b|\bsin (?:ningún )?(?:otro "
    r")?(?:texto|comentario)\b|\bnada mais\b|\b(?:apenas|somente) (?:o |um )*(?:objeto )?json\b|\bsem (?:nenhum "
    r")?(?:outro )?(?:texto|comentário)\b|\bnient['’]altro\b|\b(?:solo|soltanto) (?:il |un )*(?:oggetto )?json\b|"
    r"\bsenza (?:alcun )?(?:altro )?(?:testo|commento)\b|\bniets anders\b|\balleen (?:de |het )?json\b|只(?:输出|"
    r"返回)\s*json|不要(?:输出|添加|有)?(?:其他|任何其他|多余|额外)|jsonのみ|json以外",
    re.IGNORECASE,
)
_FIT: Final = Lazy(
    r"\bjson\b|\bcode ?block\b|\bcodeblock\b|bloc de code|bloque de código|bloco de código|blocco di codice|"
    r"代码块|コードブロック|```",
    re.IGNORECASE,
)
_QUESTION_END: Final = Lazy(
    r"\b(?:ends?|conclud\w+|finish\w*|close[sd]?)\b[^.;\"]{0,30}\b(?:with|in) (?:an?|one|exactly one) (?:[\w-]+ "
    r"){0,2}question(?: mark)?\b(?! or\b)|\b(?:beend\w*|schließ\w*|ende\w*)\b[^.;„\"]{0,40}\bmit eine[rm] (?:\w+ "
    r")?(?:\w*frage|fragezeichen)\b|\b(?:termin\w*|conclu\w*|fini\w*)\b[^.;«\"]{0,40}\bpar une (?:\w+ )?question\b|"
    r"\b(?:termin\w*|acab\w*|cierr\w*|finaliz\w*)\b[^.;\"]{0,40}\bcon una (?:\w+ )?pregunta\b|\b(?:termin\w*|"
    r"finaliz\w*|encerr\w*|conclu\w*)\b[^.;\"]{0,40}\bcom uma (?:\w+ )?pergunta\b|\b(?:termin\w*|conclud\w*|fini\w*|"
    r"chiud\w*)\b[^.;\"]{0,40}\bcon una (?:\w+ )?domanda\b|以(?:一个)?(?:问题|提问|问句)(?:来)?(?:结尾|结束)|"
    r"質問で(?:終|締)",
    re.IGNORECASE,
)
_LOWER: Final = Lazy(
    r"\b(?:everything(?! else)|all(?: text)?|alles(?! andere)|tout(?! le reste)|todo(?! lo demás)|tudo|"
    r"tutto)\b[^.;,]{0,20}?\b(?:in )?(?:lower[- ]?case|kleinbuchstaben|klein(?:geschrieben)?|"
    r"minuscules|minúsculas|minuscolo)\b|全部小写",
    re.IGNORECASE,
)
_PIECES: Final = Lazy(
    rf"(?P<n>{COUNT})\s+(?:[^\W\d_]+[\s,]+){{1,3}}(?:separated by|getrennt durch|durch|séparée?s par|"
    rf"separad[oa]s (?:por|com)|separat[ei] da)\s+"
    r"(?:an? )?(?:comma|komma|virgule|coma|vírgula|virgol)\w*",
    re.IGNORECASE,
)
_TOKENS: Final = Lazy(
    r"\b(?:starts?|begins?|beginn\w*|commence\w*|empiez\w*|comienz\w*|comece\w*|inizia\w*)\b[^.;:\"]{0,40}?"
    r"(?P<list>[\w-]+:(?:(?:\s*,\s*(?:or |oder |ou |o )?|\s+(?:or|oder|ou|o)\s+)[\w-]+:)+)",
    re.IGNORECASE,
)
_TAGS: Final = Lazy(
    r"\b(?:only|nur|ausschließlich|uniquement|seulement|solo|sólo|únicamente|apenas|somente|soltanto|alleen|只|仅|no "
    r"other|keine anderen|sans autres?|aucune autre|ninguna otra|sin otras|nenhuma outra|sem outras|nessun altro|"
    r"geen andere)\b[^.;:]{0,30}?\b(?:tags?|elements?|balises?|etiquetas?|elementen?|elementi|"
    r"标签)\W+(?:html\W+)?(?:(?:than|but|als|que|di|che|"
    r"dan)\W+)?(?P<list><?[a-z][a-z0-9]{0,9}>?(?:(?:\s*[,、]\s*(?:and |und |et |y |e |en )?|\s+(?:and|und|et|y|e|"
    r"en)\s+)<?[a-z][a-z0-9]{0,9}>?)*)",
    re.IGNORECASE,
)
_HTML: Final = Lazy(
    r"(?<![A-Za-z])(?:in|as|als|en|em|come|como|au format|im format|nel formato|用|以)"
    r"\s*(?:valid\w* |reine\w* )?HTML5?(?![A-Za-z-])",
    re.IGNORECASE,
)
_MARKDOWN: Final = Lazy(r"\b(?:use|using|in|as|valid|with)\s+(?:\w+\s+)?markdown\b", re.IGNORECASE)
_HTML_NAMES: Final = worded(
    "a b br code div em h1 h2 h3 h4 i img li ol p pre s small span strong sub sup table td th tr u ul"
)
_AND: Final = frozenset(["and", "und", "et", "y", "e", "en"])
_BY_NAME: Final = Lazy(
    r"\bby (?:their |his or her |first )?name\b|\b(?:beim|mit) (?:vor)?namen\b|\bpar (?:son|leur) (?:pré)?nom\b|"
    r"\bpor su nombre\b|\bpelo (?:primeiro )?nome\b|\bper nome\b|\bbij (?:de )?naam\b",
    re.IGNORECASE,
)


# JSON that a sentence asks for; what the input is in does not matter.
_JSON: Final = Lazy(r"(?<![A-Za-z])JSON(?![A-Za-z])", re.IGNORECASE)
_ASKS: Final = Lazy(
    rf"{REPLY}|{ONLY}|\b(?:produce|emit|as|in|valid|single|must|should|provide|generate|create)\b|\bone JSON\b",
    re.IGNORECASE,
)
_GIVEN: Final = Lazy(
    r"\b(?:input|given|receive|from|contains?|eingabe|entrée|entrada|read|parse)\b[^.;,]{0,30}$", re.IGNORECASE
)
_KINDS: Final = (
    (
        "is json array of strings",
        Lazy(
            rf"\b(?:array|list|liste|tableau|lista) (?:of|von|de|di) (?:exactly )?(?:{COUNT} )?(?:strings|words|"
            rf"names|texten|chaînes|textos|cadenas|stringhe)\b",
            re.IGNORECASE,
        ),
    ),
    ("is json array of objects", Lazy(r"\b(?:array|list) of (?:JSON )?objects\b", re.IGNORECASE)),
    (
        "is json array",
        Lazy(
            r"\bJSON[- ](?:formatted )?(?:array|list\w*)|\b(?:array|tableau|lista|arreglo|elenco|liste|lijst) "
            r"(?:de |di )?JSON\b|JSON\s*(?:数组|配列|列表)",
            re.IGNORECASE,
        ),
    ),
    (
        "is json object",
        Lazy(
            r"\bJSON[- ](?:object|objekt|dict)\w*|\b(?:objet|objeto|oggetto|obiekt) JSON\b|JSON\s*(?:对象|"
            r"オブジェクト)|\bJSON with (?:the )?(?:following )?(?:keys|fields)\b",
            re.IGNORECASE,
        ),
    ),
)
_COUNTED_ITEMS: Final = Lazy(
    rf"(?P<n>{COUNT})\s+(?:strings|names|words|items|\w+ (?:as|in) an? JSON (?:array|list) of strings)\b", re.IGNORECASE
)
_TAG: Final = Lazy(
    rf"(?:(?P<least>at least|multiple|several)|(?P<just>exactly|only|a "
    rf"single))?\s*(?P<n>{COUNT})?\s*(?P<more>or more\s+)?"
    r"<(?P<tag>[a-zA-Z][\w-]*)>(?:\s*(?:tags?|elements?))?",
    re.IGNORECASE,
)
# ``from three to five <li>``: the first number of a range of tags.
_RANGE_START: Final = re.compile(rf"(?P<low>{COUNT}){JOINT}$", re.IGNORECASE)
_TAGGED: Final = Lazy(
    r"\b(?:wrap|enclose|put|place|inside|within|in|between|dentro de|entre|zwischen|dans|"
    r"nei)\b[^.;]{0,50}?<(?P<tag>[A-Za-z][\w-]*)>\s*(?:(?:and|…|\.\.\.|et|y|"
    r"und)?\s*</(?P=tag)>)?\s*(?:xml |html )?(?:tags?|balises?|etiquetas?)",
    re.IGNORECASE,
)
_EACH_TAG: Final = Lazy(r"\b(?:inside|within|in|for|to)\s+(?:each|every)\s+<(?P<tag>[A-Za-z][\w-]*)>", re.IGNORECASE)
_KIND_OF_LETTER: Final = (
    r"(?:(?:lower[- ]?case|upper[- ]?case|capital|latin)\s+)?(?:letters|digits|numbers|hyphens|dashes|"
    r"underscores|spaces|dots)"
)
_CHARACTERS: Final = Lazy(
    rf"\bonly\s+(?P<list>{_KIND_OF_LETTER}(?:(?:\s*,\s*(?:and |or )?|\s+and\s+|\s+or\s+){_KIND_OF_LETTER})+)",
    re.IGNORECASE,
)
_CLASSES: Final = (
    (r"lower[- ]?case letters", "a-z"), (r"(?:upper[- ]?case|capital) letters", "A-Z"),
    (r"(?<!case )(?<!capital )letters", "A-Za-z"),
    (r"digits|numbers", "0-9"), (r"underscores", "_"), (r"spaces", " "), (r"dots", "."), (r"hyphens|dashes", "-"),
)  # fmt: skip
_SCALE: Final = Lazy(
    rf"(?:{ONLY})\W+(?:[^\W\d_]+\W+){{0,3}}?(?:number|score|rating|integer|zahl|nombre|número|numero|getal|"
    rf"liczb\w+|числ\w+|数字|数値)\b[^.;\"]{{0,40}}?"
    r"(?P<low>\d{1,4})\s*(?:\([^()]{1,60}\)\s*)?(?:-|–|to|and|bis|à|a|do|до|到|から)\s*(?P<high>\d{1,4})(?![\d%])",
    re.IGNORECASE,
)


def find_spotted_shapes(text: str, scope: PromptScope) -> Iterator[tuple[str, int, int]]:
    """Yield the predicates of the shapes that a sentence asks for, with where it does."""
    for predicate, pattern in _ASKED:
        if (match := pattern.search(text)) and not _denied(text, match):
            if predicate == "is table" and _FOREIGN_TABLE.search(text[: match.end()]):
                continue
            if predicate == "no markdown" and _MARKDOWN.search(text):
                continue  # ``Markdown that reads well as plain text``
            yield predicate, match.start(), match.end()
    yield from find_language(text)
    yield from _json(text)
    yield from _tags(text)
    yield from _listed(text)
    if (marked := _MARKED.search(text)) and (block := _BLOCK.search(text)) and not _denied(text, block):
        yield f"matches /`{{3}}{marked['fence'] or marked['name']}\\b/", marked.start(), marked.end()
    if (match := _ALONE.search(text)) and (_FIT.search(text) or (scope.structured and scope.fields)):
        yield "no extra text", match.start(), match.end()
    if (match := _BY_NAME.search(text)) and not _denied(text, match):
        named = [name for name in scope.inputs if re.search(r"name|nom(?:bre|e)?\b|名", name, re.IGNORECASE)]
        if len(named) == 1:
            yield f"contains the input {quoted(named)}", match.start(), match.end()


def _json(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the kind of JSON that a sentence asks the answer to be."""
    match = _JSON.search(text)
    if match is None or _denied(text, match) or not _ASKS.search(text) or _GIVEN.search(text[: match.start()]):
        return
    found = next(((kind, said) for kind, pattern in _KINDS if (said := pattern.search(text))), None)
    if found is None:
        yield "is json", match.start(), match.end()
        return
    kind, said = found
    yield kind, min(match.start(), said.start()), max(match.end(), said.end())
    if kind == "is json array of strings" and (counted := _COUNTED_ITEMS.search(text)):
        yield f"json array length = {count_of(counted['n'])}", counted.start(), said.end()


def _tags(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield what a sentence says of HTML or XML tags: ``at least three <p> tags``, ``inside <answer> tags``."""
    inside = _EACH_TAG.search(text)
    for match in _TAG.finditer(text, inside.end() if inside else 0):
        if not (match["least"] or match["n"] or match["just"]):
            continue
        number = count_of(match["n"]) if match["n"] else 1 if match["just"] else 2
        low = _RANGE_START.search(text[: match.start("n")]) if match["n"] else None
        form = ">=" if match["least"] or match["more"] else "="
        amount = f"between {count_of(low['low'])} and {number}" if low else f"{form} {number}"
        counted = f'tags "{match["tag"].lower()}" {amount}'
        tag = inside["tag"].lower() if inside else ""
        yield (f'tags "{tag}" >= 1 and each "{tag}": {counted}' if tag else counted), match.start(), match.end()
    for match in _TAGGED.finditer(text):
        if not _denied(text, match) and not inside:
            yield f'tags "{match["tag"]}" = 1', match.start(), match.end()
    if (listed := _CHARACTERS.search(text)) and not _denied(text, listed):
        kinds = [kind for word, kind in _CLASSES if re.search(word, listed["list"], re.IGNORECASE)]
        yield f"only characters /[{''.join(kinds)}]/", listed.start(), listed.end()
    if (scale := _SCALE.search(text)) and int(scale["low"]) < int(scale["high"]):
        yield f"number between {scale['low']} and {scale['high']}", scale.start(), scale.end()


_MARK: Final = (
    r"(?:an? |eine[mnr]? |une? |una? |uma? |een |en )?(?P<mark{at}>(?:full stop|period|punkt|point(?!s? d)|punto|"
    r"ponto(?: final)?|punt|kropk\w+|tečk\w+)|(?:semi-?colon|semikolon|point-virgule|punto y coma|punto e virgola|"
    r"ponto e vírgula|puntkomma)|(?:question mark|fragezeichen|point d['’]interrogation|signo de interrogación|punto "
    r"interrogativo|ponto de interrogação|vraagteken))"
)
_MARK_SIGNS: Final = ((r"semi|virg|coma|komma|vírg", ";"), (r"question|frage|interrog|vraag", "?"), (r"", "."))
_ENDS_IN_MARK: Final = Lazy(
    r"(?:^\W*(?:and |und |et )?|\b(?:answer|reply|response|message|output|query|antwort|réponse|respuesta|resposta|"
    r"risposta)\b[^.;,]{0,60}?)\b(?:ends?|finish\w*|ende\w*|finis\w*|termin\w*|acab\w*|finisc\w*|eindig\w*|"
    r"sluit\w*)\s+(?:\w+\s+)?(?:with|in|mit|par|con|com|met|auf)\s+"
    + _MARK.format(at=1)
    + rf"(?:\s+(?:or|oder|ou|o|of)\s+{_MARK.format(at=2)})?(?![^\W\d_])",
    re.IGNORECASE,
)


def _listed(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the shapes that a list in the sentence names: columns, pieces, beginnings, tags."""
    yield from find_quoted_headings(text)
    if match := _ENDS_IN_MARK.search(text):
        marks = [match[name].lower() for name in ("mark1", "mark2") if match[name]]
        signs = [next(sign for pattern, sign in _MARK_SIGNS if re.search(pattern, mark)) for mark in marks]
        yield f"ends with {quoted(signs)}", match.start(), match.end()
    if (match := _COLUMNS.search(text)) and re.search(
        r"[:：(|]|\btab(?:le|elle|la|ela|ella|leau|ell?)\b|表", text[: match.end()], re.IGNORECASE
    ):
        held = match["list"]
        held = re.split(r"[,;]", held)[0] if "|" in held else held
        names = [name.strip() for name in re.split(_JOINT, held) if name.strip()]
        yield f"is table and contains all {quoted(names)} ignoring case", match.start(), match.end()
    if (match := _PIECES.search(text)) and count_of(match["n"]) > 1:
        yield f'pieces "," = {count_of(match["n"])}', match.start(), match.end()
    if match := _TOKENS.search(text):
        tokens = re.findall(r"[\w-]+:", match["list"])
        yield f"starts with {quoted(tokens)}", match.start(), match.end()
    if match := _TAGS.search(text):
        names = [name for name in re.findall(r"[a-z][a-z0-9]*", match["list"], re.IGNORECASE) if name not in _AND]
        if "<" not in match["list"] and not _HTML_NAMES.issuperset(map(str.lower, names)):
            return  # ``only output the tags in lowercase``
        yield f"tags only {quoted(names)}", match.start(), match.end()


_JOINT: Final = r"\s*(?:[,、，|]|\band\b|\bund\b|\bet\b|\by\b|\be\b)\s*"
_ASKED: Final = (
    ("is table", _TABLE),
    ("no markdown", _PLAIN),
    ("case is lower", _LOWER),
    (
        "case is lower",
        Lazy(
            r"\b(?:in|all|use|only) (?:all )?lower[- ]?case\b(?: letters)?(?=\s*(?:[.;,]|$|only\b|and (?!digits|"
            r"numbers)|on\b))",
            re.IGNORECASE,
        ),
    ),
    (
        "case is upper",
        Lazy(
            r"\b(?:in|all|use|only) (?:all )?(?:upper[- ]?case|capital letters|capitals)\b(?: "
            r"letters)?(?=\s*(?:[.;,]|$|only\b))",
            re.IGNORECASE,
        ),
    ),
    ("has code block", _BLOCK),
    ('ends with "?", "？"', _QUESTION_END),
    (
        'ends with "?", "？"',
        Lazy(
            r"\b(?:last sentence|letzter? satz|dernière phrase|última frase|ultima frase|laatste zin|ostatnie zdanie|"
            r"sista meningen)\s+(?:is|be|ist|est|es|é|è|to|jest|är)\s+(?:always |immer |toujours |siempre )?(?:an?|"
            r"eine|une|una|uma|een|en)?\s*(?:question|frage|pregunta|pergunta|domanda|vraag|pytanie\w*|fråga)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "is number",
        Lazy(
            r"\b(?:only|just|nothing but)\s+(?:with\s+)?(?:the|a|one)?\s*(?:single\s+)?(?:number|score|rating|"
            r"integer)\b(?!\s+(?:of|and|from|between|followed))",
            re.IGNORECASE,
        ),
    ),
    ("is html", _HTML),
    (
        "is csv",
        Lazy(
            r"\b(?:as|in|into|output|return|valid|only|im|als|en|em|somente o|apenas o|solo) (?:valid |the |a )?CSV\b",
            re.IGNORECASE,
        ),
    ),
    (
        "numbered items >= 1",
        Lazy(
            r"(?:\b(?:as|in|using|use|with|return|provide|make)\b|^\W*) ?(?:a )?(?:numbered|ordered) (?:list|steps)\b",
            re.IGNORECASE,
        ),
    ),
    *(
        (f"case is {name}", Lazy(rf"\b{name}[-_ ]?case\b", re.IGNORECASE))
        for name in ("camel", "pascal", "snake", "kebab")
    ),
)


def _denied(text: str, match: re.Match[str]) -> bool:
    return re.search(rf"{NEGATION}[^.;,:]{{0,40}}$", text[: match.start()], re.IGNORECASE) is not None
