"""The headers of model summaries in the text of a pyramid, found by a simple regular expression of the file.

A general expression from a file could take hours (catastrophic backtracking), so only simple ones are
accepted: characters, escapes such as `\\d`, `.`, and classes such as `[A-Z]`, each perhaps with `*`, `+` or
`?`. A repeated item takes as much as it can and gives nothing back.
"""

from __future__ import annotations

import re

MAX_EXPRESSION = 200  # characters
MAX_REPEATED = 10  # items with *, + or ?
MOST_REPEATS = 200  # of one item
EXPECTED = (
    f"expected an expression of at most {MAX_EXPRESSION} characters, escapes, classes as in [A-Z], and at "
    f"most {MAX_REPEATED} signs *, + or ?, without groups and choices"
)
_ESCAPE = r"\\[nrtdswDSW]|\\[^\w\s]"
_ITEM = re.compile(
    rf"(?P<atom>{_ESCAPE}|\.|[^\\\[\](){{}}|*+?^$.]"
    rf"|\[\^?(?:(?!--|&&|\|\||~~)(?:{_ESCAPE}|[^\\\[\]]))+\])(?P<sign>[*+?]?)",
    re.ASCII,
)
_REPEATS = {"": "", "?": "?+", "*": f"{{0,{MOST_REPEATS}}}+", "+": f"{{1,{MOST_REPEATS}}}+"}


def header_pattern(expression: str) -> re.Pattern[str]:
    """Return the pattern that finds headers. Raises ValueError for an expression that is not simple.

    >>> header_pattern(r"[-]*\\n [A-Z]\\d+\\n[-]*\\n").findall("---\\n D31\\n---\\nBoats float.\\n")
    ['---\\n D31\\n---\\n']
    """
    items = list(_ITEM.finditer(expression))
    repeated = sum(bool(item["sign"]) for item in items)
    is_whole = "".join(item[0] for item in items) == expression
    has_controls = any(ord(character) < 32 and character != "\n" for character in expression)
    if not (0 < len(expression) <= MAX_EXPRESSION and repeated <= MAX_REPEATED and is_whole) or has_controls:
        raise ValueError(EXPECTED)
    source = "".join(item["atom"] + _REPEATS[item["sign"]] for item in items)
    try:
        pattern = re.compile(source, re.ASCII)
    except re.error as error:
        raise ValueError(f"{EXPECTED} ({error.msg})") from error
    if pattern.match(""):
        raise ValueError("expected an expression that does not match an empty text")
    return pattern
