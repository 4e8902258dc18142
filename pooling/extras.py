"""Packages that the library does without until something needs them: `pip install 'jurypool[stats]'`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

# package -> the extra of pyproject.toml that brings it
EXTRAS = {"django": "server", "matplotlib": "plot", "scipy": "stats", "snowballstemmer": "stats"}


class MissingExtra(ModuleNotFoundError):
    """A package of an extra is not installed. The message names the extra."""


def import_extra(module: str) -> Any:
    """Return a module such as "scipy.stats". The first call imports it, which can take a second.

    Raises MissingExtra.

    >>> import_extra("scipy.special").ndtr(0.0).item()
    0.5
    """
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        message = f"this needs the package {package}: {install_command(EXTRAS[package])}"
        raise MissingExtra(message, name=package) from None


def install_command(extra: str) -> str:
    """Return the command that installs an extra: of the installed package, or of a checkout that is not."""
    from importlib.metadata import PackageNotFoundError, distribution  # takes time, and is rarely needed

    try:
        distribution("jurypool")
    except PackageNotFoundError:
        return f"pip install -e '{Path(__file__).parents[1]}[{extra}]'"
    return f"pip install 'jurypool[{extra}]'"
