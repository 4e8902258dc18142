"""A/B tests: their plans, and files of users that were counted."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("metrics", "0003_withdrawn_clicks"),
        ("pooling", "0019_highlighted_words"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ABTest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("name", models.CharField(max_length=120)),
                ("note", models.TextField(blank=True)),
                ("shares", models.JSONField()),
                ("planned_users", models.PositiveIntegerField()),
                ("outcomes", models.TextField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ab_tests",
                        to="pooling.campaign",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
            },
        ),
        migrations.CreateModel(
            name="ABTestFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("withdrawn_at", models.DateTimeField(null=True)),
                ("withdrawal_reason", models.TextField(blank=True)),
                ("name", models.CharField(blank=True, max_length=120)),
                ("sha256", models.CharField(help_text="Checksum of the unpacked file.", max_length=64)),
                ("is_end", models.BooleanField(default=False)),
                ("figures", models.JSONField()),
                ("loaded_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "ab_test",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="files", to="metrics.abtest"
                    ),
                ),
                (
                    "loaded_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "withdrawn_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddConstraint(
            model_name="abtest",
            constraint=models.UniqueConstraint(fields=("campaign", "number"), name="one_ab_test_a_number"),
        ),
        migrations.AddConstraint(
            model_name="abtest",
            constraint=models.CheckConstraint(
                condition=models.Q(("planned_users__gt", 0)), name="ab_test_has_users"
            ),
        ),
        migrations.AddConstraint(
            model_name="abtestfile",
            constraint=models.UniqueConstraint(
                condition=models.Q(("withdrawn_at", None)),
                fields=("ab_test", "sha256"),
                name="one_load_of_an_ab_test_file",
            ),
        ),
    ]
