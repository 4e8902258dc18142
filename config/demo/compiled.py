"""The part of the standard library that is built in or compiled: there is no source, so it is imported."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from config.demo.definitions import Definition, compiled_signature, is_public

PUBLIC = (
    "array", "atexit", "binascii", "builtins", "cmath", "errno", "faulthandler", "fcntl", "gc", "grp",
    "itertools", "marshal", "math", "mmap", "pwd", "pyexpat", "resource", "select", "sys", "syslog",
    "termios", "time", "unicodedata", "zlib",
)  # fmt: skip
# What the Python modules take their compiled names from. Importing these only defines things; a module that
# would do more (readline takes over the terminal) or that another system has is not in the list.
SAFE_TO_IMPORT = frozenset({
    *PUBLIC, "posix",
    "_ast", "_asyncio", "_bisect", "_blake2", "_bz2", "_codecs", "_collections", "_contextvars", "_csv",
    "_ctypes", "_datetime", "_decimal", "_elementtree", "_functools", "_hashlib", "_heapq", "_imp",
    "_interpqueues", "_io", "_json", "_locale", "_lzma", "_opcode", "_operator", "_pickle", "_queue",
    "_random", "_signal", "_socket", "_sqlite3", "_ssl", "_statistics", "_string", "_struct",
    "_symtable", "_thread", "_tracemalloc", "_uuid", "_warnings", "_weakref", "_zoneinfo",
})  # fmt: skip
# Put into builtins by the interactive prompt, not by the language.
PROMPT = frozenset({"copyright", "credits", "exit", "help", "license", "quit"})


@cache
def compiled_members(module: str) -> dict[str, object]:
    """Return name -> object of a module that is safe to import; {} for any other, or where it is missing.

    Sorted by name, and as the module is born: what others put over `sys.excepthook` is passed by.
    """
    if module not in SAFE_TO_IMPORT:
        return {}
    try:
        members = vars(import_module(module))
    except ImportError:
        return {}
    return {name: members.get(f"__{name}__", members[name]) for name in sorted(members)}


def compiled_definitions() -> Iterator[Definition]:
    """Yield the public compiled modules and their classes, functions and methods."""
    for module in PUBLIC:
        members = compiled_members(module)
        if not members:
            continue
        names = [name for name, member in members.items() if is_public(name) and is_documented(member)]
        docstring = inspect.cleandoc(str(members["__doc__"] or ""))
        listed = f"\n\nPublic names: {', '.join(names)}" if docstring and names else ""
        yield Definition(module, module, "module", "", docstring + listed, f"{module}:")
        for name in names:
            if not (module == "builtins" and name in PROMPT):
                yield from describe(module, name, module, name)


def is_documented(member: object) -> bool:
    """Say whether a member is a function or class (constants carry the docstring of their type).

    A function written in Python is not the module's own: somebody has put it there.
    """
    return inspect.isclass(member) or (inspect.isroutine(member) and not inspect.isfunction(member))


def describe(module: str, name: str, public: str, alias: str) -> Iterator[Definition]:
    """Yield the function, or the class with its members, that the module `public` shows under `alias`."""
    described = compiled_members(module).get(name)
    full = alias if public == "builtins" else f"{public}.{alias}"
    if inspect.isclass(described):
        yield from of_class(described, public, full)
    elif is_documented(described):
        # The object itself is the origin: `io.open` and the built-in `open` are one.
        origin = f"object {id(described)}"
        signature = compiled_signature(described)
        yield Definition(full, public, "function", signature, docstring(described), origin)


def of_class(described: type, module: str, public: str) -> Iterator[Definition]:
    """Yield a class and what it defines itself: methods and properties."""
    origin = f"object {id(described)}"
    kind = "exception" if issubclass(described, BaseException) else "class"
    signature = compiled_signature(described)
    yield Definition(public, module, kind, signature, docstring(described), origin)
    for name, member in sorted(vars(described).items()):
        if not is_public(name) or inspect.isclass(member):
            continue
        is_property = inspect.isdatadescriptor(member)
        if is_property or inspect.isroutine(member) or isinstance(member, classmethod | staticmethod):
            yield Definition(
                f"{public}.{name}",
                module,
                "property" if is_property else "method",
                "" if is_property else compiled_signature(member),
                docstring(member),
                f"{origin}.{name}",
            )


def docstring(described: object) -> str:
    """Return the docstring without its common indentation, "" if there is none."""
    return inspect.cleandoc(described.__doc__ or "")
