"""Extract the intent of a prompt: what it is for, from its task and role sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proctor.generate.extract.clause_requests import about_input, plain, requested
from proctor.generate.extract.clauses import clauses_of
from proctor.generate.extract.language_words import TONGUES
from proctor.generate.extract.other_languages import tongue_of
from proctor.generate.extract.statements import Statement, statements_of
from proctor.generate.extract.verbs import COMMANDS, THINKING
from proctor.prompts.prompt import Prompt
from proctor.text.lazy_pattern import Lazy

__all__ = ["extract_intent"]

_TASK: Final = Lazy(
    r"\b(?:your|the) (?:main |only |primary |core |overall )*(?:task|job|role|goal|mission|"
    r"objective|purpose) (?:is|will be|here is|:)|"
    r"\byou(?:r job)? (?:help|assist|support|write|turn|sort|extract|answer|translate|"
    r"summari[sz]e|classify|review|generate|create|"
    r"draft|tag|rate|score|convert|triage|decide|analy[sz]e|explain|teach|edit|check|produce|prepare|match|design)\b|"
    r"\bi (?:want|need|would like) you to\b",
    re.IGNORECASE,
)
_ROLE: Final = Lazy(
    r"\W*(?:role\s*:\s*)?(?:you(?:'re|’re| are)(?! (?:given|provided|shown|not|presented))|"
    r"act(?:ing)? as|i want you to act as)\b",
    re.IGNORECASE,
)
# A role that says nothing: ``You are a helpful assistant``.
_EMPTY_ROLE: Final = Lazy(
    r"\W*(?:role\s*:\s*)?(?:you(?:'re|’re| are)|act as)\s+(?:an?|the)\s+(?:very |highly |"
    r"world-class |expert |advanced |helpful |friendly |"
    r"smart |useful |professional |ai |large |language |virtual |intelligent |experienced |"
    r"skilled |harmless |honest |and |,)*"
    r"(?:assistant|ai|model|expert|bot|chatbot|agent|system|helper|professional)(?: named \w+)?\W*$",
    re.IGNORECASE,
)
_NO_INTENT: Final = Lazy(
    r"https?://|\bwww\.|\b(?:source|from|author|credit|license|version|prompt|"
    r"copyright)\s*[:：]|\bbasic prompt\b|\bchat api\b|"
    r"\bprompt (?:that|which|for|from)\b|\bai[- ]generated\b|\bplease review\b|"
    r"\btemplate for\b|\bexample showing\b|\b(?:example|sample|demo) (?:prompt|of)\b|\b(?:gpt|"
    r"openai|azure)\b.*\bapi\b|^\W*todo\b",
    re.IGNORECASE,
)
_LIMITS: Final = Lazy(
    r"\W*(?:do not|don[’']t|never|always|only|must|avoid|if|when|unless|no|keep|be|use|"
    r"respond|return|output|reply|answer only|"
    r"you must|you should|ensure|make sure|remember|note|important|format|include|add|mention|"
    r"highlight|end|start|begin|"
    r"stay|leave|ask|search|cite|stop|refer)\b",
    re.IGNORECASE,
)
_HEAD: Final = 12  # a task is told at the beginning


def extract_intent(prompt: Prompt) -> str:
    """Return the intent: the file's description, a task sentence, a role, or the first command; empty if there is none.

    A description that only names a source or the kind of file is not used, nor is a rule.
    """
    described = plain(prompt.description)
    if described and not _NO_INTENT.search(described) and len(described.split()) > 2:
        return _closed(described)
    statements = [
        each
        for each in statements_of(prompt)
        if not each.code
        and each.section not in ("labels", "fields", "format", "example")
        and not _NO_INTENT.search(each.text)
    ]
    if (spoken := tongue_of(prompt.text)) in TONGUES:
        return _closed(_foreign(statements, spoken))
    return _closed(_chosen(statements))


def _chosen(statements: Sequence[Statement]) -> str:
    """Return the task and the role in one text; each alone if the other is missing or empty."""
    head = [each for each in statements[:_HEAD] if not each.item]
    role = next((_part(each.text) for each in head if _ROLE.match(each.text) and not _EMPTY_ROLE.match(each.text)), "")
    task = next((_part(each.text) for each in head if _TASK.search(each.text) and not _ROLE.match(each.text)), "")
    if task and role:
        return f"{_closed(role)} {task}" if len(role.split()) + len(task.split()) <= 45 else task
    if task:
        return task
    first = [each for each in statements if not each.item]
    command = next((_part(each.text) for each in (*first, *statements) if _is_task(each)), "")
    if role:
        early = any(_part(each.text) == command for each in (first[:4] or statements[:4]))
        goes_on = early and command and command != role and len(role.split()) + len(command.split()) <= 45
        return f"{_closed(role)} {command}" if goes_on else role
    empty = next((plain(each.text) for each in statements if _ROLE.match(each.text)), "")
    return command or empty or next((plain(each.text) for each in statements if not about_input(each.text)), "")


def _part(text: str) -> str:
    """Return the sentence up to what it lists, without a label before it."""
    text = re.sub(
        r"^\W*(?:role|task|goal|objective|context|instructions?|purpose)\s*:\s*", "", plain(text), flags=re.IGNORECASE
    )
    text = re.split(r"\s(?=Responsibilities:|Constraints:|Rules:)", text)[0]
    return re.sub(r"\s+(?:that|which|as follows|with|to)\s*[:：]?$", "", text)


def _is_task(statement: Statement) -> bool:
    """Whether a sentence is a command that says what to make, not how."""
    if _LIMITS.match(statement.text):
        return False
    clause = next(iter(clauses_of(statement)), None)
    if clause is None or clause.condition or not requested(clause.text, first=clause.first):
        return False
    first = re.match(r"\W*(?:please |then |first,? )?([A-Za-z]+)", clause.text)
    return first is None or first[1].lower() in COMMANDS - THINKING or bool(_TASK.search(clause.text))


def _foreign(statements: Sequence[Statement], code: str) -> str:
    tongue = TONGUES[code]
    told = [plain(each.text) for each in statements if not each.item and not each.text.rstrip().endswith((":", "："))]
    task = next((text for text in told if tongue.charge.match(text)), "")
    role = next((text for text in told if tongue.role.match(text)), "")
    if role and task:
        return f"{_closed(role)} {task}"
    opened = next((text for text in told if tongue.opening.match(text) and not tongue.condition.match(text)), "")
    return role or task or opened or (told[0] if told else "")


def _closed(text: str) -> str:
    text = re.sub(r"\s+", " ", text).rstrip(" :;,：")
    return text if not text or text.endswith((".", "!", "?", "。", "！", "？")) else text + "."
