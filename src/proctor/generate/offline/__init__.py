"""Generate tests without a model: from types, samples, a text bank, boundary values and temptations."""

from proctor.generate.offline.test_builder import offline_tests
from proctor.generate.offline.validity import offline_validity

__all__ = ["offline_tests", "offline_validity"]
