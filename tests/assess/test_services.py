from __future__ import annotations

import hashlib

import pytest

from assess.models import Assignment, Judgment, JudgmentEvent
from assess.queries.agreement import agreement_scope
from assess.queries.agreement_pairs import PairRows
from assess.queries.campaign_reads import CampaignReads
from assess.queries.labels import label_records
from assess.queries.progress import progress_grid
from assess.release.plan import ReleasePlan
from assess.services.assignments import assign
from assess.services.imports import load_judgments
from assess.services.releases import NothingToRelease, release_qrels
from assess.services.settings import ScaleLocked, change_settings
from pooling.formats.files import BadFile
from pooling.models import Campaign
from pooling.scale import THREE_STEPS, Grade
from tests.support.factory import Factory


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


def test_assigning_again_changes_nothing(campaign: Campaign, make: Factory) -> None:
    before = Assignment.objects.count()
    assert assign([make.make_user("alice")], campaign.topics.all()) == 0
    assert assign([make.make_user("eve")], campaign.topics.all()) == 2
    assert Assignment.objects.count() == before + 2


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"1 0 D1\n", "line 1: "),
        (b"1 0 D1 1\n9 0 D1 1\n", "line 2: topic 9 is not in this campaign"),
        (b"1 0 D1 1\n1 0 D2 7\n", "line 2: expected a grade of the scale 0, 1, 2, 3, found 7"),
        (b"", "found none"),
    ],
)
def test_judgments_that_cannot_be_taken_name_the_line_and_leave_nothing(
    campaign: Campaign, make: Factory, content: bytes, expected: str
) -> None:
    with pytest.raises(BadFile) as refusal:
        load_judgments(campaign, make.make_user("carol"), content, "nist.qrels", "NIST")
    assert str(refusal.value).startswith("nist.qrels")
    assert expected in str(refusal.value)
    assert not JudgmentEvent.objects.exists()
    assert not campaign.memberships.filter(user__name="NIST").exists()
    assert campaign.pools.count() == 1


def test_judgments_from_elsewhere_make_a_judge_and_pool_what_no_run_found(
    campaign: Campaign, make: Factory
) -> None:
    content, carol = b"1 0 D1 5\n1 0 D99 -1\n", make.make_user("carol")
    loaded = load_judgments(campaign, carol, content, "q", "NIST", {5: 3, -1: 0}, extend_pool=True)
    assert (loaded.labels, loaded.newly_pooled) == (2, 1)
    assert dict(Judgment.objects.values_list("pooled__docno", "relevance")) == {"D1": 3, "D99": 0}
    assert not loaded.judge.has_usable_password() and not loaded.judge.is_active
    assert campaign.pools.last().strategy == "judged elsewhere"  # type: ignore[union-attr]
    with pytest.raises(BadFile, match="this campaign already has labels of NIST"):
        load_judgments(campaign, make.make_user("carol"), b"1 0 D2 1\n", "q", "NIST")


def test_a_negative_grade_from_elsewhere_is_a_document_that_cannot_be_judged(
    campaign: Campaign, make: Factory
) -> None:
    load_judgments(campaign, make.make_user("carol"), b"1 0 D1 3\n1 0 D2 -1\n", "q", "NIST", {3: -1, -1: 2})
    assert dict(Judgment.objects.values_list("pooled__docno", "relevance")) == {"D1": None, "D2": 2}
    load_judgments(campaign, make.make_user("carol"), b"1 0 D1 -1\n1 0 D2 -2\n", "q", "NIST 2")
    second = Judgment.objects.filter(judge__name="NIST 2")
    assert {judgment.relevance for judgment in second} == {None}
    assert {judgment.event.reason for judgment in second} == {"scale"}


def test_a_release_that_marks_what_cannot_be_judged_is_loaded_again_as_the_same_labels(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    carol = make.make_user("carol")
    load_judgments(campaign, carol, b"1 0 D1 3\n1 0 D2 -1\n", "q", "NIST")
    release = release_qrels(campaign, carol, ReleasePlan(cannot="-1"))
    with release.file.open("rb") as file:
        load_judgments(campaign, carol, file.read(), "v1.qrels", "again")
    labels = Judgment.objects.order_by("pooled__docno").values_list("pooled__docno", "relevance")
    first, again = labels.filter(judge__name="NIST"), labels.filter(judge__name="again")
    assert list(first) == list(again) == [("D1", 3), ("D2", None)]


def test_the_scale_is_locked_by_the_first_judgment_but_words_may_change(
    campaign: Campaign, make: Factory
) -> None:
    change_settings(campaign, THREE_STEPS, threshold=1)
    make.make_judgment(campaign, "alice", "1", "D1", 2)
    reworded = tuple(Grade(grade.value, grade.label.upper(), "", grade.gain) for grade in THREE_STEPS)
    change_settings(campaign, reworded, threshold=1)
    campaign.refresh_from_db()
    assert campaign.grades == reworded
    with pytest.raises(ScaleLocked):
        change_settings(campaign, reworded, threshold=2)
    with pytest.raises(ScaleLocked):
        change_settings(campaign, reworded[:2], threshold=1)


def test_a_release_holds_the_majority_and_never_changes(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    with pytest.raises(NothingToRelease):
        release_qrels(campaign, carol)
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "bob", "1", "D1", 1)
    make.make_judgment(campaign, "alice", "2", "D1", 2)
    first = release_qrels(campaign, carol)
    make.make_judgment(campaign, "bob", "1", "D1", 3)
    second = release_qrels(campaign, carol)

    def content(release: object) -> bytes:
        with release.file.open("rb") as file:  # type: ignore[attr-defined]
            return bytes(file.read())

    assert content(first) == b"1 0 D1 1\n2 0 D1 2\n"
    assert content(second) == b"1 0 D1 3\n2 0 D1 2\n"
    assert (first.number, second.number) == (1, 2)
    assert first.sha256 == hashlib.sha256(content(first)).hexdigest()
    assert first.manifest["relevant"] == 1 and second.manifest["relevant"] == 2
    assert first.manifest["judges"] == {"alice": 2, "bob": 1}
    assert first.manifest["pooled_without_a_grade"] == 2


def test_agreement_is_over_shared_documents_and_cannot_judge_is_no_grade(
    campaign: Campaign, make: Factory
) -> None:
    for docno, alice, bob in (("D1", 3, 3), ("D2", 0, 0), ("D3", 0, 2)):
        make.make_judgment(campaign, "alice", "1", docno, alice)
        make.make_judgment(campaign, "bob", "1", docno, bob)
    make.make_judgment(campaign, "alice", "2", "D1", 1)
    (pair,) = PairRows(agreement_scope(CampaignReads(campaign)))
    assert (pair.first, pair.second, pair.n) == ("alice", "bob", 3)
    assert pair.coefficients["cohen"].value == pytest.approx((2 / 3 - 1 / 3) / (1 - 1 / 3))
    assert not len(PairRows(agreement_scope(CampaignReads(campaign), campaign.topics.get(number="2"))))
    assert next(label_records(campaign))[:5] == ("1", "D1", "alice", False, 3)


def test_progress_counts_each_document_once(campaign: Campaign, make: Factory) -> None:
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "bob", "1", "D1", 3)
    make.make_judgment(campaign, "alice", "1", "D2", 0)
    rows = progress_grid(CampaignReads(campaign)).rows
    assert [(row.topic.number, row.pooled, row.judged, row.relevant) for row in rows] == [
        ("1", 3, 2, 1),
        ("2", 1, 0, 0),
    ]
    assert [(cell.done, cell.left) for cell in rows[0].cells if cell] == [(2, 1), (1, 2)]
