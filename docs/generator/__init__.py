"""The generated pages of the reference: file name -> Markdown, read from the code.

`docs/conf.py` writes them to `docs/reference/generated/` before Sphinx reads the sources.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def generated_pages() -> dict[str, str]:
    """Return file name -> Markdown. Needs the settings of Django."""
    import django

    django.setup()
    from docs.generator import coefficients, commands, library, measures, rest_api, strategies

    pages: dict[str, str] = {}
    for module in (measures, coefficients, strategies, commands, rest_api, library):
        pages |= module.pages()
    return pages


def write_pages(folder: Path) -> None:
    """Write the pages; delete others. An unchanged page keeps its time: Sphinx does not read it again."""
    pages = generated_pages()
    for path in _files(folder):
        if f"{path.relative_to(folder)}" not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*.md") if path.is_file())
