import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("metrics", "0001_initial"), ("metrics", "0002_interleaving")]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("assess", "0001_squashed_0016_release_states"),
        ("pooling", "0009_squashed_0014_run_order"),
    ]

    operations = [
        migrations.CreateModel(
            name="Score",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("profile", models.CharField(max_length=20)),
                ("measure", models.CharField(max_length=60)),
                (
                    "value",
                    models.FloatField(help_text="The mean over all topics of the release (trec_eval -c)."),
                ),
                ("by_topic", models.JSONField(help_text="topic number -> value")),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scores",
                        to="assess.qrelsrelease",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="scores", to="pooling.run"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "release", "profile", "measure"), name="one_score_a_measure"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Interleaving",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "method",
                    models.CharField(
                        choices=[
                            ("team-draft", "Team draft"),
                            ("balanced", "Balanced"),
                            ("probabilistic", "Probabilistic"),
                        ],
                        max_length=13,
                    ),
                ),
                ("parameters", models.JSONField(default=dict)),
                ("sha256", models.CharField(max_length=64)),
                ("file", models.FileField(upload_to="")),
                ("list_count", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="interleavings",
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
                (
                    "run_a",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="pooling.run"
                    ),
                ),
                (
                    "run_b",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="pooling.run"
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "number"), name="one_interleaving_a_number"),
                    models.CheckConstraint(
                        condition=models.Q(("run_a", models.F("run_b")), _negated=True),
                        name="interleaves_two_runs",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="InterleavingClicks",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(help_text="Checksum of the unpacked file.", max_length=64)),
                ("counts", models.JSONField()),
                ("loaded_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "interleaving",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="clicks",
                        to="metrics.interleaving",
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
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("interleaving", "sha256"), name="one_load_of_a_click_file"
                    )
                ],
            },
        ),
    ]
