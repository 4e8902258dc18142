"""Sources of labels: whose they are, and what changes when the labels of one are withdrawn and restored."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from assess.models import Assignment, Judgment, JudgmentEvent, LabelSummary, Load, Progress, Source
from assess.queries.adjudication import count_unsettled
from assess.queries.campaign_reads import CampaignReads
from assess.queries.label_matrix import label_matrix
from assess.queries.label_totals import label_totals
from assess.queries.labels import label_counts, label_records
from assess.queries.mailings import campaign_digest
from assess.queries.release_draft import agreed_columns
from assess.queries.releases import current_cutoff, qrels_of, release_lines
from assess.release.plan import ReleasePlan
from assess.services.assignments import assign
from assess.services.imports import load_judgments, replace_file
from assess.services.judging import LabelRefused
from assess.services.plans import change_plan
from assess.services.releases import release_qrels
from assess.services.sources import SourceRefused, describe_source, restore_source, withdraw_source
from metrics.queries.integrity import every_fault
from pooling.formats.files import BadFile
from pooling.models import Campaign, Pool
from tests.assess.test_machines_decide_nothing import NOW
from tests.support.factory import Factory
from tests.support.markup import markup

Kind = Source.Kind
ALL = ReleasePlan(machines=("tiny/robot",))


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "alice", "1", "D2", 0)
    return campaign


@pytest.fixture
def carol(make: Factory) -> User:
    return make.make_user("carol")


def load_nist(campaign: Campaign, carol: User, lines: str = "1 0 D1 0\n1 0 D3 2\n", **options: Any) -> Source:
    judge = load_judgments(campaign, carol, lines.encode(), "nist.qrels", "NIST", **options).judge
    return campaign.sources.get(user=judge)


def label_of_bob(campaign: Campaign, make: Factory) -> Source:
    make.make_judgment(campaign, "bob", "1", "D1", 0)
    make.make_judgment(campaign, "bob", "2", "D1", 1)
    return campaign.sources.get(user__username="bob")


def figures(campaign: Campaign) -> dict[str, Any]:
    """Return what labels decide: of people, of everybody, and the lines of a release with the machine."""
    reads, matrix = CampaignReads(campaign), label_matrix(CampaignReads(campaign))
    plan = ALL if reads.machines else ReleasePlan()
    totals, agreed = label_totals(reads), agreed_columns(reads, plan)
    return {
        "counts": label_counts(reads),
        "records": list(label_records(campaign)),
        "totals": (totals.labels, totals.relevant),
        "matrix": (matrix.labels.judges, matrix.labels.items, matrix.labels.places.tolist()),
        "people": matrix.people.judges,
        "disputes": count_unsettled(campaign),
        "summaries": sorted(
            LabelSummary.objects.filter(graders__gt=0).values_list("pooled", "graders", "lowest", "highest")
        ),
        "agreed": (agreed.documents.tolist(), agreed.grades.tolist()),
        "lines": list(release_lines(reads, plan, current_cutoff(campaign))),
    }


def faults(campaign: Campaign) -> list[Any]:
    return [fault for fault in every_fault(campaign, {}) if not fault.note]


def test_every_judge_with_labels_has_a_source(campaign: Campaign, carol: User, make: Factory) -> None:
    load_nist(campaign, carol)
    make.make_machine(campaign, "1 0 D1 3\n")
    kinds = dict(campaign.sources.values_list("user__username", "kind"))
    assert kinds == {"alice": Kind.PERSON, "tiny/NIST": Kind.ELSEWHERE, "tiny/robot": Kind.FILE}
    assert not faults(campaign)
    Source.objects.get(user__username="alice").delete()
    assert [(fault.what, fault.where) for fault in faults(campaign)][0] == ("source of labels", "alice")


@pytest.mark.parametrize("kind", [Kind.PERSON, Kind.ELSEWHERE, Kind.FILE])
def test_withdrawn_labels_count_nowhere_and_restored_ones_as_before(
    campaign: Campaign, carol: User, make: Factory, kind: str
) -> None:
    before, left = figures(campaign), campaign_digest(campaign, NOW, "https://x").left
    if kind == Kind.PERSON:
        source = label_of_bob(campaign, make)
    elif kind == Kind.ELSEWHERE:
        source = load_nist(campaign, carol)
    else:
        source = make.make_machine(campaign, "1 0 D1 0\n1 0 D3 2\n")
    after = figures(campaign)
    assert before["records"] != after["records"]
    events = JudgmentEvent.objects.count()
    version = CampaignReads(campaign).version
    assert withdraw_source(source, carol, "A mistake.") == 2
    assert JudgmentEvent.objects.count() == events and CampaignReads(campaign).version != version
    assert figures(campaign) == before
    if kind != Kind.PERSON:  # whose topics are taken back
        assert campaign_digest(campaign, NOW, "https://x").left == left
    assert not Progress.objects.filter(judge=source.user, labels__gt=0).exists()
    assert not faults(campaign)
    assert restore_source(source, carol) == 2
    assert figures(campaign) == after and not faults(campaign)


def test_a_frozen_release_keeps_labels_that_are_withdrawn_later(
    campaign: Campaign, carol: User, make: Factory
) -> None:
    source = label_of_bob(campaign, make)
    first = release_qrels(campaign, carol)
    assert "2" in qrels_of(first).topics and first.manifest["withdrawn_judges"] == []
    withdraw_source(source, carol, "A mistake.")
    second = release_qrels(campaign, carol)
    assert qrels_of(second).topics == ("1",) and second.manifest["withdrawn_judges"] == ["bob"]
    assert not faults(campaign)  # which derives both again
    restore_source(source, carol)
    assert not faults(campaign)


def test_a_withdrawn_judge_labels_no_more(campaign: Campaign, carol: User, make: Factory) -> None:
    entry = make.entry(campaign, "bob", "2", "D1")
    source = label_of_bob(campaign, make)
    withdraw_source(source, carol, "A mistake.")
    assert not Assignment.objects.filter(judge=source.user).exists()
    with pytest.raises(LabelRefused, match="Your labels in this campaign were withdrawn"):
        make.make_judgment(campaign, "bob", entry.topic.number, entry.pooled.docno, 2)
    with pytest.raises(SourceRefused, match="withdrawn already"):
        withdraw_source(source, carol, "Again.")
    restore_source(source, carol)
    with pytest.raises(SourceRefused, match="is not withdrawn"):
        restore_source(source, carol)
    make.make_judgment(campaign, "bob", "2", "D1", 2)


def test_a_machine_whose_grades_judges_see_is_not_withdrawn(
    campaign: Campaign, carol: User, make: Factory
) -> None:
    machine = make.make_machine(campaign, "1 0 D1 3\n")
    change_plan(campaign, shown_machine=machine)
    with pytest.raises(SourceRefused, match="Change the judging plan first"):
        withdraw_source(machine, carol, "A mistake.")
    assert Judgment.objects.filter(judge=machine.user).count() == 1


def test_a_release_plan_no_longer_names_a_withdrawn_machine(
    campaign: Campaign, carol: User, make: Factory
) -> None:
    machine = make.make_machine(campaign, "1 0 D3 3\n")
    release_qrels(campaign, carol, ALL, accepted=True)
    withdraw_source(machine, carol, "A mistake.")
    assert CampaignReads(campaign).release_plan.machines == ()
    assert not release_qrels(campaign, carol).manifest["machines"]


def test_a_newer_file_replaces_the_labels_under_the_same_name(campaign: Campaign, carol: User) -> None:
    first = load_nist(campaign, carol, in_plan=True)
    newer = replace_file(first, carol, b"1 0 D2 3\n", "newer.qrels")
    first.refresh_from_db()
    assert first.withdrawn_at and first.withdrawal_reason == "Replaced by Load 2: newer.qrels."
    assert str(newer.user) == "NIST" and newer.user.username == "tiny/NIST (2)"
    assert newer.user.assignments.exists() and not first.user.assignments.exists()
    assert [record.docno for record in label_records(campaign) if record.judge == "tiny/NIST (2)"] == ["D2"]
    with pytest.raises(BadFile, match="already has labels of NIST"):
        load_nist(campaign, carol)
    with pytest.raises(SourceRefused, match="Another source is called NIST now"):
        restore_source(first, carol)
    assert not faults(campaign)


@pytest.mark.parametrize("lines", [b"1 0 D2 9\n", b"7 0 D2 1\n", b"no qrels\n"])
def test_a_file_that_is_refused_replaces_nothing(campaign: Campaign, carol: User, lines: bytes) -> None:
    source = load_nist(campaign, carol)
    before = figures(campaign)
    with pytest.raises(BadFile):
        replace_file(source, carol, lines, "newer.qrels")
    assert figures(campaign) == before and campaign.loads.count() == 1
    assert not campaign.sources.withdrawn().exists()


def test_a_machine_keeps_what_is_known_of_it_with_a_newer_file(
    campaign: Campaign, carol: User, make: Factory
) -> None:
    machine = make.make_machine(campaign, "1 0 D1 3\n")
    newer = replace_file(machine, carol, b"1 0 D1 5\n", "newer.qrels", {5: 2})
    assert (newer.model, newer.kind, newer.note) == (machine.model, Kind.FILE, machine.note)
    assert newer.load.grades == [[5, 2]] and newer.load.counts == {"labels": 1, "left_out": 0}
    assert campaign.sources.standing().programs().get() == newer


def test_a_pool_made_for_a_file_goes_with_its_labels(campaign: Campaign, carol: User) -> None:
    source = load_nist(campaign, carol, "1 0 D1 0\n1 0 X9 2\n", extend_pool=True)
    assert source.load.pool == Pool.objects.get(number=2)
    withdraw_source(source, carol, "A mistake.")
    assert not Pool.objects.filter(number=2).exists() and not faults(campaign)
    assert Load.objects.get().pool is None
    assert restore_source(source, carol) == 1  # the labels of documents that are pooled


def test_a_pool_that_others_use_stays(campaign: Campaign, carol: User, make: Factory) -> None:
    source = load_nist(campaign, carol, "1 0 X9 2\n", extend_pool=True)
    assign([make.make_user("alice")], campaign.topics.filter(number="1"))
    withdraw_source(source, carol, "A mistake.")
    assert Pool.objects.filter(number=2).exists() and not faults(campaign)


def test_a_pool_in_a_release_stays(campaign: Campaign, carol: User) -> None:
    source = load_nist(campaign, carol, "1 0 X9 2\n", extend_pool=True)
    release_qrels(campaign, carol)
    withdraw_source(source, carol, "A mistake.")
    assert Pool.objects.filter(number=2).exists() and not faults(campaign)


def test_a_source_is_renamed_and_described(campaign: Campaign, carol: User, make: Factory) -> None:
    source, machine = load_nist(campaign, carol), make.make_machine(campaign, "1 0 D1 3\n")
    describe_source(source, carol, "Assessors of NIST", independent="no", note="They saw the runs.")
    source.refresh_from_db()
    assert (str(source.user), source.independent) == ("Assessors of NIST", "no")
    assert "described a source of labels" in campaign.audit_log.values_list("verb", flat=True)
    with pytest.raises(SourceRefused, match="already has a source called Assessors of NIST"):
        describe_source(machine, carol, "Assessors of NIST")
    assert load_nist(campaign, carol).user.username == "tiny/NIST (2)"  # the name is free again


def test_pages_withdraw_replace_and_restore(campaign: Campaign, carol: User, make: Factory) -> None:
    source = load_nist(campaign, carol)
    client = Client()
    client.force_login(carol)
    page = f"/campaigns/tiny/judging/sources/{source.pk}/"
    assert "NIST" in markup(client.get("/campaigns/tiny/judging/sources/"))
    wrong = client.post(f"{page}replace/", {"file": SimpleUploadedFile("newer.qrels", b"1 0 D2 9\n")})
    assert "newer.qrels was refused" in markup(wrong)
    newer = client.post(
        f"{page}replace/", {"file": SimpleUploadedFile("newer.qrels", b"1 0 D2 3\n")}, follow=True
    )
    assert "The newer labels of NIST are stored" in markup(newer)
    page = newer.redirect_chain[-1][0]
    asked = markup(client.post(f"{page}withdraw/", {"reason": "A mistake."}))
    assert "Withdraw 1 label" in asked and campaign.sources.standing().count() == 2
    done = markup(client.post(f"{page}withdraw/", {"reason": "A mistake.", "confirmed": "yes"}, follow=True))
    assert "1 label of NIST is withdrawn." in done and "A mistake." in done
    assert "1 label of NIST count again." in markup(client.post(f"{page}restore/", follow=True))
    assert "The description is saved." in markup(
        client.post(page, {"name": "NIST 2026", "independent": "yes"}, follow=True)
    )
