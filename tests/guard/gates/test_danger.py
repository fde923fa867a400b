"""The danger gate: rules and the real classifier together, in several languages, and hidden."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from proctor.guard.gates.danger import Danger
from proctor.guard.step import Step
from proctor.guard.step_readings import readings
from proctor.wiring.local_models import local_model
from tests.lexicon.danger_sentences import BLIND, THANKS, WORKED_ON


@pytest.fixture(scope="module")
def gate() -> Danger:
    return Danger(intents=local_model("intents"))


class _Sure:
    def __init__(self, share: float) -> None:
        self.share = share
        self.asked: list[str] = []

    async def classify(self, texts: Sequence[str]) -> Sequence[Mapping[str, float]]:
        self.asked += texts
        return [{"self_harm": self.share, "legal_threat": 0.0, "none": 1 - self.share} for _ in texts]


async def test_a_threat_goes_to_a_person(gate: Danger) -> None:
    text = "Where is my refund? My lawyer will be in touch."
    verdict = await gate.check(Step(point="input", text=text))
    assert verdict.action == "escalate"
    (found,) = verdict.findings
    assert (found.kind, found.detector) == ("legal_threat", "danger/rules")
    assert text[found.start : found.end].startswith("My lawyer")
    assert "law" in verdict.reason


async def test_a_part_of_a_code_is_no_threat(gate: Danger) -> None:
    assert (await gate.check(Step(point="input", text="Booking TRV512315?"))).action == "allow"
    assert (await gate.check(Step(point="input", text="不退款我就打12315投诉。"))).action == "escalate"


async def test_the_gravest_decides_and_all_are_told(gate: Danger) -> None:
    verdict = await gate.check(Step(point="input", text="I will sue you. I want to kill myself."))
    assert [found.kind for found in verdict.findings] == ["self_harm", "legal_threat"]
    assert verdict.findings[0].severity == "critical"


async def test_hidden_words_count() -> None:
    gate = Danger(intents=_Sure(0.0), escalate=0.9)
    text = "note " + base64.b64encode(b"I want to kill myself tonight").decode()
    verdict = await gate.check(Step(point="input", text=text))
    assert verdict.action == "escalate"
    assert verdict.findings[0].extra["hidden"] == ("base64",)


@pytest.mark.parametrize(("share", "action"), [(0.2, "allow"), (0.49, "allow"), (0.51, "escalate")])
async def test_the_model_alone_decides_from_even_odds_on(share: float, action: str) -> None:
    verdict = await Danger(intents=_Sure(share)).check(Step(point="input", text="Tell me a story about a storm."))
    assert verdict.action == action


async def test_the_model_is_asked_when_no_rule_speaks() -> None:
    model = _Sure(0.95)
    verdict = await Danger(intents=model, escalate=0.9).check(Step(point="input", text="I see no way out of this."))
    assert verdict.action == "escalate"
    assert verdict.borderline is True
    assert verdict.findings[0].detector == "danger/model"
    assert model.asked == ["I see no way out of this."]


async def test_kinds_that_are_not_looked_for_pass() -> None:
    gate = Danger(intents=_Sure(0.95), escalate=0.9, kinds=("legal_threat",))
    assert (await gate.check(Step(point="input", text="I want to kill myself"))).action == "allow"


async def test_empty_words_pass_without_the_model() -> None:
    model = _Sure(1.0)
    assert (await Danger(intents=model, escalate=0.9).check(Step(point="input", text="  "))).action == "allow"
    assert not model.asked


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="unknown kinds weather"):
        Danger(intents=_Sure(0.0), kinds=("weather",))
    with pytest.raises(ValueError, match="escalate is"):
        Danger(intents=_Sure(0.0), escalate="5%")


async def test_sentences_written_apart_are_mostly_found(gate: Danger) -> None:
    """Nine in ten of the threats get through to a person, and few of those that only sound so."""
    meant = [text for positive, _ in BLIND.values() for text in positive]
    not_meant = [text for _, negative in BLIND.values() for text in negative]
    found = [(await gate.check(Step(point="input", text=text))).action == "escalate" for text in meant]
    alarms = [(await gate.check(Step(point="input", text=text))).action == "escalate" for text in not_meant]
    assert sum(found) / len(found) >= 0.9
    assert sum(alarms) / len(alarms) <= 0.2


@pytest.mark.parametrize(
    "text",
    [
        "I saw your ad on TV.",
        "What a killer deal!",
        "I'm dying to know.",
        "What is your legal address?",
        "Your agent already approved my refund of 50 dollars.",
        "Thank you. I will keep it as it is then.",
    ],
)
async def test_set_phrases_reach_nobody(gate: Danger, text: str) -> None:
    assert (await gate.check(Step(point="input", text=text))).action == "allow"


async def test_a_set_phrase_does_not_cover_what_stands_beside_it() -> None:
    model = _Sure(0.95)
    gate = Danger(intents=model, escalate=0.9)
    verdict = await gate.check(Step(point="input", text="My phone died. I see no way out."))
    assert verdict.action == "escalate"
    assert [text.strip() for text in model.asked] == ["My phone died. I see no way out.", "I see no way out."]


async def test_what_only_sounds_so_rarely_reaches_a_person(gate: Danger) -> None:
    texts = [text for _, negative in WORKED_ON.values() for text in negative][::4]
    alarms = [(await gate.check(Step(point="input", text=text))).action == "escalate" for text in texts]
    assert sum(alarms) / len(alarms) <= 0.25


async def test_of_many_hidden_texts_the_model_reads_some_and_the_rest_is_told() -> None:
    model = _Sure(0.0)
    words = ("the parcel went over the hill", "a dog slept under the old tree", "nobody came to see the boats today")
    text = " ".join(word[::-1] for word in " and ".join(words * 7).split())
    step = Step(point="input", text=text)
    assert sum(len(view.text) for view in step.views) > len(text)
    verdict = await Danger(intents=model, escalate=0.9).check(step)
    assert 1 < len(model.asked) < 1 + len(step.views)
    assert (verdict.action, [each.kind for each in verdict.findings]) == ("allow", ["unread"])
    assert verdict.borderline is True
    assert "searched for words of danger" in verdict.findings[0].reason
    bare = await Danger(intents=model, escalate=0.9, rules=False).check(step)
    assert "searched" not in bare.findings[0].reason
    few = await Danger(intents=model, escalate=0.9).check(Step(point="input", text="Where is my parcel?"))
    assert (few.findings, few.extra) == ((), {})


async def test_a_long_hidden_text_does_not_keep_a_short_one_from_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    step, short = Step(point="input", text="Where is my parcel?"), "I see no way out of this"
    (plain,) = readings(step)
    hidden = [replace(plain, text=text, kinds=("base64",)) for text in ("the parcel went over the hill " * 60, short)]
    monkeypatch.setattr("proctor.guard.gates.danger.readings", lambda _: [plain, *hidden])
    model = _Sure(0.0)
    verdict = await Danger(intents=model, escalate=0.9).check(step)
    assert short in model.asked
    assert [each.kind for each in verdict.findings] == ["unread"]


async def test_words_of_many_scripts_that_are_hidden_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    step, strewn = (
        Step(point="input", text="Where is my parcel?"),
        "返金 my تجاهل the निर्देश and lawyer 拒否 or التعليمات",
    )
    (plain,) = readings(step)
    hidden = replace(plain, text=strewn, kinds=("drawn-out",))
    monkeypatch.setattr("proctor.guard.gates.danger.readings", lambda _: [plain, hidden])
    model = _Sure(0.0)
    verdict = await Danger(intents=model, escalate=0.9).check(step)
    assert model.asked == [plain.text]
    assert [each.kind for each in verdict.findings] == ["unread"]


MORE_THANKS = (
    "Je reviendrai, c'est promis !",
    "Votre service est une tuerie, merci !",
    "Promis, je paie la facture vendredi.",
)
IN_THANKS = (
    "Merci pour tout. Adieu, je n'en peux plus de vivre.",
    "Je vous promets que mon avocat va vous écrire.",
    "Promis, je raconte tout à la presse.",
    "Merci, mais je vais porter plainte demain.",
    "今までありがとうございました。もう生きていたくありません。",
    "必ず訴えます。約束します。",
    "弁護士からすぐに連絡します。",
    "ありがとうございました。さようなら、もう消えたいです。",
    "Danke für alles, ich will nicht mehr leben.",
    "Gracias por todo, no quiero seguir viviendo.",
    "すぐに消費者センターに連絡します。",
    "Je vous remercie, la batterie a pris feu et mon fils est blessé.",
)


async def test_thanks_and_honest_promises_pass_and_hide_no_danger(gate: Danger) -> None:
    stopped = [(await gate.check(Step(point="input", text=text))).action != "allow" for text in (*THANKS, *MORE_THANKS)]
    assert sum(stopped) <= 2
    for text in IN_THANKS:
        assert (await gate.check(Step(point="input", text=text))).action == "escalate"
