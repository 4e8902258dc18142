"""S-CAL: strata, how many of a batch are judged, and estimates without bias."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.active_learning.cal import review
from assess.active_learning.features import text_features
from assess.active_learning.scal import (
    ScalReview,
    Strata,
    Stratum,
    Threshold,
    capped,
    halving,
    review_samples,
)
from pooling.arrays import IntVector
from pooling.refusals import Refused
from tests.assess.active_learning.labelled_texts import themed

NONE: IntVector = np.zeros(0, dtype=np.int64)
COLLECTION = themed(600, seed=7)
FEATURES = text_features(COLLECTION.texts)
TOPIC = FEATURES.vector_of(COLLECTION.topic)


def sampled(seed: int, cap: int) -> ScalReview:
    return review_samples(FEATURES.matrix, COLLECTION.relevant, TOPIC, NONE, capped(cap), seed)


def test_the_worked_stratum() -> None:
    assert Stratum(127, 10, 4).estimate == 50.8
    assert Stratum(127, 10, 4).variance == pytest.approx(127**2 * (1 - 10 / 127) * 0.4 * 0.6 / 9)
    assert Stratum(5, 5, 2).variance == 0 and Stratum(5, 1, 1).variance is None


@given(labels=st.lists(st.booleans(), min_size=3, max_size=8), data=st.data())
def test_estimate_and_variance_have_no_bias(labels: list[bool], data: st.DataObject) -> None:
    """Over all samples of n of a batch, the estimate has the true mean, and the variance its variance."""
    n = data.draw(st.integers(2, len(labels) - 1))
    strata = [Stratum(len(labels), n, sum(sample)) for sample in combinations(labels, n)]
    estimates = np.array([stratum.estimate for stratum in strata])
    variances = [stratum.variance for stratum in strata]
    assert estimates.mean() == pytest.approx(sum(labels))
    assert np.mean(np.array(variances, dtype=float)) == pytest.approx(estimates.var(), abs=1e-9)


def test_recalls_and_thresholds() -> None:
    strata = Strata(
        (Stratum(2, 2, 2, 5.0), Stratum(10, 5, 3, 1.5), Stratum(20, 5, 0, -1.0), Stratum(8, 4, 1, -2))
    )
    assert strata.total == 10 and strata.published_total == 10.5
    assert strata.recalls == pytest.approx([0.2, 0.8, 0.8, 1.0])
    assert strata.threshold(0.8) == Threshold(2, 12, 1.5)
    assert strata.threshold(0.81) == strata.threshold(1) == Threshold(4, 40, -2)
    variance = 10 * 5 * 0.6 * 0.4 / 4 + 8 * 4 * 0.25 * 0.75 / 3
    assert strata.standard_error == pytest.approx(variance**0.5)
    with pytest.raises(Refused, match="recall above 0"):
        strata.threshold(0)


def test_what_is_undefined() -> None:
    none = Strata((Stratum(4, 2, 0),))
    assert (none.total, none.recalls, none.threshold(0.5)) == (0, None, None)
    assert Strata((Stratum(4, 1, 1), Stratum(4, 2, 1))).standard_error is None
    assert (Strata(()).total, Strata(()).standard_error, Strata(()).recalls) == (0, 0, None)
    for rule in (capped, halving):
        with pytest.raises(Refused, match="at least 1"):
            rule(0)


def test_halving_judges_half_as_many_each_time_the_estimate_reaches_its_bound() -> None:
    size = halving(10)
    assert [size(100, estimate) for estimate in (0, 9.9, 10, 19, 20, 39, 40, 1e4)] == [
        100, 100, 50, 50, 25, 25, 13, 1,
    ]  # fmt: skip


def test_every_document_is_in_one_stratum_and_none_is_judged_twice() -> None:
    found = sampled(seed=1, cap=10)
    assert sum(stratum.size for stratum in found.strata.strata) == 600
    assert [stratum.size for stratum in found.strata.strata[:12]] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13]
    assert all(stratum.judged == min(stratum.size, 10) for stratum in found.strata.strata)
    assert (
        len(set(found.documents.tolist()))
        == len(found.documents)
        == sum(stratum.judged for stratum in found.strata.strata)
    )
    assert (found.relevant == COLLECTION.relevant[found.documents]).all()


def test_whole_batches_are_continuous_active_learning() -> None:
    whole = sampled(seed=2, cap=600)
    plain = review(FEATURES.matrix, COLLECTION.relevant, TOPIC, NONE, seed=2)
    assert (whole.documents == plain.documents).all()
    assert whole.strata.total == COLLECTION.relevant.sum() and whole.strata.standard_error == 0


def test_the_same_seed_judges_the_same_documents() -> None:
    first, second, other = sampled(3, 5), sampled(3, 5), sampled(4, 5)
    assert (first.documents == second.documents).all() and first.strata == second.strata
    assert first.strata != other.strata


def test_seed_documents_are_a_stratum_of_their_own() -> None:
    seeds = np.flatnonzero(COLLECTION.relevant)[:3]
    found = review_samples(FEATURES.matrix, COLLECTION.relevant, None, seeds, capped(10))
    assert found.strata.strata[0][:3] == (3, 3, 3) and found.documents[:3].tolist() == seeds.tolist()


def test_the_estimate_of_all_relevant_documents_has_no_bias() -> None:
    small = themed(200, seed=8, share=0.2)
    features = text_features(small.texts)
    topic, true = features.vector_of(small.topic), small.relevant.sum()
    totals = np.array(
        [
            review_samples(features.matrix, small.relevant, topic, NONE, capped(4), seed).strata.total
            for seed in range(40)
        ]
    )
    assert totals.std() > 0
    assert abs(totals.mean() - true) < 3 * totals.std(ddof=1) / np.sqrt(len(totals))
