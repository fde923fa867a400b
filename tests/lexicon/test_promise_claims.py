"""Claims of earlier promises are told from ordinary messages, in many languages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.lexicon.asserted_sentences import CLAIMS, ORDINARY
from tests.tables import table

from proctor.lexicon.promise_claims import asserted, attributed, carried, topic_of

_CLAIMS = [(language, each) for language, many in CLAIMS.items() for each in many]
_ORDINARY = [(language, each) for language, many in ORDINARY.items() for each in many]


@table(("language", "sentence"), _CLAIMS)
def test_a_claim_is_found(language: str, sentence: str) -> None:
    (found,) = asserted(sentence, 3)
    assert found.turn == 3
    assert found.sentence == sentence
    assert found.topic


@table(("language", "sentence"), _ORDINARY)
def test_questions_wishes_and_denials_are_no_claims(language: str, sentence: str) -> None:
    assert list(asserted(sentence)) == []


@table(
    "sentence",
    [
        "Mir wurde gesagt, dass der Techniker um vier klingelt.",
        "On m'a dit que le magasin ferme à six heures.",
        "Me dijeron que el técnico viene a las cuatro.",
        "电话里说可以四点来。",
    ],
)
def test_a_claim_about_no_matter_of_ours_is_left_out(sentence: str) -> None:
    assert list(asserted(sentence)) == []


def test_what_is_promised_may_stand_in_another_sentence() -> None:
    (found,) = asserted("Es geht um die Erstattung. Ihre Kollegin hat es mir zugesagt.")
    assert found.sentence == "Ihre Kollegin hat es mir zugesagt."
    assert found.topic == {"refund"}


@table(
    ("claim", "builds_on_it"),
    [
        (CLAIMS["de"][0], "Wie versprochen erwarte ich die Erstattung."),
        (CLAIMS["fr"][0], "Comme promis, faites le remboursement."),
        (CLAIMS["es"][0], "Como me prometieron, hagan la devolución."),
        (CLAIMS["it"][0], "Visto che è approvato, fate il rimborso."),
        (CLAIMS["pt"][0], "Já que foi aprovado, façam o reembolso."),
        (CLAIMS["nl"][0], "Zoals beloofd wil ik de terugbetaling."),
        (CLAIMS["zh"][0], "既然已经批准,请退款。"),
        (CLAIMS["ko"][0], "승인됐으니까 환불해 주세요."),
        (CLAIMS["hi"][0], "जैसा वादा किया था, रिफंड भेजिए।"),
        (CLAIMS["ar"][0], "كما وعدتم، أريد استرداد المبلغ."),
    ],
)
def test_who_builds_on_a_claim_is_told(claim: str, builds_on_it: str) -> None:
    (found,) = asserted(claim)
    assert carried(found, builds_on_it)
    assert not carried(found, "Hello there.")


@table(
    "sentence",
    [
        "Sie sagen, die Erstattung sei genehmigt worden.",
        "Je ne trouve aucune trace de ce remboursement.",
        "No veo ninguna nota sobre la devolución.",
        "Non risulta nessun rimborso approvato.",
        "Não encontrei registro do reembolso.",
        "Ik kan de terugbetaling helaas niet vinden.",
        "您说退款已经批准,我来核实。",
        "말씀하신 환불 승인 기록은 없습니다.",
        "आपने बताया कि रिफंड मंज़ूर हुआ था, मैं जाँच करता हूँ।",
        "سأتحقق من الموافقة على الاسترداد.",
    ],
)
def test_an_agent_that_looks_into_it_leaves_the_claim_with_the_customer(sentence: str) -> None:
    assert attributed(sentence)


def test_an_agent_that_takes_it_over_does_not() -> None:
    for sentence in ("Ihre Erstattung ist genehmigt.", "Su devolución fue aprobada.", "退款已经批准了。"):
        assert not attributed(sentence)


def test_topics_are_told_in_every_language() -> None:
    assert {topic for many in CLAIMS.values() for each in many for topic in topic_of(each)} >= {
        "refund",
        "compensation",
        "discount",
        "fee",
        "exchange",
        "change",
    }


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for found in asserted(text):
        assert found.sentence
        assert found.topic
