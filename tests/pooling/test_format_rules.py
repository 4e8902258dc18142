"""What holds for files of every format: comments, blank lines, the length of a docno."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import pytest

from pooling.cli import main as pool_main
from pooling.formats.documents.reading import read_documents
from pooling.formats.files import BadFile, BadLine
from pooling.formats.qrels import judgment_file, parse_prels, parse_qrels
from pooling.formats.runs import parse_run
from tests.metrics.shared_data import DATA, needs
from tests.pooling.files import read_topics

COMMENTED = b"# made in November\n\n%s\n   \n#end\n%s\n\n"


def docnos_of_qrels(content: bytes) -> list[str]:
    return [docno.decode() for docno in parse_qrels(content).docnos.tolist()]


def docnos_of_prels(content: bytes) -> list[str]:
    return [docno.decode() for docno in parse_prels(content).docnos.tolist()]


def docnos_of_judgments(content: bytes) -> list[str]:
    return [record.docno for record in judgment_file(content).records]


@pytest.mark.parametrize(
    ("read", "lines"),
    [
        (docnos_of_qrels, (b"1 0 a 1", b"1 0 b 0")),
        (docnos_of_prels, (b"1 0 a 1 1", b"1 0 b 1 -1")),
        (docnos_of_judgments, (b"1 0 a 1", b"1 0 b 0")),
        (docnos_of_judgments, (b"1 a L1", b"1 b L0")),
    ],
)
def test_comments_and_blank_lines_are_skipped_in_judgments_of_every_format(
    read: Callable[[bytes], list[str]], lines: tuple[bytes, bytes]
) -> None:
    assert read(COMMENTED % lines) == ["a", "b"]


def test_trec_eval_9_reads_a_line_that_begins_with_a_hash_as_a_judgment() -> None:
    assert parse_qrels(b"# 0 a 1\n", comments=False).topics == ("#",)


def test_a_topic_number_that_would_be_a_comment_is_refused() -> None:
    with pytest.raises(BadLine, match="does not begin with #"):
        read_topics(b"#1\tjury duty\n")


@needs("cranfield")
def test_a_smart_file_of_documents_is_not_taken_for_topics() -> None:
    with pytest.raises(BadFile, match="found a title .* load them as documents"):
        read_topics(b".I 1\n.T\nwing flow\n.W\nthe flow over a wing\n")
    cranfield = gzip.decompress((DATA / "cranfield/cran.all.1400.gz").read_bytes())
    with pytest.raises(BadFile, match="found a title .* load them as documents"):
        read_topics(cranfield, "cran.all.1400")
    assert len(read_topics((DATA / "cranfield/cran.qry").read_bytes())) == 225


LONG, TOO_LONG = "文" * 66 + "ab", "文" * 67


@pytest.mark.parametrize(
    ("read", "template"),
    [
        (parse_run, "1 Q0 {} 1 1 t\n"),
        (parse_qrels, "1 0 {} 1\n"),
        (parse_prels, "1 0 {} 1 1\n"),
        (judgment_file, "1 0 {} 1\n"),
        (lambda content: list(read_documents(content)), '{{"docno": "{}", "text": "words"}}\n'),
    ],
)
def test_a_docno_has_at_most_200_bytes_in_every_format(read: Callable[[bytes], Any], template: str) -> None:
    assert len(LONG.encode()) == 200
    read(template.format(LONG).encode())
    with pytest.raises(BadLine, match="at most 200 bytes, found 201"):
        read(template.format(TOO_LONG).encode())


def test_the_commands_say_how_long_a_docno_may_be(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        pool_main(["--help"])
    assert "at most 200 bytes" in " ".join(capsys.readouterr().out.split())
