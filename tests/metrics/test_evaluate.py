"""Missing topics, profiles, thresholds, means, and runs that were stored before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.engine import stored_runs
from metrics.engine.evaluate import evaluate, means_of, score
from metrics.engine.hits import Settings, discount, find_hits
from metrics.engine.qrels_index import index_qrels
from metrics.engine.segments import Segments
from metrics.engine.stored_runs import NumberedIndex, find_stored_hits, stored_run
from metrics.measures.names import parse_measure, parse_measures
from pooling.formats.docnos import DocnoTable
from pooling.formats.qrels import parse_qrels
from pooling.formats.runs import parse_run

from .generated import Judgments, Rankings, judgments, qrels_lines, rankings, run_lines, run_of

QRELS = parse_qrels(b"1 0 a 1\n1 0 b 2\n2 0 a 1\n10 0 a 1\n")
RUN = parse_run(b"1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 x 1 1 t\n9 Q0 a 1 1 t\n")


def test_missing_topics_are_a_choice() -> None:
    measures, index = parse_measures("AP num_rel num_q"), index_qrels(QRELS)
    everything = evaluate(RUN, index, measures)
    assert everything.topics == ("1", "10", "2")
    assert everything.values[:, :2].tolist() == [[1, 2], [0, 1], [0, 1]]
    assert everything.means[:2].tolist() == [1 / 3, 4]
    both = evaluate(RUN, index, measures, missing="intersection")
    assert (both.topics, both.means[:2].tolist()) == (("1", "2"), [0.5, 3])


def test_a_measures_own_threshold_goes_before_the_default() -> None:
    index, names = index_qrels(QRELS), parse_measures("P@1 P(rel=2)@1 P(rel=1)@1")
    assert evaluate(RUN, index, names, relevance=2).values[0].tolist() == [0, 0, 1]


@pytest.mark.parametrize("wrong", [{"profile": "trec_eval-8"}, {"missing": "some"}, {"relevance": -1}])
def test_other_choices_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="expected"):
        evaluate(RUN, index_qrels(QRELS), parse_measures("AP"), **wrong)  # type: ignore[arg-type]


def test_no_measures_give_no_values() -> None:
    scores = evaluate(RUN, index_qrels(QRELS), [])
    assert (scores.values.shape, scores.means.tolist()) == ((3, 0), [])


def test_nothing_in_common_gives_zeros_or_no_topics() -> None:
    run, index = parse_run(b"77 Q0 a 1 1 t\n"), index_qrels(QRELS)
    assert evaluate(run, index, parse_measures("AP nDCG")).means.tolist() == [0, 0]
    nothing = evaluate(run, index, parse_measures("AP nDCG"), missing="intersection")
    assert (nothing.topics, nothing.means.tolist(), nothing.values.shape) == ((), [0, 0], (0, 2))


@given(st.lists(st.integers(0, 40).map(lambda count: count / 40), min_size=1, max_size=60))
def test_means_add_one_topic_after_the_other(values: list[float]) -> None:
    total = 0.0
    for value in values:
        total += value
    column = np.array(values)[:, None]
    assert means_of(column, [parse_measure("P@20")]).tolist() == [total / len(values)]


def test_a_geometric_mean_takes_zero_for_a_hundred_thousandth() -> None:
    assert means_of(np.array([[0.0], [0.1]]), [parse_measure("gm_map")])[0] == pytest.approx(1e-3)


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(-1e6, 1e6)), max_size=60))
def test_running_sums_equal_a_plain_loop_to_the_last_bit(rows: list[tuple[int, float]]) -> None:
    rows.sort(key=lambda row: row[0])
    topic, values = np.array([row[0] for row in rows], dtype=np.int64), np.array([row[1] for row in rows])
    segments, totals = Segments(topic, 6), [0.0] * 6
    for place, (at, value) in enumerate(rows):
        totals[at] += value
        assert segments.running(values)[place] == totals[at]
        assert segments._running_uneven(values)[place] == totals[at]
    assert segments.sum(values).tolist() == totals


def test_discounts_are_the_c_librarys_beyond_the_table_too() -> None:
    assert discount(np.array([1, 3, 5_000])).tolist() == [1.0, 2.0, __import__("math").log2(5001)]


MEASURES = parse_measures("official ndcg num_nonrel_judged_ret unj.5 rbp_resid")


@given(
    ranked=rankings(),
    judged=judgments(),
    profile=st.sampled_from(["trec_eval-9", "trec_eval-10"]),
    dense=st.booleans(),
)
def test_a_stored_run_scores_as_its_text(
    ranked: Rankings, judged: Judgments, profile: str, dense: bool
) -> None:
    run, qrels, documents = (
        run_of(run_lines(ranked)),
        parse_qrels("".join(qrels_lines(judged)).encode()),
        DocnoTable(),
    )
    kept, limit = stored_run(run, documents, profile), stored_runs.DENSE_LIMIT
    try:
        stored_runs.DENSE_LIMIT = limit if dense else 0
        numbered = NumberedIndex(qrels, documents)
    finally:
        stored_runs.DENSE_LIMIT = limit
    text = score(find_hits(run, index_qrels(qrels), Settings(profile)), MEASURES)
    again = score(find_stored_hits(kept, numbered), MEASURES)
    assert text.topics == again.topics
    assert np.array_equal(text.values, again.values)


def test_documents_numbered_after_the_index_was_made_are_unjudged() -> None:
    documents = DocnoTable(np.array([b"a", b"b"]))
    numbered = NumberedIndex(QRELS, documents)
    later = stored_run(parse_run(b"1 Q0 zzz 1 9 t\n1 Q0 a 2 8 t\n"), documents)
    assert find_stored_hits(later, numbered).rank.tolist() == [2]


def test_equal_hashes_of_different_documents_do_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    same = lambda fields, salt=0: np.full(len(fields), 7, dtype=np.uint64)  # noqa: E731
    wanted = evaluate(RUN, index_qrels(QRELS), parse_measures("AP nDCG")).values
    for module in ("metrics.engine.qrels_index", "pooling.formats.grouping"):
        monkeypatch.setattr(f"{module}.hash_rows", same)
    run = parse_run(b"1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 x 1 1 t\n9 Q0 a 1 1 t\n")
    assert np.array_equal(evaluate(run, index_qrels(QRELS), parse_measures("AP nDCG")).values, wanted)
