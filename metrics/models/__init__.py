"""The models of this app, one module per noun."""

from metrics.models.ab_tests import ABTest, ABTestFile
from metrics.models.interleaving import Interleaving, InterleavingClicks
from metrics.models.scores import Score
from metrics.models.system_quality import SystemFigures

__all__ = [
    "ABTest",
    "ABTestFile",
    "Interleaving",
    "InterleavingClicks",
    "Score",
    "SystemFigures",
]
