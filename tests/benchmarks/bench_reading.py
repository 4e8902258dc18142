"""How fast a long document is searched whole for a topic's terms, and its start shown.

python -m tests.benchmarks.bench_reading [--repeat N]

Generates a text of a megabyte whose words are as frequent as in natural language. Cold means that no word has
been stemmed before, as in the first document after a start of the server.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable

import numpy as np

from assess.document.highlighting import (
    Hit,
    densest_passage,
    find_terms,
    marked_paragraphs,
    snippets,
    stem,
    topic_terms,
)
from assess.document.text import text_parts
from assess.document.webpage import MAX_PAGE_LENGTH, marked_page
from tests.benchmarks.timing import in_turns, told

LENGTH, VOCABULARY = 1_000_000, 40_000
GOALS = {"a megabyte searched whole, cold": 100.0, "search and first part, cold": 200.0}  # milliseconds
TERMS = topic_terms("vaccination against malaria in children", more=["side effects", "dose", "fever"])


def generated(random: np.random.Generator) -> str:
    """A text in paragraphs; its words follow Zipf's law, and the topic's are among the frequent ones."""
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    endings = np.array(["", "s", "ed", "ing", "ation", "ness"])
    words = [
        "".join(letters[random.integers(0, 26, random.integers(2, 9))]) + str(random.choice(endings))
        for _ in range(VOCABULARY)
    ]
    words[50:350:50] = ["vaccines", "malaria", "child", "side effects", "doses", "fever"]
    frequency = 1 / np.arange(1, VOCABULARY + 1)
    drawn = random.choice(VOCABULARY, LENGTH // 5, p=frequency / frequency.sum())
    lines = (" ".join(words[word] for word in line) for line in drawn.reshape(-1, 80))
    return "\n\n".join(lines)[:LENGTH]


def cold(work: Callable[[], object]) -> Callable[[], object]:
    def run() -> object:
        stem.cache_clear()
        return work()

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    text = generated(np.random.default_rng(1))
    hits = find_terms(text, TERMS)
    page = "<html>" + "".join(f"<p>{paragraph}</p>\n" for paragraph in text.split("\n\n"))[:MAX_PAGE_LENGTH]

    def start() -> list[object]:
        found: list[Hit] = find_terms(text, TERMS)
        return [
            densest_passage(found),
            snippets(text, found),
            list(marked_paragraphs(text, found, *text_parts(text)[0])),
        ]

    contenders: dict[str, Callable[[], object]] = {
        "a megabyte searched whole, cold": cold(lambda: find_terms(text, TERMS)),
        "the same, warm": lambda: find_terms(text, TERMS),
        "search and first part, cold": cold(start),
        "all parts of it": lambda: [list(marked_paragraphs(text, hits, *part)) for part in text_parts(text)],
        f"a web page of {MAX_PAGE_LENGTH // 1000} kB, warm": lambda: marked_page(page, TERMS),
    }
    times = in_turns(contenders, options.repeat)
    print(f"{len(text):,} characters, {len(set(text.split())):,} different words, {len(hits):,} hits")
    for name, taken in times.items():
        print(told(name, statistics.median(taken), GOALS.get(name)))


if __name__ == "__main__":
    main()
