"""Click logs are named and withdrawn; the sources of labels that were made from one are known."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("assess", "0026_sources_of_people"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="clicklog",
            name="name",
            field=models.CharField(blank=True, max_length=120),
        ),
        migrations.AddField(
            model_name="clicklog",
            name="note",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="clicklog",
            name="withdrawal_reason",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="clicklog",
            name="withdrawn_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="clicklog",
            name="withdrawn_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.CreateModel(
            name="ClickLabels",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("withdrawn_with_log", models.BooleanField(default=False)),
                (
                    "log",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="labels",
                        to="assess.clicklog",
                    ),
                ),
                (
                    "source",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="click_labels",
                        to="assess.source",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
    ]
