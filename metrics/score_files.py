"""The file formats in which scores are downloaded."""

from __future__ import annotations

from importlib.util import find_spec
from typing import NamedTuple


class Form(NamedTuple):
    """A file format. name: in URLs. suffix: of the file. meaning: for people. needs: a package, if any."""

    name: str
    suffix: str
    content_type: str
    meaning: str
    needs: str = ""

    @property
    def there(self) -> bool:
        """Whether this server can write the format."""
        return not self.needs or find_spec(self.needs) is not None


CSV, TSV, JSON, LATEX, TREC_EVAL = "csv", "tsv", "json", "latex", "trec-eval"
PARQUET = "parquet"
FORMS: dict[str, Form] = {
    form.name: form
    for form in (
        Form(CSV, ".csv", "text/csv; charset=utf-8", "one value per line with all digits, for spreadsheets"),
        Form(TSV, ".tsv", "text/tab-separated-values; charset=utf-8", "the same, separated by tabs"),
        Form(JSON, ".json", "application/json; charset=utf-8", "means and topic values of every run"),
        Form(
            LATEX,
            ".tex",
            "text/x-tex; charset=utf-8",
            "a table for a paper: the best value in bold, a dagger where a run is significantly worse",
        ),
        Form(TREC_EVAL, ".txt", "text/plain; charset=utf-8", "the output of trec_eval -q -c, run after run"),
        Form(
            PARQUET,
            ".parquet",
            "application/vnd.apache.parquet",
            "the same values as in CSV, stored by column",
            "pyarrow",
        ),
    )
}


def offered() -> list[Form]:
    """Return the formats that this server can write."""
    return [form for form in FORMS.values() if form.there]
