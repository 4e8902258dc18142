"""Real collections beside the repository, and which tests they are for; absent ones are named in the skip."""

from __future__ import annotations

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "../shared/data"


def needs(folder: str) -> pytest.MarkDecorator:
    """Skip, by name, where the collection is not on this machine."""
    return pytest.mark.skipif(
        not (DATA / folder).is_dir(), reason=f"the {folder} collection is not beside the repository"
    )
