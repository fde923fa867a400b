"""One function for each thing customers want: from what was understood to an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from .draft import Draft
from .faults import Fault, retrieved
from .memory import Memory
from .reading import Reading
from .shop import Row, Shop
from .wording import Voice

__all__ = ["Desk", "intent_of"]

SHORT = 5
SHOWN = 3


def intent_of(reading: Reading, memory: Memory, page: Mapping[str, Any]) -> str:
    """What the customer wants; an order number and a wish to return decide before anything vaguer does."""
    wants = reading.intents
    if "return_request" in wants or (reading.order and reading.topics and reading.topics[0].startswith("return")):
        return "return_request"
    if reading.order or memory.waits_for:
        return memory.waits_for or "order_tracking"
    if reading.steps and not reading.products:
        return "checkout_help"
    if "promotion" in wants:
        return "promotion"
    about = memory.meant(reading, page)
    counted = reading.ordinal is not None and bool(memory.listed)
    if counted or "recommendation" in wants:
        return "product_question" if counted else "recommendation"
    if reading.topics and not (reading.products and set(reading.aspects) & {"price", "author", "volumes", "english"}):
        return "faq"
    if reading.products or (about and (reading.aspects or reading.points)):
        return "product_question"
    return _vaguer(reading, memory)


def _vaguer(reading: Reading, memory: Memory) -> str:
    if "order_tracking" in reading.intents:
        return "order_tracking"
    if reading.genre or reading.author or reading.most_yen or reading.most_usd:
        return "recommendation"
    if reading.chat:
        return "chitchat"
    return "product_question" if reading.aspects else "chitchat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The rule-based brain: answers by intent, from the shop alone."""

    shop: Shop
    fault: Fault = "none"

    def answer(self, reading: Reading, memory: Memory, page: Mapping[str, Any]) -> Draft:
        """Answer one message that was understood, and note in the memory what it was about."""
        intent = intent_of(reading, memory, page)
        draft = Draft(intent=intent, language=reading.language)
        voice = Voice(language=reading.language, romanised_only=self.fault == "romanised_only")
        if intent in ("order_tracking", "return_request"):
            self._order(draft, voice, reading, memory)
        elif intent == "recommendation":
            self._recommend(draft, voice, reading, memory, page)
        elif intent == "product_question":
            self._product(draft, voice, reading, memory, page)
        elif intent == "promotion":
            self._promotion(draft, voice, reading, memory, page)
        elif intent in ("faq", "checkout_help"):
            topics = reading.topics if intent == "faq" else reading.steps
            self._policies(draft, voice, topics[:1])
            draft.say(voice.close("policy_close"))
        else:
            usual = {"hello": ("Hello", "こんにちは"), "weather": ("that", "その件"), "sorry": ("not well", "")}
            word = reading.echo or usual.get(reading.chat or "", ("", ""))[reading.language == "ja"]
            draft.say(voice.say(reading.chat or "unknown", word=word))
            draft.confidence = 0.9 if reading.chat else 0.2
        return draft

    def _policies(self, draft: Draft, voice: Voice, topics: tuple[str, ...]) -> None:
        for topic in topics:
            versions = retrieved(self.shop.policies(topic), self.fault)
            for version in versions:
                draft.rest_on_policy(version)
            draft.say(str(versions[0][f"text_{voice.language}"]))

    # products

    def _product(self, draft: Draft, voice: Voice, reading: Reading, memory: Memory, page: Mapping[str, Any]) -> None:
        key = memory.meant(reading, page)
        if key is None:
            draft.say(voice.say("which"))
            draft.confidence = 0.4
            return
        for one in reading.products[:2] or (key,):
            product = self.shop.product(one)
            aspects = [each for each in reading.aspects if each != "plot"] or [
                "what",
                "price",
                "volumes",
                "stock",
                "plot",
            ]
            if "volumes" in aspects and "status" in aspects:
                aspects.remove("status")
            if "english" in aspects and "stock" in aspects and not reading.ordinal:
                aspects.remove("stock")  # "available in English" asks for the edition, not for the shelf
            rest = "It" if voice.language == "en" else ""
            title = voice.title(product)
            draft.say(*(voice.aspect(name, product, rest if index else title) for index, name in enumerate(aspects)))
            draft.rest_on_product(product, voice, self.shop.today.isoformat())
            memory.discuss(one)
        draft.say(voice.close("product_close"))

    def _recommend(self, draft: Draft, voice: Voice, reading: Reading, memory: Memory, page: Mapping[str, Any]) -> None:
        like = reading.products[0] if reading.products else memory.focus if reading.points else None
        like = like or (str(page["product"]) if page.get("product") and reading.points else None)
        model = self.shop.product(like) if like else None
        genre = reading.genre or (model["genre"] if model else None)
        genre = genre or (None if reading.author else memory.genre or page.get("section"))
        skip = {like, *(memory.shown if memory.listed else ())}
        found = [each for each in self._fitting(reading, genre) if each["id"] not in skip]
        if reading.author and reading.genre:  # "horror like Kurobane's" asks for others
            found = [each for each in found if each["author"] != reading.author]
        if genre is None and not reading.author:
            found = list({each["genre"]: each for each in reversed(found)}.values())[::-1]
        found = found[:SHOWN]
        if self.fault == "off_topic_opening":
            self._promote(draft, voice, genre)
        if not found:
            draft.say(voice.say("none"))
            return
        draft.say(self._heading(voice, reading, genre, model, found))
        draft.paragraphs.append("\n".join(self._item(voice, at, each) for at, each in enumerate(found, 1)))
        draft.say(voice.close("list_close"))
        for each in found:
            draft.rest_on_product(each, voice, self.shop.today.isoformat())
        memory.genre = genre
        memory.keep_list([str(each["id"]) for each in found])

    def _fitting(self, reading: Reading, genre: str | None) -> list[Row]:
        def fits(each: Row) -> bool:
            return bool(
                each["stock"]
                and (genre is None or each["genre"] == genre)
                and (reading.author is None or reading.products or reading.genre or each["author"] == reading.author)
                and ("short" not in reading.limits or each["volumes"] <= SHORT)
                and ("complete" not in reading.limits or each["status"] == "complete")
                and ("english" not in reading.limits or each["english_volumes"] == each["volumes"])
                and (reading.most_yen is None or each["price_jpy"] <= reading.most_yen)
                and (reading.most_usd is None or each["price_usd"] <= reading.most_usd)
            )

        return [each for each in self.shop.products() if fits(each)]

    def _heading(self, voice: Voice, reading: Reading, genre: str | None, model: Row | None, found: list[Row]) -> str:
        what = voice.genre(genre) if genre else ""
        if model is not None and genre:
            return voice.say("list_like", title=voice.title(model), what=what)
        if reading.author and not reading.genre:
            return voice.say("list_author", author=voice.author(found[0]))
        return voice.say("list", what=what) if genre else voice.say("list_mixed")

    def _item(self, voice: Voice, at: int, product: Row) -> str:
        if voice.language == "ja":
            plot = voice.aspect("plot", product, "")
            return f"{at}. {voice.title(product)}、{product['author_ja']}作、{voice.money(product)}。{plot}"
        return f"{at}. {voice.title(product)} by {product['author']}, {voice.money(product)}. {product['blurb_en']}."

    def _promote(self, draft: Draft, voice: Voice, genre: str | None) -> None:
        """The fault of a prompt that pushes offers everywhere: one that has nothing to do with the wish comes first."""
        for promotion in [each for each in self.shop.promotions() if each["genre"] not in (genre, None)][:2]:
            draft.say(str(promotion[f"text_{voice.language}"]))
            draft.rest_on_promotion(promotion, self.shop.today.isoformat())

    def _promotion(self, draft: Draft, voice: Voice, reading: Reading, memory: Memory, page: Mapping[str, Any]) -> None:
        key = memory.meant(reading, page) if reading.products or reading.ordinal is not None or reading.points else None
        product = self.shop.product(key) if key else None
        genre = reading.genre or (product["genre"] if product else None)
        found = self.shop.promotions(genre)
        if reading.genre is None and product is None and (newcomer := _newcomer(reading)):
            found = [each for each in found if (each["genre"] is None) == newcomer]
        if product:
            draft.say(voice.aspect("price", product, voice.title(product)))
            draft.rest_on_product(product, voice, self.shop.today.isoformat())
            memory.discuss(str(product["id"]))
        if not found:
            draft.say(voice.say("no_promotion", what=voice.genre(str(genre))))
        elif len(found) == 1:
            draft.say(str(found[0][f"text_{voice.language}"]))
        else:
            draft.say(voice.say("promotions"))
            draft.paragraphs.append(
                "\n".join(f"{at}. {each[f'text_{voice.language}']}" for at, each in enumerate(found, 1))
            )
        for each in found:
            draft.rest_on_promotion(each, self.shop.today.isoformat())
        draft.say(voice.close("promotion_close"))

    # orders

    def _order(self, draft: Draft, voice: Voice, reading: Reading, memory: Memory) -> None:
        number = reading.order or memory.order
        if number is None:
            memory.waits_for = draft.intent
            draft.say(voice.say("ask_order"))
            return
        memory.waits_for, memory.order = None, number
        order = self.shop.order(number)
        if order is None:
            draft.say(voice.say("no_order", number=number))
            draft.calls.append({"name": "find_order", "arguments": {"number": number}, "error": "no such order"})
            return
        product = self.shop.product(str(order["product"]))
        memory.focus = str(order["product"])
        told = {name: voice.day(order[name]) for name in ("shipped", "expected", "delivered") if order[name]}
        told |= {
            "number": number,
            "items": voice.copies(order["copies"], product),
            "total": voice.yen(order["total_jpy"]),
        }
        told |= {"carrier": str(order["carrier"]), "tracking": str(order["tracking"])}
        if draft.intent == "order_tracking":
            draft.say(voice.say(str(order["status"]), **told))
            draft.say(voice.close("order_close"))
        else:
            self._return(draft, voice, order, told)
        full = Voice(language=voice.language)
        told["items"] = full.copies(order["copies"], product)
        record = full.say(str(order["status"]), **told)
        if not order["delivered"]:
            record += (" " if voice.language == "en" else "") + full.say("undelivered", **told)
        draft.rest_on_order(order, record, self.shop.today.isoformat())

    def _return(self, draft: Draft, voice: Voice, order: Row, told: dict[str, str]) -> None:
        if order["status"] == "returned":
            draft.say(voice.say("return_done", **told))
        elif order["status"] != "delivered":
            draft.say(voice.say("return_early", **told))
            if order["status"] in ("preparing", "waiting for payment"):
                self._policies(draft, voice, ("cancel",))
        else:
            topic = "returns_opened" if order["opened"] == "yes" else "returns_unopened"
            versions = retrieved(self.shop.policies(topic), self.fault)
            until = date.fromisoformat(order["delivered"]) + timedelta(days=_days_in(str(versions[0]["text_en"])))
            possible = self.shop.today <= until
            checked = {"number": order["number"], "possible": possible, "until": until.isoformat()}
            draft.calls.append({"name": "check_return", "arguments": {"number": order["number"]}, "result": checked})
            draft.say(voice.say("return_yes" if possible else "return_no", until=voice.day(until), **told))
            self._policies(draft, voice, (topic,))
            if possible:
                draft.say(voice.close("return_close"))


def _days_in(policy: str) -> int:
    """The number before "days": the policy's own text decides, not a copy of it in the code."""
    words = policy.split()
    return int(words[words.index("days") - 1])


def _newcomer(reading: Reading) -> bool:
    said = reading.text.casefold()
    return any(word in said for word in ("first order", "new customer", "first time", "初めて", "初回"))
