"""The notebooks run from top to bottom, and are stored without large outputs."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.metrics.shared_data import DATA, needs

NOTEBOOKS = Path(__file__).resolve().parents[2] / "docs" / "notebooks"


def cells(name: str) -> list[str]:
    """Return the code cells of a notebook."""
    notebook: dict[str, Any] = json.loads((NOTEBOOKS / name).read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


@needs("trec-covid-round1")
def test_trec_covid_prints_nists_map_and_bpref(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas", reason="pandas is not here")
    monkeypatch.setenv("JURYPOOL_COVID", str(DATA / "trec-covid-round1"))
    names: dict[str, Any] = {}
    said = StringIO()
    with redirect_stdout(said):
        for cell in cells("trec_covid.ipynb"):
            exec(compile(cell, "trec_covid.ipynb", "exec"), names)
    assert len(names["results"]) == 16 and (names["table"]["AP"] == names["table"]["NIST MAP"]).all()
    lines = {line.split()[0]: line.split()[1:] for line in said.getvalue().splitlines()}
    assert lines["run1"] == ["0.2663", "0.4159"]
    assert lines["BBGhelani1"] == ["0.3008", "0.5294"]


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.name)
def test_a_notebook_is_small(path: Path) -> None:
    assert path.stat().st_size < 10_000
