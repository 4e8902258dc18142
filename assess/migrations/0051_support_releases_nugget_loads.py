import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("assess", "0050_answer_marks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="answerrelease",
            name="an_answer_release_of_one_thing",
        ),
        migrations.AddField(
            model_name="answerrelease",
            name="support",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="releases",
                to="assess.supportset",
            ),
        ),
        migrations.AddConstraint(
            model_name="answerrelease",
            constraint=models.UniqueConstraint(
                fields=("support", "number"), name="one_support_release_a_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="answerrelease",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("grading__isnull", False), ("matching", None), ("support", None)),
                    models.Q(("grading", None), ("matching__isnull", False), ("support", None)),
                    models.Q(("grading", None), ("matching", None), ("support__isnull", False)),
                    _connector="OR",
                ),
                name="an_answer_release_of_one_thing",
            ),
        ),
        migrations.CreateModel(
            name="NuggetLoad",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(help_text="Name of the file.", max_length=255)),
                ("sha256", models.CharField(max_length=64)),
                ("loaded_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("withdrawn_at", models.DateTimeField(null=True)),
                ("new", models.PositiveIntegerField(default=0)),
                ("known", models.PositiveIntegerField(default=0)),
                (
                    "bank",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="loads", to="assess.bank"
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
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="NuggetPart",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("record", models.JSONField()),
                (
                    "load",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="assess.nuggetload",
                    ),
                ),
                (
                    "nugget",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="assess.banknugget",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddConstraint(
            model_name="nuggetload",
            constraint=models.UniqueConstraint(
                condition=models.Q(("withdrawn_at", None)),
                fields=("bank", "sha256"),
                name="one_standing_load_of_a_file",
            ),
        ),
    ]
