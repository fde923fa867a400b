"""The simulated traffic of a manga shop: four intents in English and Japanese, as in the example of that name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from proctor.monitor.simulation.scenario import IntentTraffic, TrafficScenario
from proctor.monitor.simulation.traffic_topic import TrafficTopic

__all__ = ["manga_store"]

_TITLES: Final = ("The Dusk Ward", "House of Damp Paper", "Below the Salt Shrine", "The Girl Who Counts Crows")
_FAQ: Final = (
    TrafficTopic(
        id="returns_opened",
        asks={
            "en": (
                "How long do I have to return an opened manga?",
                "Can I return {item} Volume 3 if I already read it?",
                "I opened {item}. Until when can I send it back?",
            ),
            "ja": ("開封した漫画はいつまで返品できますか。", "{item}を読んでしまいましたが、返品できますか。"),
        },
        right={
            "en": "Opened manga can be returned within 15 days of delivery.",
            "ja": "開封した漫画は、お届けから15日以内であれば返品できます。",
        },
        wrong={
            "en": "Opened manga can be returned within 30 days of delivery.",
            "ja": "開封した漫画は、お届けから30日以内であれば返品できます。",
        },
        source="returns-opened-2026-09",
        items=_TITLES,
    ),
    TrafficTopic(
        id="refunds",
        asks={
            "en": ("How long does a refund take?", "When will I get my money back after a return?"),
            "ja": ("返金にはどのくらいかかりますか。",),
        },
        right={
            "en": "Refunds are paid within 5 business days after the parcel reaches the warehouse.",
            "ja": "返金は、商品が倉庫に届いてから5営業日以内に行います。",
        },
        wrong={
            "en": "Refunds are paid within 10 business days after the parcel reaches the warehouse.",
            "ja": "返金は、商品が倉庫に届いてから10営業日以内に行います。",
        },
        source="refunds-2026-06",
    ),
    TrafficTopic(
        id="shipping_cost",
        asks={
            "en": ("How much is shipping in Japan?", "From which amount is shipping free?"),
            "ja": ("日本国内の送料はいくらですか。",),
        },
        right={
            "en": "Shipping within Japan costs 480 yen and is free for orders of 5000 yen or more.",
            "ja": "日本国内の送料は480円で、5000円以上のご注文は無料です。",
        },
        wrong={
            "en": "Shipping within Japan costs 380 yen and is free for orders of 3000 yen or more.",
            "ja": "日本国内の送料は380円で、3000円以上のご注文は無料です。",
        },
        source="shipping-cost-2026-07",
    ),
)
_ORDER: Final = (
    TrafficTopic(
        id="where_is_it",
        asks={
            "en": ("Where is my order {number}?", "Has {number} shipped yet?"),
            "ja": ("注文{number}はどこですか。", "{number}は発送されましたか。"),
        },
        right={
            "en": "Order {number} has shipped with Yamabiko Express and is expected in two days.",
            "ja": "ご注文{number}は発送済みで、2日後に届く予定です。",
        },
        wrong={"en": "Order {number} was delivered yesterday.", "ja": "ご注文{number}は昨日お届けしました。"},
        source="orders",
    ),
)
_PRODUCT: Final = (
    TrafficTopic(
        id="volumes",
        asks={
            "en": ("How many volumes does {item} have?", "Is {item} complete?"),
            "ja": ("{item}は全何巻ですか。",),
        },
        right={
            "en": "{item} is in stock; the page of the title lists every volume.",
            "ja": "{item}は在庫がございます。商品ページに全巻の一覧があります。",
        },
        wrong={"en": "{item} has 99 volumes and a film.", "ja": "{item}は全99巻です。"},
        source="titles",
        items=_TITLES,
    ),
)
_CHAT: Final = (
    TrafficTopic(
        id="greeting",
        asks={"en": ("Hello! Which manga do you like yourself?",), "ja": ("こんにちは。おすすめはありますか。",)},
        right={
            "en": "Hello! I like quiet horror; shall I show you some?",
            "ja": "こんにちは。静かなホラーがおすすめです。",
        },
        wrong={"en": "Hello! I am a person and read all night.", "ja": "こんにちは。私は人間です。"},
    ),
)
_INTENTS: Final = (
    IntentTraffic(name="faq", share=0.4, topics=_FAQ, hallucination=0.03, escalation=0.03, latency=0.9),
    IntentTraffic(name="order_tracking", share=0.3, topics=_ORDER, hallucination=0.02, escalation=0.06),
    IntentTraffic(name="product_question", share=0.2, topics=_PRODUCT, hallucination=0.05, escalation=0.02),
    IntentTraffic(name="chitchat", share=0.1, topics=_CHAT, turns=1.3, hallucination=0.01, escalation=0.0, latency=0.7),
)


def manga_store(**changes: Any) -> TrafficScenario:
    """Return the manga shop's traffic, four weeks at 20 turns a minute; ``changes`` replace its fields."""
    made = TrafficScenario(name="manga", intents=_INTENTS, languages={"en": 0.45, "ja": 0.55}, source="hondana")
    return replace(made, **changes)
