"""Pages of a campaign with hundreds of topics: tables are paged, plots sampled, files whole."""

from __future__ import annotations

import csv
import re

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from assess.models import QrelsRelease
from metrics.services import release_measures, score_release
from pooling.checksum import sha256_of
from pooling.models import Campaign, Topic
from tests.metrics.conftest import make_compared
from tests.metrics.test_run_page import plot, text
from tests.support.factory import Factory
from tests.support.markup import markup

build_campaign = make_compared

TOPICS = 600
URL = "/campaigns/tiny/scores/1/"
COMPARED = "compare/?runs=lower&runs=upper&measure=RR"


@pytest.fixture
def large(make: Factory) -> Campaign:
    """Two runs of 600 topics with one relevant document each; `upper` finds it first on more topics.

    The release is written without labels: to give 1,200 of them takes long.
    """
    campaign = make.make_campaign()
    numbers = [f"{number:03}" for number in range(1, TOPICS + 1)]
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=number, title=f"title {number}", place=int(number))
        for number in numbers
    )
    for tag, share in (("lower", 3), ("upper", 2)):
        orders = [(number, ("B", "A") if int(number) % share else ("A", "B")) for number in numbers]
        lines = "\n".join(f"{number} {first} 2\n{number} {second} 1" for number, (first, second) in orders)
        make.make_run(campaign, lines, tag=tag, group=tag)
    qrels = "".join(f"{number} 0 A 3\n{number} 0 B 0\n" for number in numbers).encode()
    release = QrelsRelease.objects.create(
        campaign=campaign,
        number=1,
        rule="majority",
        manifest={"scale": campaign.scale, "threshold": 2, "topics": TOPICS},
        sha256=sha256_of(qrels),
        file=default_storage.save("large.qrels", ContentFile(qrels)),
        line_count=2 * TOPICS,
        released_by=make.make_user("carol"),
    )
    score_release(release)
    return campaign


def shown(content: str, label: str) -> list[str]:
    """Return the numbers of the topics in a table."""
    table = content[content.index(f'aria-label="{label}" tabindex') :]
    heads = re.findall(r'<th scope="row" class="tag">(.*?)<span', table[: table.index("</table>")])
    return [re.sub(r"<[^>]+>", "", head).strip() for head in heads]


@pytest.mark.parametrize(
    ("place", "label"),
    [
        ("topics/?measures=RR&by=topic", "Scores of all topics"),
        ("runs/upper/?measures=RR", "Scores by topic"),
        (COMPARED, "Scores by topic"),
    ],
)
def test_a_table_of_600_topics_is_paged_and_says_so(
    large: Campaign, carol: Client, place: str, label: str
) -> None:
    first, second = (markup(carol.get(f"{URL}{place}&page={page}")) for page in (1, 2))
    assert (len(shown(first, label)), len(shown(second, label))) == (500, 100)
    assert len({*shown(first, label), *shown(second, label)}) == TOPICS
    assert "Topics 1 to 500 of 600 Next" in text(first)
    assert "Previous Topics 501 to 600 of 600" in text(second)
    (link,) = re.findall(r'href="([^"]*)">All topics, TSV', first)
    file = markup(carol.get(link.replace("&amp;", "&")))
    rows = csv.DictReader(file.splitlines(), delimiter="\t")
    found = {row["topic"] for row in rows if (row["run"], row["measure"]) == ("upper", "RR")}
    assert len(found - {"all"}) == TOPICS


@pytest.mark.parametrize(
    ("place", "names"),
    [
        ("topics/?measures=RR", ["difficulty"]),
        ("runs/upper/?measures=RR", ["by-topic"]),
        (COMPARED, ["differences", "scatter"]),
    ],
)
def test_a_plot_of_600_topics_is_a_sample_and_says_so(
    large: Campaign, carol: Client, place: str, names: list[str]
) -> None:
    content = markup(carol.get(URL + place))
    for name in names:
        drawn = plot(content, name)
        assert (len(drawn["rows"]), drawn["topics"]) == (300, TOPICS)
        section = content[content.index(f'id="{name}"') :]
        assert "600 topics, 300 evenly spaced topics plotted</p>" in section[: section.index("</header>")]


def test_a_page_keeps_the_runs_the_order_and_the_measure(large: Campaign, carol: Client) -> None:
    content = markup(carol.get(f"{URL}topics/?measures=RR&by=mean"))
    assert 'href="?measures=RR&amp;by=mean&amp;page=2">Next' in content
    content = markup(carol.get(URL + COMPARED))
    assert 'href="?runs=lower&amp;runs=upper&amp;measure=RR&amp;page=2">Next' in content


def test_topics_with_remarks_are_listed_up_to_a_hundred(large: Campaign, carol: Client) -> None:
    content = markup(carol.get(f"{URL}topics/?measures=RR"))
    found = content[content.index("<h2>Topics to check</h2>") :]
    assert found[: found.index("</ul>")].count("<li") == 100
    assert "300 topics of 600; the first 100 are listed" in text(content)


def test_pages_of_600_topics_read_no_values_for_means_and_no_topic_by_its_number(
    large: Campaign, carol: Client
) -> None:
    release = large.releases.get()
    score_release(release, release_measures(release))
    for place in ("topics/?measures=RR", "runs/upper/?measures=RR", COMPARED):
        with CaptureQueriesContext(connection) as asked:
            carol.get(URL + place)
        statements = [query["sql"] for query in asked]
        assert not [sql for sql in statements if "'599'" in sql]
        assert not [sql for sql in statements if "ExactIPrec" in sql and "by_topic" in sql]


def test_fewer_than_500_topics_are_shown_at_once(compared: Campaign, carol: Client) -> None:
    for place in ("topics/?measures=AP", "runs/sloop/?measures=AP", "compare/?runs=sloop&runs=ketch"):
        content = markup(carol.get(URL + place))
        assert "of 2 next" not in text(content) and "sample" not in content
