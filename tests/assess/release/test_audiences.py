"""Who sees a release: internal, shared, public, withdrawn; every step asks and is logged."""

from __future__ import annotations

import io
import zipfile
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.services import create_token
from assess.models import QrelsRelease
from assess.queries.campaign_reads import CampaignReads
from assess.queries.campaigns import next_step
from assess.queries.progress import progress_grid
from assess.release.plan import ReleasePlan
from assess.services.assignments import assign
from assess.services.audiences import AudienceRefused, change_audience, withdraw_release
from assess.services.releases import release_qrels
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

QRELS, SCORES = "/campaigns/tiny/qrels/", "/campaigns/tiny/scores/"
PLACES = [
    f"{QRELS}1/", f"{QRELS}1/file/", f"{QRELS}1/manifest/", f"{QRELS}1/files/labels-numbered/", f"{SCORES}1/",
    f"{SCORES}1/csv/", f"{SCORES}1/topics/", f"{SCORES}1/compare/", f"{SCORES}1/significance/",
    "/campaigns/tiny/downloads/1/", "/campaigns/tiny/downloads/1/collection/",
    "/api/campaigns/tiny/releases/1/", "/api/campaigns/tiny/releases/1/scores/",
    "/api/campaigns/tiny/releases/1/files/qrels/",
]  # fmt: skip


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "bob", "1", "D1", 1)
    return campaign


@pytest.fixture
def release(campaign: Campaign, make: Factory) -> QrelsRelease:
    return release_qrels(campaign, make.make_user("carol"))


def client_of(make: Factory, name: str) -> Client:
    user = make.make_user(name)
    client = Client(headers={"Authorization": f"Bearer {create_token(user, 'test')}"})
    client.force_login(user)
    return client


def statuses(client: Client) -> set[int]:
    found = set()
    for place in PLACES:
        answer = client.get(place)
        list(answer)  # a download is read to its end, which closes its file
        found.add(answer.status_code)
    return found


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("internal", {"carol": {200}, "ada": {200}, "rita": {404}, "dave": {404}, "mallory": {404}}),
        ("shared", {"rita": {200}, "dave": {200}, "mallory": {404}}),
        ("public", {"rita": {200}, "dave": {200}, "mallory": {404}}),
    ],
)
def test_a_release_is_seen_by_its_audience(
    release: QrelsRelease, make: Factory, state: str, expected: dict[str, set[int]]
) -> None:
    QrelsRelease.objects.update(state=state)
    assert {name: statuses(client_of(make, name)) for name in expected} == expected
    assert Client().get("/public/tiny/1/").status_code == (200 if state == "public" else 404)


def test_lists_navigation_and_the_default_follow_the_audience(release: QrelsRelease, make: Factory) -> None:
    dave = client_of(make, "dave")
    page = markup(dave.get(QRELS))
    assert "No releases yet" in page and "Qrels v1" not in page
    assert dave.get("/api/campaigns/tiny/releases/").json()["items"] == []
    assert "No scores yet" in markup(dave.get(SCORES))
    change_audience(release, "shared", None)
    assert "Qrels v1" in markup(dave.get(QRELS))
    (item,) = dave.get("/api/campaigns/tiny/releases/").json()["items"]
    assert item["state"] == "shared" and item["shared_at"] and not item["withdrawn_at"]


def test_sharing_asks_says_who_will_see_what_and_is_logged(
    campaign: Campaign, release: QrelsRelease, make: Factory
) -> None:
    carol, place = client_of(make, "carol"), f"{QRELS}1/audience/shared/"
    page = markup(carol.get(place))
    assert "1 participant and 1 reader will see qrels v1 with 1 judgment" in page
    assert ">Share qrels v1</button>" in page
    carol.post(place, {})
    release.refresh_from_db()
    assert release.state == "internal"
    carol.post(place, {"confirmed": "yes"})
    release.refresh_from_db()
    assert release.state == "shared" and release.shared_at and not release.published_at
    entry = campaign.audit_log.filter(verb="shared qrels").get()
    assert entry.who == "carol" and entry.details == {
        "number": 1, "was": "internal", "is": "shared", "reason": "",
    }  # fmt: skip


def test_publication_names_the_numbers_what_is_odd_and_the_terms(
    campaign: Campaign, release: QrelsRelease, make: Factory
) -> None:
    make.make_run(campaign, "1 D1 1", tag="nobodys", group="")
    carol, place = client_of(make, "carol"), f"{QRELS}1/audience/public/"
    terms = {"licence": "CC BY 4.0", "contact": "carol@example.org", "home_page": "https://boats.example/"}
    page = markup(carol.post(place, terms))
    for words in (
        "Anyone on the internet will see 2 topics, qrels v1 with 1 judgment, 2 runs of 1 group",
        "the names of 1 organiser",
        "3 of 4 pooled documents are not judged.",
        "1 document waits for an adjudicator.",
        "The submission of runs is open.",
        "CC BY 4.0",
        ">Publish qrels v1</button>",
    ):
        assert words in page, words
    assert not campaign.releases.public().exists()
    assert carol.post(place, terms | {"confirmed": "yes"}).status_code == 302
    public = markup(Client().get("/public/tiny/"))
    for words in (*terms.values(), "3 of 4 pooled documents are not judged.", "from 1 group<"):
        assert words in public, words
    assert "url = {http://testserver/public/tiny/1/}" in public
    assert "/public/tiny/" in markup(carol.get("/campaigns/tiny/"))
    for page_url in (QRELS, f"{QRELS}1/"):
        assert "/public/tiny/1/" in markup(carol.get(page_url))
    archive = zipfile.ZipFile(io.BytesIO(Client().get("/public/tiny/1/collection/").getvalue()))
    sheet = archive.read("tiny-v1/DATASHEET.md").decode()
    assert "Licence: CC BY 4.0" in sheet and "Scores of 2 runs by 1 group;" in sheet


def test_a_later_release_is_internal_and_a_step_back_needs_a_reason(
    campaign: Campaign, release: QrelsRelease, make: Factory
) -> None:
    carol, by = client_of(make, "carol"), make.make_user("carol")
    change_audience(release, "public", by)
    make.make_judgment(campaign, "alice", "1", "D2", 2)
    assert release_qrels(campaign, by).state == "internal"
    assert "release 1 of" in markup(Client().get("/public/tiny/"))
    with pytest.raises(AudienceRefused, match="needs a reason"):
        change_audience(release, "internal", by)
    place = f"{QRELS}1/audience/internal/"
    assert "Copies that were downloaded stay" in markup(carol.get(place))
    assert "This field is required" in markup(carol.post(place, {"confirmed": "yes"}))
    carol.post(place, {"confirmed": "yes", "reason": "A topic is wrong."})
    assert Client().get("/public/tiny/").status_code == 404
    release.refresh_from_db()
    assert release.published_at  # it was public once


def test_a_withdrawn_release_is_marked_everywhere_and_is_no_default(
    campaign: Campaign, release: QrelsRelease, make: Factory
) -> None:
    carol, by = client_of(make, "carol"), make.make_user("carol")
    make.make_judgment(campaign, "alice", "1", "D2", 2)
    second = make.make_release(campaign, "public")
    change_audience(release, "public", by)
    sheet = Client().get("/public/tiny/2/manifest/").content
    place = f"{QRELS}2/withdraw/"
    assert ">Withdraw qrels v2</button>" in markup(carol.post(place, {"reason": "Topic 2 is wrong."}))
    carol.post(place, {"reason": "Topic 2 is wrong.", "confirmed": "yes"})
    second.refresh_from_db()
    assert second.withdrawn_at and second.withdrawn_by == by
    dave = client_of(make, "dave")
    downloads, public = "/campaigns/tiny/downloads/2/", "/public/tiny/2/"
    for url in (f"{QRELS}2/", f"{SCORES}2/", f"{SCORES}2/topics/", downloads, public):
        page = markup(dave.get(url))
        assert "Withdrawn on" in page and "Topic 2 is wrong." in page, url
    assert dave.get(SCORES)["Location"] == f"{SCORES}1/"
    assert dave.get("/api/campaigns/tiny/releases/2/").json()["withdrawal_reason"] == "Topic 2 is wrong."
    assert "release 1 of" in markup(Client().get("/public/tiny/"))
    assert Client().get("/public/tiny/2/manifest/").content == sheet
    assert campaign.audit_log.filter(verb="withdrew qrels", who="carol").exists()
    with pytest.raises(AudienceRefused, match="withdrawn already"):
        withdraw_release(second, "Again.", by)
    make.make_judgment(campaign, "alice", "1", "D3", 2)
    make.make_release(campaign, "public")
    assert "/public/tiny/3/" in markup(Client().get("/public/tiny/2/"))  # the newer one is offered


def test_the_command_takes_the_same_steps(release: QrelsRelease) -> None:
    out = StringIO()
    call_command("release_audience", "tiny", "1", "public", stdout=out)
    assert "Anyone on the internet will see 2 topics" in out.getvalue()
    release.refresh_from_db()
    assert release.is_public


def test_the_next_step_follows_the_release(campaign: Campaign, make: Factory) -> None:
    labels = []

    def now() -> str:
        step = next_step(CampaignReads(campaign), progress_grid(CampaignReads(campaign)))
        assert step
        return step.label

    labels.append(now())
    for number, docno in (("1", "D1"), ("1", "D2"), ("1", "D3"), ("2", "D1")):
        for judge in ("alice", "bob"):
            make.make_judgment(campaign, judge, number, docno, 1)
    labels.append(now())
    release = release_qrels(campaign, make.make_user("carol"))
    labels.append(now())
    for state in ("shared", "public"):
        change_audience(release, state, None)
        labels.append(now())
    assert labels == [
        "Load 3 missing texts", "Release qrels", "Share qrels v1", "Publish qrels v1", "Open public page",
    ]  # fmt: skip


def test_the_next_step_is_the_first_of_the_road_that_needs_the_organiser(make: Factory) -> None:
    campaign, labels = make.make_campaign(), []

    def note() -> None:
        step = next_step(CampaignReads(campaign), progress_grid(CampaignReads(campaign)))
        labels.append(step and step.label)

    note()
    topic = make.make_topic(campaign)
    note()
    make.make_run(campaign, "1 D1 3\n1 D2 2")
    note()
    make.make_pool(campaign)
    note()
    assign([make.make_user("alice")], [topic])
    make.make_document(campaign, "D1")
    note()
    make.make_document(campaign, "D2")
    note()
    assign([make.make_user("bob")], [topic], "second")
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "bob", "1", "D1", 1)
    note()
    assert labels == [
        "Load topics", "Load runs", "Freeze a pool", "Assign topics", "Load 1 missing text", None,
        "Settle 1 case",
    ]  # fmt: skip


# the default plan, and the question before a release is frozen


def test_the_whole_plan_of_the_last_release_is_kept(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    last = ReleasePlan("maximum", judges=("alice",), topics=("1",), cannot="-1", threshold=1)
    release_qrels(campaign, carol, last)
    kept = ReleasePlan("maximum", judges=("alice",), cannot="-1", threshold=1)
    assert CampaignReads(campaign).release_plan == kept
    form = client_of(make, "carol").get(QRELS).context["form"]
    assert form.is_valid() and form.plan() == kept
    call_command("release_qrels", "tiny", stdout=StringIO())
    assert campaign.releases.get(number=2).parameters == campaign.releases.get(number=1).parameters | {
        "topics": []
    }
    call_command("release_qrels", "tiny", "--rule", "minimum", "--threshold", "2", stdout=StringIO())
    third = campaign.releases.get(number=3).parameters
    assert (third["rule"], third["judges"], third["threshold"]) == ("minimum", ["alice"], 2)


def test_freezing_asks_with_numbers_and_is_not_offered_twice(campaign: Campaign, make: Factory) -> None:
    carol = client_of(make, "carol")
    page = markup(carol.post(QRELS, {"rule": "maximum"}))
    for words in (
        "Freeze release of 1 judgment",
        "Relevant",
        "1 case waits",
        "3 pooled documents have no judgment",
    ):
        assert words in page, words
    assert not campaign.releases.exists()
    assert carol.post(QRELS, {"rule": "maximum", "confirmed": "yes"}).status_code == 302
    assert campaign.releases.get().state == "internal"
    again = markup(carol.post(QRELS, {"rule": "maximum", "confirmed": "yes"}))
    assert "Qrels v1 has the same judgments" in again and "Freeze release of" not in again
    assert campaign.releases.count() == 1
