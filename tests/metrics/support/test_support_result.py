"""The result of citation support: the worked numbers of TREC RAG 2024, two judges, what is undefined."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from django.test import Client

from assess.models import SupportSet
from metrics.nuggets.support import Support
from metrics.support.queries import found_result, label_rows, score_rows
from metrics.support.result import CheckedCitation, Citations, SupportResult, support_result
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

FULL, PARTIAL, NONE = Support
# full, partial, none, no citation, full: precision 2.5 / 4, recall 2.5 / 5; hard 0.5 and 0.4
WORKED = {(1, 1): FULL, (2, 1): PARTIAL, (3, 1): NONE, (5, 1): FULL}
COUNTS = [1, 1, 1, 0, 1]
Places = Mapping[tuple[int, int], Support | None]


def said(topic: str, run: str, judge: str, labels: Places) -> list[CheckedCitation]:
    return [CheckedCitation(topic, run, judge, *place, support) for place, support in labels.items()]


def means(result: SupportResult, run: str = "a") -> dict[str, float | None]:
    (own,) = (own for name, own, _ in result.ordered.rows if name == run)
    return {
        column.name: mean.mean if mean else None
        for column, mean in zip(result.ordered.columns, own, strict=True)
    }


def result_of(checked: list[CheckedCitation], citations: Citations, every: bool = False) -> SupportResult:
    runs = sorted({run for _, run in citations})
    topics = list(dict.fromkeys(topic for topic, _ in citations))
    return support_result(checked, citations, topics, runs, every)


def test_the_worked_numbers() -> None:
    found = means(result_of(said("1", "a", "ada", WORKED), {("1", "a"): COUNTS}))
    assert found == {
        "precision": 0.625,
        "precision_hard": 0.5,
        "recall": 0.5,
        "recall_hard": 0.4,
    }


def test_all_citations_give_the_best_and_the_mean_too() -> None:
    labels = {(1, 1): NONE, (1, 2): FULL, (2, 1): PARTIAL}
    found = means(result_of(said("1", "a", "ada", labels), {("1", "a"): [2, 1]}, every=True))
    assert (found["precision"], found["precision_any"]) == (0.25, 0.75)
    assert found["precision_all"] == 0.5


def test_two_judges_count_by_their_mean_and_agree_as_cohen_says() -> None:
    other = WORKED | {(2, 1): FULL}
    checked = said("1", "a", "ada", WORKED) + said("1", "a", "ben", other)
    result = result_of(checked, {("1", "a"): COUNTS})
    assert means(result)["precision"] == pytest.approx((2.5 / 4 + 3 / 4) / 2, abs=1e-15)
    assert result.agreement.table == [[2, 0, 0], [1, 0, 0], [0, 0, 1]]
    # observed 3/4; expected (2*3 + 1*0 + 1*1) / 16
    assert result.agreement.kappa.value == pytest.approx((3 / 4 - 7 / 16) / (1 - 7 / 16), abs=1e-15)


def test_an_answer_of_which_something_is_not_judged_leaves_its_topic_out() -> None:
    unknown = {**WORKED, (3, 1): None}
    some = {place: support for place, support in WORKED.items() if place != (5, 1)}
    citations = {("1", "a"): COUNTS, ("2", "a"): COUNTS, ("3", "a"): COUNTS}
    checked = [
        *said("1", "a", "ada", WORKED),
        *said("2", "a", "ada", unknown),
        *said("3", "a", "ada", some),
    ]
    result = result_of(checked, citations)
    precision = result.ordered.columns[0]
    assert precision.topics == 1 and precision.undefined == {
        "2": "1 of 4 citations are not judged",
        "3": "1 of 4 citations are not judged",
    }
    assert (result.complete, result.answers, result.cannot) == (2, 3, 1)


def test_a_topic_without_an_answer_counts_0_and_an_answer_without_citations_has_no_precision() -> None:
    citations = {("1", "a"): COUNTS, ("2", "b"): [0, 0]}
    result = result_of(said("1", "a", "ada", WORKED), citations)
    assert means(result, "a")["recall"] == 0.25 and means(result, "b")["recall"] == 0
    assert result.ordered.columns[0].undefined == {"2": "no sentence has a citation"}
    assert result.complete == 2


@pytest.mark.parametrize("better", [FULL, PARTIAL])
def test_a_better_label_never_lowers_a_score(better: Support) -> None:
    before = means(result_of(said("1", "a", "ada", WORKED), {("1", "a"): COUNTS}))
    raised = WORKED | {(3, 1): better}
    after = means(result_of(said("1", "a", "ada", raised), {("1", "a"): COUNTS}))
    assert all((after[name] or 0) >= (value or 0) for name, value in before.items())


@pytest.fixture
def about(make: Factory) -> SupportSet:
    """The worked example as an answer run, labelled by alice."""
    campaign: Campaign = make.make_campaign()
    make.make_topic(campaign, "1", "boats")
    add_member(campaign, make.make_user("alice"), Role.JUDGE)
    sentences = [(f"Sentence {place}.", ["D1"] * count) for place, count in enumerate(COUNTS, start=1)]
    make.make_answer_run(campaign, {"1": sentences}, "zebra")
    made = make.make_support(campaign, ("alice",), every=False, double=0)
    for task in made.tasks.select_related("judge", "support_set__campaign"):
        make.make_support_label(task, WORKED[task.sentence, task.citation])
    return made


def test_the_page_and_the_files_have_the_worked_numbers(about: SupportSet, make: Factory) -> None:
    carol = Client()
    carol.force_login(make.make_user("carol"))
    page = markup(carol.get("/campaigns/tiny/scores/support/1/"))
    assert "zebra has the highest mean precision, 0.625 over 1 topic." in " ".join(page.split())
    (row,) = score_rows(about)
    assert row == {
        "topic": "1", "run": "zebra", "judges": 1, "support_precision": "0.625000",
        "support_precision_hard": "0.500000", "support_recall": "0.500000", "support_recall_hard": "0.400000",
    }  # fmt: skip
    assert [each["support"] for each in label_rows(about)] == ["full", "partial", "none", "full"]
    for kind in ("scores", "labels"):
        assert carol.get(f"/campaigns/tiny/scores/support/1/{kind}/").status_code == 200
    assert "Citation support 1" in markup(carol.get("/campaigns/tiny/scores/support/"))


def test_labels_of_a_withdrawn_run_count_no_more(about: SupportSet, make: Factory) -> None:
    assert found_result(about).labels == 4
    run = about.runs.get()
    run.withdrawn_at, run.withdrawn_by = about.made_at, make.make_user("carol")
    run.save()
    assert found_result(about).labels == 0
