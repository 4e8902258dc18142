"""Whether users and qrels agree on the order of two runs, in words."""

from __future__ import annotations

from typing import NamedTuple

ALPHA = 0.05
NO_CLICKS = "No clicks have been read yet."
NO_QRELS = "There are no scores of both runs, because no release has been made or a run was withdrawn."
NOT_SHOWN = (
    "Neither agreement nor disagreement is shown: a difference that is not significant may still exist."
)


BY_TOPIC = (
    "The preference of users is significant over sessions but not over topics: few topics may decide it."
)


class Finding(NamedTuple):
    """What users or qrels find. difference: above 0 for the first run. p: None where it is undefined."""

    difference: float
    p: float | None

    @property
    def is_significant(self) -> bool:
        return self.p is not None and self.p <= ALPHA

    @property
    def sign(self) -> int:
        return (self.difference > 0) - (self.difference < 0)


def agreement_in_words(
    tags: tuple[str, str], measure: str, users: Finding | None, qrels: Finding | None
) -> str:
    """Return the answer. measure: the one whose scores are tested; a higher value is better.

    >>> users, qrels = Finding(0.08, 0.01), Finding(0.02, 0.4)
    >>> print(agreement_in_words(("a", "b"), "AP", users, None))
    There are no scores of both runs, because no release has been made or a run was withdrawn.
    >>> agreement_in_words(("a", "b"), "AP", users, qrels)[:66]
    'Undecided: users prefer a, and the difference in AP is not signifi'
    """
    if users is None:
        return NO_CLICKS
    if qrels is None:
        return NO_QRELS
    better = {1: tags[0], -1: tags[1]}
    if users.is_significant and qrels.is_significant:
        same = users.sign == qrels.sign
        joined = "and" if same else "but"
        sentence = (
            f"users prefer {better[users.sign]}, {joined} {better[qrels.sign]} has the higher {measure}"
        )
        return f"{'Yes' if same else 'No'}: {sentence}. Both differences are significant."
    said = (
        "users prefer " + better[users.sign]
        if users.is_significant
        else "users have no significant preference"
    )
    scored = (
        f"{better[qrels.sign]} has the significantly higher {measure}"
        if qrels.is_significant
        else f"the difference in {measure} is not significant"
    )
    return f"Undecided: {said}, and {scored}. {NOT_SHOWN}"
