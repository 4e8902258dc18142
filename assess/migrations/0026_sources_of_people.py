"""Create the sources of the judges who are not machine judges."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def create_sources(apps: StateApps, _: BaseDatabaseSchemaEditor) -> None:
    """Create the sources of all judges with labels who are not machine judges.

    An account that was created for a file of labels cannot sign in, and its name begins with the campaign's.
    """
    progress, source = apps.get_model("assess", "Progress"), apps.get_model("assess", "Source")
    known = set(source.objects.values_list("campaign", "user"))
    rows = progress.objects.order_by().values_list(
        "topic__campaign", "topic__campaign__slug", "judge", "judge__username", "judge__is_active"
    )
    for campaign, slug, judge, name, is_active in rows.distinct():
        if (campaign, judge) not in known:
            elsewhere = not is_active and name.startswith(f"{slug}/")
            kind = "elsewhere" if elsewhere else "person"
            source.objects.create(campaign_id=campaign, user_id=judge, kind=kind)


def delete_people(apps: StateApps, _: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("assess", "Source").objects.filter(kind__in=("person", "elsewhere")).delete()


class Migration(migrations.Migration):
    dependencies = [("assess", "0025_sources")]

    operations = [migrations.RunPython(create_sources, delete_people)]
