"""Figures of system quality of runs."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("metrics", "0004_ab_tests"),
        ("pooling", "0019_highlighted_words"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SystemFigures",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("figures", models.JSONField(default=dict)),
                ("currency", models.CharField(blank=True, max_length=3)),
                ("hardware", models.CharField(blank=True, max_length=200)),
                (
                    "origin",
                    models.CharField(
                        choices=[("table", "table"), ("header", "header of the run")], max_length=6
                    ),
                ),
                ("file_name", models.CharField(blank=True, help_text="Of the table.", max_length=255)),
                ("problem", models.TextField(blank=True)),
                ("loaded_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "loaded_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="system_figures",
                        to="pooling.run",
                    ),
                ),
            ],
            options={"verbose_name_plural": "system figures"},
        ),
    ]
