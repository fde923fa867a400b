"""With the large network every text and every pair is weighed against it, by settings of its own."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from proctor.core.errors import StoreError
from proctor.models.local.grounding import LocalGrounder
from proctor.models.local.injection import InjectionClassifier
from proctor.models.local.intents import LocalIntents
from proctor.models.local.large import large_network
from proctor.models.local.large_adapter import open_adapter
from proctor.models.local.large_conversion import convert, tokens_of
from proctor.models.local.large_files import conversion_folder
from proctor.models.local.model_registry import weights_of
from proctor.models.local.nli import LocalEntailer
from proctor.models.local.promises import PromiseClassifier
from proctor.models.local.run_entailment import judge_of
from proctor.models.local.second_opinion import mixture_of, second_network, warm_second_opinion
from tests.models.local.tiny_large import adapter_arrays, base_tensors, write_base, write_weights

PARCEL = "Where is my parcel? It should have come on Tuesday."
PAIR = ("The pool is open from nine to five.", "The pool is closed all day.")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("opinion")
    weights, models = write_weights(folder / "weights", adapter_arrays()), folder / "models"
    models.mkdir()
    base = write_base(folder / "base.gguf", base_tensors())
    tokens = tokens_of(weights / "multilingual.tokenizer.json")
    convert(base, open_adapter(weights / "large.npz"), tokens, conversion_folder(models, weights_of(weights)))
    return {"folder": weights, "large": models}


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def test_an_ordinary_message_is_weighed_too(places: dict[str, Any]) -> None:
    network = large_network(places["large"], places["folder"])
    mixture = mixture_of(places["folder"], "user", places["large"])
    assert mixture is not None
    classifier = InjectionClassifier(**places)
    (found,) = classifier.readings([PARCEL])
    (alone,) = InjectionClassifier(folder=places["folder"], second_opinion=False).readings([PARCEL])
    assert not alone.read  # the first look lets it pass, and still the large network reads it
    assert found.read
    share = classifier.labels(found)["injection"]
    low = mixture.logit(-15, network.read([PARCEL])[0].attack)
    high = mixture.logit(0, network.read([PARCEL])[0].attack)
    assert low < _logit(share) < high


async def test_both_ways_of_asking_agree(places: dict[str, Any]) -> None:
    texts = [PARCEL, "I will sue you.", ""]
    for model in (InjectionClassifier(**places), LocalIntents(**places), PromiseClassifier(**places)):
        later = await model.classify(texts)
        found = model.readings(texts)
        now = found if not isinstance(model, InjectionClassifier) else [model.labels(each) for each in found]  # type: ignore[arg-type]
        for one, two in zip(now, later, strict=True):
            assert dict(one) == pytest.approx(dict(two))  # type: ignore[call-overload]


def test_every_answer_is_weighed(places: dict[str, Any]) -> None:
    text = "Your parcel is on its way."
    (alone,) = PromiseClassifier(folder=places["folder"], second_opinion=False).readings([text])
    (both,) = PromiseClassifier(**places).readings([text])
    second = large_network(places["large"], places["folder"]).read([text], "answer")[0].promise
    mixture = mixture_of(places["folder"], "answer", places["large"])
    assert mixture is not None
    assert _logit(both["promise"]) == pytest.approx(mixture.logit(_logit(alone["promise"]), second), abs=1e-3)


def test_a_pair_is_weighed_by_its_own_numbers(places: dict[str, Any]) -> None:
    (found,) = LocalEntailer(second=True, **places).readings([PAIR])
    (other,) = LocalEntailer(folder=places["folder"], second=True).readings([PAIR])
    assert sum(found) == pytest.approx(1)
    assert found != other
    second = large_network(places["large"], places["folder"]).compare([PAIR])[0]
    entailer = LocalEntailer(folder=places["folder"])
    (each,) = entailer._read(0, *PAIR)
    first = judge_of(places["folder"]).logits([each.line])[0][:3]
    weights = weights_of(places["folder"]).of("large")["nli"]
    logits = [weights["first"] * x + weights["second"] * y for x, y in zip(first, second.entailment, strict=True)]
    assert math.log(found[0] / found[2]) == pytest.approx(logits[0] - logits[2], abs=1e-4)


def test_support_is_weighed_too(places: dict[str, Any]) -> None:
    values = {
        LocalGrounder(**each).readings([PAIR])[0]
        for each in (
            {"folder": places["folder"]},
            {"folder": places["folder"], "second": True},
            {"second": True, **places},
        )
    }
    assert len(values) == 3


async def test_it_is_loaded_in_place_of_the_multilingual_one(places: dict[str, Any]) -> None:
    await warm_second_opinion(**places)
    assert second_network(**places) is large_network(places["large"], places["folder"])


def test_without_its_files_nothing_takes_its_place(places: dict[str, Any], tmp_path: Path) -> None:
    missing = {**places, "large": tmp_path}
    for ask in (
        lambda: InjectionClassifier(**missing).readings([PARCEL]),
        lambda: LocalIntents(**missing).readings([PARCEL]),
        lambda: PromiseClassifier(**missing).readings([PARCEL]),
        lambda: LocalEntailer(second=True, **missing).readings([PAIR]),
        lambda: LocalGrounder(second=True, **missing).readings([PAIR]),
    ):
        with pytest.raises(StoreError, match="not installed"):
            ask()
