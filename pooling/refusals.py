"""The exception whose message is shown to a person."""

from __future__ import annotations


class Refused(ValueError):
    """Something a person asked for that cannot be done; `str()` says what is wrong and what was expected.

    Only these are shown as they are. Any other exception, a plain ValueError included, is an error in the
    program: it is logged, and the person is told that there was an internal error.
    """


class Conflict(Refused):
    """Something that would be valid, but does not fit what is stored. The API answers it with 409."""
