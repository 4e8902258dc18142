"""Going from hit to hit, and a judge's own words, on a page that holds a document and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from assess.document.highlighting import densest_passage, find_terms, marked_paragraphs, topic_terms
from assess.document.text import text_parts
from tests.browser.conftest import violations

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]
CSS = (Path(__file__).resolve().parents[2] / "static/css/tokens.css").read_text()
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'"
HEAD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Trial</title>
<meta name="htmx-config" content='{"allowEval":false,"includeIndicatorStyles":false}'>
<link rel="stylesheet" href="/static/css/jurypool.css">
<script src="/static/django_htmx/htmx-2.min.js" defer></script>
</head><body><main class="reader"><h1>Trial</h1><p id="count" role="status"></p>"""
TERMS = topic_terms("vaccine malaria", more=["fever"])
FILL = "Nothing of it is said here, line after line.\n\n" * 40
TEXT = (
    f"A vaccine.\n\n{FILL}One for malaria, no vaccine.\n\n{FILL}Malaria, fever and a vaccine.\n\n{FILL}Fever."
)
HITS = find_terms(TEXT, TERMS)
CUTS = text_parts(TEXT, 2100)


def shown(part: int) -> str:
    """One part as a template would show it; nothing in this text needs escaping."""
    return "".join(
        "<p>"
        + "".join(
            f'<mark class="term-{span.term.colour}" data-hit="{span.hit}">{span.text}</mark>'
            if span.term
            else span.text
            for span in paragraph.spans
        )
        + "</p>"
        for paragraph in marked_paragraphs(TEXT, HITS, *CUTS[part])
    )


def waiting(part: int) -> str:
    inside = [number for number, hit in enumerate(HITS) if CUTS[part][0] <= hit.start < CUTS[part][1]]
    return (
        f'<div class="pending-part" data-first="{inside[0] if inside else 0}" data-hits="{len(inside)}"'
        f' hx-get="/trial/{part}/" hx-trigger="intersect once, wanted" hx-swap="outerHTML"'
        ' hx-sync="this:drop"></div>'
    )


@pytest.fixture
def asked() -> list[int]:
    """Which parts the browser asked for."""
    return []


@pytest.fixture
def page(open_page: OpenPage, asked: list[int]) -> Iterator[Page]:
    page = open_page()
    body = shown(0) + "".join(waiting(part) for part in range(1, len(CUTS)))
    article = f'<article data-densest="{densest_passage(HITS)}" data-count="count">{body}</article></main>'

    def whole(route: Route) -> None:
        headers = {"Content-Security-Policy": POLICY}
        route.fulfill(body=HEAD + article, content_type="text/html", headers=headers)

    def part(route: Route) -> None:
        asked.append(int(route.request.url.split("/")[-2]))
        route.fulfill(body=shown(asked[-1]), content_type="text/html")

    page.route("**/trial/", whole)
    page.route(re.compile(r"/trial/\d+/$"), part)
    page.goto("/trial/")
    yield page


def does(page: Page, call: str) -> Any:
    """Call what the module exports; elements come back as their text."""
    return page.evaluate(
        f"""async () => {{
            const marks = await import("/static/js/highlights.js");
            const article = document.querySelector("article");
            const answer = await {call};
            return answer instanceof Element ? answer.textContent : answer;
        }}"""
    )


def test_next_and_previous_go_round_and_count_over_the_whole_text(page: Page) -> None:
    total = len(HITS)
    assert does(page, "marks.goToNextHit(article)") == "vaccine"
    expect(page.get_by_role("status")).to_have_text(f"1 of {total}")
    assert does(page, "marks.goToPreviousHit(article)") == "Fever"
    expect(page.get_by_role("status")).to_have_text(f"{total} of {total}")
    seen = [does(page, "marks.goToNextHit(article)") for _ in range(total)]
    assert seen == [TEXT[hit.start : hit.end] for hit in HITS]
    expect(page.locator("mark.current")).to_be_in_viewport()


def test_the_densest_passage_is_loaded_alone_and_shown(page: Page, asked: list[int]) -> None:
    before = list(asked)
    assert does(page, "marks.goToDensestHit(article)") == "Malaria"
    expect(page.locator("mark.current")).to_be_in_viewport()
    holding = [n for n, (start, end) in enumerate(CUTS) if start <= TEXT.index("Malaria, fever") < end]
    assert asked[len(before)] == holding[0]
    assert len(asked) == len(set(asked)), "no part is asked for twice"


def test_a_part_that_does_not_come_is_said_and_comes_when_asked_again(page: Page) -> None:
    last = re.compile(rf"/trial/{len(CUTS) - 1}/$")
    page.route(last, lambda route: route.abort())
    assert does(page, "marks.goToPreviousHit(article)") is None
    expect(page.get_by_role("status")).to_have_text("The rest of the text could not be loaded. Try again.")
    page.unroute(last)
    assert does(page, "marks.goToPreviousHit(article)") == "Fever"


def test_own_words_are_marked_where_nothing_is_marked_yet_and_taken_away_again(page: Page) -> None:
    before = page.locator("article").inner_html()
    assert does(page, "marks.markTerm(article, 'noth', 5)") == page.locator("mark.term-5").count() > 10
    assert set(page.locator("mark.term-5").all_inner_texts()) == {"Nothing"}
    assert does(page, "marks.markTerm(article, '\"is said\"', 6)") == page.locator("mark.term-6").count() > 10
    assert does(page, "marks.markTerm(article, 'vaccine', 7)") == 0
    assert does(page, "marks.markTerm(article, 'said', 7)") == 0
    does(page, "marks.unmarkTerm(article, 'noth')")
    does(page, "marks.unmarkTerm(article, '\"is said\"')")
    assert page.locator("article").inner_html() == before


@pytest.mark.parametrize("typed", ["", '""', "   ", "a(b", "[", "\\\\", "no.hing", "<b>", "ot"])
def test_odd_words_mark_nothing_and_break_nothing(page: Page, typed: str) -> None:
    assert does(page, f"marks.markTerm(article, '{typed}', 5)") == 0


def test_switched_off_nothing_is_seen_and_nothing_moves(page: Page) -> None:
    assert does(page, "marks.toggleMarks(article)") is False
    assert does(page, "marks.goToNextHit(article)") is None
    mark = page.locator("mark").first
    expect(mark).to_have_css("text-decoration-line", "none")
    expect(mark).to_have_css("background-color", "rgba(0, 0, 0, 0)")
    assert does(page, "marks.toggleMarks(article)") is True
    expect(mark).to_have_css("text-decoration-line", "underline")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_terms_look_different_without_their_colours_and_can_be_read(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    page.evaluate(
        """() => { document.querySelector("article").innerHTML = "<p>" + [0, 1, 2, 3, 4, 5, 6, 7].map(
            (colour) => `<mark class="term-${colour}">word</mark>`).join(" ") + "</p>"; }"""
    )
    lines = page.locator("mark").evaluate_all(
        """(marks) => marks.map((mark) => getComputedStyle(mark)).map(
            (style) => `${style.textDecorationLine} ${style.textDecorationStyle}`)"""
    )
    assert len(set(lines)) == 8
    assert violations(page) == []


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.smoke
def test_text_on_every_tint_has_a_contrast_of_seven_to_one(mode: int) -> None:
    colours = {
        name: modes for name, *modes in re.findall(r"--([\w-]+):\s*light-dark\((#\w{6}), (#\w{6})\)", CSS)
    }
    tints = [colours[f"hit-{number}"][mode] for number in range(8)]
    for tint in tints:
        dark, light = sorted([luminance(colours["ink"][mode]), luminance(tint)])
        assert (light + 0.05) / (dark + 0.05) >= 7
