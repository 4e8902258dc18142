"""The part of the standard library that is written in Python, read from its source without importing it."""

from __future__ import annotations

import ast
import sys
import sysconfig
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from inspect import cleandoc
from pathlib import Path
from typing import NamedTuple

from config.demo.compiled import SAFE_TO_IMPORT, compiled_members, describe
from config.demo.definitions import Definition, is_public, written_signature

LIBRARY = Path(sysconfig.get_path("stdlib"))
# Not part of the collection: tests; things that only run, draw or joke; modules for another system; and what
# some machines lack (Tk) or some supported Python no longer has, so that all see nearly the same documents.
LEFT_OUT = frozenset({
    "test", "tests", "idlelib", "lib2to3", "antigravity", "this", "turtledemo", "turtle", "tkinter",
    "ensurepip", "pydoc_data", "encodings", "distutils", "posixpath", "ntpath", "genericpath",
    "nturl2path", "opcode", "sre_compile", "sre_constants", "sre_parse", "site", "sitecustomize",
    "msilib", "aifc", "asynchat", "asyncore", "cgi", "cgitb", "chunk", "crypt", "imghdr", "imp",
    "mailcap", "nntplib", "pipes", "smtpd", "sndhdr", "sunau", "telnetlib", "uu", "xdrlib", "macholib",
    "wintypes", "windows_events", "windows_utils", "popen_spawn_win32",
})  # fmt: skip
# public name -> the module with the source, where the public one is only an entry in sys.modules
ALIASES = {"os.path": "posixpath", "collections.abc": "_collections_abc", "decimal": "_pydecimal"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Import(NamedTuple):
    """`from module import name`."""

    module: str
    name: str


Binding = ast.ClassDef | Function | Import


def written_modules() -> list[str]:
    """Return the public names of the modules and packages whose source is there, sorted."""
    found = set(ALIASES)
    for name in sys.stdlib_module_names:
        if (LIBRARY / f"{name}.py").exists():
            found.add(name)
        for path in (LIBRARY / name).rglob("*.py"):
            parts = path.relative_to(LIBRARY).with_suffix("").parts
            found.add(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return sorted(name for name in found if is_public(name) and not LEFT_OUT & set(name.split(".")))


def written_definitions() -> Iterator[Definition]:
    """Yield every module, class, function and method that has a docstring, once per public name."""
    for public in written_modules():
        module = ALIASES.get(public, public)
        docstring = module_docstring(public) or module_docstring(module)
        names = sorted(public_names(module))
        if docstring:
            listed = f"\n\nPublic names: {', '.join(names)}" if names else ""
            yield Definition(public, public, "module", "", docstring + listed, f"{module}:")
        for name in names:
            yield from definitions(module, name, public, name)


@cache
def parse(module: str) -> ast.Module | None:
    """Return the syntax tree of a library module, or None where it has no source."""
    place = LIBRARY.joinpath(*module.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a newer parser may frown at an older escape sequence
                return ast.parse(path.read_bytes())
    return None


def module_docstring(module: str) -> str:
    """Return the docstring of a module, also where it is written `__doc__ = "…"`; "" if there is none."""
    tree = parse(module)
    if tree is None:
        return ""
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__doc__":
            value = statement.value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                return cleandoc(value.value)
    return ast.get_docstring(tree) or ""


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a body, also those under `if` and `try`."""
    for statement in body:
        if isinstance(statement, ast.If):
            yield from statements([*statement.body, *statement.orelse])
        elif isinstance(statement, ast.Try):
            handled = [inner for handler in statement.handlers for inner in handler.body]
            yield from statements([*statement.body, *handled, *statement.orelse])
        else:
            yield statement


@cache
def bindings(module: str) -> dict[str, list[Binding]]:
    """Return name -> everything that the module may bind it to, in source order."""
    found: dict[str, list[Binding]] = {}
    tree = parse(module)
    for statement in statements(tree.body if tree else []):
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.setdefault(statement.name, []).append(statement)
        elif isinstance(statement, ast.ImportFrom):
            source = absolute(module, statement)
            for alias in statement.names:
                names = exported(source) if alias.name == "*" else [alias.name]
                for name in names:
                    bound = name if alias.name == "*" else alias.asname or name
                    found.setdefault(bound, []).append(Import(source, name))
    return found


def absolute(module: str, statement: ast.ImportFrom) -> str:
    """Return the name of the module that a `from … import` inside `module` reads."""
    if not statement.level:
        return statement.module or ""
    is_package = LIBRARY.joinpath(*module.split("."), "__init__.py").exists()
    parts = module.split(".")
    parents = parts[: len(parts) - statement.level + is_package]
    return ".".join([*parents, *([statement.module] if statement.module else [])])


def exported(module: str) -> list[str]:
    """Return what `from module import *` brings, also of a compiled module."""
    if parse(module):
        return sorted(public_names(module))
    return sorted(filter(is_public, compiled_members(module)))


@cache
def public_names(module: str) -> frozenset[str]:
    """Return the public classes and functions: by `__all__` where it is written out, else by the underscore.

    Without `__all__` an imported name counts only where it comes from a private or compiled module, or from
    inside the same package: `os.listdir` is public, the `deque` that another module uses is not.
    """
    bound = bindings(module)
    written = written_out_all(module)
    if written is not None:
        return frozenset(name for name in written if name in bound and is_public(name))
    return frozenset(
        name
        for name, ways in bound.items()
        if is_public(name) and any(not isinstance(way, Import) or is_own(module, way.module) for way in ways)
    )


def is_own(module: str, source: str) -> bool:
    """Say whether `module` passes on as its own what it imports from `source`."""
    top = source.split(".")[0]
    return not is_public(source) or source in ("posix", "genericpath") or top == module.split(".")[0]


def written_out_all(module: str) -> set[str] | None:
    """Return `__all__` where it is a plain list of strings, changed at most by `+=`; None otherwise."""
    tree = parse(module)
    names: set[str] | None = None
    for statement in statements(tree.body if tree else []):
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AugAssign):
            targets = [statement.target]
        elif isinstance(statement, ast.Expr):  # __all__.extend(…), __all__.append(…)
            call = statement.value
            if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("__all__."):
                return None
            continue
        else:
            continue
        if not any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            continue
        try:
            names = (names or set()) | set(ast.literal_eval(statement.value))
        except ValueError:
            return None
    return names


def definitions(module: str, name: str, public: str, alias: str, depth: int = 5) -> list[Definition]:
    """Return what `module.name` is, with its members, as the module `public` shows it under `alias`.

    Python source comes before its faster twin in C. `depth` bounds how many imports are followed; [] where
    they lead to nothing that is known.
    """
    full, origin = f"{public}.{alias}", f"{module}:{name}"
    ways = bindings(module).get(name, [])
    for way in sorted(ways, key=lambda way: isinstance(way, Import) and parse(way.module) is None):
        if isinstance(way, ast.ClassDef):
            found = list(of_class(way, public, full, origin))
        elif not isinstance(way, Import):
            found = list(of_function(way, public, full, origin, bound=False))
        elif parse(way.module):
            found = definitions(way.module, way.name, public, alias, depth - 1) if depth else []
        elif way.module in SAFE_TO_IMPORT:
            found = list(describe(way.module, way.name, public, alias))
        else:
            found = []
        if found:
            return found
    return []


def of_class(node: ast.ClassDef, module: str, public: str, origin: str) -> Iterator[Definition]:
    """Yield a class and its public methods, properties and inner classes."""
    members = list(statements(node.body))
    builder = next((m for m in members if isinstance(m, Function) and m.name == "__init__"), None)
    texts = [ast.get_docstring(described) for described in (node, builder) if described]
    signature = written_signature(builder, bound=True) if builder else ""
    yield Definition(public, module, "class", signature, "\n\n".join(filter(None, texts)), origin)
    for member in members:
        if isinstance(member, ast.ClassDef) and is_public(member.name):
            yield from of_class(member, module, f"{public}.{member.name}", f"{origin}.{member.name}")
        elif isinstance(member, Function) and is_public(member.name):
            name = f"{public}.{member.name}"
            yield from of_function(member, module, name, f"{origin}.{member.name}", bound=True)


def of_function(node: Function, module: str, public: str, origin: str, bound: bool) -> Iterator[Definition]:
    """Yield a function or method, if it has a docstring."""
    docstring = ast.get_docstring(node)
    if not docstring:
        return
    marks = {ast.unparse(decorator).split(".")[-1] for decorator in node.decorator_list}
    kind = "method" if bound else "function"
    if marks & {"property", "cached_property", "setter"}:
        yield Definition(public, module, "property", "", docstring, origin)
        return
    if isinstance(node, ast.AsyncFunctionDef):
        kind = "coroutine"
    elif marks & {"classmethod", "staticmethod"}:
        kind = "class method" if "classmethod" in marks else "static method"
    signature = written_signature(node, bound=bound and "staticmethod" not in marks)
    yield Definition(public, module, kind, signature, docstring, origin)
