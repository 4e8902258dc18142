from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.document.highlighting import (
    Hit,
    TextSpan,
    densest_passage,
    find_terms,
    marked_paragraphs,
    snippets,
    term_counts,
    topic_terms,
)
from assess.document.text import paragraphs, text_parts

TERMS = topic_terms("vaccine trials", more=["heart attack", "heart"])
TEXTS = st.lists(
    st.sampled_from(
        [
            "vaccine",
            "Vaccinated",
            "trial",
            "heart",
            "attack",
            "retrial",
            " ",
            ", ",
            ". ",
            "\n",
            "\r\n",
            "\n\n",
            "-",
            "é",
        ]
    )
).map("".join)


def found(text: str) -> list[str]:
    return [text[hit.start : hit.end] for hit in find_terms(text, TERMS)]


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("VACCINES and vaccinated people, vaccinology", ["VACCINES", "vaccinated"]),
        ("retrial of a trial", ["trial"]),
        ("a heart\n   attack, heart-attacks", ["heart\n   attack", "heart-attacks"]),
        ("heart, attack", ["heart"]),
        ("heartattack", ["heartattack"]),
        ("no such word", []),
        ("", []),
    ],
)
def test_a_term_is_found_in_every_form_of_its_word_and_in_no_other_word(text: str, hits: list[str]) -> None:
    assert found(text) == hits


def test_words_that_were_forgotten_are_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assess.document.highlighting.MAX_CACHED_WORDS", 3)
    text = "one trial, a vaccine, no heart attack, that TRIAL, those vaccines"
    assert found(text) == found(text) == ["trial", "vaccine", "heart attack", "TRIAL", "vaccines"]


def test_all_forms_of_a_word_are_found() -> None:
    text = "dying dies died dye"
    assert [text[hit.start : hit.end] for hit in find_terms(text, topic_terms("die"))] == [
        "dying",
        "dies",
        "died",
    ]


def test_scripts_without_blanks_are_searched_too() -> None:
    text = "私は東京の大学で観\n光を学ぶ。京東"
    terms = topic_terms("東京の観光")
    assert [text[hit.start : hit.end] for hit in find_terms(text, terms)] == ["東京", "観\n光"]


def test_a_compound_with_a_number_is_found_apart_and_together() -> None:
    text = "The F-16, an F16 or F 16; F-15, 16"
    assert [text[h.start : h.end] for h in find_terms(text, topic_terms("F-16"))] == ["F-16", "F16", "F 16"]


@given(st.lists(st.sampled_from(["vaccine", "trials", "Trial", "heart", "none", "retrial"])))
def test_single_words_are_found_as_often_as_a_plain_pattern_finds_them(words: list[str]) -> None:
    text = ", ".join(words)  # a comma parts what would be a phrase
    plain = {0: r"\bvaccine\b", 1: r"\btrials?\b", 2: r"\bheart attack\b", 3: r"\bheart\b"}
    expected = {number: len(re.findall(pattern, text, re.IGNORECASE)) for number, pattern in plain.items()}
    assert {term.number: n for term, n in term_counts(find_terms(text, TERMS), TERMS)} == expected


@given(TEXTS)
def test_hits_are_whole_words_in_order_and_do_not_overlap(text: str) -> None:
    hits = find_terms(text, TERMS)
    assert all(before.end <= after.start for before, after in zip(hits, hits[1:], strict=False))
    assert all(not text[hit.start - 1 : hit.start].isalnum() for hit in hits if hit.start)
    assert all(not text[hit.end : hit.end + 1].isalnum() for hit in hits)


@given(TEXTS)
def test_the_spans_together_are_the_paragraphs(text: str) -> None:
    shown = list(marked_paragraphs(text, find_terms(text, TERMS)))
    assert [("".join(span.text for span in paragraph.spans), paragraph.layout) for paragraph in shown] == [
        tuple(paragraph) for paragraph in paragraphs(text)
    ]


@given(TEXTS, st.integers(1, 40))
def test_whatever_the_parts_every_hit_is_marked_once_and_in_order(text: str, size: int) -> None:
    hits = find_terms(text, TERMS)
    spans = [
        span
        for start, end in text_parts(text, size)
        for paragraph in marked_paragraphs(text, hits, start, end)
        for span in paragraph.spans
    ]
    assert [span.hit for span in spans if span.term] == list(range(len(hits)))
    assert all(span.text and span.term == hits[span.hit].term for span in spans if span.hit is not None)


def by_counting(hits: list[Hit], window: int) -> int | None:
    """The densest passage by its definition."""
    inside = [
        [h for h in hits[i:] if h is first or h.end <= first.start + window] for i, first in enumerate(hits)
    ]
    scores = [(len({h.term.number for h in held}), len(held)) for held in inside]
    return scores.index(max(scores)) if scores else None


@given(TEXTS, st.integers(1, 60))
def test_the_densest_passage_is_the_one_that_counting_finds(text: str, window: int) -> None:
    hits = find_terms(text, TERMS)
    assert densest_passage(hits, window) == by_counting(hits, window)


def quoted(spans: list[TextSpan]) -> str:
    return "".join(f"[{span.text}]" if span.term else span.text for span in spans)


def test_a_snippet_is_the_sentence_around_the_densest_passage() -> None:
    text = f"{'Nothing here. ' * 40}A trial of the\n vaccine was held. {'Nothing there. ' * 40}"
    (snippet,) = snippets(text, find_terms(text, TERMS), window=60)
    assert "A [trial] of the [vaccine] was held." in quoted(snippet.spans)
    assert snippet.hit == 0


def test_a_snippet_within_a_sentence_says_that_it_is_cut() -> None:
    text = "word " * 100 + "vaccine " + "word " * 100
    (snippet,) = snippets(text, find_terms(text, TERMS), window=40)
    assert quoted(snippet.spans) == "… word word word [vaccine] word word word …"


@given(TEXTS, st.integers(1, 60), st.integers(0, 4))
def test_snippets_are_few_in_the_order_of_the_text_and_quote_no_hit_twice(
    text: str, window: int, most: int
) -> None:
    hits = find_terms(text, TERMS)
    chosen = snippets(text, hits, most, window)
    numbers = [span.hit for snippet in chosen for span in snippet.spans if span.hit is not None]
    assert len(chosen) <= most and bool(chosen) == bool(hits and most)
    assert numbers == sorted(numbers) and set(Counter(numbers).values()) <= {1}
    assert all(snippet.hit in [span.hit for span in snippet.spans] for snippet in chosen)
    assert not most or not hits or densest_passage(hits, window) in [snippet.hit for snippet in chosen]
