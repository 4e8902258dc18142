"""The demonstration is built once for all its tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.demo.corpus import Document, build_documents
from config.demo.rankers import RunInfo, run_rankers
from pooling.formats.topics import TopicRecord, read_topics

TOPICS = Path(__file__).resolve().parents[2] / "config/demo/topics.trec"


@pytest.fixture(scope="session")
def documents() -> list[Document]:
    return build_documents()


@pytest.fixture(scope="session")
def topics() -> list[TopicRecord]:
    return read_topics(TOPICS.read_bytes(), TOPICS.name)


@pytest.fixture(scope="session")
def runs(documents: list[Document], topics: list[TopicRecord]) -> list[tuple[RunInfo, bytes]]:
    return list(run_rankers(documents, topics))
