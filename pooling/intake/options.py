"""Options of command lines that say what the fields and words of a file mean."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable

from pooling.intake.fields import UNUSED, InputKind, parse_choices
from pooling.intake.tables import Choices, Reading
from pooling.refusals import Refused

WORD_HELP = 'grade that a label in words means, such as "not relevant=0"; for every word'


def add_map_option(parser: argparse.ArgumentParser, kind: InputKind, option: str = "--map") -> None:
    """Add an option that gives fields of a table with a header their meanings."""
    meanings = ", ".join([*kind.fields, UNUSED])
    parser.add_argument(
        option,
        action="append",
        default=[],
        metavar="FIELD=MEANING",
        help=f"what a field of a {kind.what} table with a header (CSV, TSV, JSON) holds:\n{meanings}",
    )


def add_word_option(parser: argparse.ArgumentParser) -> None:
    """Add an option that gives words their grades."""
    parser.add_argument("--word", action="append", default=[], metavar="WORD=GRADE", help=WORD_HELP)


def add_match_options(parser: argparse.ArgumentParser) -> None:
    """Add options that take names of the file for those of the campaign."""
    written = "that differ only in how they are written"
    parser.add_argument(
        "--match-topics",
        action="store_true",
        help=f"take topics {written} (leading zeros, a prefix) for those of the campaign",
    )
    parser.add_argument(
        "--match-docnos",
        action="store_true",
        help=f"take docnos {written} (upper case, an ending) for those of the pool",
    )


def reading_of(
    kind: InputKind, fields: Iterable[str], words: Iterable[str] = (), option: str = "--map"
) -> Reading:
    """Return what the texts of both options say. option: the name of that of fields. Raises Refused.

    >>> from pooling.intake.fields import QRELS
    >>> reading_of(QRELS, ["stars=grade"], ["good=1"])[:2]
    ({'stars': 'grade'}, {'good': 1})
    """
    choices = Choices(f"{option} field=meaning", "--word WORD=GRADE")
    return Reading(parse_choices(fields, kind), parse_words(words), choices)


def split_choices(text: str) -> list[str]:
    """Return the pairs of a text in which commas, semicolons or line ends stand between them.

    >>> split_choices("Rater 1=judge, note=unused;")
    ['Rater 1=judge', 'note=unused']
    """
    return [pair.strip() for pair in re.split(r"[,;\n]", text) if pair.strip()]


def parse_words(texts: Iterable[str]) -> dict[str, int]:
    """Return word -> grade of texts `word=grade`. Raises Refused."""
    words: dict[str, int] = {}
    for text in texts:
        word, equals, grade = text.rpartition("=")
        if not (equals and word.strip() and grade.strip().lstrip("-").isdecimal() and grade.isascii()):
            raise Refused(f"expected WORD=GRADE with a whole number, found {text[:80]!r}")
        words[word.strip()] = int(grade)
    return words
