"""Assemble the inputs of tests: what each input needs, and how a text becomes the inputs of a case."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from proctor.generate.build_case import Brief, open_inputs
from proctor.generate.offline.input_shapes import TextShape, fit_word, is_http, shape_of
from proctor.generate.offline.prompt_inputs import OwnText, own_texts
from proctor.generate.offline.sample_texts import BankText, kinds_wanted, language_wanted, ranked, texts_of
from proctor.generate.offline.topic import takes_any_text
from proctor.generate.offline.values import is_text, values_of
from proctor.generate.spec import InputSpec
from proctor.text.script import language_of
from proctor.text.split import sentences

__all__ = ["InputPlace", "InputPlan", "plan_inputs"]

_WORD_NAMES = re.compile(r"^(?:target_?)?(?:word|term|token|phrase|span)$", re.IGNORECASE)
_TEXT_NAMES = re.compile(r"sentence|text|passage|paragraph|content|input|body|article", re.IGNORECASE)
_ONE_LINE = frozenset({"headline", "sentence", "http", "url", "name", "place", "topic", "joke"})
_SHORT_KINDS = frozenset({"name", "place", "topic", "url", "http"})
_PROSE = frozenset({"article", "text", "sentence", "request", "support", "review", "email", "description"})
_ENOUGH = 8
_PLENTY = 700
_LONG_LINE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class InputPlace:
    """One input of a test: the texts that suit it, its format, and its values if it is not a text.

    ``own`` are the texts in the prompt's own words, if the prompt has a domain and the bank therefore has none.
    """

    spec: InputSpec
    kinds: tuple[str, ...] = ()
    passages: tuple[BankText, ...] = ()
    pool: tuple[BankText, ...] = ()
    shape: TextShape | None = None
    values: tuple[Any, ...] = ()
    inside: str = ""
    own: tuple[OwnText, ...] | None = None

    @property
    def one_line(self) -> bool:
        """Whether its texts are on one line."""
        return self.shape is not None or bool(self.kinds and self.kinds[0] in _ONE_LINE)

    @property
    def prose(self) -> bool:
        """Whether two of its texts can be joined to one."""
        return self.shape is None and bool(self.kinds and self.kinds[0] in _PROSE - {"sentence", "description"})


@dataclass(frozen=True, slots=True, kw_only=True)
class InputPlan:
    """Everything about the inputs of a prompt that test makers need; ``carrier`` takes the text of a test."""

    brief: Brief
    places: tuple[InputPlace, ...]
    carrier: InputPlace | None
    language: str = ""
    seed: int = 0
    _others: tuple[BankText, ...] = field(default=(), repr=False)

    @property
    def own(self) -> bool:
        """Whether only texts of the prompt's own domain are used."""
        return self.carrier is not None and self.carrier.own is not None

    def text(self, number: int) -> str:
        """Return a text that suits the carrier, depending on the number."""
        assert self.carrier is not None
        return self.carrier.passages[number % len(self.carrier.passages)].text

    def round_of(self, number: int) -> int:
        """Return how many times all texts were used before this number."""
        assert self.carrier is not None
        return number // len(self.carrier.passages)

    def snippet(self, number: int) -> str:
        """Return the beginning of a text, short enough that an addition dominates."""
        text = self.text(number)
        if self.carrier is not None and self.carrier.kinds[:1] == ("code",):
            return text
        kept: list[str] = []
        for sentence in sentences(text) or [text]:
            kept.append(sentence)
            if sum(len(each.split()) for each in kept) >= 12:
                break
        return " ".join(kept)

    def long(self, number: int, words: int) -> str:
        """Return a text of at least that many words, joined from several."""
        assert self.carrier is not None
        kind = self.carrier.kinds[0]
        if kind in ("http", "url"):
            steps = ("archive", "{year}", "quarterly-reports", "{report-id}", "attachments", "{attachment-id}", "pages")
            turn = number % len(steps)
            return "/".join([self.text(number).partition("?")[0].rstrip("/"), *steps[turn:], *steps[:turn]])
        if self.carrier.one_line:
            words = min(words, _LONG_LINE)
        pool = self.carrier.passages if self.carrier.one_line else self.carrier.pool
        parts = [self.text(number)]
        step = 1 + number % 3
        for turn in range(min(len(pool), 60)):
            if sum(len(part.split()) for part in parts) >= words:
                break
            parts.append(pool[(number * 4 + turn * step) % len(pool)].text)
        if kind in _SHORT_KINDS:
            return ", ".join(parts[: max(2, words // 20)])
        return " ".join(_ended(part) for part in dict.fromkeys(parts))

    def short(self, number: int) -> str:
        """Return the first few words, or the first sentence, of a text."""
        text = self.text(number)
        first = (sentences(text) or [text])[0]
        return " ".join(first.split()[: 3 + number % 4]).rstrip(",.;:")

    def nothing(self, number: int) -> str:
        """Return a text in which there is nothing to find."""
        found = texts_of("nothing", seed=self.seed)
        return found[number % len(found)].text

    def foreign(self, number: int) -> str:
        """Return a text in another language than the others."""
        found = [each for each in self._others if each.language not in ("en", self.language)]
        return found[number % len(found)].text

    def odd(self, number: int) -> str:
        """Return a text with disruptive characters: markup, braces, emoji."""
        found = [each for each in self._others if each.language == "en"]
        return found[number % len(found)].text

    def fill(self, text: str | None, number: int) -> dict[str, Any]:
        """Return the inputs of a case with this text in the carrier; the others get their own values."""
        values: dict[str, Any] = {}
        for place in self.places:
            if place is self.carrier and text is not None:
                values[place.spec.name] = place.shape.fill(text, number) if place.shape else text
            elif not place.inside:
                values[place.spec.name] = _value(place, number)
        for place in self.places:
            if place.inside:
                host = values.get(place.inside, self.brief.scenario.parameters.get(place.inside, ""))
                values[place.spec.name] = fit_word(str(host), number)
        return values

    def turns(self) -> int:
        """Return the number of different value combinations if no input is a text."""
        most = 1
        for place in self.places:
            most *= max(1, len(place.values))
        return min(most, 10_000)


def plan_inputs(brief: Brief, *, seed: int) -> InputPlan:
    """Analyse every input once."""
    specs = open_inputs(brief)
    language = language_wanted(
        brief.scenario.instructions, brief.scenario.name, *map(str, brief.scenario.parameters.values())
    ) or _spoken(brief.prompt.text)
    places = tuple(_place(brief, spec, specs, language=language, seed=seed) for spec in specs)
    others = tuple(texts_of("other", seed=seed))
    return InputPlan(
        brief=brief, places=places, carrier=_carrier(places), language=language or "en", seed=seed, _others=others
    )


@lru_cache(maxsize=8)
def _spoken(text: str) -> str:
    """Return the language of a prompt, if its script shows it: its users probably write the same."""
    language = language_of(text)
    return language if language in ("ja", "zh", "ko") else ""


def _place(brief: Brief, spec: InputSpec, specs: tuple[InputSpec, ...], *, language: str, seed: int) -> InputPlace:
    examples = _examples(brief, spec)
    default = brief.prompt.defaults.get(spec.name)
    if not is_text(spec):
        return InputPlace(spec=spec, values=tuple(values_of(spec, default)) or ("",))
    if host := _host(brief, spec, specs):
        return InputPlace(spec=spec, inside=host)
    kinds = kinds_wanted(spec, brief.prompt.text)
    if not takes_any_text(brief.prompt, spec):
        return _own_place(brief, spec, kinds)
    if examples and all(map(is_http, examples)):
        kinds = ("http",)
    shape = shape_of(examples)
    if shape is not None and shape.inside:
        kinds = ("sentence",)
    lengths = sorted(len(str(each).split()) for each in examples)
    passages = ranked(
        kinds,
        brief.prompt.text,
        language=language,
        length=lengths[len(lengths) // 2] if lengths and shape is None else 0,
        seed=seed,
    )
    fitting = _fitting(passages, kinds)
    pool = fitting
    if kinds[0] not in _SHORT_KINDS and sum(len(each.text.split()) for each in fitting) < _PLENTY:
        pool = [each for each in passages if each in fitting or each.kinds & _PROSE]
    return InputPlace(spec=spec, kinds=kinds, passages=tuple(fitting), pool=tuple(pool), shape=shape)


def _own_place(brief: Brief, spec: InputSpec, kinds: tuple[str, ...]) -> InputPlace:
    """Return the place of an input whose texts are the prompt's own; it has none if the prompt implies none."""
    own = own_texts(brief, spec)
    texts = tuple(BankText(text=each.text, kinds=frozenset(kinds[:1]), about=frozenset()) for each in own)
    shape = shape_of(_examples(brief, spec))
    return InputPlace(spec=spec, kinds=kinds, passages=texts, pool=texts, shape=shape, own=own)


def _fitting(passages: list[BankText], kinds: tuple[str, ...]) -> list[BankText]:
    """Return the texts of the likeliest kinds, with as few kinds as give a choice."""
    fitting: list[BankText] = []
    for number in range(1, len(kinds) + 1):
        fitting = [passage for passage in passages if passage.kinds & set(kinds[:number])]
        if len(fitting) >= _ENOUGH:
            break
    return fitting or passages


def _examples(brief: Brief, spec: InputSpec) -> tuple[Any, ...]:
    given = [sample[spec.name] for sample in (*brief.samples, brief.prompt.sample) if spec.name in sample]
    return (*given, *spec.examples)


def _host(brief: Brief, spec: InputSpec, specs: tuple[InputSpec, ...]) -> str:
    """Return the other input that contains the value of this one, according to samples or names."""
    samples: tuple[Mapping[str, Any], ...] = (*brief.samples, brief.prompt.sample)
    for other in specs:
        if other.name == spec.name:
            continue
        both = [sample for sample in samples if spec.name in sample and other.name in sample]
        if both and all(_within(sample[spec.name], sample[other.name]) for sample in both):
            return other.name
    if _WORD_NAMES.match(spec.name):
        return next((each.name for each in specs if each.name != spec.name and _TEXT_NAMES.search(each.name)), "")
    return ""


def _within(small: Any, large: Any) -> bool:
    return isinstance(small, str) and isinstance(large, str) and 0 < len(small) < len(large) and small in large


def _carrier(places: tuple[InputPlace, ...]) -> InputPlace | None:
    """Return the input for the text of a test: preferably a long free text, not a name or a link."""
    texts = [place for place in places if place.passages]
    long = [place for place in texts if not set(place.kinds[:1]) & _SHORT_KINDS]
    return next(iter(long or texts), None)


def _value(place: InputPlace, number: int) -> Any:
    if place.values:
        return place.values[number % len(place.values)]
    return place.passages[number % len(place.passages)].text if place.passages else ""


def _ended(text: str) -> str:
    return text if text.rstrip().endswith((".", "!", "?", "。", ")", '"')) else f"{text.rstrip()}."
