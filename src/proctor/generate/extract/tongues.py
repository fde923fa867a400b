"""The words by which prompts in German, French, Spanish, Portuguese, Italian and Chinese open a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from proctor.generate.extract.verbs import COMMANDS
from proctor.generate.extract.vocabulary import worded
from proctor.text.lazy_pattern import Lazy
from proctor.text.predicates.language_guess import language
from proctor.text.script import scripts

__all__ = ["TONGUES", "Tongue", "is_understood", "tongue_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tongue:
    """How one language opens a sentence: about a role, about the input, or with a command.

    ``opening`` is how a command begins, unless the first word is one of ``openers``, which begin other sentences.
    """

    code: str
    role: Lazy
    given: Lazy
    opening: Lazy
    openers: frozenset[str]


def _lazy(pattern: str) -> Lazy:
    return Lazy(pattern, re.IGNORECASE)


_GERMAN: Final = Tongue(
    code="de",
    role=_lazy(r"\W*(?:du bist|sie sind|ich bin|agiere als|stell(?:e)? dir vor|dein name ist|du heißt|du arbeitest)\b"),
    given=_lazy(
        r"\W*(?:du (?:erhältst|bekommst|siehst|hast)|sie erhalten|der (?:benutzer|nutzer|kunde) (?:gibt|stellt|"
        r"schreibt|sendet)|hier (?:ist|sind|folgt)|im folgenden|folgend(?:e|er|es))\b"
    ),
    opening=_lazy(
        r"\W*(?:bitte\s+)?(?:\w{3,}e\b|gib|sei|lies|nimm|sprich|hilf|vergiss|antwort|schreib|nenn|mach|verwend|\w+en "
        r"sie\b|keine?n?\b|nie(?:mals)?\b|nicht\b|nur\b|immer\b|maximal\b|höchstens\b|mindestens\b)"
    ),
    openers=worded(
        "die eine keine alle diese jede deine ihre seine meine unsere welche viele einige solche "
        "beide manche andere weitere heute heute aktuelle relevante mögliche folgende wie "
        "zwischen ohne aufgabe rolle frage adresse sprache ausgabe eingabe anfrage"
    ),
)
_FRENCH: Final = Tongue(
    code="fr",
    role=_lazy(
        r"\W*(?:tu es|vous êtes|je suis|agis|agissez|imagine|ton nom est|tu t'appelles)\b(?! (?:obligé|tenu|chargé))"
    ),
    given=_lazy(
        r"\W*(?:tu (?:reçois|recevras|vas recevoir|as accès)|vous (?:recevez|recevrez)|"
        r"l['’]utilisateur (?:fournit|donne|envoie|pose)|voici|ci-dessous|ci-joint)\b"
    ),
    opening=_lazy(
        r"\W*(?:(?:ne|n['’])\s*\w+|\w+(?:ez|ons)\b|sois\b|soyez\b|fais\b|dis\b|\w{2,}(?:e|is|ds|ts|iens|ens)\b|"
        r"\w{3,}(?:er|ir|re)\b|pas de|pas d['’]|jamais|toujours|uniquement|aucune?|maximum|au maximum|interdiction)"
    ),
    openers=worded(
        "le la les une cette votre notre chaque entre contre autre quelle toute ce ces des dans sans mais plus très "
        "vers après avant exemple contexte langue texte titre réponse question règle sous cas rôle ensuite comme elle"
    ),
)
_SPANISH: Final = Tongue(
    code="es",
    role=_lazy(r"\W*(?:eres|usted es|soy|actúa|actúe|imagina|tu nombre es|te llamas|trabajas)\b"),
    given=_lazy(
        r"\W*(?:recibirás|recibes|tienes acceso|te (?:doy|daré|paso)|el usuario (?:proporciona|da|"
        r"envía|hace)|a continuación|aquí)\b"
    ),
    opening=_lazy(
        r"\W*(?:no\s+\w+|sé\b|di\b|haz\b|pon\b|ten\b|\w{2,}(?:a|e|á|é|alo|elo|ala|ela|alos|elos|ad|ed|ás|és)\b|"
        r"\w{3,}(?:ar|er|ir)\b|nunca\b|jamás\b|siempre\b|solo\b|sólo\b|únicamente\b|máximo\b|como máximo\b|sin\b)"
    ),
    openers=worded(
        "la una esta esa cada toda otra nuestra su el este ese entre sobre desde ante durante para como que de le se "
        "me te donde aunque porque nada algo ella tarea respuesta pregunta persona empresa lengua"
    ),
)
_PORTUGUESE: Final = Tongue(
    code="pt",
    role=_lazy(r"\W*(?:você é|tu és|eu sou|atue|aja|imagine|seu nome é|você trabalha)\b"),
    given=_lazy(r"\W*(?:você (?:receberá|recebe|tem acesso)|o usuário (?:fornece|envia|faz)|a seguir|abaixo|aqui)\b"),
    opening=_lazy(
        r"\W*(?:não\s+\w+|sê\b|seja\b|diga\b|\w{2,}(?:a|e|á|ê)\b|\w{3,}(?:ar|er|ir)\b|nunca\b|"
        r"jamais\b|sempre\b|só\b|apenas\b|somente\b|máximo\b|no máximo\b|sem\b)"
    ),
    openers=worded(
        "a uma esta essa cada toda outra nossa sua o este esse entre sobre desde durante para como que de de se me "
        "te onde embora porque nada ela tarefa resposta pergunta pessoa empresa você base mensagem"
    ),
)
_ITALIAN: Final = Tongue(
    code="it",
    role=_lazy(r"\W*(?:sei|lei è|io sono|agisci|immagina|ti chiami|il tuo nome è|lavori)\b"),
    given=_lazy(r"\W*(?:riceverai|ricevi|hai accesso|l['’]utente (?:fornisce|invia|pone)|di seguito|ecco|qui)\b"),
    opening=_lazy(
        r"\W*(?:non\s+\w+|sii\b|dì\b|fai\b|\w{2,}(?:a|i|alo|ila|ilo)\b|\w{3,}(?:are|ere|ire)\b|"
        r"mai\b|sempre\b|solo\b|soltanto\b|nessun\w*\b|massimo\b|al massimo\b|senza\b)"
    ),
    openers=worded(
        "la una questa quella ogni tutta altra nostra sua il i gli questi quelli tra fra su di da per come che si mi "
        "ti ci dove anche ma nei dei agli degli ai alla della domanda risposta persona azienda lingua sei"
    ),
)
_CHINESE: Final = Tongue(
    code="zh",
    role=_lazy(r"\W*(?:你是|您是|你将扮演|我是|请扮演|扮演)"),
    given=_lazy(r"\W*(?:以下是|下面是|用户(?:会|将)?(?:输入|提供|给出)|你会收到|这是)"),
    opening=_lazy(
        r"\W*(?:请|先|再|把|将|对|根据|按照|不得|不要|不能|不可|禁止|严禁|必须|务必|只能|只|仅|始终|总是|避免|确保|"
        r"保持|使用|用|回答|回复|输出|返回|列出|生成|给出|提供|勿|切勿|应|需|每|语气|风格|字数|篇幅)"
    ),
    openers=frozenset(),
)
TONGUES: Final[Mapping[str, Tongue]] = {
    each.code: each for each in (_GERMAN, _FRENCH, _SPANISH, _PORTUGUESE, _ITALIAN, _CHINESE)
}

_ENGLISH: Final = worded(
    "the a an of and or to is are be must should never always only with without you your if not no any"
)
_ONLY_ENGLISH: Final = worded("the and of to are must should never always only with without you your if not any")
_LEAST_WORDS: Final = 20
_FOREIGN: Final = 0.04  # the share of such words below which a text is not English
_PLACE: Final = Lazy(r"\{\{[^{}]*\}\}")


@lru_cache(maxsize=16)
def tongue_of(text: str) -> str:
    """Return the code of a prompt's language, ``und`` for one that is not English, or nothing if it cannot be told."""
    bare = _PLACE.sub(" ", text)
    found = scripts(bare)
    if found.get("kana", 0) >= 3:
        return "ja"
    if found.get("han", 0) > 0.3 * max(1, sum(found.values())):
        return "zh"
    begun = next((line for line in bare.split("\n") if line.strip()), "")
    named = [code for code, each in TONGUES.items() if each.role.match(begun)]
    guess = language(bare) or (named[0] if len(named) == 1 else "")
    if not guess and _is_foreign(bare):
        return "und"
    return guess if guess in ("", "en") or not _is_english(bare, guess) else "en"


def _is_foreign(text: str) -> bool:
    """Whether a text that is no known language is long enough for English, and has next to none of its words."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    return len(words) >= _LEAST_WORDS and sum(word in _ONLY_ENGLISH for word in words) < _FOREIGN * len(words)


def _is_english(text: str, guess: str) -> bool:
    """Whether a short text has more English words than words of the guessed language."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    english = sum(word in COMMANDS or word in _ENGLISH for word in words)
    other = sum(len(word) < 4 or not word.isascii() for word in words) if guess in TONGUES else 0
    return len(words) < 40 and 2 <= english >= other


def is_understood(code: str) -> bool:
    """Whether the words of this language are known; a language that cannot be told is taken for English."""
    return code in ("", "en", "ja") or code in TONGUES
