"""Extract the rules, intent and inputs of a prompt by code alone."""

from __future__ import annotations

from proctor.generate.extract.agreement import cross_check
from proctor.generate.extract.inputs import extract_inputs
from proctor.generate.extract.intent import extract_intent
from proctor.generate.extract.inverse import invert
from proctor.generate.extract.rules import extract_rules

__all__ = ["cross_check", "extract_inputs", "extract_intent", "extract_rules", "invert"]
