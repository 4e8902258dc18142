"""The form for a table of figures."""

from __future__ import annotations

from pooling.forms.files import FileForm


class SystemFiguresForm(FileForm):
    """A table with the tag of a run and its figures on each line."""
