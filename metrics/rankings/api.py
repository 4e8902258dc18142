"""Runs by several measures, and the agreement of two judges, as the API gives them."""

from __future__ import annotations

from ninja import Schema
from pydantic import Field


class MeasuresQuery(Schema):
    """The requested measures."""

    measures: str = Field(
        "",
        max_length=2000,
        pattern=r"^[^\x00]*$",
        description="Names separated by blanks: `nDCG@10 AP(rel=2) P@5`. By default the usual measures.",
    )


class MeanOut(Schema):
    """A mean over topics with its rank. low, high: its interval, null without one."""

    mean: float
    rank: int
    low: float | None
    high: float | None
    no_interval: str = Field(description="Why there is no interval; empty with one.")


class MeasureMeanOut(MeanOut):
    """A mean over the topics in which every run has a score."""

    measure: str


class MeasuredRunOut(Schema):
    run: str
    groups: str = Field(description="Runs that share a letter do not differ significantly.")
    scores: list[MeasureMeanOut]


class MeasureOut(Schema):
    name: str
    meaning: str
    topics: int
    undefined: dict[str, str] = Field(description="Topics that are left out -> why.")


class LabelledRunsOut(Schema):
    """Runs by the labels that judges gave to their answers."""

    labels: int
    judges: int
    answers: int
    complete: int = Field(description="Answers with all labels of a judge.")
    measures: list[MeasureOut]
    runs: list[MeasuredRunOut] = Field(description="The best by the first measure that has means first.")
    doubled: int = Field(description="Labels of two judges of the same thing.")
    same: int = Field(description="Equal ones among them.")
    kappa: float | None = Field(description="Cohen's kappa of them.")
    kappa_reason: str = Field(description="Why it is null.")
    kappa_strict: float | None = Field(description="Cohen's kappa of full support or not.")
    kappa_strict_reason: str = Field(description="Why it is null.")
