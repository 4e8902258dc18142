"""What one request reads of the topics, runs, pools and texts of a campaign: each question is asked once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

from pooling.formats.docnos import DocnoTable
from pooling.models import Campaign, Pool, PooledDocument, Topic
from pooling.queries.caching import cached
from pooling.queries.documents import TextCounts, count_texts, import_version, newest_document
from pooling.queries.runs import docnos_version, read_docnos, runs_version

Value = TypeVar("Value")


class PoolingReads:
    """A campaign as one request, command or service sees it.

    Make it after `campaign_or_404`, pass it on, and do not keep it: it does not notice what is written later.
    """

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self._results: dict[str, tuple[object, Any]] = {}
        self._once: dict[str, Any] = {}

    def once(self, name: str, read: Callable[[], Value]) -> Value:
        """Return a result that is read in every request, and once in it. name: of the result."""
        if name not in self._once:
            self._once[name] = read()
        value: Value = self._once[name]
        return value

    def cached(self, name: str, version: object, compute: Callable[[], Value]) -> Value:
        """Return a result of this version: computed in this request, in an earlier one, or now.

        name: of the result, without blanks. See `pooling.queries.caching`.
        """
        result = self._results.get(name)
        if result is None or result[0] != version:
            result = self._results[name] = version, cached(self.campaign, name, version, compute)
        value: Value = result[1]
        return value

    @cached_property
    def topics(self) -> list[Topic]:
        """The topics in campaign order."""
        return list(self.campaign.topics.order_by("place"))

    @cached_property
    def topic_numbers(self) -> list[str]:
        return [topic.number for topic in self.topics]

    @cached_property
    def pools(self) -> list[Pool]:
        """The pools by number, without their long manifests and parameters."""
        return list(self.campaign.pools.defer("manifest", "parameters").order_by("number"))

    @cached_property
    def pool_keys(self) -> list[int]:
        """The keys of the pools by number, which are a version of the pools: see `pool_keys`."""
        return [pool.pk for pool in self.pools]

    @cached_property
    def runs_version(self) -> str:
        return runs_version(self.campaign)

    @cached_property
    def docnos_version(self) -> tuple[int, str] | None:
        return docnos_version(self.campaign)

    @cached_property
    def docnos(self) -> DocnoTable:
        """The dictionary of docnos. It has every document of the runs that were read before it."""
        return self.cached("docnos", self.docnos_version, lambda: read_docnos(self.campaign))

    @cached_property
    def newest_document(self) -> int:
        return newest_document(self.campaign)

    @cached_property
    def import_version(self) -> tuple[str, list[tuple[int, dict[str, int]]]]:
        return import_version(self.campaign)

    @cached_property
    def texts(self) -> TextCounts:
        """The pooled documents and those without a text."""
        version = self.pool_keys, self.newest_document, self.import_version
        return self.cached("text-counts", version, self._count_texts)

    def _count_texts(self) -> TextCounts:
        return count_texts(self.campaign, self.pool_keys, self.count_pooled)

    @cached_property
    def count_pooled(self) -> int:
        """The number of pooled documents, also of gold and training documents."""
        return PooledDocument.objects.filter(pool__in=self.pool_keys).count()
