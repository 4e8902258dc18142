"""The navigation tells each person only figures of what they may see."""

from __future__ import annotations

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.factory import Factory
from tests.support.markup import markup


def runs_told(make: Factory, name: str) -> str:
    client = Client()
    client.force_login(make.make_user(name))
    page = markup(client.get("/campaigns/tiny/runs/"))
    return page.split(">Runs<span>")[1].split("<")[0]


def test_a_participant_is_told_how_many_runs_their_group_has_and_no_more(make: Factory) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    make.make_run(campaign, "1 D1 1", tag="theirs", group="harbour")
    make.make_run(campaign, "1 D1 1", tag="others", group="mill")
    assert (runs_told(make, "carol"), runs_told(make, "rita")) == ("2", "2")
    assert runs_told(make, "dave") == "none yet"
    make.make_run(campaign, "1 D1 1", tag="mine", group="davelab")
    assert (runs_told(make, "carol"), runs_told(make, "dave")) == ("3", "1")


def test_the_newest_release_is_read_once_and_only_its_number(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    for _ in range(2):
        make.make_release(campaign)
    client = Client()
    client.force_login(make.make_user("carol"))
    with CaptureQueriesContext(connection) as asked:
        page = markup(client.get("/campaigns/tiny/topics/"))
    read = [query["sql"] for query in asked if "assess_qrelsrelease" in query["sql"]]
    assert len(read) == 1 and "manifest" not in read[0]
    assert ">Qrels<span>v2<" in page and ">Scores<span>available<" in page
