"""Measures averaged over judges. Needs qrels indexed with `by_iteration`, the iteration naming the judge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from metrics.engine.hits import Hits, ratio
from metrics.measures.average_precision import average_precision
from metrics.measures.base import REL, BadMeasure, Family, MeasureKind
from metrics.measures.precision import precision, r_precision_multiple
from pooling.arrays import Vector

NIST = "C. Buckley. trec_eval 9 (NIST), 2008"


def over_judges(hits: Hits, value: Callable[[Hits], Vector]) -> Vector:
    """Return the mean of a measure over the judges of each topic. Raises BadMeasure for qrels of one judge
    only."""
    if not hits.groups:
        raise BadMeasure("measures averaged over judges need the judges apart (-R qrels_jg)")
    total, judges = np.zeros(hits.topics), np.zeros(hits.topics)
    for group in hits.groups:
        judged_it = np.diff(group.index.offsets) > 0
        total += np.where(judged_it, value(group), 0.0)
        judges += judged_it
    return ratio(total, judges)


def average_precision_over_judges(hits: Hits, rel: int | None = None) -> Vector:
    """AP for each judge, averaged (trec_eval `map_avgjg`)."""
    return over_judges(hits, lambda group: average_precision(group, None, rel))


def precision_over_judges(hits: Hits, cutoff: int, rel: int | None = None) -> Vector:
    """Precision at k for each judge, averaged (trec_eval `P_avgjg`)."""
    return over_judges(hits, lambda group: precision(group, cutoff, rel))


def r_precision_multiple_over_judges(hits: Hits, cutoff: float, rel: int | None = None) -> Vector:
    """Precision at a multiple of R for each judge, averaged (trec_eval `Rprec_mult_avgjg`)."""
    return over_judges(hits, lambda group: r_precision_multiple(group, cutoff, rel))


JUDGES = "0 where nobody judged the topic."
OVER_JUDGES = Family("Averages over judges", (
    MeasureKind(
        "AP_avgjg", average_precision_over_judges, "AP, averaged over judges.", NIST, "threshold",
        parameters={"rel": REL}, trec_eval="map_avgjg", needs="judges", direction="higher",
        formula="AP_avgjg = mean over judges of AP with that judge's grades", where=JUDGES,
    ),
    MeasureKind(
        "P_avgjg", precision_over_judges, "Precision at k, averaged over judges.", NIST, "threshold",
        parameters={"rel": REL}, cutoff=int, needs_cutoff=True, trec_eval_cut="P_avgjg", needs="judges",
        direction="higher",
        formula="P_avgjg@k = mean over judges of P@k with that judge's grades", where=JUDGES,
    ),
    MeasureKind(
        "RprecMult_avgjg", r_precision_multiple_over_judges, "RprecMult, averaged over judges.", NIST,
        "threshold", parameters={"rel": REL}, cutoff=float, needs_cutoff=True,
        trec_eval_cut="Rprec_mult_avgjg", needs="judges", direction="higher",
        formula="RprecMult_avgjg@m = mean over judges of RprecMult@m with that judge's grades",
        where=JUDGES,
    ),
))  # fmt: skip
