"""Whatever the qrels and the run hold, every measure is a number in its range, and knows its cut-off."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.engine.evaluate import Scores, evaluate
from metrics.engine.qrels_index import index_subtopics
from metrics.engine.stored_runs import NumberedIndex, find_stored_hits, stored_run
from metrics.measures.base import BadMeasure, Measure
from metrics.measures.names import parse_measure
from metrics.measures.registry import KINDS, make_measure
from pooling.formats.docnos import DocnoTable
from pooling.formats.qrels import parse_qrels

from .small_runs import Grades, Rankings, qrels_of, run_of


def measures(cutoff: int, level: float) -> list[Measure]:
    """Return every measure that reads ordinary qrels, with a cut-off where it takes one."""
    return [
        make_measure(kind, cutoff=cutoff if kind.cutoff is int else level if kind.cutoff is float else None)
        for kind in KINDS.values()
        if kind.needs in ("qrels", "subtopics")
    ]


DOCNOS = [f"d{number}" for number in range(12)]
JUDGED = st.dictionaries(
    st.tuples(st.sampled_from("123"), st.sampled_from(DOCNOS)), st.integers(-2, 4), min_size=1
).map(lambda judged: {f"{subtopic}/{docno}": grade for (subtopic, docno), grade in judged.items()})
ODD = st.sampled_from([{"1/d1": -1}, {"1/d1": 0, "1/d2": 0}, {"1/d1": 1}, {"1/elsewhere": 2}])
QRELS = st.dictionaries(st.sampled_from("1234"), JUDGED | ODD, min_size=1)
RUN = st.dictionaries(
    st.sampled_from("1234"),
    st.permutations([*DOCNOS, "x", "y", "z"]).map(lambda found: found[:9]),
    min_size=1,
)


def score(rankings: Rankings, grades: Grades, profile: str, cutoff: int, level: float = 0.3) -> Scores:
    index = index_subtopics(qrels_of(grades))
    return evaluate(run_of(rankings), index, measures(cutoff, level), profile, collection=50)


@settings(max_examples=60)
@given(
    RUN,
    QRELS,
    st.sampled_from(["trec_eval-9", "trec_eval-10"]),
    st.integers(1, 12),
    st.sampled_from([0, 0.7]),
)
def test_every_value_is_finite_and_in_its_range(
    rankings: dict[str, list[str]], grades: dict[str, dict[str, int]], profile: str, cutoff: int, level: float
) -> None:
    scores = score(rankings, grades, profile, cutoff, level)
    assert np.isfinite(scores.means).all()
    for column, measure in zip(scores.values.T, scores.measures, strict=True):
        within = np.isfinite(column) & (measure.low - 1e-12 <= column) & (column <= measure.high + 1e-12)
        assert within.all(), (measure, column)


@settings(max_examples=30)
@given(RUN, QRELS, st.integers(1, 9))
def test_what_stands_below_the_cutoff_is_not_seen(
    rankings: dict[str, list[str]], grades: dict[str, dict[str, int]], cutoff: int
) -> None:
    other = {topic: [*ranking[:cutoff], "new1", "new2"] for topic, ranking in rankings.items()}
    first, second = (score(found, grades, "trec_eval-9", cutoff) for found in (rankings, other))
    for measure, before, after in zip(first.measures, first.values.T, second.values.T, strict=True):
        if measure.kind.cutoff is int:
            assert before.tolist() == after.tolist(), measure


def test_absurd_grades_give_a_number_or_are_refused() -> None:
    grades = {"1": {"1/a": 999_999_999, "1/b": 1}}
    with pytest.raises(BadMeasure, match="at most 1000 for 2"):
        evaluate(
            run_of({"1": ["a"]}), index_subtopics(qrels_of(grades)), [parse_measure("DCG(dcg='exp-log2')")]
        )
    found = score({"1": ["b", "a"]}, grades, "trec_eval-9", 5)
    assert np.isfinite(found.values).all()


def test_a_stored_run_is_refused_by_measures_that_need_its_text() -> None:
    documents = DocnoTable()
    run = stored_run(run_of({"1": ["a", "b"]}), documents)
    hits = find_stored_hits(run, NumberedIndex(parse_qrels(b"1 0 a 1\n"), documents))
    assert parse_measure("RBP(p=0.5)").kind.compute(hits, p=0.5).tolist() == [0.5]
    with pytest.raises(BadMeasure, match="need the text of a run"):
        parse_measure("alpha_nDCG@5").kind.compute(hits, cutoff=5)
