"""The whole way by management commands, as a script would go it."""

from __future__ import annotations

import sys
import zipfile
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from assess.models import Adjudication, JudgmentEvent
from assess.queries.sources import of_people
from pooling.models import Campaign
from tests.support.factory import Factory

TOPICS = "7\tboats\n"
RUN = "7 Q0 D1 1 2.0 good\n7 Q0 D2 2 1.0 good\n"
DOCUMENTS = "D1\tA sloop sails.\nD2\tA dinghy rows.\n"


def run(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out, stderr=out)
    return out.getvalue()


@pytest.fixture
def files(tmp_path: Path, make: Factory) -> Path:
    make.make_user("carol")
    for name, text in {
        "topics.tsv": TOPICS,
        "good.run": RUN,
        "poor.run": RUN.replace("D1", "X").replace("D2", "D1").replace("X", "D2").replace("good", "poor"),
        "documents.tsv": DOCUMENTS,
        "first.qrels": "7 0 D1 3\n7 0 D2 0\n",
        "second.qrels": "7 0 D1 3\n7 0 D2 1\n",
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_every_step_of_the_main_job_can_be_scripted(files: Path) -> None:
    run("create_campaign", "Boats", "--organiser", "carol", "--scale", "four", "--threshold", "2")
    assert run("load_topics", "boats", f"{files}/topics.tsv") == "1 topic loaded.\n"
    assert "stored as good, 2 lines" in run("submit_runs", "boats", f"{files}/good.run", f"{files}/poor.run")
    assert "Pool 1 frozen: 2 documents" in run("freeze_pool", "boats", "--depth", "2")
    assert "2 documents read, 2 stored.\n0 pooled documents without a text." in run(
        "import_documents", "boats", f"{files}/documents.tsv"
    )
    assert "Loaded 2 of 2 judgments as those of first: 2 in a pool" in run(
        "load_judgments", "boats", f"{files}/first.qrels", "--judge", "first"
    )
    run("load_judgments", "boats", f"{files}/second.qrels", "--judge", "second")
    assert "boats/first\tboats/second\t2\t0.5000\t0.3333" in run("agreement", "boats")
    assert "Qrels v1: 2 judgments" in run("release_qrels", "boats", "--output", f"{files}/out.qrels")
    assert (files / "out.qrels").read_text() == "7 0 D1 3\n7 0 D2 0\n"
    scores = run("score", "boats").splitlines()
    assert scores[0].startswith("run,nDCG@10,AP")
    assert scores[1].startswith("good,1.0000,1.0000")
    assert scores[2].startswith("poor,0.6309,0.5000")
    assert run("score", "boats", "--measures", "P_1 AP(rel=2)").splitlines()[0] == "run,P@1,AP(rel=2)"
    with pytest.raises(CommandError, match="did you mean nDCG?"):
        run("score", "boats", "--measures", "nDGC")


def test_external_judgments_extend_a_pool_only_by_choice(files: Path, make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    (files / "more.qrels").write_text("1 0 D1 3\n1 0 d2.TXT 0\n1 0 NEW 1\n")
    said = run("load_judgments", "tiny", f"{files}/more.qrels", "--judge", "first")
    assert said.splitlines() == [
        "Loaded 1 of 3 judgments as those of first: 1 in a pool, 2 outside (2 in no run and without a text).",
        "2 judgments were left out; --extend-pool stores them.",
        "1 docno would be of the pool without upper case and endings: d2.TXT is D2;"
        " --match-docnos takes them.",
        "Grade 3: 1 judgments, 1 in a pool.",
        "Grade 1: 1 judgments, 0 in a pool.",
        "Grade 0: 1 judgments, 0 in a pool.",
        "Topic 1: 3 judgments, 1 in a pool.",
    ]
    assert campaign.pools.count() == 1
    said = run("load_judgments", "tiny", f"{files}/more.qrels", "--judge", "second", "--extend-pool")
    assert "Loaded 3 of 3 judgments" in said and "The pool was extended by 2 documents." in said
    assert campaign.pools.count() == 2


def test_assigning_by_name(files: Path, make: Factory) -> None:
    make.make_pooled_campaign()
    with pytest.raises(CommandError, match="no judge of this campaign nobody"):
        run("assign", "tiny", "--judges", "nobody")
    with pytest.raises(CommandError, match="no topic 9"):
        run("assign", "tiny", "--topics", "1", "9")
    assert run("assign", "tiny") == "0 new assignments.\n"


def test_dealing_inviting_and_probes_by_command(files: Path, make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    campaign.topics.get(number="1").assignments.all().delete()
    assert run("assign", "tiny", "--share-out", "--topics", "1", "--seconds", "1") == "2 new assignments.\n"
    with pytest.raises(CommandError, match="expected fewer second judges"):
        run("assign", "tiny", "--share-out", "--seconds", "2")
    link = run("assign", "tiny", "--topics", "2", "--part", "second", "--invite").strip()
    assert link.startswith("/invitations/")
    assert campaign.invitations.get().invited_topics.part == "second"
    (files / "gold.txt").write_text("1 D1 3\n1 NEW 0\n")
    said = run("load_probes", "tiny", f"{files}/gold.txt", "--kind", "gold")
    assert said == (
        "Loaded 2 gold documents; 1 were in no pool before,"
        " 1 were in a pool and no longer count in the qrels.\n"
    )
    with pytest.raises(CommandError, match=r"gold.txt, line 1: D1 of topic 1 is already a gold document"):
        run("load_probes", "tiny", f"{files}/gold.txt")


def test_people_come_in_by_name_or_by_link(files: Path, make: Factory) -> None:
    campaign = make.make_campaign()
    assert run("add_member", "tiny", "mallory", "--role", "reader") == "mallory, reader of Tiny.\n"
    with pytest.raises(CommandError, match="no user noor|no active user noor"):
        run("add_member", "tiny", "noor")
    link = run("invite", "tiny", "--role", "judge").strip()
    assert link.startswith("/invitations/")
    assert campaign.invitations.get().role == "judge"


def test_documents_come_from_a_folder_a_zip_and_ir_datasets(
    files: Path, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = make.make_pooled_campaign()
    (files / "texts").mkdir()
    (files / "texts" / "D1.txt").write_text("A text in a file of its own.")
    assert "1 document read, 1 stored" in run("import_documents", "tiny", f"{files}/texts")
    with zipfile.ZipFile(files / "some.zip", "w") as archive:
        archive.writestr("more.jsonl", '{"docno": "D2", "text": "Zipped."}')
    assert "1 document read, 1 stored" in run("import_documents", "tiny", f"{files}/some.zip")
    said = {"doc_id": "D3", "title": "Three", "date": "2020"}
    doc = SimpleNamespace(**said, default_text=lambda: "From a dataset.", _asdict=lambda: said)
    dataset = SimpleNamespace(docs_iter=lambda: iter([doc]))
    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=lambda identifier: dataset))
    assert "0 pooled documents without a text" in run("import_documents", "tiny", "--ir-dataset", "tiny/test")
    assert dict(campaign.documents.values_list("docno", "text"))["D3"] == "From a dataset."
    assert campaign.documents.get(docno="D3").facts == [["date", "2020"]]
    with pytest.raises(CommandError, match="Expected a path"):
        run("import_documents", "tiny")


def test_a_refusal_is_one_line_and_never_a_traceback(files: Path) -> None:
    with pytest.raises(CommandError, match="There is no campaign boats"):
        run("load_topics", "boats", f"{files}/topics.tsv")
    run("create_campaign", "Boats", "--organiser", "carol")
    with pytest.raises(CommandError, match=r"good.run: expected topics"):
        run("load_topics", "boats", f"{files}/good.run")
    with pytest.raises(CommandError, match="No such file"):
        run("load_topics", "boats", f"{files}/absent")
    run("load_topics", "boats", f"{files}/topics.tsv")
    with pytest.raises(CommandError, match="1 of 1 files refused"):
        run("submit_runs", "boats", f"{files}/topics.tsv")
    with pytest.raises(CommandError, match="none was chosen"):
        run("freeze_pool", "boats", "--depth", "2")
    with pytest.raises(CommandError, match="Nothing has been judged"):
        run("release_qrels", "boats")
    with pytest.raises(CommandError, match="no such release"):
        run("score", "boats")
    with pytest.raises(CommandError, match="There is a campaign with the short name boats already"):
        run("create_campaign", "Boats", "--organiser", "carol")


@pytest.mark.django_db
def test_the_demonstration_loads_once_and_is_whole() -> None:
    first = run("load_demo")
    assert "Loading the demonstration campaign" in first
    assert "The documents are docstrings of Python 3.11.7.\n" in first
    campaign = Campaign.objects.get(slug="python")
    assert "docstrings of Python 3.11.7" in campaign.description and campaign.collection_size == 4475
    assert campaign.documents.count() == 1179
    labels = JudgmentEvent.objects.filter(of_people())
    assert labels.count() == 3 * 245 and labels.filter(active_seconds=None).count() == 0
    assert labels.exclude(comment="").count() == 9
    assert campaign.sources.programs().get().user.judgments.count() == 1650
    assert Adjudication.objects.count() == 7
    assert [found["what"][:15] for found in campaign.runs.get(tag="fusion-late").warnings] == [
        "every rank is 0", "no line for 2 o",
    ]  # fmt: skip
    for name in ("olga", "ada", "ben", "chi", "ines", "pat", "rita"):
        assert name in first
    assert "Loading" not in run("load_demo")
    scores = run("score", "python").splitlines()
    assert len(scores) == 1 + 13
    assert scores[-1].startswith("longest-first")  # weak on purpose
    agreement = run("agreement", "python").splitlines()
    assert len(agreement) == 1 + 6 + 1  # pairs of three judges and a machine
    assert User.objects.get(username="pat").memberships.get().group == "okapi"
    assert "; 0 faults, 0 notes" in run("audit", "python")


def test_labels_of_a_source_are_withdrawn_and_restored(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_machine(campaign, "1 0 D1 3\n1 0 D2 0\n")
    options = ("tiny", "tiny/robot", "--reason", "Another prompt was used.", "--as", "carol")
    assert run("withdraw_source", *options) == "2 labels of tiny/robot are withdrawn.\n"
    assert not campaign.sources.standing().exists()
    entry = campaign.audit_log.latest("number")
    assert (entry.who, entry.verb, entry.details["reason"]) == (
        "carol", "withdrew labels", "Another prompt was used."
    )  # fmt: skip
    with pytest.raises(CommandError, match="robot is withdrawn already"):
        run("withdraw_source", *options)
    with pytest.raises(CommandError, match=r"expected a judge with labels \(tiny/robot\), found robot"):
        run("restore_source", "tiny", "robot")
    assert run("restore_source", "tiny", "tiny/robot") == "2 labels of tiny/robot count again.\n"


def test_releases_follow_their_options_and_tell_what_changed(files: Path, make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "bob", "1", "D1", 1)
    (files / "robot.qrels").write_text("1 0 D1 0\n1 0 D2 2\n1 0 D99 2\n")
    (files / "prompt.txt").write_text("Is it relevant?")
    about = (
        "--judge",
        "robot",
        "--model",
        "m 1",
        "--prompt",
        f"{files}/prompt.txt",
        "--made-on",
        "2026-05-04",
    )
    said = run("load_machine_labels", "tiny", f"{files}/robot.qrels", *about)
    assert said == "Loaded 2 labels of tiny/robot; skipped 1 of documents in no pool.\n"
    assert "Qrels v1: 1 judgments" in run("release_qrels", "tiny", "--rule", "maximum", "--topics", "1")
    (files / "out").mkdir()
    options = ("--machines", "tiny/robot", "--cannot", "-1", "--threshold", "1", "--folder", f"{files}/out")
    assert "Qrels v2: 2 judgments" in run("release_qrels", "tiny", "--rule", "minimum", *options)
    assert (files / "out" / "tiny-beir-v2.tsv").read_text().splitlines()[1:] == ["1\tD1\t0", "1\tD2\t2"]
    written = {path.name.removeprefix("tiny-") for path in (files / "out").iterdir()}
    assert {"labels-v2.jsonl.gz", "labels-numbered-v2.jsonl.gz"} < written and len(written) == 9
    assert run("diff_releases", "tiny", "1", "2") == (
        "topic\tdocno\tbefore\tafter\n1\tD1\t3\t0\n1\tD2\t-\t2\n"
    )
    with pytest.raises(CommandError, match="There is no release 3"):
        run("diff_releases", "tiny", "1", "3")
    with pytest.raises(CommandError, match="expected the name of the judge"):
        run("release_qrels", "tiny", "--rule", "one judge")
    with pytest.raises(CommandError, match="expected a topic of this campaign, found 9"):
        run("release_qrels", "tiny", "--topics", "9")
