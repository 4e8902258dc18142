"""Numbers for Prometheus: what this host's processes counted, and how the database stands now."""

from __future__ import annotations

import os
from collections.abc import Iterator

from django.db import connection
from django.db.models import Count
from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import REGISTRY, Collector

from pooling.models import Job

REQUESTS = Histogram(
    "jurypool_request_seconds",
    "Seconds until an answer began.",
    ["route", "method", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5),
)


class Database(Collector):
    """What is asked of the database, at each scrape: the same from every host, so take its maximum."""

    def collect(self) -> Iterator[Metric]:
        jobs = GaugeMetricFamily("jurypool_jobs", "Jobs by state.", labels=["state"])
        counts = dict(Job.objects.order_by().values_list("state").annotate(Count("pk")))
        for state in Job.State.values:
            jobs.add_metric([state], counts.get(state, 0))
        yield jobs
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
                (open_now,) = cursor.fetchone()
            help_text = "Connections to this database, of all hosts."
            yield GaugeMetricFamily("jurypool_database_connections", help_text, open_now)


def exposition() -> bytes:
    """Return every number in Prometheus's text format, over all processes of this host."""
    registry = CollectorRegistry()
    registry.register(Database())
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:  # set by the web server, for what it starts
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # has no types
        return generate_latest(registry)
    return generate_latest(registry) + generate_latest(REGISTRY)
