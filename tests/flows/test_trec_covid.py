"""The main job on real data: TREC-COVID round 1, against NIST's own pool, qrels and scores."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from django.test import Client

from accounts.models import User
from assess.models import QrelsRelease
from assess.services.imports import load_judgments
from assess.services.releases import release_qrels
from metrics.leaderboard import UNJUDGED, LeaderboardState
from metrics.queries.leaderboard import LeaderboardRow, leaderboard
from metrics.queries.scores import score_table
from metrics.services import default_measures, score_release
from pooling.manifest import PoolPlan
from pooling.models import Campaign
from pooling.queries.documents import pooled_in
from pooling.scale import THREE_STEPS
from pooling.services.pools import freeze_pool
from pooling.services.runs import Submission, submit_run
from pooling.services.topics import load_topics
from tests.metrics.shared_data import DATA, needs
from tests.support.factory import Factory
from tests.support.markup import markup

pytestmark = needs("trec-covid-round1")


@pytest.fixture
def folder() -> Path:
    return DATA / "trec-covid-round1"


@pytest.fixture
def covid(make: Factory, folder: Path) -> Campaign:
    """The campaign with its topics, and the 56 contributing runs pooled at depth 7."""
    campaign = make.make_campaign("trec-covid", THREE_STEPS, threshold=1)
    assert (
        len(load_topics(campaign, (folder / "topics-rnd1.xml").read_bytes(), "topics-rnd1.xml").topics) == 30
    )
    assert submit_all(campaign, make, folder / "runs-contributing-top20", ending=".top20") == 56
    freeze_pool(campaign, make.make_user("carol"), list(campaign.runs.all()), PoolPlan("depth", {"k": 7}))
    return campaign


def submit_all(campaign: Campaign, make: Factory, folder: Path, ending: str) -> int:
    paths = sorted(folder.glob("*.gz"))
    for path in paths:
        about = Submission(tag=path.name.removesuffix(".gz") + ending)
        submit_run(campaign, make.make_user("carol"), path.read_bytes(), path.name, about)
    return len(paths)


def test_the_pool_is_the_one_that_nist_judged(covid: Campaign, folder: Path) -> None:
    rows = (line.split() for line in (folder / "qrels-rnd1.txt").read_text().splitlines())
    judged = {(topic, docno) for topic, _, docno, _ in rows}
    pool = set(pooled_in(covid).values_list("topic__number", "docno"))
    assert len(pool) == 6959
    assert pool <= judged


def test_the_scores_are_those_that_nist_published(covid: Campaign, make: Factory, folder: Path) -> None:
    carol, name = make.make_user("carol"), "qrels-rnd1.txt"
    loaded = load_judgments(covid, carol, (folder / name).read_bytes(), name, "NIST", extend_pool=True)
    assert (loaded.labels, loaded.newly_pooled) == (8691, 8691 - 6959)
    release = release_qrels(covid, carol)
    assert release.line_count == 8691

    assert submit_all(covid, make, folder / "runs", ending="") == 16
    assert score_release(release) == 16 + 56
    ours = {
        line.run.tag: {
            measure: f"{cell.value:.4f}" for measure, cell in zip(measures, line.cells, strict=True)
        }
        for measures, lines in [columns_and_lines(release)]
        for line in lines
    }
    with (folder / "leaderboard.csv").open() as file:
        published = {row["run"]: row for row in csv.DictReader(file)}
    full = [path.name.removesuffix(".gz") for path in (folder / "runs").glob("*.gz")]
    assert len(full) == 16
    columns = {"AP": "MAP", "bpref": "bpref", "P@5": "p@5", "nDCG@10": "ndcg@10"}
    for tag in full:
        assert {c: ours[tag][m] for m, c in columns.items()} == {
            c: published[tag][c] for c in columns.values()
        }, tag
    assert ours["BERT"]["AP"] == "0.0653"
    on_page = leaderboard_page(carol, "AP bpref P@5 nDCG@10")
    assert {tag: {c: on_page[tag][m] for m, c in columns.items()} for tag in full} == {
        tag: {c: published[tag][c] for c in columns.values()} for tag in full
    }


def leaderboard_page(user: User, measures: str) -> dict[str, dict[str, str]]:
    """Return tag -> measure -> what stands on the page, read off its text; the first measure leads."""
    client = Client()
    client.force_login(user)
    content = markup(client.get("/campaigns/trec-covid/scores/1/", {"measures": measures}))
    body = content[content.index("<tbody>") : content.index("</tbody>")]
    cell = re.compile(r'<td class="number[^"]*">([^<]*)</td>')
    board = {}
    for row in body.split("</tr>")[:-1]:
        tag = re.search(r'<th scope="row" class="tag" title="([^"]+)"', row)
        assert tag
        _, lead, _, _, _, *others = cell.findall(row)  # rank, mean, interval, unjudged@10, topics
        board[tag[1]] = dict(zip(measures.split(), [lead, *others], strict=True))
    return board


def columns_and_lines(release: QrelsRelease) -> tuple[list[str], list[LeaderboardRow]]:
    measures, runs = default_measures(release), list(release.campaign.runs.all())
    names = tuple(measure.name for measure in measures if measure.name != UNJUDGED)
    board = leaderboard(score_table(release, runs, measures), LeaderboardState(names, "AP", descending=True))
    return board.measures, board.lines
