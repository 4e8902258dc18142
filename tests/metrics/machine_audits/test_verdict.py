"""What a machine's labels may be used for follows from its audit, and every answer has a reason."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from assess.release.machine_use import AuditAnswer
from metrics.machine_audits.circularity import (
    NO_SPREAD,
    ONE_GROUP,
    ONE_SIDE,
    Circularity,
    ComparedPool,
    Sides,
    circularities,
)
from metrics.machine_audits.confusion import labelled
from metrics.machine_audits.intervals import Estimate
from metrics.machine_audits.sample import SampleStratum
from metrics.machine_audits.verdict import (
    THRESHOLDS,
    AuditVerdict,
    Findings,
    at_least,
    findings,
    verdict,
    within,
)
from pooling.arrays import IntVector

from .llmjudge import grades
from .worked import GRADE, HUMAN, STRATA

ALLOWED, NOT_ALLOWED, UNKNOWN = AuditAnswer
FAIR = {"its own family": Circularity(0.5, 0.05, 0.4, 60, 140, corrected=0.4)}
LARGE_SIDES = Sides(300, 700)
BIASED = {"its own family": Circularity(-20.0, 0.5, 0.001, 60, 140, corrected=0.003)}


def pool_of(groups: Mapping[str, Circularity], sides: Sides = LARGE_SIDES) -> ComparedPool:
    return ComparedPool(1000, dict.fromkeys(groups, sides))


def figures(groups: Mapping[str, Circularity] = FAIR, tau: float | None = None) -> Findings:
    """Return the figures of the worked example."""
    return findings(
        labelled(2 * HUMAN, GRADE, GRADE, STRATA), 200, 2, groups, pool_of(groups), [""] * 13, tau
    )


def answers(found: AuditVerdict) -> list[AuditAnswer]:
    return [use.answer for use in found]


def of_confusion(cells: list[list[int]], groups: Mapping[str, Circularity] = FAIR) -> AuditVerdict:
    """Return the verdict on a large pool with these numbers of labels: rows machine, columns human."""
    counts = np.array(cells)
    f, y = (np.repeat(axis.ravel(), counts.ravel()) for axis in np.indices(counts.shape))
    strata = [SampleStratum(str(g), 100 * int(n), int(n)) for g, n in enumerate(counts.sum(axis=1))]
    return verdict(findings(labelled(y, f, f, strata), len(y), 1, groups, pool_of(groups), [""]))


def test_the_worked_example_may_rank_runs_and_be_corrected() -> None:
    found = verdict(figures())
    assert answers(found) == [ALLOWED, NOT_ALLOWED, ALLOWED, UNKNOWN, NOT_ALLOWED]
    assert found.absolute.because == (
        "Absolute scores without correction: not allowed, because the false-negative rate is 0.54 (0.45 to "
        "0.63), above 0.1."
    )
    assert found.absolute.first_reason == "the false-negative rate is 0.54 (0.45 to 0.63), above 0.1."
    assert found.replacing.first_reason.endswith("above 0.1; 1 other condition fails, too.")
    assert "precision is 0.63 (0.49 to 0.77), which may be below or above 0.5" in found.holes.because
    assert "kappa is 0.40 (0.27 to 0.53), at least 0.2" in found.ranking.because


def test_a_machine_as_good_as_people_may_do_everything() -> None:
    found = of_confusion([[1480, 20], [20, 480]])
    assert answers(found) == [ALLOWED] * 5


def test_a_bias_between_runs_leaves_only_corrected_scores() -> None:
    found = of_confusion([[1480, 20], [20, 480]], BIASED)
    assert answers(found) == [NOT_ALLOWED, NOT_ALLOWED, ALLOWED, NOT_ALLOWED, NOT_ALLOWED]
    assert "its own family are rated 0.50 grades higher than others" in found.ranking.because
    assert "p = 0.003 after Holm's correction" in found.ranking.because


def test_of_several_biased_groups_the_verdict_names_the_greatest_difference() -> None:
    (test,) = BIASED.values()
    groups = {"one": test, "two": test._replace(over_rating=-0.75)}
    because = of_confusion([[1480, 20], [20, 480]], groups).ranking.because
    assert "2 groups of runs are rated differently from others, most of all two: " in because
    assert "documents of two are rated 0.75 grades lower than others" in because and "of one" not in because


def test_no_p_is_printed_as_zero() -> None:
    tiny = {"its own family": BIASED["its own family"]._replace(corrected=0.0004)}
    assert "(p < 0.001 after Holm's correction)" in verdict(figures(tiny)).ranking.because
    (_, fair, *_) = verdict(figures(FAIR)).ranking.conditions
    assert "(of 1, the smallest p = 0.400 after Holm's correction)" in fair.clause


def test_a_machine_that_guesses_may_be_corrected_only() -> None:
    found = of_confusion([[800, 200], [800, 200]])
    assert answers(found) == [NOT_ALLOWED, NOT_ALLOWED, ALLOWED, NOT_ALLOWED, NOT_ALLOWED]


def test_a_few_labels_allow_nothing() -> None:
    found = of_confusion([[60, 2], [2, 20]])
    assert set(answers(found)) == {UNKNOWN}
    assert "the sample has 84 labels, and 100 are needed" in found.corrected.because
    waiting = verdict(figures()._replace(missing=40))
    assert waiting.corrected.answer == UNKNOWN and "40 of 240 sampled" in waiting.corrected.because
    assert "a stratum has fewer than 5" in verdict(figures()._replace(small=True)).corrected.because


@pytest.mark.parametrize(
    ("groups", "reason"),
    [
        ({}, "no group of runs was tested"),
        (
            {"run A": Circularity(0.1, 0.0, 0.9, 12, 188, corrected=0.9)},
            "the runs of run A retrieved 12 and only other runs 188; 30 of each are needed",
        ),
        ({"run B": Circularity(None, None, None, note="no labels")}, "of run B retrieved 0 and only other"),
        ({"run C": Circularity(None, None, None, 60, 140, note=NO_SPREAD)}, f"towards run C ({NO_SPREAD})"),
    ],
)
def test_without_a_test_for_bias_nothing_is_known_of_the_order(
    groups: dict[str, Circularity], reason: str
) -> None:
    found = verdict(figures(groups))
    assert found.ranking.answer == UNKNOWN and reason in found.ranking.because
    assert found.corrected.answer == ALLOWED


def test_the_runs_of_one_group_cannot_be_biased_towards_it() -> None:
    only = {"Dublin": Circularity(None, None, None, note=ONE_GROUP)}
    found = of_confusion([[1480, 20], [20, 480]], only)
    assert answers(found) == [ALLOWED] * 5
    (_, fair, *_) = found.ranking.conditions
    assert fair.answer == "not applicable" and fair.clause.endswith("all runs are of one group (Dublin)")
    assert answers(of_confusion([[800, 200], [800, 200]], only))[0] == NOT_ALLOWED  # other conditions stay


def test_of_many_groups_with_too_few_labels_some_are_named() -> None:
    few = {name: Circularity(0.1, 0.0, 0.9, 12, 188, corrected=0.9) for name in "abcde"}
    because = verdict(figures(few)).ranking.because
    assert "of c retrieved" in because and "of d" not in because and "and 2 other groups lack some" in because


FEW = {"run A": Circularity(0.1, 0.0, 0.9, 12, 188, corrected=0.9)}


def test_too_few_labels_for_the_test_for_bias_name_the_sample_that_has_them() -> None:
    because = verdict(figures(FEW)._replace(pool=pool_of(FEW, Sides(100, 400)))).ranking.because
    assert because.endswith("30 of each are needed: a sample of 400 documents should have them.")
    never = verdict(figures(FEW)._replace(pool=pool_of(FEW, Sides(20, 400)))).ranking
    assert never.answer == UNKNOWN and "only a sample of all 1,000 documents has an answer" in never.because
    assert "(the runs of run A retrieved 20 of its documents, and only other runs 400)" in never.because


@given(st.integers(30, 400), st.integers(30, 400), st.integers(0, 400))
def test_the_named_sample_has_enough_of_both_sides_as_a_rule(members: int, others: int, rest: int) -> None:
    pool = ComparedPool(members + others + rest, {"A": Sides(members, others)})
    size, smaller = pool.labels_for_test("A"), min(members, others)
    assert 30 <= size <= pool.documents
    assert hypergeom.sf(29, pool.documents, smaller, size) > 0.93
    assert pool.labels_for_tests == size


def test_a_sample_of_all_documents_needs_no_least_number_for_the_test_for_bias() -> None:
    found = verdict(figures(FEW)._replace(all_sampled=True)).ranking
    assert found.answer == ALLOWED and "no bias towards a group of runs was found" in found.because
    biased = {"run A": FEW["run A"]._replace(corrected=0.01, over_rating=0.5)}
    assert verdict(figures(biased)._replace(all_sampled=True)).ranking.answer == NOT_ALLOWED
    alike = {"run A": Circularity(None, None, None, 12, 188, note=NO_SPREAD)}
    assert verdict(figures(alike)._replace(all_sampled=True)).ranking.answer == ALLOWED
    apart = {"run A": Circularity(None, None, None, note=ONE_SIDE)}
    found = verdict(figures(apart)._replace(all_sampled=True)).ranking
    assert found.answer == UNKNOWN and "no other documents are left to judge" in found.because


def test_a_figure_that_would_seem_to_equal_its_bound_has_more_digits() -> None:
    figure = Estimate(0.0504, 0.0001, 0.0502, 0.0506, "", 400, "")
    clause = within("the share", figure, 0.05).clause
    assert clause.startswith("the share is 0.0504 (0.0502 to 0.0506), more")
    kappa = Estimate(0.65, 0.02, 0.604, 0.7, "", 400, "")
    assert at_least("kappa", kappa, 0.6).clause == "kappa is 0.650 (0.604 to 0.700), at least 0.6"
    exact = Estimate(0.6, 0.0, 0.6, 0.6, "", 400, "")
    assert at_least("kappa", exact, 0.6).clause == "kappa is 0.60 (0.60 to 0.60), at least 0.6"


def test_the_order_of_runs_counts_where_it_is_known() -> None:
    assert verdict(figures(tau=0.95)).ranking.answer == ALLOWED
    assert "is 0.713, below 0.9" in verdict(figures(tau=0.713)).ranking.because


def test_corrected_scores_need_an_interval_of_every_run() -> None:
    found = verdict(figures()._replace(intervals=[""] * 2 + ["few corrections"] * 11)).corrected
    assert found.because.endswith(
        "and interval: not known yet, because of 13 runs 11 have no interval: few corrections."
    )
    assert verdict(figures()._replace(intervals=[])).corrected.answer == UNKNOWN


def test_a_real_machine_judge_may_not_replace_people() -> None:
    human, machine = grades()
    places = np.random.default_rng(1).choice(len(human), 800, replace=False)
    counts = np.bincount(machine[places]).tolist()
    strata = [SampleStratum("", *sizes) for sizes in zip(np.bincount(machine).tolist(), counts, strict=True)]
    y, f = human[places], machine[places]
    found = verdict(findings(labelled(y, f, f, strata), 800, 2, FAIR, pool_of(FAIR), [""]))
    assert answers(found)[:3] == [ALLOWED, NOT_ALLOWED, ALLOWED] and found.replacing.answer == NOT_ALLOWED


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), max_size=150), st.integers(0, 3)
)
def test_every_audit_has_an_answer_with_a_reason(rows: list[tuple[int, int, bool]], more: int) -> None:
    y, f, member = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    tests = circularities(y - f, f, {"group": member}, draws=20)
    labels, pool = labelled(y, f, f, _strata(f, more)), pool_of(tests)
    found = verdict(findings(labels, len(y) + more, 2, tests, pool, [""]))
    for use in found:
        assert use.because.startswith(f"{use.name}: {use.answer}, because ") and len(use.because) > 60


def _strata(f: IntVector, more: int) -> list[SampleStratum]:
    counts = np.bincount(f, minlength=4).tolist()
    return [SampleStratum(str(grade), n + more, n) for grade, n in enumerate(counts)]


def test_the_thresholds_have_their_meaning() -> None:
    assert len({each.meaning for each in THRESHOLDS}) == len(THRESHOLDS) == 13
