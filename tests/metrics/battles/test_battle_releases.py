"""Releases of battles: an archive of answers, votes and results that later votes do not change."""

from __future__ import annotations

import csv
import io
import json
import zipfile

import pytest
from django.core.files.storage import default_storage
from django.test import Client

from accounts.services import create_token
from assess.answers.services import withdraw_answer_run
from assess.models import AnswerRun, BattleRelease, BattleSet
from assess.queries.answers import submitted_text
from metrics.battles.queries import battle_release_faults, judge_numbers
from metrics.battles.services import BattleReleaseRefused, release_battles
from pooling.checksum import sha256_of
from pooling.models import Campaign
from tests.assess.answers.files import Answers
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/scores/battles/1/"


@pytest.fixture
def battles(make: Factory) -> BattleSet:
    campaign: Campaign = make.make_campaign()
    for number in ("1", "2", "3"):
        make.make_topic(campaign, number)
    runs = []
    for tag, text in (("zebra-one", "Boats float."), ("zebra-two", "They carry goods.")):
        answers: Answers = {number: [(text, [])] for number in ("1", "2", "3")}
        runs.append(make.make_answer_run(campaign, answers, tag, "zebra-group"))
    made = make.make_battles(campaign, ("bob", "alice"), runs=runs, per_topic=1, double=50)
    for battle in made.battles.select_related("judge"):
        make.make_battle_vote(battle, "left", "a private reason")
    return made


@pytest.fixture
def carol(make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def archive_of(release: BattleRelease) -> zipfile.ZipFile:
    with release.file.open("rb") as file:
        return zipfile.ZipFile(io.BytesIO(file.read()))


def test_the_archive_holds_answers_votes_and_results(battles: BattleSet, make: Factory) -> None:
    release = release_battles(battles, make.make_user("carol"))
    archive, folder = archive_of(release), "tiny-battles-1-v1/"
    assert {name.removeprefix(folder) for name in archive.namelist()} == {
        "answers/zebra-one.jsonl", "answers/zebra-two.jsonl", "votes.tsv", "results.tsv", "results.json",
        "manifest.json", "SHA256SUMS",
    }  # fmt: skip
    for run in AnswerRun.objects.all():
        assert archive.read(f"{folder}answers/{run.tag}.jsonl") == submitted_text(run)
    for line in archive.read(f"{folder}SHA256SUMS").decode().splitlines():
        checksum, name = line.split("  ")
        assert sha256_of(archive.read(folder + name)) == checksum
    votes = list(csv.DictReader(io.StringIO(archive.read(f"{folder}votes.tsv").decode()), delimiter="\t"))
    assert len(votes) == battles.battles.count() and {row["choice"] for row in votes} == {"left"}
    manifest = json.loads(archive.read(f"{folder}manifest.json"))
    assert [run["sha256"] for run in manifest["runs"]] == [run.sha256 for run in AnswerRun.objects.all()]
    with release.file.open("rb") as file:
        content = file.read()
    assert (release.vote_count, release.sha256) == (
        battles.battles.filter(is_repeat=False).count(),
        sha256_of(content),
    )


def test_the_archive_names_no_judge_and_no_reason(battles: BattleSet, make: Factory) -> None:
    release = release_battles(battles, make.make_user("carol"))
    archive = archive_of(release)
    content = b"".join(archive.read(name) for name in archive.namelist())
    for name in (b"alice", b"bob", b"carol", b"private reason"):
        assert name not in content
    assert b"judge 1" in content and b"judge 2" in content
    first = battles.battles.order_by("votes__pk")[0].judge.username
    assert judge_numbers(battles)[first] == "judge 1"


def test_later_votes_change_no_release(battles: BattleSet, make: Factory, carol: Client) -> None:
    first = release_battles(battles, make.make_user("carol"))
    before = b"".join(carol.get(f"{PAGE}releases/1/").streaming_content)  # type: ignore[attr-defined]
    for battle in battles.battles.select_related("judge"):
        make.make_battle_vote(battle, "right")
    withdraw = AnswerRun.objects.get(tag="zebra-one")
    second = release_battles(battles, make.make_user("carol"))
    withdraw_answer_run(withdraw, make.make_user("carol"))
    after = b"".join(carol.get(f"{PAGE}releases/1/").streaming_content)  # type: ignore[attr-defined]
    assert before == after and sha256_of(before) == first.sha256 != second.sha256
    assert (first.number, second.number) == (1, 2)
    with pytest.raises(BattleReleaseRefused, match="no votes yet"):
        release_battles(battles, make.make_user("carol"))  # all battles are with the withdrawn run


def test_the_page_asks_before_it_releases(battles: BattleSet, carol: Client) -> None:
    page = markup(carol.post(f"{PAGE}release/"))
    assert "Release Battles 1?" in page and "judges have numbers" in page
    assert not BattleRelease.objects.exists()
    page = markup(carol.post(f"{PAGE}release/", {"confirmed": "yes"}, follow=True))
    release = BattleRelease.objects.get()
    assert "Release 1 of Battles 1 is stored." in page and release.sha256[:12] in page
    assert battles.campaign.audit_log.get(verb="released battles").details["sha256"] == release.sha256


def test_a_release_that_is_asked_for_twice_is_one(battles: BattleSet, carol: Client) -> None:
    for _ in range(2):
        carol.post(f"{PAGE}release/", {"confirmed": "yes", "request_key": "of this page"})
    assert BattleRelease.objects.count() == 1


def test_the_integrity_check_reads_the_archives(battles: BattleSet, make: Factory) -> None:
    release = release_battles(battles, make.make_user("carol"))
    assert [*battle_release_faults(battles.campaign)] == [[]]
    with default_storage.open(f"{release.file.name}", "wb") as file:
        file.write(b"damaged")
    (faults,) = battle_release_faults(battles.campaign)
    assert [fault.what for fault in faults] == ["battles archive"]
    default_storage.delete(f"{release.file.name}")
    (faults,) = battle_release_faults(battles.campaign)
    assert [fault.what for fault in faults] == ["archive of battles"]


def test_the_api_gives_votes_results_and_releases(battles: BattleSet, make: Factory, carol: Client) -> None:
    carol.post(f"{PAGE}release/", {"confirmed": "yes"})
    token = create_token(make.make_user("carol"), "a script", "read")
    client, home = Client(headers={"authorization": f"Bearer {token}"}), "/api/campaigns/tiny/battles/"
    (listed,) = client.get(home).json()["items"]
    assert (listed["number"], listed["runs"], listed["judges"]) == (1, 2, 2)
    assert listed["releases"][0]["sha256"] == BattleRelease.objects.get().sha256
    assert len(client.get(f"{home}1/votes/").json()) == battles.battles.count()
    assert client.get(f"{home}1/results/").json()["verdict"][0]
    sent = b"".join(client.get(f"{home}1/releases/1/").streaming_content)  # type: ignore[attr-defined]
    assert sha256_of(sent) == BattleRelease.objects.get().sha256
    assert client.get(f"{home}1/releases/2/").status_code == 404
