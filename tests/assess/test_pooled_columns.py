"""What pages count over columns is what the lines of a release say, and follows every label."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assess.consensus import RULES, LabelColumns, RuleInput, decide, majorities, majority, unique_rows
from assess.event_columns import Ints, row_codes
from assess.no_grade import NoGrade
from assess.queries.campaign_reads import CampaignReads
from assess.queries.labels import judging_order
from assess.queries.release_draft import agreed_columns
from assess.queries.releases import current_cutoff, release_lines
from assess.release.plan import ReleasePlan
from assess.services.assignments import assign
from pooling.models import Campaign
from tests.support.factory import Factory

SCALE = [0, 1, 3]
MISSING, REFUSED = NoGrade.MISSING, NoGrade.REFUSED


@given(st.lists(st.lists(st.sampled_from(SCALE), min_size=1, max_size=6), max_size=5))
def test_a_majority_over_columns_is_that_of_each_document(labels: list[list[int]]) -> None:
    items = np.repeat(np.arange(len(labels)), [len(given) for given in labels])
    relevance = np.array([grade for given in labels for grade in given], dtype=np.int64)
    assert majorities(items, relevance, len(labels), SCALE).tolist() == list(map(majority, labels))


JUDGES = "ada", "bob", "eve"


def label_columns(grades: Ints) -> LabelColumns:
    """Return the labels in a matrix of documents by judges."""
    document, judge = np.nonzero(grades != MISSING)
    return LabelColumns(document, judge, grades[document, judge])


DOCUMENT = st.tuples(
    st.lists(st.sampled_from([MISSING, REFUSED, *SCALE]), min_size=3, max_size=3),
    st.integers(-1, 2),  # the primary judge
    st.sampled_from([MISSING, *SCALE]),  # settled
)


@given(st.sampled_from([*RULES]), st.lists(DOCUMENT, max_size=40), st.sampled_from(["", *JUDGES]))
def test_a_rule_over_columns_decides_as_it_does_document_by_document(
    rule: str, documents: list[tuple[list[int], int, int]], chosen: str
) -> None:
    grades = np.array([given for given, _, _ in documents], dtype=np.int64).reshape(-1, 3)
    primary, settled = (np.array([each[place] for each in documents], dtype=np.int64) for place in (1, 2))
    decisions = decide(rule, label_columns(grades), JUDGES, primary, settled, chosen, SCALE)
    assert len(set(decisions.different)) == len(decisions.different)
    assert [decisions.different[place] for place in decisions.of_document.tolist()] == [
        RULES[rule].decide(
            RuleInput(
                {judge: grade for judge, grade in zip(JUDGES, given, strict=True) if grade >= 0},
                frozenset(judge for judge, grade in zip(JUDGES, given, strict=True) if grade == REFUSED),
                "" if first < 0 else JUDGES[first],
                None if decided == MISSING else decided,
                chosen,
                SCALE,
            )
        )
        for given, first, decided in documents
    ]


def test_nobody_who_is_read_decides_nothing() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    decisions = decide("maximum", LabelColumns(nothing, nothing, nothing), (), nothing, nothing)
    assert decisions.different == [] and not len(decisions.of_document)


def test_documents_with_different_grades_are_marked_also_with_cannot_judge() -> None:
    grades = np.array([[1, 1, MISSING], [0, REFUSED, 1], [REFUSED, REFUSED, 3], [MISSING, REFUSED, MISSING]])
    nobody, unsettled = np.full(4, -1), np.full(4, MISSING)
    decisions = decide("maximum", label_columns(grades), JUDGES, nobody, unsettled)
    assert decisions.differ.tolist() == [False, True, False, False]
    assert decisions.graders.tolist() == [2, 2, 1, 0]


@given(st.integers(1, 30), st.data())
def test_rows_are_alike_when_they_are_equal_however_wide_they_are(width: int, data: st.DataObject) -> None:
    row = st.lists(st.sampled_from([-2, 0, 32_767]), min_size=width, max_size=width)
    rows = np.array(data.draw(st.lists(row, min_size=1, max_size=20)))
    examples, kind = unique_rows(rows)
    assert (rows[examples][kind] == rows).all()
    assert len(examples) == len({tuple(each) for each in rows.tolist()})


@given(st.integers(1, 30), st.data())
def test_rows_that_are_packed_stand_in_the_order_of_their_keys(width: int, data: st.DataObject) -> None:
    row = st.lists(st.sampled_from([-2, 0, 1, 32_767, 10**9]), min_size=width, max_size=width)
    rows = data.draw(st.lists(row, max_size=20))
    columns = list(np.array(rows, dtype=np.int64).reshape(-1, width).T)
    order = np.argsort(row_codes(columns), kind="stable").tolist()
    assert order == sorted(range(len(rows)), key=rows.__getitem__)


def by_name(campaign: Campaign) -> dict[tuple[str, str], int]:
    agreed, documents = (
        agreed_columns(CampaignReads(campaign), ReleasePlan()),
        CampaignReads(campaign).pooled.where,
    )
    numbers = list(campaign.topics.values_list("number", flat=True))
    rows = documents(agreed.documents)
    pairs = [(numbers[topic], docno.decode()) for topic, docno in zip(rows.topic, rows.docno, strict=True)]
    return dict(zip(pairs, agreed.grades.tolist(), strict=True))


def released_grades(campaign: Campaign) -> dict[tuple[str, str], int]:
    lines = release_lines(CampaignReads(campaign), ReleasePlan(), current_cutoff(campaign))
    return {
        (line.document.topic, line.document.docno): line.relevance
        for line in lines
        if line.relevance is not None
    }


def test_columns_say_what_the_lines_say_while_labels_and_pools_come_in(make: Factory) -> None:
    campaign = make.make_campaign()
    first, second = make.make_topic(campaign, "2"), make.make_topic(campaign, "1")
    make.make_run(campaign, "2 A 3\n2 B 2\n1 A 1\n1 C 0", tag="sloop")
    make.make_pool(campaign)
    assign([make.make_user("alice"), make.make_user("bob")], [first, second])
    assert by_name(campaign) == {}
    for judge, topic, docno, grade in (
        ("alice", "1", "C", 2),
        ("alice", "2", "B", 3),
        ("bob", "2", "B", 0),
        ("alice", "2", "A", 1),
        ("alice", "1", "C", 1),
    ):
        make.make_judgment(campaign, judge, topic, docno, grade)
        assert by_name(campaign) == released_grades(campaign)
    make.make_run(campaign, "1 D 3", tag="later")
    make.make_pool(campaign)
    assign([make.make_user("alice")], [second])
    make.make_judgment(campaign, "alice", "1", "D", 3)
    assert by_name(campaign) == released_grades(campaign)
    assert by_name(campaign)["1", "D"] == 3
    ordered = CampaignReads(campaign).pooled.where(judging_order(CampaignReads(campaign)))
    numbers = list(campaign.topics.values_list("number", flat=True))
    named = [(numbers[t], d.decode()) for t, d in zip(ordered.topic, ordered.docno, strict=True)]
    assert named == [("1", "C"), ("2", "B"), ("2", "A"), ("1", "D")]
