"""Topic 300 of the example report of hltcoe/argue-viz, from judged sentences to its published scores.

Questions with their identifiers, aggregators, the answers that sentences gave, and some that none gave.
"""

from __future__ import annotations

from assess.nuggets.banks import AND, OR, Nugget, NuggetAnswer, NuggetBank, question_id
from metrics.nuggets.argue import JudgedCitation, JudgedSentence, argue_counts

QUESTIONS = (
    (
        "How many years has it been since Japan had the same high suicide rate as it did during the COVID 19 "
        "pandemic?",
        "cb8a20a7ef05532c793541b8fb65e68f", OR, ("More than 10", "a decade", "several years", "11"),
    ),
    (
        "How many Japanese died in 2020 as a result of suicide?",
        "25eb4fafbb2fc802a8f889bafae208b8", OR, ("20,919", "almost 21,000"),
    ),
    (
        "How much did the suicide rate in Japan increase in 2020 relative to 2019?",
        "8a8fb876bf8d66ce21286fa021694be7", OR, ("3.7%", "3.2%"),
    ),
    (
        "For which gender is suicide more common in Japan?",
        "d0e31ed346817f89fdc077f5d281cfc2", OR, ("Men", "Women"),
    ),
    (
        "Which gender contributed most to the increase in the suicide rate in Japan in 2020?",
        "6faffa8832fa598a7dac1aa416983c11", OR, ("Women",),
    ),
    (
        "Which population group, apart from women, contributed most to the increase in the suicide rate in "
        "Japan in 2020?",
        "44906e2e0e3fa64e7389efd49fe25766", OR, ("Children", "youth", "teenagers"),
    ),
    (
        "How much did the suicide rate of Japanese women increase in 2020 relative to 2019?",
        "95e642dee17100a551164616eac2d837", OR, ("Approximately 83%", "15%"),
    ),
    (
        "What was the increase in the suicide rate among Japanese women in their 20s in 2020 relative to "
        "2019?",
        "f333fb994d81ae00375340cfe259d859", OR, ("17%", "15%"),
    ),
    (
        "What was the increase in the suicide rate among Japanese women 19 and younger in 2020 relative to "
        "2019?",
        "1eea2c97fa6ee1df9f1a97dfa4103f15", OR, ("14%",),
    ),
    (
        "What was the increase in the suicide rate among Japanese elementary and high school students in "
        "2020 compared to 2019?",
        "7e58be4bfb7e108c88cf7b8632ca7039", OR, ("30%", "41.3%"),
    ),
    (
        "How did the COVID 19 pandemic affect the Japanese population\u2019s mental health?",
        "13d9aab7187f5e4a0a4de70601f397da", OR, ("negatively",),
    ),
    (
        "What were some general problems that the pandemic caused?",
        "cdf8484b0a009044c92316cd2af0ae92", AND,
        (
            "Economic difficulties", "Family difficulties", "anxiety", "mental health issues", "stress",
            "loneliness",
        ),
    ),
    (
        "What effects of the pandemic led to the increased rate of suicide in Japan in 2020?",
        "245a51864a2948f456aea95042604de9", AND,
        ("Unemployment", "social isolation", "depression", "increased load for working mothers"),
    ),
    (
        "How did feelings of guilt affect the suicide rate in Japan in 2020?",
        "70f26095e568ad0d2be397966733d499", OR, ("increased suicide rate",),
    ),
    (
        "What causes a psychotic crisis that may lead to suicide?",
        "038186ce90c374b6c6d46b9644baffa5", AND, ("Fear of poverty", "Pressure at work"),
    ),
)  # fmt: skip
YEARS, DIED, RISE, _, GENDER, GROUP, WOMEN, TWENTIES, GIRLS, _, HEALTH, PROBLEMS, EFFECTS, _, _ = range(15)
SENTENCES: tuple[tuple[bool, dict[int, tuple[str, ...]]], ...] = (  # attested; question -> answers
    (True, {HEALTH: ("negatively",), YEARS: ("More than 10",), GENDER: ("Women",)}),
    (True, {DIED: ("20,919",)}),
    (True, {HEALTH: ("negatively",), RISE: ("3.7%",), PROBLEMS: ("mental health issues",)}),
    (True, {DIED: ("20,919",)}),
    (True, {HEALTH: ("negatively",), GENDER: ("Women",)}),
    (True, {HEALTH: ("negatively",), PROBLEMS: ("mental health issues",), GROUP: ("teenagers", "Children")}),
    (True, {HEALTH: ("negatively",)}),
    (True, {HEALTH: ("negatively",), TWENTIES: ("17%",), GENDER: ("Women",)}),
    (True, {HEALTH: ("negatively",), GIRLS: ("14%",), GENDER: ("Women",)}),
    (True, {HEALTH: ("negatively",), GROUP: ("Children",)}),
    (
        True,
        {
            HEALTH: ("negatively",),
            EFFECTS: ("increased load for working mothers", "depression"),
            PROBLEMS: ("stress", "loneliness", "anxiety", "mental health issues"),
            GENDER: ("Women",),
            GROUP: ("Children",),
        },
    ),
    (False, {}),
    (True, {HEALTH: ("negatively",)}),
    (True, {HEALTH: ("negatively",), WOMEN: ("Approximately 83%",), GENDER: ("Women",)}),
    (True, {EFFECTS: ("Unemployment",), PROBLEMS: ("Economic difficulties",)}),
)


BANK = NuggetBank(
    "300",
    tuple(
        Nugget(question, answers=tuple(map(NuggetAnswer, answers)), aggregator=aggregator)
        for question, _, aggregator, answers in QUESTIONS
    ),
)
REPORT = [
    JudgedSentence(
        (JudgedCitation(f"D{place}", is_attested, is_relevant=True),),
        tuple((QUESTIONS[number][0], answer) for number, own in given.items() for answer in own),
    )
    for place, (is_attested, given) in enumerate(SENTENCES)
]


def test_the_identifiers_of_real_questions_are_ours() -> None:
    assert [question_id(question) for question, *_ in QUESTIONS] == [number for _, number, *_ in QUESTIONS]


def test_judged_sentences_have_the_published_scores() -> None:
    counts = argue_counts(REPORT, BANK)
    assert (counts.correct, counts.sentences, counts.credited, counts.nuggets) == (14, 15, 9, 15)
    assert (counts.attested, counts.relevant, counts.citations) == (14, 15, 15)
    assert (counts.credited_weight, counts.weight) == (9, 15)
    assert counts.citation_support.value == 0.9333333333333333 and counts.citation_relevance.value == 1
    assert counts.f1.value == counts.f1_weighted.value
