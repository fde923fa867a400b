"""Features of a transcript and a policy that indicate whether the task was solved."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from proctor.core.tool_effect import StatedEffect, ToolEffect, tool_effect
from proctor.core.trajectory import Trajectory
from proctor.core.transcript import TranscriptStep, failed, result_text, steps
from proctor.scorers.conversation.effects import effect
from proctor.scorers.conversation.solved_records import choices, leaves

__all__ = ["features"]

_REFUSED: Final = re.compile(
    r"\b(?:sorry|apologi\w+|unfortunately|unable|cannot|can['’]t|not (?:possible|able|allowed|permitted|eligible)|"
    r"does ?n['’]t qualify|no (?:puedo|es posible)|lamentablemente|lo siento)\b"
)
_POLICY: Final = re.compile(r"\b(?:polic(?:y|ies)|rules?|guidelines?|pol[ií]tica|terms)\b")
_DONE: Final = re.compile(
    r"\b(?:success\w*|(?:has|have) been|completed?|processed|confirmed|done|all set|se ha|ha sido|listo)\b"
)
_YES: Final = re.compile(
    r"\b(?:yes|yeah|yep|sure|ok(?:ay)?|confirm\w*|proceed|go ahead|please do|correct|"
    r"sounds good|that works|s[ií]|de acuerdo|confirmo|adelante)\b",
)
_NO: Final = re.compile(r"\b(?:no|not|don['’]t|wrong|incorrect|instead|actually|wait|never ?mind|but)\b")
_THANKS: Final = re.compile(r"\b(?:thank\w*|thanks|great|perfect|appreciate|gracias|perfecto)\b")
_UPSET: Final = re.compile(
    r"\b(?:frustrat\w+|disappoint\w+|ridiculous|unacceptable|upset|annoy\w+|still (?:not|does|"
    r"no)|why (?:not|can)|insist|manager|supervisor|human|real person|exception)\b",
)
_MORE: Final = re.compile(
    r"\b(?:also|another|additionally|as well|one more|both|too|all (?:of )?(?:my|the)|además|también)\b"
)
_OR_ELSE: Final = re.compile(
    r"\b(?:if (?:that|it|not|so|you|there|possible)|otherwise|alternatively|in that case|then)\b"
)
_BEST: Final = re.compile(
    r"\b(?:cheapest|lowest|least expensive|most expensive|highest|fastest|earliest|latest|"
    r"smallest|largest|biggest|closest|same)\b"
)
_ASKS: Final = re.compile(r"\b(?:how much|how many|total|price|cost|refund|balance|savings?|difference|cu[aá]nto)\b")
_MARK: Final = re.compile(r"#{2,}\s*[A-Z][A-Z_\- ]+\s*#{2,}")  # end mark of a simulated customer
_MONEY: Final = re.compile(r"[$€£]\s?(\d[\d,]*(?:\.\d+)?)")
_FIGURE: Final = re.compile(r"\d{1,12}(?:\.\d{1,6})?")
_WANTS: Final[Mapping[str, str]] = {
    "cancel": r"cancel|cancelar|anular",
    "return": r"\breturn(?!\s+(?:flight|trip))|devolver|devoluci",
    "exchange": r"exchang|swap|cambiar",
    "change": r"\bchang|modif|switch|updat|edit|\bfix\b|correct|modificar|actualizar",
    "book": r"\bbook\b|reserve|purchase|order (?:a|an|the)|comprar|reservar",
    "refund": r"refund|compensat|money back|reembolso|voucher|certificate",
    "add": r"\badd\b|\bextra\b|agregar|añadir",
    "remove": r"remov|delete|drop|quitar|eliminar",
    "upgrade": r"upgrad|downgrad",
    "address": r"address|direcci[oó]n",
    "pay": r"payment|\bpay\b|card|paypal|pago",
}
_WANTED: Final = {name: re.compile(pattern) for name, pattern in _WANTS.items()}
_FORBIDS: Final = re.compile(
    r"\b(?:cannot|can not|must not|should not|not allowed|only (?:if|be|once|when)|never|do not|unless|no puede|solo)\b"
)
_ID: Final = re.compile(r"(?=\w{0,40}\d)[#A-Za-z0-9_]{5,}")  # bounded, for linear time on repeated characters


@dataclass(slots=True)
class _Read:
    """The parsed conversation."""

    told: Sequence[TranscriptStep]
    policy: str
    tool_effects: Mapping[str, StatedEffect]
    users: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    calls: list[TranscriptStep] = field(default_factory=list)
    writes: list[TranscriptStep] = field(default_factory=list)
    writing: set[int] = field(default_factory=set)
    wrong: set[int] = field(default_factory=set)
    refused: list[bool] = field(default_factory=list)
    results: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for step in self.told:
            if step.kind == "request":
                if words := _MARK.sub("", step.text).strip():
                    self.users.append(words.lower())
            elif step.is_agent_message:
                self.agents.append(step.text.lower())
                self.refused.append(_REFUSED.search(self.agents[-1]) is not None)
            else:
                self.calls.append(step)
                if step.call is None:
                    continue
                self.results[id(step)] = result_text(step.call)
                if failed(step.call):
                    self.wrong.add(id(step))
                if self.effect(step) in ("changes", "unknown"):
                    self.writes.append(step)
                    self.writing.add(id(step))

    def effect(self, step: TranscriptStep) -> ToolEffect:
        """Return the effect of the step's tool."""
        return tool_effect(_name(step), self.tool_effects)


def features(
    run: Trajectory, policy: str = "", tool_effects: Mapping[str, StatedEffect] | None = None
) -> dict[str, float]:
    """Return all features by name: counts, shares and flags. Policy features are 0 without a policy.

    None says how an agent or a simulated customer writes: such features know the benchmark, not the task.
    """
    said = (step for step in steps(run) if step.kind != "hand-off")
    told = [step for step in said if step.kind != "request" or _MARK.sub("", step.text).strip()]
    read = _Read(told=told, policy=policy, tool_effects=tool_effects or {})
    found: dict[str, float] = {}
    for part in (_sizes, _words, _ending, _writing, _wanting, _confirming, _numbers, _choosing, _ruled):
        found.update(part(read))
    return {name: round(float(value), 4) for name, value in found.items()}


def _name(step: TranscriptStep) -> str:
    return step.call.name if step.call is not None else ""


def _count(pattern: re.Pattern[str], text: str) -> int:
    return len(pattern.findall(text))


def _sizes(read: _Read) -> dict[str, float]:
    wrong = [step for step in read.calls if id(step) in read.wrong]
    seen = [effect(step.call) for step in read.calls if step.call is not None]
    return {
        "user_turns": len(read.users),
        "calls": len(read.calls),
        "user_calls": sum(step.by_user for step in read.calls),
        "reads": len(read.calls) - len(read.writes),
        "failed": len(wrong),
        "failed_share": len(wrong) / max(1, len(read.calls)),
        "repeated": len(seen) - len(set(seen)),
        "kinds": len({_name(step) for step in read.calls}),
    }


def _words(read: _Read) -> dict[str, float]:
    user, agent = "\n".join(read.users), "\n".join(read.agents)
    return {
        "refusals": sum(read.refused),
        "refusal_share": sum(read.refused) / max(1, len(read.agents)),
        "policy_said": _count(_POLICY, agent),
        "done_said": _count(_DONE, agent),
        "user_no": _count(_NO, user),
        "user_yes": _count(_YES, user),
        "upset": _count(_UPSET, user),
        "more": _count(_MORE, user),
        "or_else": _count(_OR_ELSE, user),
        "best": _count(_BEST, user),
        "asks_amount": _count(_ASKS, user),
        "questions": user.count("?"),
        "agent_questions": sum(text.count("?") for text in read.agents),
    }


def _ending(read: _Read) -> dict[str, float]:
    last_users, last_agents = read.users[-2:], read.agents[-2:]
    user, agent = "\n".join(last_users), "\n".join(last_agents)
    handed = [index for index, step in enumerate(read.told) if read.effect(step) == "hands_off"]
    writes = [index for index, step in enumerate(read.told) if id(step) in read.writing and id(step) not in read.wrong]
    last = read.told[-1] if read.told else None
    return {
        "end_thanks": _count(_THANKS, user) > 0,
        "end_upset": _count(_UPSET, user),
        "end_no": _count(_NO, user),
        "end_refused": sum(read.refused[-2:]),
        "end_done": _count(_DONE, agent),
        "end_question": bool(last_agents) and last_agents[-1].rstrip().endswith("?"),
        "end_by_user": last is not None and last.kind == "request",
        "end_by_call": last is not None and last.kind == "call",
        "handed_off": len(handed),
        "handed_off_after_write": bool(handed and writes and writes[0] < handed[0]),
        "write_after_hand_off": bool(handed and writes and writes[-1] > handed[0]),
        "handed_off_early": handed[0] / len(read.told) if handed else 1.0,
        "after_last_write": len(read.told) - writes[-1] if writes else 0,
        "last_write_at": (writes[-1] + 1) / len(read.told) if writes else 0.0,
    }


def _writing(read: _Read) -> dict[str, float]:
    worked = [step for step in read.writes if id(step) not in read.wrong]
    wrong = [step for step in read.writes if id(step) in read.wrong]
    done = [effect(step.call) for step in worked if step.call is not None]
    fixed = {step.target for step in done}
    open_failures = [step for step in wrong if step.call is not None and effect(step.call).target not in fixed]
    spoken = [index for index, step in enumerate(read.told) if step.is_agent_message]
    refused_at = [index for index, refused in zip(spoken, read.refused, strict=True) if refused]
    good = {id(step) for step in worked}
    wrote_at = [i for i, step in enumerate(read.told) if id(step) in good]
    targets = [one.target for one in done]
    return {
        "writes": len(worked),
        "writes_failed": len(wrong),
        "writes_open": len(open_failures),
        "write_kinds": len({one.tool for one in done}),
        "write_targets": len(set(targets)),
        "same_target": len(targets) - len(set(targets)),
        "same_write": len(done) - len(set(done)),
        "relented": sum(bool(refused_at) and at > refused_at[0] for at in wrote_at),
        "refused_after": sum(bool(wrote_at) and at > wrote_at[-1] for at in refused_at),
        "no_write_refused": bool(refused_at) and not worked,
        "no_write_no_refusal": not refused_at and not worked,
        "user_writes": sum(step.by_user for step in worked),
    }


def _wanting(read: _Read) -> dict[str, float]:
    """Return features that compare the requests with the changes made, by kind of request."""
    user = " ".join(read.users)
    tools = " ".join(_name(step).replace("_", " ") for step in read.writes if id(step) not in read.wrong)
    tried = " ".join(_name(step).replace("_", " ") for step in read.writes)
    wanted = {name: len(pattern.findall(user)) for name, pattern in _WANTED.items()}
    made = {name: len(pattern.findall(tools)) for name, pattern in _WANTED.items()}
    only_tried = {name: len(pattern.findall(tried)) for name, pattern in _WANTED.items()}
    found: dict[str, float] = {f"want_{name}": count for name, count in wanted.items()}
    found |= {f"made_{name}": count for name, count in made.items()}
    first = read.users[0] if read.users else ""
    found["wishes"] = sum(count > 0 for count in wanted.values())
    found["wishes_first"] = sum(bool(pattern.search(first)) for pattern in _WANTED.values())
    found["wishes_late"] = sum(
        wanted[name] > 0 and not pattern.search(" ".join(read.users[:2])) for name, pattern in _WANTED.items()
    )
    found["undone"] = sum(
        wanted[name] > 0 and not made[name] for name in ("cancel", "return", "exchange", "change", "book")
    )
    found["tried_undone"] = sum(only_tried[name] > 0 and not made[name] for name in wanted)
    found["unasked"] = sum(
        made[name] > 0 and not wanted[name] for name in ("cancel", "return", "exchange", "book", "refund")
    )
    said = {token.strip("#").casefold() for text in [*read.users, *read.agents] for token in _ID.findall(text)}
    used = {
        str(leaf).strip("#").casefold() for step in read.writes if step.call for leaf in leaves(step.call.arguments)
    }
    looked = {
        str(leaf).strip("#").casefold()
        for step in read.calls
        if step.call and id(step) not in read.writing
        for leaf in leaves(step.call.arguments)
    }
    found["ids_said"] = len(said)
    found["ids_said_unwritten"] = len(said - used)
    found["looked_unwritten"] = len(looked - used)
    found["looked"] = len(looked)
    return found


def _confirming(read: _Read) -> dict[str, float]:
    """Return features on whether each change was confirmed before it was made."""
    agreed = denied = 0
    burst = most = 0
    last_user = ""
    for step in read.told:
        if step.kind == "request":
            last_user, burst = step.text.lower(), 0
        elif id(step) in read.writing and not step.by_user:
            burst += 1
            most = max(most, burst)
            agreed += bool(_YES.search(last_user))
            denied += not _YES.search(last_user) and bool(_NO.search(last_user))
    count = sum(not step.by_user for step in read.writes)
    return {
        "agreed_share": agreed / count if count else 1.0,
        "unagreed": count - agreed,
        "denied": denied,
        "writes_at_once": most,
    }


def _numbers(read: _Read) -> dict[str, float]:
    """Return features on the amounts the agent stated and whether they occurred before."""
    known: set[float] = set()
    said = new = repeated = 0
    for step in read.told:
        if step.call is not None:
            known.update(map(_value, _FIGURE.findall(read.results[id(step)][:8000])))
        elif step.kind == "request":
            known.update(map(_value, _FIGURE.findall(step.text.replace(",", ""))))
        else:
            amounts = [_value(found) for found in _MONEY.findall(step.text)]
            said += len(amounts)
            fresh = [amount for amount in amounts if amount not in known]
            new += len(fresh)
            repeated += len(amounts) - len(fresh)
            known |= set(fresh)
    return {"amounts": said, "amounts_new": new, "amounts_known": repeated, "amounts_new_share": new / max(1, said)}


def _value(figure: str) -> float:
    return round(float(figure.replace(",", "")), 2)


def _choosing(read: _Read) -> dict[str, float]:
    return choices(
        [(step, id(step) in read.writing and id(step) not in read.wrong) for step in read.told], read.results
    )


def _ruled(read: _Read) -> dict[str, float]:
    """Return features on how many policy rules restrict the changes and the requests."""
    ruled = _rules_on(read.policy)
    tools = " ".join(_name(step).replace("_", " ") for step in read.writes if id(step) not in read.wrong)
    user = " ".join(read.users)
    made = [ruled[name] for name, pattern in _WANTED.items() if pattern.search(tools)]
    return {
        "rules_on_made": sum(made),
        "rules_on_wanted": sum(ruled[name] for name, pattern in _WANTED.items() if pattern.search(user)),
        "rules_most_made": max(made, default=0),
    }


@lru_cache(maxsize=64)
def _rules_on(policy: str) -> Mapping[str, int]:
    """Return the number of restrictions in a policy by kind of request; cached across conversations."""
    rules = [line for line in re.split(r"[\n.]", policy.lower()) if _FORBIDS.search(line)]
    return {name: sum(bool(pattern.search(rule)) for rule in rules) for name, pattern in _WANTED.items()}
