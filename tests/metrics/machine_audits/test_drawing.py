"""Audits of machine judges: the sample by design, and people who judge it without knowing."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from assess.models import Assignment, AuditedDocument, JudgmentEvent, MachineAudit, QueueEntry
from assess.no_grade import NoGrade
from assess.queries.campaign_reads import CampaignReads
from assess.queries.independence import hidden_keys
from assess.queries.judge_progress import my_topics
from assess.queries.progress import progress_grid
from assess.services.assignments import assign, move_topic, unassign_topic
from assess.services.gold import load_gold
from assess.services.plans import change_plan
from metrics.machine_audits.queries.samples import (
    SamplePlan,
    audited_sample,
    draft_sample,
    drawn_strata,
    population_of,
)
from metrics.machine_audits.services import draw_audit, give_sample
from pooling.campaign_states import StateRefused
from pooling.models import Campaign
from pooling.refusals import Refused
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/judging/machines/audits/"
MACHINE_LABELS = "".join(f"1 0 D{rank:02} {rank % 4 if rank < 20 else 0}\n" for rank in range(40))


def build_campaign(make: Factory) -> Campaign:
    """Forty pooled documents, all labelled by the machine zebra: 25, 5, 5, 5 of the grades 0 to 3."""
    campaign = make.make_forty()
    make.make_machine(campaign, MACHINE_LABELS, "zebra")
    return campaign


def plan(campaign: Campaign, size: int = 20, **changed: Any) -> SamplePlan:
    return SamplePlan(campaign.sources.programs().get(), size, seed=5)._replace(**changed)


def draw(campaign: Campaign, make: Factory, judges: str = "alice", **changed: Any) -> MachineAudit:
    people = [make.make_user(name) for name in judges.split()]
    return draw_audit(campaign, make.make_user("carol"), plan(campaign, **changed), people).audit


def queue(name: str) -> list[str]:
    entries = QueueEntry.objects.filter(judge__username=name, state=QueueEntry.State.OPEN)
    return list(entries.values_list("pooled__docno", flat=True))


def sampled(audit: MachineAudit) -> list[str]:
    return sorted(audit.documents.values_list("pooled__docno", flat=True))


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def test_a_sample_has_the_probability_of_its_stratum_and_is_drawn_again_from_its_seed(
    campaign: Campaign, make: Factory
) -> None:
    audit = draw(campaign, make)
    strata = drawn_strata(audit)
    assert [(each.documents, each.grade) for each in strata] == [(25, 0), (5, 1), (5, 2), (5, 3)]
    assert sum(each.sampled for each in strata) == 20 == audit.documents.count()
    drawn = Counter(audit.documents.values_list("stratum", flat=True))
    assert [drawn[place] for place in range(4)] == [each.sampled for each in strata]
    for document in audit.documents.all():
        stratum = strata[document.stratum]
        assert document.probability == stratum.sampled / stratum.documents
        assert document.machine_grade == stratum.grade
    again = draft_sample(CampaignReads(campaign), plan(campaign))
    assert sorted(again.pooled) == sorted(audit.documents.values_list("pooled", flat=True))
    other = draft_sample(CampaignReads(campaign), plan(campaign, seed=6))
    assert sorted(other.pooled) != sorted(again.pooled)


def test_gold_and_training_documents_are_in_no_sample(make: Factory) -> None:
    campaign = make.make_forty()
    load_gold(campaign, make.make_user("carol"), "training", b"1 D00 0\n1 D01 1\n")
    make.make_machine(campaign, MACHINE_LABELS, "zebra")
    found = population_of(CampaignReads(campaign), campaign.sources.programs().get())
    assert found.size == 38 and not {b"D00", b"D01"} & set(found.documents.docno.tolist())


def test_strata_by_run_group_and_samples_that_are_not_possible(campaign: Campaign, make: Factory) -> None:
    make.make_run(campaign, "\n".join(f"1 D{rank:02} {100 - rank}" for rank in range(40)), "gpt", "lab")
    draft = draft_sample(CampaignReads(campaign), plan(campaign, size=16, group="lab", depth=10))
    inside = [each for each in draft.strata if each.retrieved]
    assert sum(each.documents for each in inside) == 10 and len(draft.strata) == 8
    for size in (3, 41):
        with pytest.raises(Refused):
            draft_sample(CampaignReads(campaign), plan(campaign, size=size))
    audit = draw(campaign, make)
    with pytest.raises(Refused, match="Neyman"):
        draft_sample(CampaignReads(campaign), plan(campaign, earlier=audit))


def test_a_closed_campaign_draws_nothing(campaign: Campaign, make: Factory) -> None:
    campaign.state = Campaign.State.CLOSED
    campaign.save()
    with pytest.raises(StateRefused):
        draw(campaign, make)
    assert not MachineAudit.objects.exists()


def test_two_judges_share_the_sample_and_a_label_that_exists_is_not_asked_for_again(
    campaign: Campaign, make: Factory
) -> None:
    alice, topic = make.make_user("alice"), campaign.topics.get()
    assign([alice], [topic])
    docno = draft_sample(CampaignReads(campaign), plan(campaign)).population.documents.docno
    first = docno[draft_sample(CampaignReads(campaign), plan(campaign)).chosen[0]].decode()
    make.make_judgment(campaign, "alice", "1", first, 3)
    audit = draw(campaign, make, "bob ada")
    assert len(queue("bob")) + len(queue("ada")) == 19 and first not in queue("bob") + queue("ada")
    assert abs(len(queue("bob")) - len(queue("ada"))) <= 1
    assert set(queue("alice")) == {f"D{rank:02}" for rank in range(40)} - {first}  # unchanged
    sample = audited_sample(CampaignReads(audit.campaign), audit)
    assert sample.graded.sum() == 1 and sample.human[sample.graded].tolist() == [3]
    assert give_sample(audit, [alice], 1) == 0  # the others are open already
    unassign_topic(topic, make.make_user("bob"))
    assert give_sample(audit, [alice], 1) == len(sampled(audit)) - 1 - len(queue("ada"))


def test_the_sample_comes_before_what_waits_already(campaign: Campaign, make: Factory) -> None:
    topic, alice = campaign.topics.get(), make.make_user("alice")
    assign([alice], [topic])
    before = queue("alice")
    QueueEntry.objects.filter(judge=alice, pooled__docno=before[0]).update(postponed=1, place=100)
    audit = draw(campaign, make)
    waiting, sample = before[1:], set(sampled(audit))
    first = [docno for docno in waiting if docno in sample]
    assert queue("alice") == [*first, *(docno for docno in waiting if docno not in sample), before[0]]


def test_a_sample_that_was_taken_back_does_not_return_with_the_next_audit(
    campaign: Campaign, make: Factory
) -> None:
    topic, alice, bob = campaign.topics.get(), make.make_user("alice"), make.make_user("bob")
    assign([alice], [topic])
    first = draw(campaign, make)
    unassign_topic(topic, alice)
    give_sample(first, [bob], 1)
    assert sorted(queue("bob")) == sampled(first) and queue("alice") == []
    for docno in queue("bob"):
        make.make_judgment(campaign, "bob", "1", docno, 1)
    second = draw(campaign, make, size=40)
    assert set(queue("alice")) == set(sampled(second)) - set(sampled(first))


def test_labels_count_only_if_no_grade_of_a_machine_was_on_screen(campaign: Campaign, make: Factory) -> None:
    audit = draw(campaign, make)
    first, second = queue("alice")[:2]
    make.make_judgment(campaign, "alice", "1", first, 2)
    event = make.make_judgment(campaign, "alice", "1", second, 1).event
    JudgmentEvent.objects.filter(pk=event.pk).update(suggested=1)
    sample = audited_sample(CampaignReads(audit.campaign), audit)
    assert sorted(sample.human.tolist()) == [NoGrade.MISSING] * 19 + [2]
    assert give_sample(audit, [make.make_user("bob")], 1) == 1  # another judge gets the second


def test_the_assignment_of_a_sample_is_no_assignment_of_the_topic(campaign: Campaign, make: Factory) -> None:
    audit, topic = draw(campaign, make), campaign.topics.get()
    alice, bob = make.make_user("alice"), make.make_user("bob")
    assert sorted(queue("alice")) == sampled(audit)
    assert Assignment.objects.get().part == Assignment.Part.AUDIT
    row = progress_grid(CampaignReads(campaign)).rows[0]
    assert (row.unassigned, row.cells[0].left if row.cells[0] else 0) == (20, 20)
    change_plan(campaign, overlap_share=50)
    change_plan(campaign, seed=8)  # rebuilds the queues
    assert sorted(queue("alice")) == sampled(audit)
    make.make_judgment(campaign, "alice", "1", queue("alice")[0], 0)
    assert move_topic(topic, alice, bob) == 19 == len(queue("bob"))
    assert Assignment.objects.get().part == Assignment.Part.AUDIT and not queue("alice")
    assert assign([bob], [topic]) == 1 and len(queue("bob")) == 40


def test_judges_who_share_a_topic_get_their_sample_and_share_the_rest(
    campaign: Campaign, make: Factory
) -> None:
    people = [make.make_user(name) for name in ("alice", "bob")]
    assign(people, campaign.topics.all(), Assignment.Part.SHARED)
    audit = draw(campaign, make)
    assert sorted(queue("alice")) == sampled(audit)
    bob = make.make_user("bob")
    hidden = set(audit.documents.filter(pooled__in=hidden_keys(bob, campaign)))
    assert not hidden and len(hidden_keys(bob, campaign)) == 20


def test_no_judge_sees_that_a_document_is_sampled_or_what_the_machine_gave(
    campaign: Campaign, make: Factory
) -> None:
    draw(campaign, make)
    alice = client_of(make, "alice")
    entry = QueueEntry.objects.filter(judge__username="alice").first()
    assert entry is not None
    places = ("topics/", "topics/1/", "judge/", "judge/topics/1/", f"judge/{entry.pk}/", "my-labels/")
    api = ("/api/v1/campaigns/tiny/judging/", "/api/v1/campaigns/tiny/judging/topics/1/")
    for place in (*(f"/campaigns/tiny/{place}" for place in places), *api):
        response = alice.get(place, follow=True)
        assert not re.search("audit|zebra|sample", markup(response).replace("audit-log", ""), re.IGNORECASE)
    assert my_topics(make.make_user("alice"), CampaignReads(campaign))[0].parts == [Assignment.Part.SECOND]
    assign([make.make_user("alice")], campaign.topics.all())
    assert my_topics(make.make_user("alice"), CampaignReads(campaign))[0].parts == [Assignment.Part.PRIMARY]
    for name, status in (("alice", 403), ("ada", 403), ("mallory", 404)):
        assert client_of(make, name).get(PAGE).status_code == status


def test_the_form_proposes_no_more_documents_than_there_are(campaign: Campaign, make: Factory) -> None:
    page = markup(client_of(make, "carol").get(PAGE))
    size = re.search(r'<input type="number" name="size" value="(\d+)"', page)
    assert size and size[1] == "40"
    assert page.count("a verdict needs 100") == 1 and "A verdict needs 100 documents with a grade" in page


def test_the_page_asks_with_the_cost_and_then_draws(campaign: Campaign, make: Factory) -> None:
    carol = client_of(make, "carol")
    machine, people = campaign.sources.programs().get(), User.objects.filter(username__in=("alice", "bob"))
    posted = {
        "machine": machine.pk, "size": "20", "depth": "10", "seed": "5", "per_document": "2",
        "judges": [person.pk for person in people],
    }  # fmt: skip
    page = markup(carol.get(PAGE))
    assert "No audits yet" in page and "zebra" in page
    asked = markup(carol.post(PAGE, posted))
    assert "Draw 20 documents, 40 labels" in asked and "40 by 2 judges" in asked
    assert "0 of 20; the audit uses these labels" in asked
    assert "20 of these documents have no text" in asked
    assert not MachineAudit.objects.exists()
    assert carol.post(PAGE, posted | {"confirmed": "yes"}).status_code == 302
    assert AuditedDocument.objects.count() == 20 and sorted(queue("alice")) == sorted(queue("bob"))
    assert "drew an audit" in campaign.audit_log.values_list("verb", flat=True)
    assert "expected from 8 to 40 documents" in markup(carol.post(PAGE, posted | {"size": "99"}))


def test_the_confirmation_names_the_size_that_is_enough_and_keeps_the_form(
    campaign: Campaign, make: Factory
) -> None:
    carol, alice = client_of(make, "carol"), make.make_user("alice")
    for group, ranks in (("Graz", range(6)), ("Oslo", range(34))):
        make.make_run(campaign, "".join(f"1 D{rank:02} {40 - rank}\n" for rank in ranks), group, group)
    machine = campaign.sources.programs().get()
    posted = {"machine": machine.pk, "size": "12", "depth": "7", "seed": "5", "per_document": "2"}
    asked = markup(carol.post(PAGE, posted | {"judges": [alice.pk]}))
    assert "Fewer than 5 documents from grade 1, grade 2, grade 3" in asked
    assert "A sample of 37 documents is enough" in asked
    assert "too few documents to test for bias" in asked and "Only a sample of all 40 documents" in asked
    back = re.search(r'href="([^"]+)#draw"[^>]*>\s*Cancel', asked)
    assert back
    form = carol.get(back[1].replace("&amp;", "&")).context["form"]
    values = {name: str(form[name].value()) for name in ("machine", "size", "depth", "seed", "per_document")}
    assert values == {name: str(value) for name, value in posted.items()}
    assert form["judges"].value() == [str(alice.pk)]
