"""What a measure is: a kind, such as nDCG, with its parameters, its formula and its cut-off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Literal, NamedTuple

from pooling.arrays import IntVector, Vector
from pooling.formats.qrels import LARGEST_GRADE
from pooling.refusals import Refused

Value = int | float | str | bool | None


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kind of measure.

    default: its type is the type of every value; None stands for a whole number that is not set. meaning: one
    line. low, high: the smallest and the largest number. choices: the allowed words, if they are limited.
    """

    default: Value
    meaning: str
    low: float = -inf
    high: float = inf
    choices: tuple[str, ...] = ()

    def with_default(self, default: Value) -> Parameter:
        """Return a copy of the parameter with another default."""
        return replace(self, default=default)


BELOW_ONE = 0.999999  # the largest persistence: a series in p has a sum only below 1
REL = Parameter(None, "the lowest relevant grade; without it, the general threshold", 0)
MIN_REL = Parameter(0, "the grade that counts as gain 0", 0, LARGEST_GRADE)
MAX_REL = Parameter(None, "the grade of full gain; without it, the highest of the qrels", 1, LARGEST_GRADE)
COLLECTION = Parameter(None, "documents in the collection; without it, the size given for all", 1, 1e15)
GAINS = Parameter("", "gains of grades other than the grade itself, such as '1=3,2=9'")
PERSISTENCE = Parameter(0.8, "the probability of going on to the next rank", 0, BELOW_ONE)
WANTED = Parameter(1.0, "T, the gain that the reader wants", 0.000001, 1e6)
BETA = Parameter(1.0, "the weight of recall against precision", 0, 1e6)
JUDGED_ONLY = Parameter(False, "whether documents without a grade are left out of the ranking")


SYMBOLS: Mapping[str, str] = {
    "k": "a rank, from 1",
    "n": "how many documents the run retrieved for the topic",
    "R": "how many documents are relevant: their grade reaches the threshold",
    "rel(k)": "1 where the document at rank k is relevant, else 0",
    "g(k)": "the grade of the document at rank k, 0 without one",
    "P(k)": "precision at rank k: Σ rel(i) over the ranks 1 to k, divided by k",
    "tp, fp, fn, tn": "relevant retrieved, other retrieved, relevant missed, all others",
    "N": "how many documents the collection has",
}
NO_RELEVANT = "0 where R is 0."
NO_GAIN = "0 where no document has a positive grade."


if TYPE_CHECKING:
    from metrics.engine.qrels_index import QrelsIndex

# citations of measures in several modules
NIST = "trec_eval (NIST)"
RIJSBERGEN = "C. J. van Rijsbergen. Information Retrieval. Butterworths, 1979"
JARVELIN = (
    "K. Jarvelin and J. Kekalainen. Cumulated Gain-based Evaluation of IR Techniques. ACM TOIS 20(4), 2002"
)
IR_MEASURES = "S. MacAvaney, C. Macdonald and I. Ounis. Streamlining Evaluation with ir-measures. ECIR 2022"
CHAPELLE = "O. Chapelle et al. Expected Reciprocal Rank for Graded Relevance. CIKM 2009"

DEEPEST_AT_ONCE = 100  # the deepest cut-off at which many rankings are scored at once

Uses = Literal["grades", "threshold", "neither"]
Needs = Literal["qrels", "judges", "subtopics", "strata", "preferences"]
Direction = Literal["higher", "lower", "neither"]


class UnknownMeasure(Refused):
    """An unknown measure name. nearest: the most similar known name, or ""."""

    def __init__(self, text: str, nearest: str = "") -> None:
        self.text, self.nearest = text, nearest
        hint = f"; did you mean {nearest}?" if nearest else ""
        super().__init__(f"unknown measure {text!r}{hint}")


class BadMeasure(Refused):
    """A known measure with an invalid parameter or cut-off, or one that cannot be computed on these qrels."""


@dataclass(frozen=True, eq=False, repr=False)
class MeasureKind:
    """A kind of measure, such as nDCG: its function, parameters, formula, direction and source.

    - name: as ir_measures writes it
    - compute: function of the hits and, as keywords, the parameters and `cutoff`; returns one value per topic
      of the qrels
    - meaning: what the value says, in one line
    - citation: the publication that defines it
    - uses: what it reads of the judgments: grades, only which documents reach the threshold, or neither
    - low, high: the smallest and the largest value
    - parameters: name -> parameter
    - cutoff: the type of the cut-off after `@`, None for a measure without one
    - needs_cutoff: whether the cut-off is mandatory
    - trec_eval, trec_eval_cut: trec_eval's name without and with a cut-off, "" where it has none
    - average: how the topics' values become the run's value
    - perfect: whether the ideal ranking scores `high`
    - missing: the value of a topic that the run lacks. "zero": 0. "computed": in profile trec_eval-10 the
      value of one unjudged document, as trec_eval 10 has it. "labelled": the same, only where the name states
      parameters. "always": computed in every profile, because 0 would be a good value
    - needs: the form of judgments. "qrels"; "judges": qrels with one iteration per judge; "subtopics": qrels
      with one iteration per subtopic (ordinary qrels have one); "strata": sampled judgments; "preferences"
    - parts: for a micro average, function of the arguments of `compute` that returns the numerator and the
      denominator of every topic; the run's value is the sum of numerators over the sum of denominators
    - at_ranks: the same as `compute` without parameters, for many rankings at once: function of the index,
      grades of shape (rankings, topics, cut-off), negative for unjudged documents, and the relevance
      threshold; returns shape (rankings, topics)
    - judged_only: whether it takes ir_measures' parameter of that name
    - direction: which values are better; "neither" for a value that describes the topics or the length of the
      run and not its quality
    - formula: what `compute` does for one topic, in the symbols of SYMBOLS
    - where: what the formula leaves open, such as undefined cases
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
    direction: Direction = field(kw_only=True)  # no default: every kind must state it
    formula: str = field(kw_only=True)

    @property
    def defaults(self) -> dict[str, Value]:
        """Parameter name -> default value."""
        return {name: parameter.default for name, parameter in self.parameters.items()}


class Family(NamedTuple):
    """Kinds of measures that are listed together. title: the heading of the list."""

    title: str
    kinds: tuple[MeasureKind, ...]


@dataclass(frozen=True)
class Measure:
    """A kind of measure with parameters and cut-off. Measures are equal when all of their fields are.

    parameters: (name, value) pairs that differ from the default, in the kind's order. label: trec_eval's name
    where that repeats the text of the parameters, as in `utility_2,-1,0,0`.
    """

    kind: MeasureKind
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
        """Whether a run's score is the mean of its topics' values, as significance tests of means assume."""
        return self.kind.average == "mean" and self.kind.parts is None

    @property
    def uses(self) -> Uses:
        """What it reads of the judgments: grades, only which documents reach the threshold, or neither."""
        return "threshold" if self.kind.uses == "grades" and self._has_threshold else self.kind.uses

    @property
    def _has_threshold(self) -> bool:
        return dict(self.parameters).get("rel") is not None

    @property
    def at_ranks(self) -> Callable[[QrelsIndex, IntVector, int], Vector] | None:
        """The kind's function for many rankings at once, or None.

        None also with parameters, and with a cut-off so deep that the table of grades would be large.
        """
        shallow = self.cutoff is not None and self.cutoff <= DEEPEST_AT_ONCE
        return self.kind.at_ranks if shallow and not self.parameters else None

    @property
    def citation(self) -> str:
        """The publication that defines it."""
        return self.kind.citation

    @property
    def meaning(self) -> str:
        """What the value says, in one line."""
        return self.kind.meaning

    @cached_property
    def arguments(self) -> dict[str, Value]:
        """Every parameter's value, and the cut-off where the kind takes one."""
        values: dict[str, Value] = {**self.kind.defaults, **dict(self.parameters)}
        if self.kind.cutoff is not None:
            values["cutoff"] = self.cutoff
        return values

    def __str__(self) -> str:
        return self.name
