"""One documented thing of the standard library, and how its names and signatures are written."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

SIGNATURE_WIDTH = 160  # characters; a few signatures of the library are longer than a screen


class Definition(NamedTuple):
    """A module, class, function or method that has a docstring.

    name: the dotted public name (`pathlib.Path.glob`; `str.split`, without `builtins`). module: where it is
    public. kind: "class", "method". signature: "(pattern)", or "" where there is none.
    origin: where it is defined; one thing that is reached by several public names has one origin.
    """

    name: str
    module: str
    kind: str
    signature: str
    docstring: str
    origin: str


def is_public(name: str) -> bool:
    """Say whether a name, or a dotted name in all its parts, is meant for the outside."""
    return not any(part.startswith("_") for part in name.split("."))


def shorten(signature: str) -> str:
    """Return the signature on one line, cut at SIGNATURE_WIDTH."""
    line = " ".join(signature.split())
    return line if len(line) <= SIGNATURE_WIDTH else f"{line[: SIGNATURE_WIDTH - 4].rstrip(', ')}, …)"


def written_signature(node: ast.FunctionDef | ast.AsyncFunctionDef, bound: bool) -> str:
    """Return the parameters as source without annotations; `bound` leaves out the first (`self`, `cls`)."""
    parameters = node.args
    positional = [*parameters.posonlyargs, *parameters.args]
    variadic = [parameter for parameter in (parameters.vararg, parameters.kwarg) if parameter]
    for parameter in [*positional, *parameters.kwonlyargs, *variadic]:
        parameter.annotation = None
    # Written whole and cut as text: the tree is shared by every public name that leads to it.
    text = ast.unparse(parameters)
    if bound and positional:
        text = re.sub(rf"^{positional[0].arg}(, /)?(, |$)", "", text)
    return shorten(f"({text})")


def compiled_signature(described: object) -> str:
    """Return the parameters that an extension module declares for a function or method, or ""."""
    declared = getattr(described, "__text_signature__", None)
    return shorten(re.sub(r"\$\w+(, /)?(, )?", "", declared)) if declared else ""
