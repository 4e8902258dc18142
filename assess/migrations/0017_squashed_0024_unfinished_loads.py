import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("assess", "0017_machine_judges"),
        ("assess", "0018_judge_runs"),
        ("assess", "0019_triage"),
        ("assess", "0020_machine_audit_judges"),
        ("assess", "0021_click_logs"),
        ("assess", "0022_endpoint_requests"),
        ("assess", "0023_request_indexes"),
        ("assess", "0024_unfinished_loads"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("assess", "0001_squashed_0016_release_states"),
        ("pooling", "0009_squashed_0014_run_order"),
    ]

    operations = [
        migrations.CreateModel(
            name="MachineAudit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("design", models.JSONField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="machine_audits",
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
                    "machine",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="audits",
                        to="assess.machinejudge",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "number"), name="one_audit_a_number")
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditedDocument",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("stratum", models.PositiveSmallIntegerField(help_text="Place in the strata of the design.")),
                ("machine_grade", models.PositiveSmallIntegerField()),
                ("probability", models.FloatField()),
                (
                    "pooled",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="audited",
                        to="pooling.pooleddocument",
                    ),
                ),
                (
                    "audit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="documents",
                        to="assess.machineaudit",
                    ),
                ),
                ("judges", models.ManyToManyField(related_name="audited", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("audit", "pooled"), name="one_audited_document_an_audit")
                ],
            },
        ),
        migrations.CreateModel(
            name="MachinePrompt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("note", models.CharField(blank=True, max_length=120)),
                (
                    "template",
                    models.TextField(
                        help_text="The user message as the organiser wrote it, with placeholders."
                    ),
                ),
                ("system", models.TextField(blank=True, help_text="The system message.")),
                (
                    "topic_fields",
                    models.JSONField(default=list, help_text="Of title, description, narrative."),
                ),
                (
                    "examples",
                    models.JSONField(default=list, help_text="(topic, docno, grade) of training documents."),
                ),
                ("content", models.JSONField(default=dict)),
                ("sha256", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="prompts",
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
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "number"), name="one_prompt_a_number")
                ],
            },
        ),
        migrations.CreateModel(
            name="MachineLabelling",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("name", models.CharField(help_text="Name of the machine judge.", max_length=60)),
                ("model", models.CharField(help_text="Name of the model, as it is sent.", max_length=120)),
                (
                    "options",
                    models.JSONField(
                        default=dict,
                        help_text="Temperature, top_p, most tokens, seed, samples, most characters of a document.",
                    ),
                ),
                (
                    "scope",
                    models.JSONField(
                        default=dict, help_text="Which documents: topics, and whether only unlabelled."
                    ),
                ),
                ("endpoint", models.CharField(blank=True, max_length=60)),
                (
                    "input_price",
                    models.DecimalField(
                        decimal_places=4, help_text="Of a million tokens sent.", max_digits=10, null=True
                    ),
                ),
                (
                    "output_price",
                    models.DecimalField(
                        decimal_places=4, help_text="Of a million tokens received.", max_digits=10, null=True
                    ),
                ),
                (
                    "ceiling",
                    models.DecimalField(
                        decimal_places=2,
                        help_text="The most that the requests may cost.",
                        max_digits=10,
                        null=True,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="labellings",
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
                    "machine",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="labelling",
                        to="assess.machinejudge",
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="labellings",
                        to="assess.machineprompt",
                    ),
                ),
                (
                    "adjustments",
                    models.JSONField(
                        default=dict,
                        help_text="Parameter that the endpoint refused -> its other name, or empty: not sent.",
                    ),
                ),
                (
                    "most_requests",
                    models.PositiveIntegerField(
                        help_text="The most requests that may be sent to the endpoint.", null=True
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "permissions": [("ask_endpoint", "May send requests to the endpoints of this installation")],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "number"), name="one_labelling_a_number")
                ],
            },
        ),
        migrations.CreateModel(
            name="MachineRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "sample",
                    models.PositiveSmallIntegerField(
                        default=1, help_text="Of several for one document, from 1."
                    ),
                ),
                (
                    "probe",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "None"),
                            ("words", "Words of the topic inserted into a non-relevant document"),
                            ("order", "An order to the judge inserted into a non-relevant document"),
                            ("plain", "The same non-relevant document, unchanged"),
                        ],
                        default="",
                        max_length=5,
                    ),
                ),
                ("key", models.CharField(max_length=64)),
                ("text_hash", models.CharField(help_text="Checksum of the document's text.", max_length=64)),
                (
                    "cut_at",
                    models.PositiveIntegerField(help_text="Character at which the text was cut.", null=True),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("sent", "sent, answer not stored"),
                            ("answered", "answered"),
                            ("failed", "failed"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("reply", models.TextField(blank=True)),
                ("finish_reason", models.CharField(blank=True, max_length=40)),
                (
                    "relevance",
                    models.PositiveSmallIntegerField(help_text="Null without a readable grade.", null=True),
                ),
                ("problem", models.CharField(blank=True, help_text="Why there is no grade.", max_length=200)),
                (
                    "server_model",
                    models.CharField(
                        blank=True, help_text="The model that the server named.", max_length=120
                    ),
                ),
                ("input_tokens", models.PositiveIntegerField(null=True)),
                ("output_tokens", models.PositiveIntegerField(null=True)),
                (
                    "probabilities",
                    models.JSONField(help_text="Grade -> probability, and their sum as sent.", null=True),
                ),
                ("seconds", models.FloatField(null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "reused",
                    models.BooleanField(
                        default=False, help_text="The answer is that of an earlier labelling."
                    ),
                ),
                ("answered_at", models.DateTimeField(null=True)),
                (
                    "labelling",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="requests",
                        to="assess.machinelabelling",
                    ),
                ),
                (
                    "pooled",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="machine_requests",
                        to="pooling.pooleddocument",
                    ),
                ),
                ("charged_input", models.PositiveBigIntegerField(default=0)),
                ("charged_output", models.PositiveBigIntegerField(default=0)),
                ("charged_requests", models.PositiveIntegerField(default=0)),
            ],
            options={
                "ordering": ["pk"],
                "indexes": [
                    models.Index(fields=["labelling", "state"], name="requests_by_state"),
                    models.Index(fields=["labelling", "key", "state"], name="requests_by_key"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("labelling", "pooled", "sample", "probe"), name="one_request_a_sample"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="JudgeRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "tag",
                    models.CharField(
                        max_length=120,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^(?!\\.{1,2}\\Z)[^\\s/]+\\Z",
                                "Expected no blanks, no slash and not . or ..: this name stands in files and in URLs.",
                            )
                        ],
                    ),
                ),
                ("group", models.CharField(blank=True, max_length=60)),
                (
                    "kind",
                    models.CharField(
                        choices=[("automatic", "automatic"), ("manual", "manual")],
                        default="automatic",
                        max_length=12,
                    ),
                ),
                (
                    "model",
                    models.CharField(
                        blank=True, help_text="Name and version, as its maker writes them.", max_length=120
                    ),
                ),
                ("description", models.TextField(blank=True)),
                ("file_name", models.CharField(max_length=255)),
                ("original", models.FileField(upload_to="")),
                ("sha256", models.CharField(max_length=64)),
                ("line_count", models.PositiveIntegerField()),
                ("warnings", models.JSONField(default=list)),
                ("submitted_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("withdrawn_at", models.DateTimeField(null=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="judge_runs",
                        to="pooling.campaign",
                    ),
                ),
                (
                    "submitted_by",
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
                "ordering": ["tag", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("withdrawn_at", None)),
                        fields=("campaign", "tag"),
                        name="one_judge_run_a_tag",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ClickLog",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "form",
                    models.CharField(
                        choices=[("ubi", "User Behavior Insights, JSON lines"), ("csv", "CSV")], max_length=3
                    ),
                ),
                ("files", models.JSONField(default=list)),
                ("parameters", models.JSONField(default=dict)),
                ("counts", models.JSONField(default=dict)),
                ("rates", models.JSONField(default=list)),
                ("first_day", models.DateField(help_text="Null where the log has no times.", null=True)),
                ("last_day", models.DateField(null=True)),
                ("loaded_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="click_logs",
                        to="pooling.campaign",
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
                "ordering": ["-number"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "number"), name="one_click_log_a_number")
                ],
            },
        ),
        migrations.CreateModel(
            name="ClickedDocument",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("impressions", models.PositiveIntegerField()),
                ("clicks", models.PositiveIntegerField()),
                ("coec", models.FloatField()),
                ("sdbn", models.FloatField()),
                ("pbm", models.FloatField()),
                (
                    "pooled",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="pooling.pooleddocument",
                    ),
                ),
                (
                    "log",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="documents",
                        to="assess.clicklog",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("log", "pooled"), name="one_clicked_document_a_log")
                ],
            },
        ),
        migrations.CreateModel(
            name="UnfinishedLoad",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "written_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, help_text="Time of the last rows."
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="unfinished_loads",
                        to="pooling.campaign",
                    ),
                ),
                (
                    "judge",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "labelling",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="assess.machinelabelling",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="judgingplan",
            name="shown_machine",
            field=models.ForeignKey(
                blank=True,
                help_text="The machine judge whose grade judges see while they judge. Their labels are then not independent of it.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="assess.machinejudge",
            ),
        ),
        migrations.AddField(
            model_name="judgingplan",
            name="triage_machine",
            field=models.ForeignKey(
                blank=True,
                help_text="The machine judge whose uncertainty decides the order by triage.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="assess.machinejudge",
            ),
        ),
        migrations.AddField(
            model_name="judgmentevent",
            name="suggested",
            field=models.PositiveSmallIntegerField(
                help_text="The grade of a machine judge that was on screen; null where none was. Such a label is not independent of the machine judge.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="machinejudge",
            name="kind",
            field=models.CharField(
                choices=[
                    ("file", "Labels from a file"),
                    ("model", "Language model"),
                    ("clicks", "Clicks of users"),
                ],
                default="file",
                max_length=8,
            ),
        ),
        migrations.AlterField(
            model_name="machinejudge",
            name="prompt_sha256",
            field=models.CharField(blank=True, help_text="Empty where there is no prompt.", max_length=64),
        ),
        migrations.AlterField(
            model_name="judgingplan",
            name="order",
            field=models.CharField(
                choices=[
                    ("random-own", "Random, each judge's own"),
                    ("random-same", "Random, the same for all"),
                    ("docno", "By docno"),
                    ("priority", "Priority"),
                    ("triage", "Triage"),
                ],
                default="random-own",
                max_length=12,
            ),
        ),
        migrations.AddIndex(
            model_name="judgmentevent",
            index=models.Index(
                condition=models.Q(("suggested__isnull", False)),
                fields=["pooled"],
                name="labels_with_suggestion",
            ),
        ),
        migrations.AlterField(
            model_name="assignment",
            name="part",
            field=models.CharField(
                choices=[
                    ("primary", "Primary"),
                    ("shared", "Shared"),
                    ("second", "Second"),
                    ("audit", "Audit"),
                ],
                default="primary",
                max_length=8,
            ),
        ),
        migrations.AlterField(
            model_name="invitedtopics",
            name="part",
            field=models.CharField(
                choices=[
                    ("primary", "Primary"),
                    ("shared", "Shared"),
                    ("second", "Second"),
                    ("audit", "Audit"),
                ],
                default="primary",
                max_length=8,
            ),
        ),
    ]
