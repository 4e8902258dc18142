"""Names of a file beside those of a campaign: what differs only in how it is written.

Files write topic 51 as 051 or MB051, and document D2 as d2.txt. A rule that makes two such names one is only
offered where no two names of the file would become the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

ENDINGS = re.compile(r"(?<=.)(\.[a-z]{1,5}[0-9]?)+\Z", re.IGNORECASE)
LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
PREFIX = re.compile(r"[^\W\d]+[-_.:]?(?=\d)")
MOST_SHOWN = 5  # names that a sentence gives as examples

Key = Callable[[str], str]


class Match(NamedTuple):
    """Names of a file that are names of the campaign by a rule. rule: what is left out of both.

    names: name in the file -> name in the campaign, without those that are the same.
    """

    rule: str
    names: Mapping[str, str]

    def sentence(self, what: str, place: str) -> str:
        """Return how many names the rule matches, and the first of them.

        >>> Match("leading zeros", {"51": "051"}).sentence("topic", "of this campaign")
        '1 topic would be of this campaign without leading zeros: 51 is 051'
        """
        return f"{self._counted(what)} would be {place} without {self.rule}: {self.examples}"

    def note(self, what: str) -> str:
        """Return that the names were taken for those of the campaign.

        >>> Match("leading zeros", {"51": "051", "52": "052"}).note("topic")
        '2 topics matched without leading zeros: 51 is 051, 52 is 052'
        """
        return f"{self._counted(what)} matched without {self.rule}: {self.examples}"

    @property
    def examples(self) -> str:
        """The first names, and how many others there are."""
        more = len(self.names) - MOST_SHOWN
        pairs = [f"{name} is {known}" for name, known in islice(self.names.items(), MOST_SHOWN)]
        return ", ".join(pairs) + (f" and {more:,} more" if more > 0 else "")

    def _counted(self, what: str) -> str:
        count = len(self.names)
        return f"{count:,} {what}{'' if count == 1 else 's'}"


def match_names(given: Iterable[str], known: Collection[str]) -> Match | None:
    """Return the rule by which most names of a file become names of the campaign; None if none does.

    Of two rules that match as many names, the simpler one. given: all names of the file, also those that the
    campaign has.

    >>> match_names(["51", "52"], ["051", "052", "053"])
    Match(rule='leading zeros', names={'51': '051', '52': '052'})
    >>> match_names(["1", "01"], ["001"]) is None  # both would be 001
    True
    """
    names, campaign = list(dict.fromkeys(given)), set(known)
    best: Match | None = None
    for rule, key in RULES.items():
        groups = _matched(names, campaign, key)
        if groups and (best is None or len(groups) > len(best.names)):
            best = Match(rule, groups)
    return best


def _matched(names: list[str], known: set[str], key: Key) -> dict[str, str]:
    """Return name -> known name, by one rule; none where a name could be two, or two names one."""
    by_key: dict[str, str | None] = {}
    for name in known:
        by_key[key(name)] = None if key(name) in by_key else name
    groups: dict[str, str] = {}
    taken = {name for name in names if name in known}
    for name in names:
        match = None if name in known else by_key.get(key(name))
        if match is None:
            continue
        if match in taken:
            return {}
        taken.add(match)
        groups[name] = match
    return groups


def _without_case(name: str) -> str:
    return name.casefold()


def _without_ending(name: str) -> str:
    return ENDINGS.sub("", name)


def _without_zeros(name: str) -> str:
    return LEADING_ZEROS.sub("", name)


def _without_prefix(name: str) -> str:
    match = PREFIX.match(name)
    return name[match.end() :] if match else name


def _composed(name: str) -> str:
    return unicodedata.normalize("NFKC", name)


def _all(*keys: Key) -> Key:
    def combined(name: str) -> str:
        for key in keys:
            name = key(name)
        return name

    return combined


RULES: Mapping[str, Key] = {  # what is left out of both names, the simplest first
    "leading zeros": _without_zeros,
    "upper case": _without_case,
    "endings": _without_ending,
    "differences of the Unicode form": _composed,
    "percent signs of addresses": unquote,
    "a prefix of letters": _without_prefix,
    "upper case and endings": _all(_without_ending, _without_case),
    "a prefix of letters and leading zeros": _all(_without_prefix, _without_zeros),
    "upper case, endings, leading zeros and Unicode form": _all(
        _composed, _without_ending, _without_case, _without_zeros
    ),
}
