"""Judgments from a file: counted and shown before they are stored."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.judgment_check import GradeCheck, TopicCheck, check_judgments
from assess.models import Assignment, JudgingPlan, Judgment
from assess.queries.campaign_reads import CampaignReads
from assess.queries.progress import progress_grid
from assess.queries.queues import judges_by_topic, overlap_docnos
from assess.queries.release_plans import primary_judges
from assess.release.plan import ReleasePlan
from assess.services.assignments import assign
from assess.services.imports import UnknownNames, load_judgments
from assess.services.releases import release_qrels
from pooling.formats.files import BadFile
from pooling.formats.qrels import JudgmentRecord
from pooling.intake.compare import Match
from pooling.models import Campaign, PooledDocument
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/judging/load/"
LINES = b"1 0 D1 3\n1 0 d2.txt 1\n1 0 NEW -1\n2 0 D3 0\n"


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


@pytest.fixture
def carol(client: Client, campaign: Campaign, make: Factory) -> Client:
    client.force_login(make.make_user("carol"))
    return client


def preview(client: Client, content: bytes = LINES) -> str:
    return markup(client.post(URL, {"file": SimpleUploadedFile("x.qrels", content), "judge": "NIST"}))


def press(client: Client, page: str, **button: str) -> str:
    """Press a button of the preview; return the page that comes."""
    fields = {
        name: re.search(rf'name="{name}" value="([^"]*)"', page).group(1)  # type: ignore[union-attr]
        for name in ("confirmed", "name", "judge", "grades", "content")
    }
    return markup(client.post(URL, fields | button, follow=True))


def test_a_check_counts_judgments_by_topic_and_grade() -> None:
    records = [
        JudgmentRecord("1", "D1", 2, 1),
        JudgmentRecord("1", "D02", 0, 2),
        JudgmentRecord("1", "D3", 0, 3),
        JudgmentRecord("2", "D1", 0, 4),
    ]
    check = check_judgments(records, {"1": {"D1", "D2"}}, {"D1"})
    assert (check.judgments, check.pooled, check.outside, check.unknown) == (4, 1, 3, 2)
    assert check.match == Match("leading zeros", {"D02": "D2"})
    assert check.topics == [TopicCheck("1", 3, 1), TopicCheck("2", 1, 0)]
    assert check.grades == [GradeCheck(2, 1, 1), GradeCheck(0, 3, 0)]


def test_the_preview_counts_and_stores_nothing(carol: Client, campaign: Campaign) -> None:
    page = preview(carol)
    assert "Preview of 4 judgments" in page
    assert "Store 1 judgment of pooled documents" in page
    assert "Extend the pool by 3 documents and store 4 judgments" in page
    assert "d2.txt" in page and "almost like a pooled one" in page
    assert "cannot judge" in page
    assert not Judgment.objects.exists() and campaign.pools.count() == 1


def test_only_pooled_documents_are_stored_by_default(carol: Client, campaign: Campaign) -> None:
    page = press(carol, preview(carol))
    assert "1 judgment of NIST loaded. 3 of documents in no pool were left out." in page
    assert Judgment.objects.get().pooled.docno == "D1"
    assert campaign.pools.count() == 1
    assert campaign.audit_log.filter(sentence="1 from x.qrels, as those of NIST; 3 left out").exists()


def test_the_pool_is_extended_by_choice(carol: Client, campaign: Campaign) -> None:
    page = press(carol, preview(carol), extend_pool="yes")
    assert "4 judgments of NIST loaded. The pool was extended by 3 documents." in page
    assert Judgment.objects.count() == 4 and campaign.pools.count() == 2


def test_a_campaign_without_a_pool_is_offered_its_first_one(client: Client, make: Factory) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    client.force_login(make.make_user("carol"))
    page = preview(client, b"1 0 D1 3\n")
    assert "This campaign has no pool yet" in page and "Store 1 judgment" not in page
    assert "found none; to make a pool of 1 document," in press(client, page)
    assert "The pool was extended by 1 document." in press(client, page, extend_pool="yes")
    assert PooledDocument.objects.get().docno == "D1"


def test_a_file_without_a_pooled_document_is_refused(campaign: Campaign, make: Factory) -> None:
    with pytest.raises(BadFile, match=r"q: expected a judgment of at least one pooled document, found none"):
        load_judgments(campaign, make.make_user("carol"), b"1 0 NEW 1\n", "q", "NIST")
    assert not campaign.memberships.filter(user__name="NIST").exists()


def test_a_topic_in_another_spelling_is_named(campaign: Campaign, make: Factory) -> None:
    with pytest.raises(BadFile, match="topic 001 is not in this campaign. 1 topic would be .* 001 is 1"):
        load_judgments(campaign, make.make_user("carol"), b"001 0 D1 1\n", "q", "NIST")


def test_a_refusal_stands_at_the_form_and_lists_the_first_problems(carol: Client) -> None:
    page = preview(carol, b"1 0 D1 9\n1 0 D2 9\n1 0 D3 3\n7 0 D1 1\n1 0 D4 8\n")
    above, _, section = page.partition('<section id="load">')
    refusal = section.partition("<form")[0]
    assert "was refused" not in above and "x.qrels was refused; nothing from it was stored" in refusal
    assert "Line 1: expected a grade of the scale 0, 1, 2, 3, found 9; map it" in refusal
    rows = re.findall(r'<td class="number">(\d+)</td><td><b>([^<]+)</b></td>', refusal)
    assert rows == [("1", "grade 9, on 2 lines"), ("4", "topic 7, on 1 line"), ("5", "grade 8, on 1 line")]
    assert f'action="{URL}#load"' in section  # so that the answer is shown where the form is
    assert "<title>All sources · Jurypool</title>" in page
    assert re.search(r'aria-current="true">\s*<span>All sources</span>', above)


def test_a_refusal_lists_ten_problems_and_counts_the_others(campaign: Campaign, make: Factory) -> None:
    lines = "".join(f"1 0 D{grade} {grade}\n" for grade in range(10, 30))
    with pytest.raises(UnknownNames) as refused:
        load_judgments(campaign, make.make_user("carol"), lines.encode(), "q", "NIST")
    assert ([error.line for error in refused.value.errors], refused.value.more) == ([*range(1, 11)], 10)


@pytest.mark.parametrize("in_plan", [False, True])
def test_a_judge_from_a_file_has_a_part_in_the_plan_only_by_choice(
    client: Client, make: Factory, in_plan: bool
) -> None:
    campaign = make.make_campaign()
    topic, carol = make.make_topic(campaign), make.make_user("carol")
    make.make_run(campaign, "1 D1 3\n1 D2 2\n1 D3 1")
    make.make_pool(campaign)
    client.force_login(carol)
    fields = {"file": SimpleUploadedFile("x.qrels", b"1 0 D1 0\n"), "judge": "NIST"}
    page = markup(client.post(URL, fields | ({"in_plan": "on"} if in_plan else {})))
    assert ("who gets the topics of the file" in page) == in_plan
    assert ("who has no part in the judging plan" in page) != in_plan
    press(client, page, **({"in_plan": "on"} if 'name="in_plan"' in page else {}))
    assign([make.make_user("alice")], [topic])
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    assert primary_judges(campaign) == {("1", 1): "tiny/NIST" if in_plan else "alice"}
    assert list(judges_by_topic([topic])["1"].first) == (["tiny/NIST"] if in_plan else []) + ["alice"]
    release = release_qrels(campaign, carol, ReleasePlan("majority, ties to the primary judge"))
    with release.file.open("rb") as file:
        assert file.read() == (b"1 0 D1 0\n" if in_plan else b"1 0 D1 3\n")
    page = markup(client.get("/campaigns/tiny/judging/topics/1/"))
    assert ("Move remaining documents of NIST to" in page) == in_plan


@pytest.mark.parametrize("in_plan", [False, True])
def test_labels_outside_the_plan_leave_shared_documents_and_second_judgments_alone(
    make: Factory, in_plan: bool
) -> None:
    campaign = make.make_campaign()
    topic, carol = make.make_topic(campaign), make.make_user("carol")
    make.make_run(campaign, "1 D1 3\n1 D2 2\n1 D3 1")
    make.make_pool(campaign)
    load_judgments(campaign, carol, b"1 0 D1 3\n1 0 D2 0\n1 0 D3 0\n", "q", "NIST", in_plan=in_plan)
    assign([make.make_user("alice"), make.make_user("bob")], [topic], part=Assignment.Part.SHARED)
    (row,) = progress_grid(CampaignReads(campaign)).rows
    assert (row.left, row.judged) == (3, 3)
    shared = Assignment.objects.get(judge__username="alice")
    plan = JudgingPlan(campaign=campaign, overlap="stratified", overlap_count=1)
    assert len(overlap_docnos(shared, plan)) == (2 if in_plan else 0)
