"""A release names the sources of every grade, and machines may fill only what people left open."""

from __future__ import annotations

import json
import random
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client

from assess.consensus import ONE_JUDGE, RULES
from assess.models import AdjudicationEvent, JudgmentEvent, MachineJudge, QrelsRelease
from assess.queries.integrity import release_faults
from assess.queries.release_draft import release_preview
from assess.queries.releases import current_cutoff, release_lines
from assess.release.lines import ReleaseCounts
from assess.release.plan import FILL, MACHINE_USES, ReleasePlan
from assess.release.sources import MACHINES
from assess.services.releases import release_qrels
from pooling.models import Campaign, PooledDocument
from tests.support.factory import Factory
from tests.support.markup import markup

ROBOT = ("tiny/robot",)


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Alice and bob grade D1 and bob only D2 of topic 1; the machine grades all but D2 of topic 1."""
    campaign = make.make_pooled_campaign()
    make.make_machine(campaign, "1 0 D1 3\n1 0 D3 2\n2 0 D1 1\n")
    make.make_judgment(campaign, "alice", "1", "D1", 0)
    make.make_judgment(campaign, "bob", "1", "D1", 1)
    make.make_judgment(campaign, "bob", "1", "D2", 1)
    return campaign


def content(release: QrelsRelease, kind: str) -> str:
    with release.files.get(kind=kind).file.open("rb") as file:
        return str(file.read().decode())


def settle(make: Factory, pooled: PooledDocument) -> None:
    AdjudicationEvent.objects.create(uuid=uuid4(), pooled=pooled, relevance=2, by=make.make_user("ada"))


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def test_every_kind_of_machine_is_a_source() -> None:
    assert set(MACHINES) == set(MachineJudge.Kind.values)


def test_a_machine_fills_holes_only_and_every_line_names_its_source(
    campaign: Campaign, make: Factory
) -> None:
    release = release_qrels(
        campaign, make.make_user("carol"), ReleasePlan("maximum", machines=ROBOT, machine_use=FILL)
    )
    assert content(release, "sources") == (
        "topic\tdocno\tgrade\tsource\n"
        "1\tD1\t1\tpeople\n1\tD2\t1\tpeople\n1\tD3\t2\tmachine: file\n2\tD1\t1\tmachine: file\n"
    )
    lines = [json.loads(line) for line in content(release, "provenance").splitlines()]
    assert [line["source"] for line in lines] == [
        ["people"],
        ["people"],
        ["machine: file"],
        ["machine: file"],
    ]
    assert [label["judge"] for label in lines[0]["labels"]] == ["alice", "bob"]
    assert release.manifest["sources"] == {"people": 2, "machine: file": 2}
    assert release.manifest["plan"]["machine_use"] == FILL
    page = markup(client_of(make, "carol").get("/campaigns/tiny/qrels/1/"))
    assert 'machine: file <span class="muted">2</span>' in page and "only where no person labelled" in page
    assert not [fault for faults in release_faults(campaign) for fault in faults]


def test_as_judges_machines_vote_and_are_named_beside_people(campaign: Campaign, make: Factory) -> None:
    release = release_qrels(campaign, make.make_user("carol"), ReleasePlan("maximum", machines=ROBOT))
    assert "1\tD1\t3\tmachine: file; people\n" in content(release, "sources")


def test_a_settled_grade_has_the_source_adjudication(campaign: Campaign, make: Factory) -> None:
    settle(make, make.pooled(campaign, "1", "D1"))
    release = release_qrels(campaign, make.make_user("carol"))
    assert release.manifest["sources"] == {"adjudication": 1, "people": 1}


def test_a_release_from_before_sources_is_derived_again_as_before(campaign: Campaign, make: Factory) -> None:
    release = release_qrels(campaign, make.make_user("carol"), ReleasePlan("maximum", machines=ROBOT))
    del (
        release.parameters["machine_use"],
        release.manifest["plan"]["machine_use"],
        release.manifest["sources"],
    )
    release.save()
    assert not [fault for faults in release_faults(campaign) for fault in faults]
    assert client_of(make, "carol").get("/campaigns/tiny/qrels/1/").status_code == 200


def test_the_preview_of_every_rule_is_the_release(make: Factory) -> None:
    campaign, draw = make.make_pooled_campaign(), random.Random(25)
    places = [("1", "D1"), ("1", "D2"), ("1", "D3"), ("2", "D1")]
    make.make_machine(campaign, "1 0 D1 3\n1 0 D2 2\n1 0 D3 0\n")
    make.make_machine(campaign, "1 0 D1 0\n2 0 D1 3\n", "second")
    for judge, count in (("alice", 2), ("bob", 2)):
        for topic, docno in draw.sample(places, count):
            make.make_judgment(campaign, judge, topic, docno, draw.randint(0, 3))
    JudgmentEvent.objects.filter(judge__username="bob").update(suggested=1)
    settle(make, make.pooled(campaign, "1", "D1"))
    for rule in RULES:
        for use in MACHINE_USES:
            plan = ReleasePlan(
                rule,
                "alice" if rule == ONE_JUDGE else "",
                machines=() if rule == ONE_JUDGE else ("tiny/robot", "tiny/second"),
                machine_use=use,
            )
            counts = ReleaseCounts(campaign.threshold)
            for line in release_lines(campaign, plan, current_cutoff(campaign)):
                counts.add(line)
            preview = release_preview(campaign, plan)
            assert (preview.lines, preview.relevant) == (counts.lines, counts.relevant), (rule, use)
            assert dict(preview.sources) == dict(counts.sources), (rule, use)
            assert dict(preview.unwritten) == dict(counts.unwritten), (rule, use)


def test_the_form_fills_by_default_and_the_command_has_the_option(campaign: Campaign, make: Factory) -> None:
    carol = client_of(make, "carol")
    form = carol.get("/campaigns/tiny/qrels/").context["form"]
    assert form["machine_use"].value() == FILL and form.plan() == ReleasePlan(threshold=2)
    page = markup(
        carol.get("/campaigns/tiny/qrels/", {"rule": "maximum", "machines": ROBOT, "machine_use": FILL})
    )
    assert "Judgments by machine: file" in page
    call_command("release_qrels", "tiny", "--machines", *ROBOT, "--machine-use", FILL, stdout=StringIO())
    assert campaign.releases.get().manifest["sources"] == {"people": 2, "machine: file": 2}


def test_before_machine_labels_are_frozen_the_page_counts_them_and_asks_for_an_audit(
    campaign: Campaign, make: Factory
) -> None:
    carol = client_of(make, "carol")
    form = {"rule": "maximum", "cannot": "leave out", "machines": ROBOT, "machine_use": FILL}
    asked = markup(carol.post("/campaigns/tiny/qrels/", form))
    assert "Judgments by machine: file" in asked
    assert "robot has no audit" in asked
    make.make_audit(campaign)
    assert "has no audit" not in markup(carol.post("/campaigns/tiny/qrels/", form))
