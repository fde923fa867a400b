from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text import money
from proctor.text.money import find_money, same_amount


@table(
    ("text", "amount", "currency"),
    [
        ("It costs ¥1,200.", "1200", "JPY"),
        ("￥１，２００です", "1200", "JPY"),
        ("1,980円（税込）", "1980", "JPY"),
        ("1万2千円", "12000", "JPY"),
        ("JPY 1,200", "1200", "JPY"),
        ("1200 yen", "1200", "JPY"),
        ("$12.99", "12.99", "USD"),
        ("＄１２．９９", "12.99", "USD"),
        ("US$ 15", "15", "USD"),
        ("USD 12.99", "12.99", "USD"),
        ("12.99 USD", "12.99", "USD"),
        ("$12.99 USD", "12.99", "USD"),
        ("25ドル", "25", "USD"),
        ("25 dollars", "25", "USD"),
        ("75 cents", "0.75", "USD"),
        ("-$5.00", "-5.00", "USD"),
        ("€9", "9", "EUR"),
        ("CAD 9", "9", "CAD"),
        ("$9 CAD", "9", "CAD"),
    ],
)
def test_amounts_in_every_way_they_are_written(text: str, amount: str, currency: str) -> None:
    (found,) = find_money(text)
    assert (found.amount, found.currency, found.high) == (Decimal(amount), currency, None)
    assert found.quote == text[found.start : found.end]


@table("text", ["10% off", "vol. 3", "24 hours", "", "A4 paper", "see you at 5", "won 3 prizes"])
def test_a_number_without_a_currency_is_no_money(text: str) -> None:
    assert find_money(text) == ()


@table("text", ["¥500–¥700", "500円〜700円", "５００〜７００円", "¥500-700", "500 to 700 yen"])
def test_a_range_has_two_ends(text: str) -> None:
    (found,) = find_money(text)
    assert (found.amount, found.high, found.currency) == (Decimal(500), Decimal(700), "JPY")
    assert found.covers(Decimal(600), "JPY")
    assert not found.covers(Decimal(800), "JPY")
    assert not found.covers(Decimal(600), "USD")


def test_two_currencies_side_by_side() -> None:
    yen, dollars = find_money("The book is ¥770 ($10.99).")
    assert (yen.currency, dollars.currency, dollars.amount) == ("JPY", "USD", Decimal("10.99"))
    assert same_amount(yen, [dollars, yen])
    assert not same_amount(yen, [dollars])


@given(
    st.integers(min_value=0, max_value=10**9),
    st.sampled_from(["¥{}", "{}円", "JPY {}", "{} yen", "￥{}"]),
    st.booleans(),
)
def test_whatever_is_written_is_read_back(amount: int, form: str, grouped: bool) -> None:
    (found,) = find_money(form.format(f"{amount:,}" if grouped else amount))
    assert (found.amount, found.currency) == (Decimal(amount), "JPY")


@given(st.text(max_size=300))
def test_any_text_is_read_and_quotes_are_in_it(text: str) -> None:
    for found in find_money(text):
        assert found.quote == text[found.start : found.end]
        assert found.high is None or found.high >= found.amount


@given(
    st.lists(
        st.sampled_from(["us$", "USD", "eur:", "Rs.", "rs", "u\u017fd", "¥", "jp¥", "x", " ", "  ", "\n", ":", "costs"])
    )
)
def test_every_currency_before_a_number_is_looked_for(pieces: list[str]) -> None:
    ahead = "".join(pieces)
    if ahead.rstrip()[-1:] in money._LAST and money._BEFORE.search(ahead) is not None:
        assert money._may_be_currency(ahead)


def test_a_currency_begins_with_a_known_letter() -> None:
    for text in (
        "5 us dollars",
        "5 kuruş",
        "5 zł",
        "5 lira",
        "5 grosze",
        "5 reais",
        "5 francs suisses",
        "5 £",
    ):
        assert find_money(text), text
