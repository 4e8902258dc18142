"""What `evaluate` gives: every measure, every option, as numbers, text, HTML and data."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import jurypool as jp
from jurypool.reading import read_qrels
from metrics.engine.evaluate import evaluate
from metrics.engine.hits import PROFILES
from metrics.engine.qrels_index import index_qrels
from metrics.measures.names import parse_measures
from metrics.measures.registry import KINDS
from pooling.formats.qrels import parse_qrels
from pooling.formats.runs import parse_run
from tests.metrics.generated import examples

QRELS = {str(topic): {f"D{n}": (n + topic) % 3 for n in range(8)} for topic in range(12)}
RUN = {topic: {f"D{n}": float((7 * n + int(topic)) % 5) for n in range(9)} for topic in QRELS}
SAMPLED = [
    (topic, docno, grade, f"{int(docno[1:]) % 2}")
    for topic, own in QRELS.items()
    for docno, grade in own.items()
]
PREFERENCES = "".join(f"{topic} 0 0 {docno} {grade}\n" for topic, docno, grade, _ in SAMPLED)


def qrels_for(needs: str, folder: Path) -> Any:
    """Return judgments in the form that a kind of measure reads."""
    if needs == "preferences":
        (folder / "prefs").write_text(PREFERENCES)
        return folder / "prefs"
    return QRELS if needs == "qrels" else SAMPLED


@pytest.mark.parametrize("name", KINDS)
def test_every_measure_of_the_registry_can_be_asked_for(name: str, tmp_path: Path) -> None:
    kind = KINDS[name]
    names = [measure.name for measure in examples(kind)]
    result = jp.evaluate(RUN, qrels_for(kind.needs, tmp_path), names, collection_size=1000)
    assert list(result) == names
    facts = jp.measure(name)
    assert (facts.name, facts.source, facts.direction) == (name, kind.citation, kind.direction)
    assert facts.formula and facts.usage in str(facts)


def test_strata_subtopics_and_judges_are_read_from_tuples_as_from_files(tmp_path: Path) -> None:
    (tmp_path / "prels").write_text("".join(f"{t} 0 {d} {s} {g}\n" for t, d, g, s in SAMPLED))
    (tmp_path / "qrels").write_text("".join(f"{t} {s} {d} {g}\n" for t, d, g, s in SAMPLED))
    for file, measures in (
        ("prels", "xinfAP infNDCG"),
        ("qrels", "alpha_nDCG@5 ERR_IA@5"),
        ("qrels", "AP_avgjg P_avgjg@5"),
    ):
        found = jp.evaluate(RUN, SAMPLED, measures).to_dict()
        assert found == jp.evaluate(RUN, tmp_path / file, measures).to_dict()


def test_a_measure_of_documents_refuses_qrels_of_subtopics_in_every_form(tmp_path: Path) -> None:
    rows = [("7", "D1", 1, "1"), ("7", "D1", 2, "2")]
    (tmp_path / "qrels").write_text("7 1 D1 1\n7 2 D1 2\n")
    for source in (rows, tmp_path / "qrels", read_qrels(rows, by_iteration=True)):
        for measures in ("nDCG@5", "alpha_nDCG@5 nDCG@5"):
            with pytest.raises(jp.Refused, match="each document once in a topic"):
                jp.evaluate({"7": {"D1": 1.0}}, source, measures)
        assert jp.evaluate({"7": {"D1": 1.0}}, source, "alpha_nDCG@5")["alpha_nDCG@5"].mean == 1


def test_a_result_notes_a_run_without_judged_documents() -> None:
    result = jp.evaluate({"7": {"D1.txt": 1.0}}, {"7": {"D1": 1}}, "AP")
    assert result.notes == ("no document of this run is in the qrels",)
    assert str(result).endswith("(run: no document of this run is in the qrels)")


def test_the_list_of_measures_is_the_registry() -> None:
    assert {facts.name for facts in jp.measures()} == set(KINDS)
    assert jp.measure("MAP") == jp.measure("AP") == jp.measure("map")
    with pytest.raises(jp.Refused, match="did you mean nDCG"):
        jp.measure("nDGC@10")


@pytest.mark.parametrize("missing", ["all", "intersection"])
@pytest.mark.parametrize("profile", PROFILES)
def test_options_reach_the_engine(profile: str, missing: str) -> None:
    run = {topic: own for topic, own in RUN.items() if topic != "3"}
    run_text = "".join(f"{t} Q0 {d} 1 {score!r} run\n" for t, own in run.items() for d, score in own.items())
    qrels_text = "".join(f"{t} 0 {d} {grade}\n" for t, own in QRELS.items() for d, grade in own.items())
    measures = parse_measures("AP Fallout nDCG")
    index = index_qrels(parse_qrels(qrels_text.encode()))
    expected = evaluate(parse_run(run_text.encode()), index, measures, profile, missing, 2, 500)
    found = jp.evaluate(
        run, QRELS, "AP Fallout nDCG", profile=profile, missing=missing, relevance=2, collection_size=500
    )
    assert found.topics == expected.topics
    assert list(found.means.values()) == expected.means.tolist()
    assert found.scores.values.tobytes() == expected.values.tobytes()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"profile": "trec_eval-8"}, "expected the profile trec_eval-9 or trec_eval-10"),
        ({"missing": "some"}, "expected missing topics 'all' or 'intersection'"),
        ({"relevance": -1}, "expected a whole number of 0 or more as relevance"),
        ({"relevance": 1.5}, "expected a whole number of 0 or more as relevance"),
        ({"collection_size": True}, "expected a whole number of 0 or more as collection_size"),
        ({"measures": ""}, "expected at least one measure"),
        ({"measures": "nDGC"}, "did you mean nDCG"),
        ({"measures": [3]}, "expected names of measures"),
        ({"measures": None}, "expected names of measures, found None"),
        (
            {"measures": "Fallout"},
            "Fallout counts documents that were not retrieved: expected collection_size",
        ),
        ({"measures": "AP prefs_simp"}, "expected measures that read judgments of one form"),
        ({"measures": "prefs_simp"}, "measures of preferences read preferences from files alone"),
        ({"measures": "xinfAP"}, "qrels: expected tuples or a data frame, for the stratum, found a mapping"),
    ],
    ids=repr,
)
def test_a_bad_option_is_refused(options: dict[str, Any], expected: str) -> None:
    with pytest.raises(jp.Refused, match=expected):
        jp.evaluate(RUN, QRELS, **{"measures": "AP", **options})


def test_runs_and_qrels_without_a_common_topic_are_refused() -> None:
    with pytest.raises(jp.Refused, match=r"run: expected topics of the qrels, found none .*'99'"):
        jp.evaluate({"99": {"D1": 1.0}}, QRELS, "AP")


def test_a_topic_that_the_run_lacks_scores_0() -> None:
    result = jp.evaluate({"0": RUN["0"]}, QRELS, "AP")
    assert len(result.topics) == 12 and result["AP"].by_topic["5"] == 0
    assert jp.evaluate({"0": RUN["0"]}, QRELS, "AP", missing="intersection").topics == ("0",)


def test_topics_that_only_one_side_has_are_named(tmp_path: Path) -> None:
    result = jp.evaluate({"0": RUN["0"], "99": {"D1": 1.0}}, {"0": QRELS["0"], "1": QRELS["1"]}, "AP")
    assert (result.missing_topics, result.unknown_topics) == (("1",), ("99",))
    (tmp_path / "a.run").write_text("99 Q0 D1 1 1.0 tag\n")
    with pytest.raises(jp.Refused, match=r"a\.run: expected topics of the qrels"):
        jp.evaluate(tmp_path / "a.run", QRELS, "AP")


def test_a_score_has_an_interval_or_says_why_not() -> None:
    result = jp.evaluate(RUN, QRELS, "AP NumRel GMAP")
    interval = result["AP"].ci()
    assert interval and interval[0] < result["AP"].mean < interval[1]
    narrow = result["AP"].ci(level=0.5)
    assert narrow and interval[0] < narrow[0] and narrow[1] < interval[1]
    assert result["AP"].why_no_ci() == ""
    assert result["NumRel"].ci() is None and "is not a mean" in result["NumRel"].why_no_ci()
    few = jp.evaluate({"0": RUN["0"]}, {"0": QRELS["0"]}, "AP")["AP"]
    assert few.ci() is None and few.why_no_ci() == "fewer than 10 topics"
    weak = jp.evaluate(RUN, QRELS, "P@100")["P@100"]
    assert weak.ci() is None and "needs 25 topics" in weak.why_no_ci()
    with pytest.raises(jp.Refused, match="level of confidence"):
        result["AP"].ci(level=95)


def test_a_measure_is_found_by_all_its_names() -> None:
    result = jp.evaluate(RUN, QRELS, "AP P@5")
    assert result["map"].mean == result["MAP"].mean == result["AP"].mean
    assert result["P_5"].by_topic == result["P@5"].by_topic
    assert "AP" in result and "nDCG" not in result and "what" not in result
    with pytest.raises(KeyError, match=r"nDCG was not computed \(there are AP, P@5\)"):
        result["nDCG"]
    with pytest.raises(KeyError, match="no run 'x'"):
        jp.evaluate({"a": RUN}, QRELS, "AP")["x"]


def test_results_are_shown_as_text_and_as_escaped_html() -> None:
    results = jp.evaluate({"<script>alert(1)</script>": RUN, "b": RUN}, QRELS, "AP NumRel")
    lines = repr(results).splitlines()
    assert lines[0].split() == ["run", "AP", "NumRel"] and len(lines) == 4
    assert str(results["b"]) == repr(results["b"])
    for page in (results._repr_html_(), results["<script>alert(1)</script>"]._repr_html_()):
        assert "<script" not in page and "&lt;script&gt;alert(1)" in page
        assert page.count("<th scope") >= 4 and "<caption>" in page


def test_results_are_plain_data() -> None:
    results = jp.evaluate({"a": RUN, "b": RUN}, QRELS, "AP P@5")
    read = json.loads(json.dumps(results.to_dict()))
    assert read["a"]["means"]["AP"] == results["a"]["AP"].mean
    assert read["b"]["topics"]["3"]["P@5"] == results["b"]["P@5"].by_topic["3"]


def test_results_are_data_frames() -> None:
    pytest.importorskip("pandas", reason="pandas is not here")
    results = jp.evaluate({"a": RUN, "b": RUN}, QRELS, "AP P@5")
    assert results.to_pandas().loc["a", "AP"] == results["a"]["AP"].mean
    assert results.to_pandas(by_topic=True).loc[("b", "3"), "P@5"] == results["b"]["P@5"].by_topic["3"]
    assert list(results["a"].to_pandas().index) == list(results["a"].topics)


def test_measures_of_ir_measures_are_taken_as_they_are() -> None:
    ir_measures: Any = import_module("ir_measures")
    run, qrels = {"7": {"D1": 2.0, "D2": 1.0}}, {"7": {"D1": 1, "D2": 0}}
    measures = [ir_measures.nDCG @ 10, ir_measures.RBP(p=0.5, rel=1)]
    assert jp.evaluate(run, qrels, measures).means == {"nDCG@10": 1.0, "RBP(p=0.5, rel=1)": 0.5}
    assert jp.evaluate(run, qrels, ir_measures.AP)["AP"].mean == 1.0
