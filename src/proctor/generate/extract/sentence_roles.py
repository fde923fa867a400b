"""Patterns for what a sentence of a prompt is about: a task, a role, an input, a permission."""

from __future__ import annotations

import re
from typing import Final

from proctor.text.lazy_pattern import Lazy

__all__ = [
    "CHARGE",
    "ENSURE",
    "INPUT",
    "NEGATIVE_CHARGE",
    "OCCASION",
    "OPENING",
    "PERMISSION",
    "ROLE",
    "ROLE_DOES",
]

OPENING: Final = Lazy(
    r"\W*(?:\b(?:please|first|firstly|second|secondly|third|thirdly|then|next|finally|lastly|also|"
    r"additionally|furthermore|"
    r"moreover|now|remember|note|important|kindly|and|but|however|so|therefore|instead|after that|in addition|"
    r"in your (?:response|answer|output|reply)|in response|as a result|in general|in all cases|at all times|ok|"
    r"critical|warning|reminder|"
    r"overall|ideally|preferably|most importantly|above all|step \d+)\b(?:\s*[,:!]+\s*|\s+|$)(?:that\s+)?)+",
    re.IGNORECASE,
)
CHARGE: Final = Lazy(
    r"(?:you (?:must|should|shall|will|have to|need to|are to|are required to|are expected to|"
    r"are asked to|are responsible for|ought to|"
    r"are instructed to|are going to|are tasked with|can only|may only)(?: always| only| also)?|you'll|"
    r"(?:your|the) (?:main |only |primary |sole |first |ultimate |overall |current )*(?:task|job|role|"
    r"goal|mission|objective|purpose|"
    r"responsibility|aim|duty|assignment)(?: here)?(?: is|:| will be)(?: to)?|i (?:want|need|"
    r"would like|'d like) you to|i'd like you to|"
    r"we (?:want|need) you to|(?:be sure|make sure|remember|try|take care|aim|strive|make an effort|"
    r"do your best|don[’']?t forget|"
    r"do not forget)(?: always)? to|it is (?:important|essential|crucial|vital|your job|mandatory|required) to|"
    r"when (?:responding|answering|replying|writing),?|help me|can you|could you|"
    r"would you)\s+(?!be given|be provided|not\b|never\b)",
    re.IGNORECASE,
)
NEGATIVE_CHARGE: Final = Lazy(
    r"(?:you|the (?:assistant|model|bot))\s+(?:(?:must|should|shall|may|can|do|will|"
    r"need)\s*(?:not|never)|are (?:not|never)(?= (?:allowed|permitted|supposed) to)|mustn[’']t|shouldn[’']t|"
    r"cannot|can[’']t|don[’']t|won[’']t|never)\s+(?:allowed to |be allowed to |permitted to |supposed to |ever )?",
    re.IGNORECASE,
)
ENSURE: Final = Lazy(
    r"(?:ensur(?:e|es|ing)|mak(?:e|ing) (?:sure|certain)|see to it|guarantee(?:ing)?)\s+(?:that\s+)?(?!to\b)(?=\S)|"
    r"(?:verify(?:ing)?|double-check(?:ing)?|confirm(?:ing)?|check(?:ing)?)\s+that\s+",
    re.IGNORECASE,
)
ROLE: Final = Lazy(
    r"(?:you(?:'re|’re| are)|act(?:ing)? as|imagine (?:that )?you|pretend|assume the role|as an?\b|"
    r"play the role|this is\b|here (?:is|are)\b|"
    r"i am\b|i'm\b|we are\b|my name\b|your name is\b|hello\b|hi\b|hey\b|welcome\b|suppose\b)",
    re.IGNORECASE,
)
ROLE_DOES: Final = Lazy(
    r"\b(?:who|that|which|and you|and)\s+(?:(?:is|are)\s+)?(?:(?:only|always|never|must|should|will|"
    r"need to|needs to|has to|have to|can only)\s+)*"
    r"(?P<verb>[a-z]+)\b",
    re.IGNORECASE,
)
_GOER: Final = (
    r"(?:text|document|article|input|review|email|message|question|context|passage|code|abstract|data|"
    r"transcript|sentence|paragraph|conversation|"
    r"ticket|diff|recipe|essay|contract|clause|query|request|report|list|table|image|story|"
    r"job posting|resume|description)"
)
INPUT: Final = Lazy(
    r"(?:in this task,?\s+)?(?:you(?:'ll|’ll| will| are| may|'re)? (?:also )?(?:be )?(?:given|"
    r"provided|presented|shown|receive|receiving|get|see|supplied|asked a)\b|"
    r"(?:the |a |each |our )?(?:users?|customers?|input|human|client|student|reader|employee|patient|"
    r"following)(?:'s|’s|s’)?\s+(?:[\w-]+\s+)?"
    r"(?:will|is|are|may|might|can|could|provides?|asks?|gives?|sends?|contains?|consists?|has|have|"
    r"enters?|writes?|speaks?|wants?|needs?|says?|submits?)\b(?!\s+be (?:told|asked|greeted))|"
    r"(?:input|context|text|question|query|user input)\b[^.]{0,20}:|"
    rf"the (?:user'?s? |input |given |following |provided )?{_GOER}s? (?:is|are|will|may|can|contains?|"
    r"consists?|below|above|comes?|was|follows?|has|might|between)\b|"
    r"given (?:a|an|the|some|two|this|that)\b[^,]*$|below (?:is|are)\b|here(?:'s| is| are)\b|"
    r"i (?:will|am|have|'ll)\b)",
    re.IGNORECASE,
)
OCCASION: Final = Lazy(
    r"(?:given|based on|using|from|with|for|in|as|after|before|by|once|to|on|depending on|"
    r"according to|during|at|per|when|while|within|"
    r"through|without|below|above|under|inside|instead of)\b[^,:]{2,120}[,:]\s*(?=\S)",
    re.IGNORECASE,
)
PERMISSION: Final = Lazy(
    r"(?:you(?:'re|’re| are) (?:also )?(?:free|allowed|welcome|able|encouraged)|you (?:may|can|could|"
    r"might) (?!not\b|only\b|never\b)|feel free|"
    r"it(?:'s|’s| is) (?:ok|okay|fine|acceptable|optional))\b",
    re.IGNORECASE,
)
