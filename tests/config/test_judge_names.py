"""Readers, participants and visitors of a released campaign find no name of a judge in any answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from assess.models import QrelsRelease
from assess.release.plan import ReleasePlan
from assess.services.releases import release_qrels
from pooling.models import Campaign
from tests.assess.test_independence import by_token, content_of, signed_in, texts_in
from tests.config.test_roles import API, GET
from tests.support.factory import Factory
from tests.support.finished_campaign import refuse
from tests.support.places import place

JUDGES = {"alice": "Pat Lindqvist", "bob": "Sam Sawyer", "tiny/robot": "The Robot"}
ROOT = "/campaigns/tiny"


def build_campaign(make: Factory) -> Campaign:
    """Two people and a machine judged. Release 1 has the grades of one judge, release 2 of all of them."""
    campaign = make.make_pooled_campaign()
    for docno in ("D1", "D2", "D3"):
        make.make_document(campaign, docno, f"The text of {docno}.")
    campaign.runs.update(group="davelab")
    for tag, group in (("second", "otherlab"), ("third", "thirdlab")):
        make.make_run(campaign, "1 D2 2\n2 D1 1", tag=tag, group=group)
    for docno in ("D1", "D2", "D3"):
        make.make_judgment(campaign, "alice", "1", docno, 1)
    make.make_judgment(campaign, "bob", "1", "D1", 3)
    refuse(make, campaign, "bob", "1", "D2")
    make.make_machine(campaign, "1 0 D1 3\n1 0 D2 0\n")
    make.make_vote(make.make_panel(campaign), "alice", "1", "left", "because of the left one")
    make.make_battle_vote(make.make_battles(campaign).battles.all()[0], "left", "because of the left one")
    release_qrels(campaign, make.make_user("carol"), ReleasePlan("one judge", "alice"))
    release_qrels(campaign, make.make_user("carol"))
    Campaign.objects.update(shows_topic_statistics=True)
    for judge, name in JUDGES.items():
        assert User.objects.filter(username=judge).update(name=name)
    return campaign


def addresses(campaign: Campaign) -> Iterator[str]:
    """Yield addresses that the table of roles does not ask for: of every release, and of other states."""
    for release in campaign.releases.all():
        kinds = [stored.kind for stored in release.files.all()]
        for root in (f"{ROOT}/qrels/{release.number}", f"/public/tiny/{release.number}"):
            yield f"{root}/"
            yield from (f"{root}/files/{kind}/" for kind in kinds)
            yield f"{root}/manifest/"
        yield f"{ROOT}/scores/{release.number}/runs/run/"
        yield f"{ROOT}/scores/{release.number}/runs/run/statistics/csv/"
        yield f"{ROOT}/downloads/{release.number}/"
        yield f"{ROOT}/downloads/{release.number}/collection/"
        yield f"/public/tiny/{release.number}/collection/"
    for choice in ("first=alice&second=bob", "first=judge+1&second=judge+2"):
        yield f"{ROOT}/agreement/pairs/?{choice}"
        yield f"{ROOT}/agreement/confusion/?{choice}&topic=1"
    yield f"{ROOT}/qrels/diff/?first=1&second=2"
    yield f"{ROOT}/qrels/diff/tsv/?first=1&second=2"


def answers(campaign: Campaign, make: Factory, person: str) -> Iterator[tuple[str, Any]]:
    client = signed_in(make, person) if person else Client()
    for route in GET:
        if not route.startswith(("api:", "admin:")):
            yield route, client.get(place(route, campaign, make))
    for address in addresses(campaign):
        yield address, client.get(address)
    token = by_token(make, person) if person else Client()
    for method, route in API:
        if method == "get":
            yield route, token.get(place(route, campaign, make))
    for release in campaign.releases.all():
        root = f"/api/campaigns/tiny/releases/{release.number}"
        yield root, token.get(f"{root}/")
        for stored in release.files.all():
            yield f"{root} {stored.kind}", token.get(f"{root}/files/{stored.kind}/")


@pytest.mark.parametrize(
    ("person", "state"), [("rita", "shared"), ("dave", "shared"), ("dave", "public"), ("", "public")]
)
def test_no_answer_has_the_name_of_a_judge(
    campaign: Campaign, make: Factory, person: str, state: str
) -> None:
    QrelsRelease.objects.update(state=state)
    name = re.compile("|".join(rf"\b{re.escape(each)}\b" for pair in JUDGES.items() for each in pair))
    seen = 0
    for address, response in answers(campaign, make, person):
        seen += response.status_code == 200
        for file, text in texts_in(content_of(response), address):
            text = text.replace("first=alice&amp;second=bob", "")  # what the test itself asked for
            found = name.search(text)
            assert not found, f"{address} {file}: {text[max(0, found.start() - 80) : found.end() + 40]}"
    assert seen > (60 if person else 20)
