"""What a measure is: a kind, such as nDCG, with its parameters and its cut-off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Literal

from metrics.parameters import Parameter, Value
from pooling.arrays import IntVector, Vector
from pooling.refusals import Refused

if TYPE_CHECKING:
    from metrics.index import QrelsIndex

DEEPEST_AT_ONCE = 100  # the last rank to which many rankings are scored at once

Uses = Literal["grades", "threshold", "neither"]
Needs = Literal["qrels", "judges", "subtopics", "strata", "preferences"]
Direction = Literal["higher", "lower", "neither"]


class UnknownMeasure(Refused):
    """A name that is no measure's. `nearest`: the known name that looks most like it, or ""."""

    def __init__(self, text: str, nearest: str = "") -> None:
        self.text, self.nearest = text, nearest
        wish = f"; did you mean {nearest}?" if nearest else ""
        super().__init__(f"unknown measure {text!r}{wish}")


class BadMeasure(Refused):
    """A known measure with a parameter or a cut-off that it cannot have, or on qrels it cannot read."""


@dataclass(frozen=True, eq=False, repr=False)
class Kind:
    """A kind of measure: everything that there is to say about it, in one place.

    - name: as ir_measures writes it
    - compute: takes the hits and, as keywords, the parameters and `cutoff`; returns one value per topic of
      the qrels
    - meaning: one line
    - citation: who defined it
    - uses: whether it reads grades, only which documents reach the threshold, or neither
    - low, high: the smallest and the largest value
    - parameters: by name
    - cutoff: the type of what may stand behind `@`, None when nothing may; needs_cutoff: it must
    - trec_eval, trec_eval_cut: trec_eval's name without and with a cut-off, "" where it has none
    - average: how topics are averaged
    - perfect: whether the ideal ranking scores `high`
    - missing: what profile trec_eval-10 gives a topic that the run lacks; there, trec_eval scores one
      unjudged document in its place ("computed"), or does so only where the name has
      parameters ("labelled");
      "always": computed in every profile, for nothing retrieved, where 0 would be a reward
    - needs: "judges" for qrels whose iterations are kept apart, "subtopics" for the same, of which ordinary
      qrels are a case with one subtopic, "strata" for sampled judgments, "preferences" for preferences
      instead of qrels
    - parts: for a micro average, takes what `compute` takes and returns the part and the whole of every
      topic; the mean is then the sum of parts over the sum of wholes
    - at_ranks: what `compute` returns without parameters, of many rankings at once: takes the index, grades
      of shape (rankings, topics, cut-off), those of documents that nobody judged negative, and the grade
      from which a document is relevant; returns shape (rankings, topics)
    - judged_only: whether it takes ir_measures' parameter of that name
    - direction: which values are better; "neither" where a value describes the topics or the length of the
      run and says nothing of its quality
    - formula: what `compute` does for one topic, in the signs of `metrics.formulas`; where: what else the
      formula says, and what is undefined
    """

    name: str
    compute: Callable[..., Vector]
    meaning: str
    citation: str
    uses: Uses
    low: float = 0.0
    high: float = 1.0
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    cutoff: type[int] | type[float] | None = None
    needs_cutoff: bool = False
    trec_eval: str = ""
    trec_eval_cut: str = ""
    average: Literal["mean", "sum", "geometric"] = "mean"
    perfect: bool = False
    missing: Literal["zero", "computed", "labelled", "always"] = "zero"
    needs: Needs = "qrels"
    parts: Callable[..., tuple[Vector, Vector]] | None = None
    at_ranks: Callable[[QrelsIndex, IntVector, int], Vector] | None = None
    judged_only: bool = False
    where: str = ""
    direction: Direction = field(kw_only=True)  # no default: every kind must say it
    formula: str = field(kw_only=True)

    @property
    def defaults(self) -> dict[str, Value]:
        """Parameter -> the value that it has where it is not given."""
        return {name: parameter.default for name, parameter in self.parameters.items()}


@dataclass(frozen=True)
class Measure:
    """A measure with everything set. Two measures are equal when their kinds, parameters and labels are.

    parameters: (name, value) pairs that differ from the default, in the kind's order. label: trec_eval's name
    when it keeps the text of the parameters, as in `utility_2,-1,0,0`.
    """

    kind: Kind
    parameters: tuple[tuple[str, Value], ...] = ()
    cutoff: int | float | None = None
    label: str = ""

    @cached_property
    def name(self) -> str:
        """The canonical name, as ir_measures writes it: `AP(rel=2)@100`."""
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters)
        cut = (
            "" if self.cutoff is None else f"@{self.cutoff:g}" if self.cutoff % 1 else f"@{int(self.cutoff)}"
        )
        return f"{self.kind.name}({inside}){cut}" if inside else f"{self.kind.name}{cut}"

    @property
    def trec_eval(self) -> str:
        """trec_eval's name, as it prints it (`P_5`, `iprec_at_recall_0.10`), or "" where it has none."""
        if self.label:
            return self.label
        if self.parameters:
            return ""
        if self.cutoff is None:
            return self.kind.trec_eval
        if not self.kind.trec_eval_cut:
            return ""
        cut = f"{self.cutoff:3.2f}" if self.kind.cutoff is float else f"{self.cutoff}"
        return f"{self.kind.trec_eval_cut}_{cut}"

    @property
    def low(self) -> float:
        """The smallest value that it can take."""
        return self.kind.low

    @property
    def high(self) -> float:
        """The largest value that it can take."""
        return self.kind.high

    @property
    def direction(self) -> Direction:
        """Whether higher or lower values are better, or neither."""
        return self.kind.direction

    @property
    def is_mean(self) -> bool:
        """Whether a run's score is the mean of its topics' values, which is what tests of means are about."""
        return self.kind.average == "mean" and self.kind.parts is None

    @property
    def uses(self) -> Uses:
        """Whether it reads grades, only which documents reach the threshold, or neither."""
        return "threshold" if self.kind.uses == "grades" and self._has_threshold else self.kind.uses

    @property
    def _has_threshold(self) -> bool:
        return dict(self.parameters).get("rel") is not None

    @property
    def at_ranks(self) -> Callable[[QrelsIndex, IntVector, int], Vector] | None:
        """The kind's way to score many rankings at once, cut off where this is; None where it has none, and
        where a table of rankings by ranks would take much room."""
        shallow = self.cutoff is not None and self.cutoff <= DEEPEST_AT_ONCE
        return self.kind.at_ranks if shallow and not self.parameters else None

    @property
    def citation(self) -> str:
        """Who defined it."""
        return self.kind.citation

    @property
    def meaning(self) -> str:
        """What it says, in one line."""
        return self.kind.meaning

    @cached_property
    def arguments(self) -> dict[str, Value]:
        """Every parameter's value, and the cut-off where the kind takes one."""
        found: dict[str, Value] = {**self.kind.defaults, **dict(self.parameters)}
        if self.kind.cutoff is not None:
            found["cutoff"] = self.cutoff
        return found

    def __str__(self) -> str:
        return self.name


__all__ = ["BadMeasure", "Direction", "Kind", "Measure", "UnknownMeasure", "Uses", "Value", "inf"]
