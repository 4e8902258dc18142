"""The order of a run is chosen: pools and scores are those of a run whose scores were changed by hand."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from accounts.services import create_token
from assess.models import QrelsRelease
from assess.services.imports import load_judgments
from assess.services.runs import reorder_run
from metrics.measures.names import parse_measures
from metrics.queries.integrity import every_fault
from metrics.queries.runs import retrieved_documents
from metrics.queries.scores import score_table
from metrics.services import score_release
from pooling.cli import main
from pooling.formats.files import BadFile
from pooling.manifest import PoolPlan
from pooling.models import Campaign, Run
from pooling.queries.reads import PoolingReads
from pooling.queries.runs import scored_lines
from pooling.queries.warnings import run_warnings
from pooling.services.pools import freeze_pool
from pooling.services.run_changes import RunLocked, withdraw_run
from pooling.services.runs import Submission, submit_run
from tests.support.factory import Factory
from tests.support.markup import markup

Changed = Callable[[int, float], float]

ROWS = [  # topic, docno, rank, distance: the ranks are right, the lowest distance is best, some are equal
    *[("1", f"D{(7 * rank) % 30:02}", rank, rank // 2 / 8) for rank in range(30)],
    *[("2", f"D{(11 * rank) % 30:02}", rank + 1, 5.0 * rank - 9) for rank in range(20)],
]
BY_HAND: dict[str, Changed] = {
    "score": lambda rank, score: score,
    "lowest": lambda rank, score: -score,
    "rank": lambda rank, score: -rank,
}
RUN_URL = "/campaigns/tiny/runs/distance/"


def lines(tag: str, order: str = "score") -> bytes:
    changed = BY_HAND[order]
    rows = (f"{topic} Q0 {docno} {rank} {changed(rank, s)!r} {tag}\n" for topic, docno, rank, s in ROWS)
    return "".join(rows).encode()


def submitted(campaign: Campaign, make: Factory, tag: str, content: bytes, order: str = "score") -> Run:
    about = Submission(group="davelab", order=order)
    return submit_run(campaign, make.make_user("dave"), content, f"{tag}.run", about)


def faults(campaign: Campaign) -> list[object]:
    return list(every_fault(campaign, {}))


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1")
    make.make_topic(campaign, "2")
    return campaign


@pytest.fixture
def release(campaign: Campaign, make: Factory) -> QrelsRelease:
    """Every document of a run is judged, so that only the order makes a score."""
    make.make_run(campaign, "\n".join(f"{t} D{n:02} {40 - n}" for t in "12" for n in range(30)), tag="base")
    make.make_pool(campaign, depth=30)
    qrels = "".join(f"{topic} 0 D{n:02} {n * n % 4}\n" for topic in "12" for n in range(30))
    load_judgments(campaign, make.make_user("carol"), qrels.encode(), "else.qrels", "elsewhere")
    return make.make_release(campaign)


@pytest.mark.parametrize("order", ["score", "lowest", "rank"])
@pytest.mark.parametrize("strategy", ["depth", "combsum", "rrf"])
def test_a_pool_is_that_of_the_scores_changed_by_hand(
    campaign: Campaign, make: Factory, order: str, strategy: str
) -> None:
    runs = {
        "chosen": submitted(campaign, make, "chosen", lines("chosen"), order),
        "hand": submitted(campaign, make, "hand", lines("hand", order)),
    }
    base = make.make_run(
        campaign, "\n".join(f"{t} D{n:02} {9 - n}" for t in "12" for n in range(9)), tag="base"
    )
    parameters = {"k": 4} if strategy == "depth" else {"budget": 4, "floor": 0}
    pools = {}
    for tag, run in runs.items():
        pool = freeze_pool(campaign, make.make_user("carol"), [base, run], PoolPlan(strategy, parameters))
        pools[tag] = list(
            pool.documents.order_by("topic", "docno").values_list("topic__number", "docno", "best_rank")
        )
        assert [each.get("order", "score") for each in pool.manifest["runs"]] == ["score", run.order]
        assert faults(campaign) == []
        pool.delete()
    assert pools["chosen"] == pools["hand"] and len(pools["hand"]) >= 8


@pytest.mark.parametrize("order", ["score", "lowest", "rank"])
def test_scores_are_those_of_the_scores_changed_by_hand(
    release: QrelsRelease, make: Factory, order: str
) -> None:
    campaign = release.campaign
    chosen = submitted(campaign, make, "chosen", lines("chosen"), order)
    hand = submitted(campaign, make, "hand", lines("hand", order))
    measures = parse_measures("AP nDCG@10 P@5 RR")
    table = score_table(release, [chosen, hand], measures)
    assert table.values[:, 0].tolist() == table.values[:, 1].tolist()
    plain = score_table(release, [submitted(campaign, make, "plain", lines("plain"))], measures)
    assert (table.values[:, 0].tolist() == plain.values[:, 0].tolist()) == (order == "score")
    for topic in "12":
        assert retrieved_documents(release, chosen, topic) == retrieved_documents(release, hand, topic)
    score_release(release)
    assert faults(campaign) == []


def test_the_file_as_scored_is_one_that_trec_eval_orders_alike(campaign: Campaign, make: Factory) -> None:
    chosen = submitted(campaign, make, "chosen", lines("chosen"), "rank")
    again = submitted(campaign, make, "again", b"".join(scored_lines(chosen)).replace(b"chosen", b"again"))
    assert bytes(again.columns.scores) == bytes(chosen.columns.scores)
    assert bytes(again.columns.ids) == bytes(chosen.columns.ids) and again.warnings == []
    client = signed_in(make, "dave")
    sent = b"".join(client.get("/campaigns/tiny/runs/chosen/file/?format=scored"))
    assert sent.splitlines()[:2] == [b"1 Q0 D00 1 -0.0 chosen", b"1 Q0 D07 2 -1.0 chosen"]


def test_the_archive_of_a_release_has_the_run_as_scored(release: QrelsRelease, make: Factory) -> None:
    chosen = submitted(release.campaign, make, "chosen", lines("chosen"), "lowest")
    response = signed_in(make, "carol").get("/campaigns/tiny/downloads/1/collection/")
    with zipfile.ZipFile(io.BytesIO(b"".join(response))) as archive:
        names = [name.partition("/")[2] for name in archive.namelist()]
        assert "runs/base.gz" in names and "runs/chosen.txt" in names and "runs/chosen.gz" not in names
        assert archive.read("tiny-v1/runs/chosen.txt") == b"".join(scored_lines(chosen))
        about = json.loads(archive.read("tiny-v1/manifest.json"))
    assert {run["tag"]: run.get("order") for run in about["scored"]} == {"base": None, "chosen": "lowest"}


def test_the_warning_is_cured_on_the_page_of_the_run_by_its_group(campaign: Campaign, make: Factory) -> None:
    run = submitted(campaign, make, "distance", lines("distance"))
    assert (
        "the rank column contradicts the scores" in run_warnings(PoolingReads(campaign), [run])["distance"][0]
    )
    dave = signed_in(make, "dave")
    page = markup(dave.get(RUN_URL))
    assert "lowest score first (distances)" in page and "Change the order of distance" in page
    assert "Change the order" not in markup(signed_in(make, "rita").get(RUN_URL))
    assert signed_in(make, "rita").post(f"{RUN_URL}order/", {"order": "lowest"}).status_code == 403
    dave.post(f"{RUN_URL}order/", {"order": "lowest"})
    newer = campaign.runs.get(tag="distance")
    assert newer.order == "lowest" and newer.sha256 == run.sha256 and newer.group == "davelab"
    assert newer.warnings == [] and run_warnings(PoolingReads(campaign), [newer]) == {}
    former = campaign.runs.get(pk=run.pk)
    assert former.tag == "distance~1" and former.withdrawn_at and former.order == "score"
    page = markup(dave.get(RUN_URL))
    assert (
        "<dd>lowest score first (distances)</dd>" in page
        and "Change the order" in page
        and "As scored" in page
    )
    assert faults(campaign) == []


def test_an_order_in_a_frozen_pool_is_locked_with_the_reason(campaign: Campaign, make: Factory) -> None:
    run = submitted(campaign, make, "distance", lines("distance"))
    make.make_pool(campaign, depth=3)
    page = markup(signed_in(make, "carol").get(RUN_URL))
    assert "is in a frozen pool, so its order cannot change" in page and "Change the order" not in page
    with pytest.raises(RunLocked, match="frozen pool"):
        reorder_run(run, make.make_user("carol"), "lowest")
    page = markup(signed_in(make, "carol").post(f"{RUN_URL}order/", {"order": "lowest"}, follow=True))
    assert "is in a frozen pool" in page and campaign.runs.get(tag="distance").order == "score"


def test_a_run_without_such_a_warning_offers_no_order(campaign: Campaign, make: Factory) -> None:
    submitted(campaign, make, "distance", lines("distance", "lowest"))
    assert "Change the order" not in markup(signed_in(make, "dave").get(RUN_URL))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"1 Q0 A 1 2 t\n1 Q0 B x 1 t\n", "line 2: expected a number as rank"),
        (b"1 Q0 A 1 2 t\n1 Q0 B 1 1 t\n", "every rank is 1"),
    ],
)
def test_ranks_that_give_no_order_are_refused(
    campaign: Campaign, make: Factory, content: bytes, said: str
) -> None:
    with pytest.raises(BadFile, match=said):
        submitted(campaign, make, "t", content, "rank")
    assert submitted(campaign, make, "t", content, "lowest").order == "lowest"


def test_the_order_is_chosen_at_upload_in_the_form_the_command_and_the_api(
    campaign: Campaign, make: Factory, tmp_path: Path
) -> None:
    def file(tag: str) -> SimpleUploadedFile:
        return SimpleUploadedFile(f"{tag}.run", lines(tag))

    about = {"priority": "1", "tag_from": "column", "order": "lowest"}
    signed_in(make, "dave").post("/campaigns/tiny/runs/", about | {"run_files": file("form")})
    (tmp_path / "command.run").write_bytes(lines("command"))
    call_command("submit_runs", "tiny", str(tmp_path / "command.run"), "--order", "lowest", "--as", "carol")
    api = Client(headers={"Authorization": f"Bearer {create_token(make.make_user('dave'), 'test')}"})
    url = "/api/campaigns/tiny/runs/"
    answer = api.post(url, {"file": file("api"), "order": "lowest"})
    assert answer.status_code == 201 and answer.json()["order"] == "lowest"
    assert dict(campaign.runs.values_list("tag", "order")) == dict.fromkeys(
        ("form", "command", "api"), "lowest"
    )
    assert api.post(url, {"file": file("odd"), "order": "worst"}).status_code == 422
    ordered = api.post(f"{url}api/order/", {"order": "rank"}, content_type="application/json")
    assert ordered.status_code == 200 and ordered.json()["order"] == "rank"
    assert b"".join(api.get(f"{url}api/file/?scored=true")).startswith(b"1 Q0 D00 1 -0.0 api\n")
    replaced = api.post(f"{url}api/replacement/", {"file": file("newer")})
    assert replaced.status_code == 201 and replaced.json()["order"] == "rank"


def test_a_pool_is_rebuilt_from_files_by_the_orders_in_its_manifest(
    campaign: Campaign, make: Factory, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = submitted(campaign, make, "chosen", lines("chosen"), "lowest")
    pool = freeze_pool(campaign, make.make_user("carol"), [chosen], PoolPlan("depth", {"k": 3}))
    (tmp_path / "manifest.json").write_text(json.dumps(pool.manifest))
    with chosen.original.open("rb") as file:
        (tmp_path / "chosen.run").write_bytes(gzip.decompress(file.read()))
    assert main(["--rebuild", str(tmp_path / "manifest.json"), str(tmp_path / "chosen.run")]) == 0
    printed = {tuple(line.split()) for line in capsys.readouterr().out.splitlines()}
    assert printed == set(pool.documents.values_list("topic__number", "docno"))


def test_scores_of_the_former_order_stay_with_the_withdrawn_version(
    release: QrelsRelease, make: Factory
) -> None:
    run = submitted(release.campaign, make, "distance", lines("distance"))
    score_release(release)
    before = list(run.scores.order_by("measure").values_list("measure", "value"))
    newer = reorder_run(run, make.make_user("carol"), "lowest")
    assert list(run.scores.order_by("measure").values_list("measure", "value")) == before
    score_release(release)
    after = list(newer.scores.order_by("measure").values_list("measure", "value"))
    assert after and after != before and faults(release.campaign) == []
    withdraw_run(newer, make.make_user("carol"), "A test.")
    with pytest.raises(RunLocked, match="withdrawn"):
        reorder_run(newer, make.make_user("carol"), "rank")
