"""What a release holds, by its plan."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import subprocess
import sys
import uuid
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client

from assess.consensus import ADJUDICATED, RULES, Decision
from assess.forms.releases import ReleaseForm, default_form_values
from assess.models import AdjudicationEvent, Assignment, Judgment, JudgmentEvent, QrelsRelease
from assess.queries import release_agreement
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judging import cards_of
from assess.queries.release_agreement import agreement_of_release
from assess.queries.release_draft import draft_decisions, release_preview
from assess.queries.releases import current_cutoff, release_lines
from assess.release.plan import BadPlan, ReleasePlan, plan_from_json, plan_to_json
from assess.services.assignments import assign, unassign_topic
from assess.services.counters import raise_versions
from assess.services.imports import load_judgments
from assess.services.judging import SubmittedJudgment, record_judgment
from assess.services.releases import NothingToRelease, release_qrels
from pooling.formats.qrels import parse_prels
from pooling.manifest import PoolPlan
from pooling.models import Campaign
from pooling.services.pools import freeze_pool
from tests.support.factory import Factory
from tests.support.markup import markup


def build_campaign(make: Factory) -> Campaign:
    """Topic 1: D1 is 3 to alice, 1 to bob; D2 is 2 to both; bob cannot judge D3. Topic 2: D1 is 0 to bob."""
    campaign = make.make_pooled_campaign()
    for judge, topic, docno, grade in (
        ("alice", "1", "D1", 0),
        ("alice", "1", "D1", 3),
        ("bob", "1", "D1", 1),
        ("alice", "1", "D2", 2),
        ("bob", "1", "D2", 2),
        ("bob", "2", "D1", 0),
    ):
        make.make_judgment(campaign, judge, topic, docno, grade)
    cannot(campaign, make, "bob", "1", "D3")
    return campaign


def cannot(campaign: Campaign, make: Factory, judge: str, topic: str, docno: str) -> None:
    entry = make.entry(campaign, judge, topic, docno)
    (card,) = cards_of([entry])
    record_judgment(
        entry, SubmittedJudgment(uuid.uuid4(), docno, card.text_hash, None, "broken", "a private note")
    )


def settle(campaign: Campaign, make: Factory, topic: str, docno: str, relevance: int) -> None:
    pooled = make.pooled(campaign, topic, docno)
    AdjudicationEvent.objects.create(
        uuid=uuid.uuid4(), pooled=pooled, relevance=relevance, by=make.make_user("ada"), why="read twice"
    )
    raise_versions([pooled.topic_id])


def content(release: QrelsRelease, kind: str = "qrels") -> bytes:
    with release.files.get(kind=kind).file.open("rb") as file:
        return bytes(file.read())


def grades(release: QrelsRelease) -> dict[str, int]:
    rows = (line.split() for line in content(release).decode().splitlines())
    return {f"{topic} {docno}": int(grade) for topic, _, docno, grade in rows}


def released(campaign: Campaign, make: Factory, *words: Any, **stated: Any) -> dict[str, int]:
    return grades(release_qrels(campaign, make.make_user("carol"), ReleasePlan(*words, **stated)))


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({}, {"1 D1": 1, "1 D2": 2, "2 D1": 0}),
        ({"cannot": "-1"}, {"1 D1": 1, "1 D2": 2, "1 D3": -1, "2 D1": 0}),
        ({"cannot": "-2", "topics": ("1",)}, {"1 D1": 1, "1 D2": 2, "1 D3": -2}),
        ({"rule": "maximum", "topics": ("2", "1")}, {"1 D1": 3, "1 D2": 2, "2 D1": 0}),
        ({"rule": "majority, ties left out"}, {"1 D2": 2, "2 D1": 0}),
        ({"rule": "one judge", "judge": "alice"}, {"1 D1": 3, "1 D2": 2}),
        ({"judges": ("bob",)}, {"1 D1": 1, "1 D2": 2, "2 D1": 0}),
        ({"rule": "adjudicated, else primary"}, {"1 D1": 3, "1 D2": 2}),
        ({"pools": (1,)}, {"1 D1": 1, "1 D2": 2, "2 D1": 0}),
    ],
)
def test_a_plan_decides_which_lines_there_are(
    campaign: Campaign, make: Factory, stated: dict[str, Any], expected: dict[str, int]
) -> None:
    assert released(campaign, make, **stated) == expected


def test_who_was_given_a_topic_first_is_its_primary_judge(campaign: Campaign, make: Factory) -> None:
    Assignment.objects.filter(judge=make.make_user("alice"), topic__number="2").delete()
    assert released(campaign, make, "adjudicated, else primary") == {"1 D1": 3, "1 D2": 2, "2 D1": 0}


def test_an_adjudicated_grade_counts_where_the_rule_says_so(campaign: Campaign, make: Factory) -> None:
    settle(campaign, make, "1", "D1", 2)
    settle(campaign, make, "1", "D3", 0)
    assert released(campaign, make, "adjudicated, else majority") == {
        "1 D1": 2, "1 D2": 2, "1 D3": 0, "2 D1": 0,
    }  # fmt: skip
    assert released(campaign, make)["1 D1"] == 1


def in_columns(campaign: Campaign, plan: ReleasePlan) -> dict[tuple[str, str], Decision]:
    found, numbers = (
        draft_decisions(CampaignReads(campaign), plan),
        list(campaign.topics.values_list("number", flat=True)),
    )
    rows = CampaignReads(campaign).pooled.where(found.documents)
    pairs = [(numbers[topic], docno.decode()) for topic, docno in zip(rows.topic, rows.docno, strict=True)]
    decisions = found.decisions
    return dict(zip(pairs, (decisions.different[place] for place in decisions.of_document), strict=True))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("cannot_judge", ["leave out", "-2"])
def test_the_preview_shows_what_the_release_then_contains(
    campaign: Campaign, make: Factory, rule: str, cannot_judge: str
) -> None:
    settle(campaign, make, "1", "D1", 0)
    plan = ReleasePlan(rule, "bob" if rule == "one judge" else "", cannot=cannot_judge)
    preview = release_preview(CampaignReads(campaign), plan)
    release = release_qrels(campaign, make.make_user("carol"), plan)
    assert preview.lines == release.line_count == len(grades(release))
    assert preview.relevant == release.manifest["relevant"]
    assert preview.without == release.manifest["pooled_without_a_grade"] == 4 - release.line_count
    assert preview.unlabelled + sum(dict(preview.unwritten).values()) == preview.without
    lines = release_lines(CampaignReads(campaign), plan, current_cutoff(campaign))
    assert in_columns(campaign, plan) == {
        (line.document.topic, line.document.docno): line.decision for line in lines
    }
    after = release_preview(CampaignReads(campaign), plan).difference
    assert after and after.added == after.removed == after.changed == 0 and after.same == release.line_count


def test_the_preview_follows_labels_adjudications_and_releases(campaign: Campaign, make: Factory) -> None:
    plan = ReleasePlan("adjudicated, else majority")
    assert release_preview(CampaignReads(campaign), plan).difference is None
    release_qrels(campaign, make.make_user("carol"), plan)
    make.make_judgment(campaign, "alice", "2", "D1", 0)
    assert release_preview(CampaignReads(campaign), plan).several == 3
    settle(campaign, make, "1", "D1", 2)
    difference = release_preview(CampaignReads(campaign), plan).difference
    assert difference and (difference.changed, difference.same) == (1, 2)
    settle(campaign, make, "1", "D1", 1)
    assert release_preview(CampaignReads(campaign), plan).difference.changed == 0  # type: ignore[union-attr]


def test_a_cached_preview_equals_one_that_is_computed_anew(campaign: Campaign, make: Factory) -> None:
    carol, plan = make.make_user("carol"), ReleasePlan("adjudicated, else primary")
    release_preview(CampaignReads(campaign), plan)
    release_qrels(campaign, carol, ReleasePlan())
    steps: list[Callable[[], object]] = [
        lambda: make.make_judgment(campaign, "alice", "2", "D1", 0),
        lambda: make.make_judgment(campaign, "bob", "1", "D1", 3),
        lambda: settle(campaign, make, "1", "D1", 2),
        lambda: unassign_topic(campaign.topics.get(number="2"), make.make_user("alice"), carol),
        lambda: load_judgments(campaign, carol, b"2 0 D1 3\n", "more.qrels", "more"),
    ]
    for step in steps:
        step()
        kept = (
            release_preview(CampaignReads(campaign), plan),
            release_preview(CampaignReads(campaign), replace(plan, topics=("1",))),
        )
        cache.clear()
        assert kept == (
            release_preview(CampaignReads(campaign), plan),
            release_preview(CampaignReads(campaign), replace(plan, topics=("1",))),
        )


def test_the_difference_is_right_after_a_pool_with_lower_keys_was_committed(
    campaign: Campaign, make: Factory
) -> None:
    """PostgreSQL draws keys before it commits, so another freeze may show its documents later."""
    release = release_qrels(campaign, make.make_user("carol"))
    assert release_preview(CampaignReads(campaign), ReleasePlan()).difference == (0, 0, 0, release.line_count)
    make.make_run(campaign, "1 D9 9", tag="later")
    make.make_pool(campaign).documents.update(id=-1)
    assert release_preview(CampaignReads(campaign), ReleasePlan()).difference == (0, 0, 0, release.line_count)


def test_labels_given_while_a_release_is_written_are_not_in_it(campaign: Campaign, make: Factory) -> None:
    before = current_cutoff(campaign)
    make.make_judgment(campaign, "bob", "1", "D1", 3)
    now = current_cutoff(campaign)
    first, then = (
        next(release_lines(CampaignReads(campaign), ReleasePlan(), made)) for made in (before, now)
    )
    assert (first.votes["bob"].relevance, then.votes["bob"].relevance) == (1, 3)
    assert (first.relevance, then.relevance) == (1, 3)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({"topics": ("9",)}, "expected a topic of this campaign, found 9"),
        ({"pools": (7,)}, "expected a pool of this campaign, found 7"),
        ({"judges": ("mallory",)}, "expected a judge of this campaign, found mallory; known: alice, bob"),
        ({"machines": ("alice",)}, "expected a machine judge of this campaign, found alice; known: none"),
        ({"rule": "one judge", "judge": "eve"}, "expected a judge of this campaign, found eve"),
        ({"threshold": 9}, "expected a grade above 0 of this campaign, found 9"),
    ],
)
def test_a_plan_that_names_what_is_not_there_is_refused(
    campaign: Campaign, make: Factory, stated: dict[str, Any], expected: str
) -> None:
    with pytest.raises(BadPlan, match=expected):
        release_qrels(campaign, make.make_user("carol"), ReleasePlan(**stated))
    assert not campaign.releases.exists()


@pytest.mark.parametrize(
    "stated", [{"rule": "mode"}, {"cannot": "-3"}, {"rule": "one judge"}, {"judge": "alice"}]
)
def test_a_plan_that_cannot_be_followed_is_refused_as_it_is_made(stated: dict[str, Any]) -> None:
    with pytest.raises(BadPlan, match="expected"):
        ReleasePlan(**stated)


def test_a_plan_comes_back_from_json() -> None:
    plan = ReleasePlan("maximum", "", ("1", "A-7"), ("alice",), ("m/x",), (1, 2), "-2", 3)
    assert plan_from_json(json.loads(json.dumps(plan_to_json(plan)))) == plan


def test_nothing_is_stored_of_a_release_without_a_grade(make: Factory, settings: Any) -> None:
    campaign = make.make_pooled_campaign()
    cannot(campaign, make, "alice", "1", "D1")
    with pytest.raises(NothingToRelease):
        release_qrels(campaign, make.make_user("carol"), ReleasePlan(topics=("2",)))
    assert not list(Path(settings.MEDIA_ROOT).glob("qrels/*"))


def test_every_checksum_holds_and_stands_in_the_manifest(campaign: Campaign, make: Factory) -> None:
    release = release_qrels(campaign, make.make_user("carol"))
    manifest = json.loads(content(release, "manifest"))
    assert {*manifest["files"], "manifest"} == {file.kind for file in release.files.all()}
    for file in release.files.all():
        written = content(release, file.kind)
        assert file.sha256 == hashlib.sha256(written).hexdigest()
        assert file.size == len(written)
        if file.kind != "manifest":
            assert manifest["files"][file.kind]["sha256"] == file.sha256
    assert manifest == release.manifest
    assert manifest["sha256"] == release.sha256 == manifest["files"]["qrels"]["sha256"]
    assert plan_from_json(manifest["plan"]) == ReleasePlan() == plan_from_json(release.parameters)


def test_the_same_labels_make_the_same_files(campaign: Campaign, make: Factory) -> None:
    first, second = (release_qrels(campaign, make.make_user("carol")) for _ in range(2))
    for kind in ("qrels", "beir", "provenance", "labels"):
        assert first.files.get(kind=kind).sha256 == second.files.get(kind=kind).sha256
    assert (first.number, second.number) == (1, 2)


def test_an_old_release_stays_as_it_was(campaign: Campaign, make: Factory) -> None:
    first = release_qrels(campaign, make.make_user("carol"))
    before = {file.kind: content(first, file.kind) for file in first.files.all()}
    make.make_judgment(campaign, "bob", "1", "D1", 3)
    release_qrels(campaign, make.make_user("carol"))
    assert {file.kind: content(first, file.kind) for file in first.files.all()} == before


def test_the_agreement_of_a_release_stands_beside_it_and_is_that_of_its_labels(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = release_qrels(campaign, make.make_user("carol"))
    release.refresh_from_db()
    agreement = agreement_of_release(release)
    assert agreement[0].n == 2 and agreement[0].value == 0.5  # D1 and D2 of topic 1
    release.agreement = None  # as of a release that was made before
    assert agreement_of_release(release) == agreement
    release.refresh_from_db()
    cache.clear()
    monkeypatch.setattr(release_agreement, "agreement_of", None)  # no label is read for it
    assert agreement_of_release(release) == agreement


def test_outside_readers_read_qrels_and_beir_alike(campaign: Campaign, make: Factory, tmp_path: Path) -> None:
    release = release_qrels(campaign, make.make_user("carol"), ReleasePlan(cannot="-1"))
    (tmp_path / "qrels").write_bytes(content(release))
    path = str(tmp_path / "qrels")
    judged = ir_measures.read_trec_qrels(path)  # type: ignore[no-untyped-call]
    read = {(each.query_id, each.doc_id): each.relevance for each in judged}
    assert read == {("1", "D1"): 1, ("1", "D2"): 2, ("1", "D3"): -1, ("2", "D1"): 0}
    rows = csv.DictReader(StringIO(content(release, "beir").decode()), delimiter="\t")
    assert {(row["query-id"], row["corpus-id"]): int(row["score"]) for row in rows} == read
    (tmp_path / "run").write_text("1 Q0 D2 1 2.0 me\n2 Q0 D1 1 1.0 me\n")
    scored = subprocess.run(
        [
            sys.executable,
            "-m",
            "metrics.trec_eval",
            "-m",
            "num_rel_ret",
            tmp_path / "qrels",
            tmp_path / "run",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert scored.stdout.split() == ["num_rel_ret", "all", "1"]


def test_every_line_says_where_its_grade_comes_from(campaign: Campaign, make: Factory) -> None:
    settle(campaign, make, "1", "D1", 2)
    release = release_qrels(campaign, make.make_user("carol"), ReleasePlan("adjudicated, else majority"))
    lines = [json.loads(line) for line in content(release, "provenance").splitlines()]
    assert [(line["topic"], line["docno"], line["relevance"]) for line in lines] == [
        ("1", "D1", 2), ("1", "D2", 2), ("2", "D1", 0),
    ]  # fmt: skip
    first = lines[0]
    assert [(label["judge"], label["relevance"]) for label in first["labels"]] == [("alice", 3), ("bob", 1)]
    assert (first["adjudication"]["by"], first["adjudication"]["why"]) == ("ada", "read twice")
    assert first["primary"] == "alice" and first["pool"] == 1
    events = {str(key) for key in Judgment.objects.values_list("event__uuid", flat=True)}
    assert {label["event"] for line in lines for label in line["labels"]} <= events


def test_the_raw_labels_hold_every_event_with_its_time_and_remarks(campaign: Campaign, make: Factory) -> None:
    release = release_qrels(campaign, make.make_user("carol"))
    lines = [json.loads(line) for line in gzip.decompress(content(release, "labels")).splitlines()]
    events = {str(event.uuid): event for event in JudgmentEvent.objects.all()}
    assert {line["event"] for line in lines} == set(events) and len(lines) == len(events) == 7
    for line in lines:
        event = events[line["event"]]
        assert (line["relevance"], line["reason"]) == (event.relevance, event.reason)
        assert line["at"] == event.pressed_at.isoformat() and line["text_hash"] == event.text_hash
        assert line["current"] == Judgment.objects.filter(event=event).exists()
        assert (line["comment"], line["evidence"]) == (event.comment, event.evidence)
    assert sum(not line["current"] for line in lines) == 1
    assert "a private note" in {line["comment"] for line in lines}
    numbered = gzip.decompress(content(release, "labels-numbered"))
    assert b"comment" not in numbered and b"comment" not in content(release, "provenance")


def test_a_citation_names_the_release_and_its_checksum(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    campaign.name = "R&D_{Tiny} 100%"
    campaign.save()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    text = content(release := release_qrels(campaign, make.make_user("carol")), "citation").decode()
    assert "carol (" in text and release.sha256 in text and "release 1" in text
    entry = text.partition("\n\n")[2]
    assert entry.startswith("@misc{tiny-qrels-v1,") and r"R\&D\_\{Tiny\} 100\%" in entry
    plain = entry.replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")


def test_a_sampled_pool_gives_prels_with_its_strata(make: Factory) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    make.make_run(campaign, "\n".join(f"1 D{rank:02} {50 - rank}" for rank in range(1, 21)))
    plan = PoolPlan("stratified", {"strata": "5:1 20:0.2"}, seed=3)
    pool = freeze_pool(campaign, make.make_user("carol"), list(campaign.runs.all()), plan)
    assign([make.make_user("alice")], campaign.topics.all())
    docnos = list(pool.documents.values_list("docno", flat=True))
    for docno in docnos[:-1]:
        make.make_judgment(campaign, "alice", "1", docno, 2)
    release = release_qrels(campaign, make.make_user("carol"))
    prels = parse_prels(content(release, "prels-1"))
    found = dict(zip(prels.docnos.tolist(), prels.grades.tolist(), strict=True))
    assert len(found) == 20 and len(docnos) == 8
    assert {docno.decode() for docno, grade in found.items() if grade == 2} == set(docnos[:-1])
    assert prels.strata is not None and prels.strata.tolist().count(b"2") == 15
    assert release.files.get(kind="prels-1").line_count == 20


def test_a_campaign_without_a_sampled_pool_has_no_prels(campaign: Campaign, make: Factory) -> None:
    release = release_qrels(campaign, make.make_user("carol"))
    assert not release.files.filter(kind__startswith="prels").exists()


def test_a_release_asks_the_database_a_number_of_times_that_labels_do_not_raise(
    campaign: Campaign, make: Factory, django_assert_max_num_queries: Any
) -> None:
    def queries() -> int:
        with django_assert_max_num_queries(60) as asked:
            release_qrels(campaign, make.make_user("carol"))
        return len(asked)

    queries()  # which reads the pooled documents, once
    make.make_judgment(campaign, "alice", "1", "D3", 1)
    before = queries()
    make.make_judgment(campaign, "alice", "2", "D1", 1)
    make.make_judgment(campaign, "bob", "1", "D3", 1)
    assert queries() == before


def test_settled_grades_are_used_unless_another_rule_is_chosen(campaign: Campaign, make: Factory) -> None:
    assert CampaignReads(campaign).release_plan == ReleasePlan()
    carol = make.make_user("carol")
    release_qrels(campaign, carol, ReleasePlan("maximum"))
    assert CampaignReads(campaign).release_plan == ReleasePlan("maximum")
    settle(campaign, make, "1", "D1", 2)
    assert release_qrels(campaign, carol).rule == ADJUDICATED
    call_command("release_qrels", campaign.slug, user="carol")
    assert campaign.releases.first().rule == ADJUDICATED  # type: ignore[union-attr]
    release_qrels(campaign, carol, ReleasePlan("adjudicated, else primary"))
    assert CampaignReads(campaign).release_plan == ReleasePlan("adjudicated, else primary")


def test_the_default_follows_the_one_judge_of_the_last_release(campaign: Campaign, make: Factory) -> None:
    release_qrels(campaign, make.make_user("carol"), ReleasePlan("one judge", "bob"))
    assert CampaignReads(campaign).release_plan == ReleasePlan("one judge", "bob")
    form = ReleaseForm(default_form_values(CampaignReads(campaign)), reads=CampaignReads(campaign))
    assert form.is_valid() and form.plan().rule == "one judge" and form.plan().judge == "bob"


def test_the_preview_says_which_settled_grades_are_not_used(campaign: Campaign, make: Factory) -> None:
    waiting = release_preview(CampaignReads(campaign), ReleasePlan()).waiting
    settle(campaign, make, "1", "D1", 2)
    preview = release_preview(CampaignReads(campaign), ReleasePlan("majority, ties left out"))
    assert (preview.settled, preview.waiting) == (1, waiting - 1)
    client = Client()
    client.force_login(make.make_user("carol"))
    page = markup(client.get(f"/campaigns/{campaign.slug}/qrels/"))
    assert "1 settled grade is used by this rule." in " ".join(page.split())
    other = markup(client.get(f"/campaigns/{campaign.slug}/qrels/preview/", {"rule": "maximum"}))
    assert "1 settled grade is not used by this rule." in " ".join(other.split())
