"""Store which click log each source of labels from clicks was made from."""

import re

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def link_sources(apps: StateApps, _: BaseDatabaseSchemaEditor) -> None:
    """Link every source with the log that its note begins with."""
    labels, log = apps.get_model("assess", "ClickLabels"), apps.get_model("assess", "ClickLog")
    for source in apps.get_model("assess", "Source").objects.filter(kind="clicks"):
        named = re.match(r"Click log ([0-9]{1,4}), ", source.note)
        found = named and log.objects.filter(campaign=source.campaign_id, number=int(named[1])).first()
        if found:
            labels.objects.create(log=found, source=source)


class Migration(migrations.Migration):
    dependencies = [("assess", "0027_withdrawn_click_logs")]

    operations = [migrations.RunPython(link_sources, migrations.RunPython.noop)]
