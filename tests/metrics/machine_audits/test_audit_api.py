"""Audits of machine judges by a program: the sample, its judges, and the verdict of the page."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.services import create_token
from assess.models import MachineAudit
from assess.queries.campaign_reads import CampaignReads
from metrics.machine_audits.queries.figures import audit_report
from pooling.models import Campaign
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/audits/"


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


@pytest.fixture
def client(make: Factory) -> Client:
    return Client(headers={"authorization": f"Bearer {create_token(make.make_user('carol'), 'test')}"})


def got(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.content
    return answer.json()


def post(client: Client, path: str = "", key: str = "", **body: Any) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return client.post(f"{HOME}{path}", body, content_type="application/json", headers=headers)


def test_an_audit_is_drawn_judged_and_read(campaign: Campaign, client: Client, make: Factory) -> None:
    machine = make.make_machine(campaign, "1 0 D1 3\n1 0 D2 0\n1 0 D3 0\n2 0 D1 2\n")
    asked: dict[str, Any] = {"machine": machine.pk, "size": 4, "judges": ["alice"], "seed": 7}
    drawn = got(post(client, key="first", **asked), 201)
    assert (drawn["number"], drawn["machine"], drawn["given"]) == (1, "tiny/robot", 4)
    assert (drawn["design"]["sampled"], drawn["design"]["seed"]) == (4, 7)
    assert got(post(client, key="first", **asked), 201)["number"] == 1  # sent again
    assert MachineAudit.objects.count() == 1
    assert [each["number"] for each in got(client.get(HOME))["items"]] == [1]
    early = got(client.get(f"{HOME}1/"))
    assert (early["counts"]["graded"], early["figures"], early["verdict"]) == (0, None, [])
    assert got(post(client, "1/judges/", judges=["bob"], per_document=2)) == {"given": 4}
    assert got(post(client, "1/judges/", judges=["bob"], per_document=2)) == {"given": 0}
    for document in MachineAudit.objects.get().documents.select_related("pooled__topic"):
        pooled = document.pooled
        make.make_judgment(campaign, "alice", pooled.topic.number, pooled.docno, document.machine_grade)
    found = got(client.get(f"{HOME}1/?k=5"))
    assert found["counts"]["graded"] == 4 and found["figures"]["cutoff"] == 5
    report = audit_report(CampaignReads(campaign), MachineAudit.objects.get(), 5)
    assert report and report.verdict
    assert found["verdict"] == [
        {"use": use.name, "answer": use.answer, "reason": reason} for use, _, reason in report.uses
    ]


def test_what_cannot_be_drawn_is_refused(campaign: Campaign, client: Client, make: Factory) -> None:
    machine = make.make_machine(campaign, "1 0 D1 3\n1 0 D2 0\n")
    stranger = post(client, machine=machine.pk, size=2, judges=["dave"])
    assert got(stranger, 422)["errors"][0]["loc"] == ["body", "judges"]
    large = post(client, machine=machine.pk, size=9, judges=["alice"])
    assert got(large, 422)["title"] == "The request was refused"
    unknown = post(client, machine=10**6, size=2, judges=["alice"])
    assert got(unknown, 422)["errors"][0]["loc"] == ["body", "machine"]
    assert not MachineAudit.objects.exists()
