"""The demonstration's runs: retrieval methods that differ in kind, each as its source defines it.

A ranker takes a collection and topics and returns float64 scores of shape (topics, documents); -inf where it
does not retrieve the document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from scipy.sparse.linalg import svds

from config.demo.corpus import Document
from config.demo.index import Index, build_index
from config.demo.scoring import (
    Scores,
    bm25,
    cosine,
    dirichlet,
    jelinek_mercer,
    matched,
    relevance_model,
    tfidf_weights,
)
from config.demo.text import character_ngrams, tokenize

RUN_DEPTH = 100


class Topic(Protocol):
    """What a ranker reads of a topic."""

    @property
    def number(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def narrative(self) -> str: ...


class RunInfo(NamedTuple):
    """What a participant says of a run. kind: "automatic", or "manual" (queries made by hand)."""

    tag: str
    group: str
    kind: str
    description: str


class Collection:
    """The documents, indexed once in each way that a ranker asks for."""

    def __init__(self, documents: Sequence[Document]) -> None:
        # By docno: equal scores then stay in docno order, the order of the pool.
        self.documents = sorted(documents)

    @cached_property
    def words(self) -> Index:
        """The words of title and text."""
        return build_index((f"{document.title}\n{document.text}" for document in self.documents), tokenize)

    @cached_property
    def titles(self) -> Index:
        """The words of the title alone: name, parameters, kind."""
        return build_index((document.title for document in self.documents), tokenize)

    @cached_property
    def ngrams(self) -> Index:
        """The character 4-grams of title and text."""
        texts = (f"{document.title}\n{document.text}" for document in self.documents)
        return build_index(texts, character_ngrams)


def title(topics: Sequence[Topic]) -> list[str]:
    return [topic.title for topic in topics]


def title_description(topics: Sequence[Topic]) -> list[str]:
    return [f"{topic.title} {topic.description}" for topic in topics]


def description_narrative(topics: Sequence[Topic]) -> list[str]:
    return [f"{topic.description} {topic.narrative}" for topic in topics]


def bm25_title(collection: Collection, topics: Sequence[Topic]) -> Scores:
    """BM25 with the topic's title. Robertson & Zaragoza 2009."""
    return bm25(collection.words, collection.words.queries(title(topics)))


def bm25_title_description(collection: Collection, topics: Sequence[Topic]) -> Scores:
    """BM25 with title and description. Robertson & Zaragoza 2009."""
    return bm25(collection.words, collection.words.queries(title_description(topics)))


def bm25_description_narrative(collection: Collection, topics: Sequence[Topic]) -> Scores:
    """BM25 with description and narrative, which also names what is not wanted. Robertson & Zaragoza 2009."""
    return bm25(collection.words, collection.words.queries(description_narrative(topics)))


def tfidf_cosine(collection: Collection, topics: Sequence[Topic]) -> Scores:
    """The vector space model with title and description. Salton & Buckley 1988."""
    return cosine(collection.words, collection.words.queries(title_description(topics)))


def ql_dirichlet(collection: Collection, topics: Sequence[Topic]) -> Scores:
    """Query likelihood with Dirichlet smoothing, with the title. Zhai & Lafferty 2004."""
    return dirichlet(collection.words, collection.words.queries(title(topics)))


def ql_jelinek_mercer(collection: Collection, topics: Sequence[Topic]) -> Scores:
    """Query likelihood with linear smoothing, with title and description. Zhai & Lafferty 2004."""
    return jelinek_mercer(collection.words, collection.words.queries(title_description(topics)))


def titles_only(collection: Collection, topics: Sequence[Topic]) -> Scores:
    """BM25 of the topic's title against the document's title alone. Robertson & Zaragoza 2009."""
    return bm25(collection.titles, collection.titles.queries(title(topics)))


def bm25_rm3(collection: Collection, topics: Sequence[Topic]) -> Scores:
    """BM25 with the title, expanded by pseudo relevance feedback. Abdul-Jaleel et al. 2004."""
    index = collection.words
    return bm25(index, relevance_model(index, index.queries(title(topics))))


def character_4grams(collection: Collection, topics: Sequence[Topic]) -> Scores:
    """Cosine over character 4-grams, with the title: no stemmer needed. McNamee & Mayfield 2004."""
    return cosine(collection.ngrams, collection.ngrams.queries(title(topics)))


def latent_semantic(collection: Collection, topics: Sequence[Topic], dimensions: int = 100) -> Scores:
    """Cosine in the space of the strongest singular vectors, title and description.

    Latent semantic indexing: Deerwester et al. 1990.
    """
    index = collection.words
    frequencies, documents = index.document_frequencies, len(index.lengths)
    weights = tfidf_weights(index.counts, frequencies, documents)
    queries = tfidf_weights(index.queries(title_description(topics)), frequencies, documents)
    dimensions = min(dimensions, min(weights.shape) - 1)
    # A fixed start: the solver would else draw a random one, and the run would differ from load to load.
    _, _, axes = svds(weights, k=dimensions, v0=np.ones(min(weights.shape)))
    projected, asked = (matrix @ axes.T for matrix in (weights, queries))
    lengths = np.outer(np.linalg.norm(asked, axis=1), np.linalg.norm(projected, axis=1))
    scores: Scores = np.divide(
        asked @ projected.T, lengths, out=np.full(lengths.shape, -1.0), where=lengths > 0
    )
    return np.where(scores > 0, scores, -np.inf)


def longest_first(collection: Collection, topics: Sequence[Topic]) -> Scores:
    """The longest documents that have any word of the title: weak on purpose.

    Long documents match more by chance, which length normalisation is there to undo: Singhal et al. 1996.
    """
    index = collection.words
    found = matched(index.queries(title(topics)) @ index.counts.T)
    return np.where(np.isfinite(found), index.lengths, -np.inf)


def hand_written(collection: Collection, topics: Sequence[Topic]) -> Scores:
    """BM25 with queries written by hand after reading the topics. Robertson & Zaragoza 2009.

    A topic without such a query is asked with its title.
    """
    written = hand_written_queries()
    texts = [written.get(topic.number, topic.title) for topic in topics]
    return bm25(collection.words, collection.words.queries(texts))


def hand_written_queries() -> dict[str, str]:
    """Return topic number -> query, from `queries.tsv`."""
    lines = Path(__file__).with_name("queries.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines if line)


Ranker = Callable[[Collection, Sequence[Topic]], Scores]
RANKERS: tuple[tuple[RunInfo, Ranker], ...] = (
    (RunInfo("bm25-t", "okapi", "automatic", "BM25, title"), bm25_title),
    (RunInfo("bm25-td", "okapi", "automatic", "BM25, title and description"), bm25_title_description),
    (RunInfo("bm25-dn", "okapi", "automatic", "BM25, description and narrative"), bm25_description_narrative),
    (RunInfo("bm25-rm3", "okapi", "automatic", "BM25 with RM3 feedback, title"), bm25_rm3),
    (RunInfo("tfidf-cosine", "vectors", "automatic", "TF-IDF cosine, title and description"), tfidf_cosine),
    (RunInfo("char-4gram", "vectors", "automatic", "Cosine of character 4-grams, title"), character_4grams),
    (RunInfo("lsi-100", "vectors", "automatic", "Latent semantic indexing, 100 dimensions"), latent_semantic),
    (RunInfo("ql-dirichlet", "likelihood", "automatic", "Query likelihood, Dirichlet, title"), ql_dirichlet),
    (
        RunInfo(
            "ql-jm", "likelihood", "automatic", "Query likelihood, Jelinek-Mercer, title and description"
        ),
        ql_jelinek_mercer,
    ),
    (RunInfo("titles-only", "shortcuts", "automatic", "BM25 on document titles alone"), titles_only),
    (
        RunInfo("longest-first", "shortcuts", "automatic", "Longest match first, weak on purpose"),
        longest_first,
    ),
    (RunInfo("by-hand", "librarian", "manual", "BM25 with queries written by hand"), hand_written),
)


def run_rankers(documents: Sequence[Document], topics: Sequence[Topic]) -> Iterator[tuple[RunInfo, bytes]]:
    """Yield each run with its TREC file: the best 100 documents of each topic.

    The same documents and topics always give the same bytes.
    """
    collection = Collection(documents)
    docnos = [document.docno for document in collection.documents]
    for run, ranker in RANKERS:
        yield run, run_file(run.tag, docnos, topics, ranker(collection, topics))


def run_file(tag: str, docnos: Sequence[str], topics: Sequence[Topic], scores: Scores) -> bytes:
    """Return the lines `topic Q0 docno rank score tag`; equal scores in the order of `docnos`."""
    # Rounded as written, so that the rank column says what a reader of the scores will find.
    rounded = np.round(scores, 6)
    lines = []
    for topic, row in zip(topics, rounded, strict=True):
        for rank, column in enumerate(np.argsort(-row, kind="stable")[:RUN_DEPTH], start=1):
            if np.isfinite(row[column]):
                lines.append(f"{topic.number} Q0 {docnos[column]} {rank} {row[column]:.6f} {tag}\n")
    return "".join(lines).encode()
