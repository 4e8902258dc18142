"""Releases of labels of answers: archives that later labels do not change."""

from __future__ import annotations

import csv
import io
import json
import zipfile

import pytest
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.services import create_token
from assess.models import AnswerRelease, AnswerRun, Grading, Matching, SupportSet
from assess.nuggets.assignments import read_assignments
from assess.nuggets.bank_files import read_banks
from assess.queries.answers import submitted_text
from assess.support.services import Mark
from metrics.answer_releases.queries import answer_release_faults
from metrics.answer_releases.services import AnswerReleaseRefused, release_answers
from pooling.checksum import sha256_of
from pooling.models import AuditLogEntry, Campaign
from tests.assess.matchings.test_matchings import campaign, matching
from tests.metrics.matchings.test_matching_pages import label_all
from tests.metrics.support.test_support_result import about
from tests.support.factory import Factory
from tests.support.markup import markup

__all__ = ["about", "campaign", "matching"]
PAGE = "/campaigns/tiny/scores/answer-releases/"


@pytest.fixture
def grading(campaign: Campaign, make: Factory) -> Grading:  # noqa: F811
    """All answers have grades of alice and bob, who give reasons."""
    grading = make.make_grading(campaign)
    for task in grading.tasks.select_related("judge", "answer"):
        best = task.judge.username == "alice" and task.answer.run_id % 2
        make.make_grades(task, [2, 1] if best else [0, 1], "a private reason")
    return grading


@pytest.fixture
def carol(make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def archive_of(release: AnswerRelease) -> zipfile.ZipFile:
    with release.file.open("rb") as file:
        return zipfile.ZipFile(io.BytesIO(file.read()))


def names_in(archive: zipfile.ZipFile, folder: str) -> set[str]:
    return {name.removeprefix(folder) for name in archive.namelist() if "/answers/" not in name}


def rows_of(archive: zipfile.ZipFile, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(archive.read(name).decode()), delimiter="\t"))


def check_sums(archive: zipfile.ZipFile, folder: str) -> None:
    for line in archive.read(f"{folder}SHA256SUMS").decode().splitlines():
        checksum, name = line.split("  ")
        assert sha256_of(archive.read(folder + name)) == checksum
    for run in AnswerRun.objects.all():
        assert archive.read(f"{folder}answers/{run.tag}.jsonl") == submitted_text(run)


def test_the_archive_of_a_matching(matching: Matching, make: Factory) -> None:  # noqa: F811
    label_all(matching, make)
    release = release_answers(matching, make.make_user("carol"))
    archive, folder = archive_of(release), "tiny-matching-1-v1/"
    assert names_in(archive, folder) == {
        "nuggets.jsonl", "labels.tsv", "assignments.jsonl", "scores.tsv", "results.json", "manifest.json",
        "SHA256SUMS",
    }  # fmt: skip
    check_sums(archive, folder)
    labels = rows_of(archive, f"{folder}labels.tsv")
    assert len(labels) == release.label_count == 18 and {row["judge"] for row in labels} == {"1", "2"}
    manifest = json.loads(archive.read(f"{folder}manifest.json"))
    assert manifest["nugget_bank"]["sha256"] == sha256_of(archive.read(f"{folder}nuggets.jsonl"))
    assert sum(len(bank.nuggets) for bank in read_banks(archive.read(f"{folder}nuggets.jsonl")).banks) == 3
    assert len(read_assignments(archive.read(f"{folder}assignments.jsonl"))) == 6
    result = json.loads(archive.read(f"{folder}results.json"))
    assert [each["run"] for each in result["runs"]][0] == "zebra-two"
    assert release.lead == "zebra-two has the highest mean vital score, 1.000."


def test_the_archive_of_a_grading(grading: Grading, make: Factory) -> None:
    release = release_answers(grading, make.make_user("carol"))
    archive, folder = archive_of(release), "tiny-grading-1-v1/"
    assert names_in(archive, folder) == {"grades.tsv", "results.json", "manifest.json", "SHA256SUMS"}
    check_sums(archive, folder)
    assert len(rows_of(archive, f"{folder}grades.tsv")) == release.label_count == 9 * 2 * 2
    manifest = json.loads(archive.read(f"{folder}manifest.json"))
    assert [each["name"] for each in manifest["criteria"]] == ["Helpful", "Complete"]
    assert "has the highest mean by “Helpful”, 1.000." in release.lead
    content = b"".join(archive.read(name) for name in archive.namelist())
    for name in (b"alice", b"bob", b"carol", b"private reason"):
        assert name not in content


def test_the_archive_of_citation_support(about: SupportSet, make: Factory) -> None:  # noqa: F811
    carol = make.make_user("carol")
    first = about.tasks.select_related("judge", "support_set__campaign")[0]
    make.make_support_label(first, "full", marks=[Mark("Sentence", "words")], reason="a private reason")
    release = release_answers(about, carol)
    archive, folder = archive_of(release), "tiny-support-1-v1/"
    assert names_in(archive, folder) == {
        "labels.tsv", "scores.tsv", "results.json", "manifest.json", "SHA256SUMS",
    }  # fmt: skip
    check_sums(archive, folder)
    labels = rows_of(archive, f"{folder}labels.tsv")
    assert len(labels) == release.label_count == 4 and {row["judge"] for row in labels} == {"1"}
    assert sorted(row["support"] for row in labels) == ["full", "full", "none", "partial"]
    (scores,) = rows_of(archive, f"{folder}scores.tsv")
    assert (scores["support_precision"], scores["support_recall_hard"]) == ("0.625000", "0.400000")
    manifest = json.loads(archive.read(f"{folder}manifest.json"))
    assert (manifest["citation_support"], manifest["every_citation_of_a_sentence"]) == (1, False)
    assert json.loads(archive.read(f"{folder}results.json"))["complete"] == 1
    assert release.lead == "zebra has the highest mean precision, 0.625."
    content = b"".join(archive.read(name) for name in archive.namelist())
    assert b"alice" not in content and b"private reason" not in content
    make.make_support_label(first, "none")
    second = release_answers(about, carol)
    assert (f"{second}", second.number) == ("Release 2 of Citation support 1", 2)
    assert (second.lead, first.support_set.releases.last()) == (
        "zebra has the highest mean precision, 0.375.",
        release,
    )


def test_a_release_is_of_one_thing(matching: Matching, grading: Grading, make: Factory) -> None:  # noqa: F811
    label_all(matching, make)
    release = release_answers(matching, make.make_user("carol"))
    for wrong in ({"grading": grading}, {"matching": None}):
        with pytest.raises(IntegrityError), transaction.atomic():
            AnswerRelease.objects.filter(pk=release.pk).update(**wrong)


def test_later_labels_change_no_release(
    matching: Matching,  # noqa: F811
    make: Factory,
    carol: Client,
) -> None:
    user = make.make_user("carol")
    with pytest.raises(AnswerReleaseRefused, match="no labels yet"):
        release_answers(matching, user)
    label_all(matching, make)
    first = release_answers(matching, user)
    before = b"".join(carol.get(f"{PAGE}{first.pk}/").streaming_content)  # type: ignore[attr-defined]
    for task in matching.tasks.select_related("judge", "answer", "matching"):
        make.make_nugget_label(task, 1, "not_support")
    second = release_answers(matching, user)
    after = b"".join(carol.get(f"{PAGE}{first.pk}/").streaming_content)  # type: ignore[attr-defined]
    assert before == after and sha256_of(before) == first.sha256 != second.sha256
    assert (first.number, second.number) == (1, 2)


def test_a_release_that_is_asked_for_twice_is_one_of_answers(
    matching: Matching,  # noqa: F811
    make: Factory,
) -> None:
    label_all(matching, make)
    first, again = (release_answers(matching, make.make_user("carol"), "once") for _ in range(2))
    assert first == again and AnswerRelease.objects.count() == 1


def test_the_page_asks_before_it_releases(
    matching: Matching,  # noqa: F811
    grading: Grading,
    make: Factory,
    carol: Client,
) -> None:
    label_all(matching, make)
    assert "No answer releases yet" in markup(carol.get(PAGE))
    page = markup(carol.post(PAGE, {"what": "matching-1"}))
    assert "Release Matching 1?" in page and "judges have numbers" in page
    assert not AnswerRelease.objects.exists()
    page = markup(carol.post(PAGE, {"what": "matching-1", "confirmed": "yes"}, follow=True))
    assert "Release 1 of Matching 1 is stored. It never changes." in page
    carol.post(PAGE, {"what": "grading-1", "confirmed": "yes"})
    assert AnswerRelease.objects.filter(grading=grading).exists()
    entry = AuditLogEntry.objects.latest("pk")
    assert (entry.verb, entry.sentence) == ("released labels of answers", "Release 1 of Grading 1: 36 labels")
    assert "Select a valid choice" in markup(carol.post(PAGE, {"what": "matching-9"}))


def test_the_integrity_check_reads_every_archive(matching: Matching, make: Factory) -> None:  # noqa: F811
    label_all(matching, make)
    release = release_answers(matching, make.make_user("carol"))
    assert [*answer_release_faults(matching.campaign)] == [[]]
    AnswerRelease.objects.update(sha256="ab" * 32)
    ((fault,),) = answer_release_faults(matching.campaign)
    assert fault.what == "answer release archive"
    default_storage.delete(f"{release.file.name}")
    ((fault,),) = answer_release_faults(matching.campaign)
    assert fault.what == "archive of an answer release"


def test_the_api_has_releases(matching: Matching, make: Factory) -> None:  # noqa: F811
    label_all(matching, make)
    release = release_answers(matching, make.make_user("carol"))
    token = create_token(make.make_user("carol"), "test", "read")
    client = Client(headers={"authorization": f"Bearer {token}"})
    (listed,) = client.get("/api/campaigns/tiny/answer-releases/").json()["items"]
    assert (listed["of"], listed["number"], listed["sha256"]) == ("Matching 1", 1, release.sha256)
    file = client.get(f"/api/campaigns/tiny/answer-releases/{listed['id']}/")
    assert sha256_of(b"".join(file.streaming_content)) == release.sha256  # type: ignore[attr-defined]
