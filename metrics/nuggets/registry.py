"""All scores of answers from nuggets, rubrics and citations."""

from __future__ import annotations

from collections.abc import Mapping

from metrics.nuggets import argue, older_scores, rubric, scores, support
from metrics.nuggets.values import NuggetMeasure

MEASURES: Mapping[str, NuggetMeasure] = {
    measure.name: measure
    for module in (scores, rubric, older_scores, argue, support)
    for measure in module.MEASURES
}
