"""The simulated traffic of a travel desk: five intents in four languages, with the document's completion rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from proctor.monitor.simulation.scenario import IntentTraffic, TrafficScenario
from proctor.monitor.simulation.traffic_topic import TrafficTopic

__all__ = ["travel_desk"]

_TOURS: Final = ("Fjord Kayak Morning", "Old Town Lantern Walk", "Summit Sunrise Hike", "Harbour Food Trail")
_POLICY: Final = (
    TrafficTopic(
        id="cancellation",
        asks={
            "en": (
                "Until when can I cancel {item} with a full refund?",
                "If I call {item} off, do I get my money back?",
            ),
            "ja": ("{item}はいつまで無料でキャンセルできますか。",),
            "de": ("Bis wann kann ich {item} kostenlos stornieren?",),
            "es": ("¿Hasta cuándo puedo cancelar {item} con reembolso completo?",),
        },
        right={
            "en": "Day tours can be cancelled with a full refund up to 48 hours before the start.",
            "ja": "日帰りツアーは開始の48時間前まで全額返金でキャンセルできます。",
            "de": "Tagestouren können bis 48 Stunden vor Beginn kostenlos storniert werden.",
            "es": "Los tours de un día se cancelan con reembolso completo hasta 48 horas antes del inicio.",
        },
        wrong={
            "en": "Day tours can be cancelled with a full refund up to 24 hours before the start.",
            "ja": "日帰りツアーは開始の24時間前まで全額返金でキャンセルできます。",
            "de": "Tagestouren können bis 24 Stunden vor Beginn kostenlos storniert werden.",
            "es": "Los tours de un día se cancelan con reembolso completo hasta 24 horas antes del inicio.",
        },
        source="cancellation-2026-09",
        items=_TOURS,
    ),
    TrafficTopic(
        id="children",
        asks={
            "en": ("Do children travel free of charge on {item}?", "What does a child of four pay for {item}?"),
            "ja": ("{item}は子ども料金がありますか。",),
            "de": ("Fahren Kinder bei {item} kostenlos mit?",),
            "es": ("¿Los niños van gratis en {item}?",),
        },
        right={
            "en": "Children under 5 travel free of charge. Children from 5 to 12 pay half of the price.",
            "ja": "5歳未満のお子様は無料、5歳から12歳までは半額です。",
            "de": "Kinder unter 5 fahren kostenlos, Kinder von 5 bis 12 zahlen die Hälfte.",
            "es": "Los menores de 5 años van gratis; de 5 a 12 pagan la mitad.",
        },
        wrong={
            "en": "Children under 12 travel free of charge.",
            "ja": "12歳未満のお子様は無料です。",
            "de": "Kinder unter 12 fahren kostenlos.",
            "es": "Los menores de 12 años van gratis.",
        },
        source="children-2026-03",
        items=_TOURS,
    ),
)
_CHANGE: Final = (
    TrafficTopic(
        id="change_date",
        asks={
            "en": (
                "Please move booking {number} to another day.",
                "Can I change the date of {item}, booking {number}?",
            ),
            "ja": ("予約{number}の日にちを変更したいです。",),
            "de": ("Bitte verschieben Sie die Buchung {number} auf einen anderen Tag.",),
            "es": ("Quiero cambiar la fecha de la reserva {number}.",),
        },
        right={
            "en": "Booking {number} can be moved free of charge up to 24 hours before the start. I asked for it.",
            "ja": "予約{number}は開始の24時間前まで無料で変更できます。変更を手配しました。",
            "de": "Die Buchung {number} kann bis 24 Stunden vorher kostenlos geändert werden. Das ist beantragt.",
            "es": "La reserva {number} se cambia gratis hasta 24 horas antes. He pedido el cambio.",
        },
        wrong={
            "en": "Booking {number} can be moved free of charge until the tour starts. It is done.",
            "ja": "予約{number}は開始直前まで無料で変更できます。",
            "de": "Die Buchung {number} kann bis zum Beginn kostenlos geändert werden.",
            "es": "La reserva {number} se cambia gratis hasta el comienzo.",
        },
        source="changes-2026-04",
        items=_TOURS,
    ),
)
_CANCEL: Final = (
    TrafficTopic(
        id="cancel_booking",
        asks={
            "en": ("Please cancel my booking {number}.", "I cannot come. Cancel {number}, please."),
            "ja": ("予約{number}をキャンセルしてください。",),
            "de": ("Bitte stornieren Sie meine Buchung {number}.",),
            "es": ("Por favor, cancele mi reserva {number}.",),
        },
        right={
            "en": "I have asked for booking {number} to be cancelled. The refunds team decides within 5 working days.",
            "ja": "予約{number}のキャンセルを受け付けました。返金は5営業日以内に決まります。",
            "de": "Die Stornierung von {number} ist beantragt. Über die Erstattung wird in 5 Werktagen entschieden.",
            "es": "He pedido la cancelación de {number}. El reembolso se decide en 5 días laborables.",
        },
        wrong={
            "en": "Booking {number} is cancelled and your money is back on your card already.",
            "ja": "予約{number}は返金済みです。",
            "de": "Die Buchung {number} ist storniert und das Geld schon erstattet.",
            "es": "La reserva {number} está cancelada y el dinero ya está en su tarjeta.",
        },
        source="refunds-2026-02",
    ),
)
_AFTER: Final = (
    TrafficTopic(
        id="tour_stopped",
        asks={
            "en": ("{item} was stopped because of the wind. What do I get?", "Our tour {number} ended after an hour."),
            "ja": ("{item}が風で中止になりました。返金はありますか。",),
            "de": ("{item} wurde wegen des Windes abgebrochen. Was bekomme ich?",),
            "es": ("{item} se paró por el viento. ¿Qué me corresponde?",),
        },
        right={
            "en": "When the weather stops a tour, you choose between a full refund and another date.",
            "ja": "天候で中止の場合は、全額返金か別の日をお選びいただけます。",
            "de": "Bei Abbruch wegen des Wetters wählen Sie zwischen voller Erstattung und einem anderen Tag.",
            "es": "Si el operador para el tour por el tiempo, elige entre reembolso completo u otra fecha.",
        },
        wrong={
            "en": "When a tour is stopped because of the weather, half of the price is refunded.",
            "ja": "天候で中止の場合は半額返金です。",
            "de": "Bei Abbruch wegen des Wetters wird die Hälfte erstattet.",
            "es": "Si el tour se para por el tiempo, se devuelve la mitad.",
        },
        source="weather-2026-05",
        items=_TOURS,
    ),
)
_BROWSE: Final = (
    TrafficTopic(
        id="what_to_see",
        asks={
            "en": ("What is {item} like?", "Which tour is good with rain? Perhaps {item}?"),
            "ja": ("{item}はどんなツアーですか。",),
            "de": ("Wie ist {item}?",),
            "es": ("¿Cómo es {item}?",),
        },
        right={
            "en": "{item} is a guided day tour. Bring comfortable shoes, water and a rain jacket.",
            "ja": "{item}はガイド付きの日帰りツアーです。歩きやすい靴をご用意ください。",
            "de": "{item} ist eine geführte Tagestour. Bringen Sie bequeme Schuhe mit.",
            "es": "{item} es un tour guiado de un día. Lleve zapatos cómodos.",
        },
        wrong={
            "en": "{item} includes a helicopter flight.",
            "ja": "{item}にはヘリコプターが含まれます。",
            "de": "{item} enthält einen Hubschrauberflug.",
            "es": "{item} incluye un vuelo en helicóptero.",
        },
        source="faq-bring",
        items=_TOURS,
    ),
)
_INTENTS: Final = (
    IntentTraffic(name="policy_inquiry", share=0.35, topics=_POLICY, hallucination=0.04, escalation=0.04),
    IntentTraffic(
        name="booking_change",
        share=0.2,
        topics=_CHANGE,
        ends="outcome",
        outcome="booking_changed",
        within_hours=1.0,
        turns=2.4,
        hallucination=0.03,
        escalation=0.1,
    ),
    IntentTraffic(
        name="cancellation",
        share=0.15,
        topics=_CANCEL,
        ends="outcome",
        outcome="cancellation_initiated",
        declined="cancellation_declined",
        within_hours=2.0,
        hallucination=0.03,
        escalation=0.08,
    ),
    IntentTraffic(
        name="post_trip_issue",
        share=0.1,
        topics=_AFTER,
        ends="outcome",
        outcome="case_resolved",
        reopened="case_reopened",
        within_hours=48.0,
        turns=3.0,
        hallucination=0.06,
        escalation=0.2,
        solved=0.75,
    ),
    IntentTraffic(name="general_browsing", share=0.2, topics=_BROWSE, turns=1.6, hallucination=0.05, escalation=0.01),
)


def travel_desk(**changes: Any) -> TrafficScenario:
    """Return the travel desk's traffic, four weeks at 20 turns a minute; ``changes`` replace its fields."""
    languages = {"en": 0.6, "de": 0.16, "es": 0.12, "ja": 0.12}
    made = TrafficScenario(name="travel", intents=_INTENTS, languages=languages, source="travel-desk")
    return replace(made, **changes)
