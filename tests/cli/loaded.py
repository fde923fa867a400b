"""The whole program but the local models, loaded once in the fork server; nothing is opened by loading it."""

from __future__ import annotations

import gc
import importlib
import pkgutil

import numpy.random  # imported by numpy only once it is used

import proctor

__all__ = ["numpy"]

for _module in pkgutil.walk_packages(proctor.__path__, "proctor."):
    if not _module.name.startswith("proctor.models.local") and not _module.name.endswith("__main__"):
        importlib.import_module(_module.name)
gc.freeze()  # what all share stays shared
