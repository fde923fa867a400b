"""The manga store without its grades: the data, the suite, the assistant and its four faults."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from examples.manga_store.hondana.agent import TODAY, Assistant
from examples.manga_store.hondana.faults import FAULTS
from examples.manga_store.hondana.reading import read, titles_in
from examples.manga_store.hondana.shop import DATA, Shop, build

from proctor.config import load_config, read_environment
from proctor.core.case import Case
from proctor.models.fake import Scripted
from proctor.suites.load import open_suite
from proctor.workflows.release.baseline import policy_of
from tests.tables import table

FOLDER = Path(__file__).parents[2] / "examples" / "manga_store"
INTENTS = {
    "recommendation",
    "product_question",
    "faq",
    "order_tracking",
    "return_request",
    "promotion",
    "checkout_help",
    "chitchat",
}


@pytest.fixture(scope="module")
def shop() -> Shop:
    return Shop(today=TODAY)


def talk(*said: str, fault: str = "none", page: Mapping[str, Any] | None = None, history: Any = ()) -> dict[str, Any]:
    """What the assistant answers to the last of these messages."""
    assistant = Assistant(list(history), {"fault": fault}, None)
    answer: dict[str, Any] = {}
    for text in said:
        answer = asyncio.run(assistant.say(text, page or {}, []))
    assistant.close()
    return answer


def cases() -> list[Case]:
    return list(open_suite(FOLDER / "golden").cases())


# the data


def test_there_are_sixty_titles_and_more_each_known_by_three_names(shop: Shop) -> None:
    products = shop.products()
    assert len(products) >= 60
    for name in ("id", "title_en", "title_romaji", "title_ja"):
        assert len({row[name] for row in products}) == len(products)
    for row in products:
        assert row["price_jpy"] > 0 < row["price_usd"]
        assert row["stock"] >= 0
        assert 1 <= row["english_volumes"] <= row["volumes"]
    assert any(row["stock"] == 0 for row in products)


def test_a_title_is_found_by_each_of_its_names(shop: Shop) -> None:
    products = shop.products()
    for row in products:
        for name in ("title_en", "title_romaji", "title_ja"):
            assert titles_in(f"About {row[name]}?", products) == [row["id"]]


def test_each_policy_has_one_version_that_holds_and_older_ones_end_the_day_before(shop: Shop) -> None:
    connection = sqlite3.connect(f"file:{build()}?mode=ro", uri=True)
    topics = [topic for (topic,) in connection.execute("SELECT DISTINCT topic FROM policies")]
    old = 0
    for topic in topics:
        versions = shop.policies(topic)
        assert [each["valid_to"] for each in versions].count(None) == 1
        assert versions[0]["valid_to"] is None
        for newer, older in pairwise(versions):
            old += 1
            assert (date.fromisoformat(newer["valid_from"]) - date.fromisoformat(older["valid_to"])).days == 1
    assert old >= 5


def test_the_database_is_made_anew_when_its_files_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for file in DATA.glob("*.csv"):
        (data / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr("examples.manga_store.hondana.shop.DATA", data)
    place = build(tmp_path / "shop.db")
    before = place.stat().st_mtime_ns
    assert build(place).stat().st_mtime_ns == before
    titles = data / "titles.csv"
    titles.write_text(titles.read_text(encoding="utf-8").replace(",770,", ",771,", 1), encoding="utf-8")
    assert Shop(build(place), today=TODAY).product("HD-101")["price_jpy"] == 771
    assert not list(tmp_path.glob("*.part"))


def test_the_shop_cannot_be_written_to_by_who_reads_it(shop: Shop) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        shop._all("DELETE FROM products")


# the suite and the project


def test_the_golden_suite_has_two_hundred_cases_over_eight_intents_in_two_languages() -> None:
    found = cases()
    by_intent = Counter(case.intent for case in found)
    assert len(found) >= 200
    assert set(by_intent) == INTENTS
    assert min(by_intent.values()) >= 20
    for intent in INTENTS:
        tags = {tag for case in found if case.intent == intent for tag in case.tags}
        assert {"english", "japanese", "multi-turn"} <= tags
    assert {f"scenario-{letter}" for letter in "abcd"} <= {tag for case in found for tag in case.tags}


def test_weights_and_thresholds_are_given_for_every_intent() -> None:
    (quality, _forbidden) = open_suite(FOLDER / "golden").suite.scorers
    intents = quality.settings["intents"]
    assert set(intents) == INTENTS
    for blend in intents.values():
        assert sum(blend["weights"].values()) == pytest.approx(1.0)
    assert intents["return_request"]["threshold"] == 0.90
    assert intents["recommendation"]["weights"]["relevance"] == 0.40


def test_the_project_and_its_rules_of_release_can_be_read() -> None:
    config = load_config(FOLDER / "proctor.yaml", read_environment(FOLDER), start=FOLDER)
    assert set(config.settings.triggers) >= {"prompt_change", "model_upgrade", "knowledge_refresh", "schedule"}
    assert set(FAULTS) - {"none"} <= set(config.settings.targets)
    policy, path = policy_of(config, None)
    assert path == FOLDER / "gate.yaml"
    assert policy.floors["faq"]["factual_accuracy"].least == 0.85
    assert policy.floors["recommendation"]["relevance"].consecutive == 3


# the assistant


@table("case", cases(), ids=lambda case: case.id)
def test_the_assistant_understands_every_case_and_answers_from_the_right_passages(case: Case) -> None:
    history = [{"role": message.role, "content": message.content} for message in case.history]
    answer = talk(*(ask.text for ask in case.asks), page=case.page, history=history)
    assert [intent["name"] for intent in answer["intents"]] == [case.intent]
    rests_on = {source["id"] for source in answer["sources"]}
    assert set(case.expect.products) <= rests_on
    assert set(case.expect.sources) <= rests_on
    assert not any(words in answer["answer"] for words in case.expect.forbidden)


def test_the_second_one_is_the_second_of_the_list() -> None:
    listed = talk("Recommend horror manga, please.")
    second = listed["sources"][1]["id"]
    assert talk("Recommend horror manga, please.", "How much is the second one?")["sources"][0]["id"] == second
    later = talk("Recommend horror manga, please.", "What is the first one about?", "Tell me about the second one.")
    assert later["sources"][0]["id"] == second


def test_a_list_from_before_the_conversation_is_remembered() -> None:
    said = talk("Recommend sports manga, please.")
    history = [{"role": "user", "content": "Sports?"}, {"role": "assistant", "content": said["answer"]}]
    answer = talk("Who wrote the third one?", history=history)
    assert answer["sources"][0]["id"] == said["sources"][2]["id"]


@table("text", ["", "???", "x" * 5000, "🦀🦀", "تحية طيبة", "H-0000 H-9999", "the second one", "\x00"])
def test_whatever_is_said_there_is_an_answer(text: str) -> None:
    assert talk(text)["answer"]


def test_a_message_is_read_in_its_language_though_it_names_a_title_in_another(shop: Shop) -> None:
    products = shop.products()
    assert read("What volumes of 宵闇病棟 are available in English?", products).language == "en"
    assert read("The Dusk Wardはいくらですか。", products).language == "ja"


# the faults


def test_an_unknown_fault_is_refused() -> None:
    with pytest.raises(ValueError, match="stale_policy"):
        Assistant([], {"fault": "stale_polices"}, None)


def test_off_topic_opening_puts_offers_first_and_keeps_the_titles() -> None:
    good, bad = (talk("Recommend horror manga.", fault=fault) for fault in ("none", "off_topic_opening"))
    assert bad["answer"].endswith(good["answer"])
    assert bad["answer"].startswith("Any three adventure volumes")
    assert talk("How much is Copper Whale?", fault="off_topic_opening") == talk("How much is Copper Whale?")


def test_stale_policy_answers_from_the_old_version_and_shows_both() -> None:
    bad = talk("Can I return opened manga?", fault="stale_policy")
    assert "30 days" in bad["answer"]
    assert [source["date"] for source in bad["sources"]] == ["2025-03-01", "2026-09-01"]
    assert "15 days" in talk("Can I return opened manga?")["answer"]


def test_lost_reference_counts_in_a_list_without_what_was_talked_about() -> None:
    said = ("Recommend horror manga.", "What is the first one about?", "Tell me about the second one.")
    listed = [source["id"] for source in talk(said[0])["sources"]]
    assert talk(*said, fault="lost_reference")["sources"][0]["id"] == listed[2]


def test_romanised_only_leaves_one_name_of_three() -> None:
    bad = talk("How much is The Dusk Ward?", fault="romanised_only")["answer"]
    assert "Yoiyami Byoto" in bad
    assert "宵闇病棟" not in bad
    assert "The Dusk Ward" not in bad


# on a model


async def test_a_model_words_the_answer_from_the_passages_that_were_found() -> None:
    asked: list[Any] = []

    class Listening:
        name = "listening"

        async def complete(self, request: Any) -> Any:
            asked.append(request)
            return await Scripted(replies=("From the model.",)).complete(request)

    assistant = Assistant([], {}, Listening())
    history: Sequence[Mapping[str, Any]] = [{"role": "assistant", "content": "Hello!"}]
    answer = await assistant.say("Can I return opened manga?", {}, history)
    assistant.close()
    assert answer["answer"] == "From the model."
    assert [source["id"] for source in answer["sources"]] == ["returns-opened-2026-09"]
    messages = asked[0].messages
    assert "15 days" in messages[0].content
    assert "30 days" not in messages[0].content
    assert [message.role for message in messages] == ["system", "assistant", "user"]
