from typing import Any

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Count, Max, Min, Q


def summarise_labels(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    summary: Any = apps.get_model("assess", "LabelSummary")
    people = apps.get_model("assess", "Judgment").objects.filter(judge__machine=None).order_by()
    rows = people.values("pooled", "pooled__pool__campaign").annotate(
        graders=Count("relevance"),
        refusals=Count("pk", filter=Q(relevance=None)),
        lowest=Min("relevance"),
        highest=Max("relevance"),
    )
    summary.objects.bulk_create(
        (
            summary(
                pooled_id=row.pop("pooled"),
                campaign_id=row.pop("pooled__pool__campaign"),
                distance=(row["highest"] or 0) - (row["lowest"] or 0),
                **row,
            )
            for row in rows.iterator()
        ),
        batch_size=1000,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("assess", "0013_press_time_and_progress"),
        ("pooling", "0006_participants_have_groups"),
    ]

    operations = [
        migrations.CreateModel(
            name="LabelSummary",
            fields=[
                (
                    "pooled",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="label_summary",
                        serialize=False,
                        to="pooling.pooleddocument",
                    ),
                ),
                (
                    "graders",
                    models.PositiveSmallIntegerField(default=0, help_text="Judges who gave a grade."),
                ),
                (
                    "refusals",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Judges whose label is cannot judge."
                    ),
                ),
                (
                    "lowest",
                    models.PositiveSmallIntegerField(
                        help_text="The lowest grade; null without one.", null=True
                    ),
                ),
                (
                    "highest",
                    models.PositiveSmallIntegerField(
                        help_text="The highest grade; null without one.", null=True
                    ),
                ),
                (
                    "distance",
                    models.PositiveSmallIntegerField(default=0, help_text="Highest minus lowest grade."),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="pooling.campaign",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("distance__gt", 0)),
                        fields=["campaign", "distance"],
                        name="disputed_documents",
                    ),
                    models.Index(
                        condition=models.Q(("refusals__gt", 0)),
                        fields=["campaign"],
                        name="refused_documents",
                    ),
                ],
            },
        ),
        migrations.RunPython(summarise_labels, migrations.RunPython.noop),
    ]
