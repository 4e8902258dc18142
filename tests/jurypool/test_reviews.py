"""Continuous active learning in the library: docnos in, docnos out, and what is refused."""

from __future__ import annotations

from typing import Any, cast

import pytest

import jurypool as jp
from tests.assess.active_learning.labelled_texts import themed

COLLECTION = themed(300, seed=11)
DOCUMENTS = {f"D{place:03}": text for place, text in enumerate(COLLECTION.texts)}
RELEVANT = [docno for docno, is_relevant in zip(DOCUMENTS, COLLECTION.relevant, strict=True) if is_relevant]


def test_a_review_has_every_docno_once_with_its_label() -> None:
    review = jp.simulate_cal(DOCUMENTS, RELEVANT, COLLECTION.topic, seed=3)
    assert sorted(review) == sorted(DOCUMENTS) and len(review) == 300
    assert list(review.relevant) == [docno in RELEVANT for docno in review]
    assert review.batch_ends[:4] == (1, 3, 6, 10) and review.batch_ends[-1] == 300
    assert review.effort.effort_for(1) == 300 - review.relevant[::-1].index(True)
    count = len(RELEVANT)
    assert f"{review}" == (
        f"<review of 300 of 300 documents in 21 batches: {count} of {count} relevant found>"
    )


def test_features_are_computed_once_for_several_topics() -> None:
    features = jp.text_features(DOCUMENTS)
    assert f"{features}" == "<features of 300 documents: 30 terms>"
    for topic in (COLLECTION.topic, "orbit of a comet"):
        assert list(jp.simulate_cal(features, RELEVANT, topic, limit=50)) == list(
            jp.simulate_cal(DOCUMENTS, RELEVANT, topic, limit=50)
        )


def test_seed_documents_come_first() -> None:
    review = jp.simulate_cal(DOCUMENTS, RELEVANT, seeds=["D299", RELEVANT[0]], limit=20)
    assert review[:2] == ("D299", RELEVANT[0]) and len(review) == 20


def test_a_data_frame_has_a_row_for_each_document() -> None:
    pytest.importorskip("pandas", reason="pandas is not here")
    review = jp.simulate_cal(DOCUMENTS, RELEVANT, COLLECTION.topic, limit=10)
    frame = review.to_pandas()
    assert frame["docno"].tolist() == list(review) and frame["relevant"].tolist() == list(review.relevant)
    assert frame["batch"].tolist() == [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]
    assert (frame["score"].diff()[2:3] <= 0).all()


def test_rules_say_where_they_would_have_stopped() -> None:
    review = jp.simulate_cal(DOCUMENTS, RELEVANT, COLLECTION.topic)
    without, with_sample = review.stops(), review.stops(sample=200, seed=1, target=0.7)
    rules = jp.stopping_rules()
    assert with_sample.keys() == rules.keys()
    assert without.keys() == {key for key, rule in rules.items() if rule.needs != "sample"}
    stop = with_sample["qbcb"]
    assert stop.has_stopped and stop.beside > 0 and stop.found >= 0.7 * len(RELEVANT)
    assert review.stops(["knee"]).keys() == {"knee"}
    assert without["quant"].has_stopped


def test_scal_estimates_all_relevant_documents() -> None:
    sampled = jp.simulate_scal(DOCUMENTS, RELEVANT, COLLECTION.topic, cap=10)
    assert set(sampled) < set(DOCUMENTS) and list(sampled.relevant) == [
        docno in RELEVANT for docno in sampled
    ]
    assert sum(stratum.size for stratum in sampled.strata.strata) == 300
    assert sampled.strata.total == pytest.approx(len(RELEVANT), abs=10)
    halved = jp.simulate_scal(DOCUMENTS, RELEVANT, COLLECTION.topic, first_estimate=5)
    assert len(halved) < 300
    whole = jp.simulate_scal(DOCUMENTS, RELEVANT, COLLECTION.topic, first_estimate=1000)
    assert whole.strata.total == len(RELEVANT) and len(whole) == 300


def test_advice_takes_plain_lists() -> None:
    labels = [1, 1, 0, 1, 0, 0]
    advice = jp.stopping_advice(
        cast(Any, labels), 10, batch_ends=[1, 3, 6], target=0.5, probabilities=([0.9] * 6, [0.01] * 4)
    )
    assert [each.rule for each in advice] == list(jp.stopping_rules())
    assert next(each for each in advice if each.rule == "quant").stop
    assert not next(each for each in advice if each.rule == "qbcb").stop


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: jp.simulate_cal(DOCUMENTS, ["D1", "D001"], "mast"),
            "among the documents, found others: 'D1'",
        ),
        (lambda: jp.simulate_cal(DOCUMENTS, "D001", "mast"), "docnos of relevant documents, found a text"),
        (
            lambda: jp.simulate_cal(DOCUMENTS, RELEVANT),
            "expected a topic's text, or a relevant seed document",
        ),
        (
            lambda: jp.simulate_cal(DOCUMENTS, RELEVANT, "quark"),
            "a topic's text with words that two documents have, or a relevant seed",
        ),
        (lambda: jp.simulate_cal(DOCUMENTS, RELEVANT, "mast", limit=-1), "limit of 0 documents or more"),
        (lambda: jp.simulate_cal(DOCUMENTS, RELEVANT, "mast", seeds=["D001"] * 2), "each seed document once"),
        (lambda: jp.simulate_cal({}, [], "mast"), "at least one document"),
        (lambda: jp.text_features(cast(Any, ["a"])), "a mapping docno -> text"),
        (lambda: jp.text_features(cast(Any, {"a": 1})), "document 'a': expected a docno and a text, found"),
        (lambda: jp.simulate_scal(DOCUMENTS, RELEVANT, "mast", cap=1, first_estimate=1), "found both"),
        (lambda: jp.simulate_scal(DOCUMENTS, RELEVANT, "mast", cap=0), "at least 1 document"),
        (lambda: jp.simulate_cal(DOCUMENTS, RELEVANT, "mast", limit=0).stops(), "at least one document"),
        (lambda: jp.simulate_cal(DOCUMENTS, RELEVANT, "mast").stops(sample=-1), "0 documents or more"),
        (lambda: jp.stopping_advice(cast(Any, [2, 0]), 5), "a sequence of True and False"),
        (
            lambda: jp.stopping_advice([True], 3, probabilities=([0.5], [0.5])),
            "1 probabilities of reviewed documents and 2 of others, found 1 and 1",
        ),
        (lambda: jp.stopping_advice([True], 2, probabilities=([0.5], [1.5])), "probabilities from 0 to 1"),
        (lambda: jp.recall_effort([True], 0, 5), "at least 1 relevant documents"),
        (lambda: jp.recall_in_sample(2, 1), "from 0 to 1 relevant documents"),
        (lambda: jp.relevant_in_all(5, 6, 0), "from 0 to 5 documents in the sample"),
        (lambda: jp.recall_from_rest(1, 5, 6, 0), "from 0 to 5 documents in the sample"),
    ],
)
def test_what_is_refused_says_what_was_expected(call: Any, message: str) -> None:
    with pytest.raises(jp.Refused, match=message):
        call()
