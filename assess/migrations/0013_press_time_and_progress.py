from typing import Any

import django.db.models.deletion
import django.utils.timezone
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Count, F, Max, Q, Sum


def use_arrival_as_press_time(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """The time of earlier presses is not known, only when they arrived."""
    apps.get_model("assess", "JudgmentEvent").objects.update(pressed_at=F("at"))


def count_progress(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    progress: Any = apps.get_model("assess", "Progress")
    counted: dict[tuple[int, int], dict[str, Any]] = {}
    for model, figures in (("Judgment", LABELS), ("JudgmentEvent", TIMES)):
        rows = apps.get_model("assess", model).objects.order_by().values("judge", "pooled__topic")
        for row in rows.annotate(**figures).iterator():
            key = row.pop("judge"), row.pop("pooled__topic")
            counted.setdefault(key, {}).update(row)
    progress.objects.bulk_create(
        (
            progress(
                judge_id=judge, topic_id=topic, version=1, **{**figures, "seconds": figures["seconds"] or 0}
            )
            for (judge, topic), figures in counted.items()
        ),
        batch_size=1000,
    )


LABELS = {"labels": Count("pk"), "refused": Count("pk", filter=Q(relevance=None))}
TIMED = Q(kind="judging", active_seconds__isnull=False) & ~Q(source="import")
TIMES = {
    "timed": Count("pk", filter=TIMED),
    "seconds": Sum("active_seconds", filter=TIMED),
    "last_at": Max("pressed_at", filter=~Q(source="import")),
}


class Migration(migrations.Migration):
    dependencies = [
        ("assess", "0012_random_keys_of_queue_entries"),
        ("pooling", "0005_job"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="judgmentevent",
            name="pressed_at",
            field=models.DateTimeField(
                default=django.utils.timezone.now,
                help_text="Time of the press: before the arrival after work offline.",
            ),
        ),
        migrations.AlterField(
            model_name="judgmentevent",
            name="at",
            field=models.DateTimeField(
                default=django.utils.timezone.now, help_text="Time of arrival at the server."
            ),
        ),
        migrations.CreateModel(
            name="Progress",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "labels",
                    models.PositiveIntegerField(
                        default=0, help_text="Current labels, including cannot judge."
                    ),
                ),
                (
                    "refused",
                    models.PositiveIntegerField(default=0, help_text="Current labels that are cannot judge."),
                ),
                (
                    "timed",
                    models.PositiveIntegerField(
                        default=0, help_text="Events whose active seconds were measured."
                    ),
                ),
                (
                    "seconds",
                    models.FloatField(default=0, help_text="The active seconds of these events."),
                ),
                (
                    "last_at",
                    models.DateTimeField(
                        help_text="The last press; null where labels were imported.", null=True
                    ),
                ),
                ("version", models.PositiveBigIntegerField(default=0)),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "judge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="progress",
                        to="pooling.topic",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("judge", "topic"), name="one_progress_a_judge_topic")
                ],
            },
        ),
        migrations.RunPython(use_arrival_as_press_time, migrations.RunPython.noop),
        migrations.RunPython(count_progress, migrations.RunPython.noop),
    ]
