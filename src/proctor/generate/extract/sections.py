"""Classify what a heading or a lead-in line introduces."""

from __future__ import annotations

import re
from typing import Final, Literal

from proctor.text.lazy_pattern import Lazy

__all__ = ["Section", "section_of"]

Section = Literal[
    "plain", "rules", "example", "input", "format", "labels", "fields", "tools", "never", "include", "output"
]

# The first match wins, so specific patterns come before general ones.
_KINDS: Final[tuple[tuple[Section, str], ...]] = (
    (
        "example",
        r"\b(?:examples?|few[- ]?shots?|demonstrations?|sample (?:input|output|dialog\w*|conversation)s?)\b|"
        r"例(?!外)|サンプル|示例|样例|예시|उदाहरण|مثال|أمثلة|ตัวอย่าง|\b(?:beispiele?|exemples?|ejemplos?|exemplos?|"
        r"esemp(?:io|i)|voorbeeld(?:en)?|пример\w*|приклад\w*|przykład\w*|příklad\w*|örnek\w*|exempel|eksemp\w+|"
        r"esimer\w+|péld\w+|exempl[ue]|contoh|ví dụ|παράδειγμα\w*)\b",
    ),
    (
        "never",
        r"(?:\bdo not|\bdon[’']?ts?|\bnever|\bavoid(?: the following| these)?|\bmust not|\bshould not|\bmay not|"
        r"\bcannot|\bprohibited|\bforbidden|\bnot allowed|\boff[- ]limits|\bthings to avoid)(?: the following| any "
        r"of the following| topics| behaviou?rs?| to)?\W*$|^\W*(?:禁止|してはいけない)",
    ),
    (
        "never",
        r"\b(?:verboten|interdit|prohibido|proibido|vietato|was du nicht|ce que tu ne|lo que no|"
        r"o que não|cosa non)\b[^.]*$|^\W*禁止",
    ),
    (
        "tools",
        r"\b(?:tools?|functions?|apis?|plugins?)\b(?: you (?:can|may) use)?\W*$|\bhave access to\b|ツール|工具|도구|"
        r"^\W*(?:[^\W\d_]+\W+){0,2}(?:werkzeuge?|outils|herramientas|ferramentas|strumenti|gereedschap|narzędzia|"
        r"инструменты|verktyg|araçlar)(?:\W+[^\W\d_]+){0,2}\W*$",
    ),
    (
        "fields",
        r"\b(?:fields?|keys|properties|attributes|columns|key[- ]value pairs)\b[^.]*$|\bkey\W*$|項目|キー",
    ),
    (
        "format",
        r"\b(?:exactly|only|these|following) (?:\w+ )?(?:lines|labels|headings|sections|parts)\W*[:：]\W*$|"
        r"^\W*(?:présentation|presentación|presentazione|apresentação|aufbau|form|forma|forme|vorm|biçim)\W*$|"
        r"\b(?:format|formato|formát|template|schema|structure|layout|looks? like(?: this)?)\b|\bas (?:valid "
        r")?json\W*$|\b(?:return|respond with|output|reply with|answer with|"
        r"produce)\b[^.]{0,40}\bjson\b[^.]{0,40}[:：]\W*$|\bJSON\b[^.]{0,60}[:：]\W*$|形式|フォーマット|書式|格式|형식|양식",
    ),
    (
        "labels",
        r"\b(?:one|any|some) of (?:the following|these|those)\b|\bas one of\W*$|\bchoose (?:from|between)\b|"
        r"\b(?:categor(?:y|ies)|labels?|classes|tags?|intents?|sentiments?|options|choices|possible (?:values|"
        r"answers|outputs)|allowed (?:values|answers|outputs)|valid (?:values|answers))\b(?: (?:are|include|below|"
        r"used in this task))?\W*$|カテゴリー?|ラベル|分類先|選択肢|(?:类别|标签|分类|选项|라벨|카테고리|분류)\W*$|"
        r"^\W*(?:kategorien?|catégories?|étiquettes|categorías|etiquetas|categorias|categorie|etichette|etiketten|"
        r"kategoriler|kategorie|категории|метки|kategorier|codes?)\W*$",
    ),
    (
        "include",
        r"\b(?:includes?|contains?|covers?|mentions?|consists? of|provides?|with|has|have)"
        r"(?: (?:all )?(?:of )?(?:the following|these)(?: [\w-]+){0,3})?\W*$|含めて",
    ),
    (
        "rules",
        r"\b(?:rules?|guidelines?|requirements?|instructions?|constraints?|important|must|should|always|steps?|"
        r"criteria|principles?|restrictions?|polic(?:y|ies)|follow|remember|notes?|tone|style|tasks?|guardrails)\b|"
        r"\b(?:\w*regeln?|anforderungen|anweisungen|vorgaben|wichtig|aufgaben?|richtlinien|stil|règles?|consignes?|"
        r"instructions?|exigences|contraintes|reglas?|instrucciones|requisitos|directrices|normas|importante|tareas?|"
        r"regras?|instruções|diretrizes|regole|istruzioni|requisiti|linee guida|compiti)\b|ルール|決まり|きまり|規則|"
        r"条件|注意|制約|指示|要件|手順|规则|要求|约束|限制|注意事项|原则|任务",
    ),
    (
        "output",
        r"^\W*(?:(?:the|your) )?(?:output|response|answer|reply|deliverables?|result)s?\W*$|^\W*出力\W*$|"
        r"^\W*(?:(?:die|la|le|el|il|o|a|de|het) )?(?:ausgabe|antwort|sortie|réponse|salida|respuesta|saída|resposta|"
        r"risposta|uitvoer|antwoord|输出|回答|回复|출력|답변)\W*$",
    ),
    (
        "input",
        r"^\W*(?:the |your |user(?:'s)? )?(?:input|context|background|about\b.*|text|document|article|abstract|"
        r"conversation(?: history)?|transcript|data|message|query|question|knowledge base|company.*|product.*|"
        r"definitions?|glossary|information|facts|history|review|email|passage|sentence|code|source|content)\W*$|"
        r"\byou (?:will|are|may) (?:be )?(?:given|receiv|provided|presented|see)|入力|文章|背景|テキスト|资料|上下文|"
        r"输入|^\W*(?:der |die |das |le |la |l['’]|el |il |o |a )?(?:kontext|eingabe|hintergrund|contexte|entrée|"
        r"contexto|entrada|contesto|frage|pregunta|pergunta|domanda|nachricht|mensaje|mensagem)\W*$",
    ),
)
_COMPILED: Final = tuple((kind, Lazy(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)


def section_of(lead: str) -> Section:
    """Return the kind of section under a heading or a lead-in; ``plain`` if it is unknown."""
    for kind, pattern in _COMPILED:
        if pattern.search(lead):
            return kind
    return "plain"
