"""Whether a limit is for the whole answer: every noun beside it must mean the answer.

A limit such as ``at most 20 words`` is of the noun it stands with. It is taken for one of the whole answer only if the
words around it are known: function words, the answer, what the prompt asks to make, and verbs such as ``keep``. An
unknown noun may be a part of the answer (``Code lines of at most 88 characters``), and the limit is left to a judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proctor.generate.extract.asked_amounts import AND, unit_pattern
from proctor.generate.extract.number_words import COUNT
from proctor.generate.extract.quantity_words import AFTER, BEFORE, NEGATION
from proctor.generate.extract.sections import section_of
from proctor.generate.extract.vocabulary import worded
from proctor.text.lazy_pattern import Lazy
from proctor.text.predicates.language_guess import FUNCTION_WORDS

__all__ = ["PER", "TOTAL", "is_of_whole", "names_answer", "unknown_words", "without_known_words"]

# The answer, in the languages of the prompts that are understood.
_ANSWER: Final = worded(
    """
    answer answers response responses reply replies output outputs result text message it everything
    whole total entire overall complete post turn time request question customer user antwort antworten
    ausgabe nachricht gesamt insgesamt gesamte ganze gesamten alles umfang texts réponse réponses sortie
    texte totalité tout entier complet respuesta respuestas salida texto mensaje todo entero completo
    resposta respostas saída mensagem tudo inteiro risposta risposte testo messaggio tutto intero totale
    antwoord antwoorden uitvoer tekst bericht totaal geheel odpowiedź odpowiedzi całość całości svar
    ответ ответа ответы текст cevap cevabın yanıt yanıtın metin metnin mesaj mesajı mesajın respons
    jawaban pesan balasan odpověď odpovědi zpráva zprávy svaret svaren meddelande meddelandet sms besked
    beskeden vastaus viesti válasz üzenet răspuns răspunsul mesajul απάντηση μήνυμα відповідь відповіді
    повідомлення сообщение сообщения ответе جواب الجواب الإجابة الرد النص الرسالة الملخص जवाब उत्तर
    संदेश câu trả lời tin nhắn תשובה پاسخ wiadomość wiadomości wypowiedź turno réplica mensajes messages
    turns replik
    """
)
# Verbs and adverbs by which a limit is put; none of them names a part.
_VERBS: Final = worded(
    """
    keep keeps output return print format list comma separated plain limiting restrict restricted capped
    write writes stay stays limit limited contain contains have has hold use must should shall may can
    cannot exceed exceeds exceeding long length short shorter longer brief exactly always never please
    strictly total make be answer respond reply give using including counting spaces included maximum
    minimum max min single one only just kept is are do not used using add include including insert put
    anywhere ever either kind any other extra ask asks wrap wrapped json no more than at most least up
    under below within between schreib schreibe schreiben halte halten fasse fassen bleib umfasst
    umfassen enthält enthalten besteht bestehen lang länge kurz antworte antworten darf dürfen soll
    sollen sollte muss müssen sein hat haben nicht höchstens maximal genau immer überschreiten
    übersteigen länger kürzer hältst achte verwende verwendest verwenden benutze benutzen setze nirgends
    irgendwo nutze inklusive pro jede jeder jedes jeden écris écrivez écrire réponds répondez fais
    faites tiens tenez fait faire comporte comporter contient contenir dépasse dépasser doit doivent
    avoir longue longueur compte compter limite limitez toujours emploie employez employer utilise
    utilisez utiliser mets mettez mettre ajoute ajoutez nulle part exactement escribe escriba escribir
    responde responda contesta tiene tener tendrá contiene contener debe deben deberá supera superar
    superará exceder largo longitud extensión máximo mínimo siempre exactamente ningún tipo ocupa usa
    uses usar use utilices utiliza utilizar pongas añadas incluyas limita escreva escrever responder tem
    ter terá contém conter deve devem deverá ultrapassar ultrapasse exceda passar pode podem longo
    tamanho extensão sempre usar coloque inclua utilize exatamente scrivi scrivere scriva rispondi
    rispondere ha avere avrà devono superare superi lungo lunghezza massimo minimo esattamente può usare
    usi inserire aggiungere mettere inserisci schrijf gebruik gebruiken nergens antwoord houd heeft
    hebben moet mag bevat overschrijden lengte altijd precies powinna powinien powinno mieć ma liczy
    zawiera zawsze dokładnie może przekraczać odpowiadaj pisz używaj stosuj должен должна должно быть
    содержит всегда all whatsoever überhaupt absoluto assoluto helemaal leerzeichen satzzeichen espaces
    compris comprises espacios incluidos incluyendo espaços incluindo incluídos spazi inclusi compresi
    spaties meegerekend inbegrepen leestekens punctuation ponctuation puntuación pontuação punteggiatura
    each every any all cada chaque ogni elke elk iedere każda każdy każdego každá každý každé varje hver
    hvert кожна каждый каждое каждая her termine fini finit acaba cierra endet schließt se sich stå rad
    står och får vara ska skall bli måste på en enda ett skriv svara bör består av använd högst må være
    ikke skriv svar vær má mít bude být celý celém celkem piš odpovídej konuşma tam toplam yazın olacak
    geçmesin bir tek तक कुल से में रखें हो लिखें दें दीजिए أن يكون على عن لا يجب بحد أقصى اكتب أجب phải
    viết trả lời harus tulis jawab antaa kirjoita írj válaszolj scrie răspunde γράψε απάντα مين مستقل
    tienen lleva llevan caber cabe quepa dura caben ровно превышать отвечай пиши olmalı olsun yaz
    içermeli
    """
)
# Of these, the ones that ask for a shape or a manner.
_MANNERS: Final = worded("comma separated list format json plain short brief kurz")
_CJK: Final = Lazy(
    r"回答|回复|答复|答案|输出|内容|全文|整体|总共|总|篇幅|字数|长度|文字数|分量|返信|出力|全体|本文全体|답변|응답|"
    r"전체|必须|控制|限制|限|不要|不得|不能|不可|超过|超え|最多|至少|以内|以下|以上|之内|まとめ|書いて|書く|"
    r"してください|ください|すること|にして|します|する|です|ます|必ず|使用|出现|之间|形式|格式|フォーマット|"
    r"使わない|使わず|一切|任何|不要|なし|每次|請|请|应|需|须|用|在|为|有|写|是|的|为|都|均|要|以|内|답글|메시지|"
    r"본문|내용|공백|포함|최대|최소|이내|이하|이상|까지|넘기지|넘지|초과하지|않는다|않습니다|작성|쓴다|씁니다|쓰고|"
    r"쓰세요|한다|합니다|하세요|하고|으로|하나|총|모두|반드시|정확히|[은는을를이가의로에도]"
)
# ``in total``, ``insgesamt``, ``全文``: the limit is of everything, whatever other words stand with it.
TOTAL: Final = Lazy(
    r"\b(?:in total|overall(?!\s+[a-z])|altogether|(?:the )?(?:whole|entire) \w+|complete (?:answer|response|reply|"
    r"message|text|output)|insgesamt|gesamt(?:e|en|er|länge)?|(?:der|die|das) ganze \w+|alles zusammen|(?:el|la|le|"
    r"il|o|a) \w+ (?:enter[oa]|entière?|inter[oa]|inteir[oa]|complet[oa]?)|cał[yae] \w+|вс[её] \w+|en tout|au total|"
    r"(?:l['’]ensemble|la totalité)|en total|todo el (?:texto|mensaje)|toda la respuesta|no total|ao todo|"
    r"(?:mensagem|resposta|texto) inteir[ao]|in tutto|in totale|in totaal|het hele (?:antwoord|bericht)|łącznie|w "
    r"sumie|totalt|sammanlagt|i alt|toplam(?:da)?|всего|в целом)\b|全文|整篇|全部|总共|一共|合計|全体で|전체|총",
    re.IGNORECASE,
)
_WHOLE_PART: Final = re.compile(r"\b(?:whole|entire) (?P<noun>\w+ \w+)")  # ``the whole header line``
_BRACKETS: Final = re.compile(r"[(（][^()（）]*[)）]")
_ADJECTIVE: Final = re.compile(r"\s+[^\W\d_]+\s*")
_UNSPACED: Final = re.compile(r"[぀-ヿ㐀-鿿가-힯]")
_SEGMENT: Final = re.compile(r"[,;:，；：、。]|\s[–—-]\s|\.\s")
_MANNER: Final = Lazy(r"\b(?:in|within|using|auf|mit|en|em|dans|con|com|met|w)\s*$", re.IGNORECASE)
_JOINT: Final = re.compile(rf"(?<=\s){AND.pattern.strip()}(?=\s)|(?<=\w)[和]", re.IGNORECASE)
_BAN: Final = Lazy(rf"\s*(?:{NEGATION})", re.IGNORECASE)
# What the answer is about, behind the limit of all of it: ``at most 30 words about the weather``.
_TOPIC: Final = Lazy(
    r"\s+(?:about|regarding|concerning|über|à propos d[eu]|au sujet d[eu]|sobre|acerca de|riguardo|over|про|om|"
    r"hakkında)\s+(?:[^\W\d_]+\s*){1,4}(?=\W*$)",
    re.IGNORECASE,
)
PER: Final = Lazy(
    r"\b(?:each|every|per|any|jede[nrsm]?|pro|chaque|par|cada|por|ogni|elke?|iedere?|кажд\w+|varje|hver)\b",
    re.IGNORECASE,
)
_LABELLED: Final = re.compile(r"^\W*[^\W\d_][^:：]{0,40}[:：]")
# ``a title, at most ten words``: an indefinite noun before a bare limit may be what it limits; ``in a friendly tone``
# is a manner.
_PART: Final = Lazy(
    r"(?<!\bin )(?<!\bauf )(?<!\ben )(?<!\bem )(?<!\bwith )\b(?:an?|one|eine?[mnr]?|une?|una?|uno|uma?|een|jed(?:en|"
    r"na|no))\s+(?:[^\W\d_]+\s+){0,3}?[^\W\d_]{3,}|\b(?:after|below|under|above|followed|preceded|then|start\w*|"
    r"begin\w*|end\w*|first|last|followed by|with an?|between (?:the|these|those)|zwischen (?:de[nm]|diesen)|entre "
    r"(?:les|los|las|os|as)|tra (?:i|le|gli))\b",
    re.IGNORECASE,
)


def is_of_whole(text: str, start: int, end: int, made: Sequence[str] = ()) -> bool:
    """Whether a limit at this place of a sentence is for the whole answer; ``made`` are nouns that mean it."""
    low, high = _segment(text, start, end)
    low, high = _without_bans(text, low, high, start, end)
    if about := _TOPIC.match(text, end, high):
        alone = not unknown_words(text[low:start], made) and not _PART.search(text[:start])
        high = about.start() if alone and not PER.search(text[end:high]) else high
    task = "{{" in text[:start] and _MANNER.search(text[:start])  # ``Explain {{topic}} in four sentences``
    if task or re.match(r"\s*(?:で|に)(?:返|出力|答|書|まとめ|要約)", text[end:]):  # ``1行で返す``
        return True
    if topic := re.findall(r"([가-힣]+?)(?:은|는)\s", text[low:start]):
        return names_answer(topic[-1], made) or any(noun in topic[-1] for noun in made)
    beside = _BRACKETS.sub(" ", f"{text[low:start]} {text[end:high]}")
    whole = _WHOLE_PART.search(beside)
    if whole and len(unknown_words(whole["noun"], made)) > 1 and not names_answer(whole["noun"], made):
        return False
    if TOTAL.search(beside) or _is_subject(text[low:start], made):
        return True
    if not text[:low].strip() and not unknown_words(text[low:start], made) and _ADJECTIVE.fullmatch(text[end:high]):
        return True  # ``até três parágrafos curtos``
    unknown = unknown_words(beside, made)
    if unknown or names_answer(beside, made):
        return not unknown
    before = text[:low]
    if _LABELLED.match(text) and ":" in before.replace("：", ":"):
        label = re.split(r"[:：]", before)[0]
        ruled = section_of(f"{label}:") in ("rules", "format", "output", "never")
        if not ruled and unknown_words(label, made) and not names_answer(label, made):
            return False
    return not any(
        _PART.search(piece) and unknown_words(piece, made) and not names_answer(piece, made)
        for piece in _SEGMENT.split(before)[-2:]
    )


def _without_bans(text: str, low: int, high: int, start: int, end: int) -> tuple[int, int]:
    """Return the part of a sentence around a limit without the bans that it is joined to: ``… and no emojis``."""
    bans = [(joint.start(), joint.end()) for joint in _JOINT.finditer(text[:high]) if joint.start() >= low]
    for at, upto in bans:
        counted = re.search(COUNT, text[upto:high], re.IGNORECASE)  # ``and no longer than ten letters``
        if at >= end and _BAN.match(text, upto) and not counted:
            return low, at
        if upto <= start and _BAN.search(text[low:at]):
            low = upto
    return low, high


def _is_subject(before: str, made: Sequence[str]) -> bool:
    """Whether the first noun before a limit is the answer: ``Ta réponse tient en``, ``返事は``."""
    words = re.findall(r"[^\W\d_]+", before)
    word = next(
        (word for word in words if _UNSPACED.search(word) or (len(word) > 2 and word.lower() not in FUNCTION_WORDS)), ""
    )
    if _UNSPACED.search(word):
        return (
            re.match(
                r"(?:你的|您的|每[个次]|的)?(?:回答|回复|答复|答案|输出|全文|返信|返事|回答文|出力|答え|답변|응답)",
                word,
            )
            is not None
        )
    return word.lower() in _ANSWER and word.lower() not in _VERBS


def _segment(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the part of the sentence around a place; a bracket belongs to the words before it."""
    opened = max(text.rfind(mark, 0, start) for mark in "(（")
    closed = max(text.rfind(mark, 0, start) for mark in ")）")
    upto = opened if opened > closed else start
    low = max((mark.end() for mark in _SEGMENT.finditer(text, 0, upto)), default=0)
    high = min((mark.start() for mark in _SEGMENT.finditer(text, end)), default=len(text))
    return low, high


def _bare(said: str) -> str:
    """Return the words without other limits."""
    units = re.compile(
        rf"(?:{BEFORE[0][1]}|{BEFORE[2][1]}|{BEFORE[4][1]})?\s*(?:{COUNT})[\s-]*(?:个|つの|"
        rf"の)?(?<![A-Za-zÀ-ÿ]){unit_pattern('fr').replace('?P<unit>', '?:')}\s*(?:{AFTER[0][1]}|{AFTER[2][1]})?",
        re.IGNORECASE,
    )
    return re.sub(COUNT, " ", units.sub(" ", said), flags=re.IGNORECASE)


def unknown_words(said: str, made: Sequence[str]) -> list[str]:
    """Return the words that may name a part of the answer."""
    bare = _bare(said)
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", re.sub(r"[぀-鿿가-힯々ー]+", " ", bare))]
    found = [
        word
        for word in words
        if len(word) > 2 and word not in FUNCTION_WORDS and word not in _ANSWER and word not in _VERBS
        and not _is_made(word, made)
    ]  # fmt: skip
    for run in re.findall(r"[぀-鿿가-힯々ー]+", bare):
        left = run
        for noun in made:
            left = left.replace(noun, " ")
        left = _CJK.sub(" ", left)
        found += re.findall(r"[一-鿿ァ-ヿ가-힯々ー]{2,}", left)
    return found


def without_known_words(said: str, made: Sequence[str]) -> str:
    """Return the text with blanks for the words that ask for nothing beside a limit: the answer, verbs of limits."""
    bare = _CJK.sub(lambda found: " " * len(found.group()), said)
    return re.sub(
        r"[^\W\d_]+",
        lambda word: (
            word.group()
            if _UNSPACED.search(word.group()) or word.group().lower() in _MANNERS or unknown_words(word.group(), made)
            else " " * len(word.group())
        ),
        bare,
    )


def names_answer(said: str, made: Sequence[str]) -> bool:
    """Whether some words name the whole answer."""
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", said)]
    han = re.search(
        r"回答|回复|答复|答案|全文|整体|总共|全体|返信|返事|答え|応答|メッセージ|답변|답글|메시지|응답|전체", said
    )
    return bool(han) or any(word in _ANSWER or _is_made(word, made) for word in words)


def _is_made(word: str, made: Sequence[str]) -> bool:
    return any(
        word == noun or (len(noun) > 3 and len(word) > 3 and (word.startswith(noun) or noun.startswith(word)))
        for noun in made
    )
