"""Reads the demonstration's topics for the tests of its rankers, apart from the reader of uploaded topics."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

TOPICS = Path(__file__).resolve().parents[2] / "config/demo/topics.trec"
FORM = re.compile(
    r"<top>\s*<num> Number:(.*?)<title>(.*?)<desc> Description:(.*?)<narr> Narrative:(.*?)</top>", re.S
)


class TopicText(NamedTuple):
    number: str
    title: str
    description: str
    narrative: str


def read_topics() -> list[TopicText]:
    found = FORM.findall(TOPICS.read_text(encoding="utf-8"))
    return [TopicText(*(part.strip() for part in parts)) for parts in found]
