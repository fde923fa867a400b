"""Ready-made settings of quality: what a shop's assistant must reach, by intent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal

from proctor.scorers.answer.quality_parts.intent_blend import Blend

__all__ = ["PRESETS", "PresetName", "QualityPreset", "merged_settings"]

PresetName = Literal["storefront"]
_FACTS: Final = ("factual_accuracy",)


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityPreset:
    """Rows by intent, a row for every other intent, and settings of the dimensions."""

    intents: Mapping[str, Blend]
    default: Blend
    dimensions: Mapping[str, Mapping[str, Any]]


def _row(relevance: float, facts: float, consistency: float, fluency: float, threshold: float, **more: Any) -> Blend:
    weights = {"relevance": relevance, "factual_accuracy": facts, "consistency": consistency, "fluency": fluency}
    return Blend(weights=weights, threshold=threshold, **more)


_STOREFRONT: Final = QualityPreset(
    intents=MappingProxyType(
        {
            "recommendation": _row(0.40, 0.20, 0.20, 0.20, 0.75, optional=_FACTS),
            "product_question": _row(0.25, 0.40, 0.20, 0.15, 0.80),
            "faq": _row(0.20, 0.40, 0.25, 0.15, 0.85),
            "order_tracking": _row(0.15, 0.50, 0.25, 0.10, 0.90),
            "return_request": _row(0.15, 0.50, 0.25, 0.10, 0.90),
            "promotion": _row(0.30, 0.35, 0.20, 0.15, 0.80),
            "checkout_help": _row(0.20, 0.40, 0.25, 0.15, 0.85),
            "chitchat": _row(0.30, 0.10, 0.30, 0.30, 0.70, optional=_FACTS),
        }
    ),
    default=_row(0.25, 0.25, 0.25, 0.25, 0.80),
    dimensions=MappingProxyType(
        {
            "consistency": {
                "persona": {
                    "must_not_say": ["Alexa", "Siri", "Google Assistant", "ChatGPT"],
                    "topics": {
                        "politics": ["political", "politics", "election"],
                        "religion": ["religious", "religion"],
                        "sex": ["sexual"],
                    },
                }
            },
            "fluency": {
                "tones": {
                    "recommendation": ["enthusiastic", "informative", "conversational"],
                    "product_question": ["helpful", "informative", "concise"],
                    "faq": ["plain", "authoritative", "reassuring"],
                    "order_tracking": ["formal", "empathetic", "actionable"],
                    "return_request": ["empathetic", "actionable", "patient"],
                    "promotion": ["enthusiastic", "unpushy", "informative"],
                    "checkout_help": ["helpful", "stepwise", "encouraging"],
                    "chitchat": ["warm", "brief", "conversational"],
                    "default": ["helpful", "formal"],
                },
                "formats": {
                    "recommendation": {"any_of": ["link", "price", "card"], "names": "all"},
                    "product_question": {"names": "all"},
                    "order_tracking": {"most_words": 150},
                    "chitchat": {"most_words": 80},
                },
            },
        }
    ),
)
PRESETS: Final[Mapping[PresetName, QualityPreset]] = MappingProxyType({"storefront": _STOREFRONT})


def merged_settings(preset: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the preset's settings with the user's over them; a mapping is merged key by key."""
    merged = {**preset, **own}
    for name in preset.keys() & own.keys():
        if isinstance(preset[name], Mapping) and isinstance(own[name], Mapping):
            merged[name] = merged_settings(preset[name], own[name])
    return merged
