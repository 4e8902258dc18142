"""Sphinx: `make docs` builds the site from these pages and from those that the generator writes."""

import os
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from docs.generator import write_pages  # noqa: E402
from pooling.version import VERSION  # noqa: E402

write_pages(DOCS / "reference" / "generated")

project, release, html_title = "Jurypool", VERSION, f"Jurypool {VERSION}"
copyright = ""
html_show_copyright = False
extensions = ["myst_parser"]
exclude_patterns = ["notebooks", "requirements.*", "generator"]
myst_heading_anchors = 3  # links to headings as a code host makes them
myst_enable_extensions: list[str] = []
suppress_warnings = ["misc.highlighting_failure"]  # an address in a block of HTTP may be a pattern
nitpicky = True

html_theme = "furo"
html_static_path, templates_path = ["_static"], ["_templates"]
html_css_files = ["jurypool.css"]
html_favicon = "../static/icon.svg"
html_copy_source = html_show_sourcelink = False
html_theme_options = {"top_of_page_buttons": []}
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"
