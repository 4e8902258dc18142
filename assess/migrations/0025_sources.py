"""Machine judges become sources of labels; loads are the files that labels came in."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("assess", "0024_unfinished_loads"),
        ("pooling", "0014_run_order"),
    ]

    operations = [
        migrations.RenameModel("MachineJudge", "Source"),
        migrations.CreateModel(
            name="Load",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("name", models.CharField(help_text="Name of the file.", max_length=255)),
                ("sha256", models.CharField(max_length=64)),
                ("counts", models.JSONField(default=dict)),
                ("grades", models.JSONField(default=list)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "ordering": ["-number"],
            },
        ),
        migrations.AddField(
            model_name="source",
            name="independent",
            field=models.CharField(
                blank=True,
                choices=[("", "Not known"), ("yes", "Yes"), ("no", "No: they saw runs, or labels of others")],
                help_text="Whether the labels were made without knowing the runs and the labels of others.",
                max_length=3,
            ),
        ),
        migrations.AddField(
            model_name="source",
            name="withdrawal_reason",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="source",
            name="withdrawn_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="source",
            name="withdrawn_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="source",
            name="campaign",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="sources", to="pooling.campaign"
            ),
        ),
        migrations.AlterField(
            model_name="source",
            name="kind",
            field=models.CharField(
                choices=[
                    ("person", "Person"),
                    ("elsewhere", "People elsewhere"),
                    ("file", "Labels from a file"),
                    ("model", "Language model"),
                    ("clicks", "Clicks of users"),
                ],
                default="person",
                max_length=9,
            ),
        ),
        migrations.AlterField(
            model_name="source",
            name="loaded_by",
            field=models.ForeignKey(
                help_text="Null for people who judge here.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="source",
            name="made_on",
            field=models.DateField(help_text="When the labels were made, if elsewhere.", null=True),
        ),
        migrations.AlterField(
            model_name="source",
            name="model",
            field=models.CharField(
                blank=True,
                help_text="Name and version of a program, as its maker writes them.",
                max_length=120,
            ),
        ),
        migrations.AlterField(
            model_name="source",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="sources",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="source",
            constraint=models.UniqueConstraint(fields=("campaign", "user"), name="one_source_a_judge"),
        ),
        migrations.AddField(
            model_name="load",
            name="by",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="load",
            name="campaign",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="loads", to="pooling.campaign"
            ),
        ),
        migrations.AddField(
            model_name="load",
            name="pool",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="load",
                to="pooling.pool",
            ),
        ),
        migrations.AddField(
            model_name="load",
            name="source",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="load", to="assess.source"
            ),
        ),
        migrations.AddConstraint(
            model_name="load",
            constraint=models.UniqueConstraint(fields=("campaign", "number"), name="one_load_a_number"),
        ),
    ]
