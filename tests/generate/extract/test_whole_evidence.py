"""What an answer must have is checked of all of it only where the sentence says so."""

from __future__ import annotations

from tests.tables import table

from proctor.generate.extract import extract_rules
from proctor.prompts.load import parse_prompt


def _predicates(text: str) -> list[str]:
    return [rule.predicate for rule in extract_rules(parse_prompt(text)) if rule.predicate]


@table(
    ("prompt", "predicate"),
    [
        ('You write mails. Begin with "Dear team,". Be kind.', 'starts with "Dear team,"'),
        ('You write mails. A postscript begins with "PS". Be kind.', None),
        ('You write mails. Conclude with a "Recommendation" section. Be kind.', None),
        ("Extract a recipe for cooks. Add a description of the meal. It has at most three sentences.", None),
        ("Faça cartões. Cada cartão tem duas linhas:\n\nP: pergunta\nR: resposta", None),
        ("議事録を清書します。決定事項は番号を付け、一件を60字以内で書く。雑談は省く。", None),
        ("Plan a trip. Give 3 to 5 bullets on food. Give 10 to 20 bullets on sights.", None),
    ],
)
def test_a_part_is_not_the_answer(prompt: str, predicate: str | None) -> None:
    of_whole = ("starts", "ends", "sentences", "lines", "characters", "bullets", "when bullets")
    found = [each for each in _predicates(prompt) if each.startswith(of_whole)]
    assert found == ([predicate] if predicate else [])
