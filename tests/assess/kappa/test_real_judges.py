"""Real judges: 33 language models that labelled everything, and 445 people who labelled a little each."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from assess.kappa.against_rest import against_the_rest
from assess.kappa.agreement import coefficients
from assess.kappa.bootstrap import Bootstrap
from assess.kappa.labels import Labels, Record, labels_of, labels_of_records
from assess.kappa.overlap import overlap_by_topic
from assess.kappa.pairs import compare_pairs
from tests.metrics.shared_data import BUNDLED

from .published import named, near

LLM, CROWD = "judges-llmjudge-2024", "judges-trec2011-crowd"
AS_FOUND = (0, 1, 2, 3, 5, 10)  # three labels are off the scale 0 to 3, and the published figures count them


def records_of(path: Path, judge: str) -> list[Record]:
    lines = (line.split() for line in path.read_text().splitlines())
    return [(topic, docno, judge, int(label)) for topic, _, docno, label in lines]


@pytest.fixture(scope="module")
def llms() -> Labels:
    files = sorted((BUNDLED / LLM / "scores").glob("*.txt"))
    records = [record for path in files for record in records_of(path, path.stem)]
    records += records_of(BUNDLED / LLM / "llmjudge_test_qrel_idx.txt", "NIST")
    return labels_of_records(records, AS_FOUND)


@pytest.fixture(scope="module")
def crowd() -> Labels:
    return labels_of_records([record for _, record in votes()], [0, 1])


def votes() -> list[tuple[int, Record]]:
    """(which label of the document it was, record)"""
    found = []
    for line in gzip.decompress((BUNDLED / CROWD / "votes.tsv.gz").read_bytes()).decode().splitlines():
        sequence, question, worker, label = line.split()
        topic, docno = question.split("_", 1)
        found.append((int(sequence), (topic, docno, worker, int(label))))
    return found


@pytest.mark.parametrize(
    ("judge", "kappas"),
    [
        ("h2oloo-zeroshot1", [0.2817, 0.3890, 0.4938]),
        ("willia-umbrela1", [0.2863, 0.3963, 0.5044]),
        ("NISTRetrieval-instruct0", [0.1877, 0.2799, 0.3828]),
        ("Olz-exp", [0.2519, 0.3696, 0.4840]),
    ],
)
def test_kappas_with_nist_are_the_published_ones(llms: Labels, judge: str, kappas: list[float]) -> None:
    pair = llms.of_judges([judge, "NIST"])
    assert pair.places.max() == 3  # so the scale of these two is 0 to 3
    graded = Labels(pair.places, pair.topic, pair.judges, pair.topics, pair.items, (0, 1, 2, 3), 1)
    (compared,) = compare_pairs(graded)
    names = ("", ", linear weights", ", quadratic weights")
    found = [named(compared.coefficients, f"Cohen's kappa{name}").value for name in names]
    assert found == [near(kappa, abs=5.1e-5) for kappa in kappas]


def test_fleiss_and_alpha_of_the_models(llms: Labels) -> None:
    three = llms.of_judges(["h2oloo-zeroshot1", "willia-umbrela1", "Olz-exp"])
    assert named(coefficients(three), "Fleiss' kappa").value == near(0.7720, abs=5.1e-5)
    found = coefficients(llms.of_judges([judge for judge in llms.judges if judge != "NIST"]))
    assert named(found, "Fleiss' kappa").value == near(0.3070, abs=5.1e-5)
    assert named(found, "Krippendorff's alpha, nominal").value == near(0.3070, abs=5.1e-5)
    assert named(found, "Krippendorff's alpha, ordinal").value == near(0.5349, abs=5.1e-5)
    assert (found[0].judges, found[0].n) == (33, 4423)


def test_every_pair_of_34_judges_is_compared(llms: Labels) -> None:
    pairs = compare_pairs(llms)
    assert len(pairs) == 34 * 33 // 2
    assert all(pair.counts.sum() == 4423 for pair in pairs)
    light = named(coefficients(llms), "Light's kappa").value
    assert light == near(np.mean([named(pair.coefficients, "Cohen's kappa").value for pair in pairs]))


def test_a_bootstrap_over_25_topics_is_wider_than_independent_documents_would_be(llms: Labels) -> None:
    fleiss = named(coefficients(llms, bootstrap=Bootstrap(draws=200)), "Fleiss' kappa")
    naive = fleiss.normal_interval()
    assert fleiss.interval and naive
    assert fleiss.interval[1] - fleiss.interval[0] > 2 * (naive[1] - naive[0])


def test_first_five_labels_of_the_crowd() -> None:
    """Who gave which of the five differs from document to document, so the judges are places in sequence."""
    documents: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for number, (topic, docno, _, label) in votes():
        if number <= 5:
            documents.setdefault((topic, docno), []).append((number, label))
    # five documents have several labels of one number
    five = [[label for _, label in sorted(own)] for own in documents.values() if len(own) == 5]
    found = named(coefficients(labels_of(np.array(five).T, [0, 1])), "Fleiss' kappa")
    assert (found.n, found.judges, found.value) == (2160, 5, near(0.1605, abs=5.1e-5))


def test_445_judges_who_share_little_break_nothing(crowd: Labels) -> None:
    assert (len(crowd.judges), crowd.places.shape[1], len(crowd.topics)) == (445, 2165, 20)
    for found in coefficients(crowd, bootstrap=Bootstrap(draws=50)):
        assert found.value is not None and found.interval and found.interval[0] < found.value < 1
    assert len(compare_pairs(crowd)) == 6404
    rest = against_the_rest(crowd)
    assert sum(each.labels for each in rest) == 17_395
    assert any(each.majority.value is None and each.majority.reason for each in rest)
    assert all(topic.value is not None for topic in overlap_by_topic(crowd))
