"""How far a review is, by plain loops: only rounds that are labelled count, and recall is from the sample."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assess.active_learning.forms import StopForm
from assess.active_learning.progress import Adviser, ReviewProgress, ReviewRow, advice_in_words
from assess.active_learning.stopping import Advice, advise

SIZE = 40


def rows_in_rounds(rounds: list[list[bool | None]], start: int = 0) -> list[ReviewRow]:
    """Return rows 0, 1, ... of rounds with these labels."""
    labels = [(number, label) for number, each in enumerate(rounds, start=start) for label in each]
    return [ReviewRow(row, row + 1, number, label) for row, (number, label) in enumerate(labels)]


def progress(rows: list[ReviewRow], sample: list[int], collection: int = SIZE) -> ReviewProgress:
    return ReviewProgress(rows, collection, np.array(sample, dtype=np.int64), {})


def test_a_round_with_a_gap_does_not_count() -> None:
    found = progress(rows_in_rounds([[True], [True, False], [None, True]]), [])
    assert found.ends == {0: 1, 1: 3}
    assert (found.reviewed, found.found, found.judged, found.waiting) == (3, 2, 4, 1)
    assert found.labels == [True, True, False]


def test_rounds_after_a_gap_do_not_count() -> None:
    found = progress(rows_in_rounds([[True, None], [True, True]]), [])
    assert found.ends == {} and found.labels == [] and found.advisers() == []


def test_recall_is_the_share_of_the_relevant_ones_of_the_sample_that_the_review_reached() -> None:
    rows = rows_in_rounds([[True, True, False]], start=1)  # rows 0, 1, 2
    rows += [ReviewRow(row, None, None, label) for row, label in [(10, True), (11, False), (12, None)]]
    found = progress(rows, [0, 10, 11, 2])
    assert found.is_sample_complete
    assert found.sample == (4, 2, 2, 1)  # size, relevant, reached, found
    assert found.recall.value == 0.5
    assert found.relevant.value == 2 + (SIZE - 3) / 2  # found, and 1 of 2 random documents of the rest
    assert (found.by_sample_only, found.relevant_known, found.waiting) == (2, 3, 1)


def test_recall_is_exact_once_every_document_has_a_label() -> None:
    rows = rows_in_rounds([[True, True, False]], start=1)
    rows += [ReviewRow(row, None, None, row == 3) for row in range(3, 6)]
    assert progress(rows, [0, 3], collection=7).recall[:3] != (2 / 3,) * 3
    found = progress(rows, [0, 4, 5], collection=6)
    assert found.recall[:3] == (2 / 3,) * 3  # although the sample has one relevant document only
    assert found.relevant[:3] == (3, 3, 3)


def test_no_more_documents_are_relevant_than_have_no_label_or_a_relevant_one() -> None:
    rows = [*rows_in_rounds([[True, True, False], [False, None]], start=1), ReviewRow(5, None, None, True)]
    found = progress(rows, [0, 5], collection=8)
    assert found.relevant == (6, 3, 6, "")  # 2 found and up to 5 of the rest, of which one is not relevant


def test_only_the_first_part_of_a_sample_that_is_judged_counts() -> None:
    rows = [*rows_in_rounds([[True, True]], start=1), ReviewRow(12, None, None, None)]
    rows.append(ReviewRow(13, None, None, True))  # after one without a label: as if it were chosen
    found = progress(rows, [0, 12, 13])
    assert (found.sample_judged, found.sample_labelled, found.is_sample_complete) == (1, 2, False)
    assert found.sample == (1, 1, 1, 1)
    assert found.state_at(1).sample is None


def test_a_rule_without_its_sample_says_how_much_of_it_is_missing() -> None:
    found = progress(rows_in_rounds([[True, True]], start=1), [0, 12, 13])
    said = {each.title: each.advice for each in found.advisers()}
    assert said["QBCB 0.8"].because == "needs the whole random sample: 1 of 3 are judged"
    assert not said["QBCB 0.8"].stop
    without = {each.title: each.advice for each in progress(rows_in_rounds([[True]]), []).advisers()}
    assert without["CHM 0.95"].because == "needs a random sample, and this review has none"


def test_a_promise_names_its_target_and_the_past_is_looked_at() -> None:
    rounds: list[list[bool | None]] = [[True] * 14, [False] * 6, [False] * 10]
    rows = rows_in_rounds(rounds, start=1)
    found = {each.title: each for each in progress(rows, list(range(14)), collection=100).advisers()}
    bound = found["QBCB 0.8"]
    assert bound.promise == "recall at least 0.8 in 95 of 100 samples, however often one looks"
    assert (bound.advice.stop, bound.since, bound.found_by_then) == (True, 14, 1.0)
    assert found["QBCB 0.9"].advice.stop is False and found["QBCB 0.9"].since is None
    assert "; about 83 more random documents are enough if" in found["CHM 0.95"].advice.because
    assert "mode" in found["QBCB 0.8"].method


labels = st.sampled_from([True, False, None])


@given(
    st.lists(st.lists(labels, min_size=1, max_size=5), max_size=5),
    st.dictionaries(st.integers(0, SIZE - 1), labels, max_size=10),
    st.lists(st.integers(0, SIZE - 1), unique=True, max_size=10),
)
def test_every_state_fits_the_rules(
    rounds: list[list[bool | None]], others: dict[int, bool | None], sample: list[int]
) -> None:
    rows = rows_in_rounds(rounds)
    known = {each.row for each in rows}
    rows += [ReviewRow(row, None, None, label) for row, label in others.items() if row not in known]
    found = progress(rows, sample)
    complete = 0  # a plain loop over whole rounds
    for each in rounds:
        if None in each:
            break
        complete += len(each)
    assert found.reviewed == complete
    label_of = {each.row: each.label for each in rows}
    judged = []
    for row in sample:
        if label_of.get(row) is None:
            break
        judged.append(row)
    relevant = [row for row in judged if label_of[row]]
    assert found.sample[:2] == (len(judged), len(relevant))
    assert found.sample.found == sum(row < complete for row in relevant)
    for number in found.ends:
        assert len(advise(found.state_at(number))) == 11
    assert found.relevant.low is None or found.relevant.low >= found.relevant_known


def said(title: str, promise: str, stop: bool, target: float = 0.8) -> Adviser:
    key = title.split()[0].lower()
    return Adviser(key, title, promise, Advice(key, stop, "because", promise, "cost"), target, None, None)


def test_the_form_proposes_the_most_that_the_sample_promises() -> None:
    """Quant rests on the model, a habit promises nothing; a rule that goes on cannot be chosen."""
    habit, goes_on = said("Knee", "none: a habit", True), said("QBCB 0.9", "recall at least 0.9", False, 0.9)
    low = said("Target", "recall at least 0.7", True, 0.7)
    high = said("CHM 0.8", "recall at least 0.8", True)
    by_model = said("Quant", "recall at least 0.95 if the model is right", True, 0.95)
    by_strata = said("Strata 0.95", "0.95 or more lie in the batches", True, 0.95)
    assert StopForm(advisers=[habit, goes_on, low, high, by_model])["rule"].initial == "chm 0.8"
    assert StopForm(advisers=[low, by_strata])["rule"].initial == "strata 0.95"
    assert StopForm(advisers=[habit, goes_on, by_model])["rule"].initial == ""


def test_what_all_rules_say_names_those_with_a_promise_first() -> None:
    habit, goes_on = said("Knee", "none: a habit", True), said("CHM 0.8", "recall at least 0.8", False)
    stops = said("Target", "recall at least 0.7", True)
    assert advice_in_words([]) == ""
    assert advice_in_words([habit, goes_on, stops]).startswith(
        "Of the rules with a promise, Target says stop"
    )
    assert "Knee would stop, and promise nothing. Go on" in advice_in_words([habit, goes_on])
    assert advice_in_words([goes_on]).startswith("No rule with a promise says stop. Go on")
