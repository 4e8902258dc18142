"""Names that stand in addresses and in lines of files: topic numbers, tags, sign-in names."""

from __future__ import annotations

import re

# A browser takes the parts "." and ".." of an address for the folder itself and the one above it.
NAME = re.compile(r"^(?!\.{1,2}\Z)[^\s/]+\Z")


def is_name(text: str) -> bool:
    """Return whether `text` can stand in an address and in a line of blank-separated fields.

    >>> [is_name(text) for text in ("401", "A-7", "...", "", "a b", "a/b", ".", "..")]
    [True, True, True, False, False, False, False, False]
    """
    return bool(NAME.match(text))
