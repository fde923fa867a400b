"""Rules of prompts in German, French, Spanish, Portuguese, Italian and Chinese, in their own sentences."""

from __future__ import annotations

from tests.tables import table

from proctor.generate.extract import extract_rules
from proctor.generate.extract.tongues import is_understood, tongue_of
from proctor.prompts.load import parse_prompt

GERMAN = """Du bist ein Assistent für die Produkttexte eines Möbelhauses.
Regeln:
- Schreibe höchstens 60 Wörter.
- Verwende keine Emojis.
- Antworte auf Deutsch und nenne immer den Preis.
- Wenn der Preis fehlt, antworte: "Preis auf Anfrage."
Text: {{text}}
"""
FRENCH = """Tu es un assistant pour les clients d'une banque.
Réponds en français. Ne donne jamais de conseils d'investissement.
La réponse doit faire entre 2 et 4 phrases.
Si la question ne concerne pas la banque, dis : « Je ne peux pas répondre. »
"""
SPANISH = """Eres un asistente de una tienda.
Reglas:
1. Responde siempre en español.
2. No inventes precios.
3. Máximo 80 palabras.
4. Si el cliente pregunta por otra tienda, di "Solo conozco esta tienda."
"""
PORTUGUESE = """Você é um assistente de uma clínica.
Responda em português. Não invente horários. Use no máximo 3 frases.
Se não souber, diga "Vou verificar."
"""
ITALIAN = """Sei un assistente di un museo.
Rispondi sempre in italiano. Non inventare orari. Scrivi al massimo 50 parole.
Se la domanda non riguarda il museo, rispondi: "Posso parlare solo del museo."
"""
CHINESE = """你是一个客服助手，只回答关于产品的问题。
规则：
1. 不得讨论竞争对手
2. 回答不超过100字
3. 请用中文回答
4. 如果不知道答案，请回复："我会再确认。"
"""


@table(
    ("prompt", "texts", "predicates"),
    [
        (
            GERMAN,
            ["Wenn der Preis fehlt, antworte", "nenne immer den Preis"],
            ["words <= 60", "emoji = 0", "language is de"],
        ),
        (FRENCH, ["Ne donne jamais", "Si la question ne concerne"], ["language is fr", "sentences between 2 and 4"]),
        (SPANISH, ["No inventes precios", "Si el cliente pregunta"], ["language is es", "words <= 80"]),
        (PORTUGUESE, ["Não invente", "Se não souber"], ["language is pt", "sentences <= 3"]),
        (ITALIAN, ["Non inventare", "Se la domanda"], ["language is it", "words <= 50"]),
        (CHINESE, ["只回答", "不得讨论竞争对手", "如果不知道"], ["characters <= 100", "language is zh"]),
    ],
)
def test_rules_are_read_in_their_language(prompt: str, texts: list[str], predicates: list[str]) -> None:
    rules = extract_rules(parse_prompt(prompt))
    for text in texts:
        assert any(text in rule.text for rule in rules), f"{text}: {[rule.text for rule in rules]}"
    found = [rule.predicate or "" for rule in rules]
    for predicate in predicates:
        assert any(each.startswith(predicate) for each in found), f"{predicate}: {found}"
    assert len({rule.id for rule in rules}) == len(rules)
    assert not any(rule.text.startswith(("Du bist", "Tu es", "Eres", "Você é", "Sei un")) for rule in rules)


def test_a_fixed_reply_is_excused_from_the_other_rules() -> None:
    lengths = [
        rule.predicate or "" for rule in extract_rules(parse_prompt(FRENCH)) if "sentences" in (rule.predicate or "")
    ]
    assert lengths == ['sentences between 2 and 4 or one of "Je ne peux pas répondre."']


def test_a_language_that_is_not_read_is_known() -> None:
    dutch = (
        "Je bent een assistent voor een winkel. Geef geen korting en zeg dat de klant moet bellen als het niet werkt."
    )
    assert tongue_of(dutch) == "nl"
    assert not is_understood("nl")
    assert is_understood(tongue_of("You help customers of a shop."))
