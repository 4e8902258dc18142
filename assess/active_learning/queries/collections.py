"""The collections of a campaign, and their files."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock

from django.core.files.storage import default_storage
from django.db.models import Count, QuerySet

from assess.active_learning.collection_files import FILES, OpenCollection
from assess.models import ReviewCollection
from pooling.formats.documents.record import DocumentRecord
from pooling.models import Campaign, Job
from pooling.words import enumeration

READ_AT_ONCE = 500  # stored documents
MOST_OPEN = 4  # collections that a process keeps open
SIMULATION = "assess.active_learning.tasks.simulate_reviews"  # that module imports this one


def collections_of(campaign: Campaign) -> QuerySet[ReviewCollection]:
    """Return the collections with `review_count`."""
    return campaign.review_collections.select_related("loaded_by").annotate(review_count=Count("reviews"))


def collections_with_files(campaign: Campaign) -> QuerySet[ReviewCollection]:
    return campaign.review_collections.exclude(texts="")


def stored_documents(campaign: Campaign) -> Iterator[DocumentRecord]:
    """Yield the documents that the campaign has for judges, in the order in which they were stored.

    Each part is read by a query of its own: under an open one, SQLite lets this connection write nothing.
    """
    last = 0
    while documents := list(campaign.documents.filter(pk__gt=last).order_by("pk")[:READ_AT_ONCE]):
        for each in documents:
            facts = tuple((name, value) for name, value in each.facts)
            yield DocumentRecord(each.docno, each.title, each.text, each.url, facts)
        last = documents[-1].pk


def why_not_removed(collection: ReviewCollection) -> str:
    """Return the sentence why a collection cannot be removed; empty if it can."""
    if numbers := list(collection.reviews.values_list("topic__number", flat=True)):
        return f"{collection} cannot be removed: the review of topic {enumeration(numbers)} uses it."
    jobs = collection.campaign.jobs.filter(state__in=Job.UNFINISHED)
    if jobs.filter(task=SIMULATION, arguments__collection=collection.number).exists():
        return f"{collection} cannot be removed: a job simulates reviews over it. Cancel that job first."
    return ""


def opened(collection: ReviewCollection) -> OpenCollection:
    """Return the files of a collection. A process opens them once; workers call this, pages do not."""
    return _opened(tuple(getattr(collection, name).name for name in FILES))


@lru_cache(maxsize=MOST_OPEN)
def _opened(names: tuple[str, ...]) -> OpenCollection:
    return OpenCollection(LocalFiles(dict(zip(FILES, names, strict=True))))


class LocalFiles(Mapping[str, Path]):
    """Stored files on this machine. names: key -> name in the storage.

    A file that is stored elsewhere is copied when it is first asked for. The copies are deleted with this
    object, at the latest when the process ends.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names, self._copies, self._lock = names, dict[str, Path](), Lock()

    def __getitem__(self, key: str) -> Path:
        try:
            return Path(default_storage.path(self._names[key]))
        except NotImplementedError:
            return self._copy(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    @cached_property
    def _folder(self) -> Path:
        folder = tempfile.mkdtemp(prefix="jurypool-collection-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return Path(folder)

    def _copy(self, key: str) -> Path:
        with self._lock:  # of two threads the second waits for the copy
            if key not in self._copies:
                path = self._folder / key
                with default_storage.open(self._names[key]) as stored, path.open("wb") as file:
                    shutil.copyfileobj(stored, file)
                self._copies[key] = path
        return self._copies[key]
