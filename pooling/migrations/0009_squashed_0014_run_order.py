import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("pooling", "0009_releases_say_what_is_public"),
        ("pooling", "0010_language_and_line_joining"),
        ("pooling", "0011_images"),
        ("pooling", "0012_judge_runs"),
        ("pooling", "0013_mailed_links"),
        ("pooling", "0014_run_order"),
    ]

    dependencies = [
        ("assess", "0001_squashed_0016_release_states"),
        ("pooling", "0001_squashed_0008_campaign_states"),
    ]

    operations = [
        migrations.CreateModel(
            name="Image",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("docno", models.CharField(blank=True, max_length=200)),
                (
                    "place",
                    models.PositiveSmallIntegerField(
                        help_text="Counts from 1 among the images of its owner."
                    ),
                ),
                (
                    "name",
                    models.CharField(help_text="The file name, to which a web page refers.", max_length=255),
                ),
                (
                    "media_type",
                    models.CharField(
                        choices=[
                            ("image/png", "PNG"),
                            ("image/jpeg", "JPEG"),
                            ("image/gif", "GIF"),
                            ("image/webp", "WebP"),
                        ],
                        max_length=10,
                    ),
                ),
                ("width", models.PositiveIntegerField()),
                ("height", models.PositiveIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("file", models.FileField(upload_to="")),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="images",
                        to="pooling.campaign",
                    ),
                ),
                (
                    "topic",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="images",
                        to="pooling.topic",
                    ),
                ),
            ],
            options={
                "ordering": ["docno", "topic", "place"],
                "indexes": [models.Index(fields=["campaign", "sha256"], name="images_by_checksum")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("topic", None), ("docno", ""), _connector="XOR"),
                        name="image_of_document_or_topic",
                    ),
                    models.UniqueConstraint(
                        fields=("campaign", "docno", "topic", "place"), name="one_image_a_place"
                    ),
                ],
            },
        ),
        migrations.RemoveField(
            model_name="campaign",
            name="visibility",
        ),
        migrations.AddField(
            model_name="campaign",
            name="joins_lines",
            field=models.BooleanField(
                default=False,
                help_text="Judges see documents with their lines joined: the texts come from PDF files with a line break after every line.",
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="language",
            field=models.CharField(
                blank=True,
                help_text="Of topics and documents: a BCP 47 tag, such as ar or zh-Hant.",
                max_length=35,
            ),
        ),
        migrations.AlterField(
            model_name="document",
            name="text_hash",
            field=models.CharField(help_text="SHA-256 of title, text and images.", max_length=64),
        ),
        migrations.AddField(
            model_name="campaign",
            name="accepts_judge_runs",
            field=models.BooleanField(
                default=False,
                help_text="Participants see the list of pooled documents, and may submit runs of machine judges.",
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="is_mailed_only",
            field=models.BooleanField(
                default=False,
                help_text="The present link was mailed, and no page has shown it: it proves the address.",
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="order",
            field=models.CharField(
                choices=[
                    ("score", "by score, highest first (as trec_eval)"),
                    ("rank", "by the rank column"),
                    ("lowest", "lowest score first (distances)"),
                ],
                default="score",
                max_length=6,
            ),
        ),
    ]
