"""Read the grade in a reply of a language model, strictly: a reply in no declared form is no label."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

FINAL_LINE = "final score"
FINAL = re.compile(
    rf"^[ \t]*(?:#+[ \t]*)?{FINAL_LINE}[ \t]*:[ \t]*(?P<grade>-?[0-9]+)[ \t]*(?:\.[ \t]*)?\r?(?P<end>\n|\Z)",
    re.IGNORECASE | re.MULTILINE,
)
FENCE = re.compile(r"\A```[A-Za-z]*[ \t]*\r?\n(.*?)\r?\n?```\Z", re.DOTALL)
KEY = re.compile(r'"grade"\s*:\s*(?:"\s*)?(?P<grade>-?[0-9]+)')
NUMBER = re.compile(r"\s*(?P<grade>-?[0-9]+)\s*\Z")
CUT, REFUSED = "length", ("content_filter", "refusal")
LEAST_MASS = 0.9  # of the grades' probabilities before they are normalised; below it they are not trusted


class Reply(NamedTuple):
    """relevance: a grade of the scale, or None. problem: why there is none, a sentence; "" with a grade."""

    relevance: int | None
    problem: str = ""


class _Found(NamedTuple):
    """What a reply says: a text that should be a grade, or the problem. at: place in the reply, or None."""

    grade: str = ""
    problem: str = ""
    at: int | None = None


def read_reply(text: str, finish_reason: str, scale: Sequence[int]) -> Reply:
    """Return the grade of a reply. scale: the grades.

    Three forms are accepted: (a) the whole reply, without one code fence around it, is a JSON object whose
    key "grade" is a grade; (b) the final lines "final score: <grade>" all name the same grade; (c) the whole
    reply is a grade. Never raises.

    >>> read_reply("##final score: 3", "stop", [0, 1, 2, 3])
    Reply(relevance=3, problem='')
    >>> read_reply("The passage lists 2 of 3 causes.", "stop", [0, 1, 2, 3]).relevance is None
    True
    """
    answer = _find(text, finish_reason)
    if answer.problem:
        return Reply(None, answer.problem)
    grade = {str(value): value for value in scale}.get(answer.grade)
    if grade is None:
        return Reply(None, f"The grade {answer.grade[:20]} is not on the scale.")
    return Reply(grade)


def _find(text: str, finish_reason: str) -> _Found:
    if finish_reason in REFUSED:
        return _Found(problem="The server or the model refused to answer.")
    if not text.strip():
        return _Found(problem="The reply is empty.")
    for form in (_json_grade, _final_lines):
        if answer := form(text, finish_reason == CUT):
            return answer
    if finish_reason == CUT:
        return _Found(problem="The reply was cut before its grade.")
    if whole := NUMBER.match(text):
        return _Found(whole["grade"], at=whole.start("grade"))
    return _Found(problem="The reply has no grade in an accepted form.")


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of a JSON object, with keys that occur twice."""


def _json_grade(text: str, _: bool) -> _Found | None:
    body = text.strip()
    if fenced := FENCE.match(body):
        body = fenced[1].strip()
    if not body.startswith("{"):
        return None
    try:
        read = json.loads(body, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        return None
    values = [value for key, value in read if key == "grade"]
    if not values:
        return None
    if len(values) > 1:
        return _Found(problem="The reply has two answers.")
    value = values[0]
    if isinstance(value, bool) or not isinstance(value, int | str):
        return _Found(problem="The grade of the reply is not a whole number.")
    if isinstance(value, str) and not NUMBER.match(value):
        return _Found(problem="The grade of the reply is not a whole number.")
    places = [match.start("grade") for match in KEY.finditer(text)]
    return _Found(str(value).strip(), at=places[0] if len(places) == 1 else None)


def _final_lines(text: str, cut: bool) -> _Found | None:
    lines = list(FINAL.finditer(text))
    if not lines:
        return None
    if len({line["grade"] for line in lines}) > 1:
        return _Found(problem="The reply has two answers.")
    if cut and not lines[-1]["end"]:  # more digits may have followed
        return None
    return _Found(lines[-1]["grade"], at=lines[-1].start("grade"))


class GradeProbabilities(NamedTuple):
    """grades: grade -> probability, of sum 1. mass: their sum before. expected: the mean grade.

    confidence: the greatest probability.
    """

    grades: dict[int, float]
    mass: float
    expected: float
    confidence: float

    @property
    def is_trusted(self) -> bool:
        return self.mass >= LEAST_MASS

    def to_json(self) -> dict[str, Any]:
        return self._asdict() | {"grades": {str(grade): share for grade, share in self.grades.items()}}


def grade_probabilities(content: Any, finish_reason: str, scale: Sequence[int]) -> GradeProbabilities | None:
    """Return the probabilities of the grades at the grade's token; None if they cannot be computed.

    content: `choices[0].logprobs.content` of the reply: for each token its text, its logarithmic probability
    and the most probable tokens in its place. Never raises.
    """
    try:
        tokens = [str(entry["token"]) for entry in content]
    except (TypeError, KeyError):
        return None
    answer = _find("".join(tokens), finish_reason)
    if answer.at is None:
        return None
    entry = content[bisect_right(list(accumulate(map(len, tokens))), answer.at)]
    return _normalised(_shares(entry), scale)


def _shares(entry: dict[str, Any]) -> dict[str, float]:
    """Return token -> probability in one place; nothing if a logarithm is none."""
    shares = {}
    top = entry.get("top_logprobs")
    for option in [*(top if isinstance(top, list) else []), entry]:
        if not isinstance(option, dict) or not isinstance(option.get("token"), str):
            return {}
        logprob = option.get("logprob")
        if isinstance(logprob, bool) or not isinstance(logprob, int | float) or not logprob <= 0.01:
            return {}
        shares[option["token"]] = math.exp(logprob) if logprob > -1000 else 0.0
    return shares


def _normalised(shares: dict[str, float], scale: Sequence[int]) -> GradeProbabilities | None:
    raw = {
        grade: math.fsum(share for token, share in shares.items() if token.strip() == str(grade))
        for grade in scale
    }
    mass = math.fsum(raw.values())
    if not mass:
        return None
    grades = {grade: share / mass for grade, share in raw.items()}
    expected = math.fsum(grade * share for grade, share in grades.items())
    return GradeProbabilities(grades, min(mass, 1.0), expected, max(grades.values()))
