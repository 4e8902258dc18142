"""Raises ImportError on import if a module of the caller hides one of the packages that Jurypool is made of.

A file metrics.py beside a notebook is imported in the place of the package metrics, because Python looks in
the folder of the notebook first.
"""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("assess", "metrics", "pooling")


def check_own_packages(folder: Path) -> None:
    """Raise ImportError if the import of a name of PACKAGES would not find the package in this folder."""
    for name in PACKAGES:
        spec = find_spec(name)
        if spec and str(folder / name) not in (spec.submodule_search_locations or ()):
            raise ImportError(
                f"{spec.origin} hides the package {name!r}, which Jurypool needs: rename this file or folder",
                name=name,
            )


check_own_packages(Path(__file__).parents[1])
for package in PACKAGES:  # now: a notebook may change its folder before it uses the first function
    import_module(package)
