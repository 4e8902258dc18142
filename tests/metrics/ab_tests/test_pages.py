"""Pages of A/B tests: plan, load, read, download and withdraw."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from metrics.ab_tests.queries import CHECKS, ab_test_result
from metrics.ab_tests.result import COLUMNS
from metrics.models import ABTest, ABTestFile
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

LIST = "/campaigns/tiny/ab-tests/"
PAGE = LIST + "1/"
PLAN = {
    "name": "Snippets",
    "note": "B: chosen for the query.",
    "shares": "A: 50\nB: 50",
    "planned_users": "800",
    "outcomes": "clicks: more, sum\nabandoned: fewer, any\nsize",
}


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


@pytest.fixture
def carol(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def users(n: int = 400, more: float = 0.5, seed: int = 4) -> bytes:
    """So many users of each variant; those of B click more often, and no more of them give up."""
    random = np.random.default_rng(seed)
    lines = ["variant,user,time,clicks,abandoned,size"]
    for variant, rate in (("A", 1.0), ("B", 1.0 + more)):
        clicks, gone = random.poisson(rate, n), random.random(n) < 0.3
        lines += [
            f"{variant},{variant}{user},2026-11-{2 + user % 14:02},{clicks[user]},{gone[user]:d},{user % 7}"
            for user in range(n)
        ]
    return "\n".join(lines).encode() + b"\n"


def plan(client: Client, **changed: str) -> Any:
    return client.post(LIST, PLAN | changed, follow=True)


def load(client: Client, content: bytes, name: str = "users.csv", **said: str) -> str:
    file = {"file": SimpleUploadedFile(name, content)}
    return markup(client.post(PAGE, said | file, follow=True))


END = {"is_end": "on"}


def test_a_test_is_planned_and_its_plan_stays(campaign: Campaign, carol: Client) -> None:
    assert "No A/B tests yet" in markup(carol.get(LIST))
    page = markup(plan(carol))
    assert "A/B test 1: Snippets is planned." in page and "No users yet" in page
    test = campaign.ab_tests.get()
    assert (test.parts, test.planned_users) == ({"A": 50.0, "B": 50.0}, 800)
    assert "A/B test 1: Snippets" in markup(carol.get(LIST))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"shares": "A"}, "expected 2 to 10 variants, one a line, found 1"),
        ({"shares": "A: 0\nB: 1"}, "line 1: expected a share above 0"),
        ({"shares": "A: 1\nA: 1"}, "line 2: expected each variant once"),
        ({"outcomes": "clicks: faster"}, "line 1: expected more, fewer, neither"),
        ({"outcomes": " \n"}, "This field is required."),
        ({"planned_users": "1"}, "greater than or equal to 2"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(
    campaign: Campaign, carol: Client, changed: dict[str, str], message: str
) -> None:
    assert message in markup(plan(carol, **changed))
    assert not ABTest.objects.exists()


def test_a_result_is_read_from_its_first_sentence_to_its_table(campaign: Campaign, carol: Client) -> None:
    plan(carol)
    page = load(carol, users(), **END)
    assert "800 users counted. The file is not stored." in page
    assert "<b>B is better in clicks than A.</b>" in page
    assert "A difference in abandoned and size is not shown after correction for 3 comparisons." in page
    assert (
        page.index("Before you trust it")
        < page.index("Difference from A")
        < page.index("Outcomes of the A/B")
    )
    for sentence in (
        "Split as planned.",
        "Not looked at early.",
        "As many users as planned.",
        "Nobody saw two",
    ):
        assert sentence in page
    found = ab_test_result(campaign.ab_tests.get())
    assert found.result and not found.result.sequential
    for line in found.result.lines:
        assert f"{line.corrected:.4f}" in page or "&lt; 0.0001" in page
    assert page.count('class="ci"') == 3 and "not shown" in page and "not significant" not in page


def test_nothing_of_a_user_is_stored(campaign: Campaign, carol: Client) -> None:
    plan(carol)
    load(carol, users(), **END)
    file = ABTestFile.objects.get()
    assert '"A1"' not in json.dumps(file.figures) and "A399" not in json.dumps(file.figures)
    assert file.figures["samples"]["clicks"]["A"][0] == 400


def test_a_look_before_the_end_widens_the_intervals_and_stays_a_look(
    campaign: Campaign, carol: Client
) -> None:
    plan(carol)
    page = load(carol, users(150), "early.csv")
    assert "1 look before the end, this one among them." in page and "The test still runs." in page
    assert "a sequential test" in page
    early = ABTestFile.objects.get()
    asked = markup(carol.post(f"{PAGE}files/{early.pk}/withdraw/"))
    assert "a look before the end is not undone" in asked and "Withdraw 300 users" in asked
    carol.post(f"{PAGE}files/{early.pk}/withdraw/", {"confirmed": "yes"})
    page = load(carol, users(), **END)
    assert "1 look before the end." in page
    found = ab_test_result(campaign.ab_tests.get())
    assert found.result and found.result.sequential and found.file and found.file.is_end


def test_a_split_that_is_not_as_planned_comes_first(campaign: Campaign, carol: Client) -> None:
    plan(carol)
    lines = users().splitlines(keepends=True)
    page = load(carol, b"".join(lines[:-100]), **END)
    assert "<b>The users are not split as planned" in page and "Not split as planned." in page


def test_users_of_both_variants_are_left_out(campaign: Campaign, carol: Client) -> None:
    plan(carol)
    page = load(carol, users() + b"B,A1,,1,0,1\n", **END)
    assert "1 user saw several variants." in page and "799" in page


def test_a_bad_file_is_named_with_its_line_and_nothing_is_stored(campaign: Campaign, carol: Client) -> None:
    plan(carol)
    page = load(carol, users().replace(b"B,B7,", b"C,B7,"), **END)
    assert (
        "users.csv was refused" in page and "expected one of the variants A, B" in page and "Line 409" in page
    )
    assert not ABTestFile.objects.exists()
    page = load(carol, b"cell,user,clicks,abandoned,size\nA,u,1,0,1\nB,v,1,0,1\n", map="cell=variant", **END)
    assert "2 users counted." in page
    page = load(carol, b"cell,user,clicks,abandoned,size\nA,u,1,0,1\nB,v,1,0,1\n", map="cell=variant", **END)
    assert "its users are counted already" in page


def test_the_result_is_downloaded(campaign: Campaign, carol: Client) -> None:
    plan(carol)
    assert carol.get(PAGE + "tsv/").status_code == 404
    load(carol, users(), **END)
    rows = list(csv.DictReader(io.StringIO(carol.get(PAGE + "tsv/").content.decode()), delimiter="\t"))
    assert tuple(rows[0]) == COLUMNS and [row["outcome"] for row in rows] == ["clicks", "abandoned", "size"]
    whole = carol.get(PAGE + "json/").json()
    assert whole["users"] == {"A": 400, "B": 400} and whole["looks_before_the_end"] == 0
    assert str(whole["outcomes"][0]["p_holm"]) == rows[0]["p_holm"]


def test_a_withdrawn_file_counts_nowhere_and_an_older_one_does_again(
    campaign: Campaign, carol: Client
) -> None:
    plan(carol)
    load(carol, users(seed=1), "first.csv", **END)
    load(carol, users(seed=2, more=0), "second.csv", **END)
    first, second = ABTestFile.objects.all()
    test = campaign.ab_tests.get()
    assert ab_test_result(test).file == second
    carol.post(f"{PAGE}files/{second.pk}/withdraw/", {"confirmed": "yes"})
    assert ab_test_result(test).file == first
    again = markup(carol.post(f"{PAGE}files/{second.pk}/withdraw/", {"confirmed": "yes"}, follow=True))
    assert "is withdrawn already" in again
    assert "users counted" in load(carol, users(seed=2, more=0), "second.csv", **END)


def test_other_evidence_stands_beside_it(campaign: Campaign, carol: Client, make: Factory) -> None:
    plan(carol)
    assert "Beside the other evidence" not in markup(carol.get(PAGE))
    make.make_run(campaign, "1 D3 2", tag="other")
    make.make_interleaving(campaign, "run", "other")
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_release(campaign)
    page = markup(carol.get(PAGE))
    assert "no clicks yet" in page and "Order by the qrels" in page
    make.make_clicks(campaign)
    assert "1 session" in markup(carol.get(PAGE))


def test_the_size_of_a_test_is_answered_before_it(carol: Client) -> None:
    assert "detectable" not in markup(carol.get(LIST + "size/"))
    query = {"users": "10000", "deviation": "2", "share": "0.5", "alpha": "0.05", "power": "0.8"}
    assert "A difference of 0.1121 or more is detectable." in markup(carol.get(LIST + "size/", query))
    assert "Expected at least one user" in markup(
        carol.get(LIST + "size/", query | {"users": "2", "share": "0.1"})
    )


def test_experiments_are_one_group_of_results(carol: Client) -> None:
    page = markup(carol.get(LIST))
    assert '<summary aria-current="true">Experiments</summary>' in page
    for address in ("interleaving/", "ab-tests/", "judging/clicks/"):
        assert f'href="/campaigns/tiny/{address}"' in page


def test_the_integrity_check_finds_figures_that_are_not_of_the_plan(
    campaign: Campaign, make: Factory
) -> None:
    test = make.make_ab_test(campaign)
    (check,) = CHECKS
    assert [*check.look(campaign)] == [[]]
    ABTest.objects.filter(pk=test.pk).update(outcomes="seconds")
    (found,) = check.look(campaign)
    assert [str(fault) for fault in found] == [
        "A/B test outcomes, users.csv of A/B test 1: expected ['seconds'], found ['clicks']"
    ]
