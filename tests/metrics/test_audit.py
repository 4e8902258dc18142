"""The audit: silent on a campaign that went its way, and exact about every single thing that is changed
behind its back."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from io import StringIO
from math import nextafter
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import Model

from accounts.models import User
from assess.models import (
    Judgment,
    JudgmentEvent,
    LabelSummary,
    Progress,
    QrelsRelease,
    QueueEntry,
    ReleaseFile,
    ReturnedLabel,
)
from assess.services.assignments import assign
from assess.services.bulk_labels import store_labels
from assess.services.gold import load_gold
from assess.services.queues import return_to_judges
from metrics.models import Interleaving, Score
from pooling.checksum import sha256_of, text_hash
from pooling.models import Campaign, DocnoBlock, Document, Pool, PooledDocument, Run, RunColumns
from pooling.queries.images import image_hashes
from tests.support.factory import Factory
from tests.support.finished_campaign import make_lived_campaign

Broken = Callable[[Campaign], object]


def build_campaign(make: Factory) -> Campaign:
    return make_lived_campaign(make)


def audited(*words: str) -> tuple[list[dict[str, Any]], dict[str, Any], bool]:
    """Return the faults and notes, the summary, and whether the command failed."""
    cache.clear()
    out, failed = StringIO(), False
    try:
        call_command("audit", *(words or ("tiny",)), "--json", stdout=out)
    except CommandError:
        failed = True
    *found, summary = map(json.loads, out.getvalue().splitlines())
    return found, summary, failed


def test_a_campaign_that_went_its_way_audits_clean(campaign: Campaign) -> None:
    found, summary, failed = audited()
    assert (found, failed) == ([], False)
    assert summary["looked_at"] == {
        "documents": 3,
        "images": 3,
        "blocks of docnos": 2,
        "runs": 2,
        "pools": 3,
        "entries of the audit log": 22,
        "labels": 5,  # alice and bob on D1, alice on D2, the imported two
        "sources of labels": 0,  # that are withdrawn
        "repeated events": 0,
        "places in queues": 8,
        "counters of progress": 4,
        "label summaries": 3,
        "unfinished loads": 0,
        "texts on screen": 2,
        "releases": 2,
        "runs of machine judges": 0,  # see test_judge_runs
        "answer runs": 0,  # see test_answer_runs
        "propagated labels": 0,  # see near_duplicates
        "battles": 0,  # see battles
        "battle programs": 0,  # see battle_programs
        "preferences": 0,  # see preferences
        "snippets": 0,  # see snippets
        "magnitudes": 0,  # see magnitudes
        "gradings": 0,
        "pyramids": 0,  # see test_stored_pyramids
        "annotated peers": 0,
        "nugget banks": 0,  # see nuggets
        "marks in answers": 0,
        "matchings": 0,
        "citation support": 0,
        "matching programs": 0,
        "collections of reviews": 0,  # see active_learning
        "answer releases": 0,
        "releases of battles": 0,
        "scored runs": 3,
        "interleavings": 1,
        "A/B tests": 0,  # see ab_tests
    }


def test_documents_that_test_judges_audit_clean(campaign: Campaign, make: Factory) -> None:
    load_gold(campaign, make.make_user("carol"), "training", b"1 LEARN-1 2 It answers a part.\n")
    found, summary, _ = audited()
    assert (found, summary["looked_at"]["pools"]) == ([], 4)


def files_of(campaign: Campaign) -> tuple[Path, Path]:
    run, release = campaign.runs.get(tag="run"), campaign.releases.get(number=1)
    return Path(run.original.path), Path(release.file.path)


def change(model: type[Model], key: dict[str, Any], **values: Any) -> Broken:
    """Change one row behind everybody's back."""

    def broken(campaign: Campaign) -> None:
        rows = model._default_manager.filter(**key)
        assert rows.count() == 1
        rows.update(**values)

    return broken


def delete(model: type[Model], **key: Any) -> Broken:
    def broken(campaign: Campaign) -> None:
        assert model._default_manager.filter(**key)._raw_delete("default") == 1

    return broken


def write_run(campaign: Campaign) -> None:
    path = files_of(campaign)[0]
    text = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(text.replace(b"Q0", b"q0"), mtime=0))


def cut_run(campaign: Campaign) -> None:
    path = files_of(campaign)[0]
    path.write_bytes(path.read_bytes()[:-9])


def lose_run(campaign: Campaign) -> None:
    files_of(campaign)[0].unlink()


def lose_release(campaign: Campaign) -> None:
    files_of(campaign)[1].unlink()


def empty_block(campaign: Campaign) -> None:
    DocnoBlock.objects.filter(start=0).update(docnos=b"no zlib")


def repeat_docno(campaign: Campaign) -> None:
    block = zlib.compress(b"D1")
    DocnoBlock.objects.filter(start=3).update(docnos=block, checksum=sha256_of(block))


def swap_pooled(campaign: Campaign) -> None:
    PooledDocument.objects.filter(topic__number="2", docno="D1").update(docno="D8")


def another_last_label(campaign: Campaign) -> None:
    """A label that was given before, in place of the last one."""
    first = JudgmentEvent.objects.filter(judge__username="alice", pooled__docno="D2").order_by("pk")[0]
    Judgment.objects.filter(judge__username="alice", pooled__docno="D2").update(event=first, relevance=0)


def forget_return(campaign: Campaign) -> None:
    ReturnedLabel.objects.all()._raw_delete("default")


def swap_judge(campaign: Campaign) -> None:
    judgment = Judgment.objects.get(judge__username="alice", pooled__docno="D2")
    Judgment.objects.filter(pk=judgment.pk).update(judge=User.objects.get(username="bob"))


def release_line(campaign: Campaign) -> None:
    path = files_of(campaign)[1]
    path.write_bytes(path.read_bytes().replace(b"1 0 D2 1\n", b"1 0 D2 3\n"))


def labels_of(campaign: Campaign) -> Path:
    """Return where the labels of a release are: a file of it beside its qrels."""
    return Path(ReleaseFile.objects.get(release__number=1, kind="labels").file.path)


def another_file_of_release(campaign: Campaign) -> None:
    path = labels_of(campaign)
    path.write_bytes(path.read_bytes().swapcase())


def lose_file_of_release(campaign: Campaign) -> None:
    labels_of(campaign).unlink()


def next_to_nothing(campaign: Campaign) -> None:
    score = Score.objects.filter(release__number=1, measure="AP", run__tag="run").get()
    Score.objects.filter(pk=score.pk).update(value=nextafter(score.value, 2))


def topic_score(campaign: Campaign) -> None:
    score = Score.objects.filter(release__number=2, measure="nDCG@10", run__tag="run").get()
    Score.objects.filter(pk=score.pk).update(by_topic=score.by_topic | {"1": 0.5})


ALICE_D1 = {"judge__username": "alice", "pooled__docno": "D1", "pooled__topic__number": "1"}
FAULTS: list[tuple[str, Broken, set[str]]] = [
    ("a text", change(Document, {"docno": "D1"}, text="Another."), {"document checksum"}),
    ("a block's checksum", change(DocnoBlock, {"start": 0}, checksum="0" * 64), {"docnos checksum"}),
    ("a block's place", change(DocnoBlock, {"start": 3}, start=5), {"docnos place"}),
    ("a block", empty_block, {
        "docnos checksum", "docnos", "docnos place", "run docnos", "pool re-built", "interleaving lists",
    }),
    (
        "a docno twice",
        repeat_docno,
        {"docnos number of new docnos", "run docnos", "pooled document", "pool re-built sha256",
         "interleaving lists"},
    ),
    ("a run's bytes", write_run, {"run checksum"}),
    ("a run's last bytes", cut_run, {"run original", "scores"}),
    ("a run's file", lose_run, {"run original", "scores"}),
    ("a run's checksum", change(Run, {"tag": "later"}, sha256="0"), {"run checksum", "pool run later"}),
    ("a run's lines", change(Run, {"tag": "run"}, line_count=7), {"run line count"}),
    ("a run's topics", change(Run, {"tag": "run"}, topic_count=7), {"run topic count"}),
    ("a run's own tag", change(Run, {"tag": "run"}, file_tag="x"), {"run tag in the file"}),
    (
        "a run's scores",
        change(RunColumns, {"run__tag": "later"}, scores=b"\0" * 24),
        {"run column scores"},
    ),
    ("a run's columns", delete(RunColumns, run__tag="later"), {
        "run columns", "pool re-built", "interleaving lists",
    }),
    ("a pool's strategy", change(Pool, {"number": 1}, strategy="take"), {"pool strategy"}),
    ("a pool's parameters", change(Pool, {"number": 1}, parameters={}), {"pool parameters"}),
    (
        "a pooled document",
        swap_pooled,
        {"pool checksum of pairs", "pooled document", "pool re-built sha256"},
    ),
    (
        "a pooled document's rank",
        change(PooledDocument, {"topic__number": "1", "docno": "D3"}, best_rank=1),
        {"pooled document"},
    ),
    (
        "a label's grade",
        change(Judgment, {"judge__username": "alice", "pooled__docno": "D2"}, relevance=3),
        {"label", "label summary"},
    ),
    ("a label's event", another_last_label, {"label", "label summary"}),
    ("a label", delete(Judgment, **ALICE_D1), {"label", "label summary", "progress"}),
    ("a label's judge", swap_judge, {"label", "progress"}),
    ("a counter", change(Progress, {"judge__username": "bob"}, labels=7), {"progress"}),
    ("a summary of labels", change(LabelSummary, {"pooled__docno": "D2"}, lowest=9), {"label summary"}),
    ("a return", forget_return, {"label", "queue entry"}),
    (
        "a grade beyond the scale",
        change(JudgmentEvent, {"judge__username": "tiny/elsewhere", "pooled__docno": "X7"}, relevance=9),
        {"label", "label grade", "release"},
    ),
    ("a place done", change(QueueEntry, ALICE_D1, state="open"), {"queue entry"}),
    (
        "a place not done",
        change(QueueEntry, {"judge__username": "bob", "pooled__docno": "D2"}, state="done"),
        {"queue entry"},
    ),
    ("a place lost", delete(QueueEntry, **ALICE_D1), {"queue entry"}),
    ("a release's checksum", change(QrelsRelease, {"number": 1}, sha256="0"), {
        "release checksum", "release checksum in the manifest"
    }),
    ("a release's lines", change(QrelsRelease, {"number": 1}, line_count=9), {"release line count"}),
    ("a release's rule", change(QrelsRelease, {"number": 1}, rule="whim"), {"release rule"}),
    (
        "a line of a release",
        release_line,
        {"release checksum", "release file checksum", "release", "score"},
    ),
    ("another file of a release", another_file_of_release, {"release file checksum"}),
    ("another file of a release, lost", lose_file_of_release, {"release file"}),
    ("a release's agreement", change(QrelsRelease, {"number": 1}, agreement=[]), {"release agreement"}),
    ("a release's file", lose_release, {"release file", "scores"}),
    ("a file of lists", change(Interleaving, {"number": 1}, file="interleaving/0.jsonl"), {
        "interleaving file"
    }),
    ("a checksum of lists", change(Interleaving, {"number": 1}, sha256="0"), {
        "interleaving file", "interleaving lists"
    }),
    ("a score's last bit", next_to_nothing, {"score"}),
    ("a topic's score", topic_score, {"score"}),
]  # fmt: skip


@pytest.mark.parametrize(("broken", "named"), [case[1:] for case in FAULTS], ids=[c[0] for c in FAULTS])
def test_what_was_changed_behind_its_back_is_named(
    campaign: Campaign, broken: Broken, named: set[str]
) -> None:
    broken(campaign)
    found, summary, failed = audited()
    assert {fault["what"] for fault in found} == named
    assert failed and summary["faults"] == len(found)
    assert all(fault["expected"] != fault["found"] for fault in found)


def test_a_fault_says_where_it_is_and_what_was_expected(campaign: Campaign) -> None:
    Judgment.objects.filter(judge__username="alice", pooled__docno="D2").update(relevance=3)
    event = JudgmentEvent.objects.filter(judge__username="alice", pooled__docno="D2").last()
    assert event
    out = StringIO()
    with pytest.raises(CommandError, match="2 faults found"):
        call_command("audit", "--all", stdout=out)
    place, fault, of_summary, summary = out.getvalue().splitlines()
    assert place.startswith("Checked: database ") and ", data folder " in place
    assert fault == (
        f"FAULT: label, alice on topic 1, D2: expected grade 1 of event {event.uuid},"
        f" found grade 3 of event {event.uuid}"
    )
    assert of_summary == (
        "FAULT: label summary, D2 of topic 1: expected 1 grades from 3 to 3, 0 apart, 0 refusals,"
        " found 1 grades from 1 to 1, 0 apart, 0 refusals"
    )
    assert summary.startswith(
        "tiny: 3 documents, 3 images, 2 blocks of docnos, 2 runs, 3 pools, 22 entries of the audit log,"
        " 5 labels"
    )


def test_counters_that_are_wrong_are_repaired(campaign: Campaign) -> None:
    Progress.objects.filter(judge__username="bob").update(labels=7, refused=1, seconds=3)
    Progress.objects.filter(judge__username="alice").delete()
    LabelSummary.objects.filter(pooled__docno="D2").delete()
    assert {fault["what"] for fault in audited()[0]} == {"label summary", "progress"}
    out = StringIO()
    call_command("audit", "tiny", "--repair", stdout=out)
    assert "\ntiny: 3 counters repaired\n" in out.getvalue() and audited()[0] == []


def test_a_label_on_an_earlier_text_is_a_note_and_no_fault(campaign: Campaign) -> None:
    new_hash = text_hash("", "New.", image_hashes(campaign, ["D2"]).get("D2", ()))
    Document.objects.filter(docno="D2").update(text="New.", text_hash=new_hash)
    found, summary, failed = audited()
    assert [(note["what"], note["note"]) for note in found] == [("text", True)]
    assert "3 events on the earlier text" in found[0]["found"]
    assert (summary["faults"], summary["notes"], failed) == (0, 1, False)


def test_one_press_twice_is_named(campaign: Campaign) -> None:
    """The database lets no UUID in twice; so the test has to go round its constraint."""
    events = JudgmentEvent.objects.filter(judge__username="alice", pooled__docno="D2").order_by("pk")
    table = JudgmentEvent._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":  # one UUID, written in two ways
            cursor.execute(
                f"UPDATE {table} SET uuid = upper((SELECT uuid FROM {table} WHERE id = %s)) WHERE id = %s",
                [events[0].pk, events[1].pk],
            )
            cursor.execute(
                f"UPDATE {table} SET uuid = 'abcdef' || substr(uuid, 7) WHERE id = %s", [events[0].pk]
            )
            cursor.execute(
                f"UPDATE {table} SET uuid = 'ABCDEF' || substr(uuid, 7) WHERE id = %s", [events[1].pk]
            )
        else:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {table}_uuid_key")
            events.update(uuid=events[0].uuid)
    found, _, failed = audited()
    assert [(fault["what"], fault["found"]) for fault in found] == [("event", "2 times")]
    assert failed


def test_a_label_after_a_release_does_not_count_for_it(campaign: Campaign, make: Factory) -> None:
    make.make_judgment(campaign, "alice", "1", "D3", 3)
    assert audited()[0] == []


def test_what_was_returned_or_settled_after_a_release_does_not_count_for_it(
    campaign: Campaign, make: Factory
) -> None:
    return_to_judges(JudgmentEvent.objects.filter(relevance=None), make.make_user("carol"))
    assert audited()[0] == []


@pytest.mark.parametrize("words", [("tiny", "--all"), (), ("nowhere",)])
def test_one_campaign_is_named_or_all(campaign: Campaign, words: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        call_command("audit", *words)


def test_an_assigned_judge_is_not_asked_again_for_labels_that_were_brought_in(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    eve = make.make_user("eve")
    assign([eve], campaign.topics.all())
    store_labels(campaign, eve, {("1", "D1"): 2})
    states = QueueEntry.objects.filter(judge=eve).values_list("topic__number", "pooled__docno", "state")
    assert set(states) == {
        ("1", "D1", "done"),
        ("1", "D2", "open"),
        ("1", "D3", "open"),
        ("2", "D1", "open"),
    }
    assert audited()[0] == []
