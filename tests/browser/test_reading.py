"""How documents look to those who read them: other scripts, tables, code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from pooling.models import Campaign, Document
from tests.browser.conftest import awake, violations
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]

ARABIC = "الهاتف 02-00-20 متاح."
ENGLISH = "An English sentence."
DIRECTION = (
    """(element) => [getComputedStyle(element).direction, getComputedStyle(element).textAlign].join(" ")"""
)
CODE_OF_LANGUAGE = "(element) => element.closest('[lang]').lang"
TABLE = "Date        High    Low\n2024-03-01  01:10   07:20\n2024-03-02  02:02   08:11"


def test_text_from_right_to_left_is_laid_out_so(open_page: OpenPage, make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    campaign.topics.filter(number="2").update(title=ARABIC, description=ARABIC)
    make.make_document(campaign, "D1", f"{ARABIC}\n\n{ENGLISH}\n\n" + f"{ARABIC} " * 300, title=ARABIC)
    page = open_page("alice", viewport={"width": 1280, "height": 900})
    page.goto("/campaigns/tiny/judge/topics/2/")
    awake(page)
    for selector in ("h1", "[data-paragraph='0']", ".snippets p >> nth=0", ".topic h2", ".topic h2 + div"):
        element = page.locator(selector).first
        assert element.evaluate(DIRECTION) == "rtl start", selector
    assert page.locator("[data-paragraph='1']").evaluate(DIRECTION) == "ltr start"
    page.keyboard.press("c")
    page.locator("#comment").fill(ARABIC)
    assert page.locator("#comment").evaluate(DIRECTION) == "rtl start"


def test_the_cells_of_an_arabic_page_run_from_right_to_left(open_page: OpenPage, make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    html = f"<html><body><p>{ENGLISH}</p><table><tr><td>{ARABIC}</td><td>1</td></tr></table></body></html>"
    make.make_document(campaign, "D1", html)
    page = open_page("alice")
    page.goto("/campaigns/tiny/judge/topics/2/")
    cell = page.locator(".webpage td").first
    assert cell.evaluate("(cell) => getComputedStyle(cell).unicodeBidi") == "plaintext"
    assert cell.evaluate("(cell) => getComputedStyle(cell).textAlign") == "start"


@pytest.mark.parametrize("width", [360, 1280])
def test_a_plain_table_keeps_its_columns(open_page: OpenPage, make: Factory, width: int) -> None:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", f"Tides.\n\n{TABLE}  {'x' * 90}\n\n    indented()")
    page = open_page("alice", viewport={"width": width, "height": 800})
    page.goto("/campaigns/tiny/judge/topics/2/")
    awake(page)
    table = page.locator("[data-paragraph='1']")
    assert table.inner_text() == f"{TABLE}  {'x' * 90}"
    assert "mono" in table.evaluate("(table) => getComputedStyle(table).fontFamily")
    assert page.locator("[data-paragraph='2']").inner_text() == "    indented()"
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert violations(page) == []


def test_the_words_of_the_topic_are_marked_in_the_title(open_page: OpenPage, make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", "The second one.", title="Things of a second kind")
    page = open_page("alice")
    page.goto("/campaigns/tiny/judge/topics/2/")
    awake(page)
    expect(page.locator("h1")).to_have_text("Things of a second kind")
    expect(page.locator("dd.chips")).to_contain_text("second 2")
    for number, word in enumerate(("Things", "second", "second"), start=1):
        page.keyboard.press("n")
        expect(page.locator("mark.current")).to_have_text(word)
        expect(page.locator("#hit-count")).to_have_text(f"{number} of 3")


def test_topic_and_document_say_their_languages(open_page: OpenPage, make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    Campaign.objects.update(language="de")
    make.make_document(campaign, "D1", f"{ARABIC}\n\n" + "الهاتف " * 1200, title=ARABIC)
    Document.objects.update(facts=[["Language", "ar"]])
    page = open_page("alice")
    page.goto("/campaigns/tiny/judge/topics/2/")
    awake(page)
    for selector, language in {
        "h1": "ar",
        "[data-paragraph='0']": "ar",
        ".topic h2": "de",
        "#grades": "en",
    }.items():
        assert page.locator(selector).first.evaluate(CODE_OF_LANGUAGE) == language, selector


def test_a_long_document_is_searched_as_a_whole(open_page: OpenPage, make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    text = "\n\n".join(f"Line {number} of the keel. " + "Filled with words. " * 20 for number in range(250))
    make.make_document(campaign, "D1", text, title="The keel")
    page = open_page("alice", viewport={"width": 1280, "height": 800})
    page.goto("/campaigns/tiny/judge/topics/2/")
    awake(page)
    expect(page.locator(".facts")).to_contain_text("about 16,000 words")
    choice, waiting = page.locator("[data-parts]"), page.locator(".pending-part")
    assert waiting.count() == 2
    choice.select_option("2")  # the second of three
    expect(page.locator(".document-part[data-part='1'] p").first).to_be_in_viewport()
    page.locator(".reader").evaluate("(reader) => { reader.scrollTop = 0; }")
    expect(choice).to_have_value("0")
    page.locator("h1").focus()
    page.keyboard.press("/")
    page.locator("#own-term").fill("keel")
    page.keyboard.press("Enter")
    expect(page.locator("#own-terms")).to_have_text("keel 251 ×")
    expect(waiting).to_have_count(0)
    expect(page.locator("h1 mark")).to_have_text("keel")
    assert violations(page) == []
    page.evaluate("sessionStorage.clear()")
    page.reload()
    awake(page)
    assert waiting.count() > 0
    page.keyboard.press("Control+f")
    expect(waiting).to_have_count(0)


def test_evidence_from_the_title_is_marked_there(open_page: OpenPage, make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", "A second thing.", title="Things of a second kind")
    make.make_judgment(campaign, "bob", "2", "D1", 0)
    page = open_page("alice")
    page.goto("/campaigns/tiny/judge/topics/2/")
    awake(page)
    page.locator("h1").evaluate(
        """(title) => {
            const text = document.querySelector("[data-paragraph='0']");
            getSelection().setBaseAndExtent(title, 0, text, 1);
        }"""
    )
    page.keyboard.press("e")
    expect(page.locator("#evidence")).to_have_text("“Things of a second kind”")
    page.keyboard.press("3")
    expect(page.locator("#main")).to_contain_text("is finished")
    page = open_page("ada")
    page.goto("/campaigns/tiny/adjudication/")
    page.keyboard.press("t")
    expect(page.locator("#judgment-card h2 mark.selected")).to_have_text("Things of a second kind")
    expect(page.locator("#text mark.selected")).to_have_count(0)


def test_a_wide_table_of_a_page_scrolls_in_its_box(open_page: OpenPage, make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    row = "".join(f"<td>{'column' * 3}{number}</td>" for number in range(9))
    image = "<img src=//evil/x alt='chart of tides'>"
    html = f"<html><body><p>A {image}.</p><table><tr>{row}</tr></table></body></html>"
    make.make_document(campaign, "D1", html)
    page = open_page("alice", viewport={"width": 360, "height": 800})
    page.goto("/campaigns/tiny/judge/topics/2/")
    awake(page)
    expect(page.locator(".webpage p")).to_have_text("A [Image: chart of tides].")
    box = page.locator(".wide-box")
    assert page.locator(".reader").evaluate("(reader) => reader.scrollWidth") == 360
    box.focus()
    page.keyboard.press("ArrowRight")
    expect(box).to_have_js_property("scrollLeft", 40)
    assert violations(page) == []


FORMULA = """<math display="block" alttext="x"><semantics><mrow><mi>x</mi><mo>=</mo><mfrac>
    <mrow><mo>−</mo><mi>b</mi><mo>±</mo><msqrt><msup><mi>b</mi><mn>2</mn></msup><mo>−</mo><mn>4</mn><mi>a</mi>
    <mi>c</mi></msqrt></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac><mtext> if second</mtext></mrow>
    <annotation encoding="application/x-tex">x</annotation></semantics></math>"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_formula_is_drawn_and_can_be_evidence(
    open_page: OpenPage, make: Factory, scheme: Literal["light", "dark"]
) -> None:
    campaign = make.make_pooled_campaign()
    long = FORMULA.replace("</semantics>", "<mi>y</mi><mo>+</mo>" * 30 + "</semantics>")
    html = f"<html><body><p>Two are {FORMULA} or <del>three</del>.</p>{long}<svg></svg></body></html>"
    make.make_document(campaign, "D1", html)
    make.make_judgment(campaign, "bob", "2", "D1", 0)
    page = open_page("alice", viewport={"width": 360, "height": 800}, color_scheme=scheme)
    page.goto("/campaigns/tiny/judge/topics/2/")
    awake(page)
    above, below, formula = (
        page.locator(f".webpage {part}").first
        for part in ("mfrac > :first-child", "mfrac > :last-child", "math")
    )
    numerator, denominator = above.bounding_box(), below.bounding_box()
    assert numerator
    assert denominator
    assert numerator["y"] + 10 < denominator["y"]
    colours = "(element) => [getComputedStyle(element).color, getComputedStyle(element.closest('p')).color]"
    assert len(set(formula.evaluate(colours))) == 1
    expect(page.locator(".webpage mark")).to_have_text(["second", "second"])
    text = page.locator(".webpage mtext").first.bounding_box()
    assert text
    assert text["height"] < 30  # a marked word stands beside the others
    expect(page.locator(".webpage del")).to_have_css("text-decoration-line", "line-through")
    expect(page.locator("#judgment-card .facts")).to_contain_text("1 drawing")
    assert page.locator(".reader").evaluate("(reader) => reader.scrollWidth") == 360
    assert violations(page) == []
    formula.evaluate("(math) => getSelection().selectAllChildren(math)")
    page.keyboard.press("e")
    page.keyboard.press("3")
    expect(page.locator("#main")).to_contain_text("is finished")
    page = open_page("ada")
    page.goto("/campaigns/tiny/adjudication/")
    page.keyboard.press("t")
    expect(page.locator("#text mark.selected").first).to_contain_text("b2")


def test_the_images_of_a_document_have_their_place_and_open_in_full_size(
    open_page: OpenPage, make: Factory
) -> None:
    campaign = make.make_pooled_campaign()
    make.make_document(
        campaign, "D1", '<html><body><p>A figure: <img src="fig/a.png" alt="A boat"></p></body>'
    )
    make.make_image(campaign, "documents/D1/a.png", "documents/D1/b.png", "topics/2.png")
    page = open_page("alice", viewport={"width": 360, "height": 800})
    page.goto("/campaigns/tiny/judge/topics/2/")
    awake(page)
    for image in page.locator(".reader img").all():
        image.scroll_into_view_if_needed()
        expect(image).to_have_js_property("naturalWidth", 5)
    assert page.locator(".webpage img").get_attribute("alt") == "a.png"
    assert violations(page) == []
    page.locator(".images a").first.focus()
    with page.expect_popup() as opened:
        page.keyboard.press("Enter")
    expect(opened.value.locator("img")).to_have_js_property("naturalWidth", 5)
