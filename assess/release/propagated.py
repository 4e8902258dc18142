"""Labels of a release that nobody gave: a document gets the grade of another one that stands for it.

The qrels of a release have only documents that were judged. These labels are in two files of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assess.release.files import FileWriter, WrittenFile
from assess.release.formats import PROPAGATED, PROPAGATED_SOURCES, kind_of

SOURCE = "propagated"


class PropagatedLine(NamedTuple):
    """A document with the grade of its representative, which was judged. It is not counted as judged."""

    topic: str
    docno: str
    relevance: int
    representative: str


class Propagation(NamedTuple):
    """The propagated labels of a release, docnos of a topic ascending. about: for its manifest."""

    lines: Sequence[PropagatedLine]
    about: Mapping[str, Any]


class SourcedLine(NamedTuple):
    """A line of the qrels with propagated labels. representative: empty for a judged document."""

    topic: str
    docno: str
    relevance: str
    source: str
    representative: str = ""

    def qrels_line(self) -> bytes:
        """TREC qrels: topic, 0, docno, grade, separated by blanks."""
        return f"{self.topic} 0 {self.docno} {self.relevance}\n".encode()

    def sources_line(self) -> bytes:
        """Tab-separated: topic, docno, grade, source, representative."""
        return ("\t".join(self) + "\n").encode()


def with_propagated(
    judged: Iterable[tuple[str, str, str, str]], propagated: Iterable[PropagatedLine]
) -> Iterator[SourcedLine]:
    """Yield judged and propagated lines, topics in the order of the judged ones, docnos ascending.

    judged: topic, docno, grade and source, in this order. Each topic of a propagated line has a judged one.
    """
    waiting: dict[str, list[PropagatedLine]] = {}
    for line in sorted(propagated, key=lambda line: line.docno, reverse=True):
        waiting.setdefault(line.topic, []).append(line)
    last = ""
    for topic, docno, grade, source in judged:
        if topic != last:
            yield from _marked(waiting.pop(last, []), None)
            last = topic
        yield from _marked(waiting.get(topic, []), docno)
        yield SourcedLine(topic, docno, grade, source)
    yield from _marked(waiting.pop(last, []), None)


def _marked(waiting: list[PropagatedLine], before: str | None) -> Iterator[SourcedLine]:
    """Yield the lines with docnos below this one, and remove them; all of them for None."""
    while waiting and (before is None or waiting[-1].docno < before):
        topic, docno, grade, representative = waiting.pop()
        yield SourcedLine(topic, docno, str(grade), SOURCE, representative)


def judged_lines(content: bytes) -> Iterator[tuple[str, str, str, str]]:
    """Yield the lines of a file of sources."""
    for line in content.decode().splitlines()[1:]:
        topic, docno, grade, source = line.split("\t")
        yield topic, docno, grade, source


def write_propagated(
    sources: WrittenFile, propagated: Sequence[PropagatedLine], folder: Path
) -> dict[str, WrittenFile]:
    """Write both files with propagated labels. sources: the file with the source of each judged line."""
    lines = list(with_propagated(judged_lines(sources.path.read_bytes()), propagated))
    files = {}
    for name, write in ((PROPAGATED, SourcedLine.qrels_line), (PROPAGATED_SOURCES, SourcedLine.sources_line)):
        kind = kind_of(name)
        with FileWriter(folder / f"{name}{kind.suffix}", kind.header) as writer:
            writer.write(map(write, lines))
            files[name] = writer.finish()
    return files
