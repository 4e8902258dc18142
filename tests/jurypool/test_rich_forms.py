"""Every result has a rich form in a notebook, and those with figures that one draws have a chart."""

from __future__ import annotations

import contextlib
import inspect
import os
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import jurypool as jp
from pooling.notebook import MOST_ITEMS, value_text

QRELS = {"7": {"D1": 2, "D2": 0, "D3": 1}, "8": {"D4": 1, "D5": 0}, "9": {"D1": 1, "D4": 0}}
MINE = {
    "7": {"D1": 9.0, "D2": 8.0, "D3": 7.0}, "8": {"D5": 2.0, "D4": 1.0}, "9": {"D1": 1.0},
}  # fmt: skip
THEIRS = {"7": {"D2": 9.0, "D1": 8.0}, "8": {"D4": 2.0, "D5": 1.0}, "9": {"D4": 2.0, "D1": 1.0}}
RUNS = {"mine": MINE, "<i>theirs": THEIRS}
LABELS = {"ann": {"7": {"D1": 1, "D2": 0, "D3": 1}}, "bob": {"7": {"D1": 1, "D2": 0, "D3": 0}}}
RESULTS = jp.evaluate(RUNS, QRELS, "AP nDCG@10 NumRel")
DOCUMENTS = {f"D{place}": "wing flow" if place < 9 else f"cold soup {place}" for place in range(40)}
RELEVANT = [f"D{place}" for place in range(9)]


def of_library(annotation: Any) -> Iterator[type]:
    """Yield the classes of Jurypool in an annotation."""
    for each in (annotation, *get_args(annotation)):
        if inspect.isclass(each) and each.__module__.split(".")[0] in ("jurypool", "metrics", "assess"):
            yield each
        elif each is not annotation:
            yield from of_library(each)


def public_classes() -> set[type]:
    """Return the public classes, and those that public functions return."""
    from metrics.significance.paired import PairedTest

    found: set[type] = set()
    for thing in (getattr(jp, name) for name in jp.__all__):
        if inspect.isclass(thing):
            found.add(thing)
        elif inspect.isfunction(thing):
            hints = get_type_hints(thing, localns={"PairedTest": PairedTest})
            found |= set(of_library(hints["return"]))
    return {each for each in found if not issubclass(each, Exception)}


@pytest.mark.parametrize("kind", sorted(public_classes(), key=str))
def test_a_result_has_a_rich_form(kind: type) -> None:
    assert callable(getattr(kind, "_repr_html_", None)), f"{kind.__name__}: give it _repr_html_"


PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/tables-and-charts.md"


class Cells(HTMLParser):
    """The texts of the cells of a table, and the tags that are open at its end."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


SHOWN: list[tuple[Any, str]] = [
    (lambda: RESULTS["mine"]["NumRel"], "NumRel is not a mean of its topics' values"),
    (lambda: RESULTS["mine"]["AP"], "95 % interval"),
    (lambda: jp.compare(RUNS, QRELS, "AP NumRel"), "<i>theirs"),
    (lambda: jp.compare(RESULTS["mine"], RESULTS["<i>theirs"], "AP"), "difference"),
    (lambda: jp.pool(RUNS, k=2), "depth pool: 6 documents of 3 topics, 2 to 2 each"),
    (lambda: jp.measure("RBP"), "RBP(p=0.8, rel=, max_rel=)[@k]"),
    (lambda: jp.rank_correlation([1.0, 2.0], [1.0, 2.0]), "Kendall's tau-a"),
    (lambda: jp.rbo("abc", "abc"), "extrapolated"),
    (lambda: jp.agreement(LABELS)["cohen"], "0.4"),
    (lambda: jp.confusion_matrix(["a", "a", "b"], ["a", "b", "b"]), "3 documents"),
    (lambda: jp.fuse(RUNS), "fused run, 3 topics"),
    (lambda: jp.tune_fusion(RUNS, QRELS, "RR", folds=3), "fold 2"),
    (lambda: jp.precision_recall(RUNS, QRELS), "<i>theirs"),
    (lambda: jp.read_run(MINE), "6 documents of 3 topics"),
    (lambda: jp.read_qrels(QRELS), "7 judgments of 3 topics"),
    (lambda: jp.simulate_cal(DOCUMENTS, RELEVANT, "wing"), "relevant so far"),
    (lambda: jp.simulate_scal(DOCUMENTS, RELEVANT, "wing"), "S-CAL"),
    (lambda: jp.text_features(DOCUMENTS), "terms"),
    (lambda: jp.recall_effort([True, False], 2, 40), "collection"),
    (lambda: jp.davidson([("7", "a", "b", "a")] * 3), "Davidson"),
    (lambda: jp.ab_test([{"variant": "AB"[n % 2], "user": n, "c": n % 3} for n in range(60)]), "variant"),
]


@pytest.mark.parametrize(("make", "expected"), SHOWN, ids=[expected for _, expected in SHOWN])
def test_a_rich_form_is_a_table_with_escaped_texts(make: Any, expected: str) -> None:
    table = Cells()
    table.feed(make()._repr_html_())
    assert table.open == [] and expected in "|".join(table.texts)


def test_long_values_are_cut() -> None:
    assert value_text([*range(MOST_ITEMS + 1)]).endswith(f"19, ... ({MOST_ITEMS + 1})")
    assert value_text(dict.fromkeys("abc", 1)) == "a: 1, b: 1, c: 1"


@pytest.fixture
def pyplot(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setitem(os.environ, "MPLBACKEND", "agg")
    yield (found := pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not here"))
    found.close("all")


def labels_of(axes: Any) -> list[str]:
    """Return the texts beside the axis of names, drawn."""
    axes.figure.canvas.draw()
    return [text.get_text() for text in axes.get_yticklabels()]


@pytest.mark.usefixtures("pyplot")
def test_runs_are_drawn_best_first_with_intervals() -> None:
    axes = RESULTS.plot("map")
    order = sorted(RUNS, key=lambda name: -RESULTS[name]["AP"].mean)
    assert labels_of(axes) == order
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the first row is at the top
    assert jp.compare(RUNS, QRELS, "AP").plot().get_xlabel() == "AP with 95 % intervals"


@pytest.mark.usefixtures("pyplot")
def test_differences_are_drawn_by_topic() -> None:
    found = RESULTS.differences("mine", "<i>theirs", "AP")
    axes = RESULTS.plot_differences("mine", "<i>theirs", "AP")
    assert sorted(found.values(), reverse=True) == [bar.get_height() for bar in axes.patches]
    assert axes.get_title() == "mine less <i>theirs"


@pytest.mark.usefixtures("pyplot")
def test_a_judge_swap_is_drawn_from_the_best_to_the_worst_rank() -> None:
    swap = jp.judge_swap(RUNS, QRELS, {"ann": QRELS, "bob": {"7": {"D2": 1}}}, draws=50)
    axes = swap.plot()
    assert labels_of(axes) == sorted(swap.ranks, key=lambda name: swap.ranks[name])
    ends = [tuple(line.get_xdata()) for line in axes.lines if len(line.get_xdata()) == 2]
    assert ends == [swap.ranks[name][1:] for name in labels_of(axes)]


def test_curves_matrices_and_coefficients_are_drawn(pyplot: Any) -> None:
    _, (left, right) = pyplot.subplots(1, 2)
    curves = jp.precision_recall(RUNS, QRELS)
    assert curves.plot(left) is left
    assert [line.get_label() for line in left.lines] == list(RUNS)
    assert list(left.lines[0].get_ydata()) == list(curves["mine"])
    jp.confusion_matrix(["a", "a", "b"], ["a", "b", "b"]).plot(right)
    assert [text.get_text() for text in right.texts] == ["1", "1", "0", "1"]
    assert "cohen" in labels_of(jp.agreement(LABELS).plot())
    assert RESULTS["mine"]["AP"].plot().get_ylabel() == "AP"
    assert jp.simulate_cal(DOCUMENTS, RELEVANT, "wing").plot().get_ylabel() == "recall"


@pytest.mark.usefixtures("pyplot")
def test_the_cells_of_the_page_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    with contextlib.chdir(tmp_path):
        exec(compile("".join(cells), str(PAGE), "exec"), {})
    assert "\\textsuperscript{a}" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["runs.png", "topics.png"]
