"""The demonstration is built once for all its tests."""

from __future__ import annotations

import pytest

from config.demo.corpus import Document, build_documents
from config.demo.rankers import RunInfo, run_rankers
from tests.demo.reading import TopicText, read_topics


@pytest.fixture(scope="session")
def documents() -> list[Document]:
    return build_documents()


@pytest.fixture(scope="session")
def topics() -> list[TopicText]:
    return read_topics()


@pytest.fixture(scope="session")
def runs(documents: list[Document], topics: list[TopicText]) -> list[tuple[RunInfo, bytes]]:
    return list(run_rankers(documents, topics))
