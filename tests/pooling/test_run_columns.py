from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pooling.formats.run_columns import column_arrays, pack_columns, unpack_columns
from pooling.formats.run_order import pooling_order, scoring_order
from pooling.formats.runs import parse_run
from pooling.models import Campaign, DocnoBlock
from pooling.queries.runs import docno_table, in_collection, ranked_runs, run_columns
from pooling.strategies.rankings import rank_run
from tests.support.factory import Factory

rows = st.lists(
    st.tuples(
        st.sampled_from("12"), st.sampled_from("abcdef"), st.sampled_from(["0.5", "1", "1.00000001", "-2"])
    ),
    min_size=1,
    unique_by=lambda row: row[:2],
)


@given(rows)
def test_columns_come_back_as_they_were_packed_and_keep_both_orders(
    lines: list[tuple[str, str, str]],
) -> None:
    run = parse_run("".join(f"{topic} Q0 {docno} 1 {score} t\n" for topic, docno, score in lines).encode())
    names = np.unique(run.docnos)
    columns = unpack_columns(**pack_columns(column_arrays(run, np.searchsorted(names, run.docnos))))
    assert columns.topics == run.topics
    bounds = columns.offsets.tolist()
    for place, topic in enumerate(columns.topics):
        in_topic = slice(bounds[place], bounds[place + 1])
        assert [docno.decode() for docno in names[columns.ids[in_topic]]] == rank_run(run).rankings[topic]
    assert names[columns.scored_ids].tolist() == run.docnos[scoring_order(run)].tolist()
    assert columns.scores.tolist() == run.scores[pooling_order(run)].tolist()


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1")
    return campaign


def test_a_docno_keeps_its_number_and_only_new_ones_are_written(campaign: Campaign, make: Factory) -> None:
    first = make.make_run(campaign, "1 B 2\n1 A 1", tag="first")
    second = make.make_run(campaign, "1 C 3\n1 A 2\n1 B 1", tag="second")
    third = make.make_run(campaign, "1 C 2\n1 B 1", tag="third")
    assert [block.start for block in DocnoBlock.objects.all()] == [0, 2]
    assert docno_table(campaign).docnos().tolist() == [b"A", b"B", b"C"]
    assert [run_columns(run).ids.tolist() for run in (first, second, third)] == [[1, 0], [2, 0, 1], [2, 1]]
    assert ranked_runs(campaign, [second], 2)[0].rankings == {"1": ["C", "A"]}


def test_a_dictionary_that_was_rolled_back_is_forgotten(campaign: Campaign, make: Factory) -> None:
    make.make_run(campaign, "1 A 1", tag="kept")
    make.make_run(campaign, "1 B 1", tag="lost")
    assert docno_table(campaign).docnos().tolist() == [b"A", b"B"]
    campaign.runs.get(tag="lost").delete()
    DocnoBlock.objects.filter(start=1).delete()  # as if its transaction had failed after this process read it
    run = make.make_run(campaign, "1 C 2\n1 A 1", tag="next")
    assert docno_table(campaign).docnos().tolist() == [b"A", b"C"]
    assert ranked_runs(campaign, [run], 9)[0].rankings == {"1": ["C", "A"]}


def test_a_document_that_is_loaded_later_is_in_the_collection(campaign: Campaign, make: Factory) -> None:
    campaign.collection_size = 2
    for docno in ("D1", "D2"):
        make.make_document(campaign, docno)
    holds = in_collection(campaign)
    assert holds and holds(np.array([b"D1", b"D3"])).tolist() == [True, False]
    make.make_document(campaign, "D3")
    holds = in_collection(campaign)
    assert holds and holds(np.array([b"D1", b"D3", b"D4"])).tolist() == [True, True, False]
