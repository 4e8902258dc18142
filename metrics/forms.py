from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import QueryDict

from assess.models import QrelsRelease
from metrics.leaderboard import (
    TEXT_COLUMNS,
    UNJUDGED,
    FigureColumn,
    LeaderboardState,
    is_descending_at_first,
)
from metrics.measures.base import BadMeasure, Measure, UnknownMeasure
from metrics.measures.names import parse_measures, split_names, usual_measures
from metrics.queries.scores import measure_for
from metrics.significance.all_pairs import ALPHA
from pooling.models import Run

MOST_MEASURES = 40  # columns
MOST_COMPARED = 10  # runs on one page; the page of all runs is another
TEST_LABELS = {
    "t": "paired t",
    "randomisation": "randomisation",
    "bootstrap": "paired bootstrap",
    "wilcoxon": "Wilcoxon (legacy)",
    "sign": "sign (legacy)",
}
CORRECTION_LABELS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "benjamini-hochberg": "Benjamini-Hochberg",
    "none": "none",
}
OFFERED_MEASURES = parse_measures(
    "nDCG@10 nDCG@20 nDCG AP bpref P@5 P@10 P@20 Rprec RR R@100 R@1000 RBP(p=0.8) ERR@20 Success@10 infAP"
)


def as_sentence(error: ValueError) -> str:
    """Return an error message as a sentence, with a capital letter and a full stop."""
    text = str(error)
    return text[:1].upper() + text[1:] + ("" if text.endswith("?") else ".")


class ScoresForm(forms.Form):
    """The content of a page of scores: measures and order, by default the usual ones.

    Measures are names that the registry can parse. A name that cannot be used is an error of the form, and
    the page is shown without it.
    """

    groups = forms.ChoiceField(
        choices=[("", "all runs"), ("best", "best run of each group")], required=False, label="Groups"
    )
    judged = forms.BooleanField(required=False, label="Only runs with a judged top 10")
    word = "measures"  # the query parameter that lists the measures
    k = forms.IntegerField(
        min_value=1,
        max_value=1_000_000,
        required=False,
        label="Cut-off",
        help_text="If empty, all retrieved documents count.",
    )

    def __init__(self, data: QueryDict, release: QrelsRelease) -> None:
        super().__init__(data)
        self.usual = usual_measures(len(release.manifest["scale"]))
        self.release = release
        self.measures = self._read(" ".join(data.getlist(self.word))) or self.usual
        self.query_data: Mapping[str, Any] = data
        self.asked_figures, self.figures = data.getlist("figures"), list[FigureColumn]()
        self.full_clean()
        for error in self.wrong:
            self.add_error(None, error)

    def _read(self, text: str) -> list[Measure]:
        """Return the measures that can be shown; collect the errors of the others in `wrong`."""
        self.wrong: list[str] = []
        named: dict[str, Measure] = {}
        for name in split_names(text):
            try:
                measures = [measure_for(self.release, measure) for measure in parse_measures(name)]
            except (BadMeasure, UnknownMeasure) as error:
                self.wrong.append(as_sentence(error))
            else:
                named |= {measure.name: measure for measure in measures}
        named.pop(UNJUDGED, None)  # it always has a column of its own
        if len(named) > MOST_MEASURES:
            self.wrong.append(f"Expected at most {MOST_MEASURES} measures, found {len(named)}.")
        return list(named.values())[:MOST_MEASURES]

    def refuse(self, error: BadMeasure) -> None:
        """Show the usual measures instead, and the error: these qrels lack what a measure needs."""
        self.add_error(None, as_sentence(error))
        self.measures = self.usual
        self.__dict__.pop("state", None)

    def offer_figures(self, columns: Sequence[FigureColumn]) -> None:
        """Offer the figures of these runs as columns; those of the request are part of the state."""
        self.figures = list(columns)
        self.__dict__.pop("state", None)

    @property
    def offered_figures(self) -> list[tuple[FigureColumn, bool]]:
        """(column, whether it is shown) for each checkbox."""
        return [(column, column.key in self.asked_figures) for column in self.figures]

    @cached_property
    def state(self) -> LeaderboardState:
        """The state of the leaderboard."""
        names = tuple(measure.name for measure in self.measures)
        figures = tuple(column for column, is_shown in self.offered_figures if is_shown)
        order = self.query_data.get("order", "")
        known = *names, *TEXT_COLUMNS, UNJUDGED, *(column.key for column in figures)
        order = order if order in known else names[0]
        direction = self.query_data.get("direction", "")
        descending = direction == "descending" if direction else is_descending_at_first(order, figures)
        filters = self.cleaned_data.get("groups") == "best", bool(self.cleaned_data.get("judged"))
        return LeaderboardState(names, order, descending, *filters, figures)

    @property
    def lead(self) -> Measure:
        """The leading measure: the one that the table is sorted by, else the first."""
        return next(measure for measure in self.measures if measure.name == self.state.lead)

    @property
    def offered(self) -> list[tuple[str, bool]]:
        """(name, whether it is shown) for each checkbox: the shown measures and the most common ones."""
        shown = [measure.name for measure in self.measures]
        common = [measure.name for measure in OFFERED_MEASURES]
        return [(name, name in shown) for name in dict.fromkeys([*shown, *common])]


class AlphaMixin(forms.Form):
    alpha = forms.FloatField(min_value=0.001, max_value=0.5, required=False)

    @property
    def level(self) -> float:
        """The significance level, by default ALPHA."""
        return float(self.cleaned_data.get("alpha") or ALPHA)


class SignificanceForm(AlphaMixin, ScoresForm):
    """The page of all runs at once: measures, the tested one among them, and alpha."""


class ComparisonForm(AlphaMixin, ScoresForm):
    """The runs to compare, the measure, the test and the correction, each with a default.

    Runs are chosen among those that the person may see.
    """

    word = "measure"
    tests, corrections = list(TEST_LABELS.items()), list(CORRECTION_LABELS.items())
    test = forms.ChoiceField(choices=[("", ""), *TEST_LABELS.items()], required=False)
    correction = forms.ChoiceField(choices=[("", ""), *CORRECTION_LABELS.items()], required=False)

    @property
    def chosen_test(self) -> str:
        return self.cleaned_data.get("test") or "t"

    @property
    def chosen_correction(self) -> str:
        return self.cleaned_data.get("correction") or "holm"

    def __init__(self, data: QueryDict, release: QrelsRelease) -> None:
        self.tags = data.getlist("runs")
        super().__init__(data, release)

    def choose(self, runs: Sequence[Run]) -> None:
        """Set `chosen` to the requested runs, `baseline` to one of them, `against` to another one."""
        requested = list(dict.fromkeys(self.tags))
        known = {run.tag: run for run in runs}
        for tag in requested:
            if tag not in known:
                self.add_error(None, f"There is no run {tag}.")
        self.chosen = [known[tag] for tag in requested if tag in known]
        if len(self.chosen) > MOST_COMPARED:
            self.add_error(None, f"Expected at most {MOST_COMPARED} runs, found {len(self.chosen)}.")
            self.chosen = self.chosen[:MOST_COMPARED]
        others = [run.tag for run in self.chosen]
        self.baseline = self._tag("baseline", others)
        self.against = self._tag("against", [tag for tag in others if tag != self.baseline])

    def _tag(self, word: str, tags: Sequence[str]) -> str:
        tag = self.data.get(word, "")
        return tag if tag in tags else tags[0] if tags else ""

    @property
    def query(self) -> str:
        """The query of a link to this comparison."""
        pairs = [("runs", run.tag) for run in self.chosen]
        pairs += [("measure", self.lead.name), ("baseline", self.baseline), ("against", self.against)]
        pairs += [("test", self.chosen_test), ("correction", self.chosen_correction)]
        return urlencode([*pairs, ("alpha", f"{self.level:g}")])
