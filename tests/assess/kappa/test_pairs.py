"""Two judges beside each other, against scikit-learn and plain counting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student
from sklearn.metrics import cohen_kappa_score

from assess.kappa.bootstrap import Bootstrap
from assess.kappa.labels import Labels, labels_of
from assess.kappa.pairs import pair_report, prevalence_paradox
from assess.kappa.registry import REGISTRY
from assess.kappa.report import FAMILIES, FAMILY_COLUMNS, benchmark_labels, rows_by_family

SCALE = [0, 1, 2, 3]


def three_judges(seed: int = 0, items: int = 120, topics: int = 6) -> Labels:
    """Two who judged nearly all, and a third; some labels are missing."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 4, items)
    places = np.clip(truth + random.integers(-1, 2, (3, items)), 0, 3)
    places[random.random((3, items)) < 0.2] = -1
    topic = [f"t{item * topics // items}" for item in range(items)]
    return labels_of(places, SCALE, 2, topic, judges=["ada", "ben", "chi"])


def shared(labels: Labels, first: int, second: int) -> tuple[list[int], list[int]]:
    both = (labels.places[first] >= 0) & (labels.places[second] >= 0)
    return labels.places[first][both].tolist(), labels.places[second][both].tolist()


@given(st.integers(0, 500))
def test_a_pair_is_compared_as_scikit_learn_compares_it(seed: int) -> None:
    labels = three_judges(seed)
    own, other = shared(labels, 0, 2)
    found = pair_report(labels, "ada", "chi")
    for key, weights in (("cohen", None), ("cohen-linear", "linear"), ("cohen-quadratic", "quadratic")):
        expected = cohen_kappa_score(own, other, labels=range(4), weights=weights)
        assert found.coefficients[key].value == pytest.approx(expected)
    assert found.n == len(own)
    assert found.lower == sum(two < one for one, two in zip(own, other, strict=True))
    assert found.higher == sum(two > one for one, two in zip(own, other, strict=True))
    assert found.first_rate == pytest.approx(sum(one >= 2 for one in own) / len(own))
    assert found.second_rate == pytest.approx(sum(two >= 2 for two in other) / len(other))


def test_the_interval_is_that_of_topics_drawn_by_a_plain_loop() -> None:
    labels, bootstrap = three_judges(topics=12), Bootstrap(seed=3, draws=400)
    found = pair_report(labels, "ada", "ben", bootstrap).coefficients["cohen-binary"]
    both = (labels.places[0] >= 0) & (labels.places[1] >= 0)
    values = []
    for weights in bootstrap.weights(len(labels.topics)).astype(int):
        rows = [
            item
            for topic, times in enumerate(weights)
            for item in np.flatnonzero(both & (labels.topic == topic)).tolist() * times
        ]
        values.append(cohen_kappa_score(labels.places[0][rows] >= 2, labels.places[1][rows] >= 2))
    tail = norm.cdf(-((12 / 11) ** 0.5) * student.ppf(0.975, 11))
    assert found.interval == pytest.approx(np.quantile(values, [tail, 1 - tail]))


def test_without_topics_to_draw_an_interval_says_why_there_is_none() -> None:
    one_topic = three_judges(topics=1)
    found = pair_report(one_topic, "ada", "ben", Bootstrap()).coefficients["cohen"]
    assert found.interval is None and "one topic" in found.no_interval


def test_judges_who_share_nothing_have_reasons_and_no_figures() -> None:
    labels = labels_of([[0, 1, -1, -1], [-1, -1, 2, 3]], SCALE, judges=["ada", "ben"])
    found = pair_report(labels, "ada", "ben", Bootstrap())
    assert (found.n, found.first_rate, found.balance, found.paradox) == (0, None, None, False)
    assert all(each.value is None and each.reason for each in found.coefficients.values())
    with pytest.raises(ValueError, match="not in"):
        pair_report(labels, "ada", "zoe")


def test_the_paradox_occurs_where_nearly_everything_is_of_one_kind() -> None:
    """Gwet's example: 118 neither, 5 and 2 apart, none both."""
    first = [0] * 118 + [0] * 5 + [1] * 2
    second = [0] * 118 + [1] * 5 + [0] * 2
    rare = pair_report(labels_of([first, second], [0, 1]), "judge 1", "judge 2")
    assert rare.paradox and rare.coefficients["ac1-binary"].value == pytest.approx(0.9408, abs=1e-4)
    even = pair_report(
        labels_of([[0, 1] * 60 + first[-7:], [0, 1] * 60 + second[-7:]], [0, 1]), "judge 1", "judge 2"
    )
    assert not even.paradox


@given(st.lists(st.integers(0, 40), min_size=4, max_size=4))
def test_only_uneven_classes_can_bring_kappa_below_pabak(cells: list[int]) -> None:
    """kappa = (PABAK - PI^2 + BI^2) / (1 - PI^2 + BI^2), Byrt, Bishop & Carlin 1993, equation 5."""
    neither, second_only, first_only, both = cells
    n = sum(cells)
    pi, bi = ((both - neither) / max(n, 1), (first_only - second_only) / max(n, 1))
    whole = 1 - pi**2 + bi**2
    if n and whole > 1e-9:
        observed = (neither + both) / n
        kappa = (2 * observed - 1 - pi**2 + bi**2) / whole
        if prevalence_paradox(observed, kappa):
            assert abs(pi) > 0.4 and abs(pi) > abs(bi)


def test_every_family_names_coefficients_of_the_registry_once() -> None:
    keys = [key for _, own in FAMILIES for key in own if key]
    assert len(keys) == len(set(keys)) and set(keys) <= set(REGISTRY)
    assert set(REGISTRY) - set(keys) == {"alpha-ratio"}  # in the files, not on the page
    assert all(len(own) == len(FAMILY_COLUMNS) for _, own in FAMILIES)
    for _, own in FAMILIES:
        for place, key in enumerate(own):
            binary = place == FAMILY_COLUMNS.index("Binary")
            assert not key or key == "overlap" or REGISTRY[key].binary == binary


def test_rows_and_words_leave_out_what_was_not_computed_or_is_undefined() -> None:
    found = pair_report(three_judges(), "ada", "ben").coefficients
    rows = rows_by_family(found)
    assert [row.name for row in rows][:2] == ["Percent agreement", "Cohen's kappa"]
    assert not any("Light" in row.name for row in rows)
    spoken = {row.coefficient.name: row.words for row in benchmark_labels(found)}
    assert "Percent agreement" not in spoken and len(spoken["Cohen's kappa"]) == 3
