"""Files of a collection that are stored elsewhere: copied when needed, deleted with what reads them."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import Storage

from assess.active_learning.collection_files import OpenCollection
from assess.active_learning.queries import collections
from assess.active_learning.queries.collections import LocalFiles


class Elsewhere(Storage):
    """A storage without paths that counts what is read."""

    def __init__(self) -> None:
        self.opened: list[str] = []

    def _open(self, name: str, mode: str = "rb") -> Any:
        self.opened.append(name)
        return ContentFile(b"D1\nD2\n")


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Elsewhere:
    storage = Elsewhere()
    monkeypatch.setattr(collections, "default_storage", storage)
    return storage


def test_a_file_is_copied_once_and_only_when_it_is_needed(elsewhere: Elsewhere) -> None:
    files = LocalFiles({"docnos": "a/docnos.txt", "stems": "a/stems.txt"})
    assert sorted(files) == ["docnos", "stems"] and elsewhere.opened == []
    reader = OpenCollection(files)
    assert reader.docnos == ["D1", "D2"] and files["docnos"].exists()
    assert elsewhere.opened == ["a/docnos.txt"]


def test_the_copies_are_deleted_with_their_reader(elsewhere: Elsewhere) -> None:
    reader = OpenCollection(LocalFiles({"docnos": "a/docnos.txt"}))
    path = reader._paths["docnos"]
    assert path.exists()
    del reader
    gc.collect()
    assert not path.parent.exists()


def test_the_copies_are_deleted_when_the_process_ends(tmp_path: Path) -> None:
    program = """
import sys
from tests.assess.active_learning.test_local_files import Elsewhere, LocalFiles, collections
collections.default_storage = Elsewhere()
files = LocalFiles({"docnos": "a"})
assert files["docnos"].exists()
print(files["docnos"].parent)
"""
    setup = "import os, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'config.settings'; django.setup()"
    done = subprocess.run([sys.executable, "-c", setup + program], capture_output=True, text=True, check=True)
    folder = Path(done.stdout.strip().splitlines()[-1])
    assert folder.name.startswith("jurypool-collection-") and not folder.exists()
