from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.japanese import japanese_slips, register_of


@table(
    ("text", "kind"),
    [
        ("商品をを返送してください。", "particles"),
        ("寿司二郎がを食べました。", "particles"),
        ("英語を勉強をします。", "particles"),
        ("ご注文ありがとうございますます。", "repetition"),
        ("在庫はこちらで見れます。", "verb form"),
        ("お客様がおっしゃられた商品です。", "politeness"),
        ("ｺﾐｯｸの在庫があります。", "width"),
        ("全１２巻、1冊770円です。", "width"),
        ("在庫があります.", "width"),
        ("こちら の 商品 は 人気 です。", "spaces"),
        ("这本书は人気です。", "other language"),
        ("返品は15日以内だ。お手続きはマイページからお願いします。", "register"),
    ],
)
def test_a_slip_is_found(text: str, kind: str) -> None:
    assert kind in [slip.kind for slip in japanese_slips(text)]


@table(
    "text",
    [
        "返品は商品到着後15日以内に承ります。未開封の商品が対象です。",
        "私ががんばってお探しします。母は本を読むのを楽しみにしています。",
        "そこでできることはたくさんあります。ますます人気です。",
        "『鬼滅の刃』（Kimetsu no Yaiba）は全23巻です。在庫：あり",
        "おすすめは次の通りです。\n- 宵闇病棟：怖い話だ\n- 塩の社の下：海底が舞台である",
        "「もうだめだ」というせりふが有名です。",
        "山田 太郎先生の作品です。",
        "写真と線画、時間と門、長い話を読む語り手です。",
    ],
)
def test_right_japanese_is_left_alone(text: str) -> None:
    assert japanese_slips(text) == ()


def test_the_ending_tells_the_register() -> None:
    assert register_of("在庫があります。") == "polite"
    assert register_of("少々お待ちくださいね！") == "polite"
    assert register_of("在庫がある。") == "plain"
    assert register_of("在庫なし") == "open"


@given(st.text(alphabet=st.sampled_from("をがはにのでですますだった。、 本商品12１２A"), max_size=200))
def test_slips_lie_inside_the_text(text: str) -> None:
    for slip in japanese_slips(text):
        assert 0 <= slip.start <= len(text)
        assert slip.weight > 0
