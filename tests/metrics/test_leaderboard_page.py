"""The leaderboard: its columns, its order, and who sees which runs."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks

from accounts.services import create_token
from metrics.measures.names import parse_measures
from metrics.models import Score
from metrics.queries.scores import scoring_progress
from metrics.services import default_measures, release_measures, score_in_chunks, score_release
from metrics.significance.intervals import TOO_EQUAL, TOO_NEAR
from pooling.models import Campaign
from pooling.scale import BINARY
from tests.metrics.conftest import make_compared
from tests.support.factory import Factory
from tests.support.markup import markup

build_campaign = make_compared

URL = "/campaigns/tiny/scores/1/"


def page(client: Client, query: str = "", url: str = URL) -> str:
    response = client.get(f"{url}?{query}")
    assert response.status_code == 200
    return markup(response)


def tags(content: str) -> list[str]:
    """Return the runs of the table, in its order."""
    return re.findall(r'<th scope="row" class="tag" title="([^"]+)"', content)


def heads(content: str) -> list[str]:
    return re.findall(r'<th[^>]*aria-sort="\w+"><a [^>]*>([^<]+)</a>', content)


def test_a_graded_scale_begins_with_ndcg_and_a_binary_one_with_ap(compared: Campaign) -> None:
    release = compared.releases.get()
    assert default_measures(release)[0].name == "nDCG@10"
    release.manifest["scale"] = [grade._asdict() for grade in BINARY]
    assert default_measures(release)[0].name == "AP"


def test_the_page_says_profile_policy_pool_and_holes(compared: Campaign, carol: Client) -> None:
    content = page(carol)
    assert "Scoring profile: trec_eval-9; a topic that is missing from a run scores 0." in content
    assert "No interval: fewer than 10 topics." in content
    assert "<small>needs 10 topics, has 2</small>" in content
    assert content.count('<td class="number muted">none</td>') == len(tags(content))
    marked = re.findall(r'title="(\w+)"><a [^>]*>\w+</a> <span class="mark">not pooled</span>', content)
    assert sorted(marked) == ["stone", "wheel"]
    assert (
        '<td class="number alert">0.200</td><td class="number">1</td>' in content
    )  # stone answers one topic


def test_measures_are_chosen_by_name_in_the_link(compared: Campaign, carol: Client) -> None:
    content = page(carol, "measures=AP(rel=3)&measures=P_5+P@5+R@1000&order=P@5")
    assert heads(content) == ["Run", "Group", "Kind", "Mean", "Unjudged@10", "AP(rel=3)", "R@1000"]
    assert '<th scope="colgroup" colspan="4" class="centered">P@5</th>' in content
    assert "measures=AP%28rel%3D3%29&amp;measures=P%405&amp;measures=R%401000" in content
    assert not Score.objects.exists()  # what a visitor asks for is computed, not stored


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("measures=nDGC@10+AP", "did you mean nDCG@10?"),
        ("measures=P@0+AP", "expected a positive cut-off"),
        ("measures=alpha_nDCG@10+AP", "needs other qrels than a release has"),
        ("measures=Fallout+AP", "Expected the number of documents in the collection"),
        ("measures=Fallout(N=2)+AP", "Expected a collection of at least"),
    ],
)
def test_what_is_no_measure_here_is_said_and_the_page_still_stands(
    compared: Campaign, carol: Client, query: str, said: str
) -> None:
    content = page(carol, query)
    assert said in content
    assert len(tags(content)) == 4


def test_the_good_names_beside_a_bad_one_are_shown(compared: Campaign, carol: Client) -> None:
    assert heads(page(carol, "measures=nDGC@10+bpref+RR"))[-1] == "RR"


def test_too_many_columns_are_cut_off(compared: Campaign, carol: Client) -> None:
    content = page(carol, "measures=" + "+".join(f"P@{k}" for k in range(1, 60)))
    assert "Expected at most 40 measures, found 59." in content
    assert "P@40" in heads(content) and "P@41" not in heads(content)


def test_the_size_of_the_collection_goes_into_the_name(compared: Campaign, carol: Client) -> None:
    compared.collection_size = 100
    compared.save()
    assert "Fallout(N=100)@5" in heads(page(carol, "measures=AP+Fallout@5"))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("order=AP", ["sloop", "ketch", "wheel", "stone"]),
        ("order=AP&direction=ascending", ["stone", "wheel", "ketch", "sloop"]),
        ("order=run", ["ketch", "sloop", "stone", "wheel"]),
        ("order=group", ["wheel", "sloop", "ketch", "stone"]),
        ("order=group&direction=descending", ["ketch", "stone", "sloop", "wheel"]),
        ("order=Unjudged@10", ["ketch", "sloop", "wheel", "stone"]),
        ("order=nonsense", ["sloop", "ketch", "wheel", "stone"]),
        ("order=AP&groups=best", ["sloop", "ketch", "wheel"]),
    ],
)
def test_a_head_sorts_and_a_group_may_show_its_best(
    compared: Campaign, carol: Client, query: str, expected: Sequence[str]
) -> None:
    assert tags(page(carol, f"measures=AP+P@5&{query}")) == expected


def test_the_sorted_column_says_so(compared: Campaign, carol: Client) -> None:
    content = page(carol, "measures=AP+P@5&order=AP&direction=ascending")
    assert len(re.findall('aria-sort="ascending"', content)) == 1
    assert 'aria-sort="descending"' not in content


def test_the_csv_has_the_page_with_all_digits(compared: Campaign, carol: Client) -> None:
    rows = list(csv.DictReader(page(carol, "measures=AP+P@5&order=AP", URL + "csv/").splitlines()))
    assert [row["run"] for row in rows] == tags(page(carol, "measures=AP+P@5&order=AP"))
    assert list(rows[0])[:5] == ["run", "group", "kind", "AP", "P@5"]
    wheel = next(row for row in rows if row["run"] == "wheel")
    assert float(wheel["AP"]) == pytest.approx((1 / 2 / 3 + 1) / 2)  # X, B, A by docno descending; A in 2
    assert wheel["pools"] == "0"
    assert float(wheel["Unjudged@10"]) == pytest.approx(0.05)
    assert not [column for column in rows[0] if column.endswith(" low")]


def test_from_ten_topics_on_the_page_its_file_and_the_page_of_a_run_have_the_same_interval(
    twelve_topics: Campaign, carol: Client
) -> None:
    content = page(carol, "measures=AP")
    assert "studentised bootstrap (bootstrap-t) over 12 topics, 5,000 draws, seed 0" in " ".join(
        content.split()
    )
    rows = list(csv.DictReader(page(carol, "measures=AP", URL + "csv/").splitlines()))
    ketch = next(row for row in rows if row["run"] == "ketch")
    assert 0 <= float(ketch["AP low"]) < float(ketch["AP"]) < float(ketch["AP high"]) <= 1
    interval = f"{float(ketch['AP low']):.3f} to {float(ketch['AP high']):.3f}"
    assert f'<td class="number muted">{interval}</td>' in content
    assert interval in page(carol, "measures=AP", URL + "runs/ketch/")


def test_a_run_with_equal_scores_on_all_topics_has_no_interval_beside_others_that_have_one(
    twelve_topics: Campaign, carol: Client
) -> None:
    content = page(carol, "measures=AP")
    assert content.count(">none</td>") == 1  # stone retrieves nothing relevant
    assert f'"none": {TOO_EQUAL}, or {TOO_NEAR}.' in " ".join(content.split())
    rows = list(csv.DictReader(page(carol, "measures=AP", URL + "csv/").splitlines()))
    stone = next(row for row in rows if row["run"] == "stone")
    assert (stone["AP low"], stone["AP high"], float(stone["AP"])) == ("", "", 0.0)
    report = page(carol, "measures=AP", URL + "runs/stone/")
    assert "none: too few topics differ in score" in report


def test_a_run_with_a_mean_near_an_end_has_no_interval_below_25_topics_and_its_page_says_why(
    twelve_topics: Campaign, carol: Client
) -> None:
    rows = list(csv.DictReader(page(carol, "measures=P@20", URL + "csv/").splitlines()))
    assert 0 < float(rows[0]["P@20"]) < 0.15
    assert {(row["P@20 low"], row["P@20 high"]) for row in rows} == {("", "")}
    assert f"none: {TOO_NEAR}" in page(carol, "measures=P@20", URL + "runs/ketch/")
    assert f"none: {TOO_EQUAL}" in page(carol, "measures=P@20", URL + "runs/stone/")


def test_the_page_of_a_run_says_why_it_has_no_interval(compared: Campaign, carol: Client) -> None:
    assert "none: fewer than 10 topics" in page(carol, "measures=AP", URL + "runs/ketch/")


def test_the_tsv_has_every_topic_and_the_mean(compared: Campaign, carol: Client) -> None:
    lines = page(carol, "measures=AP", URL + "topics/tsv/").splitlines()
    assert lines[0] == "run\ttopic\tmeasure\tvalue"
    assert [line for line in lines if line.startswith("sloop")][:3] == [
        "sloop\t1\tAP\t0.8333333333333333",
        "sloop\t2\tAP\t1.0",
        "sloop\tall\tAP\t0.9166666666666666",
    ]


def test_before_publication_a_participant_sees_own_runs_and_after_it_all(
    compared: Campaign, make: Factory, dave: Client
) -> None:
    places = [URL, URL + "topics/", URL + "topics/tsv/", URL + "csv/", URL + "runs/wheel/"]
    for url in places:
        content = page(dave, "", url)
        assert "wheel" in content
        assert not re.search("sloop|ketch|stone", content), url
    assert "you see the scores of your own runs and not of other groups" in page(dave)
    assert dave.get(URL + "runs/sloop/").status_code == 404
    make.publish(compared)
    assert tags(page(dave)) == ["sloop", "ketch", "wheel", "stone"]
    assert dave.get(URL + "runs/sloop/").status_code == 200
    assert dave.get("/campaigns/tiny/runs/sloop/file/").status_code == 404  # the file stays the group's


def test_scoring_that_is_broken_off_goes_on_where_it_stood(
    compared: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, measures = compared.releases.get(), parse_measures("AP P@5")
    monkeypatch.setattr("metrics.services.CHUNK", 1)
    chunks = score_in_chunks(release, measures)
    assert (next(chunks), next(chunks)) == (1, 1)
    chunks.close()
    assert tuple(scoring_progress(release, measures)) == (2, 4)
    assert score_release(release, measures) == 2
    assert tuple(scoring_progress(release, measures)) == (4, 4)
    assert score_release(release, measures) == 0
    assert Score.objects.count() == 8


def test_a_run_that_lacks_one_measure_is_scored_on_that_alone(compared: Campaign) -> None:
    release = compared.releases.get()
    score_release(release, parse_measures("AP"))
    kept = set(Score.objects.values_list("pk", flat=True))
    assert score_release(release, parse_measures("AP RR")) == 4
    assert set(Score.objects.filter(measure="AP").values_list("pk", flat=True)) == kept


def test_a_run_that_comes_later_is_on_the_board_at_once(
    compared: Campaign, carol: Client, make: Factory
) -> None:
    page(carol)
    make.make_run(compared, "1 C 1", tag="late")
    assert "late" in tags(page(carol))


def test_looking_again_asks_the_database_little(
    compared: Campaign, carol: Client, django_assert_max_num_queries: object
) -> None:
    page(carol)
    with django_assert_max_num_queries(28):  # type: ignore[operator]
        page(carol)


def test_a_campaign_of_someone_without_runs_says_so(compared: Campaign, dave: Client) -> None:
    compared.runs.get(tag="wheel").delete()
    assert "You have not submitted a run to this campaign" in page(dave)
    assert "You have not submitted a run to this campaign" in page(dave, "", URL + "topics/")


def test_a_run_that_is_submitted_after_a_release_is_scored_and_stored(
    compared: Campaign,
    make: Factory,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    release = compared.releases.get()
    assert not Score.objects.exists()
    with django_capture_on_commit_callbacks(execute=True):
        make.make_run(compared, "1 C 1", tag="late")
    stored = Score.objects.filter(run__tag="late", release=release)
    assert stored.count() == len(release_measures(release)) == Score.objects.count()


def test_no_run_is_missing_where_scores_are_not_stored(compared: Campaign, carol: Client) -> None:
    release = compared.releases.get()
    score_release(release)
    whole = page(carol, "", URL + "csv/")
    Score.objects.filter(run__tag="sloop").delete()
    assert page(carol, "", URL + "csv/") == whole
    Score.objects.filter(measure="AP").delete()
    assert page(carol, "", URL + "csv/") == whole
    Score.objects.all().delete()
    assert page(carol, "", URL + "csv/") == whole
    assert not Score.objects.exists()


def test_a_measure_that_is_offered_and_shown_is_ticked_once(compared: Campaign, carol: Client) -> None:
    form = carol.get(f"{URL}?measures=RBP(p=0.8)+AP").context["form"]
    assert [pair for pair in form.offered if pair[0].startswith("RBP")] == [("RBP", True)]


def test_the_command_knows_the_size_of_the_collection(compared: Campaign) -> None:
    compared.collection_size = 100
    compared.save()
    answer = StringIO()
    call_command("score", "tiny", "--measures", "Fallout", stdout=answer)
    rows = list(csv.DictReader(answer.getvalue().splitlines()))
    assert set(rows[0]) == {"run", "Fallout(N=100)"}
    values = [float(row["Fallout(N=100)"]) for row in rows]
    assert values == sorted(values)  # the lowest is the best


def test_the_command_refuses_a_name_that_is_too_long_to_store(compared: Campaign) -> None:
    name = "Utility(a=1.000000001, b=-1.000000001, c=-1.000000001, d=0.000000001)"
    with pytest.raises(CommandError, match="expected a name of at most 60 characters"):
        call_command("score", "tiny", "--measures", name)
    assert not Score.objects.exists()


def test_unjudged_is_a_mean_over_answered_topics_on_the_page_in_the_file_and_in_the_api(
    compared: Campaign, make: Factory, carol: Client
) -> None:
    rows = csv.DictReader(StringIO(carol.get(f"{URL}csv/").content.decode()))
    in_file = {row["run"]: (float(row["Unjudged@10"]), int(row["topics"])) for row in rows}
    assert {tag: n for tag, (_, n) in in_file.items()} == {"sloop": 2, "ketch": 2, "wheel": 2, "stone": 1}
    assert in_file["stone"][0] == pytest.approx(0.2)
    token = create_token(make.make_user("carol"), "test", "read")
    api = Client(headers={"Authorization": f"Bearer {token}"})
    answer = api.get("/api/campaigns/tiny/releases/1/scores/").json()["items"]
    in_api = {run["run"]: (run["means"]["Unjudged@10"], run["topics_answered"]) for run in answer}
    assert in_api == {tag: (pytest.approx(share), n) for tag, (share, n) in in_file.items()}


def test_the_leaderboard_can_leave_out_runs_with_unjudged_documents_in_the_top_ten(
    compared: Campaign, carol: Client
) -> None:
    assert set(tags(page(carol))) == {"sloop", "ketch", "wheel", "stone"}
    content = page(carol, "judged=on")
    assert set(tags(content)) == {"sloop", "ketch"}
    assert "2 runs are left out, because not all of the first 10 documents are judged." in content
    assert "judged=on" in content  # links to the files and other pages of this view


def test_the_leaderboard_is_offered_as_latex(compared: Campaign, carol: Client) -> None:
    content = page(carol, "measures=P@5")
    assert "/downloads/1/scores/latex/?measures=P%405&amp;order=P%405" in content


@pytest.mark.parametrize("query", ["order=P@5", "order=P@5&direction=ascending", "order=run&judged=on"])
def test_the_latex_table_has_the_order_of_the_page(compared: Campaign, carol: Client, query: str) -> None:
    shown = tags(page(carol, f"measures=P@5&{query}"))
    response = carol.get(f"/campaigns/tiny/downloads/1/scores/latex/?measures=P@5&{query}")
    text = b"".join(response).decode()
    assert re.findall(r"^(\w+) & [^R].*", text, re.MULTILINE)[-len(shown) :] == shown and len(shown) > 1
