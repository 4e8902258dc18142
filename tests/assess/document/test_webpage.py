from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import nh3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.document.highlighting import topic_terms
from assess.document.layout import document_view, plain_text
from assess.document.webpage import (
    ATTRIBUTES,
    MAX_PAGE_LENGTH,
    MAX_TAGS,
    TAGS,
    can_be_shown,
    is_page,
    marked_page,
)

TERMS = topic_terms("water alert script", more=["heart attack", "onerror"])
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
    "<math><mtext></form><form><mglyph><style></math><img src=x onerror=alert(1)>",
    "<math><mi href='javascript:alert(1)' style='color:red' class=grade id=judgment-card>water</mi></math>",
    "<math><maction actiontype=statusline xlink:href='javascript:alert(1)'><mi>water</mi></maction></math>",
    "<math><annotation-xml encoding='text/html'><p>water<script>alert(1)</script></annotation-xml></math>",
    "<math><mi>x</mi><annotation encoding='application/x-tex'></math><img src=x onerror=alert(1)>",
    "<math alttext='<script>alert(1)</script>'></math>",
    "<math alttext='&lt;script&gt;alert(1)&lt;/script&gt;'></math>",
    "<math><mpadded voffset=-99em width=9999em><mspace width=9999em height=99em /><mi>water</mi></math>",
    "<math><mfenced open='<script>' separators='\"<'><mi>water</mi><mi>alert</mi></mfenced></math>",
    "<math><mi><table><mi><math><mtext>water</math></table>",
    "<mi>water</mi><math></p><mtext><p><mi>alert",
]
FORMULA = (
    "<math alttext='E=mc^2'><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi>"
    "<msup><mi>c</mi><mn>2</mn></msup></mrow>"
    "<annotation encoding='application/x-tex'>E=mc^2</annotation></semantics></math>"
)
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
            *("<math>", "<math display=block>", "</math>", "<mi>", "</mi>", "<mrow>", "</mrow>", "<mtext>"),
            *("<mfenced>", "</mfenced>", "<mo lspace=2em>", "</mo>", "<msup>", "</msup>", FORMULA, "<del>"),
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
    if tag == "span" or (tag == "div" and attributes.get("class")):
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
    box = {"class", "tabindex"}
    ours = {"mark": {"class", "data-hit"}, "div": box, "span": box}
    attributes = {tag: set(names) for tag, names in ATTRIBUTES.items()} | ours
    around = f"<div>{html}</div><hr>"  # a page must not end the element that it is in
    again = nh3.clean(around, tags={*TAGS, "mark", "span"}, attributes=attributes, link_rel=None)
    assert unescape(again) == unescape(around)


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


@pytest.mark.parametrize(
    ("source", "html", "text"),
    [
        (
            FORMULA,
            "<math><mrow><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></mrow></math>",
            "E=mc2",
        ),
        ("<math alttext='x^2'><apply><power/><ci>x</ci><cn>2</cn></apply></math>",) + ("[Formula: x^2]",) * 2,
        (
            "<math><semantics><ci>a</ci><annotation encoding='application/x-tex'>\\alpha &lt; 1"
            "</annotation></semantics></math>",
            "[Formula: \\alpha &lt; 1]",
            "[Formula: \\alpha < 1]",
        ),
        ("<math><ci>a</ci><ci>b</ci></math>",) + ("[Formula: a b]",) * 2,
        ("<math></math>", "", ""),
        ("<mml:math><mml:mi>x</mml:mi></mml:math>", "<math><mi>x</mi></math>", "x"),
        (
            "<math>a<mfenced open=[ separators=';,'><mi>b</mi><mi>c</mi><mi>d</mi></mfenced></math>",
            "<math><mtext>a</mtext><mrow><mo>[</mo><mi>b</mi><mo>;</mo><mi>c</mi><mo>,</mo><mi>d</mi>"
            "<mo>)</mo></mrow></math>",
            "a[b;c,d)",
        ),
        (
            "<math><mi href=x mathvariant=normal>E</mi><mspace width=1em height=9em /><mo lspace=99em>+</mo>",
            '<math><mi mathvariant="normal">E</mi><mspace width="1em"></mspace><mo>+</mo></math>',
            "E+",
        ),
        (
            "<math display='block'><mi>E</mi></math>",
            '<span class="wide-box" tabindex="0"><math display="block"><mi>E</mi></math></span>',
            "E",
        ),
    ],
)
def test_a_formula_is_drawn_or_replaced_by_its_words(source: str, html: str, text: str) -> None:
    """The text that is marked and searched, and the one of adjudicators, have the letters that are shown."""
    page = marked_page(f"<html><p>{source}</p>", ())
    assert page.html == f"<p>{html}</p>"
    assert page.text.strip() == plain_text(f"<html><p>{source}</p>") == text


def test_terms_are_marked_inside_of_a_formula() -> None:
    page = marked_page("<math><mrow><mtext>heart</mtext> <mtext>attack</mtext></mrow></math>", TERMS)
    mark = '<mtext><mark class="term-3" data-hit="0">{}</mark></mtext>'.format
    assert page.html == f"<math><mrow>{mark('heart')} {mark('attack')}</mrow></math>"


def test_deleted_and_inserted_words_look_so() -> None:
    source = "<p><del>a</del><ins>b</ins><s>c</s><strike>d</strike></p>"
    assert marked_page(source, ()).html == source


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>All of it<svgx>", ""),
        ("<svg><text>a</text></svg>", "1 drawing"),
        ("<SVG/><canvas></canvas><iframe src=x></iframe>", "2 drawings, 1 embedded page"),
        ("<input type=hidden><input><textarea></textarea><select>", "3 form fields"),
        ("<object></object><embed src=x><video></video><audio>", "2 embedded objects, 1 video, 1 sound"),
        ("<script>'<svg>'</script><!-- <svg> --><noscript><iframe></noscript><title><svg></title>", ""),
        ("<script>'<svg>", ""),
    ],
)
def test_what_is_left_out_is_counted(source: str, expected: str) -> None:
    assert document_view(f"<html>{source}", ()).not_shown == expected
    assert document_view(f"A text about {source}", ()).not_shown == ""
