"""The labels of a program change no figure of people, on any page and in any file of a campaign.

Every page and file to which links lead is read without labels of a program, with them, and after they were
withdrawn.
"""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable
from html import unescape
from urllib.parse import urljoin, urlsplit

import pytest
from django.http import HttpResponseBase
from django.test import Client
from django.urls import resolve

from accounts.models import User
from assess.matching_programs.prompt import DEFAULT
from assess.matching_programs.queries.requests import requests_of
from assess.matching_programs.services import PlannedProgram, create_program, load_results, withdraw_load
from assess.services.sources import withdraw_source
from config.demo import campaign as demonstration
from config.management.commands.load_demo import find_or_create_person
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.finished_campaign import make_lived_campaign
from tests.support.markup import markup

MOST = 3  # addresses of one view, in the order in which links lead to them
CHANGING = re.compile(  # what differs between requests, the version of the labels, the number of programs
    r'name="(?:csrfmiddlewaretoken|request_key|uuid|seed)" value="[^"]*"|nonce="[^"]*"|hx-headers=\'[^\']*\''
    r'|agreement/news/\?at=[^"]*|Updated at <time[^>]*>[^<]*'
    r"|>Programs</a></dt><dd> ?<b>\d+</b>(?: ?<small> ?\d+ withdrawn ?</small>)?"
    r"|\b(?:now|(?:[0-9]+|an?) (?:second|minute|hour|day)s? ago)\b"
)
ADDED_TO = {  # with labels of a program these have more, and all that they had before
    "assess:agreement": "names of programs, and the choice to include them",
    "assess:agreement_document": "the labels of programs, marked as such",
    "assess:labels": "all labels, with their sources",
    "assess:agreement_matrix": "a row for each program",
    "assess:agreement_pairs": "pairs with a program",
    "assess:agreement_pairs_tsv": "pairs with a program",
    "metrics:judge_swap": "the choice to include programs",
    "metrics:confusion": "the choice of a program",
    "pooling:audit_log_file": "who loaded the labels",
    "assess:plan": "the choice to show grades of a program",
    "assess:release_list": "the choice to include programs",
    "assess:release_preview": "the choice to include programs",
    "assess:source_list": "the program",
    "metrics:machine_audit_list": "programs that can be audited",
}
ABOUT_PROGRAMS = {  # these have other words
    "assess:campaign_delete": "the number of all labels, which are never deleted",
    "pooling:audit_log": "who loaded the labels; the oldest entry moves to the next page",
    "assess:machine_list": "a table instead of its absence",
    "assess:matching_program": "the labels of a program on nuggets",
    "assess:matching_program_list": "their number",
    "assess:matching_program_requests": "requests without a label",
    "metrics:matching_program_result": "what these labels are worth",
    "metrics:matching_program_result_list": "their number",
}
LAST_DIGITS = re.compile(r"(?<=\.[0-9]{12})[0-9]+")  # which depend on the order of a sum
WORDS = (  # of pages in ADDED_TO and others, that say how programs are counted
    re.compile(r"[0-9,]+ pairs of judges with common documents"),
    re.compile(r" Machine judges are excluded unless you include them above\."),
    re.compile(r"\. A release can take their grades from programs\."),
    re.compile(r'(?<="machines": )\["[^]]*"\]|(?<="machines": )\[\]'),
)
STATED = {  # pages and files with figures of people, which must be among those that are read
    "assess:agreement", "assess:agreement_json", "assess:agreement_overall", "assess:progress", "assess:cost",
    "assess:my_topics", "assess:my_labels", "assess:judge_labels", "assess:judging", "assess:release",
    "assess:release_file", "metrics:quality", "metrics:public", "metrics:public_file",
    "metrics:public_release", "metrics:collection", "metrics:downloads",
}  # fmt: skip
OF_NUGGETS = {
    "assess:matching_set", "assess:matching_list", "metrics:matching_result", "metrics:matching_result_list",
    "metrics:matching_scores_file", "metrics:matching_labels_file", "metrics:matching_assignments_file",
    "metrics:argue_result",
}  # fmt: skip
PEOPLE = (
    pytest.mark.parametrize(  # an organiser sees the most, a judge the least, and everybody the public pages
        "names",
        [("carol", "alice", ""), pytest.param(("ada", "dave", "rita"), marks=pytest.mark.slow)],
        ids=", ".join,
    )
)
REPLY = {"content": "It does not.\n[[none]]"}
LISTS_WITHDRAWN = {
    "assess:source_list",
    "pooling:audit_log",
    "pooling:audit_log_file",
} | ABOUT_PROGRAMS.keys()


def text_of(response: HttpResponseBase) -> str:
    if response.streaming:
        return b"".join(response).decode("latin-1")
    if response.headers["Content-Type"].startswith("text/html"):
        return CHANGING.sub("", markup(response))
    return response.content.decode("latin-1")  # type: ignore[attr-defined, no-any-return]


def read(client: Client, urls: Iterable[str]) -> dict[str, str]:
    """Return address -> content, of those that can be read."""
    responses = {url: client.get(url) for url in urls}
    return {url: text_of(response) for url, response in responses.items() if response.status_code == 200}


def view_of(url: str) -> str:
    return resolve(urlsplit(url).path).view_name


def pages_of(client: Client, campaign: Campaign) -> dict[str, str]:
    """Return address -> content of what links of the campaign lead to, at most MOST of each view."""
    home, public = f"/campaigns/{campaign.slug}/", f"/public/{campaign.slug}/"
    waiting, count = deque([home, f"{home}judge/", public]), Counter[str]()
    known, pages = list(waiting), dict[str, str]()
    while waiting:
        url = waiting.popleft()
        pages |= read(client, [url])
        for link in re.findall(r'(?:href|hx-get)="([^"]+)"', pages.get(url, "")):
            linked = urljoin(url, unescape(link)).partition("#")[0]
            if linked in known or not urlsplit(linked).path.startswith((home, public)):
                continue
            count[view_of(linked)] += 1
            if count[view_of(linked)] <= MOST:
                known.append(linked)
                waiting.append(linked)
    return pages


def parts(content: str) -> Counter[str]:
    """Return the elements of a page or the lines of a file, without the words that name programs."""
    for words in WORDS:
        content = words.sub("", content)
    return Counter(re.split(r"(?=<)|\n", LAST_DIGITS.sub("", content)))


def changed(before: dict[str, str], after: dict[str, str], named: set[str], added: set[str]) -> list[str]:
    """Return the addresses whose content changed. named: views that may; added: views that may have more."""
    found = []
    for url, content in before.items():
        was, now, view = parts(content), parts(after.get(url, "")), view_of(url)
        lost, new = was - now, now - was
        if view not in named and (lost or (new and view not in added)):
            found.append(f"{url}: {[*lost][:3]} became {[*new][:3]}")
    return found


def client_of(name: str) -> Client:
    """Return the client of a person; "" is nobody."""
    client = Client()
    if name:
        client.force_login(User.objects.get(username=name))
    return client


def check_people(
    campaign: Campaign,
    names: tuple[str, ...],
    load: Callable[[], object],
    withdraw: Callable[[], object],
    stated: set[str] = STATED,
) -> None:
    """Check that what people see does not change when a program's labels are loaded and withdrawn."""
    clients = {name: client_of(name) for name in names}
    before = {name: pages_of(client, campaign) for name, client in clients.items()}
    load()
    for name, client in clients.items():
        assert not changed(before[name], read(client, before[name]), set(ABOUT_PROGRAMS), set(ADDED_TO)), name
    withdraw()
    for name, client in clients.items():
        assert not changed(before[name], read(client, before[name]), LISTS_WITHDRAWN, set()), name
    views = {view_of(url) for pages in before.values() for url in pages}
    assert "carol" not in names or not stated - views


def withdraw_machine(campaign: Campaign, organiser: User) -> None:
    withdraw_source(campaign.sources.programs().get(), organiser, "A mistake.")


@PEOPLE
def test_no_figure_of_a_small_campaign_changes(make: Factory, names: tuple[str, ...]) -> None:
    campaign = make_lived_campaign(make)
    make.publish(campaign)
    labels = "1 0 D1 0\n1 0 D2 3\n1 0 D3 3\n2 0 D1 3\n"
    check_people(
        campaign,
        names,
        lambda: make.make_machine(campaign, labels),
        lambda: withdraw_machine(campaign, make.make_user("carol")),
    )


@PEOPLE
def test_labels_of_a_program_on_nuggets_change_no_figure(make: Factory, names: tuple[str, ...]) -> None:
    """They are on pages of programs alone; the assignments, scores and labels of people stay as they are."""
    campaign, carol = make_lived_campaign(make), make.make_user("carol")
    for task in make.make_matching(campaign).tasks.select_related("judge", "answer", "matching"):
        make.make_nugget_label(task, 1, "support" if task.judge.username == "alice" else "partial_support")
    asked = PlannedProgram(campaign.matchings.get(), "strict", "m-1", DEFAULT)
    program = create_program(campaign, carol, asked)
    lines = [
        {"custom_id": key, "response": {"status_code": 200, "body": {"choices": [{"message": REPLY}]}}}
        for key in requests_of(program)
    ]
    content = "\n".join(map(json.dumps, lines)).encode()
    check_people(
        campaign,
        names,
        lambda: load_results(program, carol, content, "r.jsonl"),
        lambda: withdraw_load(program.loads.get(), carol),
        OF_NUGGETS,
    )
    assert program.loads.get().labels.filter(assignment="not_support").count() == 3


@pytest.mark.slow
def test_no_figure_of_the_demonstration_changes(monkeypatch: pytest.MonkeyPatch, make: Factory) -> None:
    load = demonstration.load_rank_rule
    monkeypatch.setattr(demonstration, "load_rank_rule", lambda campaign, organiser: None)
    people = {name: find_or_create_person(name, full, "-") for name, full, _ in demonstration.PEOPLE}
    demonstration.load_campaign(people)
    campaign = Campaign.objects.get(slug=demonstration.SLUG)
    make.publish(campaign)
    names = ("olga", "ines", "ada", "pat", "rita", "")
    olga = people["olga"]
    check_people(campaign, names, lambda: load(campaign, olga), lambda: withdraw_machine(campaign, olga))


def test_a_change_of_a_figure_is_found() -> None:
    before = {"/campaigns/tiny/progress/": "<td>3</td>", "/campaigns/tiny/judging/sources/": "<td>1</td>"}
    more = {url: f"{content}<td>4</td>" for url, content in before.items()}
    other = dict.fromkeys(before, "<td>5</td>")
    added = {"assess:source_list"}
    assert [found.partition(":")[0] for found in changed(before, more, set(), added)] == [
        "/campaigns/tiny/progress/"
    ]
    assert len(changed(before, other, set(), added)) == 2
    assert len(changed(before, {}, set(), added)) == 2
