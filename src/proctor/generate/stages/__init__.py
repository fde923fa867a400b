"""The stages that ask a model: each has a prompt file, a schema and a validator of replies."""

from proctor.generate.build_case import Brief
from proctor.generate.stages.agreement import SpecificationAnswer, check_agreement
from proctor.generate.stages.expected_output import find_truth
from proctor.generate.stages.inputs import find_inputs
from proctor.generate.stages.intent import find_intent
from proctor.generate.stages.model_stage import stage_version
from proctor.generate.stages.rules import find_opposites, find_rules
from proctor.generate.stages.validate_artefacts import check_rule, check_test
from proctor.generate.stages.write_tests import expand_test, write_baseline, write_tests

__all__ = [
    "Brief",
    "SpecificationAnswer",
    "check_agreement",
    "check_rule",
    "check_test",
    "expand_test",
    "find_inputs",
    "find_intent",
    "find_opposites",
    "find_rules",
    "find_truth",
    "stage_version",
    "write_baseline",
    "write_tests",
]
