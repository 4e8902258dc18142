"""The demonstration's documents: the documentation of the Python standard library that runs this."""

from __future__ import annotations

import re
from itertools import chain
from typing import NamedTuple

from config.demo.compiled import compiled_definitions
from config.demo.definitions import Definition
from config.demo.written import written_definitions

LEAST_TEXT = 40  # characters; "Return True." tells a judge nothing
LONGEST_DOCNO = 100

SITE = "https://docs.python.org/3/library/"
# The submodules with a page of their own; every other shares its package's. Lower case, as the site has it.
PAGES = frozenset({
    "collections.abc", "concurrent.futures", "curses.ascii", "curses.panel", "email.charset",
    "email.contentmanager", "email.encoders", "email.errors", "email.generator", "email.header",
    "email.headerregistry", "email.iterators", "email.message", "email.mime", "email.parser",
    "email.policy", "email.utils", "html.entities", "html.parser", "http.client", "http.cookiejar",
    "http.cookies", "http.server", "importlib.metadata", "importlib.resources",
    "importlib.resources.abc", "logging.config", "logging.handlers", "multiprocessing.shared_memory",
    "os.path", "unittest.mock", "urllib.error", "urllib.parse", "urllib.request", "urllib.robotparser",
    "xml.dom", "xml.dom.minidom", "xml.dom.pulldom", "xml.etree.elementtree", "xml.sax",
    "xml.sax.handler", "xml.sax.saxutils", "xml.sax.xmlreader", "xmlrpc.client", "xmlrpc.server",
})  # fmt: skip
RENAMED = {"xml.sax.saxutils": "xml.sax.utils", "xml.sax.xmlreader": "xml.sax.reader"}  # module -> its page


class Document(NamedTuple):
    """One document of the collection. docno: the dotted public name, without blanks, unique."""

    docno: str
    title: str
    text: str
    url: str


def build_documents() -> list[Document]:
    """Return the documents of the running interpreter's standard library, sorted by docno.

    The same interpreter always gives the same list. Python modules are read as source, not imported; only
    compiled modules that do nothing on import are imported. A thing with several public names is one document
    under its shortest; one whose docstring is missing or says next to nothing is none.
    """
    shortest: dict[str, Definition] = {}
    for definition in chain(compiled_definitions(), written_definitions()):
        held = shortest.setdefault(definition.origin, definition)
        if length(definition) < length(held):
            shortest[definition.origin] = definition
    documents: dict[str, Document] = {}
    for definition in sorted(shortest.values()):
        text = clean(definition.docstring)
        if len(text) >= LEAST_TEXT and len(definition.name) <= LONGEST_DOCNO:
            documents.setdefault(definition.name, document(definition, text))
    return [documents[docno] for docno in sorted(documents)]


def length(definition: Definition) -> tuple[int, int, str]:
    """Return what makes one public name shorter than another: fewer parts, then fewer characters."""
    return definition.name.count("."), len(definition.name), definition.name


def clean(docstring: str) -> str:
    """Return the text without invisible characters, trailing blanks and repeated empty lines."""
    invisible = {ord(sign): " " for sign in set(docstring) if sign != "\n" and not sign.isprintable()}
    printable = docstring.translate(invisible)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r" +\n", "\n", printable)).strip()


def document(definition: Definition, text: str) -> Document:
    """Return the definition as a document: a title that shows signature and kind, and its page."""
    owner = definition.name.rpartition(".")[0]
    if definition.kind == "module":
        kind = "module"
    elif owner in ("", definition.module):
        kind = f"{definition.kind} of module {definition.module}"
    else:
        kind = f"{definition.kind} of class {owner}"
    title = f"{definition.name}{definition.signature} — {kind}"
    return Document(definition.name, title, text, SITE + page(definition))


def page(definition: Definition) -> str:
    """Return the file name of the library page that describes the definition's module."""
    module = definition.module.lower()
    if module != "builtins" or definition.kind == "module":
        parts = module.split(".")
        longer = (".".join(parts[:end]) for end in range(len(parts), 1, -1))
        known = next((name for name in longer if name in PAGES), parts[0])
        return f"{RENAMED.get(known, known)}.html"
    if definition.kind == "exception":
        return "exceptions.html"
    return "functions.html" if definition.kind == "function" else "stdtypes.html"
