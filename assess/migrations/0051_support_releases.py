import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("assess", "0049_nugget_decisions"),
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
    ]
