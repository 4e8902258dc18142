"""Measures of which lower values are better, or neither, on every page of scores."""

from __future__ import annotations

import csv
import re
from html import unescape

import pytest
from django.test import Client

from metrics.measures.names import parse_measures
from metrics.models import Score
from metrics.services import score_release
from pooling.models import Campaign
from tests.metrics.conftest import GRADES_OF_ABC, judged_campaign
from tests.metrics.test_run_page import plot
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/scores/1/"
SET_ERROR = "measures=SetError&order=SetError(N=20)"


def build_campaign(make: Factory) -> Campaign:
    """Of the four runs over eight topics, `stone` retrieves nothing relevant: its SetError is the highest."""
    campaign = judged_campaign(make, GRADES_OF_ABC)
    campaign.collection_size = 20
    campaign.save()
    return campaign


def page(client: Client, place: str, query: str) -> str:
    response = client.get(f"{URL}{place}?{query}")
    assert response.status_code == 200
    return b"".join(response).decode() if response.streaming else markup(response)


def text(content: str) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", content).split()))


def board(content: str) -> list[tuple[str, str, bool]]:
    """Return rank, tag, and whether the leading value is bold, of every line."""
    rows = content.split("<tr>")
    found = []
    for row in rows:
        rank = re.search(
            r'<td class="number muted">([^<]+)</td><th scope="row" class="tag" title="(\w+)"', row
        )
        if rank:
            found.append((rank[1], rank[2], 'class="number rule best"' in row))
    return found


def errors(client: Client) -> dict[str, float]:
    rows = csv.DictReader(page(client, "csv/", SET_ERROR).splitlines())
    return {row["run"]: float(row["SetError(N=20)"]) for row in rows}


def test_the_leaderboard_begins_with_the_smallest_error(campaign: Campaign, carol: Client) -> None:
    found = errors(carol)
    assert list(found) == sorted(found, key=lambda tag: (found[tag], tag))  # the CSV, in the same order
    lines = board(page(carol, "", SET_ERROR))
    assert [tag for _, tag, _ in lines] == list(found)
    assert [int(rank) for rank, _, _ in lines] == [
        1 + sum(other < found[tag] for other in found.values()) for tag in found
    ]
    assert {tag for _, tag, bold in lines if bold} == {
        tag for tag in found if found[tag] == min(found.values())
    }
    assert max(found, key=lambda tag: found[tag]) == lines[-1][1] == "stone"
    assert "Lower is better: SetError(N=20)." in text(page(carol, "", SET_ERROR))


def test_the_best_run_of_a_group_has_the_smallest_error(campaign: Campaign, carol: Client) -> None:
    lines = board(page(carol, "", f"{SET_ERROR}&groups=best"))
    assert {tag for _, tag, _ in lines} == {"sloop", "wheel", "ketch"}  # stone is of the same mill as ketch


def test_a_larger_error_is_worse_than_the_baseline(campaign: Campaign, carol: Client) -> None:
    query = "runs=stone&runs=sloop&baseline=sloop&measure=SetError&alpha=0.5"
    shown = text(page(carol, "compare/", query))
    row = shown.partition("Wins Ties Losses Cohen's d z")[2].partition("Lower SetError")[0]
    assert re.search(r"stone 0\.\d+ \+0\.\d+ .* worse ", row) and " better " not in row
    assert "Lower SetError(N=20) is better" in shown
    turned = text(page(carol, "compare/", query.replace("baseline=sloop", "baseline=stone")))
    assert " better " in turned.partition("Wins Ties Losses Cohen's d z")[2].partition("Lower SetError")[0]
    words = plot(page(carol, "compare/", query), "differences")
    assert words["positive"] == "sloop is better" and words["negative"] == "stone is better"


def test_wins_are_topics_of_a_smaller_error(campaign: Campaign, carol: Client) -> None:
    page(carol, "", "")
    score_release(campaign.releases.get(), parse_measures("FN"))
    own, base = (Score.objects.get(run__tag=tag, measure="FN").by_topic for tag in ("ketch", "stone"))
    wins, losses = (sum(sign * (own[t] - base[t]) < 0 for t in own) for sign in (1, -1))
    shown = text(page(carol, "compare/", "runs=ketch&runs=stone&baseline=stone&measure=FN"))
    assert f" {wins} {len(own) - wins - losses} {losses} " in shown
    assert wins > losses


def test_the_latex_table_marks_the_largest_error_as_worse(campaign: Campaign, carol: Client) -> None:
    response = carol.get("/campaigns/tiny/downloads/1/scores/latex/?measures=SetError+Fallout+NumRet")
    table = b"".join(response).decode()
    lines = {line.split(" & ")[0]: line for line in table.splitlines() if " & " in line}
    found = errors(carol)
    best = [tag for tag in found if found[tag] == min(found.values())]
    for tag in found:
        error = lines[tag].split(" & ")[1]
        assert ("textbf" in error) == (tag in best)
        assert "textbf" not in lines[tag].split(" & ")[3]  # NumRet has no best
        if tag in best:
            assert "dagger" not in error
    assert "dagger" in lines["stone"].split(" & ")[1]
    assert "worse than the best" in table


def test_groups_begin_with_the_smallest_error_and_it_beats_the_others(
    campaign: Campaign, carol: Client
) -> None:
    rows = list(csv.DictReader(page(carol, "significance/csv/", f"{SET_ERROR}&alpha=0.5").splitlines()))
    values = [float(row["SetError(N=20)"]) for row in rows]
    assert values == sorted(values)
    assert rows[0]["letters"].startswith("a")
    assert int(rows[0]["beats"]) > 0 and int(rows[0]["beaten_by"]) == 0
    assert int(rows[-1]["beats"]) == 0 and int(rows[-1]["beaten_by"]) > 0


def test_the_run_page_ranks_the_smallest_error_first(campaign: Campaign, carol: Client) -> None:
    found = errors(carol)
    content = text(page(carol, "runs/stone/", SET_ERROR))
    assert f"SetError(N=20) {found['stone']:.4f} 4th of 4" in content
    content = page(carol, "runs/stone/", SET_ERROR)
    weakest = content[content.index("Weakest topics") : content.index("by-topic")]
    differences = re.findall(
        r'<td class="number">([+−]?)0?\.?\d+\.?\d*</td><td class="number">\d+</td></tr>', weakest
    )
    assert differences and "−" not in differences  # where its error is above the median
    topic = text(page(carol, "runs/stone/topics/1/", SET_ERROR))
    assert re.search(r"SetError\(N=20\) [\d.]+ [\d.]+ [\d.]+ [\d.]+ [2-4]", topic)


def test_the_best_run_of_a_topic_has_the_smallest_error(campaign: Campaign, carol: Client) -> None:
    content = page(carol, "topics/", f"{SET_ERROR}&by=mean")
    table = content[content.index('aria-label="Scores of all topics" tabindex') :]
    assert "stone" not in re.findall(r'class="tag"><a href="[^"]+" title="(\w+)"', table)
    means = [
        float(value) for value in re.findall(r'<td class="number">(0\.\d{4})</td><td class="number">', table)
    ]
    assert "a high value means a difficult topic" in text(content) and 'aria-sort="descending"' in content
    assert means[0] == max(means)


def test_errors_and_precisions_agree_when_both_rank_runs_alike(campaign: Campaign, carol: Client) -> None:
    rows = csv.DictReader(page(carol, "measures/csv/", "measures=FN+TP+NumRet").splitlines())
    taus = {(row["measure"], row["other"]): row["Kendall's tau-b"] for row in rows}
    assert float(taus["FN", "TP"]) == pytest.approx(1)  # every relevant document is found or missed
    assert taus["FN", "NumRet"] == taus["NumRet", "TP"] == ""


def test_what_says_nothing_of_quality_ranks_nobody(campaign: Campaign, carol: Client) -> None:
    content = page(carol, "", "measures=NumRet&groups=best")
    lines = board(content)
    assert len(lines) == 4 and {rank for rank, _, _ in lines} == {"–"}
    assert not any(bold for _, _, bold in lines)
    assert "Not ranked, because they do not measure quality: NumRet." in text(content)
    assert "NumRet 2nd" not in text(page(carol, "runs/sloop/", "measures=NumRet"))
    compared = text(page(carol, "compare/", "runs=stone&runs=sloop&measure=NumRet&alpha=0.5"))
    assert "neither a higher nor a lower value is better" in compared
    assert " better " not in compared.partition("Verdict Higher Equal Lower")[2].partition("two-sided")[0]
    rows = csv.DictReader(page(carol, "significance/csv/", "measures=NumRet").splitlines())
    assert {row["beats"] for row in rows} == {""}


def test_the_page_of_a_measure_says_which_values_are_better(campaign: Campaign, carol: Client) -> None:
    assert "Lower values are better." in markup(carol.get("/measures/SetError/"))
    assert "does not measure the quality of a run" in markup(carol.get("/measures/NumRet/"))
    assert "better" not in text(markup(carol.get("/measures/AP/"))).partition("Formula")[0]
