from __future__ import annotations

import hashlib
import json
from importlib import import_module

from django.apps import apps

from assess.services.releases import release_qrels
from tests.support.factory import Factory


def test_a_release_from_before_it_had_several_files_lists_the_two_that_it_has(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    release = release_qrels(campaign, make.make_user("carol"))
    release.files.all().delete()
    import_module("assess.migrations.0003_releases").list_files(apps, None)
    files = {file.kind: file for file in release.files.all()}
    assert set(files) == {"qrels", "manifest"}
    assert (files["qrels"].sha256, files["qrels"].size) == (release.sha256, len(b"1 0 D1 3\n"))
    with files["manifest"].file.open("rb") as file:
        content = file.read()
    assert json.loads(content) == release.manifest
    assert (files["manifest"].sha256, files["manifest"].size) == (
        hashlib.sha256(content).hexdigest(),
        len(content),
    )
