"""Load a collection: read a file of documents, and store their texts and features. Remove one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Max
from django.urls import reverse

from accounts.models import User
from accounts.services import make_once
from assess.active_learning.collection_files import FILES, WrittenCollection, write_collection
from assess.active_learning.queries.collections import stored_documents, why_not_removed
from assess.models import ReviewCollection
from assess.services.campaigns import delete_unnamed_files
from pooling.campaign_states import check_writable
from pooling.checksum import sha256_of_parts
from pooling.formats.documents.reading import DocumentReader
from pooling.formats.documents.record import DocumentRecord
from pooling.models import Campaign, Job
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.documents import document_reader
from pooling.services.jobs import finish, report_progress
from pooling.words import counted


class RemovalRefused(Refused):
    """A collection was not removed; the message says why."""


def load_collection(
    campaign: Campaign,
    user: User,
    records: Iterable[DocumentRecord],
    name: str,
    report: Callable[[int], None] = lambda documents: None,
    stored: Callable[[ReviewCollection], None] = lambda collection: None,
    key: str = "",
) -> ReviewCollection:
    """Store documents as a collection, with their features.

    A collection that has no files here, because an archive was too small for them, gets those of the same
    documents; otherwise it is a new one.
    report: called with the number of documents so far. stored: called in the transaction that stores the
    collection. key: see `make_once`. Raises BadFile, Refused and StateRefused; then nothing is stored.
    """
    check_writable(campaign.state)
    with tempfile.TemporaryDirectory(prefix="jurypool-") as folder:
        written = write_collection(records, Path(folder), report)
        names, checksums = _store_files(Path(folder))
    try:
        collection = make_once(
            user,
            key,
            ReviewCollection,
            lambda: _store(campaign, user, name, written, names, checksums, stored),
        )
    except BaseException:
        _delete(names)
        raise
    if collection.texts.name != names["texts"]:  # a second request with the same key
        _delete(names)
    return collection


def _store_files(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Store the files of a folder; return their names and their checksums."""
    place, names, checksums = f"{ReviewCollection.FOLDER}{uuid4().hex}", {}, {}
    for name, file_name in FILES.items():
        with (folder / file_name).open("rb") as file:
            checksums[name] = sha256_of_parts(File(file).chunks())
            file.seek(0)
            names[name] = default_storage.save(f"{place}/{file_name}", File(file))
    return names, checksums


def _delete(names: Mapping[str, str]) -> None:
    for name in names.values():
        default_storage.delete(name)


@transaction.atomic
def _store(
    campaign: Campaign,
    user: User,
    name: str,
    written: WrittenCollection,
    names: Mapping[str, str],
    checksums: Mapping[str, str],
    stored: Callable[[ReviewCollection], None],
) -> ReviewCollection:
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    files: dict[str, Any] = dict(names)
    without = campaign.review_collections.filter(texts="", checksums__texts=checksums["texts"])
    if collection := without.first():
        for field, file_name in files.items():
            setattr(collection, field, file_name)
        collection.checksums = dict(checksums)  # features may differ in the last bit
        collection.save(update_fields=[*files, "checksums"])
        log_change(
            campaign, user, "loaded files of a collection", f"{collection} from {name}",
            sha256=checksums["texts"],
        )  # fmt: skip
        stored(collection)
        return collection
    last = campaign.review_collections.aggregate(last=Max("number"))["last"] or 0
    collection = ReviewCollection.objects.create(
        campaign=campaign,
        number=last + 1,
        name=name[:255],
        document_count=written.documents,
        term_count=written.terms,
        repeated=written.repeated,
        checksums=dict(checksums),
        loaded_by=user,
        **files,
    )
    summary = f"{collection}: {counted(written.documents, 'document')} from {name}"
    log_change(campaign, user, "loaded a collection", summary, sha256=checksums["texts"])
    stored(collection)
    return collection


@transaction.atomic
def remove_collection(collection: ReviewCollection, user: User) -> None:
    """Delete a collection that no review uses, with its files and what was simulated over it.

    Raises RemovalRefused, also if it was removed already, and StateRefused.
    """
    campaign = collection.campaign
    check_writable(campaign.state)
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)  # no review begins meanwhile
    if not campaign.review_collections.filter(pk=collection.pk).exists():
        raise RemovalRefused(f"{collection} was removed already.")
    if reason := why_not_removed(collection):
        raise RemovalRefused(reason)
    files = [getattr(collection, name).name for name in FILES if getattr(collection, name)]
    summary = f"{collection}: {counted(collection.document_count, 'document')} from {collection.name}"
    log_change(campaign, user, "removed a collection", summary, sha256=collection.checksums["texts"])
    collection.delete()
    delete_unnamed_files.enqueue(files)


def load_collection_of_job(job: Job) -> None:
    """Load the collection of a job: its upload, or without one the stored documents.

    Raises what `load_collection` raises, and Stopped.
    """
    name = job.arguments["name"]

    def report(documents: int) -> None:
        report_progress(job, documents, 0, "Reading documents and counting their words")

    def stored(collection: ReviewCollection) -> None:
        finish(job, said_of(collection), reverse("assess:review_list", args=[job.campaign.slug]))

    if not job.upload:
        load_collection(job.campaign, job.user, stored_documents(job.campaign), name, report, stored)
        return
    with job.upload.open("rb") as file:
        load_collection(job.campaign, job.user, reading_of(file, name), name, report, stored)


def reading_of(file: IO[bytes], name: str) -> DocumentReader:
    """Return a reading of an uploaded file, of a format that the pages of documents take."""
    return document_reader(file, name)


def said_of(collection: ReviewCollection) -> str:
    """Return what a load has stored, in a sentence."""
    text = f"{collection}: {counted(collection.document_count, 'document')}, "
    text += counted(collection.term_count, "term")
    if collection.repeated:
        text += f". {collection.repeated:,} left out: their docno came before"
    return f"{text}."
