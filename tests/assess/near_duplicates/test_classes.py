"""Classes of near duplicates, against all pairs in plain Python, and the figures of the literature."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.near_duplicates.classes import NearDuplicateClass, checksum, jaccard_of_pairs, near_duplicates
from assess.near_duplicates.minhash import probability_compared, signatures
from assess.near_duplicates.shingles import distinct_texts, jaccard, shingles_of, words_of

TODAY, YESTERDAY = "the cat sat on the mat today", "the cat sat on the mat yesterday"
SIX = "one two three four five six"  # with other last words: shingles in common are known


def classes_by_all_pairs(documents: Sequence[tuple[str, str]], threshold: float) -> set[frozenset[str]]:
    """Return the classes by a comparison of all pairs and a plain search of the graph."""
    sets = {docno: shingles_of(text) for docno, text in documents if words_of(text)}
    neighbours: dict[str, set[str]] = {docno: set() for docno in sets}
    for one, other in combinations(sets, 2):
        common = len(sets[one] & sets[other])
        if common >= threshold * (len(sets[one]) + len(sets[other]) - common):
            neighbours[one].add(other)
            neighbours[other].add(one)
    classes, seen = set[frozenset[str]](), set[str]()
    for docno in sets:
        if docno in seen:
            continue
        reached, waiting = {docno}, [docno]
        while waiting:
            new = neighbours[waiting.pop()] - reached
            reached |= new
            waiting += new
        seen |= reached
        if len(reached) > 1:
            classes.add(frozenset(reached))
    return classes


def random_documents(count: int, seed: int) -> list[tuple[str, str]]:
    """Return documents of which many are changed copies of earlier ones, by 0 to 15 % of the words."""
    draw, texts = random.Random(seed), list[list[str]]()
    for _ in range(count):
        if texts and draw.random() < 0.6:
            words = draw.choice(texts).copy()
            for _ in range(int(len(words) * draw.choice([0, 0.02, 0.05, 0.1, 0.15]))):
                words[draw.randrange(len(words))] = f"w{draw.randrange(500)}"
            if draw.random() < 0.2:
                words += ["appended"] * draw.randrange(3) + [f"w{draw.randrange(500)}"]
        else:
            words = [f"w{min(draw.randrange(500), draw.randrange(500))}" for _ in range(draw.randrange(70))]
        texts.append(words)
    return [(f"D{place:05d}", " ".join(words)) for place, words in enumerate(texts)]


def members(classes: Sequence[NearDuplicateClass]) -> set[frozenset[str]]:
    return {frozenset(each.members) for each in classes}


def test_the_worked_pair_shares_4_of_6_shingles() -> None:
    first, second = shingles_of(TODAY), shingles_of(YESTERDAY)
    assert (len(first & second), len(first | second)) == (4, 6)
    assert round(jaccard(TODAY, YESTERDAY), 4) == 0.6667
    assert 2 * len(first & second) / (len(first) + len(second)) == 0.8  # Dice
    sets = distinct_texts([TODAY, YESTERDAY]).shingles
    assert jaccard_of_pairs(sets, np.array([0]), np.array([1])).tolist() == [4 / 6]
    for all_pairs_below in (0, 2000):
        documents = [("A", TODAY), ("B", YESTERDAY)]
        assert near_duplicates(documents, 0.66, all_pairs_below)[0].lowest == 4 / 6
        assert near_duplicates(documents, 0.67, all_pairs_below) == []


@pytest.mark.parametrize(
    ("bands", "rows", "expected"),
    [
        (16, 8, (0.0607, 0.2374, 0.6133, 0.9470, 0.9999)),
        (20, 5, (0.4701, 0.8019, 0.9748, 0.9996, 1.0)),
        (32, 4, (0.8732, 0.9882, 0.9998, 1.0, 1.0)),
        (25, 5, (0.5478, 0.8678, 0.9899, 1.0, 1.0)),
    ],
)
def test_the_probability_that_a_pair_is_compared(bands: int, rows: int, expected: tuple[float, ...]) -> None:
    found = [round(probability_compared(s, bands, rows), 4) for s in (0.5, 0.6, 0.7, 0.8, 0.9)]
    assert found == list(expected)


def test_one_pair_at_the_threshold_in_20_million_is_missed() -> None:
    assert 1 / (1 - probability_compared(0.8)) == pytest.approx(2e7, rel=0.2)


def test_signatures_estimate_the_coefficient() -> None:
    texts = [
        f"{SIX} {' '.join(f'x{n}' for n in range(150))} {' '.join(f'{k}y{n}' for n in range(30 * k))}"
        for k in (1, 2)
    ]
    values = signatures(distinct_texts(texts).shingles)
    assert (values[0] == values[1]).mean() == pytest.approx(jaccard(*texts), abs=3 * (0.25 / 128) ** 0.5)


@pytest.mark.parametrize(
    ("threshold", "all_pairs_below"), [(0.8, 0), (0.8, 2000), (1.0, 0), (1.0, 2000), (0.5, 2000)]
)
def test_classes_are_those_of_all_pairs(threshold: float, all_pairs_below: int) -> None:
    documents = random_documents(300, seed=7)
    expected = classes_by_all_pairs(documents, threshold)
    assert len(expected) > 20
    assert members(near_duplicates(documents, threshold, all_pairs_below)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_classes_of_5000_documents_are_those_of_all_pairs(seed: int) -> None:
    documents = random_documents(5000, seed)
    expected = classes_by_all_pairs(documents, 0.8)
    assert members(near_duplicates(documents)) == expected
    assert members(near_duplicates(documents, all_pairs_below=10_000)) == expected


def test_many_copies_of_a_template_are_one_class() -> None:
    """One bucket holds all documents, and its pairs come in several chunks."""
    body = " ".join(f"w{n}" for n in range(60))
    documents = [(f"D{n:04d}", f"{body} number {n}") for n in range(2500)]
    (only,) = near_duplicates(documents)
    assert len(only.members) == 2500
    assert only.representative == "D1000"  # the longest text, the lowest docno
    assert only.is_doubtful


def test_the_representative_is_the_longest_text_then_the_lowest_docno() -> None:
    body = " ".join(f"w{n}" for n in range(40))
    documents = [("C", body), ("B", f"{body} more"), ("A", f"{body} MORE!"), ("Z", "other words here")]
    assert near_duplicates(documents) == [
        NearDuplicateClass("A", ("A", "B", "C"), (1.0, 1.0, 38 / 39), 38 / 39)
    ]


def test_texts_without_words_are_in_no_class() -> None:
    assert near_duplicates([("A", ""), ("B", ""), ("C", "...")]) == []
    assert near_duplicates([]) == []


def test_short_texts_are_one_shingle() -> None:
    documents = [("A", "Yes"), ("B", "yes."), ("C", "yes yes"), ("D", "no"), ("E", "Yes, yes!")]
    assert members(near_duplicates(documents)) == {frozenset("AB"), frozenset("CE")}
    assert members(near_duplicates(documents, all_pairs_below=0)) == {frozenset("AB"), frozenset("CE")}


def test_a_chain_whose_ends_differ_is_to_be_looked_at() -> None:
    words = [f"w{n}" for n in range(130)]
    documents = [(f"D{n:02d}", " ".join(words[4 * n : 4 * n + 52])) for n in range(15)]
    (chain,) = near_duplicates(documents)
    assert len(chain.members) == 15
    assert chain.lowest == jaccard(documents[0][1], documents[-1][1]) < 0.5
    assert chain.is_doubtful
    assert not near_duplicates(documents[:3])[0].is_doubtful


@pytest.mark.parametrize("all_pairs_below", [0, 2000])
def test_order_case_and_unicode_form_change_nothing(all_pairs_below: int) -> None:
    documents = [(docno, f"{text} ﬁn é") for docno, text in random_documents(200, seed=3)]
    expected = near_duplicates(documents, all_pairs_below=all_pairs_below)
    shuffled = random.Random(1).sample(documents, len(documents))
    assert near_duplicates(shuffled, all_pairs_below=all_pairs_below) == expected
    upper = [(docno, unicodedata.normalize("NFKD", text.upper())) for docno, text in documents]
    assert near_duplicates(upper, all_pairs_below=all_pairs_below) == expected


def test_the_checksum_depends_on_classes_and_representatives() -> None:
    first = [NearDuplicateClass("A", ("A", "B"), (1.0, 1.0), 1.0)]
    assert checksum(first) != checksum([NearDuplicateClass("B", ("A", "B"), (1.0, 1.0), 1.0)])
    assert checksum(first) == checksum([NearDuplicateClass("A", ("A", "B"), (1.0, 0.9), 0.9)])


@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.1])
def test_a_threshold_outside_0_to_1_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="expected a threshold above 0 and at most 1"):
        near_duplicates([], threshold)


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=9), max_size=12), st.sampled_from([0.5, 0.8, 1.0]))
def test_any_short_texts(texts: list[list[str]], threshold: float) -> None:
    documents = [(f"D{place:02d}", " ".join(words)) for place, words in enumerate(texts)]
    assert members(near_duplicates(documents, threshold)) == classes_by_all_pairs(documents, threshold)
