"""Each item of the lectures stands on the page that the documentation names, with its worked values."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import NamedTuple

import pytest
from django.test import Client

from assess.models import Panel
from assess.panels.sides import shown_left, side_of_run
from assess.services.imports import load_judgments
from metrics.ab_tests.services import PlannedTest, create_ab_test, load_users
from pooling.models import Campaign
from pooling.scale import BINARY
from tests.metrics.test_lecture_examples import RANKING, TEN_RELEVANT
from tests.support.factory import Factory
from tests.support.markup import markup

TABLES = (Path(__file__).parents[2] / "docs/reference/lectures.md").read_text()
TWO_TOPICS = {"1": "R N R N N R N N R R", "2": "N R N N R N R N N N"}
TWO_CLASSES = {"1": (1, 1, 1, 97), "2": (9, 1, 1, 89)}  # a tenth of the lecture's tp, fp, fn, tn
TWO_JUDGES = {(1, 1): 30, (1, 0): 2, (0, 1): 1, (0, 0): 7}  # a tenth of the lecture's


class Item(NamedTuple):
    """A row of the tables: what the lecture names, the address that works it out, and what stands there."""

    name: str
    address: str
    values: list[str]


def items() -> list[Item]:
    rows = re.findall(r"^\| ([^|`]+) \| `([^`]+)` \| ([^|]+) \|$", TABLES, re.MULTILINE)
    return [Item(name, address, values.split("; ")) for name, address, values in rows]


def make_campaign(make: Factory, slug: str, topics: list[str], qrels: dict[str, str]) -> Campaign:
    """A binary campaign whose judgments are files. qrels: name of the judge -> lines."""
    campaign = make.make_campaign(slug, BINARY, 1)
    for number in topics:
        make.make_topic(campaign, number, f"class {number}")
    make.make_run(campaign, "\n".join(f"{number} first 1" for number in topics), tag="pooled")
    make.make_pool(campaign, depth=1)
    for judge, lines in qrels.items():
        content = lines.encode()
        load_judgments(campaign, make.make_user("carol"), content, f"{judge}.qrels", judge, extend_pool=True)
    return campaign


def ranked(topic: str, docnos: list[str]) -> str:
    return "\n".join(f"{topic} {docno} {len(docnos) - place}" for place, docno in enumerate(docnos))


def make_points(make: Factory) -> None:
    lines = "".join(f"1 0 {docno} 1\n" for docno in TEN_RELEVANT)
    campaign = make_campaign(make, "points", ["1"], {"expert": lines})
    make.make_run(campaign, ranked("1", RANKING), tag="ranking")
    make.make_release(campaign)


def make_topics(make: Factory) -> None:
    lines, runs = "", []
    for topic, letters in TWO_TOPICS.items():
        docnos = [f"{letter}{place}" for place, letter in enumerate(letters.split())]
        runs.append(ranked(topic, docnos))
        lines += "".join(f"{topic} 0 {docno} {int(docno[0] == 'R')}\n" for docno in docnos)
    campaign = make_campaign(make, "topics", [*TWO_TOPICS], {"expert": lines})
    make.make_run(campaign, "\n".join(runs), tag="ranking")
    make.make_release(campaign)


def make_classes(make: Factory) -> None:
    said = {"expert": "", "system": ""}
    for topic, counts in TWO_CLASSES.items():
        kinds = [kind for kind, count in zip("pfnt", counts, strict=True) for _ in range(count)]
        for judge, yes in (("expert", "pn"), ("system", "pf")):
            said[judge] += "".join(f"{topic} 0 D{n} {int(kind in yes)}\n" for n, kind in enumerate(kinds))
    make_campaign(make, "classes", [*TWO_CLASSES], said)


def make_judges(make: Factory) -> None:
    pairs = [pair for pair, count in TWO_JUDGES.items() for _ in range(count)]
    lines = ["".join(f"1 0 D{n} {pair[side]}\n" for n, pair in enumerate(pairs)) for side in (0, 1)]
    make_campaign(make, "judges", ["1"], dict(zip(("one", "other"), lines, strict=True)))


def make_pools(make: Factory) -> None:
    campaign = make.make_campaign("pools")
    topic = make.make_topic(campaign, "1", "boats at sea")
    topic.description, topic.narrative = "Which boats sail at sea?", "Relevant documents name a boat."
    topic.save()
    for tag, docnos in (("sloop", ["A", "B", "C"]), ("ketch", ["B", "D", "A"])):
        make.make_run(campaign, ranked("1", docnos), tag=tag)
    make.make_pool(campaign, depth=2)


def make_summaries(make: Factory) -> None:
    campaign = make.make_campaign("summaries")
    make.make_topic(campaign)
    make.make_pyramid(campaign)


def make_two_factors(campaign: Campaign, make: Factory) -> None:
    """Two users of each combination of two rankers and two kinds of snippets."""
    names = [f"ranker={ranker} + snippet={how}" for ranker in ("old", "new") for how in ("fixed", "dynamic")]
    plan = PlannedTest(
        "Two factors", "", dict.fromkeys(names, 25.0), 8, "clicks: more, sum\ntime_on_page: more, mean"
    )
    test = create_ab_test(campaign, make.make_user("carol"), plan)
    clicks = [(1, 3), (2, 4), (3, 5), (6, 8)]
    lines = [
        f"{name},{name}{number},{number},{9 + number}"
        for name, numbers in zip(names, clicks, strict=True)
        for number in numbers
    ]
    content = "\n".join(["variant,user,clicks,time_on_page", *lines]).encode()
    load_users(test, make.make_user("carol"), content, "users.csv", is_end=True)


def make_users(make: Factory) -> None:
    """A panel on nine topics of which seven are won by the first run, three users who click, an A/B test."""
    campaign = make.make_campaign("users")
    numbers = [str(number) for number in range(1, 10)]
    for number in numbers:
        make.make_topic(campaign, number, f"title {number}")
    for tag, docno in (("zebra-left", "P1"), ("zebra-right", "P2")):
        make.make_run(campaign, "\n".join(f"{number} {docno} 1" for number in numbers), tag=tag)
    make.make_pool(campaign)
    panel, alice = make.make_panel(campaign), make.make_user("alice")
    for task in (
        make.make_snippets(campaign, depth=1).tasks.filter(judge=alice).select_related("result", "judge")
    ):
        task.snippet_set.campaign = campaign
        make.make_snippet_grade(task, 3 if task.step == "document" else 0)
    left = shown_left(panel.seed, alice.pk, numbers)
    for number in numbers:
        choice = "equal" if number > "7" else "first"
        make.make_vote(panel, "alice", number, side_of_run(choice, left[number]))
    lists = "".join(f"1,{user},P1 P2,{clicks}\n" for user, clicks in enumerate(("1", "1 2", "")))
    make.make_click_log(campaign, f"topic,session,shown,clicks\n{lists}")
    make.make_ab_test(campaign)
    make_two_factors(campaign, make)
    make.make_system_figures(campaign)


BUILDERS = (make_points, make_topics, make_classes, make_judges, make_pools, make_summaries, make_users)


def build_campaign(make: Factory) -> Campaign:
    for build in (
        make_points,
        make_topics,
        make_classes,
        make_judges,
        make_pools,
        make_summaries,
        make_users,
    ):
        build(make)
    return Campaign.objects.get(slug="points")


def shown(make: Factory, address: str) -> str:
    client = Client()
    client.force_login(make.make_user("carol"))
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", markup(client.get(address.replace(" ", "+")))).split()))


@pytest.mark.parametrize("item", items(), ids=lambda item: item.name)
def test_the_page_of_an_item_shows_the_lectures_values(campaign: Campaign, make: Factory, item: Item) -> None:
    panel = Panel.objects.get(campaign__slug="users")  # its address has its key, not a number
    page = shown(make, item.address.replace("/panels/1/", f"/panels/{panel.pk}/"))
    assert [value for value in item.values if value not in page] == []
