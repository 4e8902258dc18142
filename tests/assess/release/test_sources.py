"""A release names the sources of every grade, and machines may fill only what people left open."""

from __future__ import annotations

import json
import random
import re
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.services import create_token
from assess.consensus import ONE_JUDGE, RULES
from assess.models import AdjudicationEvent, JudgmentEvent, QrelsRelease, Source
from assess.queries.campaign_reads import CampaignReads
from assess.queries.integrity import release_faults
from assess.queries.release_draft import release_preview
from assess.queries.releases import current_cutoff, release_lines
from assess.queries.sources import releases_with
from assess.release.lines import ReleaseCounts
from assess.release.plan import FILL, MACHINE_USES, ReleasePlan
from assess.release.sources import MACHINES
from assess.services.releases import release_qrels
from pooling.models import Campaign, PooledDocument
from tests.metrics.machine_audits.test_verdict import of_confusion
from tests.support.factory import Factory
from tests.support.markup import markup

ROBOT = ("tiny/robot",)


def build_campaign(make: Factory) -> Campaign:
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
    assert set(MACHINES) == set(Source.PROGRAMS)


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
    said = "On 1 topic, every relevant document has its grade from programs alone: 1."
    answer = client_of(make, "carol").get("/campaigns/tiny/scores/1/topics/?by=programs")
    scores = markup(answer)
    assert [(line.topic.number, line.judged, line.by_programs) for line in answer.context["lines"]] == [
        ("1", 3, 1),
        ("2", 1, 1),
    ]
    assert ">By programs</a>" in scores
    robot = campaign.sources.programs().get()
    assert releases_with(robot) == [release]
    assert said in " ".join(page.split()) and said in " ".join(scores.split())
    assert 'programs (files) <span class="muted">2</span>' in page and "only where no person labelled" in page
    assert not [fault for faults in release_faults(campaign) for fault in faults]


def test_who_cancels_the_confirmation_finds_the_form_as_it_was(campaign: Campaign, make: Factory) -> None:
    carol = client_of(make, "carol")
    form = carol.get("/campaigns/tiny/qrels/").context["form"]
    values = {
        "rule": "maximum",
        "machines": "tiny/robot",
        "machine_use": FILL,
        "cannot": form["cannot"].value(),
    }
    asked = markup(carol.post("/campaigns/tiny/qrels/", values | {"after": "0"}))
    back = re.search(r'href="([^"]+)#next"[^>]*>\s*Cancel', asked)
    assert back and "Judgments by programs" in asked
    form = carol.get(back[1].replace("&amp;", "&")).context["form"]
    assert form.plan() == ReleasePlan("maximum", machines=ROBOT, machine_use=FILL)


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
            for line in release_lines(CampaignReads(campaign), plan, current_cutoff(campaign)):
                counts.add(line)
            preview = release_preview(CampaignReads(campaign), plan)
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
    assert "Judgments by programs (files)" in page
    assert "Filling holes by robot" in page and "only where no person labelled" in page
    call_command("release_qrels", "tiny", "--machines", *ROBOT, "--machine-use", FILL, stdout=StringIO())
    assert campaign.releases.get().manifest["sources"] == {"people": 2, "machine: file": 2}


def test_before_machine_labels_are_frozen_the_page_counts_them_and_asks_for_an_audit(
    campaign: Campaign, make: Factory
) -> None:
    carol = client_of(make, "carol")
    form = {"rule": "maximum", "cannot": "leave out", "machines": ROBOT, "machine_use": FILL}
    asked = markup(carol.post("/campaigns/tiny/qrels/", form))
    assert "Judgments by programs (files)" in asked
    assert "robot has no audit" in asked and "Filling holes by robot" in asked
    make.make_audit(campaign)
    asked = markup(carol.post("/campaigns/tiny/qrels/", form))
    assert "has no audit" not in asked and "Audit 1 of robot. Filling holes: not known yet" in asked
    asked = markup(carol.post("/campaigns/tiny/qrels/", form | {"machine_use": "as judges"}))
    assert "Replacing people: not known yet" in asked


def test_labels_that_no_audit_allows_are_frozen_only_if_the_organiser_accepts_it(
    campaign: Campaign, make: Factory
) -> None:
    carol = client_of(make, "carol")
    form = {"rule": "maximum", "machines": ROBOT, "machine_use": FILL, "confirmed": "yes"}
    assert 'name="accept_verdict"' in markup(carol.post("/campaigns/tiny/qrels/", form))
    assert not campaign.releases.exists()
    carol.post("/campaigns/tiny/qrels/", form | {"accept_verdict": "yes"})
    release, said = (
        campaign.releases.get(),
        "2 machine labels (model-1) in 4 judgments, only where no person labelled; ",
    )
    said += "no audit by people has checked them."
    (machine,) = release.manifest["machines"]
    assert machine["accepted"] and (machine["verdict"], machine["audit"]) == ("no audit", None)
    assert said in content(release, "citation")
    for place in ("qrels/1/audience/public/", "scores/1/", "qrels/1/"):
        assert said in " ".join(markup(carol.get(f"/campaigns/tiny/{place}")).split()), place
    entry = campaign.audit_log.get(verb="released qrels")
    assert said in entry.sentence and entry.details["accepted_verdict"] is True


def test_what_an_audit_allows_needs_no_further_word(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.make_audit(campaign)
    found = of_confusion([[1480, 20], [20, 480]])
    monkeypatch.setattr("metrics.machine_audits.queries.verdicts._verdict_of", lambda reads, audit: found)
    carol = client_of(make, "carol")
    form = {"rule": "maximum", "machines": ROBOT, "machine_use": FILL}
    asked = markup(carol.post("/campaigns/tiny/qrels/", form))
    assert "accept_verdict" not in asked and "<dd>allowed " in asked
    carol.post("/campaigns/tiny/qrels/", form | {"confirmed": "yes"})
    release = campaign.releases.get()
    (said,) = release.machine_sentences
    assert said.endswith("in 4 judgments, only where no person labelled; an audit by people allows this use.")
    assert release.manifest["machines"][0]["accepted"] is False


def test_people_alone_are_frozen_without_a_word_of_audits(campaign: Campaign, make: Factory) -> None:
    form = {"rule": "maximum", "confirmed": "yes"}
    client_of(make, "carol").post("/campaigns/tiny/qrels/", form)
    assert campaign.releases.get().machine_sentences == []


def test_the_api_needs_the_same_word(campaign: Campaign, make: Factory) -> None:
    token = create_token(make.make_user("carol"), "notebook")
    carol = Client(headers={"authorization": f"Bearer {token}"})
    body = {"rule": "maximum", "machines": ROBOT, "machine_use": FILL}
    place = "/api/campaigns/tiny/releases/"
    refused = carol.post(place, body, content_type="application/json")
    assert refused.status_code == 422 and "robot has no audit" in refused.content.decode()
    accepted = carol.post(place, body | {"accept_verdict": True}, content_type="application/json")
    assert accepted.status_code == 201
