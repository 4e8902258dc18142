"""Names that differ only in how they are written are matched by one rule, and never two with one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.intake.compare import RULES, match_names

CASES = [
    # given, known, rule, names
    (["51", "52"], ["051", "052"], "leading zeros", {"51": "051", "52": "052"}),
    (["051"], ["51"], "leading zeros", {"051": "51"}),
    (["FT911-3"], ["FT911-0003"], "leading zeros", {"FT911-3": "FT911-0003"}),
    (["26"], ["AR26"], "a prefix of letters", {"26": "AR26"}),
    (["1"], ["MB001"], "a prefix of letters and leading zeros", {"1": "MB001"}),
    (["MB-7"], ["7"], "a prefix of letters", {"MB-7": "7"}),
    (["d2"], ["D2"], "upper case", {"d2": "D2"}),
    (["D2.html.gz"], ["D2"], "endings", {"D2.html.gz": "D2"}),
    (["d2.txt"], ["D2"], "upper case and endings", {"d2.txt": "D2"}),
    (["Zu\u0308rich"], ["Z\u00fcrich"], "differences of the Unicode form", {"Zu\u0308rich": "Z\u00fcrich"}),
    (["A%20b"], ["A b"], "percent signs of addresses", {"A%20b": "A b"}),
]


@pytest.mark.parametrize(("given_names", "known", "rule", "names"), CASES)
def test_names_are_matched_by_the_simplest_rule(
    given_names: list[str], known: list[str], rule: str, names: dict[str, str]
) -> None:
    match = match_names(given_names, known)
    assert match and (match.rule, match.names) == (rule, names)


@pytest.mark.parametrize(
    ("given_names", "known"),
    [
        (["D10"], ["D1"]),
        (["1", "01"], ["001"]),  # two names of the file would be one
        (["051", "51"], ["51"]),  # one of them is the campaign's already
        (["d"], ["D", "\u0064\u0301"]),
        (["1"], ["A1", "B1"]),  # it could be either
        (["1"], ["1"]),
        ([], ["1"]),
    ],
)
def test_names_are_not_matched_where_two_could_be_meant(given_names: list[str], known: list[str]) -> None:
    match = match_names(given_names, known)
    assert match is None or match.rule == "upper case"  # "d" is "D" by one rule alone


names = st.text("aA01.%é-", min_size=1, max_size=5)


@given(st.lists(names, max_size=12), st.lists(names, max_size=12, unique=True))
def test_matched_names_stay_different_and_are_known(given_names: list[str], known: list[str]) -> None:
    match = match_names(given_names, known)
    if match:
        key = RULES[match.rule]
        renamed = {name: match.names.get(name, name) for name in given_names}
        assert set(match.names) <= set(given_names) - set(known)
        assert set(match.names.values()) <= set(known)
        assert len(set(renamed.values())) == len(renamed)
        assert all(key(name) == key(other) for name, other in match.names.items())


@given(st.lists(st.integers(1, 999), min_size=1, unique=True), st.integers(3, 6))
def test_numbers_with_zeros_are_all_found(numbers: list[int], width: int) -> None:
    match = match_names(map(str, numbers), [f"{number:0{width}}" for number in numbers])
    found = dict(match.names) if match else {}
    assert found == {str(n): f"{n:0{width}}" for n in numbers if str(n) != f"{n:0{width}}"}
