"""A release streams: its memory follows the largest topic, not the campaign (full size: tests/soak)."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from assess.models import QrelsRelease
from assess.queries.campaign_reads import CampaignReads
from assess.queries.releases import current_cutoff, release_lines
from assess.release.files import FileWriter
from assess.release.formats import FROM_LINES
from assess.release.plan import ReleasePlan
from assess.services.bulk_labels import store_labels
from assess.services.releases import release_qrels
from pooling.models import Campaign
from pooling.services.pools import store_pool
from pooling.strategies.candidates import PoolEntry
from tests.support.factory import Factory

DOCUMENTS = 150


def campaign_of(make: Factory, slug: str, topics: int) -> Campaign:
    campaign = make.make_campaign(slug)
    for number in range(1, topics + 1):
        make.make_topic(campaign, str(number))
    docnos = [f"D{place:04}" for place in range(DOCUMENTS)]
    pooled = {str(number): {docno: PoolEntry(1, 1) for docno in docnos} for number in range(1, topics + 1)}
    manifest = {"strategy": "depth", "parameters": {}, "runs": [], "sha256": "0" * 64}
    store_pool(campaign, make.make_user("carol"), manifest, pooled)
    grades = {(topic, docno): len(docno + topic) % 4 for topic in pooled for docno in docnos}
    store_labels(campaign, make.make_user("alice"), grades)
    return campaign


def peak_of_writing(campaign: Campaign, folder: Path) -> int:
    """Return the most bytes held while every line of a release is made and written."""
    writers = [(kind, FileWriter(folder / kind.name, kind.header, kind.packed)) for kind in FROM_LINES]
    tracemalloc.start()
    for line in release_lines(CampaignReads(campaign), ReleasePlan(), current_cutoff(campaign)):
        for kind, writer in writers:
            writer.write(kind.lines(line) if kind.lines else ())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert all(writer.finish().lines for _, writer in writers)
    return peak


@pytest.mark.slow
def test_twelve_times_the_topics_take_hardly_more_memory(make: Factory, tmp_path: Path) -> None:
    small, large = campaign_of(make, "small", 2), campaign_of(make, "large", 24)
    peak_of_writing(small, tmp_path)  # what is imported and cached once counts for neither
    first, second = peak_of_writing(small, tmp_path), peak_of_writing(large, tmp_path)
    assert second < 2 * first  # with every line held it would be twelve times


@pytest.mark.parametrize("count", [4, pytest.param(24, marks=pytest.mark.slow)])
def test_a_long_release_holds_every_line_once(make: Factory, count: int) -> None:
    campaign = campaign_of(make, "large", count)
    release: QrelsRelease = release_qrels(campaign, make.make_user("carol"))
    with release.file.open("rb") as file:
        lines = file.read().decode().splitlines()
    assert len(lines) == len(set(lines)) == release.line_count == count * DOCUMENTS
    topics = [line.split()[0] for line in lines]
    assert list(dict.fromkeys(topics)) == [str(number) for number in range(1, count + 1)]
    assert lines == sorted(lines, key=lambda line: (int(line.split()[0]), line.split()[2]))
