"""Runs compared: a few with a baseline, all at once, and which measures agree."""

from __future__ import annotations

import csv
import re
from html import unescape

import numpy as np
import pytest
from django.test import Client
from scipy import stats

from metrics.measures.names import parse_measures
from metrics.models import Score
from metrics.queries import significance
from metrics.services import score_release
from pooling.models import Campaign
from tests.metrics.conftest import make_compared, signed_in
from tests.metrics.test_run_page import plot
from tests.support.factory import Factory
from tests.support.markup import markup

build_campaign = make_compared

URL = "/campaigns/tiny/scores/1/"
PAGES = ["compare/", "compare/tests/", "significance/", "significance/randomised/", "measures/"]


def page(client: Client, place: str, query: str = "") -> str:
    response = client.get(f"{URL}{place}?{query}")
    assert response.status_code == 200
    return markup(response)


def text(content: str) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", content).split()))


def by_topic(campaign: Campaign, tag: str, measure: str) -> list[float]:
    score_release(campaign.releases.get(), parse_measures(measure))
    found = Score.objects.get(run__tag=tag, run__campaign=campaign, measure=measure).by_topic
    return [found[topic] for topic in sorted(found)]


def test_two_runs_are_compared_as_scipy_compares_them(many_topics: Campaign, carol: Client) -> None:
    content = page(carol, "compare/", "runs=sloop&runs=ketch&measure=AP&baseline=sloop")
    ketch, sloop = (np.array(by_topic(many_topics, tag, "AP")) for tag in ("ketch", "sloop"))
    expected = stats.ttest_rel(ketch, sloop)
    low, high = expected.confidence_interval(0.95)
    shown = text(content)
    assert f"{np.mean(ketch - sloop):+.4f}".replace("-", "−") in shown
    assert f"{low:+.4f} to {high:+.4f}".replace("-", "−") in shown
    assert shown.count(f"{expected.pvalue:.4f}") == 2  # one comparison: corrected is the same
    wins = sum(ketch > sloop)
    ties, losses = sum(ketch == sloop), sum(ketch < sloop)
    d_z = np.mean(ketch - sloop) / np.std(ketch - sloop, ddof=1)
    assert f"{wins} {ties} {losses} {d_z:.3f}".replace("-", "−") in shown
    assert "Correction: Holm, for 1 comparison with the baseline; alpha 0.05 limits the" in shown


def test_differences_are_sorted_and_drawn_with_both_values(many_topics: Campaign, carol: Client) -> None:
    content = page(carol, "compare/", "runs=sloop&runs=ketch&measure=AP")
    drawn = plot(content, "differences")
    differences = [row[1] for row in drawn["rows"]]
    assert differences == sorted(differences, reverse=True)
    assert all(row[1] == pytest.approx(row[2] - row[3]) for row in drawn["rows"])
    assert drawn["columns"] == ["topic", "difference", "ketch", "sloop"]
    assert len(plot(content, "scatter")["rows"]) == 8


def test_every_test_is_shown_with_its_correction_for_three_runs(many_topics: Campaign, carol: Client) -> None:
    query = "runs=sloop&runs=ketch&runs=wheel&measure=AP&correction=bonferroni"
    shown = text(page(carol, "compare/tests/", query))
    ketch, sloop = (np.array(by_topic(many_topics, tag, "AP")) for tag in ("ketch", "sloop"))
    p = stats.ttest_rel(ketch, sloop).pvalue
    assert f"Paired t-test {p:.4f} {min(1, 2 * p):.4f}" in shown
    exact = stats.permutation_test(
        (ketch - sloop,), np.mean, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert f"Randomisation test, exact {exact:.4f} {min(1, 2 * exact):.4f}" in shown
    assert "Paired bootstrap test, studentised 10,000 draws, seed 0" in shown
    assert shown.count("(legacy)") == 2


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "select two or more"),
        ("runs=sloop", "Runs: sloop"),
        ("runs=sloop&runs=nobody&runs=ketch", "There is no run nobody."),
        ("runs=sloop&runs=ketch&measure=nDGC", "did you mean nDCG?"),
        ("runs=sloop&runs=ketch&test=magic", "Test: Select a valid choice."),
        ("runs=sloop&runs=ketch&alpha=2", "Alpha: Ensure this value is less than or equal to 0.5."),
        ("runs=sloop&runs=ketch&alpha=nan", "Alpha: Enter a number."),
        ("runs=sloop&runs=ketch&measure=GMAP", "not the mean of its topics' values"),
        ("runs=sloop&runs=sloop&measure=AP", "Runs: sloop"),
        ("runs=sloop&runs=ketch&measure=NumQ", "every difference is zero"),
        ("runs=sloop&runs=ketch&baseline=nobody", "Comparison with the baseline sloop"),
    ],
)
def test_what_cannot_be_compared_is_said_and_the_page_still_stands(
    compared: Campaign, carol: Client, query: str, said: str
) -> None:
    assert said in text(page(carol, "compare/", query))
    page(carol, "compare/tests/", query)


def test_more_than_ten_runs_are_too_many_for_one_page(
    compared: Campaign, carol: Client, make: Factory
) -> None:
    for number in range(8):
        make.make_run(compared, "1 A 1", tag=f"more{number}")
    tags = "&".join(f"runs={run.tag}" for run in compared.runs.all())
    assert "Expected at most 10 runs, found 12." in page(carol, "compare/", tags)


def test_the_leaderboard_leads_there_by_checkboxes(compared: Campaign, carol: Client) -> None:
    content = page(carol, "", "measures=AP")
    assert content.count('form="compare" name="runs"') == 4
    assert '<input type="hidden" name="measure" value="AP">' in content


def test_all_runs_at_once_have_letters(many_topics: Campaign, carol: Client) -> None:
    content = page(carol, "significance/", "measures=AP+P@5")
    shown = text(content)
    assert "6 comparisons, alpha 0.05" in shown
    assert "Significant pairs" in shown and "of 6" in shown
    order = re.findall(r'class="tag" title="(\w+)"', content)
    means = {tag: np.mean(by_topic(many_topics, tag, "AP")) for tag in order}
    assert order == sorted(order, key=lambda tag: -means[tag])
    curve = plot(content, "power")
    assert curve["columns"][0] == "pairs of runs" and {*curve["columns"][1:]} <= {"AP", "P@5"}
    rows = list(csv.reader(page(carol, "significance/csv/", "measures=AP").splitlines()))
    assert rows[0] == ["run", "AP", "letters", "beats", "beaten_by"]
    assert [row[0] for row in rows[1:]] == order


def test_two_way_anova_is_that_of_statsmodels(many_topics: Campaign, carol: Client) -> None:
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    shown = text(page(carol, "significance/", "measures=AP"))
    rows = [
        {"run": tag, "topic": str(place), "score": value}
        for tag in ("sloop", "ketch", "wheel", "stone")
        for place, value in enumerate(by_topic(many_topics, tag, "AP"))
    ]
    table = anova_lm(ols("score ~ C(run) + C(topic)", pd.DataFrame(rows)).fit())
    assert f"F {table['F']['C(run)']:.2f}" in shown
    assert f"F {table['F']['C(topic)']:.2f}" in shown


def test_the_random_draws_come_after_the_page(many_topics: Campaign, carol: Client) -> None:
    assert "Computing 10,000 permutations" in page(carol, "significance/", "measures=AP")
    shown = text(page(carol, "significance/randomised/", "measures=AP"))
    assert "10,000 seed 0" in shown


def test_measures_that_rank_alike_correlate(many_topics: Campaign, carol: Client) -> None:
    content = page(carol, "measures/", "measures=AP+P@5+RR+NumQ")
    rows = list(csv.DictReader(page(carol, "measures/csv/", "measures=AP+P@5+RR+NumQ").splitlines()))
    assert len(rows) == 4 * 3
    means = {
        name: [np.mean(by_topic(many_topics, tag, name)) for tag in ("ketch", "sloop", "stone", "wheel")]
        for name in ("AP", "RR")
    }
    tau = stats.kendalltau(means["AP"], means["RR"]).statistic
    found = next(row for row in rows if (row["measure"], row["other"]) == ("AP", "RR"))
    assert float(found["Kendall's tau-b"]) == pytest.approx(tau)
    assert f"{tau:.3f}".replace("-", "−") in text(content)
    assert "a ranking has all systems tied" in text(content)
    chosen = plot(page(carol, "measures/", "measures=AP+RR&across=RR&up=AP"), "two-measures")
    assert chosen["columns"] == ["mean RR", "mean AP", "run"]


@pytest.mark.parametrize("place", PAGES)
def test_a_participant_compares_own_runs_alone_before_publication(
    compared: Campaign, dave: Client, make: Factory, place: str
) -> None:
    make.make_run(compared, "1 A 2\n1 C 1\n2 A 1", tag="second", group="davelab")
    query = "runs=wheel&runs=second&runs=sloop&measure=AP"
    own = page(dave, place, query)
    assert "ketch" not in own and "stone" not in own
    assert "There is no run sloop." in own or "sloop" not in own
    make.publish(compared)
    assert "There is no run" not in page(dave, place, query)


@pytest.mark.parametrize("place", PAGES)
def test_outsiders_and_strangers_find_no_comparison(
    compared: Campaign, client: Client, make: Factory, place: str
) -> None:
    assert signed_in(make, "mallory").get(URL + place).status_code == 404
    assert signed_in(make, "alice").get(URL + place).status_code == 403
    assert client.get(URL + place).status_code == 302


@pytest.mark.parametrize("place", PAGES)
def test_one_run_or_none_leaves_the_page_standing(compared: Campaign, carol: Client, place: str) -> None:
    compared.runs.exclude(tag="stone").delete()
    page(carol, place, "runs=stone&measure=AP")
    compared.runs.all().delete()
    page(carol, place)


def test_draws_are_cached_until_another_run_comes_in(
    many_topics: Campaign, carol: Client, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    many_topics.releases.update(state="internal", shared_at=None)  # so that the later run is ranked
    drawn = page(carol, "significance/randomised/")
    with monkeypatch.context() as patched:
        patched.delattr(significance, "randomised_tukey_hsd")
        assert page(carol, "significance/randomised/") == drawn
        make.make_run(many_topics, "1 D1 1", tag="late")
        with pytest.raises(NameError):
            page(carol, "significance/randomised/")
    assert "late" in page(carol, "significance/randomised/")
