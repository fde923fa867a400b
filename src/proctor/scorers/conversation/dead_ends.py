# ruff: noqa: E501 - words in many languages
"""Find conversations that the agent ends, or gives up, while the customer's request is still open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from proctor.core.score import Evidence
from proctor.core.tool_effect import StatedEffect
from proctor.core.trajectory import Trajectory, Turn
from proctor.core.transcript import failed
from proctor.core.verdict import STOPS
from proctor.lexicon.match import matcher
from proctor.scorers.checked_answers import quoted
from proctor.scorers.conversation.acting_calls import did_act
from proctor.scorers.conversation.known_texts import AgentMessage, agent_messages
from proctor.scorers.conversation.repeat_requests import accepts, complains
from proctor.scorers.conversation.repeated_asks import common_roots
from proctor.text.claims import statements
from proctor.text.polarity import is_denied, root_words

__all__ = ["closed_open_request"]

_FEW_WORDS: Final = 12  # content words beside the farewell
_QUESTION: Final = ("?", "？", "؟")
_LONGEST: Final = 400  # characters of an answer that says nothing
_LEAST_WORDS: Final = 2
_NUMBER: Final = re.compile(r"\d+")
_MOST_READ: Final = 1  # words that it shares with a source, such as the name of the shop
# Words for yes and no, a closed class, at the beginning of an answer.
_SETTLES: Final = re.compile(
    r"(?:yes|yep|yeah|sure|of course|certainly|absolutely|correct|exactly|right|ja|jawohl|klar|genau|natürlich|"
    r"gern\w*|selbstverständlich|stimmt"
    r"|zeker|natuurlijk|klopt|precies|oui|bien sûr|tout à fait|exactement|si|sí|claro|por supuesto|exacto|"
    r"correcto|sì|certo|certamente|esatto|sim"
    r"|com certeza|exato|jo|absolut|visst|självklart|det stämmer|selvfølgelig|tak|oczywiście|dokładnie|zgadza|да|"
    r"конечно|именно|верно|так|звичайно"
    r"|ano|jistě|samozřejmě|evet|tabii|elbette|igen|kyllä|da|sigur)\b|نعم|أجل|بالتأكيد|طبعا|はい|ええ|もちろん|そうです|是|对|對|"
    r"可以|好的|没错|当然|네(?=[,. ])|예(?=[,. ])|맞습니다|물론|जी|हाँ|हां"
    r"|(?:no|nope|nein|nee|non|nej|nie|нет|ні|ne|hayır)\b|いいえ|不是|不用|아니|لا\b|नहीं",
    re.IGNORECASE,
)


def closed_open_request(run: Trajectory, tool_effects: Mapping[str, StatedEffect]) -> Iterator[Evidence]:
    """Yield the answer that passes an open question over, or the last one that only says farewell to it.

    Not where something was done, refused or handed over. The checks are ``passed_over`` and ``closed``.
    """
    last = next((index for index in reversed(range(len(run.turns))) if run.turns[index].answer.strip()), None)
    if last is None or any(turn.escalation is not None for turn in run.turns):
        return
    turn = run.turns[last]
    recent = run.turns[max(0, last - 1) : last + 1]
    if _is_stopped(turn) or any(did_act(call, tool_effects) for each in recent for call in each.tool_calls):
        return
    if last + 1 < len(run.turns) and _is_content(run.turns[-1].asked):
        return
    answer = turn.answer
    if _asks_on(answer, run) or matcher("offers_person").has(answer):
        return
    place = last
    if (empty := _passed_over(run, last)) is not None:
        place = empty
        note = "the customer's question is passed over: nothing new that the agent had read, no question, no yes or no"
    elif _only_closes(answer, turn.asked) and not (_was_refused_openly(run, last) or _is_content(turn.asked)):
        note = "the agent ends the conversation while the request is open"
    else:
        return
    check = "closed" if empty is None else "passed_over"
    yield Evidence(quote=quoted(run.turns[place].answer), turn=place, where="agent", note=note, check=check)


def _is_content(asked: str) -> bool:
    """Whether the customer accepts; who says "ok" and asks something still waits for an answer."""
    return accepts(asked) and not any(sign in asked for sign in _QUESTION)


def _asks_on(answer: str, run: Trajectory) -> bool:
    """Whether the answer asks something; beside a farewell, only a question on the customer's matter counts."""
    asked = [each.text for each in statements(answer, most=20) if each.kind in ("question", "offer")]
    asked += [] if asked or not any(sign in answer for sign in _QUESTION) else [answer]
    if not asked or not matcher("closes_chat").has(answer):
        return bool(asked)
    matter = root_words("\n".join(turn.asked for turn in run.turns)) - common_roots()
    return any(root_words(each) & matter for each in asked)


def _was_refused_openly(run: Trajectory, last: int) -> bool:
    """Whether the answer before said no, and the customer only remarks on it: then nothing is open."""
    before = run.turns[last - 1].answer if last else ""
    remark = run.turns[last].asked
    return is_denied(before) and not any(sign in remark for sign in _QUESTION) and not complains(remark)


def _only_closes(answer: str, asked: str) -> bool:
    """Whether an answer says farewell and nothing on what was asked."""
    closes = matcher("closes_chat", "empty_courtesy")
    if not closes.has(answer) or any(map(str.isdigit, answer)):
        return False
    rest = root_words(" ".join(each.text for each in statements(answer, most=20) if not closes.has(each.text)))
    return len(rest) <= _FEW_WORDS and not any(len(each) > 1 for each in rest & root_words(asked))


def _passed_over(run: Trajectory, last: int) -> int | None:
    """Return the turn of an open matter to which its own and all later answers bring nothing.

    The matter is open where the customer asks, or answers what the agent asked; a remark on the answer leaves it open.
    Of several such turns it is the first with a question, else the last.
    """
    messages = list(agent_messages(run))
    found: int | None = None
    for at in range(last, -1, -1):
        asked = run.turns[at].asked
        if _is_content(asked) or not _brings_nothing(run, at, messages):
            break
        if any(sign in asked for sign in _QUESTION) or (found is None and _is_open(run, at)):
            found = at
    return found


def _brings_nothing(run: Trajectory, at: int, messages: Sequence[AgentMessage]) -> bool:
    """Whether an answer has no figure and no word that the agent had read, says neither yes nor no, and asks nothing.

    What the customer or the agent said before is nothing new, so a refusal that repeats itself is found in any language.
    """
    turn = run.turns[at]
    place = next((one for one in reversed(range(len(messages))) if messages[one].turn == at), None)
    if place is None or any(not failed(call) for call in turn.tool_calls) or _SETTLES.match(turn.answer.strip()):
        return False
    message = messages[place]
    if not message.told or len(message.text) > _LONGEST:
        return False
    if _asks_on(turn.answer, run) or matcher("offers_person").has(turn.answer):
        return False
    before = "\n".join((*message.heard, *(each.text for each in messages[:place])))
    said = _roots(message.text)
    read = (said & _roots("\n".join(each.text for each in message.told))) - _roots(before)
    numbers = set(_NUMBER.findall(message.text)) - set(_NUMBER.findall(before))
    return len(said) >= _LEAST_WORDS and not numbers and len(read) <= _MOST_READ


def _is_open(run: Trajectory, last: int) -> bool:
    asked = run.turns[last].asked
    if any(sign in asked for sign in _QUESTION):
        return True
    before = run.turns[last - 1].answer if last else ""
    return any(sign in before for sign in _QUESTION) and not accepts(asked) and not is_denied(asked)


def _roots(text: str) -> frozenset[str]:
    return root_words(f"{text} é")  # everyday words count too, as in a text that is not English


def _is_stopped(turn: Turn) -> bool:
    return any(verdict.action in STOPS for verdict in turn.verdicts)
