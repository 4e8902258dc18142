"""Propagated labels in releases: in files of their own, each line marked, and nowhere counted as judged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from pytest_django import Settings

from assess.judge_checks import wilson
from assess.models import QrelsRelease
from assess.near_duplicates.propagation import Member, propagated_lines, propagation_errors
from assess.near_duplicates.queries.propagation import current_errors
from assess.near_duplicates.services import split_member
from assess.queries.campaign_reads import CampaignReads
from assess.queries.progress import progress_grid
from assess.release.plan import BadPlan, ReleasePlan
from assess.release.propagated import PropagatedLine, with_propagated
from assess.services.releases import release_qrels
from config.archives.installation import back_up, restore
from pooling.models import Campaign, Document
from tests.assess.near_duplicates.conftest import sample
from tests.assess.near_duplicates.test_services import member
from tests.config.test_archives import wipe
from tests.support.factory import Factory
from tests.support.markup import markup

GRADES = {"D1": 3, "D5": 0, "D6": 1}


def judge(campaign: Campaign, make: Factory, grades: Mapping[str, int] = GRADES) -> None:
    for docno, grade in grades.items():
        make.make_judgment(campaign, "alice", "1", docno, grade)


def freeze_release(campaign: Campaign, make: Factory, **plan: Any) -> QrelsRelease:
    return release_qrels(campaign, make.make_user("carol"), ReleasePlan(propagated=True, **plan))


def lines(release: QrelsRelease, kind: str) -> list[str]:
    return lines_of(release, kind).decode().splitlines()


def test_the_qrels_have_judged_documents_only(frozen: Campaign, make: Factory) -> None:
    judge(frozen, make)
    release = freeze_release(frozen, make)
    assert lines(release, "qrels") == ["1 0 D1 3", "1 0 D5 0", "1 0 D6 1"]
    assert lines(release, "propagated") == [
        "1 0 D1 3",
        "1 0 D2 3",
        "1 0 D3 3",
        "1 0 D4 3",
        "1 0 D5 0",
        "1 0 D6 1",
    ]
    assert lines(release, "propagated-sources") == [
        "topic\tdocno\tgrade\tsource\trepresentative",
        "1\tD1\t3\tpeople\t",
        "1\tD2\t3\tpropagated\tD1",
        "1\tD3\t3\tpropagated\tD1",
        "1\tD4\t3\tpropagated\tD1",
        "1\tD5\t0\tpeople\t",
        "1\tD6\t1\tpeople\t",
    ]


def test_no_figure_counts_propagated_labels_as_judged(frozen: Campaign, make: Factory) -> None:
    judge(frozen, make)
    release = freeze_release(frozen, make)
    plain = release_qrels(frozen, make.make_user("carol"), ReleasePlan())
    names = ("judgments", "relevant", "grades", "sources", "judges", "judged_by_several", "topics")
    assert [release.manifest[name] for name in names] == [plain.manifest[name] for name in names]
    assert (release.line_count, release.manifest["judgments"]) == (3, 3)
    assert release.manifest["pooled_without_a_grade"] == 5  # D2, D3, D4, and topic 2
    assert (release.sha256, release.agreement) == (plain.sha256, plain.agreement)
    for kind in ("qrels", "beir", "sources", "provenance", "labels"):
        assert lines_of(release, kind) == lines_of(plain, kind)
    assert {"propagated", "propagated-sources"} & set(plain.files.values_list("kind", flat=True)) == set()
    assert progress_grid(CampaignReads(frozen)).judged == 3


def lines_of(release: QrelsRelease, kind: str) -> bytes:
    with release.files.get(kind=kind).file.open("rb") as file:
        content: bytes = file.read()
        return content


def test_pages_and_the_citation_name_judged_documents_apart(frozen: Campaign, make: Factory) -> None:
    judge(frozen, make)
    freeze_release(frozen, make)
    client = Client()
    client.force_login(make.make_user("carol"))
    page = markup(client.get("/campaigns/tiny/qrels/1/"))
    assert "<dt>Judgments</dt><dd>3</dd>" in page
    assert "3 of near duplicates, not counted as judged" in " ".join(page.split())
    for address in ("qrels/", "scores/1/", "progress/", "agreement/"):
        response = client.get(f"/campaigns/tiny/{address}", follow=True)
        assert response.status_code == 200
        assert "6 judgment" not in markup(response)


def test_a_member_with_a_label_of_its_own_keeps_it(frozen: Campaign, make: Factory) -> None:
    judge(frozen, make, {"D1": 3, "D2": 0})  # the label of D2 was on its way when the classes were frozen
    assert lines(freeze_release(frozen, make), "propagated-sources")[1:] == [
        "1\tD1\t3\tpeople\t",
        "1\tD2\t0\tpeople\t",
        "1\tD3\t3\tpropagated\tD1",
        "1\tD4\t3\tpropagated\tD1",
    ]


def test_members_judged_on_purpose_and_split_ones_get_none(frozen: Campaign, make: Factory) -> None:
    sample("D2")
    split_member(member("D4"), make.make_user("alice"))
    judge(frozen, make, {"D1": 2})
    release = freeze_release(frozen, make)
    assert lines(release, "propagated") == ["1 0 D1 2", "1 0 D3 2"]
    assert release.manifest["propagated"]["split"] == [["1", "D4"]]


def test_the_error_of_propagation_has_an_interval(frozen: Campaign, make: Factory) -> None:
    sample("D2", "D3", "D4")
    judge(frozen, make, {"D1": 2, "D2": 2, "D3": 3, "D4": 0})
    about = freeze_release(frozen, make).manifest["propagated"]
    assert (about["lines"], about["judged_on_purpose"]) == (0, 3)
    low, high = wilson(2, 3) or (0, 0)
    assert about["other_grade"]["count"] == 2
    assert about["other_grade"]["interval_95"] == pytest.approx([low, high])
    assert about["other_relevance"]["count"] == 1
    assert str(current_errors(CampaignReads(frozen)).grade) == "2 of 3 (67 %; 95 % interval 21 % to 94 %)"
    client = Client()
    client.force_login(make.make_user("carol"))
    page = " ".join(markup(client.get("/campaigns/tiny/judging/near-duplicates/")).split())
    assert "2 of 3 (67 %; 95 % interval 21 % to 94 %)" in page


def test_a_release_is_derived_again(
    frozen: Campaign, make: Factory, capsys: pytest.CaptureFixture[str]
) -> None:
    judge(frozen, make)
    split_member(member("D4"), make.make_user("alice"))
    release = freeze_release(frozen, make)
    split_member(member("D3"), make.make_user("alice"))  # later: the release stays as it is
    make.make_judgment(frozen, "alice", "1", "D1", 0)
    call_command("audit", "tiny")
    stored = release.files.get(kind="propagated-sources")
    with stored.file.open("rb") as file:
        content = file.read()
    with open(stored.file.path, "wb") as file:
        file.write(content.replace(b"D2\t3\tpropagated", b"D2\t2\tpropagated"))
    with pytest.raises(CommandError):
        call_command("audit", "tiny")
    assert "propagated labels, Qrels v1, line 2" in "".join(capsys.readouterr())


def test_an_archive_has_the_classes(
    frozen: Campaign, make: Factory, settings: Settings, tmp_path: Path
) -> None:
    judge(frozen, make)
    split_member(member("D4"), make.make_user("alice"))
    freeze_release(frozen, make)
    back_up(tmp_path / "one.zip")
    wipe(settings)
    restore(tmp_path / "one.zip")
    assert member("D4").split.by.username == "alice"
    call_command("audit", "tiny")


def test_without_frozen_classes_there_are_no_propagated_labels(pooled: Campaign, make: Factory) -> None:
    judge(pooled, make)
    with pytest.raises(BadPlan, match="expected frozen classes"):
        freeze_release(pooled, make)
    client = Client()
    client.force_login(make.make_user("carol"))
    assert "Propagated labels" not in markup(client.get("/campaigns/tiny/qrels/"))


def test_the_page_freezes_a_release_with_propagated_labels(frozen: Campaign, make: Factory) -> None:
    judge(frozen, make)
    client = Client()
    client.force_login(make.make_user("carol"))
    assert "Propagated labels" in markup(client.get("/campaigns/tiny/qrels/"))
    client.post("/campaigns/tiny/qrels/", {"after": 0, "confirmed": "yes"})
    client.post("/campaigns/tiny/qrels/", {"after": 1, "confirmed": "yes", "propagated": "yes"})
    assert [release.parameters["propagated"] for release in frozen.releases.order_by("number")] == [
        False,
        True,
    ]


def test_the_command_and_the_public_manifest(frozen: Campaign, make: Factory) -> None:
    judge(frozen, make)
    call_command("release_qrels", "tiny", "--as", "carol", "--propagated")
    make.publish(frozen)
    manifest = Client().get("/public/tiny/1/manifest/")
    about = json.loads(manifest.content)
    assert about["propagated"]["lines"] == 3
    assert about["plan"]["propagated"] is True
    assert {"propagated", "propagated-sources"} <= about["files"].keys()


def test_documents_of_other_topics_get_nothing(frozen: Campaign, make: Factory) -> None:
    """D1 is also in topic 2, where nothing like it was pooled."""
    judge(frozen, make)
    make.make_judgment(frozen, "alice", "2", "D1", 1)
    release = freeze_release(frozen, make)
    assert [line for line in lines(release, "propagated") if line.startswith("2 ")] == ["2 0 D1 1"]


def test_cannot_judge_is_not_propagated() -> None:
    members = [Member("1", "B", "A"), Member("1", "C", "A")]
    assert propagated_lines({("1", "A"): None}, members) == []
    assert (
        propagation_errors(
            {("1", "A"): None, ("1", "B"): 1}, [members[0]._replace(is_sampled=True)], 1
        ).grade.n
        == 0
    )


def test_lines_are_merged_in_the_order_of_the_topics() -> None:
    judged = [("9", "B", "1", "people"), ("9", "D", "2", "people"), ("10", "A", "0", "people")]
    propagated = [
        PropagatedLine("9", "A", 1, "B"),
        PropagatedLine("9", "E", 2, "D"),
        PropagatedLine("9", "C", 1, "B"),
    ]
    assert [(line.topic, line.docno) for line in with_propagated(judged, propagated)] == [
        ("9", "A"),
        ("9", "B"),
        ("9", "C"),
        ("9", "D"),
        ("9", "E"),
        ("10", "A"),
    ]


def test_a_text_that_was_removed_changes_no_release(frozen: Campaign, make: Factory) -> None:
    judge(frozen, make)
    freeze_release(frozen, make)
    Document.objects.filter(docno="D2").delete()
    call_command("audit", "tiny")
