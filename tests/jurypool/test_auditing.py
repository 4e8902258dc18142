"""Audits of machine judges by the Python API."""

from __future__ import annotations

import pytest

import jurypool as jp

MACHINE = {str(topic): {f"D{n}": n * n % 4 + n % 3 for n in range(60)} for topic in range(5)}


def test_a_sample_is_drawn_judged_and_estimated() -> None:
    sample = jp.audit_sample(MACHINE, 120, seed=4)
    assert len(set(sample)) == 120 and sample == sorted(sample) and sample != jp.audit_sample(MACHINE, 120)
    turned = [
        (topic, docno, MACHINE[topic][docno]) for topic in reversed(MACHINE) for docno in MACHINE[topic]
    ]
    assert jp.audit_sample(iter(turned), 120, seed=4) == sample
    people = [(topic, docno, max(MACHINE[topic][docno] - len(docno) % 2, 0)) for topic, docno in sample]
    found = jp.machine_audit(MACHINE, people, threshold=2)
    assert found.share.sampled == found.kappa.sampled == 120
    assert found.share.low is not None and found.share.high is not None
    true = [
        max(grade - len(docno) % 2, 0) >= 2 for docnos in MACHINE.values() for docno, grade in docnos.items()
    ]
    assert found.share.low < sum(true) / len(true) < found.share.high
    assert sum(row.documents for row in found.grades) == pytest.approx(300)
    assert found.rates.false_positive_rate.value and found.effect.by_strata


def test_a_sample_of_everything_gives_the_truth() -> None:
    found = jp.machine_audit(MACHINE, MACHINE, threshold=1)
    for each in (found.kappa, found.rates.precision):
        assert each[:4] == pytest.approx((1, 0, 1, 1))


def test_labels_that_do_not_fit_are_refused() -> None:
    with pytest.raises(jp.Refused, match="a machine label of 'D99' of topic '1'"):
        jp.machine_audit(MACHINE, {"1": {"D99": 1}})
    with pytest.raises(jp.Refused, match="documents in the sample"):
        jp.audit_sample(MACHINE, 301)
    empty = jp.machine_audit({"1": {"D1": 1, "D2": -1}}, {"1": {"D1": -1}})
    assert empty.share.value is None and empty.share.note
