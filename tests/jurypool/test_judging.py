"""Agreement, pools and their quality by the Python API are those of the command lines."""

from __future__ import annotations

import json
import random
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

import jurypool as jp
from assess.kappa.agreement import coefficients
from assess.kappa.bootstrap import Bootstrap
from assess.kappa.labels import labels_of_records
from assess.kappa.registry import REGISTRY
from pooling.cli import main as pool_command
from pooling.strategies.registry import STRATEGIES

CHANCE = random.Random(20)
ROWS = [
    (str(topic), f"D{n}", judge, CHANCE.choice([0, 0, 1, 2]))
    for topic in range(12) for n in range(6) for judge in ("ann", "bob", "chi") if CHANCE.random() < 0.9
]  # fmt: skip
OF_TWO = [row for row in ROWS if row[2] != "chi"]
RUNS = {
    name: {str(topic): {f"D{CHANCE.randrange(40)}": float(rank) for rank in range(15)} for topic in range(4)}
    for name in ("a", "b", "c")
}
QRELS = {str(topic): {f"D{n}": n % 3 for n in range(30)} for topic in range(4)}


def nested(rows: list[tuple[str, str, str, int]]) -> dict[str, dict[str, dict[str, int]]]:
    found: dict[str, dict[str, dict[str, int]]] = {}
    for topic, docno, judge, grade in rows:
        found.setdefault(judge, {}).setdefault(topic, {})[docno] = grade
    return found


def labels_in(form: str, folder: Path) -> Any:
    if form == "dict":
        return nested(ROWS)
    if form == "file":
        (folder / "labels.tsv").write_text("".join("\t".join(map(str, row)) + "\n" for row in ROWS))
        return folder / "labels.tsv"
    if form == "tuples":
        return iter(ROWS)
    pytest.importorskip(form, reason=f"{form} is not here")
    names = ("topic", "docno", "judge", "label")
    return import_module(form).DataFrame(dict(zip(names, map(list, zip(*ROWS, strict=True)), strict=True)))


@pytest.mark.parametrize("form", ["tuples", "file"])
def test_labels_of_programs_are_left_out_with_a_warning(form: str, tmp_path: Path) -> None:
    people = [(*row, "people") for row in ROWS]
    machine = [
        (topic, docno, "boats/robot", 0, "machine: file") for topic, docno, judge, _ in ROWS if judge == "ann"
    ]
    labels: Any = [*people, *machine]
    if form == "file":
        lines = [("topic", "docno", "judge", "label", "source"), *labels]
        labels = tmp_path / "labels.tsv"
        labels.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))
    with pytest.warns(UserWarning, match=f"{len(machine)} labels of programs left out: boats/robot"):
        assert jp.agreement(labels, "fleiss", draws=0) == jp.agreement(ROWS, "fleiss", draws=0)


@pytest.mark.parametrize("form", ["dict", "tuples", "pandas", "polars", "file"])
def test_agreement_is_that_of_the_engine_in_every_form(form: str, tmp_path: Path) -> None:
    found = jp.agreement(labels_in(form, tmp_path))
    definitions = [each for each in REGISTRY.values() if each.from_statistics]
    expected = coefficients(labels_of_records(ROWS, (0, 1, 2)), definitions, Bootstrap())
    assert list(found) == [each.key for each in definitions]
    for value, wanted in zip(found.values(), expected, strict=True):
        assert (value.n, value.judges, value.reason) == (wanted.n, wanted.judges, wanted.reason)
        assert value.value == pytest.approx(wanted.value, abs=1e-12)


def test_two_judges_have_every_coefficient_of_the_registry() -> None:
    found = jp.agreement(OF_TWO, draws=0)
    assert set(found) == set(REGISTRY)
    for key in REGISTRY:
        assert jp.agreement(OF_TWO, key, draws=0) == found[key]
    assert found["cohen"].value == pytest.approx(found["light"].value)


def test_a_table_of_agreement_is_text_html_and_data() -> None:
    found = jp.agreement([(t, d, f"<{judge}>", grade) for t, d, judge, grade in ROWS])
    assert "Krippendorff's alpha, ordinal" in repr(found)
    assert "<caption>" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["fleiss"]["value"] == found["fleiss"].value
    assert found["fleiss"].interval
    assert found.by_topic()["3"]["percent"].n <= 6
    pytest.importorskip("pandas", reason="pandas is not here")
    assert found.to_pandas().loc["fleiss", "n"] == found["fleiss"].n


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
def test_two_lists_of_labels_have_the_kappa_of_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    first, second = map(list, zip(*pairs, strict=True))
    kappa = jp.agreement(first, second)["cohen"].value
    if kappa is None:
        assert len({*first, *second}) == 1
    else:
        assert kappa == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([1, 0], [1], "expected as many labels of both judges, found 2 and 1"),
        ([1, 0], 3, "expected labels of two judges in two sequences, or one source .*, found 3 of type int"),
        ({"ann": {}}, [1], "expected labels of two judges in two sequences"),
        ([1, None], [1, 1], "labels, row 2: expected a grade, found none"),
    ],
)
def test_what_are_not_two_lists_of_labels_is_refused(first: Any, second: Any, expected: str) -> None:
    with pytest.raises(jp.Refused, match=expected):
        jp.agreement(first, second)


@pytest.mark.parametrize(
    ("labels", "options", "expected"),
    [
        ([], {}, "labels: expected at least one row"),
        ({}, {}, "labels: expected at least one row"),
        ({"ann": {"7": {"D1": 1.5}}}, {}, r"labels\['ann'\]\['7'\]\['D1'\]: expected a whole number"),
        ([("7", "D1", "ann", 1), ("7", "D1", "ann", 1)], {}, "expected one label of ann for 7 D1"),
        ([("7", "D1", "", 1)], {}, "labels, row 1: expected text as judge"),
        ([("7", "D1", 3, 1)], {}, "labels, row 1: expected text as judge, found 3"),
        (ROWS, {"coefficient": "kappa"}, "expected a coefficient .*fleiss.* found 'kappa'"),
        (ROWS, {"coefficient": "cohen"}, "Cohen's kappa is of two judges.* found 3 judges"),
        (ROWS, {"scale": [0, 1]}, r"labels, row \d+: expected a label among 0, 1, found 2"),
        ([("7", "D1", "ann", 999_999_999)], {}, "labels, row 1: expected a label among 0, 1, 2"),
        (ROWS, {"threshold": 0}, "expected a threshold among"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_bad_labels_and_options_are_refused(labels: Any, options: dict[str, Any], expected: str) -> None:
    with pytest.raises(jp.Refused, match=expected):
        jp.agreement(labels, **options)


def test_labels_without_a_shared_document_say_so() -> None:
    found = jp.agreement([("7", "D1", "ann", 1), ("7", "D2", "bob", 1)])
    assert found["cohen"].reason == found["fleiss"].reason == "no document has labels of two judges"


def files(folder: Path) -> list[str]:
    for name, run in RUNS.items():
        lines = (f"{t} Q0 {d} 1 {score!r} {name}\n" for t, own in run.items() for d, score in own.items())
        (folder / name).write_text("".join(lines))
    (folder / "qrels").write_text(
        "".join(f"{t} 0 {d} {g}\n" for t, own in QRELS.items() for d, g in own.items())
    )
    return [str(folder / name) for name in RUNS]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_pool_is_that_of_the_command_line(strategy: str, tmp_path: Path) -> None:
    live = STRATEGIES[strategy].live
    paths, printed = files(tmp_path), StringIO()
    options = ["--qrels", str(tmp_path / "qrels"), "--threshold", "2"] if live else []
    with redirect_stdout(printed):
        assert pool_command([*paths, "--strategy", strategy, "--seed", "5", *options]) == 0
    qrels: dict[str, Any] = {"qrels": QRELS, "threshold": 2} if live else {}
    found = jp.pool(RUNS, strategy, seed=5, **qrels)
    assert found.to_text() == printed.getvalue()
    assert found.size.total == sum(map(len, found.values())) and strategy in repr(found)
    assert json.loads(json.dumps(found.to_dict())).keys() == set(found)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"strategy": "deep"}, "expected a strategy"),
        ({"k": 0}, "k: expected a whole number from 1"),
        ({"depth": 3}, "depth has no parameter 'depth'"),
        ({"ties": "none"}, "expected ties ascending or descending"),
        ({"strategy": "mtf"}, "mtf: expected qrels to play it by"),
        ({"runs": "absent"}, "absent: expected a file that can be read"),
        ({"runs": "a\0b"}, "expected a file that can be read, found: embedded null byte"),
        ({"runs": {}}, "expected at least one row"),
        ({"qrels": QRELS}, r"depth: qrels are read by live strategies alone \(mtf"),
    ],
    ids=repr,
)
def test_a_pool_that_cannot_be_made_is_refused(options: dict[str, Any], expected: str) -> None:
    with pytest.raises(jp.Refused, match=expected):
        jp.pool(**{"runs": RUNS, **options})


def test_a_pool_of_one_run_is_its_top() -> None:
    assert jp.pool(RUNS["a"], k=5).to_text() == jp.pool([RUNS["a"]], k=5).to_text()


def test_the_quality_of_judgments_is_counted_by_hand() -> None:
    runs = {
        "a": {"7": {"D1": 3.0, "D2": 2.0, "D3": 1.0}, "8": {"D1": 2.0, "D9": 1.0}},
        "b": {"7": {"D1": 2.0, "D4": 1.0}, "8": {"D2": 1.0}},
    }
    qrels = {"7": {"D1": 1, "D2": 1, "D3": 0, "D5": 1}, "8": {"D1": 0, "D2": 2}}
    found = jp.pool_quality(runs, qrels, k=2)
    assert found.contributions["a"]._asdict() == {
        "pooled": 4, "unique": 3, "relevant": 2, "unique_relevant": 1, "first": 3.5,
    }  # fmt: skip
    assert found.contributions["b"].unique_relevant == 1
    assert found.complete_depth == 1
    assert found.unjudged == {"a": 0.25, "b": 0.25}
    assert found.topics["7"] == (4, 3) and [level.documents for level in found.levels] == [3, 1, 1]
    assert str(found.verdict.use) == "judge unjudged documents before comparing runs"
    assert "unjudged@2" in repr(found) and "<caption>" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["complete_depth"] == 1
    with pytest.raises(jp.Refused, match="expected whole numbers"):
        jp.pool_quality(runs, qrels, k=0)


def test_tables_of_decisions_refuse_what_does_not_fit() -> None:
    matrix = jp.confusion_matrix(["a", "a", "b"], ["a", "b", "b"])
    assert matrix.accuracy == pytest.approx(2 / 3)
    with pytest.raises(jp.Refused, match="as many classes from both"):
        jp.confusion_matrix(["a"], [])
