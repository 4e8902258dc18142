"""What the tests of the readers share: tiny files by hand, and spoiled ones."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from pooling.intake.topics import TopicRecord, read_topic_file

ROOT = Path(__file__).resolve().parents[2]
TINY = ROOT / "tests/data"


def read_topics(content: bytes, name: str = "") -> list[TopicRecord]:
    """Return the topics of a file alone."""
    return read_topic_file(content, name).topics


def spoiled(prefix: str, pieces: list[bytes]) -> st.SearchStrategy[bytes]:
    """Any bytes; pieces of the forms in any order; or a tiny file with pieces put in and bytes taken out."""
    files = [path.read_bytes() for path in sorted(TINY.glob(f"{prefix}*"))]
    piece = st.sampled_from(pieces)
    cuts = st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 3), piece | st.just(b"")), min_size=1, max_size=4
    )
    return (
        st.binary()
        | st.lists(piece, max_size=30).map(b"".join)
        | st.tuples(st.sampled_from(files), cuts).map(lambda spoiling: _cut(*spoiling))
    )


def _cut(content: bytes, cuts: list[tuple[float, int, bytes]]) -> bytes:
    for place, length, piece in cuts:
        at = int(place * len(content))
        content = content[:at] + piece + content[at + length :]
    return content
