"""Discard the stored agreement of releases: agreement by chance is now taken from shared documents only.

It is derived from the labels in a release's provenance file, and computed from that file where none is stored.
"""

from __future__ import annotations

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def discard_agreement(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("assess", "QrelsRelease").objects.update(agreement=None)


class Migration(migrations.Migration):
    dependencies = [("assess", "0010_agreement_of_releases")]
    operations = [migrations.RunPython(discard_agreement, migrations.RunPython.noop)]
