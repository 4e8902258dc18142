"""The main job on real data: TREC-COVID round 1, against NIST's own pool, qrels and scores."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from assess.models import QrelsRelease
from assess.services import load_judgments, release_qrels
from metrics.queries import Leaderboard, leaderboard
from metrics.services import score_release
from pooling.manifest import Plan
from pooling.models import Campaign, Role
from pooling.queries import pooled_in
from pooling.scale import THREE_STEPS
from pooling.services import Submission, freeze_pool, load_topics, submit_run
from tests.factory import Factory


@pytest.fixture
def folder(shared: Path) -> Path:
    return shared / "trec-covid-round1"


@pytest.fixture
def covid(make: Factory, folder: Path) -> Campaign:
    """The campaign with its topics, and the 56 contributing runs pooled at depth 7."""
    campaign = make.make_campaign("trec-covid", THREE_STEPS, threshold=1)
    assert load_topics(campaign, (folder / "topics-rnd1.xml").read_bytes(), "topics-rnd1.xml") == 30
    assert submit_all(campaign, make, folder / "runs-contributing-top20", ending=".top20") == 56
    freeze_pool(campaign, make.make_user("carol"), list(campaign.runs.all()), Plan("depth", {"k": 7}))
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
    loaded = load_judgments(covid, carol, (folder / name).read_bytes(), name, "NIST")
    assert (loaded.labels, loaded.newly_pooled) == (8691, 8691 - 6959)
    release = release_qrels(covid, carol)
    assert release.line_count == 8691

    assert submit_all(covid, make, folder / "runs", ending="") == 16
    assert score_release(release) == 16 + 56
    ours = {
        line.run.tag: {
            measure: f"{cell.value:.4f}" for measure, cell in zip(measures, line.cells, strict=True)
        }
        for measures, lines in [board(release, covid, make)]
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


def board(release: QrelsRelease, campaign: Campaign, make: Factory) -> Leaderboard:
    campaign.my_roles = frozenset({Role.ORGANISER})
    return leaderboard(release, make.make_user("carol"), campaign)
