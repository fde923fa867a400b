"""Parse the layout of a prompt: headings, paragraphs, list items, code blocks, and their sections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from proctor.core.chat import Role
from proctor.generate.extract.sections import Section, section_of
from proctor.prompts.prompt import PromptMessage

__all__ = ["PromptBlock", "blocks_of", "veiled"]

BlockKind = Literal["heading", "lead", "paragraph", "item", "code", "pair"]

_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_HASHES: Final = re.compile(r"\s{0,3}(#{1,6})\s+(.+?)\s*#*\s*$")
_BOLD_LINE: Final = re.compile(r"\s*(?:\*\*|__)([^*_\n]{1,80}?)(?:\*\*|__)\s*[:：]?\s*$")
_RULED_LINE: Final = re.compile(
    r"\s*(?:={2,}|-{2,}|\*{3,}|【|\[)\s*([^\[\]=\n]{1,60}?)\s*(?:={2,}|-{2,}|\*{3,}|】|\])\s*[:：]?\s*$"
)
_BRACKET_LABEL: Final = re.compile(r"\s*【([^】\n]{1,30})】\s*(?=\S)")
_TAG_LINE: Final = re.compile(r"\s*<(/?)([^\W\d_][\w-]{0,40})(?:\s[^<>\n]*)?>\s*$")
_ITEM: Final = re.compile(
    r"(\s*)(?:[-*+•‣▪◦–・●○■]\s+|[・●]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)）]\s+|[①-⑳]\s*)(?=\S)"
)
_BLANK: Final = re.compile(r"\s*$")
_RULE: Final = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,}|={3,})\s*$")
_LEAD_END: Final = re.compile(
    r"[:：]\s*(?:\*\*|__)?\s*$|\b(?:if|when|unless)(?:\s+(?:the \w+|it|they|you))?\s*$", re.IGNORECASE
)
_TEMPLATE: Final = re.compile(r"\{%[^%]{0,2000}%\}|\{#[^#]{0,2000}#\}")
_PAIR: Final = re.compile(
    r"\s*(?:[-*]\s+)?(?:\*\*)?(input|output|q|a|question|answer|user|human|assistant|ai|bot|response|request|"
    r"text|review|tweet|sentence|sentiment|label|category|english|french|customer|agent|result|query|reply|"
    r"入力|出力|質問|回答|ユーザー|アシスタント)(?: ?\d{1,2})?\s*(?:\*\*)?\s*[:：]",
    re.IGNORECASE,
)
_SHOWN_FIELD: Final = re.compile(r"\s*(?:\*\*)?[\w /-]{1,40}(?:\*\*)?:\s*(?:\*\*)?\s*[\[<{]")
# ``  urgency   – how soon it must be done``: one key on a line of its own.
_KEY_LINE: Final = re.compile(
    r"\s{2,}[`\"'*]{0,3}[A-Za-z_][\w.]{1,40}[`\"'*]{0,3}\s*(?:\([^()\n]{1,60}\)\s*)?(?:[:：]|\s[–—-])\s"
)
_OBJECT: Final = re.compile(r"\s*[\[{]\s*(?:$|\"|[\[{]\s*(?:$|\"))")
_GOING_ON: Final = re.compile(
    r"\W*(?:now\b|remember\b|important\b|based on\b|please\b|your task\b|do not\b|never\b)", re.IGNORECASE
)
# ``Decision: ALLOW, HIDE or BAN``: a labelled line of an answer, described.
_LABEL_LINE: Final = re.compile(r"\s*(?:\*\*)?[^\W\d_][\w /&'’-]{0,30}(?:\*\*)?[:：]\s*(?:\*\*)?\s*[^\s{][^{]*$")
_LEAST_WRAPPED: Final = 72  # characters of a line that was wrapped
_LONGEST_HEADING: Final = 200
_MOST_TITLE_WORDS: Final = 5
_TITLE_MARK: Final = re.compile(r"[■□◆◇▼▶]\s*")
# A word; where words are written without spaces, a few characters.
_ONE_WORD: Final = re.compile(
    r"[^\W\d_\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]{2,24}|[\u3040-\u30ff\u3400-\u9fff]{1,6}"
)
_MOST_LINES: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptBlock:
    """A block of the prompt's text; ``lead`` and ``section`` are what it is under."""

    kind: BlockKind
    start: int
    end: int
    section: Section = "plain"
    lead: str = ""
    role: Role = "system"
    depth: int = 0


@dataclass(slots=True)
class _Line:
    start: int
    end: int
    text: str


@dataclass(slots=True)
class _Place:
    """The parser's position: the current heading, the lead-in before this block, the open tag."""

    heading: str = ""
    heading_section: Section = "plain"
    lead: str = ""
    lead_section: Section | None = None
    lead_depth: int = -1
    outer: tuple[str, Section | None] = ("", None)
    tags: list[str] = field(default_factory=list)
    above: list[tuple[int, Section]] = field(default_factory=list)
    listed: bool = False  # the heading has no mark and is over a list, so it ends with the list

    @property
    def section(self) -> Section:
        """The section of the innermost lead-in, tag or heading."""
        if self.lead_section is not None and self.lead_section != "plain":
            return self.lead_section
        return self.heading_section

    @property
    def over(self) -> str:
        return self.lead or self.heading


def veiled(text: str) -> str:
    """Replace template statements and comments by blanks; offsets stay the same."""
    return _TEMPLATE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def blocks_of(messages: Sequence[PromptMessage]) -> tuple[PromptBlock, ...]:
    """Return the blocks of all messages, in order; offsets are into the prompt's text."""
    found: list[PromptBlock] = []
    offset = 0
    for number, message in enumerate(messages):
        following = messages[number + 1].role if number + 1 < len(messages) else None
        shown = message.role == "assistant" or (
            message.role == "user" and following == "assistant" and "{{" not in message.text
        )
        text = veiled(message.text)
        if not shown:  # a message that shows the dialogue is an example
            found.extend(_blocks(text, offset, message.role))
        offset += len(message.text) + 2
    return tuple(found)


def _lines(text: str) -> list[_Line]:
    lines, at = [], 0
    for piece in text.split("\n")[:_MOST_LINES]:
        lines.append(_Line(at, at + len(piece), piece))
        at += len(piece) + 1
    return lines


def _heading(line: str) -> str | None:
    if len(line) > _LONGEST_HEADING:
        return None
    for pattern, group in ((_HASHES, 2), (_BOLD_LINE, 1), (_RULED_LINE, 1)):
        if (match := pattern.match(line)) and not (group == 1 and match.group(1).rstrip().endswith((".", "!", "。"))):
            return match.group(group).strip("*_ :：")
    return None


def _title(lines: list[_Line], at: int) -> str | None:
    """Return a heading without any mark: a short line of its own in capitals, over a list, or that names a section."""
    text = _TITLE_MARK.sub("", lines[at].text.strip())
    if at and not _BLANK.match(lines[at - 1].text) and _heading(lines[at - 1].text) is None:
        return None
    if not 0 < len(text.split()) <= _MOST_TITLE_WORDS or not re.fullmatch(r"[^\W\d_][\w '’/&-]*", text):
        return None
    if at + 1 >= len(lines):
        return None
    capitals = text.isupper() and len(text) > 3
    below = lines[at + 1].text
    blank = _BLANK.match(below) is not None
    listed = bool(_ITEM.match(below) or _OBJECT.match(below))
    section = section_of(text)
    begun = not text[:1].islower()  # many scripts have no capitals
    known = begun and section not in ("plain", "include") and len(text.split()) <= 3
    shown = section == "example" and not blank
    return text if capitals or (begun and listed) or (known and (blank or shown)) else None


def _blocks(text: str, offset: int, role: Role) -> Iterator[PromptBlock]:
    lines = _lines(text)
    place = _Place()
    at = 0
    while at < len(lines):
        line = lines[at]
        if (label := _BRACKET_LABEL.match(line.text)) is not None:  # ``【Task】 Read the text.``
            _under(place, label.group(1), 9)
            place.lead, place.lead_section = "", None
            lines[at] = _Line(line.start + label.end(), line.end, line.text[label.end() :])
        elif _BLANK.match(line.text) or (_RULE.match(line.text) and not _heading(line.text)):
            at += 1
            _after_blank(place, lines, at)
        elif (last := _code_until(lines, at)) is not None:
            yield _block("code", lines[at], lines[last], place, offset, role)
            at = last + 1
            _shown(place)
        elif tag := _TAG_LINE.match(line.text):
            _enter(place, closing=bool(tag.group(1)), name=tag.group(2))
            at += 1
        elif (last := _shown_headings(lines, at, place)) is not None:
            made = _block("code", line, lines[last], place, offset, role)
            yield replace(made, section="format")
            at = last + 1
            place.lead, place.lead_section = "", None
        elif (heading := _heading(line.text) or _title(lines, at)) is not None:
            _under(place, heading, _level(line.text))
            place.lead, place.lead_section = "", None
            place.listed = _heading(line.text) is None and place.heading_section in ("tools", "input")
            yield _block("heading", line, line, place, offset, role)
            at += 1
        else:
            stop, kind = _extent(lines, at)
            if kind == "item" and len(line.text) - len(line.text.lstrip()) <= place.lead_depth:
                place.lead, place.lead_section = place.outer  # the nested list has ended
                place.lead_depth = -1
            if kind == "item" and _names_sublist(lines, at, stop):
                kind = "heading"
            made = _block(kind, line, lines[stop - 1], place, offset, role)
            yield made
            if _LEAD_END.search(lines[stop - 1].text[-40:]):
                _lead(place, text[made.start - offset : made.end - offset], made)
            at = stop


def _names_sublist(lines: list[_Line], at: int, stop: int) -> bool:
    """Whether an item is a single word over a deeper list: it names the list and asks nothing."""
    if stop != at + 1 or stop >= len(lines) or not _ITEM.match(lines[stop].text):
        return False
    text = _ITEM.sub("", lines[at].text, count=1).strip("*_ ")
    deeper = len(lines[stop].text) - len(lines[stop].text.lstrip())
    return deeper > len(lines[at].text) - len(lines[at].text.lstrip()) and _ONE_WORD.fullmatch(text) is not None


def _shown_headings(lines: list[_Line], at: int, place: _Place) -> int | None:
    """Return the last of several headings that stand under a lead-in with nothing between them; None if there are none.

    They show the headings of the answer.
    """
    if not place.lead.rstrip("*_ ").endswith((":", "：")):
        return None
    last, found = at, 0
    for stop in range(at, len(lines)):
        if _HASHES.match(lines[stop].text):
            last, found = stop, found + 1
        elif not _BLANK.match(lines[stop].text):
            break
    return last if found >= 2 else None


def _level(line: str) -> int:
    hashes = _HASHES.match(line)
    return len(hashes.group(1)) if hashes else 9


def _under(place: _Place, heading: str, level: int) -> None:
    """Enter a heading; one below a heading of background stays background unless it says what it is itself."""
    while place.above and place.above[-1][0] >= level:
        place.above.pop()
    section = section_of(heading)
    if section in ("plain", "rules") and place.above and place.above[-1][1] in ("input", "example", "tools"):
        section = place.above[-1][1]
    if level < 9:
        place.above.append((level, section))
    place.heading, place.heading_section = heading, section


def _block(kind: BlockKind, first: _Line, last: _Line, place: _Place, offset: int, role: Role) -> PromptBlock:
    start, end = first.start, last.end
    depth = len(first.text) - len(first.text.lstrip())
    return PromptBlock(
        kind=kind,
        start=offset + start,
        end=offset + end,
        section=place.section,
        lead=place.over,
        role=role,
        depth=depth,
    )


def _code_until(lines: list[_Line], at: int) -> int | None:
    """Return the last line of the code or JSON that begins on this one; None if none does."""
    if _FENCE.match(lines[at].text):
        return _closing(lines, at)
    return _balanced(lines, at) if _OBJECT.match(lines[at].text) else None


def _closing(lines: list[_Line], at: int) -> int:
    for stop in range(at + 1, len(lines)):
        if _FENCE.match(lines[stop].text):
            return stop
    return len(lines) - 1


def _balanced(lines: list[_Line], at: int) -> int | None:
    """Return the line on which the brackets opened here are closed; None if they never are."""
    depth = 0
    for stop in range(at, min(at + 400, len(lines))):
        text = lines[stop].text
        depth += sum(map(text.count, "{[")) - sum(map(text.count, "}]"))
        if depth <= 0:
            return stop
    return None


def _shown(place: _Place) -> None:
    """End a format section after its format was shown; examples may continue."""
    if place.lead_section == "format":
        place.lead, place.lead_section = "", None


def _enter(place: _Place, *, closing: bool, name: str) -> None:
    if closing:
        if name in place.tags:
            del place.tags[place.tags.index(name) :]
        opened = place.tags[-1] if place.tags else ""
    else:
        place.tags.append(name)
        opened = name
    place.heading = opened.replace("_", " ").replace("-", " ")
    around = [section_of(re.sub(r"[_-]", " ", tag)) for tag in place.tags]
    place.heading_section = "example" if "example" in around else section_of(place.heading) if opened else "plain"
    place.lead, place.lead_section = "", None


def _lead(place: _Place, text: str, made: PromptBlock) -> None:
    """Set the lead-in for the following list or block; only the last sentence of the line counts."""
    last = re.split(r"(?<=[.!?。])\s+", text.strip())[-1]
    section = section_of(last)
    if place.lead_section == "example" and made.kind == "pair":
        return
    if made.kind == "item":
        if place.lead_depth < 0:
            place.outer = (place.lead, place.lead_section)
        place.lead_depth = made.depth
    else:
        place.lead_depth = -1
    if place.heading_section == "example" and section != "rules":
        section = "example"
    place.lead, place.lead_section = last.strip("*_# "), section


def _after_blank(place: _Place, lines: list[_Line], at: int) -> None:
    """After a blank line, keep a lead-in only for a list, a code block, or one more example."""
    if at >= len(lines) or _BLANK.match(lines[at].text):
        return
    following = lines[at].text
    if place.listed and not (_ITEM.match(following) or _FENCE.match(following) or following[:1].isspace()):
        place.heading, place.heading_section, place.listed = "", "plain", False
    if place.lead_section is None:
        return
    holds = bool(_ITEM.match(following) or _FENCE.match(following) or _HASHES.match(following))
    if place.lead_section == "example":
        shown = holds or _PAIR.match(following) or following.lstrip()[:1] in "\"“'`{[<>「|"
        holds = bool(shown) and not _GOING_ON.match(following)
    elif place.lead_section == "format":
        holds = holds or following.lstrip()[:1] in "{[<" or bool(_SHOWN_FIELD.match(following))
    if not holds and at + 1 < len(lines) and _LABEL_LINE.match(following) and _LABEL_LINE.match(lines[at + 1].text):
        holds = place.lead_section not in ("input", "tools")
    if not holds:
        place.lead, place.lead_section = "", None


def _extent(lines: list[_Line], at: int) -> tuple[int, BlockKind]:
    """Return where the block that begins on this line ends, and its kind."""
    first = lines[at].text
    item = _ITEM.match(first) or _KEY_LINE.match(first)
    kind: BlockKind = "item" if item else ("pair" if _PAIR.match(first) else "paragraph")
    stop = at + 1
    while stop < len(lines):
        text = lines[stop].text
        if (
            _BLANK.match(text)
            or _FENCE.match(text)
            or _ITEM.match(text)
            or _KEY_LINE.match(text)
            or _TAG_LINE.match(text)
            or _OBJECT.match(text)
            or _heading(text) is not None
        ):
            break
        if kind != "paragraph" and _PAIR.match(text):
            break
        if kind != "item" and _LABEL_LINE.match(text) and _LABEL_LINE.match(lines[stop - 1].text):
            break
        if kind == "paragraph" and _breaks(lines, at, stop):
            break
        if kind == "item" and not text.startswith((" ", "\t")) and _breaks(lines, at, stop, item=True):
            break
        stop += 1
    return stop, kind


def _breaks(lines: list[_Line], at: int, stop: int, *, item: bool = False) -> bool:
    """Whether a new line begins a new statement rather than continues a wrapped one."""
    before, after = lines[stop - 1].text.rstrip(), lines[stop].text.lstrip("*_\"'“`([ \t")
    widest = max(len(line.text) for line in lines[at : stop + 1])
    wrapped = widest >= 60 and len(before) >= widest - 28
    if item and before.endswith((")", ";")):  # a short item that is complete was not wrapped
        wrapped = wrapped and len(before) >= _LEAST_WRAPPED
    if before.endswith((":", "：")):
        return not wrapped or _LABEL_LINE.match(lines[stop].text) is not None
    if _PAIR.match(lines[stop].text):
        return True
    if before.endswith((".", "!", "?", "。", "！", "？", ".**", "!**", "}", ".“", ".”", '."', ".»", ". »")):
        return True
    if _KEY_LINE.match(lines[stop].text) or _KEY_LINE.match(lines[stop - 1].text):
        return True
    if re.search(
        r"(?:,|、|\b(?:the|a|an|of|and|or|to|in|for|with|is|are|be|that|which|your|not|by|from|on|as))$", before
    ):
        return False
    return not wrapped and (after[:1].isupper() or not after[:1].isascii())
