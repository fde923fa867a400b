"""The words by which prompts in German, French, Spanish, Portuguese, Italian and Chinese ask for something."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from proctor.generate.extract.vocabulary import worded
from proctor.text.lazy_pattern import Lazy

__all__ = ["TONGUES", "Tongue"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tongue:
    """How one language words a request.

    ``opening`` is how an imperative begins, unless the first word is one of ``openers``, which begin other sentences.
    ``bound`` marks an obligation, a limit or a prohibition anywhere in a sentence. ``units`` are patterns of what is
    counted; ``names`` are the languages' own names in it, with the words before them.
    """

    code: str
    role: Lazy
    charge: Lazy
    condition: Lazy
    given: Lazy
    opening: Lazy
    openers: frozenset[str]
    bound: Lazy
    names: str
    tongues: Mapping[str, str]


def _lazy(pattern: str) -> Lazy:
    return Lazy(pattern, re.IGNORECASE)


_GERMAN: Final = Tongue(
    code="de",
    role=_lazy(
        r"\W*(?:du bist|sie sind|ich bin|agiere als|stell(?:e)? dir vor|dein name ist|du heißt|"
        r"du arbeitest)\b"
    ),
    charge=_lazy(r"\W*(?:deine|ihre) (?:haupt)?(?:aufgabe|rolle|ziel) (?:ist|besteht|lautet)\b|\W*dein ziel ist\b"),
    condition=_lazy(r"\W*(?:wenn|falls|sofern|sobald|bei|außer wenn|im fall)\b"),
    given=_lazy(
        r"\W*(?:du (?:erhältst|bekommst|siehst|hast)|sie erhalten|der (?:benutzer|nutzer|"
        r"kunde) (?:gibt|stellt|schreibt|sendet)|hier (?:ist|sind|folgt)|im folgenden|folgend(?:e|"
        r"er|es))\b"
    ),
    opening=_lazy(
        r"\W*(?:bitte\s+)?(?:\w{3,}e\b|gib|sei|lies|nimm|sprich|hilf|vergiss|antwort|schreib|nenn|"
        r"mach|verwend|\w+en sie\b|keine?n?\b|nie(?:mals)?\b|nicht\b|nur\b|immer\b|maximal\b|"
        r"höchstens\b|mindestens\b)"
    ),
    openers=worded(
        "die eine keine alle diese jede deine ihre seine meine unsere welche viele einige solche "
        "beide manche andere weitere heute heute aktuelle relevante mögliche folgende wie "
        "zwischen ohne aufgabe rolle frage adresse sprache ausgabe eingabe anfrage"
    ),
    bound=_lazy(
        r"\b(?:muss|müssen|musst|soll|sollen|sollst|sollte|sollten|darf|darfst|dürfen|"
        r"ausschließlich|niemals|nie|immer|keinesfalls|keine[nrms]?|kein|nur|höchstens|maximal|"
        r"mindestens|ist zu|sind zu|verboten|erlaubt|unbedingt|zwingend)\b"
    ),
    names=r"auf",
    tongues={
        "deutsch": "de",
        "englisch": "en",
        "französisch": "fr",
        "spanisch": "es",
        "italienisch": "it",
        "portugiesisch": "pt",
    },
)
_FRENCH: Final = Tongue(
    code="fr",
    role=_lazy(
        r"\W*(?:tu es|vous êtes|je suis|agis|agissez|imagine|ton nom est|"
        r"tu t'appelles)\b(?! (?:obligé|tenu|chargé))"
    ),
    charge=_lazy(
        r"\W*(?:ta|votre|ton) (?:tâche|mission|rôle|objectif|but|travail) (?:est|consiste)\b|"
        r"\W*tu (?:dois|es chargé)\b|\W*vous devez\b"
    ),
    condition=_lazy(r"\W*(?:si|s['’]il|lorsque|lorsqu|quand|en cas|à moins|sauf si)\b"),
    given=_lazy(
        r"\W*(?:tu (?:reçois|recevras|vas recevoir|as accès)|vous (?:recevez|recevrez)|"
        r"l['’]utilisateur (?:fournit|donne|envoie|pose)|voici|ci-dessous|ci-joint)\b"
    ),
    opening=_lazy(
        r"\W*(?:(?:ne|n['’])\s*\w+|\w+(?:ez|ons)\b|sois\b|soyez\b|fais\b|dis\b|\w{2,}(?:e|is|ds|"
        r"ts|iens|ens)\b|\w{3,}(?:er|ir|re)\b|pas de|pas d['’]|jamais|toujours|uniquement|aucune?|"
        r"maximum|au maximum|interdiction)"
    ),
    openers=worded(
        "le la les une cette votre notre chaque entre contre autre quelle toute ce ces des dans "
        "sans mais plus très vers après avant exemple contexte langue texte titre réponse "
        "question règle sous cas rôle ensuite comme elle"
    ),
    bound=_lazy(
        r"\b(?:doit|doivent|dois|devez|devra|devront|il faut|ne\b.{1,60}\b(?:pas|jamais|aucun|"
        r"rien|que)|n['’]\w+.{0,60}\b(?:pas|jamais|aucun|rien|que)|uniquement|seulement|toujours|"
        r"jamais|obligatoire\w*|interdit|exclusivement|au maximum|maximum|au moins|pas de)\b"
    ),
    names=r"en",
    tongues={"français": "fr", "anglais": "en", "allemand": "de", "espagnol": "es", "italien": "it", "portugais": "pt"},
)
_SPANISH: Final = Tongue(
    code="es",
    role=_lazy(r"\W*(?:eres|usted es|soy|actúa|actúe|imagina|tu nombre es|te llamas|trabajas)\b"),
    charge=_lazy(
        r"\W*(?:tu|su) (?:tarea|misión|rol|objetivo|función|trabajo) (?:es|consiste)\b|"
        r"\W*(?:debes|tienes que|debe)\b"
    ),
    condition=_lazy(r"\W*(?:si|cuando|en caso|a menos que|salvo que)\b"),
    given=_lazy(
        r"\W*(?:recibirás|recibes|tienes acceso|te (?:doy|daré|paso)|el usuario (?:proporciona|da|"
        r"envía|hace)|a continuación|aquí)\b"
    ),
    opening=_lazy(
        r"\W*(?:no\s+\w+|sé\b|di\b|haz\b|pon\b|ten\b|\w{2,}(?:a|e|á|é|alo|elo|ala|ela|alos|elos|"
        r"ad|ed|ás|és)\b|\w{3,}(?:ar|er|ir)\b|nunca\b|jamás\b|siempre\b|solo\b|sólo\b|"
        r"únicamente\b|máximo\b|como máximo\b|sin\b)"
    ),
    openers=worded(
        "la una esta esa cada toda otra nuestra su el este ese entre sobre desde ante durante "
        "para como que de le se me te donde aunque porque nada algo ella tarea respuesta "
        "pregunta persona empresa lengua"
    ),
    bound=_lazy(
        r"\b(?:debe|deben|debes|deberá|deberán|hay que|tiene que|tienes que|únicamente|"
        r"exclusivamente|nunca|jamás|siempre|prohibido|obligatori\w+|solo|sólo|no|máximo|mínimo|"
        r"como máximo|al menos)\b"
    ),
    names=r"en",
    tongues={
        "español": "es",
        "castellano": "es",
        "inglés": "en",
        "francés": "fr",
        "alemán": "de",
        "italiano": "it",
        "portugués": "pt",
    },
)
_PORTUGUESE: Final = Tongue(
    code="pt",
    role=_lazy(r"\W*(?:você é|tu és|eu sou|atue|aja|imagine|seu nome é|você trabalha)\b"),
    charge=_lazy(
        r"\W*(?:sua|seu|tua|teu) (?:tarefa|missão|papel|objetivo|função|trabalho) (?:é|"
        r"consiste)\b|\W*(?:você )?(?:deve|precisa)\b"
    ),
    condition=_lazy(r"\W*(?:se|quando|caso|em caso|a menos que|sempre que)\b"),
    given=_lazy(r"\W*(?:você (?:receberá|recebe|tem acesso)|o usuário (?:fornece|envia|faz)|a seguir|abaixo|aqui)\b"),
    opening=_lazy(
        r"\W*(?:não\s+\w+|sê\b|seja\b|diga\b|\w{2,}(?:a|e|á|ê)\b|\w{3,}(?:ar|er|ir)\b|nunca\b|"
        r"jamais\b|sempre\b|só\b|apenas\b|somente\b|máximo\b|no máximo\b|sem\b)"
    ),
    openers=worded(
        "a uma esta essa cada toda outra nossa sua o este esse entre sobre desde durante para "
        "como que de de se me te onde embora porque nada ela tarefa resposta pergunta pessoa "
        "empresa você base mensagem"
    ),
    bound=_lazy(
        r"\b(?:deve|devem|deverá|deverão|é preciso|precisa|apenas|somente|exclusivamente|nunca|"
        r"jamais|sempre|proibido|obrigatóri\w+|só|não|máximo|mínimo|no máximo|pelo menos)\b"
    ),
    names=r"em",
    tongues={"português": "pt", "inglês": "en", "francês": "fr", "alemão": "de", "italiano": "it", "espanhol": "es"},
)
_ITALIAN: Final = Tongue(
    code="it",
    role=_lazy(r"\W*(?:sei|lei è|io sono|agisci|immagina|ti chiami|il tuo nome è|lavori)\b"),
    charge=_lazy(
        r"\W*(?:il tuo|la tua|il suo) (?:compito|ruolo|obiettivo|missione|lavoro|scopo) (?:è|"
        r"consiste)\b|\W*(?:devi|deve)\b"
    ),
    condition=_lazy(r"\W*(?:se|quando|qualora|in caso|nel caso|a meno che)\b"),
    given=_lazy(r"\W*(?:riceverai|ricevi|hai accesso|l['’]utente (?:fornisce|invia|pone)|di seguito|ecco|qui)\b"),
    opening=_lazy(
        r"\W*(?:non\s+\w+|sii\b|dì\b|fai\b|\w{2,}(?:a|i|alo|ila|ilo)\b|\w{3,}(?:are|ere|ire)\b|"
        r"mai\b|sempre\b|solo\b|soltanto\b|nessun\w*\b|massimo\b|al massimo\b|senza\b)"
    ),
    openers=worded(
        "la una questa quella ogni tutta altra nostra sua il i gli questi quelli tra fra su di "
        "da per come che si mi ti ci dove anche ma nei dei agli degli ai alla della domanda "
        "risposta persona azienda lingua sei"
    ),
    bound=_lazy(
        r"\b(?:deve|devono|dovrà|dovranno|devi|bisogna|soltanto|esclusivamente|unicamente|mai|"
        r"sempre|vietato|obbligatori\w+|solo|non|massimo|minimo|al massimo|almeno)\b"
    ),
    names=r"in",
    tongues={
        "italiano": "it",
        "inglese": "en",
        "francese": "fr",
        "tedesco": "de",
        "spagnolo": "es",
        "portoghese": "pt",
    },
)
_CHINESE: Final = Tongue(
    code="zh",
    role=_lazy(r"\W*(?:你是|您是|你将扮演|我是|请扮演|扮演)"),
    charge=_lazy(r"\W*(?:你的(?:任务|目标|职责|工作)(?:是|为)|你(?:需要|必须|应该|要))"),
    condition=_lazy(r"\W*(?:如果|若|如遇|当|假如|如|倘若|一旦|遇到)"),
    given=_lazy(r"\W*(?:以下是|下面是|用户(?:会|将)?(?:输入|提供|给出)|你会收到|这是)"),
    opening=_lazy(
        r"\W*(?:请|先|再|把|将|对|根据|按照|不得|不要|不能|不可|禁止|严禁|必须|务必|只能|只|仅|始终|总是|避免|确保|保持|使用|用|回答|回复|输出|返回|列出|生成|给出|提供|勿|切勿|"
        r"应|需|每|语气|风格|字数|篇幅)"
    ),
    openers=frozenset(),
    bound=_lazy(
        r"不得|不要|不能|不可|禁止|严禁|必须|务必|只能|只回答|仅|始终|不超过|不少于|以内|至少|最多|应该|应当|需要|请|勿|切勿|避免"
    ),
    names=r"(?:用|使用|以)",
    tongues={"中文": "zh", "简体中文": "zh", "汉语": "zh", "英文": "en", "英语": "en", "日语": "ja"},
)
TONGUES: Final[Mapping[str, Tongue]] = {
    each.code: each for each in (_GERMAN, _FRENCH, _SPANISH, _PORTUGUESE, _ITALIAN, _CHINESE)
}
