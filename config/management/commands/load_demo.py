from __future__ import annotations

import csv
import json
import os
import secrets
from collections.abc import Iterable, Iterator
from ipaddress import ip_address
from pathlib import Path
from platform import python_version
from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth.models import Permission
from django.core.management.base import BaseCommand
from django.db import transaction

from accounts.models import User
from assess.services.assignments import assign
from assess.services.imports import store_labels
from assess.services.releases import release_qrels
from config.demo.corpus import Document, build_documents
from config.demo.rankers import run_rankers
from metrics.services import score_release
from pooling.checksum import text_hash
from pooling.formats.documents.reading import read_documents
from pooling.manifest import Plan
from pooling.models import Campaign, Role
from pooling.queries.pools import pooled_in
from pooling.scale import Grade
from pooling.services.documents import import_documents
from pooling.services.people import add_member, create_campaign
from pooling.services.pools import freeze_pool
from pooling.services.runs import Submission, submit_run
from pooling.services.topics import load_topics

DEMO = Path(__file__).resolve().parents[2] / "demo"
SLUG = "python"
PASSWORD = "jurypool"
PEOPLE = [
    ("olga", "Olga Reyes", Role.ORGANISER),
    ("ada", "Ada Moreau", Role.JUDGE),
    ("ben", "Ben Okoro", Role.JUDGE),
    ("chi", "Chi Tanaka", Role.JUDGE),
    ("pat", "Pat Lindqvist", Role.PARTICIPANT),
    ("rita", "Rita Novak", Role.READER),
]
GRADES = (
    Grade(0, "Not relevant", "Does not help.", 0),
    Grade(1, "Related", "Background, or helps only a little.", 1),
    Grade(2, "Relevant", "A good part of the answer.", 2),
    Grade(3, "Exactly this", "Exactly what is asked.", 3),
)
ABOUT = (
    "Which parts of Python's standard library answer what programmers look for? "
    "A demonstration: real documents, real rankers, real labels on five topics; the rest is yours to judge."
)
GUIDELINES = (DEMO / "guidelines.md").read_text()


class Command(BaseCommand):
    help = (
        "Load the demonstration campaign, once: retrieval over the standard library's documentation. Where"
        " JURYPOOL_BIND lets other machines in, its people get a random password."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        password = PASSWORD if is_local(os.environ.get("JURYPOOL_BIND", "")) else secrets.token_urlsafe(12)
        if not Campaign.objects.filter(slug=SLUG).exists():
            self.stdout.write("Loading the demonstration: reading the standard library, ranking, pooling …")
            with transaction.atomic():
                stale = load(password)
            self.stdout.write(f"The documents are the docstrings of Python {python_version()}.")
            if stale:
                self.stdout.write(
                    f"{len(stale)} shipped labels are left out; with this Python their documents are not"
                    f" pooled, or read differently: {', '.join(stale)}"
                )
        people = User.objects.in_bulk([username for username, *_ in PEOPLE], field_name="username")
        if password != PASSWORD:
            replace_known_passwords(people.values(), password)
        self.stdout.write("\nSign in as one of")
        for username, name, role in PEOPLE:
            if user := people.get(username):
                known = user.check_password(password)
                told = f"password {password}" if known else "the password that was set for it earlier"
                self.stdout.write(f"  {username:6} {role.label.lower():12} {name:15} {told}")


def is_local(bind: str) -> bool:
    """Return whether a web server at this address answers its own machine only. Empty: the default."""
    if not bind or bind.startswith("unix:"):
        return True
    host = urlsplit(f"//{bind}").hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a host name
        return False


def replace_known_passwords(people: Iterable[User], password: str) -> None:
    for user in people:
        if user.check_password(PASSWORD):
            user.set_password(password)
            user.save(update_fields=["password"])


def load(password: str) -> list[str]:
    """Walk the whole way with the services that the pages call; return the labels that were left out, as
    topic/docno."""
    people = {name: make_person(name, full, password) for name, full, _ in PEOPLE}
    olga = people["olga"]
    olga.user_permissions.add(Permission.objects.get(codename="add_campaign"))
    campaign = create_campaign(
        olga, "Python, searched", SLUG, GRADES, threshold=2,
        description=f"{ABOUT} The documents are the docstrings of Python {python_version()}.",
        guidelines=GUIDELINES,
    )  # fmt: skip
    for name, _, role in PEOPLE:
        group = "okapi" if role == Role.PARTICIPANT else ""
        add_member(campaign, people[name], role, group, by=olga)
    load_topics(campaign, (DEMO / "topics.trec").read_bytes(), "topics.trec", olga)
    documents = build_documents()
    for about, lines in run_rankers(documents, list(campaign.topics.all())):
        submitter = people["pat"] if about.group == "okapi" else olga
        submission = Submission(group=about.group, kind=about.kind, description=about.description)
        submit_run(campaign, submitter, lines, f"{about.tag}.run", submission)
    freeze_pool(campaign, olga, list(campaign.runs.all()), Plan("depth", {"k": 10}))
    collection = "".join(json.dumps(document._asdict()) + "\n" for document in documents).encode()
    import_documents(campaign, lambda: read_documents(collection, "standard-library.jsonl"), by=olga)
    judges = [people[name] for name, _, role in PEOPLE if role == Role.JUDGE]
    assign(judges, campaign.topics.all(), by=olga)
    rows = list(shipped_labels())
    usable = usable_labels(rows, campaign, documents)
    for judge in judges:
        grades = {(row["topic"], row["docno"]): int(row[judge.username]) for row in usable}
        store_labels(campaign, judge, grades)
    score_release(release_qrels(campaign, olga))
    return [f"{row['topic']}/{row['docno']}" for row in rows if row not in usable]


def make_person(username: str, name: str, password: str) -> User:
    return User.objects.filter(username=username).first() or User.objects.create_user(
        username, name=name, password=password
    )


def usable_labels(
    rows: Iterable[dict[str, str]], campaign: Campaign, documents: list[Document]
) -> list[dict[str, str]]:
    """Return the shipped labels of pooled documents that still have the text that was judged.

    Another Python has other docstrings: a label does not carry over to a text that nobody has read.
    """
    hashes = {document.docno: text_hash(document.title, document.text) for document in documents}
    pooled = set(pooled_in(campaign).values_list("topic__number", "docno"))
    return [
        row
        for row in rows
        if (row["topic"], row["docno"]) in pooled and hashes[row["docno"]].startswith(row["text_hash"])
    ]


def shipped_labels() -> Iterator[dict[str, str]]:
    with (DEMO / "labels.tsv").open() as file:
        yield from csv.DictReader(file, delimiter="\t")
