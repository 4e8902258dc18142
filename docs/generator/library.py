"""The page of the Python library: its public names, their signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import jurypool
from docs.generator.markdown import block, code, prose

DEFINITION = re.compile(r"^\S.*\n    ")


def pages() -> dict[str, str]:
    return {"library.md": "\n".join(_parts())}


def _parts() -> Iterator[str]:
    yield "# Python library\n"
    yield from _docstring(inspect.getdoc(jurypool) or "")
    yield "Write `import jurypool`. These are all public names.\n"
    for name in jurypool.__all__:
        thing = getattr(jurypool, name)
        yield f"({'class' if inspect.isclass(thing) else 'name'}-{name})=\n## {prose(name)}\n"
        if callable(thing):
            yield block(f"jurypool.{name}{_signature(thing)}", "python")
            yield from _docstring(inspect.getdoc(thing) or "")
            if inspect.isclass(thing):
                yield from _members(thing)
        else:
            yield f"The version: {code(thing)}.\n"


def _signature(thing: Any) -> str:
    try:
        return str(inspect.signature(thing)).replace("'", "")
    except ValueError:
        return "(...)"


def _members(thing: type) -> Iterator[str]:
    for name, member in vars(thing).items():
        plain = member.fget if isinstance(member, property) else member
        if name.startswith("_") or not inspect.isfunction(plain) or not inspect.getdoc(plain):
            continue
        yield f"**{prose(name)}**" + ("" if isinstance(member, property) else code(_signature(plain))) + "\n"
        yield from _docstring(inspect.getdoc(plain) or "")


def _docstring(text: str) -> Iterator[str]:
    """Yield Markdown of a docstring: paragraphs, sections with their definitions, examples."""
    for part in re.split(r"\n\s*\n", text):
        lines = part.splitlines()
        if len(lines) > 1 and set(lines[1].strip()) == {"-"}:
            yield f"**{lines[0]}**\n"
            part = "\n".join(lines[2:])
        if part.lstrip().startswith(">>>"):
            yield block(part, "pycon")
        elif DEFINITION.match(part):
            yield _definitions(part)
        elif part.strip():
            yield f"{prose(part.replace('``', '`'))}\n"


def _definitions(text: str) -> str:
    """Return names with an indented explanation as a list."""
    items: list[str] = []
    for line in text.splitlines():
        if line.startswith(" ") and items:
            items[-1] += f" {line.strip()}"
        else:
            items.append(f"`{line}`:")
    return "".join(f"- {prose(item.replace('``', '`'))}\n" for item in items)
