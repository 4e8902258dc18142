"""The demonstration campaign, loaded from data files by the services that the pages call."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from uuid import uuid4

from django.contrib.auth.models import Permission
from django.db.models import Max
from django.utils import timezone

from accounts.models import User
from assess.models import JudgmentEvent, QueueEntry
from assess.queries.extensions import demonstrations
from assess.queries.judging import current_text_hash
from assess.services.adjudications import Settlement, settle
from assess.services.assignments import assign
from assess.services.audiences import change_audience
from assess.services.imports import MachineDetails, load_machine_labels
from assess.services.judging import SubmittedJudgment, record_judgment
from assess.services.releases import release_qrels
from metrics.services import score_release
from pooling.checksum import sha256_of
from pooling.formats.documents.reading import read_documents
from pooling.formats.files import unpack
from pooling.manifest import PoolPlan
from pooling.models import Campaign, Pool, Role
from pooling.queries.documents import document_of, pooled_in
from pooling.refusals import Refused
from pooling.scale import Grade
from pooling.services.documents import import_documents
from pooling.services.people import add_member, create_campaign
from pooling.services.pools import freeze_pool
from pooling.services.runs import Submission, submit_run
from pooling.services.topics import load_topics

FOLDER = Path(__file__).resolve().parent
SLUG = "python"
PYTHON_VERSION = "3.11.7"  # whose docstrings the documents are
COLLECTION_SIZE = 4475  # documents that the runs ranked; the pooled ones are in documents.jsonl.bz2
FROZEN_BEFORE = timedelta(days=8)  # the oldest label was given less than seven days before loading
PEOPLE = [
    ("olga", "Olga Reyes", Role.ORGANISER),
    ("ada", "Ada Moreau", Role.JUDGE),
    ("ben", "Ben Okoro", Role.JUDGE),
    ("chi", "Chi Tanaka", Role.JUDGE),
    ("ines", "Ines Haddad", Role.ADJUDICATOR),
    ("pat", "Pat Lindqvist", Role.PARTICIPANT),
    ("rita", "Rita Novak", Role.READER),
]
GRADES = (
    Grade(0, "Not relevant", "Does not help.", 0),
    Grade(1, "Related", "Background, or helps only a little.", 1),
    Grade(2, "Relevant", "A good part of the answer.", 2),
    Grade(3, "Exactly this", "Exactly what is asked.", 3),
)
DESCRIPTION = (
    "Which parts of Python's standard library answer what programmers look for? A demonstration: the runs are"
    " real, the labels of five topics were made by a language model, and the other topics are yours to judge."
    f" The documents are the docstrings of Python {PYTHON_VERSION}."
)
RANK_RULE = (
    "Grade 3 for ranks 1 to 3 of run bm25-td, 2 for 4 to 10, 1 for 11 to 30, 0 for all other documents."
)


def rows_of(name: str) -> Iterator[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t")


def load_campaign(people: dict[str, User]) -> None:
    """Take a campaign from topics and runs to two scored releases. people: by username, all of PEOPLE."""
    olga = people["olga"]
    olga.user_permissions.add(Permission.objects.get(codename="add_campaign"))
    campaign = create_campaign(
        olga, "Python, searched", SLUG, GRADES, threshold=2, description=DESCRIPTION,
        guidelines=(FOLDER / "guidelines.md").read_text(encoding="utf-8"), collection_size=COLLECTION_SIZE,
        state=Campaign.State.OPEN,
    )  # fmt: skip
    for username, _, role in PEOPLE:
        group = "okapi" if role == Role.PARTICIPANT else ""
        add_member(campaign, people[username], role, group, by=olga)
    load_topics(campaign, (FOLDER / "topics.trec").read_bytes(), "topics.trec", olga)
    pool_runs(campaign, people)
    judges = [people[username] for username, _, role in PEOPLE if role == Role.JUDGE]
    assign(judges, campaign.topics.all(), by=olga)
    record_labels(campaign, people)
    share_scores(campaign, olga)
    settle_cases(campaign, people["ines"])
    share_scores(campaign, olga)
    load_rank_rule(campaign, olga)
    compared = campaign.runs.get(tag="bm25-td"), campaign.runs.get(tag="lsi-100")
    for demonstrate in demonstrations:
        demonstrate(campaign, olga, compared)


def share_scores(campaign: Campaign, organiser: User) -> None:
    """Freeze a release, score the runs against it, and share it with participants and readers."""
    release = release_qrels(campaign, organiser)
    score_release(release)
    change_audience(release, release.State.SHARED, organiser)


def pool_runs(campaign: Campaign, people: dict[str, User]) -> None:
    """Submit the runs, freeze the pool of those that runs.tsv marks as pooled, and import its documents."""
    olga, pooled = people["olga"], []
    for row in rows_of("runs.tsv"):
        path = FOLDER / "runs" / f"{row['tag']}.run.bz2"
        submitter = people["pat"] if row["group"] == "okapi" else olga
        about = Submission(group=row["group"], kind=row["kind"], description=row["description"])
        run = submit_run(campaign, submitter, path.read_bytes(), path.stem, about)
        if row["pooled"] == "yes":
            pooled.append(run)
    pool = freeze_pool(campaign, olga, pooled, PoolPlan("depth", {"k": 10}))
    backdate(pool)
    content = unpack((FOLDER / "documents.jsonl.bz2").read_bytes())
    import_documents(campaign, lambda: read_documents(content, "documents.jsonl"), by=olga)


def backdate(pool: Pool) -> None:
    """Date a pool and its runs days back: a label cannot be older than its pool."""
    pool.frozen_at = timezone.now() - FROZEN_BEFORE
    pool.manifest["frozen_at"] = pool.frozen_at.isoformat()
    pool.save(update_fields=["frozen_at", "manifest"])
    pool.runs.update(submitted_at=pool.frozen_at)


def record_labels(campaign: Campaign, people: dict[str, User]) -> None:
    """Record the labels of labels.tsv, in its order. Raises Refused where a judged text is not pooled."""
    queue = QueueEntry.objects.filter(topic__campaign=campaign).select_related("pooled", "topic")
    entries = {(entry.judge_id, entry.topic.number, entry.pooled.docno): entry for entry in queue}
    for row in rows_of("labels.tsv"):
        entry = entries.get((people[row["judge"]].pk, row["topic"], row["docno"]))
        if entry is None or not (text_hash := current_text_hash(entry)).startswith(row["text_hash"]):
            raise Refused(
                f"labels.tsv: topic {row['topic']} has no document {row['docno']} with the text judged"
            )
        press = SubmittedJudgment(
            uuid4(), row["docno"], text_hash, int(row["grade"]), comment=row["comment"], source="key",
            active_seconds=float(row["active_seconds"]), seconds_ago=float(row["seconds_ago"]),
        )  # fmt: skip
        record_judgment(entry, press)


def settle_cases(campaign: Campaign, adjudicator: User) -> None:
    """Settle the documents of settled.tsv, on which judges differ."""
    for row in rows_of("settled.tsv"):
        pooled = pooled_in(campaign).get(topic__number=row["topic"], docno=row["docno"])
        document = document_of(pooled)
        last_label = JudgmentEvent.objects.filter(pooled=pooled).aggregate(last=Max("pk"))["last"]
        text_hash = document.text_hash if document else ""
        grade = int(row["grade"])
        settle(
            pooled, adjudicator, Settlement(uuid4(), pooled.docno, text_hash, last_label, grade, row["why"])
        )


def load_rank_rule(campaign: Campaign, organiser: User) -> None:
    """Load labels that follow from the ranks of one run, as those of a machine judge."""
    checksum = sha256_of(RANK_RULE.encode())
    machine = MachineDetails("rank-rule", "rule on ranks, no model", checksum, date(2026, 11, 24), RANK_RULE)
    content = (FOLDER / "rank-rule.qrels.bz2").read_bytes()
    load_machine_labels(campaign, organiser, content, "rank-rule.qrels", machine)
