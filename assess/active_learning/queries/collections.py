"""The collections of a campaign, and their files."""

from __future__ import annotations

import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

from django.core.files.storage import default_storage
from django.db.models import Count, QuerySet

from assess.active_learning.collection_files import FILES, OpenCollection
from assess.models import ReviewCollection
from pooling.models import Campaign

MOST_OPEN = 4  # collections that a process keeps open


def collections_of(campaign: Campaign) -> QuerySet[ReviewCollection]:
    """Return the collections with `review_count`."""
    return campaign.review_collections.select_related("loaded_by").annotate(review_count=Count("reviews"))


def opened(collection: ReviewCollection) -> OpenCollection:
    """Return the files of a collection. A process opens them once; workers call this, pages do not."""
    return _opened(tuple(getattr(collection, name).name for name in FILES))


@lru_cache(maxsize=MOST_OPEN)
def _opened(names: tuple[str, ...]) -> OpenCollection:
    return OpenCollection(dict(zip(FILES, map(_local, names), strict=True)))


def _local(name: str) -> Path:
    """Return where a stored file is on this machine; a copy of one that is stored elsewhere."""
    try:
        return Path(default_storage.path(name))
    except NotImplementedError:
        folder = Path(tempfile.mkdtemp(prefix="jurypool-collection-"))
        with default_storage.open(name) as stored, (folder / "file").open("wb") as file:
            shutil.copyfileobj(stored, file)
        return folder / "file"
