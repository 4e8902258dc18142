"""Every screen: accessible by axe-core in both modes, and no page scrolls sideways on a phone."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from accounts.services import create_token
from assess.clicks.services.withdrawals import describe_click_log, withdraw_click_log
from assess.models import Assignment
from assess.queries.adjudication import dispute_in
from assess.queries.campaign_reads import CampaignReads
from assess.services.adjudications import Settlement, settle
from assess.services.assignments import assign
from assess.services.queues import extend_queue
from assess.services.sources import withdraw_source
from metrics.interleaving.queries import lists_of
from metrics.interleaving.services import load_clicks
from metrics.services import score_release
from pooling.models import Campaign, Role
from pooling.scale import Grade
from pooling.services.people import add_member, invite
from tests.browser.conftest import violations
from tests.support.campaign_in_judging import lived_in_campaign
from tests.support.factory import Factory
from tests.support.finished_campaign import refuse

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]

HOME = "/campaigns/tiny/"
SIZES = (360, 768, 1024, 1280, 1440, 1920)
TABLE = "Date        High    1 m    Low     1 m\n2024-03-01  01:10   5.1    07:20   1.2\n" * 8
# 640x512 and 320x256 are a screen of 1280x1024 at 200 % and 400 % zoom.
JUDGING_WINDOWS = (
    (360, 640), (360, 800), (640, 512), (640, 400), (320, 256), (768, 1024), (1024, 768), (1280, 800),
    (1366, 650), (1440, 900), (1920, 800),
)  # fmt: skip
# A control is at fault if it is outside of the window, covered by another or smaller than its text.
# At 400 % zoom the grades scroll.
LAYOUT_FAULTS = """() => {
    const faults = [];
    if (document.documentElement.scrollWidth > innerWidth) faults.push("too wide");
    for (const control of document.querySelectorAll("#grades :is(.grade, [data-do]:not(.invisible))")) {
        if (innerHeight < 300) control.scrollIntoView({ block: "nearest" });
        const { left, top, right, bottom } = control.getBoundingClientRect();
        const atCentre = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        const isSeen = left >= 0 && top >= 0 && right <= innerWidth + 1 && bottom <= innerHeight + 1
            && control.contains(atCentre);
        const isClipped = [control, ...control.querySelectorAll("b")].some(
            ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
                scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1);
        if (!isSeen) faults.push(`hidden: ${control.textContent.trim()}`);
        if (isClipped) faults.push(`clipped: ${control.textContent.trim()}`);
    }
    const { height } = document.querySelector(".reader").getBoundingClientRect();
    if (height < 80) faults.push(`document: ${height} px`);
    if (document.querySelector(".judging-sidebar .topic").clientHeight < 24) faults.push("no topic");
    return faults;
}"""
SELECT_WORDS = """() => {
    const paragraph = document.querySelector("[data-paragraph='0']");
    const text = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT).nextNode();
    getSelection().setBaseAndExtent(text, 0, text, 4);
}"""
Views = tuple[tuple[int, Literal["light", "dark"]], ...]
VIEWS: dict[str, Views] = {
    "two views": ((360, "light"), (1280, "dark")),
    "the other two views": ((360, "dark"), (1280, "light")),
}
SCREENS = {
    "the organiser's own pages and the campaign": {
        "carol": [
            "/", "/account/", "/account/password/", "/account/sessions/", "/tokens/", "/new-campaign/",
            "/measures/", "/measures/nDCG/", "/measures/alpha_nDCG/", HOME,
            *(HOME + place for place in (
                "settings/", "people/", "people/invite/", "trail/", "topics/", "topics/1/", "runs/",
                "runs/run/", "runs/run/results/", "pool/",
                "documents/", "pool/quality/", "jobs/", "progress/", "settings/clone/", "settings/delete/",
                "settings/versions/", "webhooks/",
                "judging/reminders/", "judging/distribute/", "judging/judges/{alice}/replace/",
            )),
        ],
    },
    "the organiser's judging and agreement": {
        "carol": [HOME + place for place in (
            "judging/", "agreement/", "agreement/?machines=on&by=week", "agreement/swap/",
            "agreement/documents/?first=alice&second=bob", "qrels/", "qrels/2/", "qrels/diff/",
            "judging/machines/", "judging/machines/prompts/", "judging/machines/prompts/1/",
            "judging/machines/labellings/", "judging/machines/labellings/1/",
            "judging/machines/labellings/1/endpoint/",
            "adjudication/", "adjudication/rules/",
            "judging/plan/", "judging/probes/", "judging/cannot-judge/",
            "judging/nuggets/", "judging/nuggets/{bank}/", "judging/nuggets/{bank}/topics/1/",
            "judging/nuggets/{bank}/nuggets/{nugget}/", "judging/nuggets/{bank}/nuggets/{nugget}/join/",
            "judging/panels/", "judge-runs/", "judging/machines/audits/",
            "judging/battles/", "judging/battles/1/",
            "sources/battle-programs/", "sources/battle-programs/1/",
            "sources/matching-programs/", "sources/matching-programs/1/",
            "judging/preferences/", "judging/preferences/1/",
            "judging/snippets/", "judging/snippets/1/", "judging/snippets/runs/",
            "judging/magnitudes/", "judging/magnitudes/1/",
            "judging/gradings/", "judging/gradings/1/",
            "judging/matchings/", "judging/matchings/1/", "judging/matchings/1/differences/",
            "judging/support/", "judging/support/1/",
            "answer-runs/", "answer-runs/{answers}/", "answer-runs/{answers}/topics/1/",
            "answer-runs/{answers}/topics/1/?sentence=2&citation=2",
            "judging/high-recall/", "judging/high-recall/collections/", "judging/high-recall/topics/1/",
            "judging/near-duplicates/", "judging/near-duplicates/{duplicates}/",
            "judging/clicks/", "judging/clicks/1/", "judging/clicks/2/",
            "judging/sources/", "judging/sources/{source}/", "judging/sources/{withdrawn}/",
        )],
    },
    "the organiser's scores": {
        "carol": [HOME + place for place in (
            "scores/1/compare/", "scores/1/compare/?runs=zebra-left&runs=zebra-right&runs=run&measure=AP",
            "scores/1/compare/reproducibility/?original_baseline=run&replica_baseline=zebra-left",
            "scores/1/significance/generalisability/",
            "scores/1/significance/", "scores/1/measures/", "scores/panels/{panel}/",
            "scores/battles/", "scores/battles/1/",
            "scores/battle-programs/", "scores/battle-programs/1/",
            "scores/matching-programs/", "scores/matching-programs/1/", "scores/answer-releases/",
            "scores/preferences/", "scores/preferences/1/",
            "scores/snippets/", "scores/snippets/1/",
            "scores/magnitudes/", "scores/magnitudes/1/",
            "scores/gradings/", "scores/gradings/1/", "scores/confusion/", "scores/system-quality/",
            "scores/pyramids/", "scores/pyramids/1/?size=4",
            "scores/pyramids/new/", "scores/pyramids/drafts/{draft}/",
            "scores/matchings/", "scores/matchings/1/", "scores/matchings/1/argue/",
            "scores/support/", "scores/support/1/",
            "scores/1/judge-runs/", "scores/1/near-duplicates/",
            "interleaving/", "interleaving/1/", "interleaving/1/clicks/{clicks}/",
            "ab-tests/", "ab-tests/size/", "ab-tests/1/",
            "scores/1/", "scores/1/topics/", "scores/1/runs/run/", "scores/1/runs/run/topics/1/",
            "scores/1/runs/run/topics/1/measure/", "scores/1/?figures=latency_ms",
            "scores/1/?measures=nDGC@10&measures=AP+P@5&order=run",
        )],
    },
    "the other people of the campaign": {
        "alice": ["/", HOME + "judge/", HOME + "judge/topics/1/", HOME + "topics/",
                  HOME + "panels/", HOME + "panels/{panel}/topics/1/",
                  HOME + "nuggets/", HOME + "nuggets/topics/1/", HOME + "nuggets/topics/1/answers/",
                  HOME + "battles/", HOME + "battles/{battle}/",
                  HOME + "preferences/", HOME + "preferences/{pair}/",
                  HOME + "snippets/", HOME + "snippets/{snippet}/",
                  HOME + "magnitudes/", HOME + "magnitudes/{numbered}/",
                  HOME + "judge/topics/1/search/?words=mast",
                  HOME + "gradings/", HOME + "gradings/{graded}/",
                  HOME + "matchings/", HOME + "matchings/{matched}/",
                  HOME + "support/", HOME + "support/{checked}/",
                  HOME + "battles/{battle}/?side=left&sentence=1&citation=1"],
        "ada": [HOME + "adjudication/", HOME + "adjudication/?show=cannot"],
        "dave": ["/", HOME, HOME + "runs/", HOME + "scores/1/", HOME + "scores/1/topics/"],
        "rita": ["/", HOME, HOME + "agreement/", HOME + "scores/1/runs/run/"],
        "mallory": ["/", HOME],
        "": [
            "/sign-in/", "/password/forgotten/", "/password/mailed/", "/password/x/y/",
            "/invitations/nothing/",
        ],
    },
    "a campaign in the middle of its judging": {
        "rosa": ["/campaigns/covid/" + place for place in (
            "", "progress/", "judging/", "judging/topics/4/", "judging/plan/", "judging/probes/",
            "judging/cannot-judge/", "judging/consistency/", "people/",
        )],
    },
}  # fmt: skip


@pytest.fixture
def lived_in(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_topic(campaign, "3", "a title " + "that goes on and on " * 8)
    make.make_run(
        campaign, "3 D9 1\n1 D8 1", tag="a-very-long-tag" * 7
    )  # leaves the next pool something to draft
    make.make_document(campaign, "D1", "Words. " * 300, title="A title")
    for judge in ("alice", "bob"):
        make.make_judgment(campaign, judge, "1", "D1", 2)
        make.make_judgment(campaign, judge, "1", "D2", 0)
    make.make_release(campaign)
    make.make_judgment(campaign, "alice", "1", "D2", 3)
    make.make_judgment(campaign, "alice", "1", "D3", 1)
    make.make_judgment(campaign, "bob", "1", "D3", 3)
    ada = make.make_user("ada")
    card = dispute_in(CampaignReads(campaign), ada, make.pooled(campaign, "1", "D3").pk)
    assert card
    settle(card.pooled, ada, Settlement(uuid.uuid4(), "D3", card.text_hash, card.last_label, 2, "between"))
    make.make_job(campaign)
    make.make_job(campaign, state="running", done=3_000, total=9_000, message="2,500 documents stored")
    make.make_job(
        campaign, "Load documents from " + "long" * 40, state="failed", message="d.jsonl, line 7: no"
    )
    make.make_machine(campaign, "1 0 D1 3\n1 0 D2 0\n")
    make.make_labelling(campaign)
    make.make_click_log(campaign)
    carol, long = make.make_user("carol"), "a reason that goes on and on " * 9
    newer = make.make_click_log(campaign, "topic,session,shown,clicks\n1,a,D1 D2,1\n1,b,D1 D2,2\n")
    describe_click_log(newer, carol, name="a-long-name" * 10, note=long)
    withdraw_click_log(newer, carol, long)
    withdraw_source(make.make_machine(campaign, "1 0 D1 1\n", name="an-old-model" * 5), carol, long)
    make.make_vote(make.make_panel(campaign), "bob", "1", "left", "because it is better")
    battles = make.make_battles(campaign, ("alice", "bob"), double=100)
    make.make_battle_vote(battles.battles.get(judge__username="bob"), "left", "because it is better")
    make.make_battle_program(campaign)
    make.make_matching_program(campaign)
    make.make_pyramid(campaign)
    make.make_ab_test(campaign)
    review = make.make_review(campaign)
    extend_queue(make.make_user("alice"), review.topic, 8)  # otherwise her page does, and is loaded again
    make.make_system_figures(campaign)
    interleaving = make.make_interleaving(campaign, "zebra-left", "zebra-right")
    shown = lists_of(interleaving)[0].list_id
    load_clicks(interleaving, make.make_user("carol"), f"list_id,clicks\n{shown},1\n".encode(), "a.csv")
    make.make_release(campaign)
    create_token(make.make_user("carol"), "the nightly upload of our group's runs", "submit")
    make.let_create_campaigns("carol")
    invite(campaign, Role.READER, by=ada, recipient="reader@example.org")
    return campaign


def keys_of(campaign: Campaign, make: Factory) -> dict[str, int]:
    """Return the keys that addresses of SCREENS name."""
    return {
        "bank": make.make_nugget_bank(campaign).number,
        "nugget": make.make_nugget_bank(campaign).nuggets.all()[0].pk,
        "draft": make.make_pyramid_draft(campaign).pk,
        "panel": campaign.panels.get().pk,
        "battle": campaign.battle_sets.get().battles.get(judge__username="alice").pk,
        "pair": make.make_preferences(campaign).tasks.get().pairs.all()[0].pk,
        "snippet": make.make_snippets(campaign).tasks.filter(judge__username="alice")[0].pk,
        "numbered": make.make_magnitudes(campaign).tasks.filter(judge__username="alice")[0].pk,
        "graded": make.make_grading(campaign).tasks.filter(judge__username="alice")[0].pk,
        "checked": make.make_support(campaign).tasks.filter(judge__username="alice")[0].pk,
        "matched": make.make_matching(campaign).tasks.filter(judge__username="alice")[0].pk,
        "alice": make.make_user("alice").pk,
        "source": campaign.sources.standing().filter(kind="file")[0].pk,
        "withdrawn": campaign.sources.withdrawn()[0].pk,
        "clicks": make.make_clicks(campaign).pk,
        "answers": make.make_answer_run(campaign).pk,
        "duplicates": make.make_near_duplicates(campaign).classes.get().pk,
    }


def faults_of(page: Page, where: str, views: Views) -> list[str]:
    """Look at a screen in each of the views; return what axe-core finds, and how far it is too wide."""
    faults = []
    for width, mode in views:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=mode)
        seen = f"{where}, {width} px, {mode}"
        faults += [f"{seen}: {found['id']} {found['nodes'][0]['html'][:120]}" for found in violations(page)]
        if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
            faults.append(f"{seen}: {wide} px wide")
    return faults


@pytest.mark.parametrize("views", [pytest.param("two views", marks=pytest.mark.smoke), "the other two views"])
@pytest.mark.parametrize("part", SCREENS)
def test_no_screen_has_a_fault(
    lived_in: Campaign, make: Factory, open_page: OpenPage, part: str, views: str
) -> None:
    """Each is opened on a phone, and looked at in each of the views."""
    if "rosa" in SCREENS[part]:
        add_member(lived_in_campaign(make, share=0.4), make.make_user("rosa"), Role.ORGANISER)
    keys = keys_of(lived_in, make)
    faults = []
    for name, screens in SCREENS[part].items():
        page = open_page(name, reduced_motion="reduce")
        for screen in screens:
            page.set_viewport_size({"width": SIZES[0], "height": 800})
            page.goto(screen.format_map(keys))
            faults += faults_of(page, f"{screen} ({name})", VIEWS[views])
    assert faults == []


# A radio button is reached through its group. What is focused must show it by an outline or a shadow.
WALK = """() => {
    const isReachable = (each) => each.checkVisibility({ visibilityProperty: true }) && !each.disabled
        && each.tabIndex >= 0 && each.type !== "radio";
    window.unreached = new Set([...document.querySelectorAll(
        "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]"
    )].filter(isReachable));
    window.unmarked = [];
    const describe = ({ outerHTML }) => outerHTML.replaceAll(/\\s+/g, " ").slice(0, 100);
    document.addEventListener("focusin", ({ target }) => {
        window.unreached.delete(target);
        const { outlineStyle, boxShadow } = getComputedStyle(target);
        if (outlineStyle === "none" && boxShadow === "none") window.unmarked.push(describe(target));
    });
    window.listFaults = () => [...window.unreached].map((each) => `not reached: ${describe(each)}`).concat(
        window.unmarked.map((each) => `no outline: ${each}`));
    return window.unreached.size;
}"""


@pytest.mark.slow
@pytest.mark.parametrize("part", SCREENS)
def test_the_tab_key_reaches_every_control_and_shows_where_it_is(
    lived_in: Campaign, make: Factory, open_page: OpenPage, part: str
) -> None:
    if "rosa" in SCREENS[part]:
        add_member(lived_in_campaign(make, share=0.4), make.make_user("rosa"), Role.ORGANISER)
    faults = []
    for name, screens in SCREENS[part].items():
        page = open_page(name, viewport={"width": 1280, "height": 800})
        for screen in screens:
            page.goto(screen.format_map(keys_of(lived_in, make)))
            page.evaluate("document.activeElement?.blur()")
            for _ in range(page.evaluate(WALK) + 20):
                page.keyboard.press("Tab")
            faults += [f"{screen} ({name}): {fault}" for fault in page.evaluate("listFaults()")]
    assert faults == []


def make_long_campaign(make: Factory) -> Campaign:
    """Ten grades with long names, a title of 270 characters, docnos of 120: as long as real ones get."""
    grades = tuple(
        Grade(value, f"Answers {value} ninths of what was asked for", "So much of it is answered. " * 3)
        for value in range(10)
    )
    campaign, docno = make.make_campaign(grades=grades), "logging.handlers.NTEventLogHandler." * 4
    topic = make.make_topic(
        campaign, title="what similarity laws must be obeyed when constructing models " * 5
    )
    make.make_run(campaign, f"1 {docno} 3\n1 {docno}2 2\n1 {docno}3 1", tag="a-very-long-tag" * 7)
    make.make_pool(campaign)
    assign([make.make_user("alice"), make.make_user("bob")], [topic])
    for number in ("", "2", "3"):
        make.make_document(campaign, f"{docno}{number}", TABLE, title="A title that goes on " * 20)
    refuse(make, campaign, "alice", "1", docno)
    make.make_judgment(campaign, "alice", "1", f"{docno}2", 0)
    make.make_judgment(campaign, "bob", "1", f"{docno}2", 3)
    score_release(make.make_release(campaign))
    return campaign


def test_long_content_makes_no_page_scroll_sideways(make: Factory, open_page: OpenPage) -> None:
    make_long_campaign(make)
    wide = []
    for name, places in {
        "alice": ("judge/", "judge/topics/1/"),
        "carol": (
            "", "judging/", "judging/topics/1/", "judging/cannot-judge/", "adjudication/", "documents/",
            "topics/", "topics/1/", "runs/", "pool/", "pool/quality/", "agreement/",
            "agreement/documents/?first=alice&second=bob", "qrels/", "qrels/1/", "scores/1/",
            "scores/1/topics/", f"scores/1/runs/{'a-very-long-tag' * 7}/",
            f"scores/1/runs/{'a-very-long-tag' * 7}/topics/1/",
        ),
    }.items():  # fmt: skip
        page = open_page(name, viewport={"width": SIZES[0], "height": 800})
        for place in places:
            answer = page.goto(HOME + place)
            assert answer and answer.ok, place
            page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
            page.wait_for_load_state("networkidle")
            for size in SIZES:
                page.set_viewport_size({"width": size, "height": 800})
                if (width := page.evaluate("document.documentElement.scrollWidth")) > size:
                    wide.append((place, size, width))
    assert wide == []


def open_judging(page: Page, topic: str = "1") -> None:
    page.goto(HOME + f"judge/topics/{topic}/")
    expect(page.locator("#judging-screen[data-enabled]")).to_be_visible()


@pytest.mark.smoke
def test_ten_long_grades_are_readable_and_on_screen_in_every_window(
    make: Factory, open_page: OpenPage
) -> None:
    make_long_campaign(make)
    page = open_page("alice")
    open_judging(page)
    faults = []
    for width, height in JUDGING_WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        faults += [f"{width}x{height}: {fault}" for fault in page.evaluate(LAYOUT_FAULTS)]
    assert faults == []


def test_the_tools_work_by_touch(make: Factory, open_page: OpenPage) -> None:
    make_long_campaign(make)
    page = open_page("alice", has_touch=True, is_mobile=True, viewport={"width": 360, "height": 640})
    open_judging(page)
    page.get_by_role("button", name="Definitions").tap()
    expect(page.get_by_role("dialog", name="Grades").get_by_role("definition")).to_have_count(10)
    page.get_by_role("button", name="Close").tap()
    expect(page.get_by_role("dialog", name="Grades")).to_be_hidden()
    page.evaluate(SELECT_WORDS)
    page.get_by_role("button", name="Save as evidence").tap()
    expect(page.locator("#evidence")).to_have_text("“Date”")
    page.get_by_role("button", name="Comment", exact=True).tap()
    expect(page.get_by_label("Comment for organisers")).to_be_focused()
    assert page.locator("kbd[data-of]:visible").count() == 0


def select_evidence(page: Page) -> None:
    page.evaluate(SELECT_WORDS)
    page.keyboard.press("e")


JUDGING_STATES: dict[str, Callable[[Page], object]] = {
    "plain": lambda page: None,
    "labelled": lambda page: page.keyboard.press("u"),
    "cannot judge": lambda page: page.keyboard.press("x"),
    "comment": lambda page: page.keyboard.press("c"),
    "evidence": select_evidence,
    "definitions": lambda page: page.evaluate("document.getElementById('scale').showPopover()"),
    "keys": lambda page: page.keyboard.press("?"),
    "break": lambda page: page.evaluate("document.getElementById('break').showModal()"),
    "alert": lambda page: page.keyboard.press("e"),  # without a selection
    "all sections": lambda page: page.evaluate(
        "document.querySelectorAll('.judging-sidebar .topic details').forEach(each => each.open = true)"
    ),
}


def faults_of_judging_states(page: Page, views: Views) -> list[str]:
    """Bring the judging screen into each of its states; return the faults of each."""
    faults = []
    for state, reach in JUDGING_STATES.items():
        page.set_viewport_size({"width": 1280, "height": 800})
        open_judging(page)
        reach(page)
        if state == "labelled":
            expect(page.locator("#judgment-card .own-label")).to_be_visible()
        faults += faults_of(page, state, views)
    return faults


@pytest.mark.slow
@pytest.mark.parametrize("views", VIEWS)
def test_no_state_of_the_judging_screen_has_a_fault(make: Factory, open_page: OpenPage, views: str) -> None:
    campaign = make.make_pooled_campaign()
    for docno in ("D1", "D2", "D3"):
        make.make_document(campaign, docno, "Words. " * 300, title="A title")
    make.make_judgment(campaign, "alice", "1", "D1", 2)
    assert faults_of_judging_states(open_page("alice", reduced_motion="reduce"), VIEWS[views]) == []


@pytest.mark.parametrize("views", ["two views", pytest.param("the other two views", marks=pytest.mark.slow)])
def test_no_state_of_the_judging_screen_with_ten_grades_has_a_fault(
    make: Factory, open_page: OpenPage, views: str
) -> None:
    make_long_campaign(make)
    assert faults_of_judging_states(open_page("alice", reduced_motion="reduce"), VIEWS[views]) == []


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True])
def test_a_finished_or_shared_topic_has_no_fault(make: Factory, open_page: OpenPage, shared: bool) -> None:
    campaign = make.make_campaign()
    topic = make.make_topic(campaign)
    make.make_run(campaign, "1 D1 1")
    make.make_pool(campaign)
    part = Assignment.Part.SHARED if shared else Assignment.Part.PRIMARY
    assign([make.make_user("alice")], [topic], part)
    if not shared:
        make.make_judgment(campaign, "alice", "1", "D1", 2)
    page = open_page("alice", reduced_motion="reduce")
    page.route("**/shared_topic*.js", lambda route: route.abort())  # it begins by itself
    page.goto(HOME + "judge/topics/1/")
    expect(page.get_by_role("heading", name="is shared" if shared else "is finished")).to_be_visible()
    assert [fault for views in VIEWS.values() for fault in faults_of(page, "topic", views)] == []


def test_the_place_of_the_page_is_in_sight_on_a_phone(lived_in: Campaign, open_page: OpenPage) -> None:
    page = open_page("carol", viewport={"width": 360, "height": 800})
    for path, place in (("", "Overview"), ("judging/", "Judge"), ("scores/1/", "Results")):
        page.goto(HOME + path)
        box = page.locator(".places [aria-current]").bounding_box()
        assert place in page.locator(".places [aria-current]").inner_text()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= 360, place
        assert page.evaluate("[scrollX, scrollY]") == [0, 0]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_page_of_a_sign_in_that_is_shut_has_no_fault(
    open_page: OpenPage, make: Factory, mode: str
) -> None:
    page = open_page("", color_scheme=mode, viewport={"width": 360, "height": 800})
    for _ in range(5):
        page.goto("/sign-in/")
        page.get_by_label("Sign-in name").fill("alice")
        page.get_by_label("Password").fill("wrong")
        page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Too many wrong passwords")).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize(
    "screen",
    [
        "topics/",
        "runs/",
        "pool/",
        "pool/quality/",
        "documents/",
        "judging/",
        "judging/plan/",
        "judging/probes/",
        "judging/cannot-judge/",
        "judging/consistency/",
        "agreement/",
        "adjudication/",
        "agreement/swap/",
        "qrels/",
        "qrels/diff/",
        "judging/machines/",
        "judge-runs/",
        "answer-runs/",
        "judging/machines/prompts/",
        "judging/machines/labellings/",
        "judging/clicks/",
        "judging/panels/",
        "judging/battles/",
        "judging/nuggets/",
        "scores/battles/",
        "sources/battle-programs/",
        "sources/matching-programs/",
        "scores/battle-programs/",
        "scores/matching-programs/",
        "scores/pyramids/",
        "jobs/",
        "scores/",
    ],
)
def test_an_empty_screen_says_what_to_do_next(open_page: OpenPage, make: Factory, screen: str) -> None:
    make.make_campaign()
    page = open_page("carol")
    page.goto(HOME + screen)
    assert violations(page) == []
    assert page.locator("main :is(.empty, form, .muted) >> visible=true").count()
