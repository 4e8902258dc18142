"""What holds for every measure of the registry, whoever added it."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.engine.bounds import score_bounds
from metrics.engine.evaluate import deepest_cutoff, evaluate, means_of, score, topic_values
from metrics.engine.hits import Settings, find_hits
from metrics.engine.ties import tie_report
from metrics.measures.base import Measure
from metrics.measures.names import parse_measure
from metrics.measures.registry import KINDS
from metrics.rankings.ranking import ranks
from pooling.arrays import Matrix

from .generated import (
    ALL,
    Indexes,
    Judgments,
    Rankings,
    judgments,
    qrels_lines,
    rankings,
    run_lines,
    run_of,
)

PROFILES = ("trec_eval-9", "trec_eval-10")
COLLECTION = 100
FORMS = sorted({kind.needs for kind in KINDS.values()})
few = settings(max_examples=25)
many = settings(max_examples=100)
every_form = pytest.mark.parametrize("needs", FORMS)


def values(
    measures: list[Measure], ranked: Rankings, judged: Judgments, profile: str = PROFILES[0]
) -> Matrix:
    index = Indexes(tuple(qrels_lines(judged))).index(measures[0].kind.needs)
    return evaluate(run_of(run_lines(ranked)), index, measures, profile, collection=COLLECTION).values


def on(needs: str) -> list[Measure]:
    """The measures that need this form of qrels."""
    return [measure for measure in ALL if measure.kind.needs == needs]


def grades_of(needs: str) -> st.SearchStrategy[Judgments]:
    return judgments(lowest=0 if needs == "preferences" else -1)


@every_form
@many
@given(data=st.data(), ranked=rankings(), profile=st.sampled_from(PROFILES))
def test_values_stay_in_the_range_that_the_measure_names(
    needs: str, data: st.DataObject, ranked: Rankings, profile: str
) -> None:
    measures = on(needs)
    found = values(measures, ranked, data.draw(grades_of(needs)), profile)
    for measure, column in zip(measures, found.T, strict=True):
        assert np.isfinite(column).all(), measure.name
        assert (column >= measure.low - 1e-12).all(), measure.name
        assert (column <= measure.high + 1e-12).all(), measure.name


@every_form
@many
@given(data=st.data(), ranked=rankings(), seed=st.integers(0, 9))
def test_the_order_of_lines_and_topics_and_the_tag_are_irrelevant(
    needs: str, data: st.DataObject, ranked: Rankings, seed: int
) -> None:
    measures, mix = on(needs), random.Random(seed)
    lines, qrels = run_lines(ranked), qrels_lines(data.draw(grades_of(needs)))
    shuffled = [line.replace(" tag\n", " other\n") for line in mix.sample(lines, len(lines))]
    mixed = mix.sample(qrels, len(qrels))
    first = evaluate(run_of(lines), Indexes(tuple(qrels)).index(needs), measures, collection=COLLECTION)
    second = evaluate(run_of(shuffled), Indexes(tuple(mixed)).index(needs), measures, collection=COLLECTION)
    assert first.topics == second.topics
    for measure, one, other in zip(measures, first.values.T, second.values.T, strict=True):
        assert one.tolist() == other.tolist(), measure.name


PERFECT = [
    measure
    for measure in ALL
    if measure.kind.perfect and (measure.name.startswith("nDCG") or not measure.cutoff)
]
PERFECT += [
    parse_measure(name)
    for name in ("RelP@5", "Success@1", "RR@1", "IPrec@0", "IPrec@0.3", "IPrec@1", "ExactIPrec@0.3")
]


@pytest.mark.parametrize("measure", PERFECT, ids=str)
@few
@given(judged=judgments())
def test_the_best_possible_ranking_scores_the_highest_value(measure: Measure, judged: Judgments) -> None:
    judged = {topic: {**grades, "sure": 1} for topic, grades in judged.items()}
    best = {
        topic: {docno: float(grade) for docno, grade in grades.items()} for topic, grades in judged.items()
    }
    assert values([measure], best, judged) == pytest.approx(measure.high, abs=1e-12)


def test_every_perfect_kind_is_tried() -> None:
    assert {measure.kind.name for measure in PERFECT} == {
        kind.name for kind in KINDS.values() if kind.perfect
    }


@every_form
@few
@given(data=st.data(), profile=st.sampled_from(PROFILES))
def test_a_perfect_run_is_never_ranked_below_a_junk_run(
    needs: str, data: st.DataObject, profile: str
) -> None:
    """The judged documents best first against worst first; the relevant ones against as many unjudged."""
    measures = [measure for measure in on(needs) if measure.direction != "neither"]
    judged = {topic: {**own, "d99": 1} for topic, own in data.draw(grades_of(needs)).items()}
    graded = {topic: {docno: float(grade) for docno, grade in own.items()} for topic, own in judged.items()}
    turned = {topic: {docno: -score for docno, score in own.items()} for topic, own in graded.items()}
    relevant = {topic: {d: score for d, score in own.items() if score > 0} for topic, own in graded.items()}
    unjudged = {topic: {f"d{n}": 1.0 for n in range(100, 100 + len(own))} for topic, own in relevant.items()}
    index = Indexes(tuple(qrels_lines(judged))).index(needs)
    for perfect, junk in ((graded, turned), (relevant, unjudged)):
        runs = [run_of(run_lines(ranked)) for ranked in (perfect, junk)]
        means = [evaluate(run, index, measures, profile, collection=COLLECTION).means for run in runs]
        for measure, pair in zip(measures, np.array(means).T, strict=True):
            assert ranks(pair, measure.direction)[0] == 1, measure.name


@pytest.mark.parametrize("needs", sorted({kind.needs for kind in KINDS.values() if kind.cutoff is int}))
@pytest.mark.parametrize("cutoff", [1, 5, 20])
@few
@given(data=st.data(), ranked=rankings(), junk=st.integers(1, 9))
def test_documents_below_the_cut_off_are_irrelevant(
    cutoff: int, needs: str, data: st.DataObject, ranked: Rankings, junk: int
) -> None:
    measures = [measure for measure in on(needs) if measure.kind.cutoff is int and measure.cutoff == cutoff]
    judged = data.draw(grades_of(needs))
    top = {
        topic: dict(sorted(scores.items(), key=lambda item: (item[1], item[0]), reverse=True)[:cutoff])
        for topic, scores in ranked.items()
    }
    full = {topic: scores for topic, scores in top.items() if len(scores) == cutoff}
    longer = {
        topic: {**dict.fromkeys([*judged.get(topic, {})][:junk], -99.0), **top} for topic, top in full.items()
    }
    if full:
        found, again = values(measures, full, judged), values(measures, longer, judged)
        for measure, one, other in zip(measures, found.T, again.T, strict=True):
            assert one.tolist() == other.tolist(), measure.name


def test_a_measures_own_name_names_it() -> None:
    assert [parse_measure(measure.name) for measure in ALL] == ALL


def test_a_kind_says_what_it_is() -> None:
    for kind in KINDS.values():
        assert kind.meaning.endswith("."), kind.name
        assert len(kind.meaning) <= 100, kind.name
        assert kind.citation, kind.name
        assert kind.low < kind.high, kind.name
        assert kind.compute.__doc__, kind.name


@many
@given(ranked=rankings(), judged=judgments(lowest=-1), profile=st.sampled_from(PROFILES))
def test_nothing_below_the_deepest_rank_changes_a_value(
    ranked: Rankings, judged: Judgments, profile: str
) -> None:
    index = Indexes(tuple(qrels_lines(judged))).index("qrels")
    hits = find_hits(run_of(run_lines(ranked)), index, Settings(profile, collection=COLLECTION))
    for measure in on("qrels"):
        shallow = hits.take(np.flatnonzero(hits.rank <= deepest_cutoff([measure])))
        assert np.array_equal(topic_values(shallow, [measure]), topic_values(hits, [measure])), measure.name


@few
@given(ranked=rankings(), judged=judgments(lowest=-1), profile=st.sampled_from(PROFILES))
def test_bounds_and_ties_say_as_scored_what_the_score_is(
    ranked: Rankings, judged: Judgments, profile: str
) -> None:
    measures, run = on("qrels"), run_of(run_lines(ranked))
    index, setting = Indexes(tuple(qrels_lines(judged))).index("qrels"), Settings(profile, 1, COLLECTION)
    hits = find_hits(run, index, setting)
    scored = score(hits, measures).means.tolist()
    ties, bounds = tie_report(run, index, measures, setting, sample=2), score_bounds(hits, measures, 3)
    for place, (measure, mean) in enumerate(zip(measures, scored, strict=True)):
        assert mean == bounds.scored[place] == ties.scored[place], measure.name
        orders = np.array([ties.best[place], mean, ties.worst[place]])
        assert ranks(orders, measure.direction)[0] == 1, measure.name


def test_a_micro_average_is_not_taken_from_values() -> None:
    with pytest.raises(ValueError, match="MicroP is not a mean"):
        means_of(np.zeros((2, 1)), [parse_measure("MicroP")])
