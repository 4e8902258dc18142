"""How long names, lines and texts may be, how many of them there may be, and which names are valid."""

from __future__ import annotations

import re

MAX_NAME_BYTES = 200  # bytes of a docno, an iteration or a stratum
MAX_TOPIC_BYTES = 512  # bytes of a topic in runs and judgments: TREC CAR's are the paths of headings
MAX_ROW_BYTES = 4096  # bytes of a line of runs and judgments
MAX_LINE_BYTES = 1 << 23  # bytes of a line of text: what a reader makes of it still fits in memory
MAX_TEXT_CHARACTERS = 1 << 23  # characters of a topic or document: more than War and Peace twice over


MAX_IMAGE_BYTES = 5 << 20  # of one image
MAX_IMAGE_SIDE = 16_000  # pixels of its width, and of its height
MAX_IMAGE_PIXELS = 50_000_000  # of its area: a browser needs four bytes for each to show it
MAX_IMAGES = 50  # of one document, and of one topic
MAX_IMAGES_OF_UPLOAD = 20_000
MAX_IMAGE_NAME = 255  # characters of a file name

MAX_TOPICS = 10_000  # of a campaign
MAX_TITLE = 10_000  # characters of a topic's title; some collections search with whole passages
MAX_TOPIC_TEXT = 50_000  # characters of a topic's description, and of its narrative
MAX_DESCRIPTION = 10_000  # characters of a campaign's description
MAX_GUIDELINES = 50_000  # characters of Markdown, which every page of a judge renders


# A browser takes the parts "." and ".." of an address for the folder itself and the one above it.
NAME_PATTERN = re.compile(r"^(?!\.{1,2}\Z)[^\s/]+\Z")
TOPIC_PATTERN = re.compile(r"^(?!\.{1,2}\Z)(?!#)\S+\Z")


def is_topic_number(text: str) -> bool:
    """Return whether `text` can be the number of a topic, which may hold slashes as TREC CAR's do.

    >>> [is_topic_number(text) for text in ("401", "enwiki:Jury/Duty", "", "a b", "#1", ".", "..")]
    [True, True, False, False, False, False, False]
    """
    return bool(TOPIC_PATTERN.match(text))


def is_valid_name(text: str) -> bool:
    """Return whether `text` can stand in an address and in a line of blank-separated fields.

    >>> [is_valid_name(text) for text in ("401", "A-7", "...", "", "a b", "a/b", ".", "..")]
    [True, True, True, False, False, False, False, False]
    """
    return bool(NAME_PATTERN.match(text))
