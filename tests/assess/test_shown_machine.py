"""The grade of a machine on screen: only where the organiser says so, never where judges must be blind."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from assess.kappa.label_file import parse_labels
from assess.models import (
    AuditedDocument,
    JudgingPlan,
    JudgmentEvent,
    MachineAudit,
    Probe,
    QueueEntry,
    Source,
)
from assess.queries.agreement import agreement_scope, overall_agreement
from assess.queries.agreement_pairs import PairRows
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judging import cards_of
from assess.queries.labels import label_records
from assess.queries.queues import judging_plan_of
from assess.services.campaigns import clone_campaign
from assess.services.judging import LabelRefused, SubmittedJudgment, record_judgment
from assess.services.plans import GradesNotShown, change_plan
from assess.services.releases import release_qrels
from assess.views.agreement_files import label_lines
from metrics.machine_audits.services import give_sample
from pooling.models import Campaign
from pooling.refusals import Refused
from tests.support.factory import Factory
from tests.support.markup import markup

PLAN = "/campaigns/tiny/judging/plan/"
ON_SCREEN = "Machine: <span>grade"


def build_campaign(make: Factory) -> Campaign:
    """The grades of robot are shown: it labelled all documents but D1 of topic 2."""
    campaign = make.make_pooled_campaign()
    machine = make.make_machine(campaign, "1 0 D1 3\n1 0 D2 0\n1 0 D3 1\n")
    change_plan(campaign, make.make_user("carol"), shown_machine=machine)
    return campaign


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def press(make: Factory, campaign: Campaign, judge: str, docno: str, grade: int, **own: Any) -> JudgmentEvent:
    entry = make.entry(Campaign.objects.get(pk=campaign.pk), judge, "1", docno)
    (card,) = cards_of([entry])
    values = {"suggestion": card.suggestion} | own
    return record_judgment(entry, SubmittedJudgment(uuid.uuid4(), docno, card.text_hash, grade, **values))


def test_the_card_shows_the_grade_and_the_event_stores_it(campaign: Campaign, make: Factory) -> None:
    entry = make.entry(campaign, "alice", "1", "D1")
    alice = client_of(make, "alice")
    page = markup(alice.get(f"/campaigns/tiny/judge/{entry.pk}/"))
    assert ON_SCREEN in page and campaign.grades[3].label in page
    sent = {
        "uuid": str(uuid.uuid4()), "docno": "D1", "text_hash": re.findall(r'text-hash="(\w+)"', page)[0],
        "suggestion": re.findall(r'data-suggestion="([^"]+)"', page)[0], "relevance": "2", "source": "key",
    }  # fmt: skip
    assert alice.post(f"/campaigns/tiny/judge/{entry.pk}/", sent).status_code == 302
    event = JudgmentEvent.objects.get(uuid=sent["uuid"])
    assert (event.relevance, event.suggested) == (2, 3)


def test_gold_training_repeats_and_audited_documents_stay_blind(campaign: Campaign, make: Factory) -> None:
    alice = make.make_user("alice")
    entries = [make.entry(campaign, "alice", "1", docno) for docno in ("D1", "D2", "D3")]
    Probe.objects.create(pooled=entries[0].pooled, kind="gold", relevance=3)
    machine = Source.objects.get()
    audit = MachineAudit.objects.create(
        campaign=campaign, machine=machine, number=1, design={}, created_by=alice
    )
    AuditedDocument.objects.create(
        audit=audit, pooled=entries[1].pooled, stratum=0, machine_grade=0, probability=1
    )
    repeat = QueueEntry(judge=alice, topic=entries[2].topic, pooled=entries[2].pooled, kind="repeat", place=9)
    assert [card.suggested for card in cards_of([*entries, repeat])] == [None, None, 1, None]
    unlabelled = make.entry(campaign, "alice", "2", "D1")
    assert cards_of([unlabelled])[0].suggestion == ""


def test_a_label_keeps_what_its_card_showed_and_a_forged_grade_is_refused(
    campaign: Campaign, make: Factory
) -> None:
    entry = make.entry(campaign, "alice", "1", "D2")
    (card,) = cards_of([entry])
    change_plan(campaign, shown_machine=None)
    assert press(make, campaign, "alice", "D1", 1).suggested is None
    assert press(make, campaign, "alice", "D2", 1, suggestion=card.suggestion).suggested == 0
    for forged in (card.suggestion.replace(":0:", ":3:"), "3", card.suggestion):
        with pytest.raises(LabelRefused, match="not of this document"):
            press(make, campaign, "alice", "D3", 1, suggestion=forged)


def test_such_labels_are_marked_everywhere_and_left_out_of_comparisons_with_machines(
    campaign: Campaign, make: Factory
) -> None:
    press(make, campaign, "alice", "D1", 3)
    press(make, campaign, "bob", "D1", 3)
    press(make, campaign, "alice", "D2", 1, suggestion="")
    press(make, campaign, "bob", "D2", 0, suggestion="")
    assert {(r.docno, r.suggested) for r in label_records(campaign) if r.judge == "alice"} == {
        ("D1", 3), ("D2", None),
    }  # fmt: skip
    content = "".join(label_lines(campaign, frozenset()))
    first = "1\tD1\talice\t3\tpeople who saw a machine's grade\t3\t\t\n"
    assert content.partition("\n")[2].startswith(first)
    assert len(parse_labels(content.encode()).records) == 4
    scope = agreement_scope(CampaignReads(campaign))
    assert {(row.first, row.second, row.n) for row in PairRows(scope)} == {
        ("alice", "bob", 2), ("alice", "tiny/robot", 1), ("bob", "tiny/robot", 1),
    }  # fmt: skip
    assert overall_agreement(scope).several == 2
    page = markup(client_of(make, "carol").get("/campaigns/tiny/agreement/"))
    assert "2 of people's labels were given with a machine's grade on screen" in page
    release = release_qrels(campaign, make.make_user("carol"))
    assert release.manifest["sources"] == {"people who saw a machine's grade": 1, "people": 1}


def plan_values(organiser: Client, machine: Source) -> dict[str, Any]:
    """Return what the form of the plan sends if this machine judge is chosen for the screen."""
    form = organiser.get(PLAN).context["form"]
    values = {field.name: field.value() for field in form}
    values = {name: value for name, value in values.items() if value is not None and value is not False}
    return values | {"shown_machine": machine.pk}


def test_switching_on_asks_and_is_logged(campaign: Campaign, make: Factory) -> None:
    change_plan(campaign, shown_machine=None)
    carol, machine = client_of(make, "carol"), Source.objects.get()
    values = plan_values(carol, machine)
    page = markup(carol.post(PLAN, values))
    assert "are not independent of it" in page and "Show the grades of robot" in page
    assert judging_plan_of(Campaign.objects.get()).shown_machine is None
    assert carol.post(PLAN, values | {"confirmed": "yes"}).status_code == 302
    assert judging_plan_of(Campaign.objects.get()).shown_machine == machine
    last = campaign.audit_log.first()
    assert last and last.details["shown_machine"] == {"was": None, "is": "tiny/robot"}
    assert carol.post(PLAN, values).status_code == 302  # no change: nothing to ask


def test_a_clone_shows_no_machine_of_another_campaign(campaign: Campaign, make: Factory) -> None:
    clone = clone_campaign(campaign, make.make_user("carol"), "Clone", "clone", {"plan"})
    assert judging_plan_of(clone).shown_machine is None


def test_grades_are_not_shown_while_people_judge_an_audit(campaign: Campaign, make: Factory) -> None:
    change_plan(campaign, shown_machine=None)
    machine = Source.objects.get()
    make.make_audit(campaign, "alice")
    for docno in ("D1", "D2"):
        make.make_judgment(campaign, "alice", "1", docno, 1)
    carol = client_of(make, "carol")
    assert "still to judge" in markup(carol.post(PLAN, plan_values(carol, machine)))
    with pytest.raises(CommandError, match="--shown-machine: Audit 1 of robot has sampled documents"):
        call_command("plan_judging", "tiny", "--shown-machine", "tiny/robot")
    with pytest.raises(GradesNotShown):
        change_plan(campaign, shown_machine=machine)
    change_plan(campaign, highlighting=False)
    make.make_judgment(campaign, "bob", "1", "D3", 1)
    with pytest.raises(GradesNotShown):  # alice, to whom it was given, has it open
        change_plan(campaign, shown_machine=machine)
    make.make_judgment(campaign, "alice", "1", "D3", 1)
    change_plan(campaign, shown_machine=machine)


def test_no_audit_is_drawn_while_grades_are_on_screen(campaign: Campaign, make: Factory) -> None:
    carol, machine = client_of(make, "carol"), Source.objects.get()
    posted = {"machine": machine.pk, "size": 3, "depth": 10, "seed": 5, "per_document": 1}
    posted["judges"] = make.make_user("alice").pk
    page = markup(carol.post("/campaigns/tiny/judging/machines/audits/", posted))
    assert "Switch off “Machine grade on screen” in the plan first." in page
    with pytest.raises(Refused, match="would recognise sampled documents"):
        make.make_audit(campaign)
    assert not MachineAudit.objects.exists()
    change_plan(campaign, shown_machine=None)
    audit = make.make_audit(campaign)
    JudgingPlan.objects.update(shown_machine=machine)  # as a campaign of an earlier version
    make.make_judgment(campaign, "alice", "1", "D1", 1)
    with pytest.raises(Refused, match="would recognise sampled documents"):
        give_sample(audit, [make.make_user("bob")], 2)
