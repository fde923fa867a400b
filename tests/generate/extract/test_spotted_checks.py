"""What a sentence of any language asks for is found with the part of the answer that it is about."""

from __future__ import annotations

from tests.tables import table

from proctor.generate.extract import extract_rules
from proctor.generate.extract.fixed_replies import fixed_replies
from proctor.generate.extract.number_words import count_of, in_digits
from proctor.generate.extract.prompt_scope import PromptScope
from proctor.generate.extract.shown_schema import schema_of
from proctor.generate.extract.spotted_checks import find_checks
from proctor.generate.extract.statements import statements_of
from proctor.prompts.load import parse_prompt


@table(
    ("said", "number"),
    [
        ("12", 12),
        ("1,500", 1500),
        ("1.500", 1500),
        ("fifteen", 15),
        ("zwölf", 12),
        ("quinze", 15),
        ("８", 8),
        ("二十", 20),
        ("四十", 40),
    ],
)
def test_numbers_are_read_in_digits_and_words(said: str, number: int) -> None:
    assert count_of(in_digits(said)) == number


@table(
    ("code", "sentence", "predicates"),
    [
        ("en", "One line only, max 72 characters, no period at the end.",
         ["lines = 1", "characters <= 72", 'not (ends with ".", "。")']),
        ("en", "Keep it between forty and sixty words.", ["words between 40 and 60"]),
        ("de", "Verzichte auf Ausrufezeichen und auf Emojis.", ["emoji = 0", "exclamations = 0"]),
        ("de", "Kein Schritt darf länger als 20 Wörter sein.", ["each item: words <= 20"]),
        ("fr", "La réponse doit faire entre 2 et 4 phrases.", ["sentences between 2 and 4"]),
        ("es", "El texto completo no superará las 200 palabras.", ["words <= 200"]),
        ("pt", "Não use listas nem negrito.", ['contains none "**", "__", "<b>", "<strong>"', "items = 0"]),
        ("it", "La scheda è in HTML e usa soltanto i tag h3, p e li.", ["is html", 'tags only "h3", "p", "li"']),
        ("nl", "Hooguit twee zinnen.", ["sentences <= 2"]),
        ("zh", "第一行是标题,不超过20个字。", ["first line: characters <= 20"]),
        ("ja", "一つの文は四十字以内にし、全体は四文以内にまとめます。",
         ["each sentence: characters <= 40", "sentences <= 4"]),
        ("en", 'Always open with "Darling," and sign off with "Kisses, Margo".',
         ['starts with "Darling,"', 'ends with "Kisses, Margo"']),
        ("nl", 'geen vaktaal zoals "ontsporing" of "stremming"',
         ['contains none "ontsporing", "stremming" ignoring case as words']),
    ],
)  # fmt: skip
def test_checks_are_found_in_any_language(code: str, sentence: str, predicates: list[str]) -> None:
    assert sorted(check.predicate for check in find_checks(sentence, PromptScope(language=code))) == sorted(predicates)


@table(
    ("code", "sentence"),
    [
        ("en", "If the text is long, use at most 80 words."),
        ("en", "Ideally use at most 80 words."),
        ("en", "Write about 80 words."),
        ("en", "You may use up to two emoji."),
        ("en", "Start with a summary of at most 20 words."),
        ("en", "Put the answer on a line of its own that begins with “Answer:”."),
        ("en", "New categories must be at most 3 words."),
        ("en", "One guest per line."),
        ("de", "Der Betreff hat höchstens acht Wörter."),
        ("de", "Es gilt, was in der Tabelle weiter oben steht."),
        ("fr", "Une ligne qui parle du temps."),
        ("pt", "Um assunto com até 8 palavras."),
        ("zh", "正文分为三段。"),
        ("zh", "字数不足50字的作文,分数不得高于70。"),
    ],
)
def test_what_holds_in_some_cases_or_for_an_unnamed_part_gives_no_check(code: str, sentence: str) -> None:
    assert find_checks(sentence, PromptScope(language=code)) == ()


@table(
    ("prompt", "reply"),
    [
        ("Wenn der Preis fehlt, antworte: „Preis auf Anfrage.“", "Preis auf Anfrage."),
        ("Ist der Text keine Beschwerde, lautet die Ausgabe KEINE.", "KEINE"),
        ('IF I TYPE "quit", ANSWER ONLY: Full time. Thanks for playing.', "Full time. Thanks for playing."),
        ("If there is a fire, stop.\nReply with exactly this text and nothing more:\n\nWe call you. Wait.\n\nBye.",
         "We call you. Wait."),
        ("京都以外の場所について聞かれたら、「京都だけです。」とだけ答えます。", "京都だけです。"),
    ],
)  # fmt: skip
def test_fixed_replies_are_read_whole(prompt: str, reply: str) -> None:
    read = parse_prompt(prompt)
    assert [said for _, said in fixed_replies(statements_of(read), read.text, ())] == [reply]


def test_a_value_for_a_missing_part_is_no_reply() -> None:
    read = parse_prompt("Si no se mencionó la fecha, escriba «(sin fecha)».")
    assert list(fixed_replies(statements_of(read), read.text, ())) == []


def test_a_shown_shape_with_types_is_a_schema() -> None:
    shown = '{"age": integer or null, "sex": "female" | "male", "drugs": [{"name": string}], "ok": boolean}'
    schema = schema_of(shown)
    assert schema is not None
    assert schema["required"] == ["age", "sex", "drugs", "ok"]
    assert schema["properties"]["age"] == {"type": ["integer", "null"]}
    assert schema["properties"]["sex"] == {"enum": ["female", "male"]}
    assert schema["properties"]["drugs"]["items"]["required"] == ["name"]
    assert schema_of("{not json") is None


def test_labelled_lines_below_a_lead_are_the_shape_of_the_answer() -> None:
    rules = extract_rules(
        parse_prompt(
            "Moderate.\n\nAnswer in two lines:\n\nDecision: ALLOW or HIDE\nReason: at most 20 words\n\n{{comment}}"
        )
    )
    predicates = [rule.predicate for rule in rules]
    assert 'fields in order "Decision:", "Reason:"' in predicates
    assert 'each /Decision:[ \\t]*([^\\n]*)/: one of "ALLOW", "HIDE"' in predicates
    assert "each /Reason:[ \\t]*([^\\n]*)/: words <= 20" in predicates


def test_items_are_under_the_case_that_their_line_names() -> None:
    rules = extract_rules(
        parse_prompt("Help customers.\n\n- For faulty goods:\n  - ask for a photo;\n  - offer a replacement.\n")
    )
    assert [rule.text for rule in rules if "photo" in rule.text] == ["For faulty goods: ask for a photo."]


def test_a_dutch_prompt_is_read_by_its_structure() -> None:
    rules = extract_rules(
        parse_prompt("Je schrijft berichten.\n\nZo moet het:\n- Maximaal 140 tekens.\n- geen links\n\n{{melding}}")
    )
    assert {"characters <= 140", "links = 0"} <= {rule.predicate for rule in rules}
