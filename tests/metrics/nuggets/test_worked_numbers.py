"""Worked numbers of nugget scores and of support, and real scores of Auto-ARGUE, to the printed digit."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from assess.nuggets.assignments import AssignedNugget, Assignment
from assess.nuggets.banks import AND, OR, Nugget, NuggetAnswer, NuggetBank
from metrics.nuggets import argue, older_scores, rubric, scores, support
from metrics.nuggets.argue import ArgueCounts, JudgedCitation, JudgedSentence, argue_counts, micro
from metrics.nuggets.older_scores import ReturnedNuggets, VotedNugget
from metrics.nuggets.registry import MEASURES
from metrics.nuggets.rubric import RubricQuestion, SubmittedQuestions
from metrics.nuggets.support import Support
from metrics.nuggets.values import NuggetScore, mean_over_topics
from pooling.refusals import Refused

SUPPORT, PARTIAL, NONE, CONTRADICTS = Assignment
FULL, SOME, NO = Support


def nuggets(**by_importance: Sequence[Assignment | None]) -> list[AssignedNugget]:
    return [
        AssignedNugget(f"{importance} {place}", importance, assignment)
        for importance, assignments in by_importance.items()
        for place, assignment in enumerate(assignments)
    ]


def rounded(score: NuggetScore, digits: int = 4) -> float:
    assert score.value is not None, score.reason
    return round(score.value, digits)


WORKED = nuggets(vital=[SUPPORT, SUPPORT, PARTIAL, NONE], okay=[SUPPORT, PARTIAL, NONE])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("vital", 0.6250),
        ("vital_strict", 0.5000),
        ("all", 0.5714),
        ("all_strict", 0.4286),
        ("weighted", 0.5909),
        ("weighted_strict", 0.4545),
    ],
)
def test_the_worked_answer_of_rag_2024(name: str, value: float) -> None:
    assert rounded(MEASURES[name].compute(WORKED)) == value


def test_a_contradiction_is_worth_nothing_and_numbers_are_weights() -> None:
    assert rounded(scores.vital(nuggets(vital=[SUPPORT, CONTRADICTS]))) == 0.5
    by_number = [AssignedNugget("a", 9, SUPPORT), AssignedNugget("b", 1, NONE)]
    assert rounded(scores.weighted(by_number)) == 0.9 and rounded(scores.every(by_number)) == 0.5


@pytest.mark.parametrize(
    ("name", "own", "reason"),
    [
        ("vital", nuggets(okay=[SUPPORT]), "there are no vital nuggets"),
        ("vital", [], "there are no nuggets"),
        ("all", [], "there are no nuggets"),
        ("weighted", [], "there are no nuggets"),
        ("all_strict", nuggets(vital=[SUPPORT, None]), "1 of 2 nuggets have no assignment"),
        ("vital", nuggets(vital=[SUPPORT, NONE, None], okay=[None]), "1 of 3 nuggets have no assignment"),
        ("vital", nuggets(must=[SUPPORT]), "the nuggets are not graded as vital or okay"),
        ("weighted", nuggets(must=[SUPPORT]), "the nuggets are not graded as vital or okay, or by numbers"),
        ("all", nuggets(must=[SUPPORT], avoid=[NONE]), "some nuggets are to be avoided"),
        ("weighted", [AssignedNugget("a", 0, SUPPORT)], "no nugget has a weight above 0"),
        ("vital", [*WORKED, AssignedNugget("a", None, NONE)], "1 of 8 nuggets have no importance"),
    ],
)
def test_an_undefined_score_says_why(name: str, own: list[AssignedNugget], reason: str) -> None:
    assert MEASURES[name].compute(own) == NuggetScore(None, reason)


def test_an_okay_nugget_without_assignment_leaves_the_vital_score_alone() -> None:
    assert scores.vital(nuggets(vital=[PARTIAL], okay=[None])).value == 0.5


def test_a_topic_without_a_score_is_left_out_of_the_mean_and_named() -> None:
    by_topic = {"1": NuggetScore(1.0), "2": NuggetScore(0.0), "3": NuggetScore(None, "no vital")}
    run = mean_over_topics(by_topic)
    assert (run.value, run.topics, run.undefined) == (0.5, 2, {"3": "no vital"})
    assert mean_over_topics({}).reason == "no topic has a score"


RUBRIC = [
    RubricQuestion(rubric.WEIGHTS["A"], (SUPPORT, CONTRADICTS)),
    RubricQuestion(rubric.WEIGHTS["B"], (PARTIAL, NONE, SUPPORT)),
    RubricQuestion(rubric.WEIGHTS["C"], (NONE,)),
]


def test_the_worked_rubric() -> None:
    assert rounded(rubric.supportive(RUBRIC)) == 0.4286
    assert rounded(rubric.contradictory(RUBRIC)) == 0.2857


def test_rubrics_that_are_undefined_or_refused() -> None:
    assert rubric.supportive([]).reason == "there are no questions"
    assert rubric.supportive([RubricQuestion(0, (NONE,))]).reason == "no question has a weight above 0"
    open_question = RubricQuestion(4, (SUPPORT, None))
    assert rubric.contradictory([open_question]).reason == "1 of 2 expected answers have no value"
    with pytest.raises(Refused, match="at least one expected answer"):
        rubric.supportive([RubricQuestion(4, ())])
    with pytest.raises(Refused, match="weights of 0 or more, found -1"):
        rubric.question_match([SubmittedQuestions(-1)])


def test_each_question_of_a_rubric_takes_its_most_similar_one() -> None:
    questions = [SubmittedQuestions(4, (0, 0.5)), SubmittedQuestions(2, (1, 0.5)), SubmittedQuestions(1)]
    assert rounded(rubric.question_match(questions)) == round((4 * 0.5 + 2) / 7, 4)


def test_the_worked_answer_of_question_answering() -> None:
    answer = ReturnedNuggets(vital_returned=2, okay_returned=1, vital=4, length=500)
    assert rounded(older_scores.trec_qa_recall(answer)) == 0.5
    assert rounded(older_scores.trec_qa_precision(answer)) == 0.6
    assert rounded(older_scores.trec_qa(answer, beta=1)) == 0.5455
    assert rounded(MEASURES["qa_f3"].compute(answer)) == 0.5085
    assert rounded(MEASURES["qa_f5"].compute(answer)) == 0.5032


def test_question_answering_at_its_edges() -> None:
    assert older_scores.trec_qa(ReturnedNuggets(0, 0, 0, 10)).reason == "there are no vital nuggets"
    assert older_scores.trec_qa(ReturnedNuggets(0, 0, 3, 10)).value == 0
    assert older_scores.trec_qa(ReturnedNuggets(3, 0, 3, 0)).value == 1
    with pytest.raises(Refused, match="at most 1 of them vital"):
        older_scores.trec_qa(ReturnedNuggets(2, 0, 1, 10))


def test_the_worked_nugget_pyramid() -> None:
    returned = {0, 1, 4}
    voted = [VotedNugget(votes, place in returned) for place, votes in enumerate([5, 4, 3, 1, 2, 1, 0])]
    score = older_scores.nugget_pyramid(voted)
    assert rounded(score) == 0.6875 and score.value == pytest.approx(11 / 16)
    assert older_scores.nugget_pyramid([VotedNugget(0, True)]).reason == "nobody called a nugget vital"


def test_questions_that_passages_cover() -> None:
    grades = {"Why?": [0, 5], "When?": [3, 3], "Who?": []}
    assert older_scores.question_coverage(grades).value == pytest.approx(1 / 3)
    assert older_scores.question_coverage(grades, threshold=3).value == pytest.approx(2 / 3)
    assert older_scores.question_coverage({}).reason == "there are no questions"


JUDGED = [[FULL], [SOME], [NO], [], [FULL]]


def test_the_worked_support_of_citations() -> None:
    assert rounded(support.support_precision(JUDGED)) == 0.625
    assert rounded(support.support_recall(JUDGED)) == 0.5
    assert rounded(support.support_precision(JUDGED, hard=True)) == 0.5
    assert rounded(support.support_recall(JUDGED, hard=True)) == 0.4


def test_the_first_the_best_or_all_citations_of_a_sentence() -> None:
    judged = [[NO, FULL, SOME], [SOME]]
    assert [
        support.support_precision(judged, hard, citations).value
        for hard in (False, True)
        for citations in support.CHOICES
    ] == [0.25, 0.75, 0.5, 0.0, 0.5, pytest.approx(1 / 6)]
    with pytest.raises(Refused, match="expected first, any or all citations, found 'last'"):
        support.support_recall(judged, citations="last")


def test_support_without_citations_or_labels() -> None:
    assert support.support_precision([[], []]).reason == "no sentence has a citation"
    assert support.support_recall([[], []]).value == 0
    assert support.support_recall([]).reason == "there are no sentences"
    assert support.support_recall([[FULL, None]]).value == 1
    assert support.support_recall([[FULL, None]], citations="any").reason == "1 of 2 citations are not judged"


# hltcoe/argue-viz, example-report.scores.tsv: topic, correct sentences, sentences, credited nuggets, nuggets.
EXAMPLE_REPORT = """
300 14 15 9 15   303 10 10 7 10    308 9 10 6 10    309 12 12 8 12   310 10 11 6 11   334 16 18 15 19
335 10 11 10 11  343 10 10 6 10    351 11 11 8 10   352 14 15 14 15  365 13 14 10 15  367 18 18 13 18
372 17 17 10 17  373 12 13 7 13    377 17 17 13 19  380 18 19 16 19  382 18 19 17 19  383 12 13 12 13
388 10 10 6 10
"""
NUMBERS = [int(number) for number in EXAMPLE_REPORT.split()]
TOPICS = {str(NUMBERS[at]): ArgueCounts(*NUMBERS[at + 1 : at + 5]) for at in range(0, len(NUMBERS), 5)}


def test_a_real_topic_of_auto_argue() -> None:
    counts = TOPICS["300"]
    assert rounded(counts.sentence_support) == 0.9333
    assert rounded(counts.nugget_coverage) == 0.6000
    assert counts.f1.value == pytest.approx(0.7304347826086957, abs=1e-15)


def test_all_topics_of_the_real_report() -> None:
    together = micro(TOPICS.values())
    assert together[:4] == (251, 263, 193, 266)
    assert [
        rounded(score, 5) for score in (together.sentence_support, together.nugget_coverage, together.f1)
    ] == [0.95437, 0.72556, 0.82439]
    lines = [line.split("\t") for line in argue.score_lines(TOPICS, "example-run-id").splitlines()]
    values = {(topic, name): float(value) for _, topic, name, value in lines[1:]}
    published = {
        "sentence_support_micro": 0.9543726235741445,
        "sentence_support_macro": 0.9549052363456795,
        "nugget_coverage_micro": 0.7255639097744361,
        "nugget_coverage_macro": 0.7159860218357855,
        "f1_micro": 0.8243863007870667,
        "f1_macro": 0.8108727761893327,
    }
    for name, value in published.items():
        assert values["all", name] == pytest.approx(value, abs=1e-15)
    assert values["334", "f1"] == pytest.approx(0.8362369337979094, abs=1e-15)
    assert {line[0] for line in lines[1:]} == {"example-run-id"}


BANK = NuggetBank(
    "7",
    (
        Nugget("Which?", 9, (NuggetAnswer("one"), NuggetAnswer("two")), OR),
        Nugget("What all?", 1, (NuggetAnswer("three"), NuggetAnswer("four")), AND),
        Nugget("Boats float", 5),
    ),
)
GOOD, BAD = JudgedCitation("D1", True, True), JudgedCitation("D2", False)


def test_sentences_are_correct_if_all_their_documents_attest_them() -> None:
    counts = argue_counts(
        [
            JudgedSentence((GOOD,), (("Which?", "two"), ("What all?", "three"))),
            JudgedSentence((GOOD, BAD), (("What all?", "four"), ("Boats float", ""))),
            JudgedSentence(needs_citation=True),
            JudgedSentence(needs_citation=True, is_repeated=True),
            JudgedSentence(denies=True),
            JudgedSentence(),
        ],
        BANK,
    )
    assert counts == ArgueCounts(
        1, 4, 1, 3, attested=2, relevant=2, citations=3, credited_weight=9.0, weight=15.0
    )
    assert rounded(counts.citation_support) == rounded(counts.citation_relevance) == 0.6667
    assert rounded(counts.nugget_coverage) == 0.3333 and rounded(counts.nugget_coverage_weighted) == 0.6
    assert rounded(counts.f1) == 0.2857 and rounded(counts.f1_weighted) == 0.3529


def test_all_answers_of_a_question_with_and_are_wanted() -> None:
    three, four = (JudgedSentence((GOOD,), (("What all?", answer),)) for answer in ("three", "four"))
    assert argue_counts([three], BANK).credited == 0
    assert argue_counts([three, four, three], BANK).credited == 1
    assert argue_counts([JudgedSentence((GOOD,), (("Boats float", ""),))], BANK).credited == 1


def test_what_is_not_in_the_bank_and_a_missing_aggregator_are_refused() -> None:
    with pytest.raises(Refused, match="expected a question and an answer of the bank, found 'Which.', 'six'"):
        argue_counts([JudgedSentence((BAD,), (("Which?", "six"),))], BANK)
    unknown = NuggetBank("7", (BANK.nuggets[0]._replace(aggregator=""),))
    with pytest.raises(Refused, match="expected OR or AND of 'Which.', which has 2 answers"):
        argue_counts([], unknown)


def test_an_empty_report_has_reasons() -> None:
    counts = argue_counts([], NuggetBank("7", ()))
    assert counts.sentence_support.reason == counts.f1.reason == "no sentence has or needs a citation"
    assert counts.nugget_coverage.reason == "there are no nuggets"
    assert micro([]) == ArgueCounts(0, 0, 0, 0)
    assert ArgueCounts(0, 3, 0, 3).f1.value == 0


def test_passages_have_the_grade_of_their_best_question() -> None:
    grades = {"Why?": {"D1": 1, "D2": 0}, "When?": {"D1": 5}}
    assert older_scores.passage_grades(grades) == {"D1": 5, "D2": 0}
