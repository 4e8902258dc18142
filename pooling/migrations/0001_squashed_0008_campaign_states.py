import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("pooling", "0001_initial"),
        ("pooling", "0002_visibility"),
        ("pooling", "0003_trail"),
        ("pooling", "0004_facts"),
        ("pooling", "0005_job"),
        ("pooling", "0006_participants_have_groups"),
        ("pooling", "0007_names"),
        ("pooling", "0008_campaign_states"),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Campaign",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                (
                    "slug",
                    models.SlugField(
                        help_text="Its place in URLs; cannot change later.", max_length=60, unique=True
                    ),
                ),
                ("description", models.TextField(blank=True)),
                (
                    "guidelines",
                    models.TextField(
                        blank=True, help_text="Markdown; every judge can open it while judging."
                    ),
                ),
                ("scale", models.JSONField()),
                (
                    "threshold",
                    models.PositiveSmallIntegerField(help_text="The lowest grade that counts as relevant."),
                ),
                (
                    "collection_size",
                    models.PositiveIntegerField(
                        blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)]
                    ),
                ),
                (
                    "run_depth",
                    models.PositiveIntegerField(
                        default=1000, help_text="The most documents a run may have for a topic."
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "visibility",
                    models.CharField(
                        choices=[("private", "Private"), ("published", "Published")],
                        default="private",
                        help_text="Private: participants see the scores of their own runs alone. Published: of every run.",
                        max_length=9,
                    ),
                ),
                (
                    "accepts_runs",
                    models.BooleanField(
                        default=True, help_text="The switch of submission; the dates below limit it further."
                    ),
                ),
                (
                    "contact",
                    models.CharField(blank=True, help_text="A mail address or a name.", max_length=200),
                ),
                (
                    "currency",
                    models.CharField(default="EUR", help_text="ISO 4217, such as EUR.", max_length=3),
                ),
                ("home_page", models.URLField(blank=True)),
                ("hourly_rate", models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True)),
                ("judging_ends_at", models.DateTimeField(blank=True, null=True)),
                (
                    "late_runs",
                    models.CharField(
                        choices=[("refuse", "are refused"), ("mark", "are accepted and marked as late")],
                        default="refuse",
                        max_length=6,
                    ),
                ),
                (
                    "licence",
                    models.CharField(
                        blank=True, help_text="Of topics and qrels, such as CC BY 4.0.", max_length=200
                    ),
                ),
                ("release_planned_at", models.DateTimeField(blank=True, null=True)),
                (
                    "rules",
                    models.TextField(
                        blank=True, help_text="Markdown: what participants must know and keep to."
                    ),
                ),
                (
                    "shows_topic_statistics",
                    models.BooleanField(
                        default=False,
                        help_text="Participants see minimum, median and maximum of all runs per topic, without names.",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("open", "Open"),
                            ("closed", "Closed"),
                            ("archived", "Archived"),
                        ],
                        default="draft",
                        max_length=8,
                    ),
                ),
                ("submission_closes_at", models.DateTimeField(blank=True, null=True)),
                ("submission_opens_at", models.DateTimeField(blank=True, null=True)),
                (
                    "time_zone",
                    models.CharField(
                        default="UTC", help_text="IANA name, such as Europe/Berlin.", max_length=60
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="Run",
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
                    "priority",
                    models.PositiveSmallIntegerField(
                        default=1, help_text="1 is pooled first of a group's runs."
                    ),
                ),
                ("description", models.TextField(blank=True)),
                (
                    "file_tag",
                    models.CharField(help_text="What stands in the file's last column.", max_length=255),
                ),
                ("file_name", models.CharField(max_length=255)),
                ("original", models.FileField(upload_to="")),
                ("sha256", models.CharField(help_text="Of the run as text, after unpacking.", max_length=64)),
                ("line_count", models.PositiveIntegerField()),
                ("topic_count", models.PositiveIntegerField()),
                ("warnings", models.JSONField(default=list)),
                ("submitted_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs",
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
                    "former_tag",
                    models.CharField(
                        blank=True,
                        help_text="The tag that it had until a newer version took it.",
                        max_length=120,
                    ),
                ),
                (
                    "is_hidden",
                    models.BooleanField(
                        default=False,
                        help_text="Not on leaderboards and public pages; its group sees its scores.",
                    ),
                ),
                ("is_late", models.BooleanField(default=False, help_text="Submitted after the deadline.")),
                ("withdrawal_reason", models.TextField(blank=True)),
                ("withdrawn_at", models.DateTimeField(null=True)),
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
                "ordering": ["tag"],
                "constraints": [models.UniqueConstraint(fields=("campaign", "tag"), name="one_run_a_tag")],
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("organiser", "Organiser"),
                            ("adjudicator", "Adjudicator"),
                            ("judge", "Judge"),
                            ("participant", "Participant"),
                            ("reader", "Reader"),
                        ],
                        max_length=12,
                    ),
                ),
                ("group", models.CharField(blank=True, max_length=60)),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(null=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="pooling.campaign",
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "recipient",
                    models.CharField(blank=True, help_text="A note: for whom the link is.", max_length=120),
                ),
                (
                    "used_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "email",
                    models.EmailField(
                        blank=True, help_text="The address to which the link was mailed.", max_length=254
                    ),
                ),
            ],
            options={
                "ordering": ["expires_at"],
            },
        ),
        migrations.CreateModel(
            name="Pool",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("strategy", models.CharField(max_length=40)),
                ("parameters", models.JSONField()),
                ("manifest", models.JSONField()),
                ("frozen_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pools",
                        to="pooling.campaign",
                    ),
                ),
                (
                    "frozen_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("runs", models.ManyToManyField(related_name="pools", to="pooling.run")),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "number"), name="one_pool_a_number")
                ],
            },
        ),
        migrations.CreateModel(
            name="RunColumns",
            fields=[
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="columns",
                        serialize=False,
                        to="pooling.run",
                    ),
                ),
                ("topics", models.BinaryField()),
                ("offsets", models.BinaryField()),
                ("ids", models.BinaryField()),
                ("scores", models.BinaryField()),
                ("scoring", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="Topic",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "number",
                    models.CharField(
                        help_text='Text, as in run files: "401", "A-7".',
                        max_length=60,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^(?!\\.{1,2}\\Z)[^\\s/]+\\Z",
                                "Expected no blanks, no slash and not . or ..: this name stands in files and in URLs.",
                            )
                        ],
                    ),
                ),
                ("title", models.TextField()),
                ("description", models.TextField(blank=True)),
                ("narrative", models.TextField(blank=True)),
                (
                    "place",
                    models.PositiveIntegerField(
                        help_text="Order of the pages: the order in which topics were loaded."
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="topics",
                        to="pooling.campaign",
                    ),
                ),
            ],
            options={
                "ordering": ["place"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "number"), name="one_topic_a_number")
                ],
            },
        ),
        migrations.CreateModel(
            name="PooledDocument",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("docno", models.CharField(max_length=200)),
                ("best_rank", models.PositiveIntegerField(null=True)),
                ("run_count", models.PositiveIntegerField(default=0)),
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="documents",
                        to="pooling.pool",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pooled", to="pooling.topic"
                    ),
                ),
            ],
            options={
                "ordering": ["topic", "docno"],
                "constraints": [
                    models.UniqueConstraint(fields=("topic", "docno"), name="one_pooled_document_a_pair")
                ],
            },
        ),
        migrations.CreateModel(
            name="DocnoBlock",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("start", models.PositiveIntegerField(help_text="The number of the first docno.")),
                ("docnos", models.BinaryField(help_text="Sorted docnos, a line each, compressed with zlib.")),
                ("checksum", models.CharField(help_text="SHA-256 of docnos, as stored.", max_length=64)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="docno_blocks",
                        to="pooling.campaign",
                    ),
                ),
            ],
            options={
                "ordering": ["start"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "start"), name="one_docno_a_number")
                ],
            },
        ),
        migrations.CreateModel(
            name="Document",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("docno", models.CharField(max_length=200)),
                ("title", models.TextField(blank=True)),
                ("text", models.TextField(blank=True)),
                ("url", models.TextField(blank=True)),
                ("text_hash", models.CharField(help_text="SHA-256 of title and text.", max_length=64)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="documents",
                        to="pooling.campaign",
                    ),
                ),
                (
                    "facts",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="What else the file says, [name, value] each: date, author ...",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "docno"), name="one_document_a_docno")
                ],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("organiser", "Organiser"),
                            ("adjudicator", "Adjudicator"),
                            ("judge", "Judge"),
                            ("participant", "Participant"),
                            ("reader", "Reader"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "group",
                    models.CharField(
                        blank=True, help_text="The group that a participant submits for.", max_length=60
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="pooling.campaign",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "hourly_rate",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        help_text="Of a judge; null: the campaign's rate.",
                        max_digits=8,
                        null=True,
                    ),
                ),
            ],
            options={
                "ordering": ["role", "user__username"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "user", "role"), name="one_row_a_role"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("role", "participant"), _negated=True),
                            models.Q(("group", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="participant_has_a_group",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("task", models.CharField(help_text="Where the task is in the code.", max_length=120)),
                ("title", models.CharField(max_length=300)),
                ("arguments", models.JSONField(default=dict)),
                (
                    "upload",
                    models.FileField(
                        blank=True,
                        help_text="What was handed in for it; dropped when it has ended.",
                        upload_to="",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("done", "done"),
                            ("failed", "failed"),
                            ("cancelled", "cancelled"),
                        ],
                        default="waiting",
                        max_length=9,
                    ),
                ),
                ("done", models.PositiveBigIntegerField(default=0)),
                ("total", models.PositiveBigIntegerField(default=0, help_text="0 where it is not known.")),
                ("cursor", models.JSONField(default=dict, help_text="From where the next attempt goes on.")),
                ("message", models.TextField(blank=True)),
                ("result_url", models.CharField(blank=True, max_length=300)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="jobs",
                        to="pooling.campaign",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "task_id",
                    models.CharField(blank=True, help_text="Its last task in the queue.", max_length=36),
                ),
                ("stalled_attempts", models.PositiveSmallIntegerField(default=0)),
                ("heartbeat_at", models.DateTimeField(null=True)),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [models.Index(fields=["state"], name="job_by_state")],
            },
        ),
        migrations.CreateModel(
            name="AuditLogEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "who",
                    models.CharField(
                        blank=True, help_text="The sign-in name, as it was then.", max_length=150
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("verb", models.CharField(max_length=40)),
                ("sentence", models.TextField()),
                ("details", models.JSONField(default=dict)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="audit_log",
                        to="pooling.campaign",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("chain_hash", models.CharField(max_length=64)),
            ],
            options={
                "ordering": ["-number"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "number"), name="one_entry_a_number")
                ],
            },
        ),
        migrations.CreateModel(
            name="TopicRevision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("title", models.TextField()),
                ("description", models.TextField(blank=True)),
                ("narrative", models.TextField(blank=True)),
                ("replaced_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "replaced_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="revisions",
                        to="pooling.topic",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
    ]
