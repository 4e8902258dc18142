"""Every field attacks, and every page is opened: nothing runs, nothing leaves it, nothing is made of it.

The pages are those of the URL configuration: a new one is walked as soon as it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.urls import reverse
from playwright.sync_api import APIResponse, Browser, Dialog, FilePayload, Page, Route, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from accounts.services import create_token
from pooling.models import Campaign
from tests.config.test_roles import POST
from tests.support.factory import Factory
from tests.support.hostile import LONG, SHORT, hostile_campaign, places
from tests.support.places import URLS

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]

WATCH = """
window.__broken = [];
document.addEventListener("securitypolicyviolation", (event) =>
    window.__broken.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""
LOOK = """() => {
    const faults = [...window.__broken];
    if (window.__xss) faults.push("a script ran");
    const never = new Set(["iframe", "frame", "object", "embed", "base", "style", "annotation-xml", "animate",
        "marquee", "video", "audio", "applet"]);
    const urls = new Set(["href", "src", "action", "formaction", "poster", "data", "ping", "background",
        "srcset", "xlink:href"]);
    const asks = /^(data-)?hx-(get|post|put|patch|delete)$/;
    function isOurs(value) {
        const url = new URL(value, location.href);
        return ["http:", "https:"].includes(url.protocol) && url.origin === location.origin;
    }
    function isMade(element, { name, value }) {  // whether an attack made this attribute
        if (/^on|^shadowroot|^(data-)?hx-on/.test(name)) return true;
        if (asks.test(name)) return !isOurs(value) || /^.?evil/.test(value);
        if (/^(data-)?hx-/.test(name)) return /evil|__xss/.test(value);
        if (name === "style") return /evil|url/.test(value);
        if (name === "id" || name === "name") return /evil|__xss/.test(value);
        if (name === "autofocus") return value !== "";
        if (!urls.has(name) || value.startsWith("#") || isOurs(value)) return false;
        const leaves = element.localName === "a" && element.rel.includes("noopener");
        return !leaves || !/^https?:/.test(element.href);
    }
    function walk(root) {
        for (const element of root.querySelectorAll("*")) {
            const name = element.localName;
            if (never.has(name) || (name === "meta" && element.httpEquiv)
                || (name === "script" && !element.src && element.type !== "application/json")
                || [...element.attributes].some((attribute) => isMade(element, attribute)))
                faults.push(element.cloneNode(false).outerHTML.slice(0, 200));
            if (name === "template") walk(element.content);  // what a page keeps for later
        }
    }
    walk(document);
    return faults;
}"""
KINDS = {
    "text/html", "text/plain", "text/csv", "text/tab-separated-values", "text/javascript", "application/json",
    "application/jsonl",
    "application/gzip", "application/zip", "image/png",
}  # fmt: skip
NEVER_A_PAGE = {  # for nobody, or only a way to another: see tests/config/test_roles.py
    "admin:login",
    "metrics:scores",
    "api:api-root",
    "api:next_document_list",  # for judges: the token of the walk is an organiser's
    "api:document_take",
    "api:unknown-address",
    "accounts:provider_start",  # until the settings name a provider; see test_single_sign_on.py
    "accounts:provider_callback",
    "pooling:first_organiser",  # while no account exists
    "metrics:swap_draws",  # too few labels in the walk for a swap of judges
    "admin:autocomplete",
    "admin:view_on_site",
    "admin:accounts_user_add",
    "admin:accounts_user_delete",
    "admin:pooling_campaign_add",
    "admin:pooling_campaign_delete",
}


MOST_OF_A_PLACE = 3  # addresses that are opened: every one of them holds every attack in its texts
MISSES = 6  # addresses of a place that are not there for a person, after which the next person tries


class Watched:
    """A window that notes whatever it is not to do."""

    def __init__(self, page: Page, home: str) -> None:
        self.page, self.faults, self.home = page, list[str](), home
        self.said: dict[str, APIResponse] = {}
        page.add_init_script(WATCH)
        self.repeats = False
        page.on("dialog", self.dismiss)
        page.on("request", lambda asked: self.note(asked.url, home))

    def dismiss(self, dialog: Dialog) -> None:
        self.faults.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def repeat(self, route: Route) -> None:
        """Draw a page from what the server has said."""
        route.fulfill(response=self.said.pop(route.request.url))

    def note(self, url: str, home: str) -> None:
        if not url.startswith((home, "data:", "blob:")):
            self.faults.append(f"a request for {url}")

    def render(self, url: str, answer: APIResponse | None = None) -> list[str]:
        """Open a page, let it load what it loads by itself, and return what it should not have done.

        answer: what the server has said already; the page is then drawn from that.
        """
        if answer and not self.repeats:  # one route for all pages: to take it back may hang
            self.page.route(lambda url: url in self.said, self.repeat)  # and with one, nothing is cached
            self.repeats = True
        if answer:
            self.said[self.home + url] = answer
        self.page.goto(url)
        if self.page.locator("[hx-trigger~=load]").count():
            self.page.wait_for_load_state("networkidle")
        return self.look(url)

    def look(self, where: str) -> list[str]:
        found = [f"{where}: {fault}" for fault in [*self.faults, *self.page.evaluate(LOOK)]]
        self.faults.clear()
        return found


@pytest.fixture
def hostile(make: Factory, settings: Settings) -> Campaign:
    settings.API_REQUESTS = 0  # the walk asks faster than the limit allows
    return hostile_campaign(make)


def answers(page: Page, name: str, campaign: Campaign, token: str) -> Iterator[tuple[str, APIResponse]]:
    """Yield addresses of a place, with what each answers this person, until the next would say the same."""
    misses = 0
    headers = {"Authorization": f"Bearer {token}"} if name.startswith("api:") else {}
    for url in places(name, campaign):
        answer = page.context.request.get(url, max_redirects=0, headers=headers)
        yield url, answer
        misses += answer.status == 404
        shut = answer.headers.get("location", "").startswith("/sign-in/")
        if answer.status in (403, 405) or shut or misses == MISSES:
            return


def leads_to_its_page(name: str, answer: APIResponse) -> bool:
    """Whether a GET of an address that takes a POST leads to the page that has the button."""
    return answer.status == 302 and name in POST and not answer.headers["location"].startswith("/sign-in/")


def unsafe(url: str, headers: dict[str, str]) -> list[str]:
    """Return what is wrong with the headers of an answer."""
    kind, wrong = headers.get("content-type", "").split(";")[0], []
    policy, disposition = headers.get("content-security-policy", ""), headers.get("content-disposition", "")
    if headers.get("x-content-type-options") != "nosniff" or headers.get("x-frame-options") != "DENY":
        wrong.append(f"{url}: may be sniffed or framed")
    if "default-src 'none'" not in policy or "unsafe" in policy:
        wrong.append(f"{url}: its content policy is {policy!r}")
    is_xml_download = kind == "application/xml" and disposition.startswith("attachment")
    if kind not in KINDS and not is_xml_download:
        wrong.append(f"{url}: is {kind!r}")
    return wrong


def test_no_page_runs_or_fetches_what_is_in_its_fields(
    hostile: Campaign, open_page: OpenPage, make: Factory, live_server: LiveServer
) -> None:
    token, faults = create_token(make.make_user("carol"), "walk"), list[str]()
    left, acts_only = {name for name in URLS if not name.startswith("operations:")}, set[str]()
    for person in ("carol", "alice", "sam", ""):
        watched = Watched(open_page(person), live_server.url)
        for name in sorted(left):
            rendered = 0
            for url, answer in answers(watched.page, name, hostile, token):
                if answer.status == 405 or leads_to_its_page(name, answer):
                    acts_only.add(name)
                elif answer.status == 200:
                    left.discard(name)
                    rendered += 1
                    faults += unsafe(url, answer.headers)
                    if answer.headers["content-type"].startswith("text/html"):
                        faults += watched.render(url, answer)
                if rendered == MOST_OF_A_PLACE:
                    break
    assert faults == [], "\n".join(faults)
    assert sorted(left - acts_only - NEVER_A_PAGE) == [] == sorted(NEVER_A_PAGE - left)


@pytest.mark.smoke
def test_every_attack_alone_leaves_the_judging_screen_as_it_is(
    hostile: Campaign, open_page: OpenPage, live_server: LiveServer
) -> None:
    """Together, an attack that is never closed may swallow the ones after it."""
    watched, topic = Watched(open_page("alice"), live_server.url), hostile.topics.get(number="=1+evil()")
    faults = list[str]()
    for attack in [*SHORT, *LONG]:
        Campaign.objects.update(guidelines=attack)
        hostile.topics.update(title=attack, description=attack, narrative=attack)
        hostile.documents.update(title=attack, text=attack, url=attack)
        watched.page.goto(reverse("assess:judge", args=[hostile.slug, topic.number]))
        expect(watched.page.locator(".reader .docno")).to_be_visible()
        expect(watched.page.locator("#note")).to_be_attached()  # the last that comes by itself
        faults += watched.look(attack)
    watched.page.wait_for_load_state("networkidle")
    faults += watched.look("what comes late")
    assert faults == [], "\n".join(faults)


def file(name: str, text: str) -> FilePayload:
    return {"name": name, "mimeType": "text/plain", "buffer": text.encode()}


@pytest.mark.parametrize("place", ["topics/", "documents/", "judging/load/", "runs/", "answer-runs/"])
def test_no_file_attacks_by_its_name_or_its_refusal(
    hostile: Campaign, open_page: OpenPage, live_server: LiveServer, place: str
) -> None:
    page = open_page("carol")
    watched = Watched(page, live_server.url)
    for attack in SHORT[:12]:
        page.goto(f"/campaigns/hostile/{place}")
        refused = file(f"{attack}.run", f"{attack} Q0\n" * 3)
        page.locator("input[type=file]").set_input_files([refused])
        if place == "judging/load/":
            page.get_by_label("Name of the judge").fill(attack)
        page.locator("form:has(input[type=file]) button").last.click()
        expect(page.get_by_text("refused").first).to_be_visible()
        assert watched.look(f"{place} {attack}") == []


def test_no_form_attacks_by_what_it_shows_again(
    hostile: Campaign, make: Factory, open_page: OpenPage, live_server: LiveServer
) -> None:
    """Every form of the organiser, filled with an attack and refused or taken."""
    make.let_create_campaigns("carol")
    page = open_page("carol")
    watched, home = Watched(page, live_server.url), "/campaigns/hostile/"
    for place in ("/new-campaign/", "/account/", "/tokens/", home + "people/", home + "settings/"):
        for attack in (SHORT[1], SHORT[3], SHORT[15]):
            page.goto(place)
            texts = ":is(input[type=text], textarea):visible"
            for field in page.locator(f"main form {texts}").all():
                field.fill(attack)
            page.locator(f"main form:has({texts}) button").last.click()
            page.wait_for_load_state()
            assert watched.look(f"{place} {attack}") == []


@pytest.mark.parametrize(
    "planted",
    [
        "<script>window.__xss = 1</script>",
        "<img src=x onerror=1>",
        "<a href='javascript:1'>evil</a>",
        "<img src='https://evil.example/'>",
        "<p hx-get='/evil'>evil</p>",
        "<template><p onclick='1'>evil</p></template>",
        "<a rel=noopener href='data:text/html,evil'>evil</a>",
        "<p style='background: url(https://evil.example)'>evil</p>",
        "<iframe srcdoc='evil'></iframe>",
        "<input name=evil>",
    ],
)
def test_the_walk_finds_what_is_planted(chromium: Browser, live_server: LiveServer, planted: str) -> None:
    page = chromium.new_page(base_url=live_server.url)
    watched = Watched(page, live_server.url)
    page.route("**/sign-in/", lambda route: route.fulfill(content_type="text/html", body=planted))
    assert watched.render("/sign-in/")
    page.close()
