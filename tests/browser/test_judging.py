"""The judging screen under fingers."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Request, Route, expect

from assess.models import Judgment, JudgmentEvent
from assess.services.assignments import assign
from tests.browser.conftest import awake, saved, shown, sign_in
from tests.support.factory import Factory

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]


SELECT = """() => {
    const words = document.querySelector("[data-paragraph='1']").firstChild;
    getSelection().setBaseAndExtent(words, 4, words, 13);
}"""


@pytest.mark.smoke
def test_a_press_on_a_card_that_nobody_can_have_read_is_no_label(judge: Page) -> None:
    awake(judge)
    judge.keyboard.press("2")
    judge.keyboard.press("2")  # at once: the card has just come
    saved(judge, 1)
    awake(judge)
    assert JudgmentEvent.objects.count() == 1


def test_the_screen_asks_for_cards_only_when_few_lie_ready(open_page: OpenPage, make: Factory) -> None:
    campaign = make.make_campaign()
    topic = make.make_topic(campaign, "1")
    make.make_run(campaign, "\n".join(f"1 D{rank:02} {99 - rank}" for rank in range(20)))
    make.make_pool(campaign, depth=20)
    assign([make.make_user("alice")], [topic])
    page, asked = open_page("alice"), list[tuple[int, int]]()

    def listen(request: Request) -> None:
        is_outbox = request.url.endswith("/outbox/")
        if is_outbox and (parcel := request.post_data_json) and parcel["labels"]:
            asked.append((len(parcel["have"]), parcel["want"]))

    page.goto("/campaigns/tiny/judge/topics/1/")
    page.on("request", listen)
    for count in range(1, 9):
        awake(page)
        page.keyboard.press("01"[count % 2])  # the same key at once would be a double press
        saved(page, count)
    assert len(asked) == 8  # a request a label, besides the one that prefetches
    assert sum(want == 0 for _, want in asked) >= 2
    assert (
        min(have for have, _ in asked[1:]) >= 4
    )  # the one on screen and three more, once they are prefetched


def test_the_buttons_keep_their_look_while_a_new_card_takes_no_press(judge: Page) -> None:
    awake(judge)
    looks = "[...document.querySelectorAll('button.grade')].map((it) => getComputedStyle(it).backgroundColor)"
    before = judge.evaluate(looks)
    key = "{key: '2', code: 'Digit2', bubbles: true}"
    press = f"document.body.dispatchEvent(new KeyboardEvent('keydown', {key}))"
    assert judge.evaluate(f"{press}; !document.querySelector('#judging-screen[data-enabled]')")
    assert judge.evaluate(f"{press}; !document.querySelector('button.grade').disabled")
    assert judge.evaluate(looks) == before
    saved(judge, 1)


def test_keys_are_dead_in_a_text_field_and_with_a_modifier(judge: Page) -> None:
    awake(judge)
    judge.keyboard.press("c")
    judge.keyboard.type("231")
    judge.locator(".reader h1").click()
    judge.keyboard.press("Control+2")
    expect(judge.get_by_label("Comment for organisers")).to_have_value("231")
    judge.keyboard.press("Enter")
    assert JudgmentEvent.objects.count() == 0


def test_a_grade_has_a_key_of_the_home_row(judge: Page) -> None:
    awake(judge)
    judge.keyboard.press("f")
    saved(judge, 1)
    assert JudgmentEvent.objects.get().relevance == 3


def test_a_key_can_be_changed_and_stays_changed(judge: Page) -> None:
    awake(judge)
    judge.keyboard.press("?")
    field = judge.get_by_label("Later: move to the end")
    field.press("u")
    assert field.evaluate("field => field.validationMessage") == '"u" is taken'
    field.press("z")
    judge.keyboard.press("Escape")
    judge.reload()
    awake(judge)
    first = shown(judge)
    expect(judge.get_by_role("button", name="Later z")).to_be_visible()
    judge.keyboard.press("z")
    awake(judge)
    assert shown(judge) != first
    expect(judge.locator("#save")).to_have_attribute("data-unsent", "0")


def test_later_comes_again_at_the_end(judge: Page) -> None:
    awake(judge)
    first = shown(judge)
    judge.keyboard.press("l")
    for key in ("0", "1"):
        awake(judge)
        assert shown(judge) != first
        judge.keyboard.press(key)
    awake(judge)
    assert shown(judge) == first


@pytest.mark.smoke
def test_undo_shows_the_own_label_and_a_new_one_is_a_new_event(judge: Page) -> None:
    awake(judge)
    first = shown(judge)
    judge.keyboard.press("2")
    awake(judge)
    second = shown(judge)
    judge.keyboard.press("u")
    assert shown(judge) == first
    expect(judge.locator("button.grade[aria-pressed=true]")).to_contain_text("Relevant")
    awake(judge)
    judge.keyboard.press("0")
    assert shown(judge) == second
    expect(judge.locator("button.grade[aria-pressed=true]")).to_have_count(0)
    saved(judge, 1)
    assert list(JudgmentEvent.objects.values_list("relevance", flat=True)) == [2, 0]
    assert Judgment.objects.get().relevance == 0


def test_undo_after_a_reload_and_on_again(judge: Page) -> None:
    awake(judge)
    first = shown(judge)
    judge.keyboard.press("2")
    saved(judge, 1)
    judge.reload()
    awake(judge)
    second = shown(judge)
    judge.keyboard.press("u")
    expect(judge.locator("button.grade[aria-pressed=true]")).to_contain_text("Relevant")
    assert shown(judge) == first
    judge.keyboard.press("o")
    assert shown(judge) == second
    assert JudgmentEvent.objects.count() == 1


def test_the_own_labels_lead_back_to_their_documents(judge: Page) -> None:
    awake(judge)
    first = shown(judge)
    judge.keyboard.press("3")
    saved(judge, 1)
    judge.get_by_text("Your labels", exact=True).click()
    judge.locator("#recent-labels").get_by_role("link", name=first).click()
    expect(judge.locator("button.grade[aria-pressed=true]")).to_contain_text("Complete")
    assert shown(judge) == first


@pytest.mark.smoke
def test_cannot_judge_takes_a_reason_and_goes_on(judge: Page) -> None:
    awake(judge)
    judge.keyboard.press("x")
    judge.get_by_role("button", name="A language that I do not read").click()
    saved(judge, 1)
    assert JudgmentEvent.objects.get().reason == "language"


def test_a_finished_topic_leads_to_the_next_one_by_enter(open_page: OpenPage, make: Factory) -> None:
    make.make_pooled_campaign()
    page = open_page("alice")
    page.goto("/campaigns/tiny/judge/topics/2/")
    awake(page)
    page.keyboard.press("3")
    button = page.get_by_role("button", name="Continue with topic 1")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    awake(page)
    expect(page).to_have_url(re.compile("/judge/topics/1/$"))


def test_selected_words_go_along_as_evidence(open_page: OpenPage, make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", "Nothing here.\n\nThe big words come first.")
    page = open_page("alice")
    page.goto("/campaigns/tiny/judge/topics/2/")
    awake(page)
    page.evaluate(SELECT)
    page.keyboard.press("e")
    expect(page.locator("#evidence")).to_have_text("“big words”")
    page.keyboard.press("3")
    expect(page.get_by_role("heading", name="Topic 2 is finished")).to_be_visible()
    assert JudgmentEvent.objects.get().evidence == {"quote": "big words", "paragraph": 1, "start": 4}


@pytest.mark.smoke
def test_a_label_that_did_not_arrive_waits_and_goes_out_by_itself(judge: Page) -> None:
    awake(judge)
    judge.route("**/judge/outbox/", lambda route: route.abort())
    judge.keyboard.press("1")
    expect(judge.get_by_role("alert")).to_contain_text(
        "The server does not answer. 1 label is stored in this browser and is sent when the server answers"
        " again. You can go on judging: 1 more document is here."
    )
    expect(judge.locator("#save")).to_have_text("1 not sent yet")
    judge.unroute("**/judge/outbox/")
    saved(judge, 1)
    expect(judge.get_by_role("alert")).to_be_hidden()
    assert JudgmentEvent.objects.get().relevance == 1


@pytest.mark.smoke
def test_judging_goes_on_without_a_network_and_stops_visibly_when_no_card_is_left(judge: Page) -> None:
    judge.route("**/judge/outbox/", lambda route: route.abort())
    for key in "102":
        awake(judge)
        judge.keyboard.press(key)
    expect(judge.locator("#save")).to_have_text("3 not sent yet, judging stopped")
    assert judge.locator("button.grade").first.is_disabled()
    held = list[Route]()  # a retry of its own that comes before the click would hide the button
    judge.unroute("**/judge/outbox/")
    judge.route("**/judge/outbox/", lambda route: held.append(route))
    judge.get_by_role("button", name="Try now").click()
    while not held:
        judge.wait_for_timeout(50)
    held[0].continue_()
    judge.unroute("**/judge/outbox/")
    expect(judge.get_by_role("heading", name="Topic 1 is finished")).to_be_visible()
    assert list(JudgmentEvent.objects.values_list("relevance", flat=True)) == [1, 0, 2]


@pytest.mark.smoke
def test_an_answer_that_got_lost_does_not_double_the_label(judge: Page) -> None:
    awake(judge)

    def swallow_answer(route: Route) -> None:
        route.fetch()
        route.abort()

    judge.route("**/judge/outbox/", swallow_answer)
    judge.keyboard.press("3")
    expect(judge.get_by_role("alert")).to_contain_text("does not answer")
    judge.unroute("**/judge/outbox/")
    saved(judge, 1)
    assert JudgmentEvent.objects.count() == 1


def test_a_page_rendered_before_a_label_was_stored_does_not_ask_for_it_again(judge: Page) -> None:
    """Another tab was loading meanwhile. A second label, without the comment, would replace the first one."""
    awake(judge)
    document, other, held = shown(judge), judge.context.new_page(), list[Route]()
    other.goto(judge.url)
    awake(other)
    other.route("**/judge/topics/1/", lambda route: held.append(route))
    other.evaluate("setTimeout(() => location.reload())")
    while not held:
        other.wait_for_timeout(50)
    rendered = held[0].fetch()
    judge.keyboard.press("c")
    judge.locator("#comment").fill("why")
    judge.keyboard.press("Escape")
    judge.keyboard.press("2")
    saved(judge, 1)
    other.route("**/judge/outbox/", lambda route: route.abort())  # or the server would soon say it
    with other.expect_event("load"):
        held[0].fulfill(response=rendered)
    awake(other)
    assert shown(other) != document
    event = JudgmentEvent.objects.get()
    assert (event.pooled.docno, event.comment) == (document, "why")


@pytest.mark.smoke
def test_a_label_survives_a_closed_tab(judge: Page) -> None:
    awake(judge)
    first = shown(judge)
    judge.context.route("**/judge/outbox/", lambda route: route.abort())
    judge.keyboard.press("3")
    expect(judge.locator("#save")).to_have_text("1 not sent yet")
    again = judge.context.new_page()
    judge.close()
    again.context.unroute("**/judge/outbox/")
    again.goto("/campaigns/tiny/judge/topics/1/")
    saved(again, 1)
    assert shown(again) != first
    assert JudgmentEvent.objects.get().pooled.docno == first


@pytest.mark.smoke
def test_two_tabs_send_each_label_once(judge: Page) -> None:
    other = judge.context.new_page()
    other.goto("/campaigns/tiny/judge/topics/1/")
    awake(other)
    awake(judge)
    first = shown(judge)
    judge.keyboard.press("3")
    expect(other.locator(f"#judgment-card[data-docno={first}]")).to_have_count(0)  # it goes on by itself
    awake(other)
    saved(other, 1)
    other.keyboard.press("1")
    for tab in (judge, other):
        saved(tab, 2)
    assert list(JudgmentEvent.objects.values_list("relevance", flat=True)) == [3, 1]
    assert Judgment.objects.count() == 2


@pytest.mark.parametrize("lost", [{"name": "sessionid"}, {}], ids=["the session", "every cookie"])
@pytest.mark.smoke
def test_a_judge_who_was_signed_out_loses_no_label(judge: Page, lost: dict[str, str]) -> None:
    awake(judge)
    judge.context.clear_cookies(**lost)
    judge.keyboard.press("3")
    expect(judge.get_by_role("alert")).to_contain_text("You are signed out")
    sign_in(judge.context.new_page(), "alice")
    saved(judge, 1)
    assert JudgmentEvent.objects.get().relevance == 3


@pytest.mark.smoke
def test_nobody_elses_sign_in_takes_a_judges_label(judge: Page) -> None:
    awake(judge)
    judge.route("**/judge/outbox/", lambda route: route.abort())
    judge.keyboard.press("3")
    expect(judge.get_by_role("alert")).to_contain_text("does not answer")
    judge.context.clear_cookies()
    sign_in(judge.context.new_page(), "bob")
    judge.unroute("**/judge/outbox/")
    expect(judge.get_by_role("alert")).to_contain_text("Another user is signed in")
    assert not JudgmentEvent.objects.exists()


@pytest.fixture
def reader(open_page: OpenPage, make: Factory) -> Page:
    """Alice before a megabyte about second things, in which the last words are the only ones on zebras."""
    campaign = make.make_pooled_campaign()
    filler = "\n\n".join(f"Paragraph {n} about nothing much, {'word ' * 40}." for n in range(4300))
    text = f"The first thing.\n\n{filler}\n\nAnd here, at the end, second things and a zebra."
    assert len(text) > 1_000_000
    make.make_document(campaign, "D1", text)
    page = open_page("alice")
    page.goto("/campaigns/tiny/judge/topics/2/")
    awake(page)
    return page


def test_a_long_document_shows_its_start_and_jumps_to_a_hit_at_its_end(reader: Page) -> None:
    assert reader.locator("#judgment-card > p").count() < 500
    expect(reader.locator("dd.chips")).to_contain_text("things 2")
    reader.keyboard.press("n")
    expect(reader.locator("mark.current")).to_have_text("thing")
    reader.keyboard.press("n")
    expect(reader.locator("mark.current")).to_have_text("second")
    expect(reader.locator("mark.current")).to_be_in_viewport()
    expect(reader.locator("#hit-count")).to_have_text("2 of 3")


def test_the_best_passage_of_a_long_document_stands_at_its_head_and_leads_there(reader: Page) -> None:
    best = reader.get_by_label("Best passages").locator("p").filter(has_text="zebra")
    best.get_by_role("button", name="Go to this passage").click()
    expect(reader.locator("mark.current")).to_be_in_viewport()


def test_a_judges_own_word_is_marked_until_it_is_taken_away(reader: Page) -> None:
    reader.keyboard.press("/")
    reader.keyboard.type("nothing")
    reader.keyboard.press("Enter")
    expect(reader.locator("mark[data-own]").first).to_have_text("nothing")
    assert not JudgmentEvent.objects.exists()
    reader.locator("#own-terms button").click()
    expect(reader.locator("mark[data-own]")).to_have_count(0)


def test_marks_can_be_put_away_and_the_label_says_so(reader: Page) -> None:
    reader.keyboard.press("m")
    reader.keyboard.press("2")
    expect(reader.get_by_role("heading", name="Topic 2 is finished")).to_be_visible()
    assert JudgmentEvent.objects.get().highlighted is False


def test_a_break_is_offered_after_fifty_documents(judge: Page) -> None:
    judge.evaluate("sessionStorage.setItem('jurypool sitting', JSON.stringify("
                   "{ began: Date.now() - 600000, last: Date.now(), documents: 49 }))")  # fmt: skip
    awake(judge)
    judge.keyboard.press("1")
    dialog = judge.get_by_role("dialog", name="Time for a break")
    expect(dialog).to_contain_text("50 documents in 10 minutes")
    judge.keyboard.press("2")  # no label while it is open
    dialog.get_by_role("button", name="Continue judging").click()
    saved(judge, 1)
    awake(judge)
    judge.keyboard.press("0")
    saved(judge, 2)
    assert list(JudgmentEvent.objects.values_list("relevance", flat=True)) == [1, 0]


@pytest.mark.smoke
def test_the_screen_works_without_javascript(open_page: OpenPage, make: Factory) -> None:
    make.make_pooled_campaign()
    page = open_page("alice", java_script_enabled=False)
    page.goto("/campaigns/tiny/judge/topics/2/")
    page.get_by_role("button", name="Complete").click()
    expect(page.get_by_role("heading", name="Topic 2 is finished")).to_be_visible()
    assert JudgmentEvent.objects.get().source == "click"


def test_the_last_labels_stand_at_the_side_of_a_wide_screen(judge: Page) -> None:
    judge.set_viewport_size({"width": 1440, "height": 900})
    history = judge.get_by_role("navigation", name="Your last labels")
    awake(judge)
    first = judge.locator(".reader h1").inner_text()
    judge.keyboard.press("2")
    expect(history.get_by_role("link")).to_have_text([f"2 {first}"])
    awake(judge)
    judge.keyboard.press("0")
    expect(history.get_by_role("link")).to_have_count(2)
    saved(judge, 2)
    history.get_by_role("link").last.click()
    expect(judge.locator(".reader h1")).to_have_text(first)
    awake(judge)
    judge.keyboard.press("1")
    expect(history.get_by_role("link").first).to_have_text(f"1 {first}")
    judge.reload()
    expect(history.get_by_role("link")).to_have_count(2)
