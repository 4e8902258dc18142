"""Every value equals that of trec_eval 9.0.8 as pytrec-eval-terrier compiles it, to the last bit."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.engine.evaluate import score
from metrics.engine.hits import Settings, find_hits
from metrics.trec_eval.names import measures_of, measures_of_nickname

from .generated import Indexes, Judgments, Rankings, judgments, qrels_lines, rankings, run_lines, run_of

pytrec_eval: Any = import_module("pytrec_eval")
NOT_COMPARED = ("runid", "num_q", "relstring")  # not values of a topic
NAMES = [name for name in measures_of_nickname("all_trec", "trec_eval-9") if name not in NOT_COMPARED]
MEASURES = [measure for name in NAMES for measure in measures_of(name)]


@settings(max_examples=300)
@given(ranked=rankings(), judged=judgments(), relevance=st.integers(1, 3), judged_only=st.booleans())
def test_every_topic_and_measure_is_equal_to_the_last_bit(
    ranked: Rankings, judged: Judgments, relevance: int, judged_only: bool
) -> None:
    # trec_eval divides by zero where -J leaves nothing
    judged_only = judged_only and all(
        any(judged[topic].get(docno, -1) >= 0 for docno in ranked[topic])
        for topic in set(ranked) & set(judged)
    )
    evaluator = pytrec_eval.RelevanceEvaluator(
        judged, set(NAMES), relevance_level=relevance, judged_docs_only_flag=judged_only
    )
    theirs = evaluator.evaluate(ranked)
    index = Indexes(tuple(qrels_lines(judged))).index("qrels")
    hits = find_hits(run_of(run_lines(ranked)), index, Settings(relevance=relevance))
    ours = score(hits.limited(judged_only=judged_only), MEASURES, missing="intersection")
    assert set(ours.topics) == set(theirs)
    for row, topic in enumerate(ours.topics):
        for column, measure in enumerate(MEASURES):
            value, expected = ours.values[row, column], theirs[topic][measure.trec_eval]
            if measure.kind.average == "geometric":  # there, the topic's value is a logarithm
                assert math.log(max(value, 1e-5)) == expected, (topic, measure.name)
            else:
                assert value == expected, (topic, measure.name)


def test_all_of_all_trec_is_compared() -> None:
    assert len(MEASURES) == 92
