"""Long work shows a bar on a terminal, and nowhere else."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator

import pytest

from pooling import progress as module
from pooling.progress import progress


class Terminal(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm", reason="tqdm is not here")
    monkeypatch.setattr(module, "WAIT", -1.0)


def said(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO) -> str:
    """Return what three items write to this standard error."""
    monkeypatch.setattr(sys, "stderr", stream)
    assert list(progress([4, 5, 6], "runs")) == [4, 5, 6]
    return stream.getvalue()


@pytest.mark.usefixtures("at_once")
def test_a_terminal_shows_how_many_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "/3 [" in said(monkeypatch, Terminal()) and " runs" in said(monkeypatch, Terminal())


@pytest.mark.usefixtures("at_once")
def test_a_file_or_a_pipe_stays_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, io.StringIO()) == ""


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, Terminal()) == ""


@pytest.mark.usefixtures("at_once")
def test_nothing_is_shown_without_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    assert said(monkeypatch, Terminal()) == ""


@pytest.mark.usefixtures("at_once")
def test_work_of_unknown_length_that_fails_ends_its_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("gone")

    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    with pytest.raises(ValueError, match="gone"):
        list(progress(items(), "runs"))
    assert stream.getvalue().endswith("\r")  # the line is cleared
