from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import nh3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.document.highlighting import topic_terms
from assess.document.layout import plain_text
from assess.document.webpage import (
    ATTRIBUTES,
    MAX_PAGE_LENGTH,
    MAX_TAGS,
    TAGS,
    can_be_shown,
    is_page,
    marked_page,
)

TERMS = topic_terms("water alert script", own=["heart attack", "onerror"])
HOSTILE = [  # every one of them would do something in a page that was only searched and replaced
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style>",
    "<a href='javascript:alert(1)'>water</a>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<form action=//evil><input name=relevance value=3><button>water</button></form>",
    "<p style='background:url(//evil)' onclick=alert(1) class=grade id=judgment-card name=water>water</p>",
    "<p lang='\"><script>alert(1)</script>'>water</p>",
    "<td title='<water>'>water</td>",
    "<b water=alert>water</b>",
    "<!-- water <script>alert(1)</script> -->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&amp;lt;script&amp;gt;water",
    "<scr<script>ipt>alert(1)</script>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<textarea><script>alert(1)</script></textarea>",
    "<title></title><img src=x onerror=alert(1)>",
    "<template><img src=x onerror=alert(1)></template>",
    "<mark class='term-0' data-hit='99' onclick=alert(1)>none</mark>",
    "<base href=//evil><meta http-equiv=refresh content='0;//evil'><link rel=stylesheet href=//evil>",
    "<object data=//evil></object><embed src=//evil>",
    "<plaintext><script>alert(1)</script>",
    "<p/onmouseover=alert(1)>water",
    "<<water>alert</<water>>",
    "water<",
    "water&#60;script&#62;alert(1)",
    "\x00<water\x00>",
]
PAGES = st.lists(
    st.sampled_from(
        [
            *HOSTILE,
            "<p>",
            "</p>",
            "<b>",
            "</b>",
            "<br>",
            "<td>",
            "<table>",
            "</table>",
            "<pre>",
            "</pre>",
            "<img alt='a water alert'>",
            "<img src=x alt='\"><script>alert(1)</script>'>",
            "heart",
            "attack",
            "water ",
            "Waters",
            " ",
            "&",
            "'",
            '"',
        ]
    )
).map("".join)


class Seen(HTMLParser):
    """What a browser would make of it: elements with their attributes, text, and the text inside marks."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def allowed(tag: str, attributes: dict[str, str | None]) -> bool:
    if tag == "mark":
        return re.fullmatch(r"term-[0-7]", attributes["class"] or "") is not None and attributes.keys() == {
            "class",
            "data-hit",
        }
    if tag == "div" and attributes.get("class"):
        return attributes == {"class": "wide-box", "tabindex": "0"}
    return tag in TAGS and attributes.keys() <= ATTRIBUTES["*"] | ATTRIBUTES.get(tag, frozenset())


def unmarked(html: str) -> str:
    return re.sub(r"</?mark[^>]*>", "", html)


@given(PAGES)
def test_only_what_is_allowed_and_our_marks_come_out(source: str) -> None:
    page = marked_page(source, TERMS)
    assert all(allowed(tag, attributes) for tag, attributes in Seen(page.html).elements)


@pytest.mark.parametrize("source", HOSTILE)
def test_a_hostile_page_does_nothing(source: str) -> None:
    for around in (source, f"<html><body>{source}</body></html>", f"water {source} water"):
        seen = Seen(marked_page(around, TERMS).html)
        assert all(allowed(tag, attributes) for tag, attributes in seen.elements)


@given(PAGES)
def test_cleaning_what_comes_out_once_more_changes_nothing(source: str) -> None:
    html = marked_page(source, TERMS).html
    ours = {"mark": {"class", "data-hit"}, "div": {"class", "tabindex"}}
    attributes = {tag: set(names) for tag, names in ATTRIBUTES.items()} | ours
    again = nh3.clean(html, tags={*TAGS, "mark"}, attributes=attributes, link_rel=None)
    assert unescape(again) == unescape(html)


@given(PAGES)
def test_the_marks_change_no_letter_of_the_page(source: str) -> None:
    assert unmarked(marked_page(source, TERMS).html) == marked_page(source, []).html


@given(PAGES)
def test_what_is_marked_is_what_was_found(source: str) -> None:
    page = marked_page(source, TERMS)
    marks: dict[int, str] = {}
    for hit, inside in re.findall(r'<mark class="term-\d" data-hit="(\d+)">([^<]*)</mark>', page.html):
        marks[int(hit)] = marks.get(int(hit), "") + unescape(inside)
    found = {number: page.text[hit.start : hit.end] for number, hit in enumerate(page.hits)}
    assert {n: re.sub(r"\s", "", text) for n, text in marks.items()} == {
        n: re.sub(r"\s", "", text) for n, text in found.items()
    }


def test_a_word_goes_over_inline_elements_but_no_phrase_over_a_paragraph() -> None:
    page = marked_page("<p><b>W</b>ater, heart</p><p>attack", TERMS)
    assert page.html == (
        '<p><b><mark class="term-0" data-hit="0">W</mark></b>'
        '<mark class="term-0" data-hit="0">ater</mark>, heart</p>'
        "<p>attack</p>"
    )


def test_scripts_and_titles_are_not_read() -> None:
    assert (
        marked_page("<title>water</title><style>water</style><script>water</script>ink", TERMS).text == "ink"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!DOCTYPE html><p>x", True),
        ("\n<?xml version='1.0'?>\n<!-- a --><html xmlns='x'>", True),
        ("<HTML>", True),
        ("<p>A paragraph", False),
        ("Write <html> first", False),
        ("<htmlx>", False),
        ("", False),
    ],
)
def test_a_page_is_known_by_how_it_begins(text: str, expected: bool) -> None:
    assert is_page(text) == expected


def test_a_page_that_would_take_long_is_not_shown_as_one() -> None:
    assert can_be_shown("<html>" * 100)
    assert not can_be_shown("x" * (MAX_PAGE_LENGTH + 1))
    assert not can_be_shown("<b>" * (MAX_TAGS + 1))


def test_an_image_is_its_alternative_text_where_it_stands() -> None:
    page = marked_page(
        "<p>A <img src='a.gif' alt='water &lt;b&gt;'>, <img src=b.gif> and <img alt=''>.", TERMS
    )
    assert page.text.strip() == "A [Image: water <b>],  and ."
    assert page.html == ('<p>A [Image: <mark class="term-0" data-hit="0">water</mark> &lt;b&gt;],  and .</p>')
    assert plain_text("<html><p>A <IMG title='>' alt='boat &lt;1&gt;'> here") == "A [Image: boat <1>] here"


def test_a_wide_element_has_a_box_and_one_inside_of_it_has_none() -> None:
    html = marked_page("<table><tr><td><table><tr><td><pre>x</pre></table></table><pre>y</pre>", []).html
    assert html.count('<div class="wide-box" tabindex="0">') == html.count("</div>") == 2
    assert html.startswith('<div class="wide-box" tabindex="0"><table>')
    assert html.endswith('<div class="wide-box" tabindex="0"><pre>y</pre></div>')
