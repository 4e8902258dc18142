"""ARGUE scores from labels: the example of Auto-ARGUE, what is undefined, the page and its file."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from django.test import Client

import jurypool as jp
from assess.models import Matching, SupportSet
from assess.nuggets.assignments import Assignment
from assess.nuggets.banks import Nugget, NuggetBank
from assess.support.labels import SupportWord
from metrics.argue.queries import found_argue
from metrics.argue.result import ArgueResult, LabelledReport, argue_result, scored_report
from metrics.matchings.rubric import BankedNugget
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.metrics.nuggets.test_worked_numbers import TOPICS
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/scores/matchings/1/argue/"


def nuggets(count: int, importance: str | None = "vital") -> list[BankedNugget]:
    return [BankedNugget(key, f"nugget {key}", importance) for key in range(count)]


def report(correct: int, sentences: int, credited: int, count: int) -> LabelledReport:
    """A report of sentences with one citation each; nuggets are in the first ones, which are correct."""
    attested = [[place < correct] for place in range(sentences)]
    held = {key: key % correct + 1 for key in range(credited)}
    return LabelledReport(attested, frozenset(range(count)), held)


def means(result: ArgueResult, run: str = "a") -> Mapping[str, float | None]:
    (own,) = (own for name, own, _ in result.ordered.rows if name == run)
    return {column.name: mean and mean.mean for column, mean in zip(result.ordered.columns, own, strict=True)}


def test_the_example_of_auto_argue_has_its_published_averages() -> None:
    """hltcoe/argue-viz, example-report.scores.tsv: macro F1 is the mean of the topics' F1."""
    reports, bank = {}, {}
    for topic, counts in TOPICS.items():
        reports[topic, "a"] = report(counts.correct, counts.sentences, counts.credited, counts.nuggets)
        bank[topic] = nuggets(counts.nuggets)
    result = argue_result(reports, bank, ["a"])
    macro, (together,) = means(result), result.together
    rounded = {name: round(value, 5) for name, value in macro.items() if value is not None}
    assert (rounded["sentence_support"], rounded["nugget_coverage"], rounded["f1"]) == (
        0.95491, 0.71599, 0.81087,
    )  # fmt: skip
    micro = {name: round(score.value or 0, 5) for name, score in together.scores.items()}
    assert (micro["sentence_support"], micro["nugget_coverage"], micro["f1"]) == (0.95437, 0.72556, 0.82439)
    assert (together.counts.correct, together.counts.sentences) == (251, 263)
    assert result.ordered.columns[0].name == "f1" and result.ordered.columns[0].means[0].low is not None


def test_a_nugget_in_a_sentence_without_full_support_is_not_credited() -> None:
    labelled = LabelledReport([[True, False], [True], []], frozenset(range(3)), {0: 1, 1: 2, 2: 3})
    scores = scored_report(labelled, nuggets(3)).scores
    assert scores["sentence_support"].value == 0.5  # the sentence without a citation does not count
    assert scores["nugget_coverage"].value == pytest.approx(1 / 3)
    assert scores["citation_support"].value == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("labelled", "importance", "support", "coverage", "weighted"),
    [
        (
            LabelledReport([[None]], frozenset(range(2)), {}),
            "vital", "1 of 1 citations are not judged", None, None,
        ),
        (LabelledReport([[True]], frozenset([0]), {}), "vital", "1 of 2 nuggets have no label", None, None),
        (
            LabelledReport([[True]], frozenset(range(2)), {0: None}),
            "vital", "", "1 of 1 nuggets in the answer have no sentence", None,
        ),
        (
            LabelledReport([[True]], frozenset(range(2)), {0: 1}),
            "must", "", "", "the nuggets are not graded as vital or okay, or by numbers",
        ),
        (
            LabelledReport([[True]], frozenset(range(2)), {0: 1}),
            "avoid", "", "some nuggets are to be avoided", None,
        ),
        (
            LabelledReport([[]], frozenset(range(2)), {}),
            "vital", "no sentence has or needs a citation", "", None,
        ),
    ],
)  # fmt: skip
def test_what_is_undefined_says_why(
    labelled: LabelledReport, importance: str, support: str, coverage: str | None, weighted: str | None
) -> None:
    scores = scored_report(labelled, nuggets(2, importance)).scores
    assert scores["sentence_support"].reason == support
    expected = support if coverage is None else coverage
    assert scores["nugget_coverage"].reason == expected
    assert scores["nugget_coverage_weighted"].reason == (expected if weighted is None else weighted)


def test_a_topic_without_an_answer_counts_0_and_one_with_labels_to_come_is_left_out() -> None:
    bank = {"1": nuggets(2), "2": nuggets(2), "3": nuggets(2)}
    full = LabelledReport([[True]], frozenset(range(2)), {0: 1, 1: 1})
    reports = {("1", "a"): full, ("2", "a"): full, ("2", "b"): full, ("3", "a"): full}
    reports["3", "b"] = full._replace(labelled=frozenset())
    result = argue_result(reports, bank, ["a", "b"])
    assert means(result, "a")["f1"] == 1 and means(result, "b")["f1"] == 0.5
    assert result.ordered.columns[0].undefined == {"3": "2 of 2 nuggets have no label"}
    assert (result.complete, result.answers) == (4, 5)
    rows = [row for row in result.rows() if (row["run_id"], row["metric"]) == ("b", "f1")]
    assert {row["request_id"]: row["value"] for row in rows} == {"1": "0.0", "2": "1.0"}


@pytest.fixture
def sets(make: Factory) -> tuple[Matching, SupportSet]:
    """Topic 300 of the example: 14 of 15 sentences are correct, which hold 9 of 15 nuggets."""
    campaign: Campaign = make.make_campaign()
    make.make_topic(campaign, "300", "boats")
    add_member(campaign, make.make_user("alice"), Role.JUDGE)
    sentences = [(f"Sentence {place}.", ["D1"]) for place in range(1, 16)]
    make.make_answer_run(campaign, {"300": sentences}, "zebra")
    make.make_bank(campaign, {"300": [(f"nugget {place}", "vital") for place in range(15)]})
    matching = make.make_matching(campaign, ("alice",), double=0)
    about = make.make_support(campaign, ("alice",), double=0)
    for cited in about.tasks.select_related("judge", "support_set__campaign"):
        make.make_support_label(cited, SupportWord.PARTIAL if cited.sentence == 15 else SupportWord.FULL)
    (task,) = matching.tasks.select_related("judge", "answer", "matching__campaign")
    for place in range(1, 16):
        is_held = place <= 10  # the last one in the sentence without full support
        label = Assignment.SUPPORT if is_held else Assignment.NONE
        make.make_nugget_label(task, place, label, (15 if place == 10 else place) if is_held else None)
    return matching, about


def test_the_page_and_the_file_have_the_numbers_of_the_library(
    sets: tuple[Matching, SupportSet], make: Factory
) -> None:
    carol = Client()
    carol.force_login(make.make_user("carol"))
    page = " ".join(markup(carol.get(PAGE)).split())
    assert "zebra has the highest mean F1, 0.730 over 1 topic." in page
    assert "0.933" in page and "0.600" in page and "2509.26184" in page
    assert "14 <small>of 15" in page and "9 <small>of 15" in page
    cited = [(jp.JudgedCitation("D1", place < 15),) for place in range(1, 16)]
    answers = [(f"nugget {min(place, 10) - 1}", "") for place in range(1, 16)]
    holds = {*range(1, 10), 15}
    judged = [
        jp.JudgedSentence(own, (answers[place - 1],) if place in holds else ())
        for place, own in enumerate(cited, start=1)
    ]
    bank = NuggetBank("300", tuple(Nugget(f"nugget {place}", "vital") for place in range(15)))
    of_library = jp.argue_scores({"300": judged}, {"300": bank}).to_tsv("zebra")
    written = carol.get(PAGE + "file/").content.decode()
    assert sorted(written.splitlines()) == sorted(
        line for line in of_library.splitlines() if "citation_relevance" not in line
    )
    for place in ("/campaigns/tiny/scores/matchings/1/", "/campaigns/tiny/scores/support/1/"):
        assert PAGE in markup(carol.get(place))


def test_only_a_set_with_all_citations_will_do(make: Factory) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "boats")
    make.make_matching(campaign)
    make.make_support(campaign, every=False)
    carol = Client()
    carol.force_login(make.make_user("carol"))
    assert "No set with all citations yet" in markup(carol.get(PAGE))
    assert carol.get(PAGE + "file/").status_code == 404
    assert carol.get(PAGE + "?support=1").status_code == 404
    assert carol.get(PAGE + "?support=x").status_code == 404


def test_a_decision_counts_with_the_sentence_of_a_judge(make: Factory) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "boats")
    matching, about = make.make_matching(campaign), make.make_support(campaign)
    for cited in about.tasks.select_related("judge", "support_set__campaign"):
        make.make_support_label(cited, SupportWord.FULL)
    labels = {"alice": (Assignment.NONE, None), "bob": (Assignment.SUPPORT, 2)}
    for task in matching.tasks.select_related("judge", "answer", "matching__campaign"):
        for place in (1, 2, 3):
            make.make_nugget_label(task, place, *labels[task.judge.username])
    assert found_argue(matching, about).together[0].counts.credited == 0  # alice, who was the first
    answer = matching.tasks.all()[0].answer
    matching.decisions.create(
        answer=answer,
        nugget=matching.bank.nuggets.get(place=1),
        assignment=Assignment.SUPPORT,
        decided_by=make.make_user("carol"),
    )
    assert found_argue(matching, about).together[0].counts.credited == 1
