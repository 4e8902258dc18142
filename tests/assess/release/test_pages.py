"""The pages and files of releases: works, anonymous, outsider, bad input, twice."""

from __future__ import annotations

import hashlib
import json

import pytest
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from assess.release.plan import ReleasePlan
from assess.services.releases import release_qrels
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

QRELS = "/campaigns/tiny/qrels/"


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "alice", "1", "D2", 0)
    make.make_judgment(campaign, "bob", "1", "D1", 1)
    return campaign


@pytest.fixture
def two(campaign: Campaign, make: Factory) -> Campaign:
    make.make_release(campaign)
    make.make_judgment(campaign, "alice", "1", "D1", 1)
    make.make_judgment(campaign, "alice", "2", "D1", 2)
    make.make_judgment(campaign, "alice", "1", "D2", 2)
    make.make_release(campaign)
    return campaign


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def page(make: Factory, url: str, name: str = "carol") -> str:
    response = client_of(make, name).get(url)
    assert response.status_code == 200
    return markup(response)


def test_the_draft_shows_what_would_be_frozen_and_what_is_missing(campaign: Campaign, make: Factory) -> None:
    shown = page(make, QRELS)
    assert "Freeze release of 2 judgments" in shown and "This campaign has no release yet." in shown
    assert 'name="rule"' not in page(make, QRELS, "rita")
    fragment = page(make, QRELS + "preview/?rule=maximum&cannot=leave+out&threshold=1")
    assert fragment.lstrip().startswith('<div id="release-preview">')
    assert "The highest grade that any judge gave." in fragment


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("rule=mode", "mode is not one of the available choices"),
        ("rule=maximum&topics=9", "This campaign has no topic 9."),
        ("rule=one+judge", "Choose the judge whom this rule follows."),
        ("rule=maximum&judges=mallory", "mallory is not one of the available choices"),
        ("rule=maximum&pools=x", "not one of the available choices"),
        ("rule=maximum&cannot=-3", "-3 is not one of the available choices"),
        ("rule=maximum&threshold=0", "0 is not one of the available choices"),
    ],
)
def test_controls_that_cannot_be_followed_say_so_and_show_no_figures(
    campaign: Campaign, make: Factory, asked: str, expected: str
) -> None:
    fragment = page(make, QRELS + "preview/?" + asked)
    assert expected in fragment and "Freeze" not in fragment
    response = client_of(make, "carol").post(
        QRELS, asked.replace("+", "%20"), content_type="application/x-www-form-urlencoded"
    )
    assert response.status_code == 200 and expected in markup(response)
    assert not campaign.releases.exists()


def test_freezing_follows_the_controls(campaign: Campaign, make: Factory) -> None:
    asked = {
        "rule": "one judge",
        "judge": "alice",
        "topics": "1",
        "cannot": "-1",
        "threshold": "3",
        "after": "0",
        "confirmed": "yes",
    }
    response = client_of(make, "carol").post(QRELS, asked, follow=True)
    assert "Qrels v1 is frozen with 2 judgments." in markup(response)
    release = campaign.releases.get()
    assert release.rule == "one judge"
    assert (release.manifest["threshold"], release.manifest["relevant"]) == (3, 1)
    assert release.parameters["topics"] == ["1"] and release.parameters["judge"] == "alice"


def test_the_same_draft_is_not_frozen_twice(campaign: Campaign, make: Factory) -> None:
    carol, asked = client_of(make, "carol"), {"rule": "maximum", "after": "0", "confirmed": "yes"}
    assert carol.post(QRELS, asked).status_code == 302
    again = carol.post(QRELS, asked)
    assert again.status_code == 200 and "v1 was frozen in the meantime" in markup(again)
    assert campaign.releases.count() == 1


def test_freezing_nothing_shows_a_message(make: Factory) -> None:
    make.make_pooled_campaign()
    response = client_of(make, "carol").post(QRELS, {}, follow=True)
    assert "Nothing has been judged in this scope" in markup(response)


def test_a_release_has_a_page_with_its_files_and_how_to_cite_it(two: Campaign, make: Factory) -> None:
    numbered = "tiny-labels-numbered-v2.jsonl.gz", "judge 1"
    for name, own in (
        ("carol", ("tiny-labels-v2.jsonl.gz", "alice")),
        ("ada", ("tiny-labels-v2.jsonl.gz", "alice")),
        ("dave", numbered),
        ("rita", numbered),
    ):
        shown = page(make, QRELS + "2/", name)
        for words in ("tiny-qrels-v2.txt", "@misc{tiny-qrels-v2,", *own):
            assert words in shown
    assert client_of(make, "carol").get(QRELS + "3/").status_code == 404


def test_every_file_comes_whole_under_its_name_with_its_checksum(two: Campaign, make: Factory) -> None:
    ada = client_of(make, "ada")
    for file in two.releases.get(number=1).files.all():
        response = ada.get(f"{QRELS}1/files/{file.kind}/")
        content = b"".join(response)
        assert response.status_code == 200
        assert hashlib.sha256(content).hexdigest() == file.sha256 == response["ETag"].strip('"')
        assert response["Content-Length"] == str(len(content)) and response["Accept-Ranges"] == "bytes"
        assert "immutable" in response["Cache-Control"] and "Cookie" in response["Vary"]
        assert f'filename="tiny-{file.kind}-v1.' in response["Content-Disposition"]
    for kind in ("nothing", "prels-1", "prels-x"):
        assert ada.get(f"{QRELS}1/files/{kind}/").status_code == 404


def test_the_short_addresses_are_those_of_the_files(two: Campaign, make: Factory) -> None:
    rita = client_of(make, "rita")
    for short, kind in (("file", "qrels"), ("manifest", "manifest")):
        same = [b"".join(rita.get(QRELS + place)) for place in (f"1/{short}/", f"1/files/{kind}/")]
        assert same[0] == same[1]
    assert json.loads(b"".join(rita.get(QRELS + "1/manifest/")))["release"] == 1


def test_what_a_client_has_already_is_not_sent_again(two: Campaign, make: Factory) -> None:
    rita, url = client_of(make, "rita"), QRELS + "1/file/"
    etag = f'"{two.releases.get(number=1).sha256}"'
    fresh = rita.get(url, headers={"If-None-Match": etag})
    assert fresh.status_code == 304 and fresh.content == b"" and fresh["ETag"] == etag
    stale = rita.get(url, headers={"If-None-Match": '"other"'})
    assert stale.status_code == 200 and b"".join(stale)
    assert rita.get(url, headers={"If-Match": '"other"'}).status_code == 412
    response = rita.head(url)
    assert response.status_code == 200 and response["ETag"] == etag and int(response["Content-Length"]) > 0
    response.close()


@hypothesis_settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(cut=st.integers(0, 10_000))
def test_a_download_that_broke_off_goes_on_where_it_stopped(two: Campaign, make: Factory, cut: int) -> None:
    ada, url = client_of(make, "ada"), QRELS + "2/files/provenance/"
    whole = b"".join(ada.get(url))
    cut %= len(whole)
    etag = two.releases.get(number=2).files.get(kind="provenance").sha256
    rest = ada.get(url, headers={"Range": f"bytes={cut}-", "If-Range": f'"{etag}"'})
    assert rest.status_code == 206
    assert rest["Content-Range"] == f"bytes {cut}-{len(whole) - 1}/{len(whole)}"
    assert whole[:cut] + b"".join(rest) == whole
    assert rest["Content-Length"] == str(len(whole) - cut)


def test_a_range_of_another_file_or_behind_the_end_is_answered_so(two: Campaign, make: Factory) -> None:
    rita, url = client_of(make, "rita"), QRELS + "1/file/"
    other = rita.get(url, headers={"Range": "bytes=3-", "If-Range": '"other"'})
    assert other.status_code == 200 and b"".join(other).startswith(b"1 0 D1")
    behind = rita.get(url, headers={"Range": "bytes=99999-"})
    assert behind.status_code == 416 and behind["Content-Range"].startswith("bytes */")


def test_a_part_that_nobody_reads_leaves_no_file_open(two: Campaign, make: Factory) -> None:
    response = client_of(make, "rita").get(QRELS + "1/file/", headers={"Range": "bytes=0-3"})
    response.close()
    assert response.status_code == 206


def test_what_changed_is_counted_tabled_and_listed(two: Campaign, make: Factory) -> None:
    shown = page(make, QRELS + "diff/", "rita")
    assert "Changes from v1 to v2" in shown and "not in the qrels" in shown
    back = page(make, QRELS + "diff/?first=2&second=1")
    assert "Changes from v2 to v1" in back
    narrowed = page(make, QRELS + "diff/?first=1&second=2&before=-&after=2")
    assert '<th scope="row" class="docno">D1</th>' in narrowed
    assert '<th scope="row" class="docno">D2</th>' not in narrowed
    topic = page(make, QRELS + "diff/?first=1&second=2&topic=1")
    assert '<th scope="row" class="docno">D2</th>' in topic and "in topic 1" in topic
    assert "No documents have changed." in page(make, QRELS + "diff/?first=1&second=1")


def test_the_changes_can_be_downloaded(two: Campaign, make: Factory) -> None:
    response = client_of(make, "dave").get(QRELS + "diff/tsv/?first=1&second=2")
    assert b"".join(response).decode() == ("topic\tdocno\tbefore\tafter\n1\tD2\t0\t2\n2\tD1\t-\t2\n")
    assert client_of(make, "dave").get(QRELS + "diff/tsv/?first=1&second=9").status_code == 404


@pytest.mark.parametrize("asked", ["first=9&second=1", "first=x", "first=1&second=", "page=zero"])
def test_releases_that_are_not_there_are_no_error(two: Campaign, make: Factory, asked: str) -> None:
    assert "Changes between releases" in page(make, QRELS + "diff/?" + asked)


def test_one_release_alone_has_nothing_to_compare_with(campaign: Campaign, make: Factory) -> None:
    assert "Fewer than two releases" in page(make, QRELS + "diff/")
    make.make_release(campaign)
    assert "Fewer than two releases" in page(make, QRELS + "diff/")


def test_many_changes_come_in_pages(make: Factory) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    carol = make.make_user("carol")
    make.make_run(campaign, "\n".join(f"1 D{rank:03} {200 - rank}" for rank in range(150)))
    make.make_pool(campaign, depth=150)
    make.make_machine(campaign, "".join(f"1 0 D{rank:03} 1\n" for rank in range(149)), "first")
    make.make_machine(campaign, "".join(f"1 0 D{rank:03} 2\n" for rank in range(150)), "second")
    for name in ("first", "second"):
        release_qrels(campaign, carol, ReleasePlan(machines=(f"tiny/{name}",)))
    assert "page 1 of 2" in page(make, QRELS + "diff/")
    assert "page 2 of 2" in page(make, QRELS + "diff/?page=2") and "D149" in page(
        make, QRELS + "diff/?page=2"
    )


@pytest.mark.parametrize("place", ["", "1/", "1/files/qrels/", "preview/", "diff/", "diff/tsv/"])
def test_strangers_stay_outside(two: Campaign, make: Factory, place: str) -> None:
    assert client_of(make, "mallory").get(QRELS + place).status_code == 404
    assert Client().get(QRELS + place).status_code == 302
