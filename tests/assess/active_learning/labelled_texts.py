"""Small collections of our own, and Cranfield, as texts with labels."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from assess.active_learning.cal import Review
from assess.active_learning.features import TextFeatures, text_features
from assess.active_learning.ranking import batch_sizes
from pooling.arrays import Flags
from tests.metrics.shared_data import DATA
from tests.pooling.files import read_topics

THEMES = {
    "boats": "sail mast harbour keel rudder anchor hull deck tide crew",
    "bread": "flour oven yeast dough crust knead loaf salt rye bake",
    "stars": "orbit comet planet lens telescope dust galaxy moon light sky",
}


class LabelledTexts(NamedTuple):
    """Texts, a topic, and whether each text is relevant to it."""

    texts: list[str]
    topic: str
    relevant: Flags


def themed(documents: int, seed: int, share: float = 0.1) -> LabelledTexts:
    """Return texts of which a share is about boats, and the others about bread or stars, with other words."""
    random = np.random.default_rng(seed)
    relevant = random.random(documents) < share
    texts = []
    for is_relevant in relevant.tolist():
        theme = "boats" if is_relevant else str(random.choice(["bread", "stars"]))
        own = random.choice(THEMES[theme].split(), size=6)
        other = random.choice(" ".join(THEMES.values()).split(), size=8)
        texts.append(" ".join([*own, *other]))
    return LabelledTexts(texts, "a harbour with a mast and a keel", relevant)


def review_of(labels: Flags) -> Review:
    """Return a review of a whole collection in the order of its rows, in the usual batches."""
    ends, end = list[int](), 0
    for size in batch_sizes():
        end = min(end + size, len(labels))
        ends.append(end)
        if end == len(labels):
            break
    rows = np.arange(len(labels))
    return Review(rows, labels, np.zeros(len(labels)), np.array(ends), (None,) * len(ends))


@cache
def cranfield_features() -> TextFeatures:
    """Return the features of Cranfield: 1,400 titles and abstracts, which repeat the titles."""
    whole = gzip.decompress((DATA / "cranfield/cran.all.1400.gz").read_bytes()).decode()
    fields = re.findall(r"^\.([ITABW])(.*?)(?=^\.[ITABW]|\Z)", whole, re.MULTILINE | re.DOTALL)
    texts: list[str] = []
    for name, text in fields:
        if name == "I":
            texts.append("")
        elif name in "TW":
            texts[-1] += text
    return text_features(texts)


def cranfield_topics() -> Iterator[tuple[Any, Flags]]:
    """Yield the vector and the labels of each topic of Cranfield with 5 relevant documents or more."""
    topics = read_topics((DATA / "cranfield/cran.qry").read_bytes())
    rows: dict[str, set[int]] = {}
    for line in (DATA / "cranfield/qrel.trec").read_text().splitlines():
        number, _, docno, _ = line.split()
        rows.setdefault(number, set()).add(int(docno) - 1)
    for topic in topics:
        if len(rows[topic.number]) >= 5:
            relevant = np.zeros(1400, dtype=bool)
            relevant[list(rows[topic.number])] = True
            yield cranfield_features().vector_of(topic.title), relevant
