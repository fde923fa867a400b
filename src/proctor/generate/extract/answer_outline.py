"""The parts that a prompt shows or names of its answer: tags, sections under a heading, labelled lines, JSON fields.

Each part has the beginning of its predicates (``section "TOOLS":``), the places that describe it, and the words by
which a sentence elsewhere names it. A part that an answer lacks makes its predicates not apply, so they cannot fail
the reply of a case that has no parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from proctor.generate.extract.answer_parts import PLACES
from proctor.generate.extract.json_drafts import field_paths
from proctor.generate.extract.json_fields import JsonShape
from proctor.generate.extract.limit_subject import names_answer
from proctor.generate.extract.predicate_text import quoted
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement
from proctor.text.lazy_pattern import Lazy

__all__ = ["OutlinePart", "outline_of", "section_names"]

PartKind = Literal["tag", "section", "label", "field", "place"]
_LEAST_NAME: Final = 4  # characters of a name that a sentence may use as a plain word
_MOST_PARTS: Final = 60
# ``<verdict>...</verdict>``: what stands between is a place to fill in, or one line.
_SHOWN_TAG: Final = re.compile(r"<(?P<tag>[^\W\d_][\w-]{0,40})>(?P<inside>(?:(?!\{\{)[^<]){0,400}?)</(?P=tag)>")
_OPEN_TAG: Final = re.compile(r"<(?P<tag>[^\W\d_][\w-]{0,40})>")
_TAG_NOUN: Final = r"tags?\b|balises?\b|etiquetas?\b|etichett\w+|tagi\b|тег\w*|taggar\w*|标签|タグ|태그"
_LONGEST_PLACE: Final = 80  # characters of a place to fill in
_HTML: Final = frozenset(["a", "b", "br", "div", "em", "h1", "h2", "h3", "i", "li", "ol", "p", "span", "strong", "ul"])
_SECTION_NOUN: Final = (
    r"(?:sections?|headings?|headers?|blocks?|parts?|abschnitt\w*|überschrift\w*|block|teil|sections?|rubriques?|"
    r"titres?|parties?|secci[oó]n(?:es)?|apartados?|encabezados?|títulos?|seç(?:ão|ões)|cabeçalhos?|sezion[ei]|"
    r"titol[oi]|"
    r"sectie|kop(?:je)?|onderdeel|sekcj\w*|nagłów\w*|раздел\w*|заголов\w*|rubrik\w*|avsnitt\w*|overskrift\w*|afsnit\w*|"
    r"oddíl\w*|nadpis\w*|bölüm\w*|başlı\w*)"
)
_CALLED: Final = (
    r"(?:\s+(?:called|named|titled|headed|labelled|labeled|namens|genannt|mit dem titel|appelée?|intitulée?|llamad[ao]|"
    r"titulad[ao]|chamad[ao]|intitulad[ao]|chiamat[ao]|intitolat[ao]|genaamd|met de titel|o nazwie|под названием|"
    r"kallad|"
    r"med rubriken|adlı))?"
)
_UNDER: Final = (
    r"(?:under|below|unter|sous|bajo|debajo de|sob|abaixo de|sotto|onder|pod|под|altında|v části|inom|в раздел\w*)"
)
_CAPITALS: Final = r"(?P<{name}>[A-ZÀ-ÖØ-ÞА-ЯЁİŞĞ]{{2,}}(?:[ _&/-]+[A-ZÀ-ÖØ-ÞА-ЯЁİŞĞ]+){{0,5}})(?![\w-])"
_QUOTED: Final = r"[\"“„«`*]{{1,3}}#{{0,4}}\s?(?P<{name}>[^\W\d_][^\"“”„»«`*#:\n]{{1,40}}?)[:：]?[\"”“»`*]{{1,3}}"
_NAMED_SECTION: Final = Lazy(
    rf"(?i:\b{_SECTION_NOUN}{_CALLED})\s*:?\s+(?:{_CAPITALS.format(name='caps')}|{_QUOTED.format(name='quoted')})|"
    rf"(?i:(?:^|(?<=\W)){_UNDER}\s+(?P<article>the |die |der |le |la |el |lo |il |o |a |"
    rf"i )?){_CAPITALS.format(name='under')}(?!\s*\d)(?(article)(?=\s*(?:[,.:;)\n]|$)))"
)
_SHOWN_HEADING: Final = re.compile(r"(?m)^[ \t]*(?P<signs>#{1,4})[ \t]+(?P<name>[^\n#{}<]{2,50}?)[ \t:：]*$")
# ``REASON: <one sentence>``, ``Subject: [at most 8 words]``, ``要約：（30文字以内）``
_SHOWN_LABEL: Final = re.compile(
    r"(?m)^[ \t>*-]*(?P<label>[^\W\d_][^\n:：\"“„«`<>{}|()（）]{0,28}?)\**[:：]\**[ \t]*"
    r"(?:<(?P<a>[^<>\n{}]{2,200})>|\[(?P<b>[^\[\]\n{}]{2,200})\]|（(?P<c>[^（）\n{}]{2,200})）|(?P<d>\.\.\.|…))[ \t.]*$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlinePart:
    """A part of the answer: how its predicates begin, the offsets that describe it, and what names it."""

    kind: PartKind
    name: str
    form: str
    named: re.Pattern[str] | Lazy
    places: tuple[tuple[int, int], ...] = ()
    many: bool = False  # it holds a list

    def check(self, predicate: str) -> str:
        """Return the predicate for this part."""
        inner = f"({predicate})" if re.search(r"\b(?:and|or)\b|^when ", predicate) else predicate
        return f"{self.form} {inner}"


_PLACES: Final = tuple(
    OutlinePart(kind="place", name=form.rstrip(":"), form=form, named=pattern) for form, pattern in PLACES
)


def outline_of(
    text: str, statements: Sequence[Statement], shape: JsonShape | None, labels: Sequence[str], *, html: bool
) -> tuple[OutlinePart, ...]:
    """Return the parts of the answer, each once; ``labels`` are those of its lines, ``html`` if tags are its format."""
    if shape is not None:
        return tuple(_fields(shape, text))[:_MOST_PARTS]
    found = [
        *([] if html else _tags(text, statements)),
        *_sections(statements),
        *_labels(text, statements, labels),
        *_PLACES,
    ]
    kept: dict[str, OutlinePart] = {}
    for part in found:
        kept.setdefault(part.name.casefold(), part)
    return tuple(kept.values())[:_MOST_PARTS]


def _word(name: str) -> str:
    """Return a pattern for a name as it is written, or as a plain word if it is long enough."""
    exact = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
    if name.isupper() or len(name) < _LEAST_NAME or names_answer(name, ()):
        return rf"(?-i:{exact})" if name.isascii() or name[:1].isupper() else re.escape(name)
    return exact if name.isascii() or (name[:1].isalpha() and name[0].lower() != name[0].upper()) else re.escape(name)


def _tags(text: str, statements: Sequence[Statement]) -> Iterator[OutlinePart]:
    """Yield the tags that sentences or templates put around parts of the answer; those around the prompt's are none."""
    places: dict[str, list[tuple[int, int]]] = {}
    for each in statements:
        if each.section in ASIDE_SECTIONS:
            continue
        for match in _OPEN_TAG.finditer(each.text):
            tag = match["tag"]
            if tag.lower() in _HTML or "{{" in each.text[match.end() : match.end() + 3]:
                continue
            shown = _SHOWN_TAG.match(each.text, match.start())
            places.setdefault(tag, [])
            if shown and shown["inside"].strip(" .…\n"):
                places[tag].append((each.start + shown.start("inside"), each.start + shown.end("inside")))
    for tag, spans in places.items():
        mark = re.escape(tag)
        if re.search(rf"<{mark}>[^<]{{0,20}}\{{\{{", text) or not re.search(
            rf"</{mark}>|<{mark}>\W*(?i:{_TAG_NOUN})", text
        ):
            continue  # it holds an input, or is a place to fill in
        own = re.search(rf"(?m)^[ \t]*<{mark}>(?P<inside>(?:(?!</{mark}>)[\s\S]){{0,4000}})</{mark}>[ \t]*$", text)
        if (
            own
            and (len(own["inside"].strip()) > _LONGEST_PLACE or own["inside"].rstrip().endswith((".", "!", "。")))
            and not own["inside"].rstrip().endswith("...")
        ):
            continue  # it is around a part of the prompt
        named = rf"</?{re.escape(tag)}>" + (
            "" if len(tag) < _LEAST_NAME or names_answer(tag, ()) else rf"|(?<![\w<-]){re.escape(tag)}(?![\w>-])"
        )
        yield OutlinePart(
            kind="tag",
            name=tag,
            form=f"each {quoted([tag])}:",
            named=re.compile(named, re.IGNORECASE),
            places=tuple(spans),
        )


def section_names(text: str) -> list[str]:
    """Return the names that a sentence gives to sections of the answer."""
    return [match["caps"] or match["quoted"] or match["under"] for match in _NAMED_SECTION.finditer(text)]


def _sections(statements: Sequence[Statement]) -> Iterator[OutlinePart]:
    for each in statements:
        if each.section in ASIDE_SECTIONS:
            continue
        if each.code:
            names = [match["name"].strip("*_ ") for match in _SHOWN_HEADING.finditer(each.text)]
        else:
            names = [name for name in section_names(each.text) if len(name) >= _LEAST_NAME]
        for name in names:
            if not names_answer(name, ()):
                named = re.compile(_word(name), re.IGNORECASE)
                yield OutlinePart(kind="section", name=name, form=f"section {quoted([name])}:", named=named)


def _labels(text: str, statements: Sequence[Statement], labels: Sequence[str]) -> Iterator[OutlinePart]:
    covered = [(each.start, each.end) for each in statements if each.section not in ASIDE_SECTIONS]
    for match in _SHOWN_LABEL.finditer(text):
        if any(low <= match.start("label") < high for low, high in covered):
            group = next(name for name in ("a", "b", "c", "d") if match[name])
            yield _label(match["label"].strip(), match.span(group), _noun_of(match["a"] or ""))
    for label in labels:
        if not label.startswith("#"):
            yield _label(label.strip("#*:： "))


def _noun_of(shown: str) -> str:
    """Return the single word of a place to fill in, ``P: <pergunta>``: sentences call the part by it."""
    word = shown.strip()
    return word if re.fullmatch(r"[^\W\d_]{4,30}", word) else ""


def _label(label: str, place: tuple[int, int] | None = None, noun: str = "") -> OutlinePart:
    return OutlinePart(
        kind="label",
        name=label,
        form=f"labelled {quoted([label])}:",
        named=re.compile(_word(label) + (rf"|{_word(noun)}" if noun else ""), re.IGNORECASE),
        places=(place,) if place else (),
    )


def _fields(shape: JsonShape, text: str) -> Iterator[OutlinePart]:
    for name, many, spans in field_paths(shape, text):
        quotes = rf"[\"“`'„«]{re.escape(name)}[\"”`'“»]"
        stem = (
            rf"{re.escape(name[:-1])}[A-Za-z]{{0,2}}" if len(name) > _LEAST_NAME and name.isalpha() else re.escape(name)
        )
        plain = rf"(?<![\w-]){stem}(?![A-Za-z0-9_-])"  # ``no step``: one of the ``steps``
        known = len(name) >= _LEAST_NAME and not names_answer(name, ())
        yield OutlinePart(
            kind="field",
            name=name,
            form=f"each json field {quoted([name])}:",
            many=many,
            named=re.compile(f"{quotes}|{plain}" if known else quotes),
            places=spans,
        )
