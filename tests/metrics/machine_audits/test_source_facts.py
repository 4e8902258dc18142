"""The page of a source: what the packages of labellings and audits know of it."""

from __future__ import annotations

from decimal import Decimal

from django.test import Client

from assess.machines.queries.sources import facts_of_labelling
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import SourceFact
from metrics.machine_audits.queries.verdicts import facts_of_audits
from tests.support.factory import Factory
from tests.support.markup import markup


def test_the_page_of_a_machine_judge_leads_to_its_audits_and_to_its_agreement(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    audit = make.make_audit(campaign)
    (fact,) = facts_of_audits(CampaignReads(campaign), audit.machine)
    assert (fact.name, fact.url) == ("Audit 1", "/campaigns/tiny/judging/machines/audits/1/")
    assert fact.text == "no verdict: too few sampled documents have a grade of people"
    client = Client()
    client.force_login(make.make_user("carol"))
    page = markup(client.get(f"/campaigns/tiny/judging/sources/{audit.machine.pk}/"))
    assert f'<a href="{fact.url}">{fact.text}</a>' in page
    assert '/campaigns/tiny/agreement/?machines=on#agreement-judges"' in page and "model-1" in page
    for topic, docno in (("1", "D1"), ("1", "D3"), ("2", "D1")):
        make.make_judgment(campaign, "alice", topic, docno, 1)
    (fact,) = facts_of_audits(CampaignReads(campaign), audit.machine)
    assert fact.text == (
        "Filling holes (labels of programs only where no person labelled): not allowed;"
        " Replacing people (labels of programs count like those of people): not allowed"
    )


def test_the_pages_of_a_machine_judge_without_an_audit_lead_to_one(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    machine = make.make_machine(campaign, "1 0 D1 3\n")
    audits_page, client = "/campaigns/tiny/judging/machines/audits/", Client()
    client.force_login(make.make_user("carol"))
    for page in ("machines/", f"sources/{machine.pk}/"):
        response = client.get(f"/campaigns/tiny/judging/{page}")
        assert f'href="{audits_page}"' in response.content.decode().split("<main")[1]
    make.make_audit(campaign)
    page = client.get("/campaigns/tiny/judging/machines/").content.decode().split("<main")[1]
    assert "Audit by people" not in page


def test_a_labelling_says_its_prompt_and_its_cost(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    labelling, machine = make.make_labelling(campaign), make.make_machine(campaign, "1 0 D1 3\n")
    assert list(facts_of_labelling(CampaignReads(campaign), machine)) == []
    labelling.machine, labelling.input_price = machine, Decimal(3)
    labelling.save()
    labelling.requests.update(input_tokens=1_000_000)
    labelling_page = "/campaigns/tiny/judging/machines/labellings/1/"
    assert list(facts_of_labelling(CampaignReads(campaign), machine)) == [
        SourceFact("Labelling", "Labelling 1: model judge, model-2", labelling_page),
        SourceFact("Prompt", "Prompt 1", "/campaigns/tiny/judging/machines/prompts/1/"),
        SourceFact("Cost of the tokens", "9.00"),
    ]
