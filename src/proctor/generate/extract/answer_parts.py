"""Which part of the answer a sentence of any language is about: all of it, a line, each sentence or another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from proctor.generate.extract.number_words import count_of, in_digits
from proctor.generate.extract.sections import section_of
from proctor.text.lazy_pattern import Lazy

__all__ = ["LINE_OF_TEXT", "OF_ANSWER", "PLACES", "SENTENCE_OF_TEXT", "WHOLE", "AnswerPart", "line_number", "part_at"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPart:
    """A part of the answer; ``form`` is the beginning of its predicates, None where no predicate can name it."""

    form: str | None
    at: int = 0
    placed: bool = False  # somewhere within the answer: ``below it``, ``then``

    def check(self, predicate: str) -> str | None:
        """Return the predicate for this part; None if there is none."""
        if not self.form:
            return predicate if self.form == "" else None
        inner = f"({predicate})" if re.search(r"\b(?:and|or)\b", predicate) else predicate
        return f"{self.form} {inner}"


WHOLE: Final = AnswerPart(form="")
_LINE: Final = r"(?:lines?|linij\w*|wiersz\w*|rad|zeile|ligne|l[ií]nea|linha|riga|regel|行|строк\w*|satır|줄)"
_SENTENCE: Final = (
    r"(?:문장|věta|cümle|جملة|वाक्य|sentences?|phrase|zdani\w*|mening|satz\w*|frase|oraci[oó]n|zin|句|文|предложени\w*)"
)
_PARAGRAPH: Final = r"(?:paragraphs?|absatz\w*|absätze|paragraphe|p[aá]rrafo|par[aá]grafo|paragrafo|段落?|alinea)"
_ITEM: Final = (
    r"(?:bullet(?:[- ]?point)?s?|items?|points?|steps?|entr(?:y|ies)|takeaways?|schritt\w*|punkt\w*|stichpunkt\w*|"
    r"eintrag|étape|puce|point|élément|paso|punto|viñeta|passo|item|tópico|ponto|voce|elemento|stap|条|项|点|"
    r"項目|手順)"
)
_FIRST: Final = (
    r"(?:(?:very )?first|opening|top|erste[nrsm]?|premi[eè]re?|primer[ao]?|"
    r"primeir[ao]|prim[ao]|eerste|pierwsz\w+|första|første|перв\w+|prv\w+|перш\w+)"
)
_LAST: Final = (
    r"(?:(?:very )?last|final|closing|letzte[nrsm]?|derni[eè]re?|últim[ao]|ultim[ao]|"
    r"laatste|ostatni\w*|sista|sidste|последн\w+|posledn\w+|останн\w+)"
)
_EACH: Final = (
    r"(?:each|every|per|any|no|all|jede[rsnm]?|pro|je|kein(?:e[rnms]?)?|alle[rn]?|chaque|par|aucune?|cada|por|"
    r"ning[uú]na?|nenhuma?|ogni|per|nessuna?|elke?|ieder\w*|per|каждая|кажд\w+|każd\w+|každ\w+|varje|hver(?:t)?|her|"
    r"кожн\w+|ing(?:en|et|a)|žádn\w+|żad(?:en|na|ne)|жодн\w+|ни од\w+|hiçbir|हर|كل|每一?个?|各|一つの|1つの|一条)"
)
# ``A line has at most ten words`` is about each; ``a line that begins with`` is about one
_ANY: Final = r"(?:an?|eine?|une?|una?|uma?|een)"
_HAS: Final = (
    r"(?=\s+(?:has|have|is|must|may|should|never|contains|hat|ist|darf|soll|muss|a|est|doit|fait|compte|tiene|es|"
    r"debe|tem|é|deve|ha|è|heeft|mag|moet|telt)\b)"
)
OF_ANSWER: Final = (
    r"(?:answers?|responses?|results?|repl(?:y|ies)|outputs?|messages?|turns?|posts?|e-?mails?|texts?|questions?|"
    r"antwort\w*|nachricht\w*|ausgabe|réponse|message|odpow\w+|odpov\w+|wypowied\w+|svar|meddelande|besked|mesaj\w*|"
    r"yanıt\w*|відповід\w+|जवाब|الرد|respuesta|mensaje|resposta|mensagem|risposta|messaggio|antwoord|ответ\w*|回答|"
    r"回复|答案|返信|回|request|query|customer|user|time|day|kunde\w*|client|cliente|conversation|conversación)"
)
LINE_OF_TEXT: Final = Lazy(rf"\b(?:{_LINE}|{_PARAGRAPH}|afsnit|akapit\w*|odstav\w*)\b|行|줄|段", re.IGNORECASE)
SENTENCE_OF_TEXT: Final = Lazy(rf"\b{_SENTENCE}\b", re.IGNORECASE)
_MARKERS: Final[tuple[tuple[str | None, Lazy], ...]] = tuple(
    (form, Lazy(pattern, re.IGNORECASE))
    for form, pattern in (
        (
            "first line:",
            rf"\b{_FIRST}\s+(?:\w+\s+)?{_LINE}\b|第一行|首行|(?:1|１|一|最初の)行目?(?=は|に)|첫 (?:번째 )?줄|السطر "
            rf"الأول|पहली पंक्ति|первая строка|první řádek|ilk satır",
        ),
        (
            "last line:",
            rf"\b{_LAST}\s+(?:\w+\s+)?{_LINE}\b|最后一行|末行|最後の行|最終行|마지막 줄|السطر الأخير|अंतिम पंक्ति|"
            rf"poslední řádek|son satır",
        ),
        ("first sentence:", rf"\b{_FIRST}\s+{_SENTENCE}\b|第一句|最初の文|첫 (?:번째 )?문장|첫문장|ilk cümle"),
        ("last sentence:", rf"\b{_LAST}\s+{_SENTENCE}\b|最后一句|最後の文|마지막 문장|son cümle"),
        (
            None,
            rf"\b(?:{_FIRST}|{_LAST}|second|zweite\w*|deuxième|segund[ao]|"
            rf"second[ao])\s+(?:\w+\s+)?{_PARAGRAPH}\b|第[一二三]段",
        ),
        (
            "each sentence:",
            rf"\b{_EACH}\s+{_SENTENCE}\b|(?:每句|每个句子|一つの文|一文(?=は|を|が|あたり)|各文)|한 문장(?:은|"
            rf"에|당)|각 문장|문장마다",
        ),
        (
            "each line:",
            rf"\b{_EACH}\s+{_LINE}\b|^\W*{_ANY}\s+{_LINE}\b{_HAS}|每行|每一行|各行|한 줄(?:은|에|당)|각 줄|줄마다",
        ),
        ("each paragraph:", rf"^\W*{_ANY}\s+{_PARAGRAPH}\b{_HAS}|\b{_EACH}\s+{_PARAGRAPH}\b|每段|每个段落|各段落"),
        ("each item:", rf"\b{_EACH}\s+{_ITEM}\b|^\W*{_ANY}\s+{_ITEM}\b{_HAS}|每条|每项|每点|每个要点|各項目|各条"),
        (
            "",
            rf"\b{_EACH}\s+(?:single\s+)?{OF_ANSWER}\b|\bin total\b|\bthe whole\b|\binsgesamt\b|\bau total\b|"
            rf"\ben total\b|"
            r"每(?:次|条|个|份)(?:回复|回答|输出)|毎回|\bno total\b|\bin totale\b|\binteir[ao]\b|\bcomplet[ao]s?\b|"
            r"\bgesamte?\w*\b|全文|全体|整体|整篇|总共|一共",
        ),
        (
            None,
            r"\b(?:an?|one|own|separate|new|single) line\b(?= (?:that|which|of its own|starting|beginning))|\bline "
            r"of (?:its|their) own\b|\beine[rm]? (?:eigenen |neuen )?zeile\b|\bune ligne\b|\buna línea\b|\buma "
            r"linha\b|\buna riga\b|单独一行|另起一行",
        ),
        (
            None,
            r"\beach\b(?=\s+(?:of|with|at|under|no|up|between|max|not|in|having|containing)\b)|\bjeweils\b|"
            r"\bchacune?\b|\bcada un[oa]\b|\bcada uma?\b|\bciascun[oa]\b",
        ),
        (None, r"\b(?:each|every|jede[rsnm]?|chaque|cada|ogni|elke?)\s+[^\W\d_]{3,}|每|各(?!位)"),
        (
            None,
            r"\b(?:titles?|headlines?|subject(?: line)?|captions?|headings?|greeting|intro(?:duction)?|conclusion|"
            r"betreff\w*|titel\w*|überschrift\w*|einleitung|anrede|titre|objet|introduction|chapeau|légende|asunto|"
            r"título|titular|encabezado|assunto|manchete|titolo|oggetto|introduzione|onderwerp|body|haupttext|corps|"
            r"cuerpo|corpo|meta[- ]description|hook|name|slogan|tagline|regel|rule|règle|regla|regra|regola|reason|"
            r"begründung|raison|motivo|razón|motivazione)(?!\w)|标题|主题|开头|件名|タイトル|見出し|正文|本文|理由|"
            r"原因|제목|본문",
        ),
    )
)
# The places of an answer that have a name, each with the beginning of its predicates.
PLACES: Final = tuple((str(form), pattern) for form, pattern in _MARKERS if str(form).startswith(("first", "last")))
# ``three bullets, each of``: each of what the sentence has named.
_EACH_OF: Final = Lazy(
    r"(?:\b(?:each|jeweils|je|chacune?|cada un[oa]|ciascun[oa]|ognun[oa]|elk|każd\w+)|每[个条项]|各)\s*"
    r"(?:(?:of|de|d['’]|di|mit|with|von|à|con|met|z)\s*)?$",
    re.IGNORECASE,
)
_EACH_ONE: Final = re.compile(r"(?:each|every|jede|chaque|cada|ogni|elk|每|各)", re.IGNORECASE)
_COUNTED: Final = tuple(
    (form, Lazy(rf"(?<![^\W\d_]){unit}", re.IGNORECASE))
    for form, unit in (
        ("each item:", rf"(?:{_ITEM[3:-1]}|puces|viñetas|marcadores|punti elenco)"),
        ("each paragraph:", _PARAGRAPH),
        ("each line:", _LINE),
        ("each sentence:", _SENTENCE),
    )
)
# A place within the answer, which the rest of the sentence is about.
_PLACED: Final = Lazy(
    r"(?:^|[,;:(–—]\s*|\band\s+|\bund\s+|\bet\s+|\by\s+|\be\s+)(?:then|next|finally|after(?:wards| that)|below|"
    r"underneath|above|between (?:them|these|those|the two)|dazwischen|entre (?:les deux|ces deux|ambas?|ambos)|tra "
    r"(?:queste|i due|le due)|at the (?:end|bottom|top)|followed by|add|append|close with|end with|start with|begin "
    r"with|darunter|darüber|danach|anschließend|zuletzt|zum schluss|am (?:ende|anfang|schluss)|d['’]abord|ensuite|"
    r"puis|enfin|à la fin|au début|debajo|después|luego|al final|al principio|por último|abaixo|depois|em seguida|no "
    r"final|ao final|por fim|sotto|poi|infine|alla fine|in fondo|最后|然后|接着|末尾|最後に|次に|その後)(?!\w)",
    re.IGNORECASE,
)
_ARTICLE: Final = Lazy(
    r"\b(?:an?|one|the|ein(?:e[nmrs]?)?|eine[nr]?|der|die|das|dem|den|une?|le|la|les|una?|el|los|las|uma?|o|os|as|il|"
    r"lo|gli)\s+(?:[^\W\d_]+\s+){0,4}?(?P<noun>[^\W\d_]{3,})\s+(?:(?:of|with|in|at|under|mit|von|zu|aus|de|d['’]|en|"
    r"avec|à|con|com|em|di|da)\s+)?$",
    re.IGNORECASE,
)


# Verbs between a subject and its amount: ``The result must have`` is about the result.
_VERBS: Final = re.compile(
    r"(?:\b(?:must|should|shall|may|can|will|have|has|had|be|is|are|contains?|runs?|takes?|not|never|exceed\w*|"
    r"stays?|to|muss|müssen|soll\w*|darf|dürfen|hat|haben|ist|sind|umfass\w*|enthält|enthalten|bestehen|aus|nicht|"
    r"doit|doivent|ne|pas|contient|contenir|fait|faire|comporte\w*|avoir|être|compte|compter|tient|tenir|est|sera|"
    r"dépass\w*|debe\w*|tiene|tendrá|tener|contener|ser|no|es|será|super\w*|ocup\w*|deve\w*|tem|ter|conter|terá|não|"
    r"é|pode|ha|avrà|avere|contenere|essere|è|non|può|moet\w*|mag|heeft|is|niet)\s+)+$",
    re.IGNORECASE,
)
# ``New categories must be``: a subject without an article.
_SUBJECT: Final = Lazy(
    r"^\W*(?:[^\W\d_]+\s+){0,4}?(?P<noun>[^\W\d_]{3,})\s+(?:must|should|shall|may|muss|müssen|soll\w*|darf|dürfen|"
    r"doit|doivent|debe\w*|deve\w*|devono|moet\w*|mag|mogen)\s",
    re.IGNORECASE,
)
_ANSWERS: Final = Lazy(
    rf"{OF_ANSWER}|you|they|this|sie|tout|todo|tudo|tutto|alles|everything|usted|você|jij", re.IGNORECASE
)
# ``Asistentes: one line``: the label names a part, unless it names what is asked for.
_LABEL: Final = re.compile(r"\W*(?P<label>[^\W\d_][^:：\n\"“«]{0,40}?)\**\s*[:：](?=\s|\*|[一-鿿ぁ-ヿ])")
_RULE_LABEL: Final = Lazy(
    r"length|format|language|tone|style|limit|output|answer|response|reply|emoji|rule|note|important|layout|länge|"
    r"sprache|stil|ton\b|ausgabe|antwort|umfang|wichtig|longueur|langue|style|réponse|sortie|longitud|extensión|"
    r"idioma|estilo|formato|respuesta|salida|tamanho|extensão|saída|resposta|lunghezza|lingua|stile|risposta|lengte|"
    r"taal|字数|语言|长度|格式|要求|文字数|言語|出力|回答|分量|\b(?:return|write|use|keep|only|do|don['’]t|never|"
    r"always)\b",
    re.IGNORECASE,
)


_LISTS: Final = Lazy(r"list|liste|lista|elenco|lijst|aufzählung|numerat[ao]|numerad[ao]|puntat[ao]", re.IGNORECASE)
_NUMBERED_LINE: Final = Lazy(
    rf"\W*(?:{_LINE}\s*(?P<after>\d{{1,2}})|(?P<before>\d{{1,2}})(?:st|nd|rd|th|[ªºe.]|ème)?\s*{_LINE}|"
    rf"第(?P<han>[一二三四五六七八九1-9])行|(?P<kana>\d{{1,2}})行目)\W*",
    re.IGNORECASE,
)


def line_number(label: str) -> int:
    """Return which line of the answer a label names: ``Line 2``, ``Zeile 2``, ``第二行``; 0 if it names none."""
    found = _NUMBERED_LINE.fullmatch(in_digits(label))
    return count_of(next(filter(None, found.groups()))) if found else 0


def part_at(text: str, at: int, made: Sequence[str] = ()) -> AnswerPart:
    """Return what the words at this place are about; ``made`` are the nouns that mean the whole answer."""
    before = text[:at]
    label = _LABEL.match(before)
    if (
        label
        and len(label["label"].split()) <= 3
        and not _RULE_LABEL.search(label["label"])
        and section_of(f"{label['label']}:") not in ("rules", "format", "output", "never")
        and not _is_made(label["label"], made)
    ):
        return AnswerPart(form=None)
    if _EACH_OF.search(before):
        unit = next((form for form, pattern in _COUNTED if pattern.search(before)), None)
        return AnswerPart(form=unit)
    found: list[AnswerPart] = []
    for form, pattern in _MARKERS:
        for match in pattern.finditer(before):
            if form is None and not _EACH_ONE.match(match.group()) and _is_made(match.group(), made):
                continue
            found.append(AnswerPart(form=form, at=match.start()))
    placed = [each for each in found if each.form is not None]
    if placed:  # ``the first line is the title, at most …``: the place that can be named
        last = max(placed, key=lambda each: each.at)
        return last if last.form else WHOLE
    if found:
        return max(found, key=lambda each: each.at)
    if _PLACED.search(before):
        return AnswerPart(form=None, placed=True)
    for pattern, said in ((_SUBJECT, before), (_ARTICLE, _VERBS.sub("", before))):
        named = pattern.search(said)
        if (
            named
            and not _is_made(named["noun"], made)
            and not _LISTS.fullmatch(named["noun"])
            and not _ANSWERS.fullmatch(named["noun"])
        ):
            return AnswerPart(form=None, at=named.start())
    return WHOLE


def _is_made(said: str, made: Sequence[str]) -> bool:
    words = re.findall(r"\w+", said.lower())
    return any(word.startswith(noun) or noun.startswith(word) for word in words for noun in made if len(word) > 2)
