"""Test collections: S (one run), M (100 runs), L (one run of 6,980 topics), generated; and a track's runs."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

DOCUMENTS = 528_000  # as many as a TREC newswire collection has
SHORT = (".2f", ".3f", ".4f", ".5f", ".6f")  # how scores are written, one run after the other
REAL = ("", ".17g", ".6e")  # as Python, Java and JSON write doubles, and as C does
TRACK = Path(__file__).resolve().parents[2] / "../shared/data/trec-covid-round1"
SEPARATORS = (" ", " ", "\t", "   ")  # a quarter of the runs with tabs, a quarter padded


class Collection(NamedTuple):
    """Files of generated qrels and runs."""

    qrels: Path
    runs: list[Path]


def docno(document: int) -> str:
    """Return a docno of the length and look of a newswire collection's."""
    return f"FR{940101 + document % 365}-{document % 3}-{document:06d}"


def write_run(path: Path, topics: range, judged: dict[int, list[int]], seed: int, form: str) -> None:
    """Write a run that finds about 400 of a topic's 1,500 judged documents. Few digits make many ties."""
    rng = np.random.default_rng(seed)
    blank, lines, depth = SEPARATORS[seed % 4], [], 1000
    for topic in topics:
        found = rng.choice(judged[topic], size=min(400, len(judged[topic])), replace=False)
        others = rng.choice(DOCUMENTS, size=2 * depth, replace=False)
        documents = rng.permutation(list(dict.fromkeys([*found.tolist(), *others.tolist()]))[:depth])
        scores = np.sort(rng.gamma(2.0, 5.0, depth))[::-1]
        for rank, (document, score) in enumerate(
            zip(documents.tolist(), scores.tolist(), strict=True), start=1
        ):
            fields = (str(topic), "Q0", docno(document), str(rank), f"{score:{form}}", f"run{seed}")
            lines.append(blank.join(fields))
    path.write_text("\n".join(lines) + "\n")


def newswire(folder: Path, runs: int, forms: Sequence[str] = SHORT) -> Collection:
    """S and M: 50 topics, 1,500 judgments each, grades 0 to 3; runs of 50 x 1,000 lines."""
    topics = range(301, 351)
    random.seed(50)
    judged = {topic: random.sample(range(DOCUMENTS), 1500) for topic in topics}
    grades = random.choices((0, 1, 2, 3), (70, 15, 10, 5), k=1500 * len(topics))
    lines = (
        f"{topic} 0 {docno(document)} {grades[place * 1500 + at]}\n"
        for place, topic in enumerate(topics)
        for at, document in enumerate(judged[topic])
    )
    qrels = folder / f"newswire-{runs}.qrels"
    qrels.write_text("".join(lines))
    paths = [folder / f"newswire-{runs}-{seed}.run" for seed in range(runs)]
    for seed, path in enumerate(paths):
        write_run(path, topics, judged, seed, forms[seed % len(forms)])
    return Collection(qrels, paths)


def track(folder: Path) -> Collection | None:
    """The full runs of TREC-COVID round 1, unpacked; None where they do not lie beside the repository."""
    if not TRACK.exists():
        return None
    runs = [folder / packed.stem for packed in sorted((TRACK / "runs").glob("*.gz"))]
    for run in runs:
        run.write_bytes(gzip.decompress((TRACK / "runs" / f"{run.name}.gz").read_bytes()))
    return Collection(TRACK / "qrels-rnd1.txt", runs)


def passages(folder: Path, topics: int = 6980, depth: int = 1000) -> Collection:
    """L: one relevant passage a topic, numbers as docnos; one run of 6,980 x 1,000 lines, about 250 MB."""
    rng = np.random.default_rng(6980)
    qrels, run = folder / "passages.qrels", folder / "passages.run"
    answers = rng.integers(8_841_823, size=topics)
    qrels.write_text("".join(f"{topic} 0 {answer} 1\n" for topic, answer in enumerate(answers.tolist())))
    with run.open("w") as lines:
        for topic, answer in enumerate(answers.tolist()):
            lines.writelines(_passage_lines(rng, topic, answer, depth))
    return Collection(qrels, [run])


def _passage_lines(rng: np.random.Generator, topic: int, answer: int, depth: int) -> Iterator[str]:
    documents = rng.integers(8_841_823, size=depth + 40).tolist()
    documents = list(dict.fromkeys(document for document in documents if document != answer))[:depth]
    if topic % 10 < 8:
        documents[int(rng.integers(depth))] = answer
    scores = np.sort(rng.normal(20.0, 4.0, depth))[::-1].tolist()
    for rank, (document, score) in enumerate(zip(documents, scores, strict=True), start=1):
        yield f"{topic} Q0 {document} {rank} {score:.6f} passages-run\n"
